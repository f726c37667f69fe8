//! Cut HTML text into tags, comments and the text between them: `templcrawl/page/scan.py`.
//!
//! Here the text is walked once, with its elements of svg and math and its escaped scripts; Python cuts it
//! by one pattern first and walks only where such a piece begins.  Cost: O(length of the text).

use crate::chars::{find, find_text, is_html_space};
use crate::names::Name;
use crate::tables::Tables;
use std::ops::Range;

const CDATA_START: &[u8] = b"<![CDATA[";
const CDATA_END: &[u8] = b"]]>";
const MAX_READ: usize = 2_000; // attributes of a tag
const REACH: usize = 64;

/// A tag or a comment: `text[start..stop]`.
pub type Piece = (usize, usize);

/// A page that only Python can read: a tag name has letters that not everybody writes small in one way.
pub struct OddlyCased;

/// The tags and comments of a text, in order.
pub struct Scanner<'a> {
    tables: &'a Tables,
    text: &'a [u8],
    at: usize,
    pending: Option<Piece>,
    is_over: bool,
    is_foreign: bool,
    open_names: Vec<Name>,
}

impl<'a> Scanner<'a> {
    pub fn new(tables: &'a Tables, text: &'a [u8]) -> Scanner<'a> {
        Scanner {
            tables,
            text,
            at: 0,
            pending: None,
            is_over: false,
            is_foreign: false,
            open_names: Vec::new(),
        }
    }

    /// The next tag or comment.
    pub fn next(&mut self) -> Result<Option<Piece>, OddlyCased> {
        if let Some(piece) = self.pending.take() {
            return Ok(Some(piece));
        }
        while !self.is_over {
            let Some(start) = find(self.text, b'<', self.at) else {
                self.is_over = true;
                break;
            };
            match self.piece_at(start)? {
                Some((stop, name)) => return Ok(Some(self.taken(start, stop, name))),
                None => self.at = start + 1,
            }
        }
        Ok(None)
    }

    /// Go on behind a piece, following what it opens and closes of svg and math.
    fn taken(&mut self, start: usize, mut stop: usize, name: Name) -> Piece {
        let (tables, text) = (self.tables, self.text);
        self.at = stop;
        if !self.is_foreign && !tables.sets.turning.has(name) {
            return (start, stop);
        }
        let mut piece = None;
        if name == tables.named.script && !self.is_foreign {
            if text[start + 1] != b'/' && find_text(&text[..stop], b"<!--", start).is_some() {
                stop = end_of_script(text, start);
                self.at = stop;
            }
        } else if tables.sets.followed.has(name) {
            self.follow(name, &text[start..stop]);
        } else if self.is_foreign && is_plain_cdata(&text[start..stop]) {
            piece = Some((start, start + CDATA_START.len()));
            if text[start..stop].ends_with(CDATA_END) {
                self.pending = Some((stop - CDATA_END.len(), stop));
            } else {
                self.is_over = true;
            }
        }
        self.is_foreign = self.open_names.last().is_some_and(|open| !tables.sets.html_inside.has(*open));
        piece.unwrap_or((start, stop))
    }

    fn follow(&mut self, name: Name, tag: &[u8]) {
        let tables = self.tables;
        if tag[1] == b'/' {
            let reach = self.open_names.len().saturating_sub(REACH);
            if let Some(depth) = self.open_names[reach..].iter().rposition(|open| *open == name) {
                self.open_names.truncate(reach + depth);
            }
        } else if self.is_foreign && tables.sets.breaks_out.has(name) {
            while self.open_names.last().is_some_and(|open| !tables.sets.html_inside.has(*open)) {
                self.open_names.pop();
            }
        } else if !tag.ends_with(b"/>") && (tables.sets.foreign_roots.has(name) || self.is_foreign) {
            self.open_names.push(name);
        }
    }

    /// Where the piece ends that begins at a `<`, and its name, 0 for a comment or a name of no rule.
    fn piece_at(&self, start: usize) -> Result<Option<(usize, Name)>, OddlyCased> {
        let text = self.text;
        let Some(next) = text.get(start + 1).copied() else {
            return Ok(None);
        };
        let first = start + 1 + usize::from(next == b'/');
        if text.get(first).is_some_and(u8::is_ascii_alphabetic) {
            return self.tag_at(start, first).map(Some);
        }
        let stop = match next {
            b'!' if text[start..].starts_with(b"<!--") => comment_stop(text, start + 4),
            b'!' if self.is_foreign && text[start..].starts_with(CDATA_START) => {
                find_text(text, CDATA_END, start + CDATA_START.len()).map_or(text.len(), |at| at + 3)
            }
            b'!' | b'?' => find(text, b'>', start + 2).map_or(text.len(), |at| at + 1),
            b'/' if start + 2 < text.len() => find(text, b'>', start + 2).map_or(text.len(), |at| at + 1),
            _ => return Ok(None),
        };
        Ok(Some((stop, 0)))
    }

    fn tag_at(&self, start: usize, first: usize) -> Result<(usize, Name), OddlyCased> {
        let (tables, text) = (self.tables, self.text);
        let name_stop = name_stop(text, first);
        let written = &text[first..name_stop];
        if !written.is_ascii() && tables.classes.is_oddly_cased(written) {
            return Err(OddlyCased);
        }
        let name = tables.names.find(written).unwrap_or(0);
        let stop = attributes_stop(text, name_stop);
        let is_raw = !self.is_foreign
            && tables.sets.raw_text.has(name)
            && first == start + 1
            && name_stop < text.len();
        Ok((if is_raw { raw_text_stop(text, stop, tables.names.get(name)) } else { stop }, name))
    }
}

