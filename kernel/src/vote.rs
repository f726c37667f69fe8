//! The vote: template and content of a page by two-label min-sum on its element tree:
//! `templcrawl/algorithms/extraction/vote.py`.
//!
//! Floats are worked out and added in the order in which numpy does, and logarithms are numpy's, so that
//! answers are equal to the last bit.

use crate::blob::Buffer;
use crate::columns::page as of_page;
use crate::facts::{add_facts, records};
use crate::page::Page;
use crate::run_scores::{Scored, Weights};
use crate::tables::Tables;
use crate::tags::UNREAD;
use crate::wholes::{add_own_headings, add_wholes, torn_signs, Rules, Runs};

/// The numbers of a vote, as Python hands them over.
struct Numbers {
    weights: Weights,
    body_price: f64,
    level_price: f64,
    highest_price: f64,
    few_words: f64,
    few_of_page: f64,
    few_of_trial: f64,
    most_shared_title: f64,
    certain: f64,
    doubted: f64,
    own_words: f64,
    own_kept: f64,
    many_pages: f64,
    rules: Rules,
    /// The hints that count: all; those of the last trials.
    all_claims: u8,
    last_claims: Vec<u8>,
    linked: u8,
}

impl Numbers {
    fn read(bytes: &[u8], all_hints: u8, linked: u8) -> Option<Numbers> {
        let mut numbers = Buffer::<f64>::of(bytes).to_vec().into_iter();
        Some(Numbers {
            weights: Weights::read(&mut numbers, usize::from(all_hints), linked)?,
            body_price: numbers.next()?,
            level_price: numbers.next()?,
            highest_price: numbers.next()?,
            few_words: numbers.next()?,
            few_of_page: numbers.next()?,
            few_of_trial: numbers.next()?,
            most_shared_title: numbers.next()?,
            certain: numbers.next()?,
            doubted: numbers.next()?,
            own_words: numbers.next()?,
            own_kept: numbers.next()?,
            many_pages: numbers.next()?,
            rules: Rules::read(&mut numbers)?,
            all_claims: all_hints - 1,
            last_claims: numbers.map(|claims| claims as u8).collect(),
            linked,
        })
    }
}

/// A page that is voted on.
struct Ballot {
    numbers: Numbers,
    /// Element -> its parent; what it costs to have another label than that.
    parents: Vec<i32>,
    prices: Vec<f64>,
    /// Run -> its element, the logarithm of one word more than it has, and levels below the body.
    elements: Vec<i32>,
    logs: Vec<f64>,
    levels: Vec<u8>,
    runs: Runs,
}

/// Element -> whether it is content; how many words that keeps, of the runs that count.
struct Trial {
    labels: Vec<bool>,
    kept: f64,
}

/// The spans of a page's tokens that are content: where each starts and stops.
///
/// `pages` is of how many the `shares` of all runs are.  None where a run has more words than logarithms are known.
pub fn content_spans(
    tables: &Tables,
    page: Page,
    numbers: &[u8],
    pages: f64,
    shares: &[f64],
) -> Option<Vec<i32>> {
    let bits = &tables.hint_words.bits;
    let numbers = Numbers::read(numbers, bits.all, bits.linked)?;
    let runs = Runs::read(page)?;
    if shares.len() != runs.words.len() {
        return None;
    }
    let log = |words: &i32| tables.logs.get(*words as usize).copied();
    let logs = runs.words.iter().map(log).collect::<Option<Vec<f64>>>()?;
    let depths = page.buffer(of_page::RUN_DEPTHS)?.to_vec();
    let price =
        |depth: u8| numbers.highest_price.min(numbers.body_price + numbers.level_price * f64::from(depth));
    let elements = page.buffer(of_page::RUN_ELEMENTS)?.to_vec();
    let ballot = Ballot {
        levels: elements.iter().map(|element| depths[*element as usize]).collect(),
        parents: page.buffer(of_page::ELEMENT_PARENT_ARRAY)?.to_vec(),
        prices: depths.into_iter().map(price).collect(),
        elements,
        logs,
        runs,
        numbers,
    };
    let (numbers, runs) = (&ballot.numbers, &ballot.runs);
    let of_many = pages >= numbers.many_pages;
    let of_record =
        if of_many { records(tables, &numbers.rules, runs, shares) } else { vec![false; shares.len()] };
    let (mut labels, mut goes) = ballot.judge(shares, of_many, &of_record);
    if pages > 0.0 {
        for (run, share) in shares.iter().enumerate() {
            let is_title = runs.hints[run] & (bits.title | bits.linked) == bits.title;
            if is_title && *share < numbers.most_shared_title {
                labels[ballot.elements[run] as usize] = true;
                goes[run] = false;
            }
        }
    }
    let mut selected: Vec<bool> =
        goes.iter().zip(&ballot.elements).map(|(goes, at)| labels[*at as usize] && !goes).collect();
    selected.iter_mut().zip(&of_record).for_each(|(selected, of_record)| *selected |= of_record);
    if of_many {
        add_facts(tables, &numbers.rules, runs, shares, &mut selected);
        add_own_headings(tables, &numbers.rules, runs, shares, &mut selected);
        add_wholes(tables, &numbers.rules, runs, shares, numbers.certain, &mut selected);
        for sign in torn_signs(tables, runs, &selected) {
            selected[sign] = false;
            goes[sign] = true;
        }
    }
    goes.iter_mut().zip(&selected).for_each(|(goes, selected)| *goes &= !selected);
    Some(labelled_spans(page, &is_content(page, labels, &goes, &selected)?))
}

