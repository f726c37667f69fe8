//! What stands between neighbouring text runs that only their style sets apart: `templcrawl/page/seams.py`;
//! which runs are no text: `templcrawl/page/unwritten.py`.

use crate::blob::Buffer;
use crate::chars::{decode, find, is_html_space, CASED, DIGIT, ODD, SPACE, WORD};
use crate::page::Page;
use crate::scan::tag_end;
use crate::sections::Sections;
use crate::tables::Tables;
use crate::tags::{attribute_of, classes_of, SPACE as BLANK, TEXT};
use std::borrow::Cow;
use std::cell::OnceCell;

/// Elements around the sign of a link to a heading, among which both are.
const MAX_AROUND: usize = 8;

/// What two links may have in common.
const LEADS_NOWHERE: [&[u8]; 2] = [b"#", b"javascript:"];

#[derive(Clone, Copy, PartialEq)]
pub enum Sign {
    Apart,
    Power,
    Index,
    Cents,
    Note,
    Sum,
}

/// A seam that needs a sign: token of the run before it, start tag of what begins at it, token of the run
/// behind it.
pub struct Seam {
    pub behind: usize,
    pub opens: usize,
    pub run: usize,
    pub sign: Sign,
}

/// Signs that part texts or numbers, in the order in which they are handed over, and names of currencies.
pub struct Signs {
    closing: Vec<u32>,
    pauses: Vec<u32>,
    before_words: Vec<u32>,
    before_digits: Vec<u32>,
    currency: Vec<u32>,
    of_numbers: Vec<u32>,
    grouping: Vec<u32>,
    fractions: Vec<u32>,
    unraised: Vec<u32>,
    standing: Vec<u32>,
    currencies: Vec<Vec<u8>>,
    /// Byte -> whether what may be a thing of its own may end with it, or begin with it, as written.
    may_end: [bool; 256],
    may_begin: [bool; 256],
}

impl Signs {
    pub fn read(s: &mut Sections) -> Option<Signs> {
        let mut signs = Signs {
            closing: s.numbers()?,
            pauses: s.numbers()?,
            before_words: s.numbers()?,
            before_digits: s.numbers()?,
            currency: s.numbers()?,
            of_numbers: s.numbers()?,
            grouping: s.numbers()?,
            fractions: s.numbers()?,
            unraised: s.numbers()?,
            standing: s.numbers()?,
            currencies: s.texts()?,
            may_end: [false; 256],
            may_begin: [false; 256],
        };
        let may = |ends: &[&[u32]], of_reference: u8| {
            std::array::from_fn(|byte| {
                let is_named = ends.iter().any(|characters| characters.contains(&(byte as u32)));
                byte >= 128 || byte == of_reference.into() || (byte as u8).is_ascii_alphanumeric() || is_named
            })
        };
        signs.may_end = may(&[&signs.closing, &signs.pauses], b';');
        signs.may_begin = may(
            &[&signs.before_words, &signs.before_digits, &signs.of_numbers, &signs.standing, &[b'_'.into()]],
            b'&',
        );
        Some(signs)
    }
}

fn is_blank(byte: Option<&u8>) -> bool {
    byte.is_some_and(|byte| is_html_space(*byte))
}

/// The first character of a text, and what is behind it.
fn first(text: &[u8]) -> Option<(u32, &[u8])> {
    let (character, size) = (!text.is_empty()).then(|| decode(text, 0))?;
    Some((character, text.get(size..).unwrap_or_default()))
}

/// The last character of a text, and what is before it.
fn last(text: &[u8]) -> Option<(u32, &[u8])> {
    let mut start = text.len().checked_sub(1)?;
    while start > 0 && text[start] & 0xC0 == 0x80 {
        start -= 1;
    }
    Some((decode(text, start).0, &text[..start]))
}

/// A page as its seams are found in it.
pub struct Seams<'a> {
    pub tables: &'a Tables,
    pub page: Page<'a>,
    pub names: Buffer<'a, u32>,
    pub parents: Buffer<'a, i32>,
    pub opens: Buffer<'a, i32>,
    pub closes: Buffer<'a, i32>,
    pub shown: Buffer<'a, u8>,
}

/// A text run that is shown: its token, whether it stands on the line of the run before it, and whether
/// there is no white space between.
struct Run {
    position: usize,
    follows: bool,
    is_tight: bool,
}

