//! Which hidden elements open by what stands beside them: `templcrawl/page/panels.py`.

use crate::tags::{Traits, HIDDEN, TEXT, TOGGLE};
use crate::visibility::{sums, Sight};
use std::collections::{HashMap, HashSet};

/// Elements around one, beside which a toggle behind it may stand.
const OUTWARD: usize = 3;

/// What stands beside and in the hidden elements that are asked about.
struct Neighbours<'a> {
    sight: &'a Sight<'a>,
    traits: &'a [Traits],
    /// Those that are asked about, and those of them without fields.
    hidden: Vec<usize>,
    found: Vec<usize>,
    /// Element -> the one before it in its parent, 0 for none.
    previous: Vec<usize>,
    words: Vec<i32>,
    keys: Vec<u64>,
    blocks: Vec<i32>,
    toggles: Vec<i32>,
    links: Vec<i32>,
    in_form: Vec<bool>,
}

/// The hidden elements that are panels by what stands beside them.
pub fn panels_beside(sight: &Sight, traits: &[Traits], hidden: &[usize]) -> HashSet<usize> {
    let may_be = |element: &usize| sight.tables.sets.may_open.has(sight.elements.names[*element]);
    let hidden: Vec<usize> = hidden.iter().copied().filter(may_be).collect();
    if hidden.is_empty() {
        HashSet::new()
    } else {
        Neighbours::new(sight, traits, hidden).panels()
    }
}

