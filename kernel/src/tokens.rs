//! The token stream of a page: `templcrawl/page/tokens.py`.
//!
//! Equal pieces are one form; tags are numbered first, then runs, then the unread rest.

use crate::columns::flag::{HIT_MAX_CHARACTERS, HIT_MAX_TAGS, IS_ASCII};
use crate::known::{Known, Slot};
use crate::names::Name;
use crate::scan::{OddlyCased, Scanner};
use crate::tables::Tables;
use crate::tags::{read_tag, PageNames, Tag, Traits, UNREAD};
use crate::text_runs::read_text;

/// Bytes of a token as pages have them, for room to begin with.
const USUAL_BYTES: usize = 24;
/// Bytes of a page for each word of its forms.
const USUAL_WORD_BYTES: usize = 8;

/// Caps on one page.
#[derive(Clone, Copy)]
pub struct Limits {
    /// Whether the page goes on behind its text, beyond the characters that are read.
    pub is_cut: bool,
    pub max_tags: usize,
}

/// What is known of a form.
#[derive(Clone, Copy, Default)]
pub struct Form {
    /// Its first token.
    pub token: u32,
    pub start: u32,
    pub stop: u32,
    pub kind: u8,
    pub hints: u8,
    pub traits: Traits,
    pub name: Name,
    /// Key of the name of a tag, or of the words of a text.
    pub key: u64,
    /// Key of its name with its first class word.
    pub step: u64,
    /// The number of words of a text.
    pub count: i32,
    /// The keys of its words: `words[words_start..words_stop]` of the page.
    pub words_start: u32,
    pub words_stop: u32,
}

impl Form {
    pub fn text<'a>(&self, text: &'a [u8]) -> &'a [u8] {
        &text[self.start as usize..self.stop as usize]
    }

    pub fn words<'a>(&self, words: &'a [u64]) -> &'a [u64] {
        &words[self.words_start as usize..self.words_stop as usize]
    }
}

/// The tokens of a page.
#[derive(Default)]
pub struct Tokens {
    /// Where each token starts, and the length of the readable text at the end.
    pub starts: Vec<u32>,
    pub form_of: Vec<i32>,
    pub kinds: Vec<u8>,
    pub forms: Vec<Form>,
    pub words: Vec<u64>,
    pub names: PageNames,
    pub flags: u64,
}

impl Tokens {
    pub fn name(&self, token: usize) -> Name {
        self.forms[self.form_of[token] as usize].name
    }

    pub fn len(&self) -> usize {
        self.form_of.len()
    }
}

/// Cut a page into its tokens and read its tags.
pub fn read_tokens(
    tables: &Tables,
    known: &mut Known,
    text: &[u8],
    limits: Limits,
) -> Result<Tokens, OddlyCased> {
    let mut tokens = Tokens {
        flags: if text.is_ascii() { IS_ASCII } else { 0 },
        starts: Vec::with_capacity(text.len() / USUAL_BYTES),
        form_of: Vec::with_capacity(text.len() / USUAL_BYTES),
        words: Vec::with_capacity(text.len() / USUAL_WORD_BYTES),
        ..Tokens::default()
    };
    if limits.is_cut {
        tokens.flags |= HIT_MAX_CHARACTERS;
    }
    known.make_room();
    let (mut tags, mut runs) = (Interner::new(text.len()), Interner::new(text.len()));
    let mut scanner = Scanner::new(tables, text);
    let (mut position, mut tag_count) = (0, 0);
    while tag_count < limits.max_tags {
        let Some((start, stop)) = scanner.next()? else {
            break;
        };
        tokens.add_run(known, &mut runs, text, position, start);
        tokens.add(tags.number(known, text, start, stop, tokens.len()), start);
        position = stop;
        tag_count += 1;
    }
    if tag_count == limits.max_tags && text[position..].contains(&b'<') {
        tokens.flags |= HIT_MAX_TAGS;
    } else {
        tokens.add_run(known, &mut runs, text, position, text.len());
        position = text.len();
    }
    let tag_forms = tags.pieces.len();
    for form in &mut tokens.form_of {
        if *form < 0 {
            *form = tag_forms as i32 + !*form;
        }
    }
    tokens.forms.reserve(tag_forms + runs.pieces.len() + 1);
    tokens.read_forms(tables, known, text, &tags.pieces, &runs.pieces);
    if position < text.len() || limits.is_cut {
        let (token, start) = (tokens.len() as u32, position as u32);
        let unread = Form { token, start, stop: text.len() as u32, kind: UNREAD, ..Form::default() };
        tokens.add(tokens.forms.len() as i32, position);
        tokens.forms.push(unread);
    }
    tokens.starts.push(text.len() as u32);
    tokens.kinds = tokens.form_of.iter().map(|form| tokens.forms[*form as usize].kind).collect();
    Ok(tokens)
}

