//! Which elements of a page have text that a reader sees: `templcrawl/page/visibility.py`.

use crate::chars::count;
use crate::elements::Elements;
use crate::panels::panels_beside;
use crate::tables::Tables;
use crate::tags::{
    attribute_of, ids_opened, Traits, DRAWN, HIDDEN, OPENER, PANEL, SHUT, TEXT, UNSCRIPTED, UNSEEN,
};
use crate::tokens::{Form, Tokens};
use std::collections::{HashMap, HashSet};

/// What tells which elements are seen.
pub struct Sight<'a> {
    pub tables: &'a Tables,
    text: &'a [u8],
    pub tokens: &'a Tokens,
    pub elements: &'a Elements,
}

/// Element -> whether its text is visible; whether it is shown; whether the page hides it, panels too.
pub fn seen_elements(
    tables: &Tables,
    text: &[u8],
    tokens: &Tokens,
    elements: &Elements,
) -> (Vec<u8>, Vec<u8>, Vec<u8>) {
    let sight = Sight { tables, text, tokens, elements };
    let traits: Vec<Traits> = (0..elements.len()).map(|element| sight.traits(element)).collect();
    let none = HashSet::new();
    let scripted = sight.hide(&traits, &vec![1; elements.len()], UNSEEN, &none);
    let visible = sight.or_all(sight.hide(&traits, &scripted, UNSCRIPTED, &none), &scripted);
    let at_once = sight.hide(&traits, &visible, HIDDEN, &none);
    let hidden: Vec<u8> = visible.iter().zip(&at_once).map(|(visible, at_once)| visible & !at_once).collect();
    let panels = if hidden.contains(&1) { sight.panels(&traits, &visible) } else { none };
    let opened = if panels.is_empty() { at_once } else { sight.hide(&traits, &visible, HIDDEN, &panels) };
    let mut shown = sight.or_all(opened, &visible);
    sight.hide_drawn(&traits, &mut shown);
    sight.show_pictures(&traits, &mut shown);
    (visible, shown, hidden)
}

