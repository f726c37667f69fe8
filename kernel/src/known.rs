//! What was read of tags and texts on earlier pages, since most recur: `TAGS` and `TEXTS` of `templcrawl/page/`,
//! in one table.  A full one is emptied before the next page.  What is known of a piece stands in one place, so that memory is waited
//! for once.

use crate::blob::Number;
use crate::tags::SPACE;
use crate::tokens::Form;
use crate::xxh3::{folded_product, u32_at, u64_at};
use std::hash::{BuildHasher, RandomState};

/// Bytes of a piece that is remembered.
const LONGEST_PIECE: usize = 400;
const MAX_PIECES: usize = 20_000;
/// Bytes of all pieces and their words.
const MAX_BYTES: usize = 1 << 22;
/// More than pieces, so that a search ends.
const SLOTS: usize = 1 << 15;

/// Upper half of a hash, place of a record + 1; 0 for an empty one.
pub type Slot = (u32, u32);

/// Pieces of pages, each with what was read of it.
pub struct Known {
    seeds: (u64, u64),
    slots: Vec<Slot>,
    /// Of each piece what was read of it, the piece, and the keys of its words.
    records: Vec<u8>,
    count: usize,
}

/// A record before its piece: what a form has, and the bytes of the piece and of the words.
type Head = [u64; 4];
const HEAD: usize = std::mem::size_of::<Head>();

impl Known {
    pub fn new() -> Known {
        let state = RandomState::new();
        Known {
            seeds: (state.hash_one(0), state.hash_one(1)),
            slots: vec![(0, 0); SLOTS],
            records: Vec::new(),
            count: 0,
        }
    }

    /// A hash of a piece that nobody outside of the process can foresee.
    pub fn hash(&self, piece: &[u8]) -> u64 {
        let size = piece.len();
        let mut hash = self.seeds.0 ^ size as u64;
        let mut mix =
            |low, high| hash = folded_product(hash ^ low, self.seeds.1 ^ high).rotate_left(23) ^ low;
        match size {
            0..=3 => mix(piece.iter().fold(0, |word, byte| word << 8 | u64::from(*byte)), 0),
            4..=7 => mix(u32_at(piece, 0), u32_at(piece, size - 4)),
            8..=15 => mix(u64_at(piece, 0), u64_at(piece, size - 8)),
            _ => {
                for at in (0..size - 16).step_by(16) {
                    mix(u64_at(piece, at), u64_at(piece, at + 8));
                }
                mix(u64_at(piece, size - 16), u64_at(piece, size - 8));
            }
        }
        folded_product(hash, self.seeds.1)
    }

    /// The first slot of a hash as it is now: to look at it early hides how long memory takes.
    pub fn first(&self, hash: u64) -> Slot {
        self.slots[hash as usize % SLOTS]
    }

    /// What was read of a piece, a text or a tag; append the keys of its words.
    ///
    /// `first` is the first slot of its hash.
    pub fn find(
        &self,
        hash: u64,
        first: Slot,
        piece: &[u8],
        is_text: bool,
        words: &mut Vec<u64>,
    ) -> Option<Form> {
        let (mut slot, mut found) = (hash as usize % SLOTS, first);
        loop {
            let (upper, place) = found;
            let start = (place as usize).checked_sub(1)?;
            if upper == (hash >> 32) as u32 {
                let (head, record) = self.records[start..].split_at(HEAD);
                let (form, size, of_words) = unpacked(std::array::from_fn(|at| u64_at(head, 8 * at)));
                if (form.kind <= SPACE) == is_text && record[..size] == *piece {
                    words.extend(record[size..size + of_words].chunks_exact(8).map(u64::read));
                    return Some(form);
                }
            }
            slot = (slot + 1) % SLOTS;
            found = self.slots[slot];
        }
    }

    fn is_full(&self) -> bool {
        self.count == MAX_PIECES || self.records.len() > MAX_BYTES
    }

    /// Forget all where there is no more room; between pages, so that first slots stay true.
    pub fn make_room(&mut self) {
        if self.is_full() {
            self.slots.fill((0, 0));
            self.records.clear();
            self.count = 0;
        }
    }

    /// Remember what was read of a piece that is not known, while there is room.
    pub fn add(&mut self, hash: u64, piece: &[u8], form: &Form, words: &[u64]) {
        if piece.len() > LONGEST_PIECE || self.is_full() {
            return;
        }
        self.count += 1;
        let mut slot = hash as usize % SLOTS;
        while self.slots[slot].1 != 0 {
            slot = (slot + 1) % SLOTS;
        }
        self.slots[slot] = ((hash >> 32) as u32, self.records.len() as u32 + 1);
        let head = packed(form, piece.len(), 8 * words.len());
        self.records.extend(head.iter().flat_map(|number| number.to_le_bytes()));
        self.records.extend_from_slice(piece);
        self.records.extend(words.iter().flat_map(|word| word.to_le_bytes()));
    }
}

fn packed(form: &Form, size: usize, of_words: usize) -> Head {
    let small = u32::from(form.kind) | u32::from(form.hints) << 8 | u32::from(form.traits) << 16;
    let small = u64::from(small) | u64::from(form.name) << 32;
    [small, form.key, form.step, u64::from(form.count as u32) | (size as u64) << 32 | (of_words as u64) << 48]
}

/// What a form has, and the bytes of its piece and of its words.
fn unpacked([small, key, step, counts]: Head) -> (Form, usize, usize) {
    let form = Form {
        kind: small as u8,
        hints: (small >> 8) as u8,
        traits: (small >> 16) as u16,
        name: (small >> 32) as u32,
        key,
        step,
        count: counts as i32,
        ..Form::default()
    };
    (form, (counts >> 32) as u16 as usize, (counts >> 48) as usize)
}