/// What is asked of elements only where there may be a seam.
struct Around {
    has_words: Vec<bool>,
    is_running: Vec<bool>,
    is_spaced: Vec<bool>,
}

impl<'a> Seams<'a> {
    /// The seams that need a sign, in order.
    pub fn signed(&self, edges: &[u8]) -> Vec<Seam> {
        let (runs, around, is_code) = (OnceCell::new(), OnceCell::new(), OnceCell::new());
        let runs = || runs.get_or_init(|| self.runs(edges));
        let around = || around.get_or_init(|| self.around(runs()));
        let is_code = || is_code.get_or_init(|| self.code());
        let sign = |(behind, run): (usize, usize)| {
            let (left, right) = (self.text(behind), self.text(run));
            let is_number = self.is(last(&left)?.0, DIGIT);
            let may_be_power = self.ends_in_base(&left) && self.is_exponent(&right);
            let may_part = self.ends(behind, run) && self.may_part(&left, &right);
            let outermost = self.outermost(behind, run);
            if (!is_number && !may_be_power && !may_part) || is_code()[self.above(outermost)] {
                return None;
            }
            let of_number = (is_number && !is_code()[outermost])
                .then(|| self.number_sign(runs(), run, (&left, &right), outermost));
            let of_number = of_number.flatten().or_else(|| {
                let is_power = may_be_power && !is_code()[outermost] && self.is_power(runs(), run, outermost);
                is_power.then(|| if self.is_sum(&right) { Sign::Sum } else { Sign::Power })
            });
            let sign = of_number.or_else(|| {
                let is_apart = may_part && self.is_apart(behind, run, (&left, &right), outermost, around);
                is_apart.then_some(Sign::Apart)
            })?;
            Some(Seam { behind, opens: self.open(outermost), run, sign })
        };
        self.places(edges).into_iter().filter_map(sign).collect()
    }

    /// The runs between which a seam may be that needs a sign, by their ends.
    fn places(&self, edges: &[u8]) -> Vec<(usize, usize)> {
        let signs = &self.tables.signs;
        let (mut places, mut behind, mut is_tight) = (Vec::new(), 0, false);
        for (position, (kind, edge)) in self.page.kinds.bytes().iter().zip(edges).enumerate() {
            is_tight &= *edge == 0 && *kind != BLANK;
            if *kind != TEXT || self.shown.get(self.owner(position)) == 0 {
                continue;
            }
            if is_tight && self.begins(behind, position) {
                let (end, start) = (self.page.token(behind).last(), self.page.token(position).first());
                let (may_end, may_begin) = (&signs.may_end, &signs.may_begin);
                if end.is_some_and(|end| may_end[*end as usize])
                    && start.is_some_and(|start| may_begin[*start as usize])
                {
                    places.push((behind, position));
                }
            }
            (behind, is_tight) = (position, true);
        }
        places
    }

    fn runs(&self, edges: &[u8]) -> Vec<Run> {
        let mut runs = Vec::with_capacity(edges.len() / 4);
        let (mut follows, mut is_tight) = (false, false);
        for (position, (kind, edge)) in self.page.kinds.bytes().iter().zip(edges).enumerate() {
            follows &= *edge == 0;
            is_tight &= *kind != BLANK;
            if *kind == TEXT && self.shown.get(self.owner(position)) == 1 {
                runs.push(Run { position, follows, is_tight: follows && is_tight });
                (follows, is_tight) = (true, true);
            }
        }
        runs
    }

    fn owner(&self, position: usize) -> usize {
        self.page.owners.get(position).max(0) as usize
    }

    fn open(&self, element: usize) -> usize {
        self.opens.get(element) as usize
    }

    fn close(&self, element: usize) -> usize {
        self.closes.get(element) as usize
    }

    fn above(&self, element: usize) -> usize {
        self.parents.get(element).max(0) as usize
    }

    fn is(&self, character: u32, class: u8) -> bool {
        self.tables.classes.of(character) & class != 0
    }

    fn is_letter(&self, character: u32) -> bool {
        self.tables.classes.of(character) & (WORD | DIGIT) == WORD
    }

    fn begins_with(&self, text: &[u8], class: u8) -> bool {
        first(text).is_some_and(|(character, _)| self.is(character, class))
    }

    /// Whether a run stands in an element that was opened since another.
    fn begins(&self, behind: usize, run: usize) -> bool {
        self.open(self.owner(run)) > behind
    }

