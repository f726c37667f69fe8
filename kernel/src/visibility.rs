//! Which elements of a page a reader sees text in: `templcrawl/page/visibility.py`.

use crate::chars::count;
use crate::elements::Elements;
use crate::tables::Tables;
use crate::tags::{DRAWN, HIDDEN, TEXT, UNSCRIPTED, UNSEEN};
use crate::tokens::Tokens;

/// What tells which elements are seen.
struct Sight<'a> {
    tables: &'a Tables,
    tokens: &'a Tokens,
    elements: &'a Elements,
}

/// Element -> whether a reader sees text in it.
pub fn visible_elements(tables: &Tables, text: &[u8], tokens: &Tokens, elements: &Elements) -> Vec<u8> {
    let sight = Sight { tables, tokens, elements };
    let (mut seen, is_all) = sight.outside(UNSEEN | UNSCRIPTED | HIDDEN);
    if !is_all {
        let (shown, _) = sight.outside(UNSEEN);
        let more = sight.characters(text, |owner| shown[owner] > seen[owner]);
        if more > tables.least_fallback && more > sight.characters(text, |owner| seen[owner] == 1) {
            seen = shown;
        }
    }
    sight.without_drawn(&mut seen);
    seen
}

impl Sight<'_> {
    fn traits(&self, element: usize) -> u8 {
        let form = self.tokens.form_of[self.elements.opens[element] as usize];
        self.tokens.forms[form as usize].traits
    }

    /// The first element that is not inside of an element.
    fn stop(&self, element: usize) -> usize {
        let close = self.elements.closes[element];
        element + self.elements.opens[element..].partition_point(|open| *open < close)
    }

    /// Element -> whether no element around it has one of some traits; whether none is there that is not shown.
    fn outside(&self, traits: u8) -> (Vec<u8>, bool) {
        let (names, parents, named) = (&self.elements.names, &self.elements.parents, &self.tables.named);
        let mut seen = vec![1; self.elements.len()];
        let mut is_all = true;
        for element in 1..self.elements.len() {
            let own = self.traits(element);
            if own & traits == 0 || seen[element] == 0 {
                continue;
            }
            let (first, stop) = (element + 1, self.stop(element));
            seen[element..stop].fill(0);
            is_all &= own & (UNSCRIPTED | HIDDEN) == 0;
            let is_formula = names.get(first) == Some(&named.math) && parents[first] == element as i64;
            if is_formula && own & (UNSEEN | UNSCRIPTED) == 0 {
                seen[first..self.stop(first)].fill(1);
                if names.get(stop) == Some(&named.img) && parents[stop] == parents[element] {
                    seen[stop] = 0;
                }
            }
        }
        (seen, is_all)
    }

    /// How many characters of text there are in some elements.
    fn characters(&self, text: &[u8], counts: impl Fn(usize) -> bool) -> usize {
        let tokens = self.tokens;
        let is_counted =
            |token: &usize| tokens.kinds[*token] == TEXT && counts(self.elements.owners[*token] as usize);
        let bounds = |token: usize| tokens.starts[token] as usize..tokens.starts[token + 1] as usize;
        (0..tokens.len()).filter(is_counted).map(|token| count(&text[bounds(token)])).sum()
    }

    /// Take out what is drawn beside a formula that is seen.
    fn without_drawn(&self, seen: &mut [u8]) {
        let names = &self.elements.names;
        let is_formula = |element: &usize| names[*element] == self.tables.named.math && seen[*element] == 1;
        let formulas: Vec<usize> = (0..names.len()).filter(is_formula).collect();
        if formulas.is_empty() {
            return;
        }
        let inside = |element: usize| {
            let before = |stop: usize| formulas.partition_point(|formula| *formula < stop);
            before(self.stop(element)) - before(element)
        };
        for element in (1..names.len()).filter(|element| self.traits(*element) & DRAWN > 0) {
            let around = self.elements.parents[element] as usize;
            let is_page = around == 0 || self.tables.skeleton.has(names[around]);
            if !is_page && inside(element) < inside(around) {
                seen[element..self.stop(element)].fill(0);
            }
        }
    }
}
