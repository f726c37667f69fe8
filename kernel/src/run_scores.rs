//! The score of a text run: `templcrawl/algorithms/extraction/run_scores.py`.
//!
//! Floats are worked out and added in the order in which numpy does, so that scores are equal to the last bit.

/// What each part of a score weighs, as Python hands it over.
pub struct Weights {
    of_hints: Vec<f64>,
    of_repetition: Vec<f64>,
    on_every_page: f64,
    common_of_many: f64,
    level: f64,
    near_start: f64,
    near_end: f64,
    linked_neighbours: f64,
    repeated_neighbours: f64,
    common: f64,
    near: f64,
    linked_reach: usize,
    repeated_reach: usize,
    linked: u8,
}

impl Weights {
    pub fn read(numbers: &mut impl Iterator<Item = f64>, all_hints: usize, linked: u8) -> Option<Weights> {
        Some(Weights {
            of_hints: numbers.by_ref().take(all_hints).collect(),
            of_repetition: numbers.by_ref().take(all_hints).collect(),
            on_every_page: numbers.next()?,
            common_of_many: numbers.next()?,
            level: numbers.next()?,
            near_start: numbers.next()?,
            near_end: numbers.next()?,
            linked_neighbours: numbers.next()?,
            repeated_neighbours: numbers.next()?,
            common: numbers.next()?,
            near: numbers.next()?,
            linked_reach: numbers.next()? as usize,
            repeated_reach: numbers.next()? as usize,
            linked,
        })
    }
}

/// What a score is worked out from, run by run.
///
/// `levels` are those below the body, `logs` the logarithms of one more than the words.
pub struct Scored<'a> {
    pub words: &'a [i32],
    pub levels: &'a [u8],
    pub hints: &'a [u8],
    pub logs: &'a [f64],
}

impl Scored<'_> {
    /// Run -> its score: above 0 for content.
    pub fn scores(&self, weights: &Weights, shares: &[f64], of_many: bool, claims: u8) -> Vec<f64> {
        let is_linked = |hints: &u8| f64::from(u8::from(hints & claims & weights.linked > 0));
        let means = |values: &[f64], reach| match of_many {
            true => neighbour_means(values, reach),
            false => Vec::new(),
        };
        let linked = means(&self.hints.iter().map(is_linked).collect::<Vec<f64>>(), weights.linked_reach);
        let repeated = means(shares, weights.repeated_reach);
        let (mut before, all) = (0, self.words.iter().sum::<i32>());
        let mut scores = Vec::with_capacity(shares.len());
        for (run, share) in shares.iter().copied().enumerate() {
            let (hints, words) = (usize::from(self.hints[run] & claims), self.words[run]);
            let repetition = weights.of_repetition[hints] + weights.on_every_page * (share * share);
            let mut sum = weights.of_hints[hints] + share * repetition;
            sum += weights.level * f64::from(self.levels[run]);
            sum += weights.near_start * (weights.near / (weights.near + before as f64));
            sum += weights.near_end * (weights.near / (weights.near + (all - before - words) as f64));
            if of_many {
                if share >= weights.common {
                    sum += weights.common_of_many;
                }
                sum += weights.linked_neighbours * linked[run];
                sum += weights.repeated_neighbours * repeated[run];
            }
            scores.push(sum * self.logs[run]);
            before += words;
        }
        scores
    }
}

/// Run -> the mean of the `reach` runs before it and after it, its own value where it is alone.
fn neighbour_means(values: &[f64], reach: usize) -> Vec<f64> {
    if values.len() < 2 {
        return values.to_vec();
    }
    let mut before = Vec::with_capacity(values.len() + 1);
    let mut sum = 0.0;
    before.push(sum);
    for value in values {
        sum += value;
        before.push(sum);
    }
    let mean = |(at, value): (usize, &f64)| {
        let (first, last) = (at.saturating_sub(reach), (at + reach + 1).min(values.len()));
        (before[last] - before[first] - value) / (last - first - 1) as f64
    };
    values.iter().enumerate().map(mean).collect()
}
