//! What Python hands over at start: classes of characters, vocabulary, entities, words of hints.
//!
//! Written by `templcrawl/page/kernel_tables.py`, in the same order; nothing of it is written twice.

use crate::chars::Classes;
use crate::entities::Entities;
use crate::hints::HintWords;
use crate::normal::Normal;
use std::collections::HashMap;

/// Names that a set of names can hold: the vocabulary is not larger.
pub const MOST_NAMES: usize = 512;
/// Characters of a name of the vocabulary.
const LONGEST_NAME: usize = 16;
const SLOTS: usize = 2048;

/// Number of a tag name: that of the vocabulary, or one that only a page knows; 0 is no name.
pub type Name = u32;

/// A set of names of the vocabulary.
#[derive(Clone, Copy, Default)]
pub struct NameSet([u64; MOST_NAMES / 64]);

impl NameSet {
    #[inline]
    pub fn has(&self, name: Name) -> bool {
        let name = name as usize;
        name < MOST_NAMES && self.0[name / 64] >> (name % 64) & 1 != 0
    }

    fn of(names: &[u32]) -> Option<NameSet> {
        let mut set = NameSet::default();
        for &name in names {
            *set.0.get_mut(name as usize / 64)? |= 1 << (name % 64);
        }
        Some(set)
    }
}

/// The tables as they came: sections, each a length in bytes and its bytes.
pub struct Sections<'a>(pub &'a [u8]);

impl<'a> Sections<'a> {
    pub fn bytes(&mut self) -> Option<&'a [u8]> {
        let size = u32::from_le_bytes(self.0.get(..4)?.try_into().ok()?) as usize;
        let section = self.0.get(4..4 + size)?;
        self.0 = &self.0[4 + size..];
        Some(section)
    }

    pub fn numbers(&mut self) -> Option<Vec<u32>> {
        let words = self.bytes()?.chunks_exact(4);
        Some(words.map(|word| u32::from_le_bytes([word[0], word[1], word[2], word[3]])).collect())
    }

    pub fn texts(&mut self) -> Option<Vec<Vec<u8>>> {
        let section = self.bytes()?;
        let texts = section.split(|byte| *byte == 0).map(<[u8]>::to_vec);
        Some(if section.is_empty() { Vec::new() } else { texts.collect() })
    }

    fn shares(&mut self) -> Option<[f64; 3]> {
        let shares = self.bytes()?.chunks_exact(8).map(|share| share.try_into().map(f64::from_le_bytes));
        shares.collect::<Result<Vec<f64>, _>>().ok()?.try_into().ok()
    }

    pub fn set(&mut self) -> Option<NameSet> {
        NameSet::of(&self.numbers()?)
    }
}

/// One rule of implied ends: the elements that a start tag ends, and where the search for them stops.
pub struct ImpliedEnd {
    pub ended: NameSet,
    /// None: only the innermost open element is asked.
    pub barriers: Option<NameSet>,
}

/// The names of the vocabulary that rules call by name.
pub struct NamedTags {
    pub a: Name,
    pub area: Name,
    pub base: Name,
    pub br: Name,
    pub dd: Name,
    pub dialog: Name,
    pub dt: Name,
    pub figure: Name,
    pub form: Name,
    pub head: Name,
    pub img: Name,
    pub li: Name,
    pub math: Name,
    pub noscript: Name,
    pub picture: Name,
    pub pre: Name,
    pub rp: Name,
    pub rt: Name,
    pub script: Name,
    pub section: Name,
    pub select: Name,
    pub source: Name,
    pub table: Name,
    pub tbody: Name,
    pub td: Name,
    pub template: Name,
    pub tfoot: Name,
    pub th: Name,
    pub thead: Name,
    pub title: Name,
    pub tr: Name,
}

/// What a page is read by.
pub struct Tables {
    pub classes: Classes,
    pub normal: Normal,
    names: Vec<Vec<u8>>,
    slots: Vec<(u128, Name)>,
    pub named: NamedTags,
    pub raw_text: NameSet,
    pub turning: NameSet,
    pub followed: NameSet,
    pub foreign_roots: NameSet,
    pub html_inside: NameSet,
    pub breaks_out: NameSet,
    pub void: NameSet,
    pub known: NameSet,
    pub invisible: NameSet,
    pub blocks: NameSet,
    pub spaced: NameSet,
    pub frames: NameSet,
    pub players: NameSet,
    pub scope: NameSet,
    pub special: NameSet,
    pub headings: NameSet,
    pub formatting: NameSet,
    pub head_content: NameSet,
    pub foreign: NameSet,
    pub table_context: NameSet,
    pub without_level: NameSet,
    pub skeleton: NameSet,
    pub without_words: NameSet,
    pub implied_ends: HashMap<Name, Vec<ImpliedEnd>>,
    pub implies: NameSet,
    pub end_scopes: HashMap<Name, NameSet>,
    pub naming: Vec<(Name, Vec<u8>)>,
    pub most_attributes: usize,
    pub most_classes: usize,
    pub hint_words: HintWords,
    pub title_marks: Vec<u32>,
    /// Shares of the words outside links, and of all words, beyond which an element is not named
    /// furniture; of the words outside links, beyond which it is none.
    pub shares: [f64; 3],
    /// Runs from which on those of a `select` are read as links.
    pub least_choices: usize,
    /// Words outside links that an element holds at least that is no furniture for them.
    pub least_text: i64,
    pub entities: Entities,
    pub followed_schemes: Vec<Vec<u8>>,
    /// How many characters of what is not shown there must be for it to be read.
    pub least_fallback: usize,
}

