//! Facts: short values that hardly any other page has, with the labels beside them:
//! `templcrawl/algorithms/extraction/row_rules.py`.

use crate::tables::Tables;
use crate::wholes::{Rules, Runs};
use std::collections::HashMap;

/// Run -> whether it is of a record.
pub fn records(tables: &Tables, rules: &Rules, runs: &Runs, shares: &[f64]) -> Vec<bool> {
    let never = rules.claimed as u8 | tables.hint_words.bits.linked;
    let is_fact = |row: &usize| {
        let worded = || runs.row(*row).filter(|run| runs.words[*run] > 0);
        runs.tables[*row] >= 0
            && worded().count() >= 2
            && worded().all(|run| shares[run] <= rules.rarer && runs.hints[run] & never == 0)
            && runs.words_of(runs.row(*row)) <= rules.most_words
    };
    let facts: Vec<usize> = (0..runs.rows()).filter(is_fact).collect();
    let mut sizes: HashMap<i32, usize> = HashMap::new();
    facts.iter().for_each(|row| *sizes.entry(runs.tables[*row]).or_default() += 1);
    let mut of_record = vec![false; runs.words.len()];
    for row in facts.into_iter().filter(|row| sizes[&runs.tables[*row]] as f64 >= rules.least_of_record) {
        of_record[runs.row(row)].fill(true);
    }
    of_record
}

/// Add the facts to what the vote selects: run -> whether it is content.
pub fn add_facts(tables: &Tables, rules: &Rules, runs: &Runs, shares: &[f64], selected: &mut [bool]) {
    let bits = &tables.hint_words.bits;
    let is_content = |run: &usize| selected[*run] && runs.words[*run] > 0;
    let first = (0..selected.len()).find(is_content);
    let (Some(first), Some(last)) = (first, (0..selected.len()).rev().find(is_content)) else { return };
    let may_be_fact = |run: usize| runs.hints[run] & (bits.named | bits.linked) == 0;
    let is_new = |run: usize| {
        (first..=last).contains(&run) && shares[run] <= rules.new && may_be_fact(run) && runs.words[run] > 0
    };
    for row in 0..runs.rows() {
        let row = runs.row(row);
        let is_fact = runs.words_of(row.clone()) <= rules.most_words && row.clone().any(is_new);
        for run in row {
            selected[run] |= is_new(run) || (is_fact && may_be_fact(run));
        }
    }
}
