//! Characters of a text in UTF-8 with half surrogates (Python's `surrogatepass`), and Python's own classes
//! of them: `str.isspace`, `\w`, `\d` and those that `count_words` takes for words by themselves.
//!
//! The kernel knows no character by itself: the running Python says which ranges are what.

use crate::sections::Sections;
use std::collections::HashMap;

pub const SPACE: u8 = 1;
pub const WORD: u8 = 2;
pub const DIGIT: u8 = 4;
pub const WIDE: u8 = 8;
/// Characters that `str.lower` changes.
pub const CASED: u8 = 16;
/// Characters that are not seen, or that a normalisation may change.
pub const ODD: u8 = 32;
/// Of a byte: the character begins outside of ASCII, and more than this byte says its classes.
pub const ELSEWHERE: u8 = 128;

/// Eight bytes at once: the lowest and the highest bit of each.
pub const ONES: u64 = 0x0101_0101_0101_0101;
const TOPS: u64 = 0x8080_8080_8080_8080;

const BLOCK: usize = 256;
const CHARACTERS: usize = 0x11_0000;

/// Character -> the classes that it is in, in two steps: equal blocks are kept once.
pub struct Classes {
    /// Byte -> the classes of the character that it is, or `ELSEWHERE`.
    bytes: [u8; 256],
    block_of: Vec<u16>,
    blocks: Vec<[u8; BLOCK]>,
}

impl Classes {
    /// Read the ranges of the six classes, in the order of their bits.
    pub fn read(sections: &mut Sections) -> Option<Classes> {
        let mut flags = vec![0u8; CHARACTERS];
        for class in [SPACE, WORD, DIGIT, WIDE, CASED, ODD] {
            for range in sections.numbers()?.chunks_exact(2) {
                let (start, stop) = (range[0] as usize, range[1] as usize);
                flags.get_mut(start..stop)?.iter_mut().for_each(|flag| *flag |= class);
            }
        }
        let mut bytes = [ELSEWHERE; 256];
        bytes[..128].copy_from_slice(&flags[..128]);
        let mut numbers: HashMap<[u8; BLOCK], u16> = HashMap::new();
        let mut blocks = Vec::new();
        let mut block_of = Vec::with_capacity(CHARACTERS / BLOCK);
        for chunk in flags.chunks_exact(BLOCK) {
            let mut block = [0; BLOCK];
            block.copy_from_slice(chunk);
            block_of.push(*numbers.entry(block).or_insert_with(|| {
                blocks.push(block);
                (blocks.len() - 1) as u16
            }));
        }
        Some(Classes { bytes, block_of, blocks })
    }

    /// The classes of the character at a place, and its bytes.
    #[inline(always)]
    pub fn at(&self, text: &[u8], at: usize) -> (u8, usize) {
        let class = self.bytes[text[at] as usize];
        if class != ELSEWHERE {
            return (class, 1);
        }
        self.elsewhere(text, at)
    }

    #[inline(never)]
    fn elsewhere(&self, text: &[u8], at: usize) -> (u8, usize) {
        let (character, size) = decode(text, at);
        (self.of(character), size)
    }

    /// The classes of a character.
    pub fn of(&self, character: u32) -> u8 {
        let block = self.block_of.get(character as usize / BLOCK).copied().unwrap_or(0);
        self.blocks[block as usize][character as usize % BLOCK]
    }

    /// Whether a text has nothing but white space in it, as `str.isspace`; the text is not empty.
    pub fn is_space(&self, text: &[u8]) -> bool {
        self.past_space(text, 0) == text.len()
    }

    /// The first place from a place on whose character is no white space.
    #[inline]
    fn past_space(&self, text: &[u8], mut at: usize) -> usize {
        while at < text.len() {
            let (class, size) = self.at(text, at);
            if class & SPACE == 0 {
                return at;
            }
            at += size;
        }
        text.len()
    }

    /// The first place from a place on whose character is white space.
    #[inline]
    fn word_stop(&self, text: &[u8], mut at: usize) -> usize {
        while at < text.len() {
            if let Some(letters) = letters_of_eight(text, at).filter(|letters| *letters > 0) {
                at += letters;
                continue;
            }
            let (class, size) = self.at(text, at);
            if class & SPACE != 0 {
                return at;
            }
            at += size;
        }
        text.len()
    }

