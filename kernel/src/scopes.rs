//! The scopes of a page's rows, and its grids of facts: `templcrawl/page/scopes.py`.

use crate::elements::Elements;
use crate::names::Name;
use crate::tables::{NamedTags, Tables};
use crate::text_runs::TextRuns;
use std::collections::{BTreeMap, HashSet};
use std::ops::Range;

pub const SHORT_WORDS: i32 = 20;
pub const MIN_PAIRS: usize = 2;
const LABEL_WORDS: i32 = 6;
const MAX_OF_BOX: usize = 3;
const LEVELS: usize = 8;

/// The scopes of rows.
pub struct Scopes<'a> {
    tables: &'a Tables,
    elements: &'a Elements,
    runs: &'a TextRuns,
    /// Row -> its first run; at the end the number of runs.
    starts: &'a [i32],
    /// Row -> the element that it stands in.
    at: &'a [usize],
    /// Run -> its row.
    row_at: Vec<usize>,
    /// Run -> words before it; at the end all.
    words: Vec<i32>,
    /// Element -> its first run, the run after its last, and runs with words in it.
    first: Vec<usize>,
    stop: Vec<usize>,
    inside: Vec<usize>,
    /// Element -> whether two elements in it hold all of its words.
    is_pair: Vec<bool>,
    /// Elements that begin with a label and have its value, found so far.
    boxes: HashSet<usize>,
}

