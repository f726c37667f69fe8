//! What the markup around a text claims of it: `hints_of` and `names_furniture` of
//! `templcrawl/page/vocabulary.py`.
//!
//! The words and their bits come from there.  Whether class and id name furniture is asked of Python where
//! they hold one of a few words; answers are remembered.

use crate::chars::Classes;
use crate::names::{Name, NameSet, MAX_NAMES};
use crate::sections::Sections;
use std::collections::HashMap;

const MAX_ANSWERS: usize = 20_000;
const LONGEST_QUESTION: usize = 400;

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
    may_name: Vec<Vec<u8>>,
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
        let may_name = s.texts()?;
        let mut is_initial = [false; 256];
        for initial in may_name.iter().filter_map(|part| part.first()) {
            is_initial[initial.to_ascii_lowercase() as usize] = true;
            is_initial[initial.to_ascii_uppercase() as usize] = true;
        }
        Some(HintWords { bits, of_name, of_role, may_name, is_initial, never_named: s.set()? })
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

    /// Whether class and id hold, in any case, one of the words that may name furniture.
    fn holds_part(&self, names: &[u8]) -> bool {
        names.iter().enumerate().any(|(at, letter)| {
            self.is_initial[*letter as usize]
                && self.may_name.iter().any(|part| {
                    names.get(at..at + part.len()).is_some_and(|window| window.eq_ignore_ascii_case(part))
                })
        })
    }

    /// Whether Python is to be asked if class and id name furniture.
    pub fn may_be_named(&self, name: Name, names: &[u8]) -> bool {
        !self.never_named.has(name) && (self.holds_part(names) || may_lower_to_ascii(names))
    }
}

/// What Python has said of class and id, for those that may be met again.
#[derive(Default)]
pub struct Answers(HashMap<Box<[u8]>, bool>);

impl Answers {
    pub fn get(&self, names: &[u8]) -> Option<bool> {
        self.0.get(names).copied()
    }

    pub fn add(&mut self, names: &[u8], is_named: bool) {
        if names.len() <= LONGEST_QUESTION {
            if self.0.len() >= MAX_ANSWERS {
                self.0.clear();
            }
            self.0.insert(names.into(), is_named);
        }
    }
}

/// Whether a text holds one of the two characters outside of ASCII whose lower case begins in it.
pub fn may_lower_to_ascii(text: &[u8]) -> bool {
    !text.is_ascii() && (holds(text, "\u{130}".as_bytes()) || holds(text, "\u{212A}".as_bytes()))
}

fn holds(text: &[u8], part: &[u8]) -> bool {
    text.windows(part.len()).any(|window| window == part)
}
