//! Text as it is written for `render.rs`: lines, and what is markup in a text.

use crate::chars::{decode, find, ODD, SPACE};
use crate::tables::Tables;

/// Append a text with what is markup in it escaped.
pub fn escape(text: &[u8], html: &mut Vec<u8>) {
    for byte in text {
        match byte {
            b'&' => html.extend_from_slice(b"&amp;"),
            b'<' => html.extend_from_slice(b"&lt;"),
            b'>' => html.extend_from_slice(b"&gt;"),
            _ => html.push(*byte),
        }
    }
}

/// Bytes that are looked at together.
const CHUNK: usize = 32;

/// Whether a byte is, or may begin, what is not storable.
fn may_not_be_stored(byte: u8) -> bool {
    let is_control = byte < b' ' && !matches!(byte, b'\t' | b'\n' | b'\r');
    is_control | (byte == 0x7F) | (byte == 0xC2) | (byte == 0xED) | (byte == 0xEF)
}

/// Put what can be stored in place of what cannot: `storable` of `templcrawl/page/text.py`.
pub fn make_storable(tables: &Tables, text: &mut Vec<u8>) {
    let any_of = |chunk: &[u8]| chunk.iter().fold(false, |any, byte| any | may_not_be_stored(*byte));
    let (mut stored, mut start, mut at) = (Vec::new(), 0, 0);
    while at < text.len() {
        if text.get(at..at + CHUNK).is_some_and(|chunk| !any_of(chunk)) {
            at += CHUNK;
            continue;
        }
        let is_inside = text[at] & 0xC0 == 0x80; // of a character that began in a chunk that can be stored
        let (character, size) = if is_inside { (u32::MAX, 1) } else { decode(text, at) };
        if matches!(character, 0..=8 | 11 | 12 | 14..=31 | 127..=159 | 0xD800..=0xDFFF | 0xFFFE | 0xFFFF) {
            stored.extend_from_slice(&text[start..at]);
            let is_space = tables.classes.of(character) & SPACE != 0;
            stored.extend_from_slice(if is_space { b" " } else { "\u{FFFD}".as_bytes() });
            start = at + size;
        }
        at += size;
    }
    if start > 0 {
        stored.extend_from_slice(&text[start..]);
        *text = stored;
    }
}

/// A text with a space for each tag.
pub fn without_tags(text: &[u8]) -> Vec<u8> {
    let mut kept = Vec::with_capacity(text.len());
    let mut at = 0;
    while let Some(start) = find(text, b'<', at) {
        kept.extend_from_slice(&text[at..start]);
        let stop = text[start + 1..].iter().position(|byte| matches!(byte, b'<' | b'>'));
        let stop = stop.map_or(text.len(), |size| start + 1 + size);
        if text.get(stop) == Some(&b'>') {
            kept.push(b' ');
            at = stop + 1;
        } else {
            kept.extend_from_slice(&text[start..stop]);
            at = stop;
        }
    }
    kept.extend_from_slice(&text[at..]);
    kept
}

/// Text that grows run by run and breaks into lines.
pub struct Lines<'a> {
    pub tables: &'a Tables,
    pub text: &'a mut Vec<u8>,
    pub line: Vec<u8>,
    pub in_pre: bool,
}

impl Lines<'_> {
    pub fn decode(&mut self, run: &[u8], decoded: &mut Vec<u8>) {
        let tables = self.tables;
        let mut run = run;
        if find(run, b'&', 0).is_some() {
            decoded.clear();
            tables.entities.unescape(run, decoded);
            run = decoded;
        }
        if run.is_ascii() || !tables.classes.any(run, ODD) {
            self.write(run);
        } else {
            self.write(&tables.normal.without_unseen(run));
        }
    }

    pub fn write(&mut self, run: &[u8]) {
        if !self.in_pre {
            self.line.extend_from_slice(run);
            return;
        }
        for (number, part) in run.split(|byte| *byte == b'\n').enumerate() {
            if number > 0 {
                self.end_line();
            }
            self.line.extend_from_slice(part);
        }
    }

    pub fn write_gap(&mut self) {
        if !self.in_pre {
            self.line.push(b' ');
        }
    }

    pub fn end_line(&mut self) {
        let classes = &self.tables.classes;
        let start = self.text.len();
        if start > 0 {
            self.text.push(b'\n');
        }
        let first = self.text.len();
        if self.in_pre {
            self.text.extend_from_slice(classes.trim_end(&self.line));
        } else {
            classes.fold(&self.line, self.text);
        }
        if self.text.len() == first {
            self.text.truncate(start);
        }
        self.line.clear();
    }
}
