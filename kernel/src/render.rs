//! Write one side of a separated page as text or as HTML: `templcrawl/page/sides.py`.

#![allow(clippy::needless_range_loop)] // a position numbers several buffers at once

use crate::blob::Buffer;
use crate::chars::WORD;
use crate::columns::page as of_page;
use crate::lines::{escape, without_tags, Lines};
use crate::names::Name;
use crate::page::Page;
use crate::scan::{name_stop, tag_end, OddlyCased, Scanner};
use crate::seams::{Seam, Seams, Sign};
use crate::tables::Tables;
use crate::tags::{attribute_of, classes_of, SPACE, START, TEXT, UNREAD, VOID};

const LINE: u8 = 1;
const GAP: u8 = 2;
const OPENED: u8 = 4;
const CLOSED: u8 = 8;
const POWER: u8 = 16;
const INDEX: u8 = 32;
const CENTS: u8 = 64;
const OVER: u8 = 128;
const SIGNS: [(u8, &[u8]); 5] = [(POWER, b"^"), (INDEX, b"_"), (CENTS, b"."), (OVER, b"/"), (OPENED, b"(")];

/// A page with what rendering reads of it, and the side that is wanted.
pub struct Side<'a> {
    tables: &'a Tables,
    page: Page<'a>,
    names: Buffer<'a, u32>,
    closes: Buffer<'a, i32>,
    opens: Buffer<'a, i32>,
    parents: Buffer<'a, i32>,
    shown: Buffer<'a, u8>,
    run_positions: Buffer<'a, i32>,
    run_words: Buffer<'a, i32>,
    mask: &'a [u8],
    side: u8,
}

