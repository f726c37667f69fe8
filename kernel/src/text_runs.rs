//! The visible text runs of a page: `templcrawl/page/runs.py`, with what elements gather from their
//! ancestors (`templcrawl/page/arrays.py`): parents stand before children, so one walk gathers it.

use crate::chars::{words_of_eight, Classes, SPACE, WIDE, WORD};
use crate::elements::Elements;
use crate::scan::tag_end;
use crate::tables::Tables;
use crate::tags::{title_parts, SPACE as SPACE_ONLY, START, TEXT};
use crate::tokens::{Form, Tokens};
use crate::xxh3::key;
use std::collections::HashSet;
use std::ops::Range;

pub const MIX: u64 = 0x9E37_79B9_7F4A_7C15;
/// What tells the key of a run that is hidden from that of one in sight.
pub const OUT_OF_SIGHT: u64 = 0x5851_F42D_4C95_7F2D;

/// The visible text runs of a page, in order, and what is known of its elements for them.
#[derive(Default)]
pub struct TextRuns {
    pub positions: Vec<i32>,
    pub elements: Vec<i32>,
    pub words: Vec<i32>,
    pub hints: Vec<u8>,
    pub texts: Vec<u64>,
    pub keys: Vec<u64>,
    pub hidden: Vec<u8>,
    /// Element -> how many levels it stands below the body.
    pub depths: Vec<u8>,
    /// Element -> key of its path of tag names.
    pub paths: Vec<u64>,
}

pub fn read_text_runs(tables: &Tables, text: &[u8], tokens: &Tokens, elements: &Elements) -> TextRuns {
    let most = tokens.kinds.iter().filter(|kind| **kind == TEXT).count();
    let mut runs = TextRuns {
        positions: Vec::with_capacity(most),
        elements: Vec::with_capacity(most),
        words: Vec::with_capacity(most),
        texts: Vec::with_capacity(most),
        ..TextRuns::default()
    };
    for (position, (form, owner)) in tokens.form_of.iter().zip(&elements.owners).enumerate() {
        let (form, owner) = (*form as usize, *owner);
        if tokens.kinds[position] == TEXT && elements.visible[owner as usize] == 1 {
            runs.positions.push(position as i32);
            runs.elements.push(owner);
            runs.texts.push(tokens.forms[form].key);
            runs.words.push(tokens.forms[form].count);
        }
    }
    runs.paths = path_keys(elements, |element| form_of(tokens, elements, element).key);
    runs.depths = depths(tables, elements);
    runs.add_hints(tables, text, tokens, elements);
    let bits = &tables.hint_words.bits;
    let in_sight = bits.furniture | bits.named | bits.linked;
    let is_hidden =
        |(at, hints): (&i32, &u8)| elements.hidden[*at as usize] & u8::from(hints & in_sight == 0);
    runs.hidden = runs.elements.iter().zip(&runs.hints).map(is_hidden).collect();
    let keys = runs.texts.iter().zip(&runs.elements).zip(&runs.hidden);
    let key = |((text, at), hidden): ((&u64, &i32), &u8)| {
        text.wrapping_mul(MIX) ^ runs.paths[*at as usize] ^ (u64::from(*hidden) * OUT_OF_SIGHT)
    };
    runs.keys = keys.map(key).collect();
    runs
}

fn form_of<'a>(tokens: &'a Tokens, elements: &Elements, element: usize) -> &'a Form {
    &tokens.forms[tokens.form_of[elements.opens[element] as usize] as usize]
}

/// Element -> the polynomial of its ancestors' steps and its own, modulo 2^64.
pub fn path_keys(elements: &Elements, step: impl Fn(usize) -> u64) -> Vec<u64> {
    let mut paths = vec![0u64; elements.len()];
    for element in 1..elements.len() {
        let above = paths[elements.parents[element] as usize];
        paths[element] = step(element).wrapping_add(MIX.wrapping_mul(above));
    }
    paths
}

