//! The structure of a page as a set of features: `templcrawl/page/elements.py`.

use crate::elements::Elements;
use crate::text_runs::MIX;
use crate::tokens::{Form, Tokens};

/// The features of a page, ascending and distinct: paths of tag names, and those with a word.
pub fn structure_features(tokens: &Tokens, elements: &Elements, paths: &[u64]) -> Vec<u64> {
    let mut features = Vec::with_capacity(2 * paths.len());
    for (element, path) in paths.iter().enumerate().skip(1) {
        let form = tokens.form_of[elements.opens[element] as usize];
        features.push(*path);
        features.extend(
            words_of(tokens, &tokens.forms[form as usize]).iter().map(|word| (path ^ word).wrapping_mul(MIX)),
        );
    }
    features.sort_unstable();
    features.dedup();
    features
}

fn words_of<'a>(tokens: &'a Tokens, form: &Form) -> &'a [u64] {
    &tokens.words[form.words_start as usize..form.words_stop as usize]
}

/// Form -> what it adds to the path of an anchor: the key of its name with all of its words.
pub fn anchor_steps(tokens: &Tokens) -> Vec<u64> {
    let step = |form: &Form| {
        let words = words_of(tokens, form).iter().fold(0u64, |sum, word| sum.wrapping_add(*word));
        form.key.wrapping_add(MIX.wrapping_mul(words))
    };
    tokens.forms.iter().map(step).collect()
}