    /// Whether the element of a run has ended before another.
    fn ends(&self, behind: usize, run: usize) -> bool {
        self.close(self.owner(behind)) <= run
    }

    fn text(&self, position: usize) -> Cow<'a, [u8]> {
        let run = self.page.token(position);
        let mut text = Cow::Borrowed(run);
        if find(run, b'&', 0).is_some() {
            let mut decoded = Vec::with_capacity(run.len());
            self.tables.entities.unescape(run, &mut decoded);
            text = Cow::Owned(decoded);
        }
        if text.is_ascii() || !self.tables.classes.any(&text, ODD) {
            return text;
        }
        Cow::Owned(self.tables.normal.without_unseen(&text))
    }

    /// The text of a run, if it stands on the line of the one before it.
    fn text_on_line(&self, runs: &[Run], number: usize) -> Cow<'a, [u8]> {
        let run = runs.get(number).filter(|run| run.follows);
        run.map_or(Cow::Borrowed(&[]), |run| self.text(run.position))
    }

    /// The outermost element that a run stands in and the one before it does not.
    fn outermost(&self, behind: usize, run: usize) -> usize {
        let mut element = self.owner(run);
        while self.open(self.above(element)) > behind {
            element = self.above(element);
        }
        element
    }

    /// The outermost element that a run stands in and the one behind it does not.
    fn ended(&self, behind: usize, run: usize) -> usize {
        let mut element = self.owner(behind);
        while self.close(self.above(element)) <= run {
            element = self.above(element);
        }
        element
    }

    /// The sign between digits and digits that are raised, lowered or cents.
    fn number_sign(
        &self,
        runs: &[Run],
        run: usize,
        (left, right): (&[u8], &[u8]),
        outermost: usize,
    ) -> Option<Sign> {
        let (start, rest) = first(right)?;
        let digits = if self.tables.signs.of_numbers.contains(&start) { rest } else { right };
        if !self.begins_with(digits, DIGIT) {
            return None;
        }
        let (named, parent) = (&self.tables.named, self.above(outermost));
        let owner = self.owner(run);
        let above = || {
            std::iter::successors(Some(owner), |element| Some(self.above(*element)))
                .take_while(|element| *element != parent)
        };
        let has = |name: u32| above().any(|element| self.names.get(element) == name);
        let number = runs.partition_point(|other| other.position < run);
        if !has(named.a) && self.are_cents(runs, number, left, right, outermost) {
            return Some(Sign::Cents);
        }
        if !has(named.sup) && !has(named.sub) {
            return None;
        }
        if has(named.a) {
            return Some(Sign::Note);
        }
        if has(named.sub) {
            return Some(Sign::Index);
        }
        let follows = self.text_on_line(runs, number + 1);
        let is_fraction =
            first(&follows).is_some_and(|(sign, _)| self.tables.signs.fractions.contains(&sign));
        Some(if is_fraction { Sign::Apart } else { Sign::Power })
    }

    /// Whether a text ends in digits or a single letter.
    fn ends_in_base(&self, text: &[u8]) -> bool {
        last(text).is_some_and(|(end, rest)| {
            let is_single = || last(rest).map_or(true, |(before, _)| !self.is(before, WORD));
            self.is(end, DIGIT) || (self.is_letter(end) && is_single())
        })
    }

    /// Whether a text is a short number or a letter that nothing else ends in, or a sum of two.
    fn is_exponent(&self, text: &[u8]) -> bool {
        let signs = &self.tables.signs;
        let behind_sign = |text| first(text).filter(|(sign, _)| signs.of_numbers.contains(sign));
        let behind_unit = |mut text| {
            let (letter, rest) = first(text)?;
            if self.is_letter(letter) {
                return (!signs.unraised.contains(&letter)).then_some(rest);
            }
            let mut digits = 0;
            while let Some((_, rest)) = first(text).filter(|(digit, _)| digits < 3 && self.is(*digit, DIGIT))
            {
                (text, digits) = (rest, digits + 1);
            }
            (digits > 0).then_some(text)
        };
        let Some(rest) = behind_unit(behind_sign(text).map_or(text, |(_, rest)| rest)) else { return false };
        rest.is_empty()
            || behind_sign(rest).and_then(|(_, rest)| behind_unit(rest)).is_some_and(<[u8]>::is_empty)
    }

    /// Whether a sign stands inside of an exponent.
    fn is_sum(&self, text: &[u8]) -> bool {
        let mut rest = first(text).map_or(text, |(_, rest)| rest);
        while let Some((character, behind)) = first(rest) {
            if self.tables.signs.of_numbers.contains(&character) {
                return true;
            }
            rest = behind;
        }
        false
    }

    /// Whether what may be a power is all of a `sup` that is no link.
    fn is_power(&self, runs: &[Run], run: usize, outermost: usize) -> bool {
        let (named, parent) = (&self.tables.named, self.above(outermost));
        let above = std::iter::successors(Some(self.owner(run)), |element| Some(self.above(*element)));
        let above: Vec<usize> = above.take_while(|element| *element != parent).collect();
        let has = |name: u32| above.iter().copied().find(|element| self.names.get(*element) == name);
        let Some(raised) = has(named.sup).filter(|_| has(named.a).is_none()) else { return false };
        let behind = runs.partition_point(|other| other.position <= run);
        let is_letter = |text: &[u8]| first(text).is_some_and(|(letter, _)| self.is_letter(letter));
        let is_all = runs.get(behind).map_or(true, |run| run.position >= self.close(raised));
        let text = self.text(run);
        let is_word = first(&text).is_some_and(|(letter, rest)| rest.is_empty() && self.is_letter(letter));
        is_all && !(is_word && is_letter(&self.text_on_line(runs, behind)))
    }

    /// Whether an element is the cents of a number that has none, beside a currency.
    fn are_cents(&self, runs: &[Run], number: usize, left: &[u8], right: &[u8], element: usize) -> bool {
        let signs = &self.tables.signs;
        let is_pair = first(right).filter(|(one, _)| self.is(*one, DIGIT)).and_then(|(_, rest)| first(rest));
        if !is_pair.is_some_and(|(other, rest)| self.is(other, DIGIT) && rest.is_empty()) {
            return false;
        }
        if runs.get(number + 1).is_some_and(|run| run.position < self.close(element)) {
            return false;
        }
        let (mut lead, mut count) = (left, 0);
        while let Some((character, rest)) = last(lead) {
            if !self.is(character, DIGIT) && !signs.grouping.contains(&character) {
                break;
            }
            count += 1;
            if count == 3 && signs.grouping.contains(&character) {
                return false;
            }
            lead = rest;
        }
        let classes = &self.tables.classes;
        let mut before = Cow::Borrowed(classes.trim_end(lead));
        if before.is_empty() && number > 1 && runs[number - 1].follows {
            before = self.text(runs[number - 2].position);
        }
        let (lead, follows) = (classes.trim_end(&before), self.text_on_line(runs, number + 1));
        let trail = classes.trim(&follows);
        last(lead).is_some_and(|(sign, _)| signs.currency.contains(&sign))
            || first(trail).is_some_and(|(sign, _)| signs.currency.contains(&sign))
            || self.names_currency(lead, last, |size| &lead[lead.len() - size..])
            || self.names_currency(trail, first, |size| &trail[..size])
    }

    /// Whether the letters at an end of a text are a currency.
    fn names_currency<'b>(
        &self,
        text: &'b [u8],
        at_end: impl Fn(&'b [u8]) -> Option<(u32, &'b [u8])>,
        letters: impl Fn(usize) -> &'b [u8],
    ) -> bool {
        let mut rest = text;
        while let Some((_, shorter)) = at_end(rest).filter(|(character, _)| self.is_letter(*character)) {
            rest = shorter;
        }
        let letters = letters(text.len() - rest.len());
        self.tables.signs.currencies.iter().any(|currency| currency == letters)
    }

    /// Whether style alone sets apart the elements that a run and the one before it stand in.
    fn is_apart<'b>(
        &self,
        behind: usize,
        run: usize,
        (left, right): (&[u8], &[u8]),
        other: usize,
        around: impl FnOnce() -> &'b Around,
    ) -> bool {
        let (named, sets, names) = (&self.tables.named, &self.tables.sets, &self.names);
        let (one, parent) = (self.ended(behind, run), self.above(other));
        let kinds = [names.get(one), names.get(other), names.get(parent)];
        let has_break = |position: usize| names.get(self.owner(position)) == named.wbr;
        if kinds[..2].iter().all(|name| sets.code.has(*name))
            || kinds.iter().any(|name| sets.unparted.has(*name))
            || (behind..run).any(has_break)
        {
            return false;
        }
        let is_torn = || {
            let address = self.address(one);
            let leads = !address.is_empty() && !LEADS_NOWHERE.iter().any(|start| address.starts_with(start));
            leads && address == self.address(other)
        };
        let is_torn = kinds[..2] == [named.a; 2] && is_torn();
        if kinds[0] == kinds[1] && sets.things.has(kinds[0]) && !is_torn {
            return true;
        }
        let around = around();
        if around.is_running[parent] || around.has_words[parent] || around.is_spaced[parent] {
            return false;
        }
        if self.is_letter_of_word(left, right) {
            return false;
        }
        let is_emphasis = |name: &u32| sets.emphasis.has(*name);
        if !is_torn && !kinds[..2].iter().any(is_emphasis) && !sets.prose.has(kinds[2]) {
            return true;
        }
        self.begins_new(left, right, is_torn || kinds[..2].iter().all(is_emphasis))
    }

    fn tag(&self, element: usize) -> &'a [u8] {
        let piece = self.page.token(self.open(element));
        &piece[..tag_end(piece)]
    }

    /// Where a link leads, as written.
    fn address(&self, element: usize) -> Vec<u8> {
        attribute_of(self.tables, self.tag(element), b"href").into_owned()
    }

    /// Element -> whether it is code or stands in code.
    fn code(&self) -> Vec<bool> {
        let mut is_code = vec![false; self.names.len()];
        for element in 0..is_code.len() {
            is_code[element] = self.tables.sets.code.has(self.names.get(element))
                || (element > 0 && is_code[self.above(element)]);
        }
        is_code
    }

    fn around(&self, runs: &[Run]) -> Around {
        let size = self.names.len();
        let (mut has_words, mut is_spaced) = (vec![false; size], vec![false; size]);
        for run in runs {
            let owner = self.owner(run.position);
            if !has_words[owner] {
                has_words[owner] = !self.is_label(run.position);
            }
        }
        let mut is_running = vec![false; size];
        for element in 1..size {
            let parent = self.above(element);
            is_running[element] = (has_words[parent] || is_running[parent])
                && !self.tables.sets.blocks.has(self.names.get(element));
        }
        for pair in runs.windows(2) {
            let (behind, run) = (pair[0].position, pair[1].position);
            if pair[1].follows
                && (!pair[1].is_tight || self.is_space_between(behind, run))
                && self.begins(behind, run)
                && self.ends(behind, run)
            {
                is_spaced[self.above(self.outermost(behind, run))] = true;
            }
        }
        Around { has_words, is_running, is_spaced }
    }

    /// Whether a run ends in a colon.
    fn is_label(&self, run: usize) -> bool {
        let written = self.page.token(run);
        match written.last() {
            Some(end) if end.is_ascii_alphanumeric() || *end == b'.' => false,
            _ => self.tables.classes.trim_end(&self.text(run)).ends_with(b":"),
        }
    }

    /// Whether a run ends in white space, or the next begins with some.
    fn is_space_between(&self, behind: usize, run: usize) -> bool {
        let (left, right) = (self.page.token(behind), self.page.token(run));
        let is_plain = |byte: Option<&u8>| byte.is_some_and(u8::is_ascii_alphanumeric);
        let is_space = |end: Option<(u32, &[u8])>| end.is_some_and(|(end, _)| self.is(end, SPACE));
        is_blank(left.last())
            || is_blank(right.first())
            || (!is_plain(left.last()) && is_space(last(&self.text(behind))))
            || (!is_plain(right.first()) && is_space(first(&self.text(run))))
    }

    /// Whether one thing may end as the left text does, and another begin as the right one does.
    fn may_part(&self, left: &[u8], right: &[u8]) -> bool {
        let signs = &self.tables.signs;
        let (Some((end, rest)), Some((start, behind))) = (last(left), first(right)) else { return false };
        let may_end = if signs.pauses.contains(&end) {
            let before = last(rest).map_or(0, |(before, _)| before);
            self.is(before, WORD) && !(self.is(before, DIGIT) && self.is(start, DIGIT))
        } else {
            (self.is(end, WORD) && end != u32::from(b'_'))
                || (!rest.is_empty() && signs.closing.contains(&end))
        };
        let stands =
            signs.standing.contains(&start) && first(behind).map_or(true, |(next, _)| self.is(next, SPACE));
        may_end
            && if stands {
                true
            } else if signs.before_digits.contains(&start) {
                self.begins_with(behind, DIGIT)
            } else if signs.before_words.contains(&start) {
                self.begins_with(behind, WORD)
            } else {
                self.is(start, WORD)
            }
    }

    /// Whether one of two texts is a letter of a word that the other goes on with.
    fn is_letter_of_word(&self, left: &[u8], right: &[u8]) -> bool {
        let (Some((letter, rest)), Some((start, behind))) = (first(left), first(right)) else { return false };
        if !rest.is_empty() || !self.is(start, WORD) {
            return false;
        }
        if !self.is_letter(letter) {
            return behind.is_empty() && self.is_letter(start);
        }
        let Some((second, _)) = first(behind) else { return true };
        let begins_name = self.is(start, CASED) && self.is_letter(second) && !self.is(second, CASED);
        !begins_name && !self.is(start, DIGIT)
    }

    /// Whether what begins so is no part of the word before it.
    fn begins_new(&self, left: &[u8], right: &[u8], is_one: bool) -> bool {
        let (Some((end, _)), Some((start, _))) = (last(left), first(right)) else { return false };
        if !self.is(end, WORD) || !self.is(start, WORD) {
            return true;
        }
        if self.is(start, DIGIT) {
            return !(is_one && self.is(end, DIGIT));
        }
        self.is(start, CASED) && !self.is(end, CASED)
    }

    /// The text runs that are numbers of lines of code, ascending.
    pub fn line_numbers(&self, positions: &Buffer<i32>) -> Vec<usize> {
        let (tables, classes) = (self.tables, &self.tables.classes);
        let is_of_code = |element: usize| tables.sets.code.has(self.names.get(element));
        if !(1..self.names.len()).any(is_of_code) {
            return Vec::new();
        }
        let is_count = |text: &[u8]| {
            let (mut at, mut digits) = (0, 0);
            while at < text.len() {
                let (class, size) = classes.at(text, at);
                if class & (DIGIT | SPACE) == 0 {
                    return false;
                }
                digits |= class & DIGIT;
                at += size;
            }
            digits > 0
        };
        let above = |element: &usize| (*element > 0).then(|| self.above(*element));
        let is_number = |position: &usize| {
            let around = || std::iter::successors(Some(self.owner(*position)), above).take(MAX_AROUND);
            let is_named = |element: usize| {
                let classes = classes_of(tables, self.tag(element));
                element > 0 && classes.iter().any(|class| tables.line_numbers.contains(class))
            };
            is_count(self.page.token(*position)) && around().any(is_of_code) && around().any(is_named)
        };
        (0..positions.len()).map(|run| positions.get(run) as usize).filter(is_number).collect()
    }

    /// The text runs that are signs of links to a heading, ascending.
    pub fn permalinks(&self, positions: &Buffer<i32>, words: &Buffer<i32>) -> Vec<usize> {
        let tables = self.tables;
        let is_wordless = |run: usize, element: usize| {
            let is_inside = |run: &usize| {
                (self.opens.get(element)..self.closes.get(element)).contains(&positions.get(*run))
            };
            let before = (0..run).rev().take_while(is_inside);
            let mut inside = before.chain((run..words.len()).take_while(is_inside));
            inside.all(|run| words.get(run) == 0)
        };
        let (mut found, mut last) = (Vec::new(), (0, false)); // the last anchor, and whether it is a sign
        for run in (0..words.len()).filter(|run| words.get(*run) == 0) {
            let position = positions.get(run) as usize;
            let above = |element: &usize| (*element > 0).then(|| self.above(*element));
            let around = || std::iter::successors(Some(self.owner(position)), above).take(MAX_AROUND);
            let Some(anchor) = around().find(|element| self.names.get(*element) == tables.named.a) else {
                continue;
            };
            if last.0 == anchor {
                found.extend(last.1.then_some(position));
                continue;
            }
            let is_inside = around().any(|element| tables.sets.headings.has(self.names.get(element)));
            let leads_here = || {
                let address = self.address(anchor);
                address.is_empty() || address.contains(&b'#')
            };
            let is_named =
                || classes_of(tables, self.tag(anchor)).iter().any(|class| tables.permalinks.contains(class));
            last = (anchor, ((is_inside && leads_here()) || is_named()) && is_wordless(run, anchor));
            found.extend(last.1.then_some(position));
        }
        found
    }
}
