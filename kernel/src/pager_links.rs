//! Which links may page through a list: `templcrawl/algorithms/pagination/pager_links.py`.
//!
//! The words of a step are handed over by Python.  Anchors that hold another word say nothing and are left
//! out here; what the rest of them say, and what tags that hold a hint say, Python reads.

use crate::blob::{Reader, Writer};
use crate::chars::{count, decode, encode, DIGIT};
use crate::columns::{links as of_links, page as of_page, pager_marks as of_marks};
use crate::page::Page;
use crate::sections::Sections;
use crate::tables::Tables;
use crate::tags::{SPACE, TEXT, UNREAD};
use std::collections::{HashMap, HashSet};

/// What steps and hints are known by.
pub struct Rules {
    /// As they came.
    written: Vec<u8>,
    most_tokens: i64,
    levels: usize,
    longest: usize,
    words: HashSet<Vec<u8>>,
    longest_word: usize,
    /// Characters that may stand around a word.
    around: HashSet<u32>,
    /// The same of ASCII.
    is_around: [bool; 128],
    /// Character outside of ASCII -> what it is read as in any case.
    folds: HashMap<u32, Vec<u8>>,
    hints: Vec<Vec<u8>>,
    /// Byte -> whether a hint begins with it.
    is_initial: [bool; 256],
}

impl Rules {
    fn read(written: &[u8]) -> Option<Rules> {
        let mut s = Sections(written);
        let caps = s.numbers()?;
        let words: HashSet<Vec<u8>> = s.texts()?.into_iter().collect();
        let around: HashSet<u32> = s.numbers()?.into_iter().collect();
        let folds = s.numbers()?.into_iter().zip(s.texts()?).collect();
        let hints = s.texts()?;
        let begins = |byte: u8| {
            hints.iter().any(|hint| hint.first().is_some_and(|first| first.eq_ignore_ascii_case(&byte)))
        };
        Some(Rules {
            is_initial: std::array::from_fn(|byte| begins(byte as u8)),
            written: written.to_vec(),
            most_tokens: i64::from(*caps.first()?),
            levels: *caps.get(1)? as usize,
            longest: *caps.get(2)? as usize,
            longest_word: words.iter().map(Vec::len).max()?,
            words,
            is_around: std::array::from_fn(|character| around.contains(&(character as u32))),
            around,
            folds,
            hints,
        })
    }

    /// Whether an anchor has words, and all of them are those of steps, numbers or hold a reference.
    fn may_step(&self, tables: &Tables, anchor: &[u8], folded: &mut Vec<u8>) -> bool {
        !anchor.is_empty()
            && count(anchor) <= self.longest
            && tables
                .classes
                .split(anchor)
                .all(|word| self.knows(tables, word, folded) || word.contains(&b'&'))
    }

    fn knows(&self, tables: &Tables, word: &[u8], folded: &mut Vec<u8>) -> bool {
        self.fold(word, folded);
        let core = self.without_around(folded);
        (core.len() <= self.longest_word && self.words.contains(core))
            || characters(core).all(|(at, character)| {
                tables.classes.at(core, at).0 & DIGIT != 0 || self.is_around(character)
            })
    }

    fn is_around(&self, character: u32) -> bool {
        match self.is_around.get(character as usize) {
            Some(is_around) => *is_around,
            None => self.around.contains(&character),
        }
    }

    /// A word as `str.casefold` writes it.
    fn fold(&self, word: &[u8], folded: &mut Vec<u8>) {
        folded.clear();
        for (at, character) in characters(word) {
            if character < 0x80 {
                folded.push(word[at].to_ascii_lowercase());
            } else if let Some(fold) = self.folds.get(&character) {
                folded.extend_from_slice(fold);
            } else {
                encode(character, folded);
            }
        }
    }

    fn without_around<'a>(&self, word: &'a [u8]) -> &'a [u8] {
        let (mut start, mut stop) = (0, word.len());
        while start < stop && self.is_around(decode(word, start).0) {
            start += decode(word, start).1;
        }
        while start < stop {
            let last = start_of_last(&word[..stop]);
            if !self.is_around(decode(word, last).0) {
                break;
            }
            stop = last;
        }
        &word[start.min(stop)..stop]
    }

    /// Whether a tag holds a hint, in any case.
    fn hints_at(&self, tag: &[u8]) -> bool {
        tag.iter().enumerate().any(|(at, letter)| {
            self.is_initial[*letter as usize]
                && self.hints.iter().any(|hint| {
                    tag.get(at..at + hint.len()).is_some_and(|part| part.eq_ignore_ascii_case(hint))
                })
        })
    }
}

/// Where the last character of a text begins; the text is not empty.
fn start_of_last(text: &[u8]) -> usize {
    text.iter().rposition(|byte| byte & 0xC0 != 0x80).unwrap_or(0)
}

