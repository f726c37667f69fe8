//! Tag names as numbers: those of the vocabulary, and sets of them.

use crate::chars::ONES;
use crate::xxh3::{u32_at, u64_at};

/// Names that a set of names can hold: the vocabulary is not larger.
pub const MAX_NAMES: usize = 512;
/// Characters of a name of the vocabulary.
const LONGEST_NAME: usize = 16;
const SLOTS: usize = 2048;

/// Number of a tag name: that of the vocabulary, or one that only a page knows; 0 is no name.
pub type Name = u32;

/// A set of names of the vocabulary.
#[derive(Clone, Copy, Default)]
pub struct NameSet([u64; MAX_NAMES / 64]);

impl NameSet {
    #[inline]
    pub fn has(&self, name: Name) -> bool {
        let name = name as usize;
        name < MAX_NAMES && self.0[name / 64] >> (name % 64) & 1 != 0
    }

    pub fn of(names: &[u32]) -> Option<NameSet> {
        let mut set = NameSet::default();
        for &name in names {
            *set.0.get_mut(name as usize / 64)? |= 1 << (name % 64);
        }
        Some(set)
    }
}

/// The names of the vocabulary, found by a table of slots; the empty one is the first.
pub struct Names {
    written: Vec<Vec<u8>>,
    /// A name as one number, its bytes, and its number.
    slots: Vec<(u128, u32, Name)>,
}

impl Names {
    pub fn of(written: Vec<Vec<u8>>) -> Option<Names> {
        if written.len() > MAX_NAMES || written.first()? != b"" {
            return None;
        }
        let mut slots = vec![(0, 0, 0); SLOTS];
        for (number, name) in written.iter().enumerate().skip(1) {
            if name.is_empty() || name.len() > LONGEST_NAME || !name.is_ascii() {
                return None;
            }
            let mut slot = slot_of(packed(name));
            while slots[slot].0 != 0 {
                slot = (slot + 1) % SLOTS;
            }
            slots[slot] = (packed(name), name.len() as u32, number as Name);
        }
        Some(Names { written, slots })
    }

    /// How many names there are, the empty one included.
    pub fn len(&self) -> usize {
        self.written.len()
    }

    pub fn get(&self, name: Name) -> &[u8] {
        &self.written[name as usize]
    }

    /// The number of a name in any case, if it is of the vocabulary.
    #[inline]
    pub fn find(&self, written: &[u8]) -> Option<Name> {
        if written.len() > LONGEST_NAME || written.is_empty() {
            return None;
        }
        let packed = packed(written);
        let mut slot = slot_of(packed);
        loop {
            let (other, size, name) = self.slots[slot];
            if other == packed {
                return (size as usize == written.len()).then_some(name);
            }
            if other == 0 {
                return None;
            }
            slot = (slot + 1) % SLOTS;
        }
    }
}

/// A short name in lower case as one number; 0 only for none.
#[inline]
fn packed(written: &[u8]) -> u128 {
    let size = written.len();
    match size {
        0..=3 => lower(written.iter().rfold(0, |word, byte| word << 8 | u64::from(*byte))).into(),
        4..=7 => lower(u32_at(written, 0) | u32_at(written, size - 4) << (8 * (size - 4))).into(),
        8 => lower(u64_at(written, 0)).into(),
        _ => {
            let (first, last) = (lower(u64_at(written, 0)), lower(u64_at(written, size - 8)));
            u128::from(first) | u128::from(last) << (8 * (size - 8))
        }
    }
}

/// Eight bytes in lower case.
#[inline]
fn lower(word: u64) -> u64 {
    let from = |byte: u8| (word & (0x7F * ONES)) + u64::from(0x80 - byte) * ONES;
    let is_capital = from(b'A') & !from(b'Z' + 1) & !word & (0x80 * ONES);
    word | is_capital >> 2
}

#[inline]
fn slot_of(packed: u128) -> usize {
    let folded = (packed as u64) ^ ((packed >> 64) as u64).rotate_left(23);
    (folded.wrapping_mul(0x9E37_79B9_7F4A_7C15) >> 53) as usize % SLOTS
}