impl Ballot {
    /// Vote, and vote again where too little would be kept: element -> whether it is content, run -> whether
    /// it is template in spite of its element.
    fn judge(&self, shares: &[f64], of_many: bool, of_record: &[bool]) -> (Vec<bool>, Vec<bool>) {
        let numbers = &self.numbers;
        let words = self.count(|_| true);
        let is_own =
            |run: usize| shares[run] <= numbers.rules.new && self.runs.hints[run] & numbers.linked == 0;
        let (own, is_record) = (self.count(is_own), of_record.contains(&true));
        let few = if is_record { 0.0 } else { numbers.few_words.min(numbers.few_of_page * words) };
        let is_known = |(share, of_record): (&f64, &bool)| of_many && *share >= numbers.certain && !of_record;
        let mut known: Vec<bool> = shares.iter().zip(of_record).map(is_known).collect();
        let mut most = self.count(|run| !known[run]);
        if most < few {
            known.fill(false);
            most = words;
        }
        let all = numbers.all_claims;
        let scores = self.scores(shares, of_many, all);
        let mut trial = self.trial(&scores, &known, of_record);
        let stays: Vec<bool> = known
            .iter()
            .zip(&self.elements)
            .map(|(known, at)| *known && trial.labels[*at as usize])
            .collect();
        let mut goes = stretches(&stays, &scores, numbers.highest_price);
        if trial.kept >= few.max(numbers.few_of_trial * most) {
            return (trial.labels, goes);
        }
        let kept_own = self.count(|run| is_own(run) && trial.labels[self.elements[run] as usize]);
        if of_many && kept_own < numbers.own_words.max(numbers.own_kept * own) {
            let doubt =
                |share: &f64| if *share >= numbers.certain { *share } else { numbers.doubted * share };
            let doubted: Vec<f64> = shares.iter().map(doubt).collect();
            let second = self.trial(&self.scores(&doubted, of_many, all), &known, of_record);
            if trial.kept < few.max(numbers.few_of_trial * second.kept) {
                (trial, goes) = (second, known.clone());
            }
        }
        for claims in &numbers.last_claims {
            if trial.kept < few {
                let alone = self.scores(&vec![0.0; shares.len()], of_many, *claims);
                (trial, goes) = (self.trial(&alone, &known, of_record), known.clone());
            }
        }
        (trial.labels, goes)
    }

    fn count(&self, counts: impl Fn(usize) -> bool) -> f64 {
        self.runs.words_of((0..self.elements.len()).filter(|run| counts(*run)))
    }

    fn scores(&self, shares: &[f64], of_many: bool, claims: u8) -> Vec<f64> {
        let scored = Scored {
            words: &self.runs.words,
            levels: &self.levels,
            hints: &self.runs.hints,
            logs: &self.logs,
        };
        scored.scores(&self.numbers.weights, shares, of_many, claims)
    }