impl<'a> Side<'a> {
    pub fn new(tables: &'a Tables, page: Page<'a>, mask: &'a [u8], side: u8) -> Option<Side<'a>> {
        Some(Side {
            tables,
            page,
            names: page.buffer(of_page::ELEMENT_NAME)?,
            closes: page.buffer(of_page::ELEMENT_CLOSE_ARRAY)?,
            opens: page.buffer(of_page::ELEMENT_OPEN_ARRAY)?,
            parents: page.buffer(of_page::ELEMENT_PARENT_ARRAY)?,
            shown: page.buffer(of_page::ELEMENT_SHOWN_ARRAY)?,
            run_positions: page.buffer(of_page::RUN_POSITIONS)?,
            run_words: page.buffer(of_page::RUN_WORDS)?,
            mask: (mask.len() == page.len()).then_some(mask)?,
            side,
        })
    }

    fn owner(&self, position: usize) -> usize {
        self.page.owners.get(position) as usize
    }

    fn close(&self, element: usize) -> usize {
        self.closes.get(element) as usize
    }

    /// Token -> `LINE` if a line ends before it, where a block begins or ends; `GAP` where a word does.
    fn line_edges(&self, is_kept: impl Fn(usize) -> bool) -> Vec<u8> {
        let tables = self.tables;
        let mut edges = vec![0; self.page.len() + 1];
        for element in (0..self.names.len()).filter(|element| !is_kept(*element)) {
            let name = self.names.get(element);
            let edge = match name {
                _ if element == 0 || tables.sets.blocks.has(name) => LINE,
                _ if tables.sets.spaced.has(name) => GAP,
                _ => continue,
            };
            edges[self.opens.get(element) as usize] |= edge;
            edges[self.close(element)] |= edge;
        }
        edges
    }

    /// Append the visible text, a line for each line that a reader sees.
    pub fn text(&self, text: &mut Vec<u8>) {
        let page = self.page;
        let mut edges = self.line_edges(|_| false);
        self.add_seams(&mut edges);
        self.add_brackets(&mut edges);
        self.add_formulas(&mut edges);
        let mut unwritten = self.in_page().permalinks(&self.run_positions, &self.run_words);
        unwritten.extend(self.in_page().line_numbers(&self.run_positions));
        unwritten.sort_unstable();
        let (mut unwritten, mut raw) = (unwritten.into_iter(), self.raw().into_iter());
        let (mut next_unwritten, mut next_raw) = (unwritten.next(), raw.next());
        let mut lines = Lines { tables: self.tables, text, line: Vec::new(), in_pre: false };
        let mut decoded = Vec::new();
        let mut pre_stop = 0;
        for (position, (kind, edge)) in
            page.kinds.bytes().iter().copied().zip(edges.iter().copied()).enumerate()
        {
            let is_raw = next_raw == Some(position);
            if is_raw {
                next_raw = raw.next();
            }
            if edge == 0 && !matches!(kind, TEXT | SPACE | UNREAD) && !is_raw {
                continue;
            }
            let owner = self.owner(position);
            if edge & CLOSED > 0 {
                lines.write(b")");
            }
            if edge & LINE > 0 {
                lines.end_line();
                let name = self.names.get(owner);
                if name == self.tables.named.pre || name == self.tables.named.xmp {
                    pre_stop = pre_stop.max(self.close(owner));
                }
                lines.in_pre = position < pre_stop;
            } else if edge & GAP > 0 {
                lines.write_gap();
            }
            if edge >= OPENED {
                SIGNS.iter().filter(|(bit, _)| edge & bit > 0).for_each(|(_, sign)| lines.write(sign));
            }
            let form = page.token(position);
            let is_wanted = self.mask[position] == self.side;
            match kind {
                TEXT if next_unwritten == Some(position) => next_unwritten = unwritten.next(),
                TEXT if self.shown.get(owner) == 1 && is_wanted => lines.decode(form, &mut decoded),
                TEXT if self.shown.get(owner) == 1 => lines.write(gap(form)),
                SPACE => lines.write(form),
                UNREAD if is_wanted => {
                    lines.end_line();
                    lines.decode(&without_tags(form), &mut decoded);
                }
                START if !is_raw => {}
                START if is_wanted => lines.write(&form[tag_end(form)..]),
                START => lines.write(gap(form)),
                _ => {}
            }
        }
        if edges[page.len()] & CLOSED > 0 {
            lines.write(b")");
        }
        lines.end_line();
    }

    fn in_page(&self) -> Seams<'a> {
        Seams {
            tables: self.tables,
            page: self.page,
            names: self.names,
            parents: self.parents,
            opens: self.opens,
            closes: self.closes,
            shown: self.shown,
        }
    }

    /// Whether a side has both runs of a seam.
    fn has_both(&self, seam: &Seam) -> bool {
        self.mask[seam.behind] == self.side && self.mask[seam.run] == self.side
    }

    /// Mark what stands between runs that style alone sets apart; signs of numbers where a side has both.
    fn add_seams(&self, edges: &mut [u8]) {
        for seam in self.in_page().signed(edges) {
            let is_on_side = self.has_both(&seam);
            edges[seam.run] |= match seam.sign {
                Sign::Apart => {
                    edges[seam.opens] |= GAP;
                    0
                }
                _ if !is_on_side => 0,
                Sign::Power => POWER,
                Sign::Index => INDEX,
                Sign::Cents => CENTS,
                Sign::Note | Sign::Sum => {
                    edges[seam.run + 1] |= CLOSED;
                    if seam.sign == Sign::Sum {
                        POWER | OPENED
                    } else {
                        OPENED
                    }
                }
            };
        }
    }

    /// Mark where the reading of a ruby begins and ends, if its author has not put it in brackets.
    fn add_brackets(&self, edges: &mut [u8]) {
        let named = &self.tables.named;
        for element in 1..self.names.len() {
            if self.names.get(element) != named.rt || self.names.get(element - 1) == named.rp {
                continue;
            }
            let (opened, closed) = (self.opens.get(element) as usize, self.close(element));
            let is_wanted = self.is_shown(element) && self.mask[opened] == self.side;
            if is_wanted && self.runs_before(opened) < self.runs_before(closed) {
                edges[opened] |= OPENED;
                edges[closed] |= CLOSED;
            }
        }
    }

