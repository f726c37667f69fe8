//! What was read of tags and texts on earlier pages, since most recur: `TAGS` and `TEXTS` of `templcrawl/page/`,
//! in one table.  A full one is emptied.

use crate::tags::SPACE;
use crate::tokens::Form;
use crate::xxh3::{folded_product, u32_at, u64_at};
use std::hash::{BuildHasher, RandomState};

/// Bytes of a piece that is remembered.
const LONGEST_PIECE: usize = 400;
const MAX_PIECES: usize = 20_000;
/// Words of all pieces, of 8 bytes each.
const MAX_WORDS: usize = 1 << 19;
/// More than pieces, so that a search ends.
const SLOTS: usize = 1 << 15;

/// Upper half of a hash, number of a form + 1; 0 for an empty one.
pub type Slot = (u32, u32);

/// Pieces of pages, each with what was read of it.
pub struct Known {
    seeds: (u64, u64),
    slots: Vec<Slot>,
    /// `start` and `stop` of these are of `pieces`.
    forms: Vec<Form>,
    pieces: Vec<u8>,
    words: Vec<u64>,
}

impl Known {
    pub fn new() -> Known {
        let state = RandomState::new();
        Known {
            seeds: (state.hash_one(0), state.hash_one(1)),
            slots: vec![(0, 0); SLOTS],
            forms: Vec::new(),
            pieces: Vec::new(),
            words: Vec::new(),
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

    /// What was read of a piece, a text or a tag, and its words; `first` is the first slot of its hash.
    pub fn find(&self, hash: u64, first: Slot, piece: &[u8], is_text: bool) -> Option<(&Form, &[u64])> {
        let (mut slot, mut found) = (hash as usize % SLOTS, first);
        loop {
            let (upper, number) = found;
            let form = self.forms.get((number as usize).checked_sub(1)?)?;
            let is_same = || (form.kind <= SPACE) == is_text && form.text(&self.pieces) == piece;
            if upper == (hash >> 32) as u32 && is_same() {
                return Some((form, form.words(&self.words)));
            }
            slot = (slot + 1) % SLOTS;
            found = self.slots[slot];
        }
    }

    /// Remember what was read of a piece that is not known.
    pub fn add(&mut self, hash: u64, piece: &[u8], form: &Form, words: &[u64]) {
        if piece.len() > LONGEST_PIECE {
            return;
        }
        if self.forms.len() == MAX_PIECES || self.words.len() > MAX_WORDS {
            self.slots.fill((0, 0));
            self.forms.clear();
            self.pieces.clear();
            self.words.clear();
        }
        let (start, words_start) = (self.pieces.len() as u32, self.words.len() as u32);
        self.pieces.extend_from_slice(piece);
        self.words.extend_from_slice(words);
        let (stop, words_stop) = (self.pieces.len() as u32, self.words.len() as u32);
        self.forms.push(Form { start, stop, words_start, words_stop, ..*form });
        let mut slot = hash as usize % SLOTS;
        while self.slots[slot].1 != 0 {
            slot = (slot + 1) % SLOTS;
        }
        self.slots[slot] = ((hash >> 32) as u32, self.forms.len() as u32);
    }
}
