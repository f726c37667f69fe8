//! What a reader sees as one is kept as one: `templcrawl/algorithms/extraction/row_rules.py`.

use crate::columns::page as of_page;
use crate::page::Page;
use crate::rows::{CODE, HEADING};
use crate::tables::Tables;
use std::collections::HashSet;
use std::ops::Range;

/// What makes a fact, a sentence and a label, as Python hands it over.
pub struct Rules {
    pub new: f64,
    pub rarer: f64,
    pub least_of_record: f64,
    pub most_words: f64,
    pub running_words: f64,
    pub linked_of_sentence: f64,
    pub label_words: f64,
    /// Hints that no part of a whole thing has.
    pub claimed: f64,
}

impl Rules {
    pub fn read(numbers: &mut impl Iterator<Item = f64>) -> Option<Rules> {
        Some(Rules {
            new: numbers.next()?,
            rarer: numbers.next()?,
            least_of_record: numbers.next()?,
            most_words: numbers.next()?,
            running_words: numbers.next()?,
            linked_of_sentence: numbers.next()?,
            label_words: numbers.next()?,
            claimed: numbers.next()?,
        })
    }
}

/// The text runs of a page, and its rows.
pub struct Runs {
    pub words: Vec<i32>,
    pub hints: Vec<u8>,
    /// Row -> its first run; at the end the number of runs.
    starts: Vec<i32>,
    pub tables: Vec<i32>,
    pub kinds: Vec<u8>,
    /// Row -> where its scope starts and stops.
    scope_starts: Vec<i32>,
    scope_stops: Vec<i32>,
}

impl Runs {
    pub fn read(page: Page) -> Option<Runs> {
        Some(Runs {
            words: page.buffer(of_page::RUN_WORDS)?.to_vec(),
            hints: page.buffer(of_page::RUN_HINTS)?.to_vec(),
            starts: page.buffer(of_page::ROW_STARTS)?.to_vec(),
            tables: page.buffer(of_page::ROW_TABLES)?.to_vec(),
            kinds: page.buffer(of_page::ROW_KINDS)?.to_vec(),
            scope_starts: page.buffer(of_page::ROW_SCOPE_STARTS)?.to_vec(),
            scope_stops: page.buffer(of_page::ROW_SCOPE_STOPS)?.to_vec(),
        })
    }

    /// How many rows there are.
    pub fn rows(&self) -> usize {
        self.tables.len()
    }

    /// The runs of a row.
    pub fn row(&self, row: usize) -> Range<usize> {
        self.starts[row] as usize..self.starts[row + 1] as usize
    }

    pub fn words_of(&self, runs: impl Iterator<Item = usize>) -> f64 {
        runs.map(|run| self.words[run]).sum::<i32>() as f64
    }
}

/// Add to what is selected what belongs to it; `certain` is the share of what stands on nearly every page.
pub fn add_wholes(
    tables: &Tables,
    rules: &Rules,
    runs: &Runs,
    shares: &[f64],
    certain: f64,
    selected: &mut [bool],
) {
    let linked = tables.hint_words.bits.linked;
    let is_linked = |run: &usize| runs.hints[*run] & linked > 0;
    let is_own = |run: &usize| selected[*run] && shares[*run] < certain && runs.words[*run] > 0;
    let has_link: Vec<bool> = (0..runs.rows()).map(|row| runs.row(row).any(|run| is_linked(&run))).collect();
    let own: Vec<bool> = (0..runs.rows()).map(|row| runs.row(row).any(|run| is_own(&run))).collect();
    let kept = add_row_wholes(rules.label_words, runs, &own, &has_link);
    let inside = kept_in_scope(runs, &kept);
    let kept_rows = kept.iter().filter(|kept| **kept).count();
    let is_whole = |row: usize| {
        let all = || runs.row(row);
        let is_running = |run: &usize| !is_linked(run) && runs.words[*run] as f64 >= rules.running_words;
        let in_links = runs.words_of(all().filter(is_linked));
        let is_sentence = all().any(|run| is_own(&run) && is_running(&run))
            && in_links <= rules.linked_of_sentence * runs.words_of(all());
        is_sentence || ((kept[row] || (inside[row] > 0 && inside[row] < kept_rows)) && !has_link[row])
    };
    let wholes: Vec<usize> = (0..runs.rows()).filter(|row| is_whole(*row)).collect();
    for run in wholes.into_iter().flat_map(|row| runs.row(row)) {
        selected[run] |= runs.hints[run] & rules.claimed as u8 == 0;
    }
}

/// Row -> whether it is kept, the rest of a table and the label of code included.
pub fn add_row_wholes(label_words: f64, runs: &Runs, own: &[bool], has_link: &[bool]) -> Vec<bool> {
    let tables: HashSet<i32> =
        own.iter().zip(&runs.tables).filter(|(own, _)| **own).map(|(_, table)| *table).collect();
    let in_table = |row: usize| runs.tables[row] >= 0 && tables.contains(&runs.tables[row]);
    let mut kept: Vec<bool> = (0..own.len()).map(|row| own[row] || in_table(row)).collect();
    for row in 1..own.len() {
        let is_label = !has_link[row - 1] && runs.words_of(runs.row(row - 1)) <= label_words;
        if runs.kinds[row] == CODE && kept[row] && is_label {
            kept[row - 1] = true;
        }
    }
    kept
}

/// Row -> how many rows of its scope are kept, 0 where it has none.
pub fn kept_in_scope(runs: &Runs, kept: &[bool]) -> Vec<usize> {
    let mut before = vec![0];
    let mut count = 0;
    for kept in kept {
        count += usize::from(*kept);
        before.push(count);
    }
    let scopes = runs.scope_starts.iter().zip(&runs.scope_stops);
    scopes.map(|(start, stop)| before[*stop as usize] - before[*start.min(stop) as usize]).collect()
}

/// The signs of rows with links whose words beside them are not selected.
pub fn torn_signs(tables: &Tables, runs: &Runs, selected: &[bool]) -> Vec<usize> {
    let linked = tables.hint_words.bits.linked;
    let mut torn = Vec::new();
    for row in 0..runs.rows() {
        if !runs.row(row).any(|run| runs.hints[run] & linked > 0) {
            continue;
        }
        let (mut signs, mut is_gone) = (Vec::new(), false);
        for run in runs.row(row) {
            if runs.words[run] == 0 {
                signs.push(run);
                if is_gone {
                    torn.push(run);
                }
                continue;
            }
            is_gone = !selected[run];
            if is_gone {
                torn.append(&mut signs);
            }
            signs.clear();
        }
    }
    torn
}

/// Add the headings that no sampled page has to what is selected.
pub fn add_own_headings(tables: &Tables, rules: &Rules, runs: &Runs, shares: &[f64], selected: &mut [bool]) {
    let never = rules.claimed as u8 | tables.hint_words.bits.linked;
    let is_own = |run: usize| shares[run] == 0.0 && runs.words[run] > 0 && runs.hints[run] & never == 0;
    for row in (0..runs.rows()).filter(|row| runs.kinds[*row] == HEADING) {
        if runs.row(row).any(is_own) {
            selected[runs.row(row)].fill(true);
        }
    }
}
