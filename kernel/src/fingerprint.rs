//! Template fingerprints: `templcrawl/algorithms/page_types/fingerprint.py`.

const LENGTH: usize = 25;

/// The references of the LZ78 dictionary of tags, at most 25; nothing is read beyond the last one's tag.
///
/// An entry is a reference and a tag; entries are so few that each is looked at.
pub fn lz78_references<T: PartialEq>(tags: impl Iterator<Item = T>) -> Vec<u8> {
    let mut entries: Vec<(usize, T)> = Vec::with_capacity(LENGTH);
    let mut run = 0;
    for tag in tags {
        let entry = (run, tag);
        if let Some(known) = entries.iter().position(|other| *other == entry) {
            run = known + 1;
            continue;
        }
        entries.push(entry);
        run = 0;
        if entries.len() == LENGTH {
            break;
        }
    }
    entries.iter().map(|(reference, _)| *reference as u8).collect()
}