/// Where a tag's name ends that begins at a place.
pub fn name_stop(text: &[u8], first: usize) -> usize {
    let ends = |byte: &u8| is_html_space(*byte) || matches!(*byte, b'/' | b'>');
    text[first..].iter().position(ends).map_or(text.len(), |size| first + size)
}

/// An attribute of a tag: `text[name]`, `text[value]`, and where it stops.
pub struct Attribute {
    pub name: Range<usize>,
    pub value: Range<usize>,
    pub stop: usize,
}

/// The next attribute of a tag from a place on; none before its `>` or the end of the text.
///
/// A `=` where a name is expected begins that name, as the HTML standard has it.
pub fn attribute_at(text: &[u8], at: usize) -> Option<Attribute> {
    let separates = |byte: &u8| is_html_space(*byte) || *byte == b'/';
    let start = at + text.get(at..)?.iter().position(|byte| !separates(byte))?;
    if text[start] == b'>' {
        return None;
    }
    let ends = |byte: &u8| separates(byte) || matches!(*byte, b'>' | b'=');
    let stop = text[start + 1..].iter().position(ends).map_or(text.len(), |size| start + 1 + size);
    let name = start..stop;
    let equals = past_space(text, stop);
    if text.get(equals) != Some(&b'=') {
        return Some(Attribute { name, value: stop..stop, stop });
    }
    let first = past_space(text, equals + 1);
    let (value, stop) = match text.get(first) {
        Some(quote @ (b'"' | b'\'')) => match find(text, *quote, first + 1) {
            Some(close) => (first + 1..close, close + 1),
            None => (first + 1..text.len(), text.len()),
        },
        _ => {
            let stop = bare_stop(text, first);
            (first..stop, stop)
        }
    };
    Some(Attribute { name, value, stop })
}

/// Where a tag ends whose name ends at a place: behind its `>`, or with the text.
fn attributes_stop(text: &[u8], name_stop: usize) -> usize {
    let mut at = name_stop;
    for _ in 0..MAX_READ {
        match attribute_at(text, at) {
            Some(attribute) => at = attribute.stop,
            None => break,
        }
    }
    find(text, b'>', at).map_or(text.len(), |stop| stop + 1)
}

/// The first place from a place on that is no white space of HTML.
fn past_space(text: &[u8], at: usize) -> usize {
    let is_other = |byte: &u8| !is_html_space(*byte);
    text[at..].iter().position(is_other).map_or(text.len(), |size| at + size)
}

/// Where a value without quotes ends.
fn bare_stop(text: &[u8], at: usize) -> usize {
    let ends = |byte: &u8| is_html_space(*byte) || *byte == b'>';
    text[at..].iter().position(ends).map_or(text.len(), |size| at + size)
}

fn comment_stop(text: &[u8], first: usize) -> usize {
    if text[first..].starts_with(b">") {
        return first + 1;
    }
    if text[first..].starts_with(b"->") {
        return first + 2;
    }
    let mut at = first;
    while let Some(dash) = find(text, b'-', at) {
        if text[dash..].starts_with(b"-->") {
            return dash + 3;
        }
        if text[dash..].starts_with(b"--!>") {
            return dash + 4;
        }
        at = dash + 1;
    }
    text.len()
}

/// Whether a name stands at a place, in any case, with what ends a name behind it.
fn is_name_at(text: &[u8], at: usize, name: &[u8]) -> bool {
    let stop = at + name.len();
    text.get(stop).is_some_and(|byte| is_html_space(*byte) || matches!(*byte, b'/' | b'>'))
        && text[at..stop].eq_ignore_ascii_case(name)
}

fn raw_text_stop(text: &[u8], from: usize, name: &[u8]) -> usize {
    let mut at = from;
    while let Some(start) = find(text, b'<', at) {
        if text.get(start + 1) == Some(&b'/') && is_name_at(text, start + 2, name) {
            return start;
        }
        at = start + 1;
    }
    text.len()
}

fn is_plain_cdata(piece: &[u8]) -> bool {
    piece.starts_with(CDATA_START) && find(piece, b'<', 1).is_none()
}

/// Where the end tag of a script stands, by the states that the standard calls escaped.
fn end_of_script(text: &[u8], start: usize) -> usize {
    let mut at = start + tag_end(&text[start..]);
    let (mut is_escaped, mut is_doubled) = (false, false);
    while at < text.len() {
        let rest = &text[at..];
        if rest.starts_with(b"<!--") {
            is_escaped = true;
            at += 2;
        } else if rest.starts_with(b"-->") {
            (is_escaped, is_doubled) = (false, false);
            at += 3;
        } else if rest.starts_with(b"<") && is_name_at(text, at + 1, b"script") {
            is_doubled = is_escaped;
            at += 7;
        } else if rest.starts_with(b"</") && is_name_at(text, at + 2, b"script") {
            if !is_doubled {
                return at;
            }
            is_doubled = false;
            at += 8;
        } else {
            at += 1;
        }
    }
    text.len()
}

/// Where a tag ends in its piece, which may hold raw text behind it.
pub fn tag_end(piece: &[u8]) -> usize {
    let first = 1 + usize::from(piece.get(1) == Some(&b'/'));
    if !piece.get(first).is_some_and(u8::is_ascii_alphabetic) {
        return piece.len();
    }
    attributes_stop(piece, name_stop(piece, first))
}
