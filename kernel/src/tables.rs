//! What a page is read by: all that Python hands over at start.
//!
//! Written by `templcrawl/page/kernel_tables.py`, in the same order; nothing of it is written twice.

use crate::blob::Buffer;
use crate::chars::{find, Classes, ODD};
use crate::entities::Entities;
use crate::hints::HintWords;
use crate::names::{Name, NameSet, Names, MAX_NAMES};
use crate::normal::Normal;
use crate::seams::Signs;
use crate::sections::Sections;

macro_rules! named_tags {
    ($($name:ident),*) => {
        /// The names of the vocabulary that rules call by name.
        pub struct NamedTags {
            $(pub $name: Name),*
        }

        impl NamedTags {
            fn of(names: &Names) -> Option<NamedTags> {
                Some(NamedTags { $($name: names.find(stringify!($name).as_bytes())?),* })
            }
        }
    };
}
named_tags!(
    a, area, article, aside, base, br, button, caption, dd, desc, dialog, dt, figure, form, h1, h2, h3, h4,
    h5, h6, head, img, input, label, legend, li, math, menu, metadata, mfrac, msub, msubsup, msup, munder,
    munderover, nav, noscript, ol, option, picture, pre, rp, rt, script, section, select, source, sub,
    summary, sup, table, tbody, td, template, tfoot, th, thead, title, tr, ul, wbr, xmp
);

macro_rules! sets {
    ($($set:ident),*) => {
        /// Sets of names, in the order in which they are handed over.
        pub struct Sets {
            $(pub $set: NameSet),*
        }

        impl Sets {
            fn read(s: &mut Sections) -> Option<Sets> {
                Some(Sets { $($set: s.set()?),* })
            }
        }
    };
}
sets!(
    raw_text,
    turning,
    followed,
    foreign_roots,
    html_inside,
    breaks_out,
    void,
    known,
    invisible,
    blocks,
    spaced,
    frames,
    players,
    scope,
    special,
    headings,
    formatting,
    head_content,
    foreign,
    table_context,
    without_level,
    skeleton,
    without_words,
    fields,
    side_by_side,
    may_open,
    unparted,
    code,
    emphasis,
    prose,
    things,
    implies
);

/// One rule of implied ends: the elements that a start tag ends, and where the search for them stops.
pub struct ImpliedEnd {
    pub ended: NameSet,
    /// None: only the innermost open element is asked.
    pub barriers: Option<NameSet>,
}

pub struct Tables {
    pub classes: Classes,
    pub normal: Normal,
    pub names: Names,
    pub named: NamedTags,
    pub sets: Sets,
    /// Name -> its rules.
    pub implied_ends: Vec<Vec<ImpliedEnd>>,
    /// Name -> what its end tag closes nothing beyond, where it has such a scope.
    pub end_scopes: Vec<Option<NameSet>>,
    pub naming: Vec<(Name, Vec<u8>)>,
    pub most_attributes: usize,
    pub most_classes: usize,
    pub most_ids: usize,
    pub hint_words: HintWords,
    pub title_marks: Vec<u32>,
    /// Shares of the words outside links, and of all words, beyond which an element is not named
    /// furniture; of the words outside links, beyond which it is none.
    pub shares: [f64; 3],
    /// Runs from which on those of a `select` are read as links.
    pub least_choices: usize,
    /// Number of words -> the logarithm of one more.
    pub logs: Vec<f64>,
    /// Words outside links that an element holds at least that is no furniture for them.
    pub least_text: i32,
    pub signs: Signs,
    pub permalinks: Vec<Vec<u8>>,
    pub line_numbers: Vec<Vec<u8>>,
    pub entities: Entities,
    pub followed_schemes: Vec<Vec<u8>>,
    /// How many characters of what is not shown there must be for it to be read.
    pub least_fallback: usize,
    /// Words of a panel beside others that has no blocks inside.
    pub least_panel: i32,
}

impl Tables {
    /// Read what Python has written; None if it is not what is expected.
    pub fn read(bytes: &[u8]) -> Option<Tables> {
        let s = &mut Sections(bytes);
        let (classes, normal) = (Classes::read(s)?, Normal::read(s)?);
        let names = Names::of(s.texts()?)?;
        let tables = Tables {
            classes,
            normal,
            named: NamedTags::of(&names)?,
            names,
            sets: Sets::read(s)?,
            implied_ends: read_implied_ends(s)?,
            end_scopes: read_end_scopes(s)?,
            naming: read_naming(s)?,
            most_attributes: s.number()?,
            most_classes: s.number()?,
            most_ids: s.number()?,
            hint_words: HintWords::read(s)?,
            title_marks: s.numbers()?,
            shares: s.shares()?,
            least_choices: s.number()?,
            least_text: s.number()? as i32,
            logs: Buffer::<f64>::of(s.bytes()?).to_vec(),
            signs: Signs::read(s)?,
            permalinks: s.texts()?,
            line_numbers: s.texts()?,
            entities: Entities::read(s)?,
            followed_schemes: s.texts()?,
            least_fallback: s.number()?,
            least_panel: s.number()? as i32,
        };
        s.0.is_empty().then_some(tables)
    }

    /// What a reader sees of a text, which is decoded; most texts are that themselves.
    pub fn as_seen<'a>(&self, text: &'a [u8], seen: &'a mut Vec<u8>) -> &'a [u8] {
        if text.is_ascii() || !self.classes.any(text, ODD) {
            return text;
        }
        *seen = self.normal.as_seen(text);
        seen
    }

    /// What a reader sees of a text run.
    pub fn seen_text<'a>(&self, run: &'a [u8], seen: &'a mut Vec<u8>) -> &'a [u8] {
        if find(run, b'&', 0).is_none() {
            return self.as_seen(run, seen);
        }
        let mut decoded = Vec::with_capacity(run.len());
        self.entities.unescape(run, &mut decoded);
        let mut normal = Vec::new();
        *seen = self.as_seen(&decoded, &mut normal).to_vec();
        seen
    }
}

fn read_implied_ends(s: &mut Sections) -> Option<Vec<Vec<ImpliedEnd>>> {
    let mut rules: Vec<Vec<ImpliedEnd>> = (0..MAX_NAMES).map(|_| Vec::new()).collect();
    for head in s.numbers()?.chunks_exact(2) {
        let (ended, barriers) = (s.set()?, s.set()?);
        let barriers = (head[1] != 0).then_some(barriers);
        rules.get_mut(head[0] as usize)?.push(ImpliedEnd { ended, barriers });
    }
    Some(rules)
}

fn read_end_scopes(s: &mut Sections) -> Option<Vec<Option<NameSet>>> {
    let mut scopes = vec![None; MAX_NAMES];
    for name in s.numbers()? {
        *scopes.get_mut(name as usize)? = Some(s.set()?);
    }
    Some(scopes)
}

fn read_naming(s: &mut Sections) -> Option<Vec<(Name, Vec<u8>)>> {
    let names = s.numbers()?;
    Some(names.into_iter().zip(s.texts()?).collect())
}