fn depths(tables: &Tables, elements: &Elements) -> Vec<u8> {
    let mut depths = vec![0u8; elements.len()];
    for element in 1..elements.len() {
        let is_level = !tables.sets.without_level.has(elements.names[element]);
        depths[element] = depths[elements.parents[element] as usize].saturating_add(u8::from(is_level));
    }
    depths
}

/// Element -> the bits of its own and all its ancestors.
fn inherited(elements: &Elements, own: impl Fn(usize) -> u8) -> Vec<u8> {
    let mut bits = vec![0u8; elements.len()];
    for element in 1..elements.len() {
        bits[element] = own(element) | bits[elements.parents[element] as usize];
    }
    bits
}

impl TextRuns {
    /// Say what the markup around each run claims of it; positions, elements and words are known.
    fn add_hints(&mut self, tables: &Tables, text: &[u8], tokens: &Tokens, elements: &Elements) {
        let bits = &tables.hint_words.bits;
        let mut hints = vec![0u8; elements.len()];
        for (element, hint) in hints.iter_mut().enumerate().skip(1) {
            *hint = form_of(tokens, elements, element).hints;
            let is_select = elements.names[element] == tables.named.select;
            if is_select && self.inside(elements, element).len() >= tables.least_choices {
                *hint |= bits.linked;
            }
        }
        let above = inherited(elements, |element| hints[element] & (bits.article | bits.linked));
        let in_section =
            inherited(elements, |element| u8::from(elements.names[element] == tables.named.section));
        for (element, hint) in hints.iter_mut().enumerate() {
            if above[element] & bits.article > 0 {
                *hint &= !bits.named;
            } else if *hint & bits.page_part > 0 && in_section[element] == 0 {
                *hint |= bits.furniture;
            }
        }
        let claims = bits.named | bits.furniture;
        if hints.iter().any(|hint| hint & claims > 0) {
            let unlinked = self.words_before(|at| above[at] & bits.linked == 0);
            let all = self.words_before(|_| true);
            for (element, hint) in hints.iter_mut().enumerate().filter(|(_, hint)| **hint & claims > 0) {
                let inside = self.inside(elements, element);
                let held = |words: &[i32]| words[inside.end] - words[inside.start];
                let holds =
                    |words: &[i32], most: f64| held(words) as f64 > most * words[words.len() - 1] as f64;
                let [most_unlinked, most_words, most_text] = tables.shares;
                if holds(&unlinked, most_unlinked) || holds(&all, most_words) {
                    *hint &= !bits.named;
                }
                if holds(&unlinked, most_text) && held(&unlinked) >= tables.least_text {
                    *hint &= !bits.furniture;
                }
            }
        }
        let gathered = inherited(elements, |element| hints[element] & !bits.page_part);
        let titles = title_keys(tables, text, tokens);
        self.hints = self.elements.iter().map(|at| gathered[*at as usize]).collect();
        for run in self.title_runs(tables, &titles) {
            self.hints[run] |= bits.title;
        }
        self.hints.iter_mut().for_each(|hints| *hints &= bits.all - 1);
    }

    /// The runs that name the page, by the keys of its title and of the parts of that.
    fn title_runs(&self, tables: &Tables, titles: &[u64]) -> Vec<usize> {
        let bits = &tables.hint_words.bits;
        let (mut found, mut in_named) = (Vec::new(), Vec::<usize>::new());
        let mut said = HashSet::new();
        for run in (0..self.texts.len()).filter(|run| titles.contains(&self.texts[*run])) {
            let (hints, text) = (self.hints[run], self.texts[run]);
            if hints & (bits.furniture | bits.named | bits.listed) == 0 {
                found.push(run);
                said.insert(text);
            } else if hints & bits.title > 0 {
                said.insert(text);
            } else if hints & (bits.furniture | bits.linked | bits.listed) == 0 {
                in_named.push(run);
            }
        }
        for run in in_named {
            if said.insert(self.texts[run]) {
                found.push(run);
            }
        }
        found
    }

