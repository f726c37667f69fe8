//! The rows of a page: its text runs in groups that a reader sees as one: `templcrawl/page/rows.py`.

use crate::elements::Elements;
use crate::names::Name;
use crate::scopes::{Scopes, MIN_PAIRS, SHORT_WORDS};
use crate::tables::{NamedTags, Tables};
use crate::tags::attribute_of;
use crate::text_runs::{key_and_words, TextRuns, MIX};
use crate::tokens::Tokens;
use crate::xxh3::key;
use std::collections::HashMap;

const MIN_FILTERS: usize = 3;
/// Attributes that tell a picture.
const OF_PICTURES: [&[u8]; 3] = [b"src", b"data-src", b"alt"];
const NO_TABLE: i32 = -1;
pub const CODE: u8 = 1;
pub const HEADING: u8 = 2;

/// The rows of a page, in order.
#[derive(Default)]
pub struct Rows {
    /// Row -> its first run; at the end the number of runs.
    pub starts: Vec<i32>,
    pub keys: Vec<u64>,
    /// Row -> the element of its table, or -1.
    pub tables: Vec<i32>,
    /// Row -> 1 for code, 2 for a heading, else 0.
    pub kinds: Vec<u8>,
    /// Row -> the first row of its scope, and the row after it.
    pub scope_starts: Vec<i32>,
    pub scope_stops: Vec<i32>,
}

pub fn read_rows(
    tables: &Tables,
    text: &[u8],
    tokens: &Tokens,
    elements: &Elements,
    runs: &TextRuns,
) -> Rows {
    let linked = tables.hint_words.bits.linked;
    let row_of = row_elements(tables, elements, runs);
    let size = runs.elements.len();
    let mut rows = Rows::with_room(size);
    let mut start = 0;
    while start < size {
        let element = row_of[runs.elements[start] as usize];
        let stop = (start..size).find(|run| row_of[runs.elements[*run] as usize] != element).unwrap_or(size);
        let (mut key, mut factor) = (0u64, 1u64);
        for run in (start..stop).filter(|run| runs.words[*run] > 0) {
            key = key.wrapping_add(runs.keys[run].wrapping_mul(factor));
            factor = factor.wrapping_mul(MIX);
        }
        let has_link = runs.hints[start..stop].iter().any(|hints| hints & linked > 0);
        rows.starts.push(start as i32);
        rows.keys.push(key);
        rows.tables.push(table_of(&tables.named, elements, element, !has_link));
        let name = elements.names[element];
        let is_heading = tables.sets.headings.has(name);
        rows.kinds.push(if name == tables.named.pre { CODE } else { HEADING * u8::from(is_heading) });
        start = stop;
    }
    rows.starts.push(size as i32);
    let at = rows.starts[..rows.keys.len()].iter().map(|run| row_of[runs.elements[*run as usize] as usize]);
    let at: Vec<usize> = at.collect();
    rows.add_pictures(tables, text, tokens, elements, runs, &row_of);
    rows.drop_counts(tables, text, tokens, elements, runs, &at);
    rows.drop_tables(elements, runs);
    rows.add_pairs(elements, runs, &at, linked);
    let mut scopes = Scopes::new(tables, elements, runs, &rows.starts, &at);
    (rows.scope_starts, rows.scope_stops) = scopes.read();
    for (grid, of_grid) in scopes.grids() {
        for row in of_grid.filter(|row| rows.kinds[*row] != CODE) {
            if rows.tables[row] < 0 {
                rows.tables[row] = grid as i32;
            }
        }
    }
    rows
}

impl Rows {
    fn with_room(rows: usize) -> Rows {
        Rows {
            starts: Vec::with_capacity(rows + 1),
            keys: Vec::with_capacity(rows),
            tables: Vec::with_capacity(rows),
            kinds: Vec::with_capacity(rows),
            ..Rows::default()
        }
    }

    /// Add the keys of the pictures of figures to those of their rows.
    fn add_pictures(
        &mut self,
        tables: &Tables,
        text: &[u8],
        tokens: &Tokens,
        elements: &Elements,
        runs: &TextRuns,
        row_of: &[usize],
    ) {
        let (names, named) = (&elements.names, &tables.named);
        let is_picture = |at: &usize| {
            names[*at] == named.img && names[row_of[*at]] == named.figure && elements.visible[*at] == 1
        };
        for element in (0..elements.len()).filter(is_picture) {
            let open = elements.opens[element];
            let after = runs.positions.partition_point(|position| *position < open);
            let mut beside = (after.saturating_sub(1)..=after).filter(|run| *run < runs.elements.len());
            let is_of_row = |run: &usize| row_of[runs.elements[*run] as usize] == row_of[element];
            let Some(run) = beside.find(is_of_row) else { continue };
            let tag = tokens.forms[tokens.form_of[open as usize] as usize].text(text);
            let row = self.starts.partition_point(|start| *start <= run as i32) - 1;
            let values = OF_PICTURES.map(|name| attribute_of(tables, tag, name));
            self.keys[row] = self.keys[row].wrapping_add(key(&values.join(&b'\n')));
        }
    }