/// The characters of a text, each with where it stands.
fn characters(text: &[u8]) -> impl Iterator<Item = (usize, u32)> + '_ {
    let mut next = 0;
    std::iter::from_fn(move || {
        let at = next;
        let (character, size) = (at < text.len()).then(|| decode(text, at))?;
        next = at + size;
        Some((at, character))
    })
}

/// Write the anchors that may say something, and the tags about links that hold a hint; `known` are the rules
/// that were read last.
pub fn write_marks(
    tables: &Tables,
    page: Page,
    links: &[u8],
    rules: &[u8],
    known: &mut Option<Rules>,
    blob: &mut Vec<u8>,
) -> Option<()> {
    let links = Some(Reader(links)).filter(Reader::is_whole)?;
    if !known.as_ref().is_some_and(|known| known.written == rules) {
        *known = Rules::read(rules);
    }
    let rules = known.as_ref()?;
    let elements = links.buffer(of_links::LINK_ELEMENT)?;
    let elements: Vec<usize> = (0..elements.len()).map(|link| elements.get(link) as usize).collect();
    let anchors = anchors(tables, page, rules, &elements)?;
    let mut starts = vec![0u32];
    for (_, anchor) in &anchors {
        starts.push(starts[starts.len() - 1] + anchor.len() as u32);
    }
    let hints = hints(page, rules, &elements)?;
    let mut writer = Writer::new(blob, of_marks::COUNT, 0);
    writer.add(of_marks::ANCHOR_LINK, &anchors.iter().map(|(link, _)| *link as i64).collect::<Vec<i64>>());
    writer.add(of_marks::ANCHOR_STARTS, &starts);
    writer.add(of_marks::ANCHORS, &anchors.into_iter().flat_map(|(_, anchor)| anchor).collect::<Vec<u8>>());
    writer.add(of_marks::HINT_LINK, &hints.iter().map(|hint| hint.0 as i64).collect::<Vec<i64>>());
    writer.add(of_marks::HINT_LEVEL, &hints.iter().map(|hint| hint.1 as i64).collect::<Vec<i64>>());
    let kinds = page.buffer(of_page::FORM_KIND)?;
    let mut place_of: Vec<Option<i64>> = vec![None; page.form_token.len()];
    let (mut tags, mut tag_starts, mut tag_of) = (Vec::new(), vec![0u32], Vec::new());
    for (_, _, form) in &hints {
        tag_of.push(*place_of[*form].get_or_insert_with(|| {
            if !matches!(kinds.get(*form), TEXT | SPACE | UNREAD) {
                tags.extend_from_slice(page.form(*form));
            }
            tag_starts.push(tags.len() as u32);
            tag_starts.len() as i64 - 2
        }));
    }
    writer.add(of_marks::HINT_TAG, &tag_of);
    writer.add(of_marks::TAG_STARTS, &tag_starts);
    writer.add(of_marks::TAGS, &tags);
    Some(())
}

/// Links whose anchors may say something, each with its anchor, trimmed.
fn anchors(tables: &Tables, page: Page, rules: &Rules, links: &[usize]) -> Option<Vec<(usize, Vec<u8>)>> {
    let (opens, closes) = (page.buffer(of_page::ELEMENT_OPEN)?, page.buffer(of_page::ELEMENT_CLOSE)?);
    let mut anchors = Vec::new();
    let (mut anchor, mut folded) = (Vec::new(), Vec::new());
    for (link, element) in links.iter().enumerate() {
        let (start, stop) = (opens.get(*element) + 1, closes.get(*element));
        anchor.clear();
        if stop - start == 2 {
            anchor.extend_from_slice(page.token(start as usize));
        } else if stop - start <= rules.most_tokens {
            for position in
                (start.max(0) as usize..stop.max(0) as usize).filter(|at| page.kinds.get(*at) == TEXT)
            {
                anchor.extend_from_slice(page.token(position));
                anchor.push(b' ');
            }
        }
        let said = tables.classes.trim(&anchor);
        if rules.may_step(tables, said, &mut folded) {
            anchors.push((link, said.to_vec()));
        }
    }
    Some(anchors)
}

/// Tags that hold a hint: (link, how many levels above it, form); level 0 is the tag of the link.
fn hints(page: Page, rules: &Rules, links: &[usize]) -> Option<Vec<(usize, usize, usize)>> {
    let parents = page.buffer(of_page::ELEMENT_PARENT)?;
    let opens = page.buffer(of_page::ELEMENT_OPEN)?;
    let mut is_hinting: Vec<Option<bool>> = vec![None; page.form_token.len()];
    let mut hints = Vec::new();
    for (link, element) in links.iter().enumerate() {
        let mut element = *element;
        for level in 0..rules.levels {
            let form = page.form_of.get(opens.get(element) as usize) as usize;
            if *is_hinting[form].get_or_insert_with(|| rules.hints_at(page.form(form))) {
                hints.push((link, level, form));
            }
            element = parents.get(element).max(0) as usize;
        }
    }
    Some(hints)
}
