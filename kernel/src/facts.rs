//! Facts: short values that hardly any other page has, with the labels beside them:
//! `templcrawl/algorithms/extraction/facts.py`.

use crate::columns::page as of_page;
use crate::page::Page;
use crate::tables::{Name, Tables};
use std::collections::HashMap;

/// When a run is new, and what makes a pair, as Python hands it over.
pub struct Rules {
    pub new: f64,
    pub rarer: f64,
    pub common_link: f64,
    pub most_words: f64,
    pub least_pairs: f64,
    /// Hints that no part of a pair has.
    pub claimed: f64,
}

impl Rules {
    pub fn read(numbers: &mut impl Iterator<Item = f64>) -> Option<Rules> {
        Some(Rules {
            new: numbers.next()?,
            rarer: numbers.next()?,
            common_link: numbers.next()?,
            most_words: numbers.next()?,
            least_pairs: numbers.next()?,
            claimed: numbers.next()?,
        })
    }
}

/// The text runs of a page.
#[derive(Clone, Copy)]
pub struct Runs<'a> {
    pub elements: &'a [i64],
    pub words: &'a [i64],
    pub hints: &'a [u8],
    pub shares: &'a [f64],
}

/// What may be content in spite of the vote.
#[derive(Default)]
pub struct Facts {
    /// Run -> whether it is a label or a value of several pairs.
    pub certain: Vec<bool>,
    /// Run -> whether it is content between runs of content.
    new: Vec<bool>,
    /// Short row -> its first run, and the run after its last.
    rows: Vec<(usize, usize)>,
}

impl Facts {
    /// No run of so many is one.
    pub fn none(runs: usize) -> Facts {
        Facts { certain: vec![false; runs], ..Facts::default() }
    }

    pub fn find(tables: &Tables, page: Page, rules: &Rules, parents: &[i64], runs: Runs) -> Option<Facts> {
        let bits = &tables.hint_words.bits;
        let names = page.buffer(of_page::ELEMENT_NAME)?.to_vec();
        let row_of = row_elements(tables, &names, parents);
        let words = before(runs.words.iter().copied());
        let rows = short_rows(&row_of, runs, &words, rules.most_words);
        let is_new = |run: usize| {
            runs.shares[run] <= rules.new
                && runs.hints[run] & (bits.named | bits.linked) == 0
                && runs.words[run] > 0
        };
        let mut new: Vec<bool> = (0..runs.words.len()).map(is_new).collect();
        let mut groups: HashMap<usize, Vec<(usize, usize)>> = HashMap::new();
        for &(start, stop) in &rows {
            if let Some((label, end)) = pair(rules, runs, start, stop, bits.linked) {
                (label + 1..end).for_each(|run| new[run] |= runs.words[run] > 0);
                if (label..end).all(|run| runs.hints[run] & bits.linked == 0) {
                    let row = row_of[runs.elements[label] as usize];
                    groups.entry(parents[row].max(0) as usize).or_default().push((label, end));
                }
            }
        }
        let is_menu = |run: usize| runs.hints[run] & bits.linked > 0 && runs.shares[run] >= rules.common_link;
        let menus = before(runs.words.iter().enumerate().map(|(run, words)| words * i64::from(is_menu(run))));
        let positions = page.buffer(of_page::RUN_POSITION)?.to_vec();
        let (opens, closes) = (page.buffer(of_page::ELEMENT_OPEN)?, page.buffer(of_page::ELEMENT_CLOSE)?);
        let mut certain = vec![false; runs.words.len()];
        for (around, pairs) in &groups {
            let run_at = |position: i64| positions.partition_point(|run| *run < position);
            let linked = menus[run_at(closes.get(*around))] - menus[run_at(opens.get(*around))];
            let paired: i64 = pairs.iter().map(|(start, stop)| words[*stop] - words[*start]).sum();
            if pairs.len() as f64 >= rules.least_pairs && paired >= linked {
                pairs.iter().for_each(|(start, stop)| certain[*start..*stop].fill(true));
            }
        }
        Some(Facts { certain, new, rows })
    }

    /// Add the facts to what the vote selects: run -> whether it is content.
    pub fn add_to(&self, tables: &Tables, runs: Runs, selected: &mut [bool]) {
        let bits = &tables.hint_words.bits;
        selected.iter_mut().zip(&self.certain).for_each(|(selected, certain)| *selected |= certain);
        let is_content = |run: &usize| selected[*run] && runs.words[*run] > 0;
        let first = (0..selected.len()).find(is_content);
        let (Some(first), Some(last)) = (first, (0..selected.len()).rev().find(is_content)) else { return };
        let is_added = |run: usize| (first..=last).contains(&run) && self.new.get(run) == Some(&true);
        (first..=last).for_each(|run| selected[run] |= is_added(run));
        for &(start, stop) in &self.rows {
            if (start..stop).any(is_added) {
                (start..stop)
                    .for_each(|run| selected[run] |= runs.hints[run] & (bits.named | bits.linked) == 0);
            }
        }
    }
}

/// Element -> the element whose row it stands in.
fn row_elements(tables: &Tables, names: &[Name], parents: &[i64]) -> Vec<usize> {
    let named = &tables.named;
    let mut rows: Vec<usize> = (0..names.len()).collect();
    let mut terms: HashMap<usize, usize> = HashMap::new();
    for (element, name) in names.iter().enumerate().skip(1) {
        let parent = parents[element] as usize;
        if !tables.blocks.has(*name) {
            rows[element] = rows[parent];
        } else if (*name == named.td || *name == named.th) && names[parent] == named.tr {
            rows[element] = parent;
        } else if *name == named.dt {
            terms.insert(parent, element);
        } else if *name == named.dd {
            rows[element] = *terms.get(&parent).unwrap_or(&element);
        }
    }
    rows
}

/// The stretches of runs in the same row that have few words.
fn short_rows(row_of: &[usize], runs: Runs, words: &[i64], most_words: f64) -> Vec<(usize, usize)> {
    let mut rows = Vec::new();
    let mut start = 0;
    for stop in 1..=runs.elements.len() {
        let row = |run: usize| row_of[runs.elements[run] as usize];
        if stop == runs.elements.len() || row(stop) != row(start) {
            if (words[stop] - words[start]) as f64 <= most_words {
                rows.push((start, stop));
            }
            start = stop;
        }
    }
    rows
}

/// The label of a row that is a pair, and the run after its last value.
fn pair(rules: &Rules, runs: Runs, start: usize, stop: usize, linked: u8) -> Option<(usize, usize)> {
    let is_open = |run: usize| runs.hints[run] & rules.claimed as u8 == 0;
    let has_words = |run: &usize| runs.words[*run] > 0;
    let is_label = |run: &usize| is_open(*run) && runs.hints[*run] & linked == 0;
    let label = (start..stop).find(has_words).filter(is_label)?;
    let most = rules.new.max(rules.rarer * runs.shares[label]);
    let is_value = |run: &usize| is_open(*run) && runs.shares[*run] <= most;
    let last = (label + 1..stop).filter(has_words).take_while(is_value).last()?;
    Some((label, last + 1))
}

/// The sum of all counts before each; and of all.
fn before(counts: impl Iterator<Item = i64>) -> Vec<i64> {
    let mut sums = vec![0];
    sums.extend(counts.scan(0, |sum, count| {
        *sum += count;
        Some(*sum)
    }));
    sums
}