impl Sight<'_> {
    fn traits(&self, element: usize) -> Traits {
        self.form(element).map_or(0, |form| form.traits)
    }

    /// The form of a start tag; none of the document.
    pub fn form(&self, element: usize) -> Option<&Form> {
        let form = self.tokens.form_of.get(self.elements.opens[element] as usize).filter(|_| element > 0);
        form.map(|form| &self.tokens.forms[*form as usize])
    }

    /// Whether an element stands in one of svg or math.
    fn is_drawn(&self, element: usize) -> bool {
        let parent = self.elements.parents[element].max(0) as usize;
        self.tables.sets.foreign.has(self.elements.names[parent])
    }

    /// The first element that is not inside of an element.
    pub fn stop(&self, element: usize) -> usize {
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

    /// The elements that are seen around which none has a trait; formulas that are hidden stay.
    ///
    /// `but` are elements whose trait does not count.
    fn hide(&self, traits: &[Traits], seen: &[u8], bit: Traits, but: &HashSet<usize>) -> Vec<u8> {
        let (names, parents, named) = (&self.elements.names, &self.elements.parents, &self.tables.named);
        let mut rest = seen.to_vec();
        let mut formula_stop = 0;
        for element in (0..traits.len()).filter(|element| traits[*element] & bit > 0) {
            let is_description = names[element] == named.desc || names[element] == named.metadata;
            let is_of_html = is_description && !self.is_drawn(element);
            if rest[element] == 0 || but.contains(&element) || (bit == UNSEEN && is_of_html) {
                continue;
            }
            let (first, stop) = (element + 1, self.stop(element));
            rest[element..stop].fill(0);
            let is_formula = names.get(first) == Some(&named.math) && parents[first] == element as i32;
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

    /// The hidden elements that are panels: what their readers open.
    fn panels(&self, traits: &[Traits], visible: &[u8]) -> HashSet<usize> {
        let named = self.tables.hint_words.bits.named;
        let is_hidden = |element: &usize| traits[*element] & HIDDEN > 0 && visible[*element] == 1;
        let hidden: Vec<usize> = (1..traits.len()).filter(is_hidden).collect();
        let in_furniture = self.in_furniture();
        let opened = self.opened(traits, visible, &in_furniture);
        let beside = panels_beside(self, traits, &hidden);
        let may_open = |element: &usize| {
            let Some(form) = self.form(*element) else {
                return false;
            };
            let id = || attribute_of(self.tables, form.text(self.text), b"id");
            traits[*element] & SHUT == 0
                && !in_furniture[*element]
                && (traits[*element] & PANEL > 0
                    || beside.contains(element)
                    || (form.hints & named == 0 && opened.contains(&id()[..])))
        };
        let may_open: Vec<usize> = hidden.iter().copied().filter(may_open).collect();
        self.but_copies(&hidden, &may_open, visible)
    }

    /// The ids that controls open.
    fn opened(&self, traits: &[Traits], visible: &[u8], in_furniture: &[bool]) -> HashSet<Vec<u8>> {
        let is_control = |element: &usize| traits[*element] & OPENER > 0 && visible[*element] == 1;
        let controls = (1..traits.len()).filter(is_control);
        let ids = controls.filter_map(|element| {
            let tag = self.form(element)?.text(self.text);
            Some(ids_opened(self.tables, tag, self.elements.names[element], in_furniture[element]))
        });
        ids.flatten().collect()
    }

    /// Element -> whether it is furniture by a name or role, or inside of such.
    fn in_furniture(&self) -> Vec<bool> {
        let bits = &self.tables.hint_words.bits;
        let mut in_article = vec![false; self.elements.len()];
        let mut in_furniture = in_article.clone();
        for element in 1..self.elements.len() {
            let around = self.elements.parents[element] as usize;
            let hints = self.form(element).map_or(0, |form| form.hints);
            let is_section = self.elements.names[element] == self.tables.named.section;
            in_article[element] = in_article[around] || hints & bits.article > 0 || is_section;
            in_furniture[element] = in_furniture[around]
                || hints & bits.furniture > 0
                || (hints & bits.page_part > 0 && !in_article[element]);
        }
        in_furniture
    }

    /// Those of some hidden elements that open: all around them open, and they are no copies.
    fn but_copies(&self, hidden: &[usize], may_open: &[usize], visible: &[u8]) -> HashSet<usize> {
        let mut opened = HashSet::new();
        if may_open.is_empty() {
            return opened;
        }
        let mut around = vec![0; self.elements.len()];
        hidden.iter().for_each(|element| around[*element] = *element);
        for element in 1..around.len() {
            if around[element] == 0 {
                around[element] = around[self.elements.parents[element] as usize];
            }
        }
        let (mut inside, mut shown) = (HashMap::<usize, Vec<(u64, i32)>>::new(), HashSet::new());
        for (token, owner) in self.elements.owners.iter().enumerate() {
            if self.tokens.kinds[token] == TEXT && visible[*owner as usize] == 1 {
                let form = &self.tokens.forms[self.tokens.form_of[token] as usize];
                match around[*owner as usize] {
                    0 => _ = shown.insert(form.key),
                    panel => inside.entry(panel).or_default().push((form.key, form.count)),
                }
            }
        }
        for element in may_open {
            let outer = around[self.elements.parents[*element] as usize];
            if outer > 0 && !opened.contains(&outer) {
                continue;
            }
            let runs = inside.get(element).map_or(&[][..], |runs| &runs[..]);
            let copied: i32 =
                runs.iter().filter(|(key, _)| shown.contains(key)).map(|(_, words)| words).sum();
            if 2 * copied <= runs.iter().map(|(_, words)| words).sum() {
                opened.insert(*element);
                shown.extend(runs.iter().map(|(key, _)| *key));
            }
        }
        opened
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
    fn show_pictures(&self, traits: &[Traits], shown: &mut [u8]) {
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
    fn hide_drawn(&self, traits: &[Traits], shown: &mut [u8]) {
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

/// The sum of all counts before each; and of all.
pub fn sums(counts: impl Iterator<Item = i32>) -> Vec<i32> {
    let mut sums = vec![0];
    let mut sum = 0;
    sums.extend(counts.map(|count| {
        sum += count;
        sum
    }));
    sums
}
