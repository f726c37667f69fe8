//! The content of a page as it is compared with others:
//! `templcrawl/algorithms/similarity/near_duplicates.py`.

use crate::blob::Writer;
use crate::columns::{content as of_content, page as of_page};
use crate::page::Page;
use crate::shingles::{combine, key_of, Sketch};

const MIN_TERMS: usize = 66;

/// A text as it is compared with others.
pub struct Content {
    pub hash: u64,
    pub terms: usize,
    pub sketch: Sketch,
}

/// The runs that a mask keeps of a page.
pub fn content_of(page: Page, mask: &[u8]) -> Option<Content> {
    let hashes = page.buffer(of_page::TERM_HASHES)?;
    let starts = page.buffer(of_page::TERM_START_ARRAY)?;
    let positions = page.buffer(of_page::RUN_POSITIONS)?;
    if mask.len() != page.len() || starts.len() != page.len() + 1 {
        return None;
    }
    let mut terms = Vec::with_capacity(hashes.len());
    for position in (0..positions.len()).map(|run| positions.get(run) as usize) {
        if mask[position] != 0 {
            let of_run = starts.get(position) as usize..starts.get(position + 1) as usize;
            terms.extend(of_run.map(|term| hashes.get(term)));
        }
    }
    let shingles: Vec<u64> = combine(&terms).collect();
    let sketch = if terms.len() < MIN_TERMS { Sketch::default() } else { Sketch::of(&shingles) };
    Some(Content { hash: key_of(&terms), terms: terms.len(), sketch })
}

/// Write the value of these runs.
pub fn write_content(page: Page, mask: &[u8], blob: &mut Vec<u8>) -> Option<()> {
    let content = content_of(page, mask)?;
    let mut writer = Writer::new(blob, of_content::COUNT, 0);
    writer.add(of_content::FIGURES, &[content.hash, content.terms as u64, content.sketch.size as u64]);
    writer.add(of_content::MINIMA, &content.sketch.minima);
    writer.add(of_content::BANDS, &content.sketch.bands);
    Some(())
}
