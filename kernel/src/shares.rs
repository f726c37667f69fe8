//! The votes of a sample of a site on the text runs of a page: `templcrawl/memory/detectors/page_sample.py`, and
//! of `templcrawl/algorithms/extraction/shares.py` who votes, who is an outsider, and the menus of sections.

use crate::blob::{Buffer, Number};
use crate::columns::page as of_page;
use crate::page::Page;
use crate::rows::CODE;
use crate::sections::Sections;
use crate::shingles::ordered;
use crate::tables::Tables;
use crate::text_runs::OUT_OF_SIGHT;
use crate::xxh3::seeded_key;

/// What makes a voter, an outsider and a menu, as Python hands it over.
struct Rules {
    least_pages: f64,
    common: f64,
    few: f64,
    of_frame: f64,
    least_runs: f64,
    linked_share: f64,
    linked_of_row: f64,
}

/// The sample as Python hands it over: the hash and the slot of each page, the smallest hash first; all keys,
/// ascending, and a mask of slots for each.
struct Sample<'a> {
    size: usize,
    salt: u64,
    slots: Vec<(u64, u32)>,
    keys: Buffer<'a, u64>,
    masks: Buffer<'a, u32>,
}

impl<'a> Sample<'a> {
    fn read(said: &[u8], table: &'a [u8]) -> Option<Sample<'a>> {
        let said = Buffer::<u64>::of(said).to_vec();
        let (size, salt, keys) = (*said.first()?, *said.get(1)?, 8 * *said.get(2)? as usize);
        let slots = said[3..].chunks_exact(2).map(|page| (page[0], page[1] as u32)).collect();
        let (keys, masks) = (Buffer::of(table.get(..keys)?), Buffer::of(table.get(keys..)?));
        let is_whole = keys.len() == masks.len();
        is_whole.then_some(Sample { size: size as usize, salt, slots, keys, masks })
    }

    /// The slots of at most so many pages whose hash is another.
    fn others(&self, page: u64) -> Vec<u32> {
        let others = self.slots.iter().filter(|(hash, _)| *hash != page);
        others.take(self.size).map(|(_, slot)| *slot).collect()
    }

    /// Key -> the pages that have it; fastest where keys ascend.
    fn masks_of(&self, keys: &[u64]) -> Vec<u32> {
        let (mut first, mut before) = (0, 0);
        let mask_of = |key: &u64| {
            if *key < before {
                first = 0;
            }
            before = *key;
            let mut last = self.keys.len();
            while first < last {
                let middle = (first + last) / 2;
                if self.keys.get(middle) < *key {
                    first = middle + 1;
                } else {
                    last = middle;
                }
            }
            let is_there = first < self.keys.len() && self.keys.get(first) == *key;
            if is_there {
                self.masks.get(first)
            } else {
                0
            }
        };
        keys.iter().map(mask_of).collect()
    }

    /// Whether a page lacks what half of the pages that vote have, or these have hardly anything in common.
    ///
    /// `masks` are the pages that have each distinct key of the page, of those that vote.
    fn lacks_frame(&self, rules: &Rules, masks: &[u32], voters: &[u32]) -> bool {
        let slots = slots_of(voters);
        let is_common =
            |mask: u32| f64::from((mask & slots).count_ones()) >= rules.common * voters.len() as f64;
        let every = || (0..self.masks.len()).map(|key| self.masks.get(key));
        let size = every().filter(|mask| is_common(*mask)).count() as f64;
        let of_page = masks.iter().filter(|mask| is_common(**mask)).count() as f64;
        let least = rules.few * median(&having(every(), voters));
        of_page < rules.of_frame * size || size < least.min(rules.least_runs)
    }
}

/// The votes of a sample on a page.
pub struct Votes {
    /// The hash of the page, and its keys.
    pub hash: u64,
    pub keys: PageKeys,
    /// How many pages vote; the share of them that have each run, corrected by rows and menus of sections.
    pub pages: usize,
    pub shares: Vec<f64>,
    pub is_outsider: bool,
}

/// Ask the pages of a sample, but for the page itself, which of its runs they have.
///
/// `said` is in sections: the rules; the pages of the sample; of an outsider the keys of each that is like it.
pub fn votes_on(tables: &Tables, page: Page, said: &mut Sections, table: &[u8]) -> Option<Votes> {
    let rules = Buffer::<f64>::of(said.bytes()?).to_vec();
    let [least_pages, common, few, of_frame, least_runs, linked_share, linked_of_row] =
        rules[..].try_into().ok()?;
    let rules = Rules { least_pages, common, few, of_frame, least_runs, linked_share, linked_of_row };
    let sample = Sample::read(said.bytes()?, table)?;
    let keys = PageKeys::of(page)?;
    let runs = keys.runs;
    let bytes: Vec<u8> = keys.distinct.iter().flat_map(|key| key.to_le_bytes()).collect();
    let hash = seeded_key(&bytes, sample.salt);
    let (of_keys, voters) = vote(&rules, &sample.masks_of(&keys.distinct), &sample.others(hash));
    let pages = voters.len();
    let mut masks: Vec<u32> = keys.ranks.iter().map(|rank| of_keys[*rank as usize]).collect();
    let hidden = page.buffer(of_page::RUN_HIDDEN)?;
    let hidden: Vec<usize> = (0..runs).filter(|run| hidden.get(*run) > 0).collect();
    if !hidden.is_empty() {
        let slots = slots_of(&voters);
        let key_of = |run: &usize| keys.distinct[keys.ranks[*run] as usize];
        let in_sight: Vec<u64> = hidden.iter().map(|run| key_of(run) ^ OUT_OF_SIGHT).collect();
        let having = sample.masks_of(&in_sight);
        hidden.iter().zip(having).for_each(|(run, mask)| masks[*run] |= mask & slots);
    }
    let share = |mask: &u32| if pages == 0 { 0.0 } else { f64::from(mask.count_ones()) / pages as f64 };
    let of_rows: Vec<f64> = masks[runs..].iter().map(share).collect();
    let masks = &masks[..runs];
    let mut shares: Vec<f64> = masks.iter().map(share).collect();
    let is_common = |share: &&f64| **share >= rules.common;
    let is_outsider = pages as f64 >= rules.least_pages
        && (shares.iter().filter(is_common).count() as f64) < rules.few * shares.len() as f64
        && sample.lacks_frame(&rules, &of_keys, &voters);
    raise_menus(tables, page, &rules, masks, &mut shares)?;
    lower_rows(tables, page, &rules, &of_rows, &mut shares)?;
    if !said.0.is_empty() {
        let (mut own, like) = keys.shares_of(page, said)?;
        let of_rows = own.split_off(runs);
        lower_rows(tables, page, &rules, &of_rows, &mut own)?;
        let share = |own: &f64| own * (like / (like + 1.0));
        shares.iter_mut().zip(&own).for_each(|(shared, own)| *shared = shared.max(share(own)));
    }
    Some(Votes { hash, keys, pages, shares, is_outsider })
}

/// The keys of the runs of a page and of its rows.
pub struct PageKeys {
    runs: usize,
    /// Those that differ, ascending; run, then row -> where its key stands among them.
    pub distinct: Vec<u64>,
    ranks: Vec<i32>,
}

impl PageKeys {
    pub fn of(page: Page) -> Option<PageKeys> {
        let (of_runs, of_rows) = (page.buffer(of_page::RUN_KEYS)?, page.buffer(of_page::ROW_KEYS)?);
        let runs = of_runs.len();
        let all = (0..runs).map(|run| of_runs.get(run)).chain((0..of_rows.len()).map(|row| of_rows.get(row)));
        let numbered: Vec<(u64, u32)> = all.zip(0..).collect();
        let mut distinct = Vec::with_capacity(numbered.len());
        let mut ranks = vec![0; numbered.len()];
        for (key, at) in ordered(&numbered, |(key, _)| *key) {
            if distinct.last() != Some(&key) {
                distinct.push(key);
            }
            ranks[at as usize] = distinct.len() as i32 - 1;
        }
        Some(PageKeys { runs, distinct, ranks })
    }