    /// Take the numbers of filters out of the keys of their rows.
    fn drop_counts(
        &mut self,
        tables: &Tables,
        text: &[u8],
        tokens: &Tokens,
        elements: &Elements,
        runs: &TextRuns,
        at: &[usize],
    ) {
        let (named, linked) = (&tables.named, tables.hint_words.bits.linked);
        let controls = [named.label, named.option, named.button];
        let in_control = |element: usize| controls.contains(&elements.names[element]);
        let is_control = |row: usize| {
            let mut inside = self.starts[row] as usize..self.starts[row + 1] as usize;
            in_control(at[row])
                || inside.any(|run| runs.hints[run] & linked > 0 || in_control(runs.elements[run] as usize))
        };
        let mut changes = Vec::new();
        let mut together: Vec<(usize, u64)> = Vec::new();
        for (row, rise) in self.counted(tables, text, tokens, runs).into_iter().chain([(usize::MAX, 0)]) {
            let is_next = |last: usize| row == last + 1 && runs.paths[at[row]] == runs.paths[at[last]];
            if together.last().is_some_and(|last| !is_next(last.0)) {
                if together.len() >= MIN_FILTERS && together.iter().any(|(row, _)| is_control(*row)) {
                    changes.append(&mut together);
                }
                together.clear();
            }
            together.push((row, rise));
        }
        for (row, rise) in changes {
            self.keys[row] = self.keys[row].wrapping_add(rise);
        }
    }

    /// Rows that end with a number in brackets, and by what their keys have to rise to be without it.
    fn counted(&self, tables: &Tables, text: &[u8], tokens: &Tokens, runs: &TextRuns) -> Vec<(usize, u64)> {
        let mut found = Vec::new();
        for row in 0..self.keys.len() {
            let worded = || {
                (self.starts[row] as usize..self.starts[row + 1] as usize).filter(|run| runs.words[*run] > 0)
            };
            let Some(run) = worded().next_back() else { continue };
            let form = tokens.form_of[runs.positions[run] as usize];
            let Some(stem) = without_count(tokens.forms[form as usize].text(text)) else { continue };
            let (key, words) = key_and_words(tables, stem);
            let before_it = worded().count() - 1;
            if words > 0 || before_it > 0 {
                let path = runs.keys[run] ^ runs.texts[run].wrapping_mul(MIX);
                let key = if words > 0 { key.wrapping_mul(MIX) ^ path } else { 0 };
                let factor = (0..before_it).fold(1u64, |factor, _| factor.wrapping_mul(MIX));
                found.push((row, key.wrapping_sub(runs.keys[run]).wrapping_mul(factor)));
            }
        }
        found
    }

    /// Drop tables of fewer than two pairs.
    fn drop_tables(&mut self, elements: &Elements, runs: &TextRuns) {
        let is_pair = |row: usize| self.worded(runs, row) >= 2;
        let mut pairs = vec![0; elements.len()];
        let in_tables = (0..self.keys.len()).filter(|row| self.tables[*row] >= 0 && is_pair(*row));
        in_tables.for_each(|row| pairs[self.tables[row] as usize] += 1);
        self.tables.iter_mut().for_each(|table| {
            if *table >= 0 && pairs[*table as usize] < MIN_PAIRS {
                *table = NO_TABLE;
            }
        });
    }

    /// How many runs of a row have words.
    fn worded(&self, runs: &TextRuns, row: usize) -> usize {
        (self.starts[row] as usize..self.starts[row + 1] as usize).filter(|run| runs.words[*run] > 0).count()
    }