    /// What stands before the parts of an element of MathML from the second on.
    fn signs_of_parts(&self, name: Name) -> &'static [u8] {
        let named = &self.tables.named;
        match name {
            _ if name == named.mfrac => &[OVER],
            _ if name == named.msub || name == named.munder => &[INDEX],
            _ if name == named.msup => &[POWER],
            _ if name == named.msubsup || name == named.munderover => &[INDEX, POWER],
            _ => &[],
        }
    }

    /// Mark the parts of formulas: powers, indices, what stands under a line; several runs are in brackets.
    fn add_formulas(&self, edges: &mut [u8]) {
        let signs_of = |element: usize| self.signs_of_parts(self.names.get(element));
        let named = self.tables.named.mfrac..=self.tables.named.munderover; // names are numbered by the alphabet
        if (1..self.names.len()).all(|element| !named.contains(&self.names.get(element))) {
            return;
        }
        let mut counted = vec![0; self.names.len()];
        for element in (1..self.names.len()).filter(|element| self.is_shown(*element)) {
            let signs = signs_of(self.above(element));
            if signs.is_empty() {
                continue;
            }
            let number = counted[self.above(element)];
            counted[self.above(element)] += 1;
            let (opened, closed) = (self.opens.get(element) as usize, self.close(element));
            let runs = self.runs_before(closed) - self.runs_before(opened);
            if runs == 0 || number > signs.len() || self.mask[opened] != self.side {
                continue;
            }
            edges[opened] |= number.checked_sub(1).map_or(0, |place: usize| signs[place]);
            if runs > 1 && (number > 0 || signs[0] == OVER) {
                edges[opened] |= OPENED;
                edges[closed] |= CLOSED;
            }
        }
    }

    /// How many visible text runs there are before a token.
    fn runs_before(&self, token: usize) -> usize {
        let (mut first, mut stop) = (0, self.run_positions.len());
        while first < stop {
            let middle = (first + stop) / 2;
            if (self.run_positions.get(middle) as usize) < token {
                first = middle + 1;
            } else {
                stop = middle;
            }
        }
        first
    }

    /// Whether an element is a script of TeX before which nothing is that MathJax has drawn of it.
    fn is_formula(&self, element: usize) -> bool {
        let (tables, parent) = (self.tables, self.above(element));
        if self.names.get(element) != tables.named.script || !self.is_shown(parent) {
            return false;
        }
        let tag = |element: usize| {
            let piece = self.page.token(self.opens.get(element) as usize);
            &piece[..tag_end(piece)]
        };
        let kind = attribute_of(tables, tag(element), b"type").trim_ascii().to_ascii_lowercase();
        if !kind.starts_with(b"math/tex") {
            return false;
        }
        let mut before = element - 1;
        while self.above(before) > parent {
            before = self.above(before);
        }
        let opened = self.opens.get(element) as usize;
        let mut between = (self.close(before)..opened).map(|position| self.page.kinds.get(position));
        let is_apart = between.next().is_some_and(|kind| kind != SPACE) || between.next().is_some();
        let is_beside = before > 0 && self.above(before) == parent && !is_apart;
        let is_empty = self.close(before) <= self.opens.get(before) as usize + 2;
        !(is_beside && !is_empty && classes_of(tables, tag(before)).iter().any(|word| is_of_mathjax(word)))
    }

    /// Whether an element has raw text that a reader sees: a formula, or ``xmp``.
    fn is_raw(&self, element: usize) -> bool {
        let is_code = self.names.get(element) == self.tables.named.xmp && self.is_shown(element);
        is_code || self.is_formula(element)
    }

    /// The start tags of the elements that have raw text that a reader sees, ascending.
    fn raw(&self) -> Vec<usize> {
        let named = &self.tables.named;
        let may_be = |element: &usize| {
            let name = self.names.get(*element);
            name == named.script || name == named.xmp
        };
        let raw = (1..self.names.len()).filter(may_be).filter(|element| self.is_raw(*element));
        raw.map(|element| self.opens.get(element) as usize).collect()
    }

    /// Append the HTML: well nested, with the elements that enclose what a reader sees.
    pub fn html(&self, html: &mut Vec<u8>) -> Result<(), OddlyCased> {
        let page = self.page;
        let wanted = self.enclosing()?;
        let mut edges = self.line_edges(|element| wanted[element]);
        for seam in self.in_page().signed(&self.line_edges(|_| false)) {
            match seam.sign {
                Sign::Apart => edges[seam.opens] |= GAP,
                Sign::Cents if self.has_both(&seam) => edges[seam.opens] |= CENTS,
                _ => {}
            }
        }
        let new_names = page.new_names().unwrap_or_default();
        let mut open_elements: Vec<usize> = Vec::new();
        let (mut spaced, mut pre_stop) = (true, 0);
        for position in 0..page.len() {
            while open_elements.last().is_some_and(|element| self.close(*element) <= position) {
                self.end_tag(open_elements.pop().unwrap_or(0), &new_names, html);
                spaced = false;
            }
            let (kind, form, owner) = (page.kinds.get(position), page.token(position), self.owner(position));
            if kind == SPACE {
                if !spaced || position < pre_stop {
                    html.extend_from_slice(form);
                    spaced = true;
                }
                continue;
            }
            let is_text = kind == TEXT && self.is_shown(owner);
            let is_wanted = self.mask[position] == self.side;
            let is_left_out = !is_wanted && (is_text || (kind == START && self.is_raw(owner)));
            if edges[position] & CENTS > 0 {
                html.push(b'.');
                spaced = false;
            } else if (edges[position] > 0 || is_left_out) && (!spaced || position < pre_stop) {
                html.extend_from_slice(gap(form));
                spaced = true;
            }
            if kind == START {
                if wanted[owner] && self.is_raw(owner) {
                    let is_code = self.names.get(owner) == self.tables.named.xmp;
                    html.extend_from_slice(if is_code { b"<pre>" } else { b"" });
                    escape(&form[tag_end(form)..], html);
                    html.extend_from_slice(if is_code { b"</pre>" } else { b"" });
                    spaced = false;
                } else if wanted[owner] {
                    html.extend_from_slice(form);
                    open_elements.push(owner);
                    spaced = false;
                    if self.names.get(owner) == self.tables.named.pre {
                        pre_stop = pre_stop.max(self.close(owner));
                    }
                }
            } else if is_wanted && is_text {
                self.write_ended(form, html);
                spaced = false;
            } else if is_wanted && ((kind == VOID && wanted[owner]) || kind == UNREAD) {
                html.extend_from_slice(form);
                spaced = false;
            }
        }
        open_elements.iter().rev().for_each(|element| self.end_tag(*element, &new_names, html));
        let trimmed = self.tables.classes.trim(html).to_vec();
        *html = trimmed;
        Ok(())
    }

    fn end_tag(&self, element: usize, new_names: &[Vec<u8>], html: &mut Vec<u8>) {
        let name = self.names.get(element);
        html.extend_from_slice(b"</");
        html.extend_from_slice(match (name as usize).checked_sub(self.tables.names.len()) {
            Some(number) => &new_names[number],
            None => self.tables.names.get(name as Name),
        });
        html.push(b'>');
    }

    /// Element -> whether a side has it: it is seen on the side or has inside what is.
    fn enclosing(&self) -> Result<Vec<bool>, OddlyCased> {
        let (page, named) = (self.page, &self.tables.named);
        let mut wanted = vec![false; self.names.len()];
        for position in 0..page.len() {
            let mut element = page.owners.get(position);
            if self.mask[position] == self.side && self.is_seen(page.kinds.get(position), element as usize) {
                while element >= 0 && !wanted[element as usize] {
                    wanted[element as usize] = true;
                    element = self.parents.get(element as usize);
                }
            }
        }
        for element in 0..wanted.len() {
            let (name, parent) = (self.names.get(element), self.above(element));
            if self.tables.sets.skeleton.has(name) || name == named.template {
                wanted[element] = false;
            } else if (name == named.td || name == named.th)
                && wanted[parent]
                && self.names.get(parent) == named.tr
            {
                wanted[element] = self.shown.get(element) == 1;
            } else if !self.is_shown(element) && !self.is_embedded(element) {
                wanted[element] = false;
            }
        }
        let last = wanted.len() - 1;
        if last > 0 && !is_closed(self.tables, page.token(self.opens.get(last) as usize))? {
            wanted[last] = false;
        }
        Ok(wanted)
    }

    /// Whether a reader sees a token by itself, or what it opens.
    fn is_seen(&self, kind: u8, element: usize) -> bool {
        match kind {
            TEXT | UNREAD => self.is_shown(element),
            VOID => self.is_shown(element) || self.is_embedded(element),
            START => self.is_embedded(element),
            _ => false,
        }
    }

    /// Whether an element shows a film, a sound or a document, or is what a player plays.
    fn is_embedded(&self, element: usize) -> bool {
        let (tables, name, parent) = (self.tables, self.names.get(element), self.above(element));
        if tables.sets.players.has(name) {
            self.is_shown(parent)
        } else if name == tables.named.source && tables.sets.players.has(self.names.get(parent)) {
            self.is_shown(self.above(parent))
        } else {
            (tables.sets.frames.has(name) && self.is_shown(element)) || self.is_raw(element)
        }
    }

    fn is_shown(&self, element: usize) -> bool {
        self.shown.get(element) == 1
    }

    fn above(&self, element: usize) -> usize {
        self.parents.get(element).max(0) as usize
    }

    /// Append a text run written so that nothing behind it can change how it reads.
    fn write_ended(&self, run: &[u8], html: &mut Vec<u8>) {
        let cut = self.open_end(run);
        html.extend_from_slice(&run[..cut]);
        let mut decoded = Vec::new();
        self.tables.entities.unescape(&run[cut..], &mut decoded);
        escape(&decoded, html);
    }

    /// Where the end of a run begins that what follows could complete: `<`, `</`, `&`, `&#`, `&name`.
    fn open_end(&self, run: &[u8]) -> usize {
        let before_slash = run.strip_suffix(b"/").unwrap_or(run);
        if before_slash.ends_with(b"<") {
            return before_slash.len() - 1;
        }
        let Some(start) = run.iter().rposition(|byte| *byte == b'&') else {
            return run.len();
        };
        let mut at = start + 1 + usize::from(run.get(start + 1) == Some(&b'#'));
        while at < run.len() {
            let (class, size) = self.tables.classes.at(run, at);
            if class & WORD == 0 {
                return run.len();
            }
            at += size;
        }
        start
    }
}

/// Whether a tag or comment ends by itself, and not for want of more text.
fn is_closed(tables: &Tables, piece: &[u8]) -> Result<bool, OddlyCased> {
    let stop = name_stop(piece, 1);
    let is_raw = tables.names.find(&piece[1..stop]).is_some_and(|name| tables.sets.raw_text.has(name));
    let (name, rest) = if is_raw { (&b"<b"[..], &piece[stop..tag_end(piece)]) } else { (&piece[..0], piece) };
    let followed = [name, rest, b"<b>"].concat();
    let mut scanner = Scanner::new(tables, &followed);
    Ok(scanner.next()?.is_some() && scanner.next()?.is_some())
}

/// Whether a word of a class is one of MathJax.
fn is_of_mathjax(word: &[u8]) -> bool {
    word.to_ascii_lowercase().windows(7).any(|part| part == b"mathjax")
}

/// What keeps the words around something left out apart.
fn gap(left_out: &[u8]) -> &'static [u8] {
    if left_out.contains(&b'\n') {
        b"\n"
    } else {
        b" "
    }
}
