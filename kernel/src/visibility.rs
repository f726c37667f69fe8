//! Which elements of a page have text that a reader sees: `templcrawl/page/visibility.py`.

use crate::chars::count;
use crate::elements::Elements;
use crate::tables::Tables;
use crate::tags::{DRAWN, HIDDEN, TEXT, UNSCRIPTED, UNSEEN};
use crate::tokens::Tokens;

/// What tells which elements are seen.
struct Sight<'a> {
    tables: &'a Tables,
    text: &'a [u8],
    tokens: &'a Tokens,
    elements: &'a Elements,
}

/// Element -> whether its text is visible, and whether it is shown.
pub fn seen_elements(
    tables: &Tables,
    text: &[u8],
    tokens: &Tokens,
    elements: &Elements,
) -> (Vec<u8>, Vec<u8>) {
    let sight = Sight { tables, text, tokens, elements };
    let traits: Vec<u8> = (0..elements.len()).map(|element| sight.traits(element)).collect();
    let scripted = sight.without(&traits, &vec![1; elements.len()], UNSEEN);
    let visible = sight.or_all(sight.without(&traits, &scripted, UNSCRIPTED), &scripted);
    let mut shown = sight.or_all(sight.without(&traits, &visible, HIDDEN), &visible);
    sight.hide_drawn(&traits, &mut shown);
    sight.show_pictures(&traits, &mut shown);
    (visible, shown)
}

impl Sight<'_> {
    fn traits(&self, element: usize) -> u8 {
        let form = self.tokens.form_of.get(self.elements.opens[element] as usize).filter(|_| element > 0);
        form.map_or(0, |form| self.tokens.forms[*form as usize].traits)
    }

    /// Whether an element stands in one of svg or math.
    fn is_drawn(&self, element: usize) -> bool {
        let parent = self.elements.parents[element].max(0) as usize;
        self.tables.sets.foreign.has(self.elements.names[parent])
    }

    /// The first element that is not inside of an element.
    fn stop(&self, element: usize) -> usize {
        let close = self.elements.closes[element];
        element + self.elements.opens[element..].partition_point(|open| *open < close)
    }

    /// The few elements of many, or the many where most of their text is not in the few.
    fn or_all(&self, few: Vec<u8>, many: &[u8]) -> Vec<u8> {
        if few == many {
            return few;
        }
        let more = self.characters(|owner| many[owner] > few[owner]);
        let is_most = more > self.tables.least_fallback && more > self.characters(|owner| few[owner] == 1);
        if is_most {
            many.to_vec()
        } else {
            few
        }
    }

    /// Those of the elements that are seen around which none has a trait; formulas that are hidden stay.
    fn without(&self, traits: &[u8], seen: &[u8], bit: u8) -> Vec<u8> {
        let (names, parents, named) = (&self.elements.names, &self.elements.parents, &self.tables.named);
        let mut rest = seen.to_vec();
        let mut formula_stop = 0;
        for element in (0..traits.len()).filter(|element| traits[*element] & bit > 0) {
            let is_description = names[element] == named.desc || names[element] == named.metadata;
            let is_of_html = is_description && !self.is_drawn(element);
            if rest[element] == 0 || (bit == UNSEEN && is_of_html) {
                continue;
            }
            let (first, stop) = (element + 1, self.stop(element));
            rest[element..stop].fill(0);
            let is_formula = names.get(first) == Some(&named.math) && parents[first] == element as i64;
            if bit == HIDDEN && is_formula && element >= formula_stop {
                formula_stop = self.stop(first);
                rest[first..formula_stop].copy_from_slice(&seen[first..formula_stop]);
                if names.get(stop) == Some(&named.img) && parents[stop] == parents[element] {
                    rest[stop] = 0;
                }
            }
        }
        rest
    }

    /// How many characters of text there are in some elements.
    fn characters(&self, counts: impl Fn(usize) -> bool) -> usize {
        let tokens = self.tokens;
        let is_counted =
            |token: &usize| tokens.kinds[*token] == TEXT && counts(self.elements.owners[*token] as usize);
        let bounds = |token: usize| tokens.starts[token] as usize..tokens.starts[token + 1] as usize;
        (0..tokens.len()).filter(is_counted).map(|token| count(&self.text[bounds(token)])).sum()
    }

    /// Put the pictures of a `noscript` in place of those right before it.
    fn show_pictures(&self, traits: &[u8], shown: &mut [u8]) {
        let (names, parents, named) = (&self.elements.names, &self.elements.parents, &self.tables.named);
        for element in (2..names.len()).filter(|element| traits[*element] & UNSCRIPTED > 0) {
            let mut before = element - 1;
            if names[before] != named.img || names.get(element + 1) != Some(&named.img) || shown[element] == 1
            {
                continue;
            }
            if parents[before] != parents[element] && names[parents[before] as usize] == named.picture {
                before = parents[before] as usize;
            }
            let tokens = self.elements.opens[element] as usize..self.elements.closes[element] as usize;
            let is_alone = self.stop(element) == element + 2 && !self.tokens.kinds[tokens].contains(&TEXT);
            if is_alone && parents[before] == parents[element] && shown[before] == 1 {
                shown[before..element].fill(0);
                shown[element + 1] = 1;
            }
        }
    }

    /// Take out what is drawn beside a formula that is shown.
    fn hide_drawn(&self, traits: &[u8], shown: &mut [u8]) {
        let names = &self.elements.names;
        let is_formula = |element: &usize| names[*element] == self.tables.named.math && shown[*element] == 1;
        let formulas: Vec<usize> = (0..names.len()).filter(is_formula).collect();
        if formulas.is_empty() {
            return;
        }
        let inside = |element: usize| {
            let before = |stop: usize| formulas.partition_point(|formula| *formula < stop);
            before(self.stop(element)) - before(element)
        };
        for element in (1..names.len()).filter(|element| traits[*element] & DRAWN > 0) {
            let around = self.elements.parents[element] as usize;
            let is_page = around == 0 || self.tables.sets.skeleton.has(names[around]);
            if shown[element] == 1 && !is_page && inside(element) < inside(around) {
                shown[element..self.stop(element)].fill(0);
            }
        }
    }
}