impl<'a> Neighbours<'a> {
    fn new(sight: &'a Sight<'a>, traits: &'a [Traits], hidden: Vec<usize>) -> Neighbours<'a> {
        let (elements, sets, named) = (sight.elements, &sight.tables.sets, &sight.tables.named);
        let (mut last, mut previous) = (vec![0; elements.len()], vec![0; elements.len()]);
        let mut in_form = vec![false; elements.len()];
        for element in 1..elements.len() {
            let parent = elements.parents[element] as usize;
            previous[element] = last[parent];
            last[parent] = element;
            in_form[element] = in_form[parent] || elements.names[element] == named.form;
        }
        let forms = || sight.tokens.form_of.iter().map(|form| &sight.tokens.forms[*form as usize]);
        let mut keys = vec![0];
        let mut sum: u64 = 0;
        keys.extend(forms().map(|form| {
            sum = sum.wrapping_add(if form.kind == TEXT { form.key } else { 0 });
            sum
        }));
        let is_link = |element: usize| {
            let name = elements.names[element];
            (name == named.a || name == named.area) && traits[element] & TOGGLE == 0
        };
        let fields = sums(elements.names.iter().map(|name| i32::from(sets.fields.has(*name))));
        let has_none = |element: &usize| fields[sight.stop(*element)] == fields[element + 1];
        Neighbours {
            found: hidden.iter().copied().filter(has_none).collect(),
            words: sums(forms().map(|form| if form.kind == TEXT { form.count } else { 0 })),
            blocks: sums(elements.names.iter().map(|name| i32::from(sets.blocks.has(*name)))),
            toggles: sums(traits.iter().map(|bits| i32::from(bits & (TOGGLE | HIDDEN) == TOGGLE))),
            links: sums((0..elements.len()).map(|element| i32::from(is_link(element)))),
            sight,
            traits,
            hidden,
            previous,
            keys,
            in_form,
        }
    }

    fn panels(&self) -> HashSet<usize> {
        let (named, names) = (&self.sight.tables.named, &self.sight.elements.names);
        let is_panel = |element: &usize| {
            let is_long = self.length(*element) >= self.sight.tables.least_panel;
            let is_row =
                (names[*element] == named.li || names[*element] == named.tr) && self.previous[*element] > 0;
            (is_long && self.is_behind_toggle(*element))
                || ((is_long || is_row) && !self.in_form[*element] && self.is_before_toggle(*element))
        };
        let mut panels = self.answers();
        panels.extend(self.tabs());
        panels.extend(self.found.iter().copied().filter(is_panel));
        panels
    }

    fn length(&self, element: usize) -> i32 {
        let elements = self.sight.elements;
        self.words[elements.closes[element] as usize] - self.words[elements.opens[element] as usize]
    }

    fn step(&self, element: usize) -> u64 {
        self.sight.form(element).map_or(0, |form| form.step)
    }

    fn parent(&self, element: usize) -> usize {
        self.sight.elements.parents[element].max(0) as usize
    }

    fn is_page(&self, element: usize) -> bool {
        element == 0 || self.sight.tables.sets.skeleton.has(self.sight.elements.names[element])
    }

    /// Whether an element is a toggle, or a short one that has some.
    fn is_toggle(&self, element: usize) -> bool {
        self.traits[element] & HIDDEN == 0
            && self.length(element) < self.sight.tables.least_panel
            && self.toggles[self.sight.stop(element)] > self.toggles[element]
    }

    /// Whether a toggle is right before an element, or before its parent, if that begins with it.
    fn is_behind_toggle(&self, element: usize) -> bool {
        let (opens, around) = (&self.sight.elements.opens, self.parent(element));
        let starts = self.words[opens[element] as usize] == self.words[opens[around] as usize];
        let label = match self.previous[element] {
            0 if starts && !self.is_page(around) => self.previous[around],
            label => label,
        };
        label > 0 && self.is_toggle(label)
    }

    /// Whether the next element is a toggle, but for hidden ones beside; without text between.
    fn is_before_toggle(&self, element: usize) -> bool {
        let elements = self.sight.elements;
        let (mut around, mut last) = (self.parent(element), element);
        let mut after = self.sight.stop(element);
        while after < elements.len() && self.parent(after) == around && self.traits[after] & HIDDEN > 0 {
            last = after;
            after = self.sight.stop(after);
        }
        if after == elements.len()
            || self.words[elements.opens[after] as usize] > self.words[elements.closes[last] as usize]
        {
            return false;
        }
        let mut reach = if self.is_page(around) { 0 } else { OUTWARD };
        while reach > 0 && self.parent(after) != around {
            reach = if self.is_page(around) { 0 } else { reach - 1 };
            around = self.parent(around);
        }
        reach > 0 && self.is_toggle(after)
    }

    /// Those side by side of which some are shown.
    fn tabs(&self) -> Vec<usize> {
        let kind = |element: usize| (self.sight.elements.parents[element], self.step(element));
        let mut counts: HashMap<(i32, u64), (usize, usize)> = HashMap::new();
        let (sides, names) = (&self.sight.tables.sets.side_by_side, &self.sight.elements.names);
        let is_side = |element: &&usize| sides.has(names[**element]);
        self.hidden
            .iter()
            .filter(is_side)
            .for_each(|element| counts.entry(kind(*element)).or_default().0 += 1);
        for element in 1..self.sight.elements.len() {
            if let Some(count) = counts.get_mut(&kind(element)) {
                count.1 += 1;
            }
        }
        let is_tab = |element: &usize| {
            let has_class = self.sight.form(*element).is_some_and(|form| form.step != form.key);
            let has_blocks = self.blocks[self.sight.stop(*element)] > self.blocks[element + 1];
            let is_block = has_blocks || self.length(*element) >= self.sight.tables.least_panel;
            let (hidden, all) = counts[&kind(*element)];
            has_class && is_block && all > hidden && all - hidden <= hidden
        };
        self.found.iter().filter(is_side).copied().filter(is_tab).collect()
    }

    fn answers(&self) -> HashSet<usize> {
        let mut pairs: HashMap<[u64; 3], Vec<usize>> = HashMap::new();
        for element in self.found.iter().copied() {
            let label = self.previous[element];
            if label > 0 && self.length(element) > 0 && self.is_label(label) && !self.in_form[element] {
                let kind = [self.parent(element), label, element].map(|each| self.step(each));
                pairs.entry(kind).or_default().push(element);
            }
        }
        pairs.into_values().filter(|alike| self.differ(alike)).flatten().collect()
    }

    fn is_label(&self, element: usize) -> bool {
        let length = self.length(element);
        self.traits[element] & HIDDEN == 0
            && 0 < length
            && length < 2 * self.sight.tables.least_panel
            && self.links[self.sight.stop(element)] == self.links[element]
    }

    /// Whether answers say different things, and enough.
    fn differ(&self, answers: &[usize]) -> bool {
        let elements = self.sight.elements;
        let key = |at: i32| self.keys[at as usize];
        let said = |answer: &usize| key(elements.closes[*answer]).wrapping_sub(key(elements.opens[*answer]));
        let said: HashSet<u64> = answers.iter().map(said).collect();
        let words: i32 = answers.iter().map(|answer| self.length(*answer)).sum();
        said.len() > 1 && words >= self.sight.tables.least_panel
    }
}
