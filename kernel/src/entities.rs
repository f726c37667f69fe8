//! Character references decoded, as `templcrawl/page/text.py` does: `unescape` and `attribute_text`.

use crate::chars::{decode, encode, find};
use crate::sections::Sections;
use std::collections::HashMap;

/// What a number beyond all characters reads as.
const BEYOND: u32 = 0x11_0000;
const MAX_DIGITS: usize = 7;
const LONGEST_REFERENCE: usize = 32;

/// The named references of HTML, and the numbers that stand for something else than their character.
pub struct Entities {
    named: HashMap<Vec<u8>, Vec<u8>>,
    numbers: HashMap<u32, Vec<u8>>,
}

impl Entities {
    pub fn read(sections: &mut Sections) -> Option<Entities> {
        let names = sections.texts()?;
        let values = sections.texts()?;
        let numbers = sections.numbers()?;
        let texts = sections.texts()?;
        if names.len() != values.len() || numbers.len() != texts.len() {
            return None;
        }
        Some(Entities {
            named: names.into_iter().zip(values).collect(),
            numbers: numbers.into_iter().zip(texts).collect(),
        })
    }

    /// Append what a text stands for.
    pub fn unescape(&self, text: &[u8], decoded: &mut Vec<u8>) {
        let mut at = 0;
        while let Some(start) = find(text, b'&', at) {
            decoded.extend_from_slice(&text[at..start]);
            at = match text.get(start + 1) {
                Some(b'#') => self.number(text, start, true, decoded),
                _ => self.name(text, start, decoded),
            };
        }
        decoded.extend_from_slice(text.get(at..).unwrap_or(b""));
    }

    /// Append what the value of an attribute stands for.
    pub fn attribute_text(&self, text: &[u8], decoded: &mut Vec<u8>) {
        let mut at = 0;
        while let Some(start) = find(text, b'&', at) {
            decoded.extend_from_slice(&text[at..start]);
            at = match text.get(start + 1) {
                Some(b'#') => self.number(text, start, false, decoded),
                Some(letter) if letter.is_ascii_alphabetic() => self.attribute_name(text, start, decoded),
                _ => {
                    decoded.push(b'&');
                    start + 1
                }
            };
        }
        decoded.extend_from_slice(text.get(at..).unwrap_or(b""));
    }

    /// Decode `&#...`, return where it ends.
    ///
    /// A decimal number that is too long is written as a hexadecimal one before a text is decoded, so that
    /// letters behind it which are such digits belong to it.
    fn number(&self, text: &[u8], start: usize, in_text: bool, decoded: &mut Vec<u8>) -> usize {
        let is_hex = matches!(text.get(start + 2), Some(b'x' | b'X'));
        let first = start + 2 + usize::from(is_hex);
        let is_digit = |byte: &u8| if is_hex { byte.is_ascii_hexdigit() } else { byte.is_ascii_digit() };
        let digits = text[first.min(text.len())..].iter().take_while(|byte| is_digit(byte)).count();
        if digits == 0 {
            decoded.push(b'&');
            return start + 1;
        }
        let mut stop = first + digits;
        let zeros = text[first..stop].iter().take_while(|byte| **byte == b'0').count();
        let mut number = BEYOND;
        if digits - zeros <= MAX_DIGITS {
            let base = if is_hex { 16 } else { 10 };
            number = text[first + zeros..stop]
                .iter()
                .fold(0, |number, digit| number * base + char::from(*digit).to_digit(16).unwrap_or(0));
        } else if in_text {
            stop += text[stop..].iter().take_while(|byte| byte.is_ascii_hexdigit()).count();
        }
        number = number.min(BEYOND);
        match self.numbers.get(&number) {
            Some(other) => decoded.extend_from_slice(other),
            None => encode(number, decoded),
        }
        stop + usize::from(text.get(stop) == Some(&b';'))
    }

    /// Decode `&name` in a text, return where it ends: the longest name that is known counts.
    fn name(&self, text: &[u8], start: usize, decoded: &mut Vec<u8>) -> usize {
        let first = start + 1;
        let mut stop = first;
        let mut characters = 0;
        while characters < LONGEST_REFERENCE && stop < text.len() && !ends_reference(text[stop]) {
            stop = (stop + decode(text, stop).1).min(text.len());
            characters += 1;
        }
        if characters > 0 && text.get(stop) == Some(&b';') {
            stop += 1;
        }
        let ascii = text[first..stop].iter().take_while(|byte| byte.is_ascii()).count();
        for size in (2..=ascii).rev() {
            if let Some(value) = self.named.get(&text[first..first + size]) {
                decoded.extend_from_slice(value);
                decoded.extend_from_slice(&text[first + size..stop]);
                return stop;
            }
        }
        decoded.extend_from_slice(&text[start..stop]);
        stop
    }

    /// Decode `&name` in an attribute, return where it ends.
    fn attribute_name(&self, text: &[u8], start: usize, decoded: &mut Vec<u8>) -> usize {
        let letters = text[start + 1..].iter().take_while(|byte| byte.is_ascii_alphanumeric()).count();
        let mut stop = start + 1 + letters;
        match text.get(stop) {
            Some(b';') => stop += 1,
            Some(b'=') => {
                decoded.push(b'&');
                return start + 1;
            }
            _ => {}
        }
        match self.named.get(&text[start + 1..stop]) {
            Some(value) => decoded.extend_from_slice(value),
            None => decoded.extend_from_slice(&text[start..stop]),
        }
        stop
    }
}

fn ends_reference(byte: u8) -> bool {
    matches!(byte, b'\t' | b'\n' | 0x0C | b' ' | b'<' | b'&' | b'#' | b';')
}
