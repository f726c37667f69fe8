//! What a sample of its site makes of a page: the votes, the vote, and what is asked of its content next:
//! `templcrawl/memory/detectors/sample_vote.py`.

use crate::blob::{Buffer, Writer};
use crate::chars::count;
use crate::columns::{page as of_page, verdict};
use crate::near_duplicates::content_of;
use crate::page::Page;
use crate::sections::Sections;
use crate::shares::votes_on;
use crate::tables::Tables;
use crate::tags::UNREAD;
use crate::type_furniture::{stripped, Known, Rules};
use crate::vote::{content_spans, mask_of};

/// Write the verdict on a page to a blob.
///
/// `said` is in sections: the numbers of the vote; of how many pages the shares of all runs are, and these.
/// Where no shares are given, a sample votes; then follow what the words are counted by, the rules of what a page
/// type repeats, the keys of pages of the type, in sections of their own, and what `votes_on` takes.  `table` is
/// that of the sample.
pub fn write_verdict(
    tables: &Tables,
    page: Page,
    said: &[u8],
    table: &[u8],
    blob: &mut Vec<u8>,
) -> Option<()> {
    let mut said = Sections(said);
    let (numbers, given) = (said.bytes()?, Buffer::<f64>::of(said.bytes()?).to_vec());
    if let Some((pages, shares)) = given.split_first() {
        let edges = content_spans(tables, page, numbers, *pages, shares)?;
        Writer::new(blob, verdict::COUNT, 0).collect(verdict::EDGES, edges.iter().map(|edge| *edge as u32));
        return Some(());
    }
    let measured = Buffer::<f64>::of(said.bytes()?).to_vec();
    let (rules, mut of_type) = (Rules::read(said.bytes()?)?, Sections(said.bytes()?));
    let votes = votes_on(tables, page, &mut said, table)?;
    let edges = content_spans(tables, page, numbers, votes.pages as f64, &votes.shares)?;
    let mask = mask_of(page, &edges);
    let content = content_of(page, &mask)?;
    let counted = measure(tables, page, &votes.shares, votes.pages, &mask, &measured)?;
    let (pages, outside) = (votes.pages as u64, u64::from(votes.is_outsider));
    let (terms, shingles) = (content.terms as u64, content.sketch.size as u64);
    let figures = [&[votes.hash, pages, outside], &counted[..], &[content.hash, terms, shingles]].concat();
    let mut writer = Writer::new(blob, verdict::COUNT, 0);
    writer.add(verdict::FIGURES, &figures);
    writer.add(verdict::KEYS, &votes.keys.distinct);
    writer.add(verdict::SHARES, &votes.shares);
    writer.collect(verdict::EDGES, edges.iter().map(|edge| *edge as u32));
    writer.add(verdict::MASK, &mask);
    writer.add(verdict::MINIMA, &content.sketch.minima);
    writer.add(verdict::BANDS, &content.sketch.bands);
    if of_type.0.is_empty() {
        return Some(());
    }
    let (of_type, pages) = votes.keys.shares_of(page, &mut of_type)?;
    let known = Known { of_type: &of_type, pages, of_site: &votes.shares, voters: votes.pages as f64 };
    if let Some(left) = stripped(tables, page, &rules, &mask, &known)? {
        let counted = measure(tables, page, &left.shares, votes.pages, &left.mask, &measured)?;
        writer.add(verdict::LEFT_FIGURES, &counted);
        writer.collect(verdict::LEFT_EDGES, left.edges.iter().map(|edge| *edge as u32));
        writer.add(verdict::LEFT_MASK, &left.mask);
        writer.add(verdict::LEFT_SHARES, &left.shares);
    }
    Some(())
}

/// Words of running text in the content, and on the page; lost words; characters of visible text in the content,
/// and on the page, as far as it was read: `templcrawl/page/separation.py`.
pub fn measure(
    tables: &Tables,
    page: Page,
    shares: &[f64],
    pages: usize,
    mask: &[u8],
    measured: &[f64],
) -> Option<[u64; 5]> {
    let [running_words, many_pages] = measured[..].try_into().ok()?;
    let bits = &tables.hint_words.bits;
    let (words, hints) = (page.buffer(of_page::RUN_WORDS)?, page.buffer(of_page::RUN_HINTS)?);
    let positions = page.buffer(of_page::RUN_POSITIONS)?;
    let has_rest = page.kinds.bytes().last() == Some(&UNREAD);
    let unread = if has_rest { count(page.token(page.len() - 1)) as u64 } else { 0 };
    let mut counted = [0, 0, 0, unread, unread];
    for (run, share) in shares.iter().enumerate() {
        let position = positions.get(run) as usize;
        let (of_run, is_content) = (words.get(run) as u64, u64::from(mask[position] != 0));
        let characters = count(page.token(position)) as u64;
        counted[3] += characters * is_content;
        counted[4] += characters;
        if hints.get(run) & !(bits.article | bits.title) != 0 {
            continue;
        }
        if of_run as f64 >= running_words {
            counted[0] += of_run * is_content;
            counted[1] += of_run;
        }
        if is_content == 0 && *share == 0.0 && pages as f64 >= many_pages {
            counted[2] += of_run;
        }
    }
    Some(counted)
}