    /// Whether `str.lower` changes more of a text than its ASCII letters.
    pub fn is_oddly_cased(&self, text: &[u8]) -> bool {
        self.any(text, CASED)
    }

    /// Whether a character outside of ASCII is of a class.
    pub fn any(&self, text: &[u8], wanted: u8) -> bool {
        let mut at = 0;
        while at < text.len() {
            if text[at] < 128 {
                at += 1;
                continue;
            }
            let (class, size) = self.at(text, at);
            if class & wanted != 0 {
                return true;
            }
            at += size;
        }
        false
    }

    /// The words of a text, as `str.split` gives them.
    pub fn split<'a>(&'a self, text: &'a [u8]) -> Split<'a> {
        Split { classes: self, text, at: 0 }
    }

    /// Append a text with its white space folded, as `" ".join(text.split())`.
    ///
    /// What is folded already is copied as it is, from one white space that is not to the next.
    pub fn fold(&self, text: &[u8], folded: &mut Vec<u8>) {
        let mut start = self.past_space(text, 0);
        let (mut at, mut before) = (start, 0);
        while at < text.len() {
            if let Some(last) = folded_eight(text, at, before & SPACE) {
                at += 8;
                before = last;
                continue;
            }
            let (class, size) = self.at(text, at);
            if class & (before | u8::from(text[at] != b' ')) & SPACE == 0 {
                before = class;
                at += size;
                continue;
            }
            folded.extend_from_slice(&text[start..at - usize::from(before & SPACE)]);
            at = self.past_space(text, at);
            if at < text.len() {
                folded.push(b' ');
            }
            (start, before) = (at, 0);
        }
        folded.extend_from_slice(&text[start..text.len() - usize::from(before & SPACE)]);
    }

    /// A text without white space at its end, as `str.rstrip`.
    pub fn trim_end<'a>(&self, text: &'a [u8]) -> &'a [u8] {
        let mut stop = text.len();
        while stop > 0 {
            let mut start = stop - 1;
            while start > 0 && text[start] & 0xC0 == 0x80 {
                start -= 1;
            }
            if self.at(text, start).0 & SPACE == 0 {
                break;
            }
            stop = start;
        }
        &text[..stop]
    }

    /// A text without white space around it, as `str.strip`.
    pub fn trim<'a>(&self, text: &'a [u8]) -> &'a [u8] {
        let start = self.past_space(text, 0);
        self.trim_end(&text[start..])
    }
}

/// Words between white space.
pub struct Split<'a> {
    classes: &'a Classes,
    text: &'a [u8],
    at: usize,
}

impl<'a> Iterator for Split<'a> {
    type Item = &'a [u8];

    fn next(&mut self) -> Option<&'a [u8]> {
        let start = self.classes.past_space(self.text, self.at);
        self.at = self.classes.word_stop(self.text, start);
        (start < self.at).then(|| &self.text[start..self.at])
    }
}

/// The character at a place and how many bytes it has; what is missing of it reads as zero bits.
#[inline]
pub fn decode(text: &[u8], at: usize) -> (u32, usize) {
    let first = u32::from(text[at]);
    let rest = |index: usize| u32::from(text.get(at + index).copied().unwrap_or(0) & 0x3F);
    match first {
        0..=0x7F => (first, 1),
        0x80..=0xDF => ((first & 0x1F) << 6 | rest(1), 2),
        0xE0..=0xEF => ((first & 0x0F) << 12 | rest(1) << 6 | rest(2), 3),
        _ => ((first & 0x07) << 18 | rest(1) << 12 | rest(2) << 6 | rest(3), 4),
    }
}

/// Append a character.
pub fn encode(character: u32, text: &mut Vec<u8>) {
    let tail = |shift: u32| (character >> shift & 0x3F) as u8 | 0x80;
    match character {
        0..=0x7F => text.push(character as u8),
        0x80..=0x7FF => text.extend([(character >> 6) as u8 | 0xC0, tail(0)]),
        0x800..=0xFFFF => text.extend([(character >> 12) as u8 | 0xE0, tail(6), tail(0)]),
        _ => text.extend([(character >> 18) as u8 | 0xF0, tail(12), tail(6), tail(0)]),
    }
}

