//! What the markup around a text claims of it: `hints_of` and `names_furniture` of
//! `templcrawl/page/vocabulary.py`.
//! The words and their bits come from there.

use crate::chars::{decode, Classes};
use crate::names::{Name, NameSet, MAX_NAMES};
use crate::sections::Sections;
use std::collections::HashMap;

/// Bits of hints, by their names in Python.
pub struct Bits {
    pub linked: u8,
    pub furniture: u8,
    pub named: u8,
    pub article: u8,
    pub title: u8,
    pub page_part: u8,
    pub listed: u8,
    pub all: u8,
}

pub struct HintWords {
    pub bits: Bits,
    /// Name of the vocabulary -> its bits.
    of_name: Vec<u8>,
    of_role: HashMap<Vec<u8>, u8>,
    named_by_start: Vec<Vec<u8>>,
    named_by_word: Vec<Vec<u8>>,
    /// Byte -> whether one of those words begins with it.
    is_initial: [bool; 256],
    never_named: NameSet,
}

impl HintWords {
    pub fn read(s: &mut Sections) -> Option<HintWords> {
        let bits = s.numbers()?;
        let bit = |index: usize| bits.get(index).map(|bit| *bit as u8);
        let bits = Bits {
            linked: bit(0)?,
            furniture: bit(1)?,
            named: bit(2)?,
            article: bit(3)?,
            title: bit(4)?,
            page_part: bit(5)?,
            listed: bit(6)?,
            all: bit(7)?,
        };
        let mut of_name = vec![0; MAX_NAMES];
        for pair in s.numbers()?.chunks_exact(2) {
            *of_name.get_mut(pair[0] as usize)? = pair[1] as u8;
        }
        let roles = s.texts()?;
        let of_role = roles.into_iter().zip(s.numbers()?.into_iter().map(|bit| bit as u8)).collect();
        let (named_by_start, named_by_word) = (s.texts()?, s.texts()?);
        let mut is_initial = [false; 256];
        for initial in named_by_start.iter().chain(&named_by_word).filter_map(|word| word.first()) {
            is_initial[initial.to_ascii_lowercase() as usize] = true;
            is_initial[initial.to_ascii_uppercase() as usize] = true;
        }
        let never_named = s.set()?;
        Some(HintWords { bits, of_name, of_role, named_by_start, named_by_word, is_initial, never_named })
    }

    /// The bits that a start tag's name gives.
    pub fn of_name(&self, name: Name, has_href: bool) -> u8 {
        let bits = self.of_name.get(name as usize).copied().unwrap_or(0);
        if bits == self.bits.linked && !has_href {
            0
        } else {
            bits
        }
    }

    /// The bits of the first role that is known.
    pub fn of_role(&self, role: &[u8], classes: &Classes) -> u8 {
        if role.is_empty() {
            return 0;
        }
        let lower = role.to_ascii_lowercase();
        let mut known = classes.split(&lower).filter_map(|word| self.of_role.get(word));
        known.next().copied().unwrap_or(0)
    }

    /// Whether words of class and id are those of a header, a footer or a navigation bar.
    pub fn names_furniture(&self, name: Name, names: &[u8]) -> bool {
        let begins = |at: usize| at == 0 || !names[at - 1].is_ascii_alphabetic();
        let starts = |at: usize| self.named_by_start.iter().any(|word| stop_of(word, names, at).is_some());
        let is_word = |at: usize| {
            self.named_by_word
                .iter()
                .filter_map(|word| stop_of(word, names, at))
                .any(|stop| is_end(names, stop))
        };
        let mut places = (0..names.len()).filter(|at| self.is_initial[names[*at] as usize] && begins(*at));
        !self.never_named.has(name) && places.any(|at| starts(at) || is_word(at))
    }
}

/// Where a word ends that begins at a place, in any case as Python's patterns take it.
fn stop_of(word: &[u8], text: &[u8], mut at: usize) -> Option<usize> {
    for letter in word {
        let (character, size) = if at < text.len() { decode(text, at) } else { return None };
        let lower = match character {
            0x130 | 0x131 => b'i',
            0x17F => b's',
            0x212A => b'k',
            _ => u8::try_from(character).ok()?.to_ascii_lowercase(),
        };
        if lower != *letter {
            return None;
        }
        at += size;
    }
    Some(at)
}

/// Whether a word ends at a place: before a capital, unless a capital stands before that, or no letter.
fn is_end(text: &[u8], stop: usize) -> bool {
    let next = text.get(stop).copied().unwrap_or(0);
    !next.is_ascii_lowercase() && !(next.is_ascii_uppercase() && text[stop - 1].is_ascii_uppercase())
}