    /// Run -> how many words stand before it in elements that count; and all of them.
    fn words_before(&self, counts: impl Fn(usize) -> bool) -> Vec<i32> {
        let mut before = Vec::with_capacity(self.words.len() + 1);
        before.push(0i32);
        let mut sum = 0;
        for (words, at) in self.words.iter().zip(&self.elements) {
            sum += if counts(*at as usize) { *words } else { 0 };
            before.push(sum);
        }
        before
    }

    /// The runs that stand in an element.
    fn inside(&self, elements: &Elements, element: usize) -> Range<usize> {
        let at = |position: i32| self.positions.partition_point(|other| *other < position);
        at(elements.opens[element])..at(elements.closes[element])
    }
}

/// Read the text between two tags; append the keys of its words.
pub fn read_text(
    tables: &Tables,
    text: &[u8],
    words: &mut Vec<u64>,
    (seen, folded): &mut (Vec<u8>, Vec<u8>),
) -> Form {
    if tables.classes.is_space(text) {
        return Form { kind: SPACE_ONLY, ..Form::default() };
    }
    let run = tables.seen_text(text, seen);
    let (key_of_words, count) = folded_key(&tables.classes, run, folded);
    words.extend(tables.classes.split(run).map(key));
    Form { kind: TEXT, key: key_of_words, count, ..Form::default() }
}

/// Key of the words of a text run, and how many they are.
pub fn key_and_words(tables: &Tables, text: &[u8]) -> (u64, i32) {
    let (mut seen, mut folded) = (Vec::new(), Vec::new());
    folded_key(&tables.classes, tables.seen_text(text, &mut seen), &mut folded)
}

/// Key of the words that are seen of a run, and how many they are; where words are not spaced, each character is one.
fn folded_key(classes: &Classes, run: &[u8], folded: &mut Vec<u8>) -> (u64, i32) {
    let (words, is_folded) = count_words(classes, run);
    if is_folded {
        return (key(run), words);
    }
    folded.clear();
    classes.fold(run, folded);
    (key(folded), words)
}

/// How many words a run has, and whether its white space is folded.
fn count_words(classes: &Classes, run: &[u8]) -> (i32, bool) {
    let (mut words, mut wide, mut narrow) = (0, 0, 0);
    let (mut odd, mut before) = (false, SPACE);
    let mut at = 0;
    while at < run.len() {
        if let Some((begun, doubled)) = words_of_eight(run, at, before) {
            words += begun;
            narrow += begun;
            odd |= doubled;
            before = classes.at(run, at + 7).0;
            at += 8;
            continue;
        }
        let (class, size) = classes.at(run, at);
        let is_narrow = |class: u8| class & (WORD | WIDE) == WORD;
        words += i32::from(class & !before & WORD != 0);
        narrow += i32::from(is_narrow(class) && !is_narrow(before));
        wide += i32::from(class & WIDE != 0);
        odd |= class & (before | u8::from(run[at] != b' ')) & SPACE != 0;
        before = class;
        at += size;
    }
    let words = if words > 0 && wide > 0 { wide + narrow } else { words };
    (words, !odd && before & SPACE == 0)
}

/// The words of the first title, white space folded.
fn title(tables: &Tables, text: &[u8], tokens: &Tokens) -> Vec<u8> {
    let is_title = |form: &&Form| form.name == tables.named.title && form.kind == START;
    let mut title = Vec::new();
    if let Some(form) = tokens.forms.iter().find(is_title) {
        let piece = form.text(text);
        let mut decoded = Vec::new();
        tables.entities.unescape(&piece[tag_end(piece)..], &mut decoded);
        tables.classes.fold(&decoded, &mut title);
    }
    title
}

/// The keys of the page's title and of its parts.
fn title_keys(tables: &Tables, text: &[u8], tokens: &Tokens) -> Vec<u64> {
    let title = title(tables, text, tokens);
    let parts = title_parts(&title, &tables.title_marks).into_iter().filter(|part| !part.is_empty());
    let (mut seen, mut folded) = (Vec::new(), Vec::new());
    parts.map(|part| folded_key(&tables.classes, tables.as_seen(part, &mut seen), &mut folded).0).collect()
}
