//! The structure of a page as a set of features: `templcrawl/page/elements.py`.

use crate::elements::Elements;
use crate::shingles::ordered;
use crate::text_runs::MIX;
use crate::tokens::{Form, Tokens};

/// The features of a page, ascending and distinct: paths of tag names, and those with a word.
pub fn structure_features(tokens: &Tokens, elements: &Elements, paths: &[u64]) -> Vec<u64> {
    let mut features = Vec::with_capacity(2 * paths.len());
    for (element, path) in paths.iter().enumerate().skip(1) {
        let form = tokens.form_of[elements.opens[element] as usize];
        features.push(*path);
        features.extend(
            tokens.forms[form as usize]
                .words(&tokens.words)
                .iter()
                .map(|word| (path ^ word).wrapping_mul(MIX)),
        );
    }
    let mut features = ordered(&features, |feature| *feature);
    features.dedup();
    features
}

/// Form -> what it adds to the path of an anchor: the key of its name with all of its words.
pub fn anchor_steps(tokens: &Tokens) -> Vec<u64> {
    let step = |form: &Form| {
        let words = form.words(&tokens.words).iter().fold(0u64, |sum, word| sum.wrapping_add(*word));
        form.key.wrapping_add(MIX.wrapping_mul(words))
    };
    tokens.forms.iter().map(step).collect()
}