    /// Make tables of pairs; `at` is row -> the element that it stands in.
    fn add_pairs(&mut self, elements: &Elements, runs: &TextRuns, at: &[usize], linked: u8) {
        let runs_of = |row: usize| self.starts[row] as usize..self.starts[row + 1] as usize;
        let words_of = |row: usize| runs_of(row).map(|run| runs.words[run]).sum::<i32>();
        let is_pair = |row: &usize| {
            self.tables[*row] < 0
                && self.kinds[*row] != CODE
                && runs_of(*row).all(|run| runs.hints[run] & linked == 0)
                && self.worded(runs, *row) >= 2
                && words_of(*row) <= SHORT_WORDS
        };
        let around = |row: usize| elements.parents[at[row]].max(0) as usize;
        let pairs: Vec<usize> = (0..at.len()).filter(is_pair).collect();
        let (mut count, mut words) = (vec![0; elements.len()], vec![0i32; elements.len()]);
        for row in &pairs {
            count[around(*row)] += 1;
            words[around(*row)] += words_of(*row);
        }
        let mut in_links = vec![0i32; elements.len()];
        for (run, element) in
            runs.elements.iter().enumerate().filter(|(run, _)| runs.hints[*run] & linked > 0)
        {
            in_links[*element as usize] += runs.words[run];
        }
        for element in (1..elements.len()).rev() {
            in_links[elements.parents[element] as usize] += in_links[element];
        }
        for row in pairs {
            let element = around(row);
            if count[element] >= MIN_PAIRS && words[element] >= in_links[element] {
                self.tables[row] = element as i32;
            }
        }
    }
}

/// What stands before the number in brackets that a text ends with.
fn without_count(text: &[u8]) -> Option<&[u8]> {
    let end = text.iter().rposition(|byte| !b" \t\n\r\x0c".contains(byte))?;
    let digits = text[..end].iter().rposition(|byte| !(byte.is_ascii_digit() || b".,".contains(byte)))?;
    let is_number = text[end] == b')' && text[digits] == b'(' && text[digits + 1].is_ascii_digit();
    is_number.then_some(&text[..digits])
}

/// Element -> the one whose row its own runs are of.
fn row_elements(tables: &Tables, elements: &Elements, runs: &TextRuns) -> Vec<usize> {
    let named = &tables.named;
    let is_short = short(tables, elements, runs);
    let flows = |element: usize| !tables.sets.blocks.has(elements.names[element]);
    let mut has_blocks = vec![false; elements.len()];
    for element in (1..elements.len()).rev() {
        let parent = elements.parents[element] as usize;
        has_blocks[parent] |= has_blocks[element] || !flows(element);
    }
    let (mut row_of, mut is_whole) = (vec![0; elements.len()], vec![false; elements.len()]);
    let mut terms: HashMap<usize, usize> = HashMap::new();
    for element in 1..elements.len() {
        let (name, parent) = (elements.names[element], elements.parents[element] as usize);
        let is_cell = is_cell(named, name);
        let may_be_whole = is_cell || [named.tr, named.dt, named.dd, named.figure].contains(&name);
        let (mut row, mut whole) = (element, name == named.pre || (may_be_whole && is_short[element]));
        if is_whole[parent] || flows(element) {
            (row, whole) = (row_of[parent], is_whole[parent]);
        } else if name == named.dt {
            terms.insert(parent, element);
        } else if name == named.dd {
            row = *terms.get(&parent).unwrap_or(&element);
        } else if is_cell && elements.names[parent] == named.tr && !(whole && has_blocks[element]) {
            row = parent;
        }
        (row_of[element], is_whole[element]) = (row, whole);
    }
    row_of
}

/// Element -> whether it has few words, no links, and neither a table nor code inside.
fn short(tables: &Tables, elements: &Elements, runs: &TextRuns) -> Vec<bool> {
    let (named, linked) = (&tables.named, tables.hint_words.bits.linked);
    let mut words = vec![0i32; elements.len()];
    let mut is_short = vec![true; elements.len()];
    for (run, element) in runs.elements.iter().enumerate() {
        words[*element as usize] += runs.words[run];
        is_short[*element as usize] &= runs.hints[run] & linked == 0 || runs.words[run] == 0;
    }
    for element in (0..elements.len()).rev() {
        is_short[element] &= words[element] <= SHORT_WORDS;
        if element > 0 {
            let (name, parent) = (elements.names[element], elements.parents[element] as usize);
            words[parent] += words[element];
            is_short[parent] &= is_short[element] && name != named.table && name != named.pre;
        }
    }
    is_short
}

fn is_cell(named: &NamedTags, name: Name) -> bool {
    name == named.td || name == named.th
}

fn table_of(named: &NamedTags, elements: &Elements, mut element: usize, may_be_item: bool) -> i32 {
    let name = elements.names[element];
    if name == named.dt || (name == named.li && may_be_item) {
        return elements.parents[element];
    }
    if is_cell(named, name) {
        element = elements.parents[element] as usize;
    }
    if elements.names[element] != named.tr {
        return NO_TABLE;
    }
    let parent = elements.parents[element] as usize;
    let is_part = [named.tbody, named.thead, named.tfoot].contains(&elements.names[parent]);
    if is_part {
        elements.parents[parent]
    } else {
        parent as i32
    }
}
