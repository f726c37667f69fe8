//! One page read: which buffer of its blob holds what.  `templcrawl/page/kernel.py` names them alike.

use crate::blob::{Buffer, Column, Number, Reader, Writer};
use crate::columns::page as of_page;
use crate::elements::Elements;
use crate::fingerprint::lz78_references;
use crate::links::{write_links, Targets};
use crate::names::Name;
use crate::rows::read_rows;
use crate::structure::structure_features;
use crate::tables::Tables;
use crate::tags::{PageNames, END, START, UNREAD};
use crate::terms::write_terms;
use crate::text_runs::read_text_runs;
use crate::tokens::Tokens;
use crate::visibility::seen_elements;

/// What stands between names that only this page knows: no name holds it.
const BETWEEN_NAMES: u8 = b'>';

/// Work out all that a page's tokens tell, and write it to a blob; `targets` are where its anchors lead.
pub fn write_page(
    tables: &Tables,
    text: &[u8],
    tokens: &Tokens,
    mut elements: Elements,
    targets: &Targets,
    blob: &mut Vec<u8>,
) {
    (elements.visible, elements.shown, elements.hidden) = seen_elements(tables, text, tokens, &elements);
    let runs = read_text_runs(tables, text, tokens, &elements);
    let rows = read_rows(tables, text, tokens, &elements, &runs);
    let forms = || tokens.forms.iter();
    let mut writer = Writer::new(blob, of_page::COUNT, tokens.flags);
    writer.add(of_page::STARTS, &tokens.starts);
    writer.add(of_page::TOKEN_FORM_ARRAY, &tokens.form_of);
    writer.add(of_page::TOKEN_KIND_ARRAY, &tokens.kinds);
    writer.collect(of_page::FORM_TOKEN, forms().map(|form| form.token));
    writer.collect(of_page::FORM_KIND, forms().map(|form| form.kind));
    writer.collect(of_page::FORM_NAME, forms().map(|form| form.name));
    writer.collect(of_page::FORM_STEP, forms().map(|form| form.step));
    writer.add(of_page::ELEMENT_PARENT_ARRAY, &elements.parents);
    writer.add(of_page::ELEMENT_OPEN_ARRAY, &elements.opens);
    writer.add(of_page::ELEMENT_CLOSE_ARRAY, &elements.closes);
    writer.add(of_page::ELEMENT_NAME, &elements.names);
    writer.add(of_page::ELEMENT_VISIBLE_ARRAY, &elements.visible);
    writer.add(of_page::ELEMENT_SHOWN_ARRAY, &elements.shown);
    writer.add(of_page::ELEMENT_HIDDEN_ARRAY, &elements.hidden);
    writer.add(of_page::RUN_DEPTHS, &runs.depths);
    writer.add(of_page::ELEMENT_OWNER_ARRAY, &elements.owners);
    writer.add(of_page::ANCHORS, &elements.anchors);
    writer.add(of_page::RUN_POSITIONS, &runs.positions);
    writer.add(of_page::RUN_ELEMENTS, &runs.elements);
    writer.add(of_page::RUN_WORDS, &runs.words);
    writer.add(of_page::RUN_HINTS, &runs.hints);
    writer.add(of_page::RUN_TEXTS, &runs.texts);
    writer.add(of_page::RUN_KEYS, &runs.keys);
    writer.add(of_page::RUN_HIDDEN, &runs.hidden);
    writer.add(of_page::ROW_STARTS, &rows.starts);
    writer.add(of_page::ROW_KEYS, &rows.keys);
    writer.add(of_page::ROW_TABLES, &rows.tables);
    writer.add(of_page::ROW_KINDS, &rows.kinds);
    writer.add(of_page::ROW_SCOPE_STARTS, &rows.scope_starts);
    writer.add(of_page::ROW_SCOPE_STOPS, &rows.scope_stops);
    writer.add(of_page::STRUCTURE, &structure_features(tokens, &elements, &runs.paths));
    writer.add(of_page::NEW_NAMES, &new_names(&tokens.names));
    writer.add(of_page::FINGERPRINT, &lz78_references(tag_names(tokens)));
    let urls = write_links(&mut writer, tokens, &elements, targets);
    write_terms(&mut writer, tokens, &urls);
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
    pub form_of: Buffer<'a, i32>,
    pub kinds: Buffer<'a, u8>,
    pub owners: Buffer<'a, i32>,
}

impl<'a> Page<'a> {
    /// None if the blob is not of the kernel, or not of this text; behind what was read, the rest may stand.
    pub fn read(text: &'a [u8], blob: &'a [u8]) -> Option<Page<'a>> {
        let blob = Reader(blob);
        let page = Page {
            text,
            blob,
            starts: blob.buffer(of_page::STARTS)?,
            form_of: blob.buffer(of_page::TOKEN_FORM_ARRAY)?,
            kinds: blob.buffer(of_page::TOKEN_KIND_ARRAY)?,
            owners: blob.buffer(of_page::ELEMENT_OWNER_ARRAY)?,
        };
        let size = page.starts.len().checked_sub(1)?;
        let read = page.starts.get(size) as usize;
        let has_rest = size > 0 && page.kinds.len() == size && page.kinds.get(size - 1) == UNREAD;
        (blob.is_whole() && (read == text.len() || (has_rest && read < text.len()))).then_some(page)
    }

    pub fn buffer<N: Number>(&self, column: Column<N>) -> Option<Buffer<'a, N>> {
        self.blob.buffer(column)
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

    /// The names that only this page knows.
    pub fn new_names(&self) -> Option<Vec<Vec<u8>>> {
        let names = self.buffer(of_page::NEW_NAMES)?;
        let joined: Vec<u8> = (0..names.len()).map(|index| names.get(index)).collect();
        Some(joined.split(|byte| *byte == BETWEEN_NAMES).map(<[u8]>::to_vec).collect())
    }
}
