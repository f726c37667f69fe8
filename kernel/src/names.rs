//! Tag names as numbers: those of the vocabulary, and sets of them.

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
    slots: Vec<(u128, Name)>,
}

impl Names {
    pub fn of(written: Vec<Vec<u8>>) -> Option<Names> {
        if written.len() > MAX_NAMES || written.first()? != b"" {
            return None;
        }
        let mut slots = vec![(0, 0); SLOTS];
        for (number, name) in written.iter().enumerate().skip(1) {
            if name.is_empty() || name.len() > LONGEST_NAME || !name.is_ascii() {
                return None;
            }
            let mut slot = slot_of(packed(name));
            while slots[slot].0 != 0 {
                slot = (slot + 1) % SLOTS;
            }
            slots[slot] = (packed(name), number as Name);
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
            let (other, name) = self.slots[slot];
            if other == packed {
                return (self.get(name).len() == written.len()).then_some(name);
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
    const EACH: u128 = u128::MAX / 0xFF; // the lowest bit of each byte
    let mut bytes = [0; LONGEST_NAME];
    bytes[..written.len()].copy_from_slice(written);
    let word = u128::from_le_bytes(bytes);
    let from = |byte: u8| (word & (0x7F * EACH)) + u128::from(0x80 - byte) * EACH;
    let is_capital = from(b'A') & !from(b'Z' + 1) & !word & (0x80 * EACH);
    word | is_capital >> 2
}

#[inline]
fn slot_of(packed: u128) -> usize {
    let folded = (packed as u64) ^ ((packed >> 64) as u64).rotate_left(23);
    (folded.wrapping_mul(0x9E37_79B9_7F4A_7C15) >> 53) as usize % SLOTS
}