    /// Run, then row -> share of some pages that have it, and how many these are; one that has a run in sight has
    /// it where it is hidden, too.
    ///
    /// `voters` are sections: the distinct keys of each page, ascending.
    pub fn shares_of(&self, page: Page, voters: &mut Sections) -> Option<(Vec<f64>, f64)> {
        let keys = &self.distinct;
        let is_hidden = page.buffer(of_page::RUN_HIDDEN)?;
        let of_hidden =
            (0..self.runs).filter(|run| is_hidden.get(*run) > 0).map(|run| self.ranks[run] as usize);
        let mut hidden: Vec<usize> = of_hidden.collect();
        hidden.sort_unstable();
        hidden.dedup();
        let (mut counts, mut pages) = (vec![0.0; keys.len()], 0.0);
        while let Some(voter) = voters.bytes() {
            let mut at = 0;
            for key in voter.chunks_exact(8).map(u64::read) {
                while at < keys.len() && keys[at] < key {
                    at += 1;
                }
                if keys.get(at) == Some(&key) {
                    counts[at] += 1.0;
                }
            }
            let voter = Buffer::<u64>::of(voter);
            let has = |key: u64| voter.position(key).is_some();
            for rank in &hidden {
                if !has(keys[*rank]) && has(keys[*rank] ^ OUT_OF_SIGHT) {
                    counts[*rank] += 1.0;
                }
            }
            pages += 1.0;
        }
        Some((self.ranks.iter().map(|rank| counts[*rank as usize] / pages).collect(), pages))
    }
}

/// Key -> the pages that have it, of those that vote; and the slots of those: strangers do not, if four others
/// are left.
fn vote(rules: &Rules, masks: &[u32], slots: &[u32]) -> (Vec<u32>, Vec<u32>) {
    let common = having(masks.iter().copied(), slots);
    let least = rules.few * median(&common);
    let mut voters: Vec<u32> =
        slots.iter().zip(&common).filter(|(_, common)| **common >= least).map(|(slot, _)| *slot).collect();
    if (voters.len() as f64) < rules.least_pages {
        voters = slots.to_vec();
    }
    let all = slots_of(&voters);
    (masks.iter().map(|mask| mask & all).collect(), voters)
}

/// Slot -> how many masks have it.
fn having(masks: impl Iterator<Item = u32>, slots: &[u32]) -> Vec<f64> {
    let mut counts = [0.0; 32];
    for mut mask in masks {
        while mask > 0 {
            counts[mask.trailing_zeros() as usize] += 1.0;
            mask &= mask - 1;
        }
    }
    slots.iter().map(|slot| counts[*slot as usize % 32]).collect()
}

/// The bits of some slots.
fn slots_of(slots: &[u32]) -> u32 {
    slots.iter().fold(0, |all, slot| all | 1 << slot)
}

fn median(numbers: &[f64]) -> f64 {
    let mut sorted = numbers.to_vec();
    sorted.sort_unstable_by(f64::total_cmp);
    let half = sorted.len() / 2;
    match sorted.len() {
        0 => 0.0,
        size if size % 2 == 1 => sorted[half],
        _ => (sorted[half - 1] + sorted[half]) / 2.0,
    }
}

/// Raise the shares of lists of links that the same pages have.
fn raise_menus(tables: &Tables, page: Page, rules: &Rules, masks: &[u32], shares: &mut [f64]) -> Option<()> {
    let words = page.buffer(of_page::RUN_WORDS)?;
    let hints = page.buffer(of_page::RUN_HINTS)?;
    let linked = tables.hint_words.bits.linked;
    let mut start = 0;
    for stop in 1..=masks.len() {
        if stop < masks.len() && masks[stop] == masks[start] {
            continue;
        }
        let having = f64::from(masks[start].count_ones());
        if (stop - start) as f64 >= rules.least_runs && having >= rules.least_pages {
            let all: i32 = (start..stop).map(|run| words.get(run)).sum();
            let is_linked = |run: &usize| hints.get(*run) & linked > 0;
            let in_links: i32 = (start..stop).filter(is_linked).map(|run| words.get(run)).sum();
            if in_links as f64 >= rules.linked_share * all as f64 {
                let least = having / (having + 1.0);
                shares[start..stop].iter_mut().for_each(|share| *share = share.max(least));
            }
        }
        start = stop;
    }
    Some(())
}

/// Give each run of a table or of code the share of its row where that is smaller, but for rows of links.
fn lower_rows(tables: &Tables, page: Page, rules: &Rules, of_rows: &[f64], shares: &mut [f64]) -> Option<()> {
    let words = page.buffer(of_page::RUN_WORDS)?;
    let hints = page.buffer(of_page::RUN_HINTS)?;
    let starts = page.buffer(of_page::ROW_STARTS)?;
    let (in_table, kinds) = (page.buffer(of_page::ROW_TABLES)?, page.buffer(of_page::ROW_KINDS)?);
    let hidden = page.buffer(of_page::RUN_HIDDEN)?;
    let is_linked = |run: &usize| hints.get(*run) & tables.hint_words.bits.linked > 0;
    for (row, share) in of_rows.iter().enumerate() {
        if in_table.get(row) < 0 && kinds.get(row) != CODE {
            continue;
        }
        let runs = || starts.get(row) as usize..starts.get(row + 1) as usize;
        let all: i32 = runs().map(|run| words.get(run)).sum();
        let in_links: i32 = runs().filter(is_linked).map(|run| words.get(run)).sum();
        let is_trail = runs().any(|run| is_linked(&run) && shares[run] >= rules.common);
        let is_whole = runs().all(|run| hidden.get(run) == 0);
        if in_links as f64 <= rules.linked_of_row * all as f64 && !is_trail && is_whole {
            runs().for_each(|run| shares[run] = shares[run].min(*share));
        }
    }
    Some(())
}
