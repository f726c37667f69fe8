//! One page read: which buffer of its blob holds what.  `templcrawl/page/kernel.py` names them alike.

use crate::blob::{Buffer, Number, Reader, Writer};
use crate::chars::count;
use crate::elements::read_elements;
use crate::fingerprint::lz78_references;
use crate::structure::{anchor_steps, structure_features};
use crate::tables::{Name, Tables};
use crate::tags::{PageNames, END, START, UNREAD};
use crate::text_runs::read_text_runs;
use crate::tokens::{Tokens, IS_ASCII};

/// The buffers of a page, in their order.
#[derive(Clone, Copy)]
pub enum At {
    Starts,
    CharacterStarts,
    FormOf,
    Kinds,
    FormToken,
    FormKind,
    FormName,
    FormStep,
    AnchorStep,
    ElementParent,
    ElementOpen,
    ElementClose,
    ElementName,
    ElementVisible,
    ElementDepth,
    Owner,
    Anchors,
    RunPosition,
    RunElement,
    RunWords,
    RunHints,
    RunText,
    RunKey,
    Structure,
    NewNames,
    Fingerprint,
}

const BUFFERS: usize = At::Fingerprint as usize + 1;
/// What stands between names that only this page knows: no name holds it.
const BETWEEN_NAMES: u8 = b'>';

/// Work out all that a page's tokens tell, and write it to a blob.
pub fn write_page(tables: &Tables, text: &[u8], tokens: &Tokens, blob: &mut Vec<u8>) {
    let elements = read_elements(tables, text, tokens);
    let runs = read_text_runs(tables, text, tokens, &elements);
    let mut writer = Writer::new(blob, BUFFERS, tokens.flags);
    let forms = || tokens.forms.iter();
    writer.add(At::Starts as usize, &tokens.starts);
    writer.add(At::CharacterStarts as usize, &character_starts(text, tokens));
    writer.add(At::FormOf as usize, &tokens.form_of);
    writer.add(At::Kinds as usize, &tokens.kinds);
    writer.add(At::FormToken as usize, &forms().map(|form| form.token).collect::<Vec<u32>>());
    writer.add(At::FormKind as usize, &forms().map(|form| form.kind).collect::<Vec<u8>>());
    writer.add(At::FormName as usize, &forms().map(|form| form.name).collect::<Vec<u32>>());
    writer.add(At::FormStep as usize, &forms().map(|form| form.step).collect::<Vec<u64>>());
    writer.add(At::AnchorStep as usize, &anchor_steps(tokens));
    writer.add(At::ElementParent as usize, &elements.parents);
    writer.add(At::ElementOpen as usize, &elements.opens);
    writer.add(At::ElementClose as usize, &elements.closes);
    writer.add(At::ElementName as usize, &elements.names);
    writer.add(At::ElementVisible as usize, &elements.visible);
    writer.add(At::ElementDepth as usize, &runs.depths);
    writer.add(At::Owner as usize, &elements.owners);
    writer.add(At::Anchors as usize, &elements.anchors);
    writer.add(At::RunPosition as usize, &runs.positions);
    writer.add(At::RunElement as usize, &runs.elements);
    writer.add(At::RunWords as usize, &runs.words);
    writer.add(At::RunHints as usize, &runs.hints);
    writer.add(At::RunText as usize, &runs.texts);
    writer.add(At::RunKey as usize, &runs.keys);
    writer.add(At::Structure as usize, &structure_features(tokens, &elements, &runs.paths));
    writer.add(At::NewNames as usize, &new_names(&tokens.names));
    writer.add(At::Fingerprint as usize, &lz78_references(tag_names(tokens)));
}

/// Where each token starts in characters; nothing where a byte is a character.
fn character_starts(text: &[u8], tokens: &Tokens) -> Vec<u32> {
    if tokens.flags & IS_ASCII != 0 {
        return Vec::new();
    }
    let mut starts = Vec::with_capacity(tokens.starts.len());
    let mut characters = 0;
    starts.push(0);
    for pair in tokens.starts.windows(2) {
        let token = &text[pair[0] as usize..pair[1] as usize];
        characters += if token.is_ascii() { token.len() } else { count(token) } as u32;
        starts.push(characters);
    }
    starts
}

/// The names of the start and end tags, in order.
fn tag_names(tokens: &Tokens) -> impl Iterator<Item = Name> + '_ {
    (0..tokens.len())
        .filter(|token| (START..=END).contains(&tokens.kinds[*token]))
        .map(|token| tokens.name(token))
}

fn new_names(names: &PageNames) -> Vec<u8> {
    names.spelled.join(&BETWEEN_NAMES)
}

/// A page as its text and its blob, read back.
#[derive(Clone, Copy)]
pub struct Page<'a> {
    pub text: &'a [u8],
    pub blob: Reader<'a>,
    pub starts: Buffer<'a, u32>,
    pub form_of: Buffer<'a, i64>,
    pub kinds: Buffer<'a, u8>,
    pub form_token: Buffer<'a, u32>,
    pub owners: Buffer<'a, i64>,
}

impl<'a> Page<'a> {
    /// None if the blob is not of the kernel, or not of this text; behind what was read, the rest may stand.
    pub fn read(text: &'a [u8], blob: &'a [u8]) -> Option<Page<'a>> {
        let blob = Reader(blob);
        let buffer = |at: At| at as usize;
        let page = Page {
            text,
            blob,
            starts: blob.buffer(buffer(At::Starts))?,
            form_of: blob.buffer(buffer(At::FormOf))?,
            kinds: blob.buffer(buffer(At::Kinds))?,
            form_token: blob.buffer(buffer(At::FormToken))?,
            owners: blob.buffer(buffer(At::Owner))?,
        };
        let size = page.starts.len().checked_sub(1)?;
        let read = page.starts.get(size) as usize;
        let has_rest = size > 0 && page.kinds.len() == size && page.kinds.get(size - 1) == UNREAD;
        (blob.is_whole() && (read == text.len() || (has_rest && read < text.len()))).then_some(page)
    }

    pub fn buffer<N: Number>(&self, at: At) -> Option<Buffer<'a, N>> {
        self.blob.buffer(at as usize)
    }

    /// How many tokens it has.
    pub fn len(&self) -> usize {
        self.kinds.len()
    }

    /// A token as it stands; the last one goes to the end of the text.
    pub fn token(&self, position: usize) -> &'a [u8] {
        let next = position + 1;
        let stop = if next < self.len() { self.starts.get(next) as usize } else { self.text.len() };
        &self.text[self.starts.get(position) as usize..stop]
    }

    /// A form as it stands.
    pub fn form(&self, form: usize) -> &'a [u8] {
        self.token(self.form_token.get(form) as usize)
    }

    /// The names that only this page knows.
    pub fn new_names(&self) -> Option<Vec<Vec<u8>>> {
        let names = self.buffer::<u8>(At::NewNames)?;
        let joined: Vec<u8> = (0..names.len()).map(|index| names.get(index)).collect();
        Some(joined.split(|byte| *byte == BETWEEN_NAMES).map(<[u8]>::to_vec).collect())
    }
}