impl Tokens {
    fn add(&mut self, form: i32, start: usize) {
        self.form_of.push(form);
        self.starts.push(start as u32);
    }

    /// Add the text between two tags, if any; runs are numbered from -1 down until all tags are known.
    fn add_run(&mut self, known: &Known, runs: &mut Interner, text: &[u8], start: usize, stop: usize) {
        if start < stop {
            let number = runs.number(known, text, start, stop, self.len());
            self.add(!number, start);
        }
    }

    /// Read the pieces of a page, its tags and then its texts.
    fn read_forms(
        &mut self,
        tables: &Tables,
        known: &mut Known,
        text: &[u8],
        tags: &[Piece],
        runs: &[Piece],
    ) {
        let mut decoded = (Vec::new(), Vec::new());
        for (number, piece) in tags.iter().chain(runs).enumerate() {
            let &Piece { hash, first, token, start, stop } = piece;
            let (written, is_text) = (piece.text(text), number >= tags.len());
            let words_start = self.words.len() as u32;
            let read = known.find(hash, first, written, is_text, &mut self.words).unwrap_or_else(|| {
                let (read, is_known) = if is_text {
                    (read_text(tables, written, &mut self.words, &mut decoded), true)
                } else {
                    self.read_tag(tables, written)
                };
                if is_known {
                    known.add(hash, written, &read, &self.words[words_start as usize..]);
                }
                read
            });
            let words_stop = self.words.len() as u32;
            self.forms.push(Form { token, start, stop, words_start, words_stop, ..read });
        }
    }

    /// Read a tag; say whether it is read the same on every page.
    fn read_tag(&mut self, tables: &Tables, piece: &[u8]) -> (Form, bool) {
        let Tag { kind, name, key, step, hints, traits } =
            read_tag(tables, &mut self.names, piece, &mut self.words);
        let form = Form { kind, hints, traits, name, key, step, ..Form::default() };
        (form, (name as usize) < tables.names.len())
    }
}

/// A distinct tag or text of a page, before it is read.
struct Piece {
    hash: u64,
    /// What is known by its hash.
    first: Slot,
    /// Its first token.
    token: u32,
    start: u32,
    stop: u32,
}

impl Piece {
    fn text<'a>(&self, text: &'a [u8]) -> &'a [u8] {
        &text[self.start as usize..self.stop as usize]
    }
}

/// Numbers for distinct texts, in the order in which they are first met.
struct Interner {
    /// Slot -> upper half of a hash, number + 1; 0 for an empty one.
    slots: Vec<(u32, u32)>,
    pieces: Vec<Piece>,
}

impl Interner {
    fn new(size: usize) -> Interner {
        let slots = (size / USUAL_BYTES).next_power_of_two().clamp(64, 8192);
        Interner { slots: vec![(0, 0); slots], pieces: Vec::with_capacity(slots / 2) }
    }

    fn number(&mut self, known: &Known, text: &[u8], start: usize, stop: usize, token: usize) -> i32 {
        let written = &text[start..stop];
        let hash = known.hash(written);
        let mask = self.slots.len() - 1;
        let mut slot = hash as usize & mask;
        loop {
            let (upper, number) = self.slots[slot];
            if number == 0 {
                break;
            }
            if upper == (hash >> 32) as u32 && self.pieces[number as usize - 1].text(text) == written {
                return number as i32 - 1;
            }
            slot = (slot + 1) & mask;
        }
        let number = self.pieces.len();
        self.slots[slot] = ((hash >> 32) as u32, number as u32 + 1);
        let (token, start, stop) = (token as u32, start as u32, stop as u32);
        self.pieces.push(Piece { hash, first: known.first(hash), token, start, stop });
        if 2 * self.pieces.len() > self.slots.len() {
            self.grow();
        }
        number as i32
    }

    fn grow(&mut self) {
        let mask = 2 * self.slots.len() - 1;
        self.slots = vec![(0, 0); mask + 1];
        for (number, piece) in self.pieces.iter().enumerate() {
            let mut slot = piece.hash as usize & mask;
            while self.slots[slot].1 != 0 {
                slot = (slot + 1) & mask;
            }
            self.slots[slot] = ((piece.hash >> 32) as u32, number as u32 + 1);
        }
    }
}