impl<'a> Scopes<'a> {
    pub fn new(
        tables: &'a Tables,
        elements: &'a Elements,
        runs: &'a TextRuns,
        starts: &'a [i32],
        at: &'a [usize],
    ) -> Scopes<'a> {
        let (size, rows) = (elements.len(), at.len());
        let (mut first, mut stop, mut inside) = (vec![usize::MAX; size], vec![0; size], vec![0; size]);
        let mut words = Vec::with_capacity(runs.words.len() + 1);
        words.push(0);
        for (run, element) in runs.elements.iter().enumerate() {
            let element = *element as usize;
            first[element] = first[element].min(run);
            stop[element] = run + 1;
            inside[element] += usize::from(runs.words[run] > 0);
            words.push(words[run] + runs.words[run]);
        }
        let mut is_pair: Vec<bool> = inside.iter().map(|own| *own == 0).collect();
        let mut children = vec![0; size];
        for element in (1..size).rev() {
            let parent = elements.parents[element] as usize;
            first[parent] = first[parent].min(first[element]);
            stop[parent] = stop[parent].max(stop[element]);
            inside[parent] += inside[element];
            children[parent] += usize::from(inside[element] > 0);
        }
        is_pair.iter_mut().zip(&children).for_each(|(is_pair, children)| *is_pair &= *children == 2);
        let mut row_at = Vec::with_capacity(runs.words.len());
        for row in 0..rows {
            row_at.resize(starts[row + 1] as usize, row);
        }
        let boxes = HashSet::new();
        Scopes { tables, elements, runs, starts, at, row_at, words, first, stop, inside, is_pair, boxes }
    }

    /// Row -> where its scope starts and stops.
    pub fn read(&mut self) -> (Vec<i32>, Vec<i32>) {
        let (named, rows) = (&self.tables.named, self.at.len());
        let linked = self.tables.hint_words.bits.linked;
        let (mut starts, mut stops): (Vec<i32>, Vec<i32>) =
            ((1..=rows as i32).collect(), (1..=rows as i32).collect());
        let mut nexts = [rows; LEVELS];
        for row in (0..rows).rev() {
            let runs = self.starts[row] as usize..self.starts[row + 1] as usize;
            let worded = runs.clone().filter(|run| self.runs.words[*run] > 0).count();
            if worded == 0 {
                continue;
            }
            let words = self.words[runs.end] - self.words[runs.start];
            let is_short = words <= LABEL_WORDS && runs.clone().all(|run| self.runs.hints[run] & linked == 0);
            let name = self.elements.names[self.at[row]];
            let (level, of_all) = (level_of(named, name), is_of_all(named, name));
            if level.is_none() && !of_all && !is_short {
                continue;
            }
            let section = self.section_of(row, worded);
            let mut stop = row + 1;
            if let Some(level) = level {
                let end = self.end(self.around(row, section));
                let mut following = nexts[..=level].iter().fold(rows, |first, next| first.min(*next));
                if following == row + 1 && following < end {
                    following = self.after_items(row);
                }
                stop = end.min(following);
                nexts[level] = row;
            } else if of_all {
                stop = self.end(section);
            }
            let mut start = row + 1;
            let is_list = [named.ul, named.ol].contains(&self.elements.names[section]);
            if is_short && section > 0 && !is_list && !self.is_button(row) {
                (start, stop) = self.of_label(row, section, stop);
            }
            (starts[row], stops[row]) = (start as i32, stop as i32);
        }
        (starts, stops)
    }

    fn parent(&self, element: usize) -> usize {
        self.elements.parents[element].max(0) as usize
    }

    /// The smallest element that has more than a row.
    fn section_of(&self, row: usize, worded: usize) -> usize {
        let mut element = self.at[row];
        while element > 0 && self.inside[element] <= worded {
            element = self.parent(element);
        }
        element
    }

    /// The smallest element around another that has more than a label behind a row; furniture is the last.
    fn around(&self, row: usize, mut element: usize) -> usize {
        let behind = self.words[self.starts[row + 1] as usize];
        let named = &self.tables.named;
        let is_closed =
            |element: usize| [named.nav, named.aside, named.menu].contains(&self.elements.names[element]);
        while element > 0 && self.words[self.stop[element]] - behind <= LABEL_WORDS && !is_closed(element) {
            element = self.parent(element);
        }
        element
    }

    /// The row after a list of items behind a heading, the next row if there is none.
    fn after_items(&self, row: usize) -> usize {
        let named = &self.tables.named;
        let (mut element, mut after) = (self.at[row + 1], row + 1);
        while element > self.at[row] {
            if [named.li, named.article].contains(&self.elements.names[element]) {
                after = self.end(self.parent(element));
            }
            element = self.parent(element);
        }
        after
    }

    /// The row after those that an element has.
    fn end(&self, element: usize) -> usize {
        self.row_at[self.stop[element] - 1] + 1
    }

    fn is_button(&self, row: usize) -> bool {
        let element = self.runs.elements[self.starts[row] as usize] as usize;
        let names = [element, self.parent(element)].map(|element| self.elements.names[element]);
        names.contains(&self.tables.named.button)
    }

    /// The scope of a label, from where the one ends that it has as a heading.
    fn of_label(&mut self, row: usize, section: usize, stop: usize) -> (usize, usize) {
        let (first, end) = (self.row_at[self.first[section]], self.end(section));
        let words = self.words[self.stop[section]] - self.words[self.first[section]];
        let is_box = words <= SHORT_WORDS && end - first <= MAX_OF_BOX;
        if is_box && (row + 1 < end || end - first < MAX_OF_BOX) {
            if row == first && level_of(&self.tables.named, self.elements.names[self.at[row]]).is_none() {
                self.boxes.insert(section);
            }
            return (first, end.max(stop));
        }
        let is_tr = self.elements.names[section] == self.tables.named.tr;
        let heads = row == first && (self.is_pair[section] || is_tr);
        (row + 1, if heads { end.max(stop) } else { stop })
    }

    /// The grids of facts, the inner before the outer, with their rows; to be called after `read`.
    pub fn grids(&self) -> Vec<(usize, Range<usize>)> {
        let linked = self.tables.hint_words.bits.linked;
        let mut links = Vec::with_capacity(self.runs.words.len() + 1);
        links.push(0);
        for (words, hints) in self.runs.words.iter().zip(&self.runs.hints) {
            links.push(links[links.len() - 1] + if hints & linked > 0 { *words } else { 0 });
        }
        let held = |element: usize, sums: &[i32]| sums[self.stop[element]] - sums[self.first[element]];
        let mut found: BTreeMap<usize, (usize, i32)> = BTreeMap::new();
        for element in self.boxes.iter().filter(|element| held(**element, &links) == 0) {
            let mut around = *element;
            while around > 0 && self.inside[around] == self.inside[*element] {
                around = self.parent(around);
            }
            let (boxes, words) = found.entry(around).or_default();
            *boxes += 1;
            *words += held(*element, &self.words);
        }
        let is_grid = |(grid, (boxes, words)): &(&usize, &(usize, i32))| {
            *boxes >= MIN_PAIRS && 2 * words >= held(**grid, &self.words)
        };
        let grids = found.iter().rev().filter(is_grid);
        grids.map(|(grid, _)| (*grid, self.row_at[self.first[*grid]]..self.end(*grid))).collect()
    }
}

/// The level of an element that heads what follows: a row of one level ends the scope of all not above it.
fn level_of(named: &NamedTags, name: Name) -> Option<usize> {
    let levels = [named.h1, named.h2, named.h3, named.h4, named.h5, named.h6, named.dt];
    levels.iter().position(|level| *level == name).map(|level| level + 1)
}

/// Whether an element heads all of the element around it.
fn is_of_all(named: &NamedTags, name: Name) -> bool {
    [named.caption, named.legend, named.summary].contains(&name)
}
