//! The content of a page as it is compared with others:
//! `templcrawl/algorithms/similarity/near_duplicates.py`.

use crate::blob::{Reader, Writer};
use crate::links::At as OfLinks;
use crate::page::{At as OfPage, Page};
use crate::shingles::{combine, key_of, Sketch};

const LEAST_TERMS: usize = 66;

/// The buffers of a content, in their order.
enum At {
    /// The hash of its words, how many they are, how many distinct shingles they have.
    Figures,
    Minima,
    Bands,
}

/// Write the value of the runs that a mask keeps of a page, whose links and terms are known.
pub fn write_content(page: Page, links: &[u8], mask: &[u8], blob: &mut Vec<u8>) -> Option<()> {
    let links = Reader(links);
    let hashes = links.buffer::<u64>(OfLinks::TermHashes as usize)?;
    let starts = links.buffer::<i64>(OfLinks::TermStarts as usize)?;
    let positions = page.buffer::<i64>(OfPage::RunPosition)?;
    if !links.is_whole() || mask.len() != page.len() || starts.len() != page.len() + 1 {
        return None;
    }
    let mut terms = Vec::with_capacity(hashes.len());
    for position in (0..positions.len()).map(|run| positions.get(run) as usize) {
        if mask[position] != 0 {
            let of_run = starts.get(position) as usize..starts.get(position + 1) as usize;
            terms.extend(of_run.map(|term| hashes.get(term)));
        }
    }
    let sketch =
        if terms.len() < LEAST_TERMS { Sketch::default() } else { Sketch::of(combine(&terms).collect()) };
    let mut writer = Writer::new(blob, At::Bands as usize + 1, 0);
    writer.add(At::Figures as usize, &[key_of(&terms), terms.len() as u64, sketch.size as u64]);
    writer.add(At::Minima as usize, &sketch.minima);
    writer.add(At::Bands as usize, &sketch.bands);
    Some(())
}