impl Tables {
    /// Read what Python has written; None if it is not what is expected.
    pub fn read(bytes: &[u8]) -> Option<Tables> {
        let s = &mut Sections(bytes);
        let classes = Classes::read(s)?;
        let normal = Normal::read(s)?;
        let names = s.texts()?;
        let slots = slots_of(&names)?;
        let id = |name: &[u8]| names.iter().position(|other| other == name).map(|number| number as Name);
        let named = NamedTags {
            a: id(b"a")?,
            area: id(b"area")?,
            base: id(b"base")?,
            br: id(b"br")?,
            dd: id(b"dd")?,
            dialog: id(b"dialog")?,
            dt: id(b"dt")?,
            figure: id(b"figure")?,
            form: id(b"form")?,
            head: id(b"head")?,
            img: id(b"img")?,
            li: id(b"li")?,
            math: id(b"math")?,
            noscript: id(b"noscript")?,
            picture: id(b"picture")?,
            pre: id(b"pre")?,
            rp: id(b"rp")?,
            rt: id(b"rt")?,
            script: id(b"script")?,
            section: id(b"section")?,
            select: id(b"select")?,
            source: id(b"source")?,
            table: id(b"table")?,
            tbody: id(b"tbody")?,
            td: id(b"td")?,
            template: id(b"template")?,
            tfoot: id(b"tfoot")?,
            th: id(b"th")?,
            thead: id(b"thead")?,
            title: id(b"title")?,
            tr: id(b"tr")?,
        };
        let tables = Tables {
            classes,
            normal,
            slots,
            named,
            raw_text: s.set()?,
            turning: s.set()?,
            followed: s.set()?,
            foreign_roots: s.set()?,
            html_inside: s.set()?,
            breaks_out: s.set()?,
            void: s.set()?,
            known: s.set()?,
            invisible: s.set()?,
            blocks: s.set()?,
            spaced: s.set()?,
            frames: s.set()?,
            players: s.set()?,
            scope: s.set()?,
            special: s.set()?,
            headings: s.set()?,
            formatting: s.set()?,
            head_content: s.set()?,
            foreign: s.set()?,
            table_context: s.set()?,
            without_level: s.set()?,
            skeleton: s.set()?,
            without_words: s.set()?,
            implies: s.set()?,
            implied_ends: read_implied_ends(s)?,
            end_scopes: read_end_scopes(s)?,
            naming: read_naming(s)?,
            most_attributes: s.numbers()?.first().copied()? as usize,
            most_classes: s.numbers()?.first().copied()? as usize,
            hint_words: HintWords::read(s)?,
            title_marks: s.numbers()?,
            shares: s.shares()?,
            least_choices: s.numbers()?.first().copied()? as usize,
            least_text: i64::from(s.numbers()?.first().copied()?),
            entities: Entities::read(s)?,
            followed_schemes: s.texts()?,
            least_fallback: s.numbers()?.first().copied()? as usize,
            names,
        };
        s.0.is_empty().then_some(tables)
    }

    /// How many names the vocabulary has, the empty one included.
    pub fn name_count(&self) -> usize {
        self.names.len()
    }

    /// A name of the vocabulary.
    pub fn name(&self, name: Name) -> &[u8] {
        &self.names[name as usize]
    }

    /// The number of a name in any case, if it is of the vocabulary.
    #[inline]
    pub fn find_name(&self, written: &[u8]) -> Option<Name> {
        if written.len() > LONGEST_NAME || written.is_empty() {
            return None;
        }
        let packed = packed(written);
        let mut slot = slot_of(packed);
        loop {
            let (other, name) = self.slots[slot];
            if other == packed {
                return (self.names[name as usize].len() == written.len()).then_some(name);
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
    let mut bytes = [0; LONGEST_NAME];
    for (byte, letter) in bytes.iter_mut().zip(written) {
        *byte = letter.to_ascii_lowercase();
    }
    u128::from_le_bytes(bytes)
}

#[inline]
fn slot_of(packed: u128) -> usize {
    let folded = (packed as u64) ^ ((packed >> 64) as u64).rotate_left(23);
    (folded.wrapping_mul(0x9E37_79B9_7F4A_7C15) >> 53) as usize % SLOTS
}

fn slots_of(names: &[Vec<u8>]) -> Option<Vec<(u128, Name)>> {
    if names.len() > MOST_NAMES || names.first()? != b"" {
        return None;
    }
    let mut slots = vec![(0, 0); SLOTS];
    for (number, name) in names.iter().enumerate().skip(1) {
        if name.is_empty() || name.len() > LONGEST_NAME || !name.is_ascii() {
            return None;
        }
        let mut slot = slot_of(packed(name));
        while slots[slot].0 != 0 {
            slot = (slot + 1) % SLOTS;
        }
        slots[slot] = (packed(name), number as Name);
    }
    Some(slots)
}

fn read_implied_ends(s: &mut Sections) -> Option<HashMap<Name, Vec<ImpliedEnd>>> {
    let mut rules: HashMap<Name, Vec<ImpliedEnd>> = HashMap::new();
    for head in s.numbers()?.chunks_exact(2) {
        let (ended, barriers) = (s.set()?, s.set()?);
        let barriers = (head[1] != 0).then_some(barriers);
        rules.entry(head[0]).or_default().push(ImpliedEnd { ended, barriers });
    }
    Some(rules)
}

fn read_end_scopes(s: &mut Sections) -> Option<HashMap<Name, NameSet>> {
    s.numbers()?.into_iter().map(|name| Some((name, s.set()?))).collect()
}

fn read_naming(s: &mut Sections) -> Option<Vec<(Name, Vec<u8>)>> {
    let names = s.numbers()?;
    Some(names.into_iter().zip(s.texts()?).collect())
}
