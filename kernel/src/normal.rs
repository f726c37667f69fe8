//! Normalisation Form C of Unicode, as `unicodedata.normalize`, and text as a reader sees it: `templcrawl/page/text.py`.
//!
//! What Python knows of characters comes from there; only the syllables of Hangul are computed
//! (Unicode Standard, section 3.12).

use crate::chars::{decode, encode};
use crate::sections::Sections;
use std::collections::{HashMap, HashSet};

const SYLLABLES: u32 = 0xAC00;
const LEADS: u32 = 0x1100;
const VOWELS: u32 = 0x1161;
const TAILS: u32 = 0x11A7;
const LEAD_COUNT: u32 = 19;
const VOWEL_COUNT: u32 = 21;
const TAIL_COUNT: u32 = 28;

pub struct Normal {
    unseen: HashSet<u32>,
    /// Character -> its canonical combining class, where that is not 0.
    classes: HashMap<u32, u32>,
    decomposed: HashMap<u32, Vec<u32>>,
    composed: HashMap<(u32, u32), u32>,
}

impl Normal {
    pub fn read(s: &mut Sections) -> Option<Normal> {
        let unseen = s.numbers()?.into_iter().collect();
        let classes = s.numbers()?.chunks_exact(2).map(|pair| (pair[0], pair[1])).collect();
        let (characters, texts) = (s.numbers()?, s.texts()?);
        let decomposed = characters.into_iter().zip(texts.iter().map(|text| characters_of(text))).collect();
        let composed = s.numbers()?.chunks_exact(3).map(|all| ((all[0], all[1]), all[2])).collect();
        Some(Normal { unseen, classes, decomposed, composed })
    }

    /// A text without the characters that are not seen.
    pub fn without_unseen(&self, text: &[u8]) -> Vec<u8> {
        let mut seen = Vec::with_capacity(text.len());
        let is_seen = |character: &u32| !self.unseen.contains(character);
        characters_of(text).into_iter().filter(is_seen).for_each(|character| encode(character, &mut seen));
        seen
    }

    /// A text in which nothing is left that is not seen, composed.
    pub fn as_seen(&self, text: &[u8]) -> Vec<u8> {
        let mut parts: Vec<(u32, u32)> = Vec::with_capacity(text.len());
        for character in characters_of(&self.without_unseen(text)) {
            self.decompose(character, &mut parts);
        }
        for marks in parts.chunk_by_mut(|_, next| next.0 > 0) {
            let first = usize::from(marks[0].0 == 0);
            marks[first..].sort_by_key(|(class, _)| *class);
        }
        let mut seen = Vec::with_capacity(text.len());
        self.compose(&mut parts);
        parts.iter().for_each(|(_, character)| encode(*character, &mut seen));
        seen
    }

    /// Append what a character decomposes to, each with its combining class.
    fn decompose(&self, character: u32, parts: &mut Vec<(u32, u32)>) {
        let syllable = character.wrapping_sub(SYLLABLES);
        if syllable < LEAD_COUNT * VOWEL_COUNT * TAIL_COUNT {
            let (rest, tail) = (syllable / TAIL_COUNT, syllable % TAIL_COUNT);
            parts.extend([(0, LEADS + rest / VOWEL_COUNT), (0, VOWELS + rest % VOWEL_COUNT)]);
            if tail > 0 {
                parts.push((0, TAILS + tail));
            }
            return;
        }
        let class = |character| self.classes.get(&character).copied().unwrap_or(0);
        match self.decomposed.get(&character) {
            Some(all) => parts.extend(all.iter().map(|part| (class(*part), *part))),
            None => parts.push((class(character), character)),
        }
    }

    /// Compose the characters that stand in order.
    fn compose(&self, parts: &mut Vec<(u32, u32)>) {
        let (mut kept, mut starter, mut before) = (0, None::<usize>, 0);
        for at in 0..parts.len() {
            let (class, character) = parts[at];
            if let Some(start) = starter {
                let is_reached = kept == start + 1 || (before < class && before > 0);
                let pair = if is_reached { self.pair(parts[start].1, character) } else { None };
                if let Some(composed) = pair {
                    parts[start].1 = composed;
                    continue;
                }
            }
            if class == 0 {
                starter = Some(kept);
            }
            before = class;
            parts[kept] = (class, character);
            kept += 1;
        }
        parts.truncate(kept);
    }

    fn pair(&self, first: u32, second: u32) -> Option<u32> {
        let (lead, vowel) = (first.wrapping_sub(LEADS), second.wrapping_sub(VOWELS));
        if lead < LEAD_COUNT && vowel < VOWEL_COUNT {
            return Some(SYLLABLES + (lead * VOWEL_COUNT + vowel) * TAIL_COUNT);
        }
        let (syllable, tail) = (first.wrapping_sub(SYLLABLES), second.wrapping_sub(TAILS));
        let is_open = syllable < LEAD_COUNT * VOWEL_COUNT * TAIL_COUNT && syllable % TAIL_COUNT == 0;
        if is_open && (1..TAIL_COUNT).contains(&tail) {
            return Some(first + tail);
        }
        self.composed.get(&(first, second)).copied()
    }
}

fn characters_of(text: &[u8]) -> Vec<u32> {
    let mut characters = Vec::with_capacity(text.len());
    let mut at = 0;
    while at < text.len() {
        let (character, size) = decode(text, at);
        characters.push(character);
        at += size;
    }
    characters
}