    fn trial(&self, scores: &[f64], known: &[bool], of_record: &[bool]) -> Trial {
        let mut total = vec![0.0; self.parents.len()];
        for (score, at) in scores.iter().zip(&self.elements) {
            total[*at as usize] += score;
        }
        let labels = tree_labels(&self.parents, total, &self.prices);
        let kept = self.count(|run| (labels[self.elements[run] as usize] || of_record[run]) && !known[run]);
        Trial { labels, kept }
    }
}

/// Element -> its label by the vote, from the scores of its own runs.
fn tree_labels(parents: &[i32], mut total: Vec<f64>, prices: &[f64]) -> Vec<bool> {
    for element in (1..total.len()).rev() {
        let (said, price) = (total[element], prices[element]);
        total[parents[element] as usize] += said.clamp(-price, price);
    }
    let mut labels = Vec::with_capacity(total.len());
    labels.push(total[0] > 0.0);
    for element in 1..total.len() {
        let (said, price) = (total[element], prices[element]);
        labels.push(if labels[parents[element] as usize] { said >= -price } else { said > price });
    }
    labels
}

/// Run -> whether it is in a stretch of runs that are known to be template and outweigh a price.
fn stretches(known: &[bool], scores: &[f64], price: f64) -> Vec<bool> {
    let mut goes = vec![false; known.len()];
    let (mut sum, mut start, mut before) = (0.0, 0, 0.0);
    for run in 0..=known.len() {
        if run == known.len() || !known[run] {
            if sum - before < -price {
                goes[start..run].fill(true);
            }
            sum += scores.get(run).unwrap_or(&0.0);
            (start, before) = (run + 1, sum);
        } else {
            sum += scores[run];
        }
    }
    goes
}

/// Token -> whether it is content; an element is not that has runs all of which go.
fn is_content(page: Page, mut labels: Vec<bool>, goes: &[bool], selected: &[bool]) -> Option<Vec<bool>> {
    let positions = page.buffer(of_page::RUN_POSITIONS)?.to_vec();
    if goes.contains(&true) {
        for (label, (runs, going)) in labels.iter_mut().zip(runs_inside(page, &positions, goes)?) {
            *label &= runs == 0 || going < runs;
        }
    }
    let mut content: Vec<bool> = page.owners.to_vec().iter().map(|owner| labels[*owner as usize]).collect();
    for (position, selected) in positions.iter().zip(selected) {
        content[*position as usize] = *selected;
    }
    Some(content)
}

/// Element -> how many runs are inside, and how many of these have a flag.
pub fn runs_inside(page: Page, positions: &[i32], flags: &[bool]) -> Option<Vec<(u32, u32)>> {
    let opens = page.buffer(of_page::ELEMENT_OPEN_ARRAY)?;
    let closes = page.buffer(of_page::ELEMENT_CLOSE_ARRAY)?;
    let mut before = Vec::with_capacity(page.len() + 1);
    let (mut runs, mut flagged) = (0u32, 0u32);
    for token in 0..=page.len() {
        before.push((runs, flagged));
        if positions.get(runs as usize) == Some(&(token as i32)) {
            flagged += u32::from(flags[runs as usize]);
            runs += 1;
        }
    }
    let inside = |element| {
        let (start, stop) = (before[opens.get(element) as usize], before[closes.get(element) as usize]);
        (stop.0.saturating_sub(start.0), stop.1.saturating_sub(start.1))
    };
    Some((0..opens.len()).map(inside).collect())
}

/// The half-open spans of tokens that are content, each as long as can be; the unread rest of a page is.
pub fn labelled_spans(page: Page, is_content: &[bool]) -> Vec<i32> {
    let mut edges = Vec::new();
    let mut inside = false;
    for (position, label) in is_content.iter().enumerate() {
        let label = *label || page.kinds.get(position) == UNREAD;
        if label != inside {
            edges.push(position as i32);
            inside = label;
        }
    }
    if inside {
        edges.push(is_content.len() as i32);
    }
    edges
}

/// Token -> 1 if it is in a span.
pub fn mask_of(page: Page, edges: &[i32]) -> Vec<u8> {
    let mut mask = vec![0; page.len()];
    edges.chunks_exact(2).for_each(|span| mask[span[0] as usize..span[1] as usize].fill(1));
    mask
}