/// How many characters a text has.
pub fn count(text: &[u8]) -> usize {
    let chunks = text.chunks_exact(8);
    let of_rest = chunks.remainder().iter().filter(|byte| **byte & 0xC0 == 0x80).count();
    let inner = |chunk| {
        let word = u64_of(chunk);
        (word & !(word << 1) & TOPS).count_ones() as usize // the highest bit without the next
    };
    text.len() - of_rest - chunks.map(inner).sum::<usize>()
}

/// White space of HTML, which is also what `\s` is to Python's patterns in ASCII.
#[inline]
pub fn is_html_space(byte: u8) -> bool {
    matches!(byte, b' ' | b'\t' | b'\n' | b'\r' | 0x0B | 0x0C)
}

/// `SPACE` if the last of eight bytes is white space, else 0; None if there is anything in them but printed
/// ASCII and lone spaces (or if there are no eight).
#[inline]
fn folded_eight(text: &[u8], at: usize, is_after_space: u8) -> Option<u8> {
    let word = u64_of(text.get(at..at + 8)?);
    let spaces = equal(word, b' ');
    let doubled = spaces & (spaces << 8 | u64::from(is_after_space) << 7);
    (controls(word) | word & TOPS | doubled == 0).then_some((spaces >> 63) as u8 * SPACE)
}

/// How many words begin in eight bytes, and whether spaces stand side by side, given the classes of the
/// character before; None if there is anything in them but printed ASCII, or a wide character before them (or
/// if there are no eight).
#[inline]
pub fn words_of_eight(text: &[u8], at: usize, before: u8) -> Option<(i32, bool)> {
    let word = u64_of(text.get(at..at + 8)?);
    if controls(word) | word & TOPS | u64::from(before & WIDE) != 0 {
        return None;
    }
    let from = |word: u64, byte: u8| word + (0x80 - u64::from(byte)) * ONES;
    let lower = word | (0x20 * ONES);
    let letters = from(lower, b'a') & !from(lower, b'z' + 1);
    let digits = from(word, b'0') & !from(word, b'9' + 1);
    let named = ((letters | digits) & TOPS) | equal(word, b'_');
    let spaces = equal(word, b' ');
    let after = |bytes: u64, class: u8| bytes << 8 | u64::from(before & class > 0) << 7;
    let begun = named & !after(named, WORD);
    Some((begun.count_ones() as i32, spaces & after(spaces, SPACE) > 0))
}

/// The highest bit of each of eight bytes that are a byte of ASCII.
#[inline]
fn equal(word: u64, byte: u8) -> u64 {
    let others = word ^ (u64::from(byte) * ONES);
    !(((others & !TOPS) + !TOPS) | others | !TOPS)
}

/// Not 0 if any of eight bytes of ASCII is not printed.
#[inline]
fn controls(word: u64) -> u64 {
    word.wrapping_sub(0x20 * ONES) & !word & TOPS
}

/// How many of eight bytes are printed ASCII without a space, until one is not; None if there are no eight.
#[inline]
fn letters_of_eight(text: &[u8], at: usize) -> Option<usize> {
    let word = u64_of(text.get(at..at + 8)?);
    let others = (word.wrapping_sub(0x21 * ONES) & !word | word) & TOPS;
    Some((others.trailing_zeros() / 8) as usize)
}

fn u64_of(bytes: &[u8]) -> u64 {
    let mut word = [0; 8];
    word.copy_from_slice(bytes);
    u64::from_le_bytes(word)
}

/// The first place of a byte from a place on.
#[inline]
pub fn find(text: &[u8], byte: u8, from: usize) -> Option<usize> {
    let tail = text.get(from..)?;
    let wanted = ONES * u64::from(byte);
    let mut at = 0;
    for chunk in tail.chunks_exact(8) {
        let zeros = u64_of(chunk) ^ wanted;
        let hits = zeros.wrapping_sub(ONES) & !zeros & TOPS;
        if hits != 0 {
            return Some(from + at + (hits.trailing_zeros() / 8) as usize);
        }
        at += 8;
    }
    tail[at..].iter().position(|other| *other == byte).map(|index| from + at + index)
}

/// The first place of a text in another, from a place on.
pub fn find_text(text: &[u8], wanted: &[u8], from: usize) -> Option<usize> {
    let mut at = from;
    while let Some(start) = find(text, wanted[0], at) {
        if text[start..].starts_with(wanted) {
            return Some(start);
        }
        at = start + 1;
    }
    None
}
