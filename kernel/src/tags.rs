//! Parsed tags: kind, name, attributes, the keys of their words, hints:
//! `templcrawl/page/tokens.py`; `templcrawl/page/traits.py`.

use crate::chars::{decode, find, Classes, DIGIT};
use crate::names::Name;
use crate::scan::{attribute_at, name_stop, tag_end};
use crate::tables::Tables;
use crate::xxh3::key;
use std::borrow::Cow;

pub use crate::columns::kinds::*;
pub use crate::columns::traits::*;

/// Traits of a start tag that say whether what it opens is seen: a sum of their bits.
pub type Traits = u16;

/// Attributes of a tag, and bytes of a class word, as pages have them, for room to begin with.
const USUAL_ATTRIBUTES: usize = 8;
const USUAL_WORD: usize = 32;

/// The names that only one page knows.
#[derive(Default)]
pub struct PageNames {
    numbers: std::collections::HashMap<Vec<u8>, Name>,
    pub spelled: Vec<Vec<u8>>,
}

impl PageNames {
    /// The number of a name of a tag, as written.
    pub fn number(&mut self, tables: &Tables, written: &[u8]) -> Name {
        tables.names.find(written).unwrap_or_else(|| {
            let lower = written.to_ascii_lowercase();
            let next = (tables.names.len() + self.spelled.len()) as Name;
            *self.numbers.entry(lower).or_insert_with_key(|lower| {
                self.spelled.push(lower.clone());
                next
            })
        })
    }

    /// How a name is spelled.
    pub fn spelling<'a>(&'a self, tables: &'a Tables, name: Name) -> &'a [u8] {
        match (name as usize).checked_sub(tables.names.len()) {
            Some(number) => &self.spelled[number],
            None => tables.names.get(name),
        }
    }
}

/// What a page asks of a tag.
#[derive(Default)]
pub struct Tag {
    pub kind: u8,
    pub name: Name,
    /// Key of its name.
    pub key: u64,
    /// Key of its name with its first class word.
    pub step: u64,
    pub hints: u8,
    pub traits: Traits,
}

/// Read a tag as it stands; append the keys of its words.
pub fn read_tag(tables: &Tables, names: &mut PageNames, tag: &[u8], words: &mut Vec<u64>) -> Tag {
    let first = 1 + usize::from(tag.get(1) == Some(&b'/'));
    if !tag.get(first).is_some_and(u8::is_ascii_alphabetic) {
        return Tag { kind: COMMENT, ..Tag::default() };
    }
    let stop = name_stop(tag, first);
    let name = names.number(tables, &tag[first..stop]);
    if first == 2 && name != tables.named.br {
        return Tag { kind: END, name, ..Tag::default() };
    }
    let is_raw = tables.sets.raw_text.has(name);
    let end = if is_raw { tag_end(tag) } else { tag.len() };
    let is_empty = if is_raw {
        tag.ends_with(b"/>") && end == tag.len()
    } else {
        tables.sets.void.has(name) || (tag.ends_with(b"/>") && !tables.sets.known.has(name))
    };
    let kind = if is_empty { VOID } else { START };
    let key = key(names.spelling(tables, name));
    let values = Values::new(tables, &tag[..end], stop);
    let hints = tables.hint_words.of_name(name, values.get(b"href").is_some());
    if values.written.is_empty() {
        let traits = traits_of(tables, name, None);
        return Tag { kind, name, key, step: key, hints, traits };
    }
    let traits = traits_of(tables, name, Some(&values));
    let (class, id) = (values.get(b"class"), values.get(b"id"));
    add_words(&values, name, class.as_deref(), id.as_deref(), words);
    let step = class.as_deref().and_then(|class| step_of(tables, names.spelling(tables, name), class));
    let step = step.unwrap_or(key);
    if is_raw {
        return Tag { kind, name, key, step, hints, traits };
    }
    let role = values.get(b"role").unwrap_or_default();
    let hints = hints | tables.hint_words.of_role(&role, &tables.classes);
    if class.is_none() && id.is_none() {
        return Tag { kind, name, key, step, hints, traits };
    }
    let both = [&class.unwrap_or_default()[..], b" ", &id.unwrap_or_default()].concat();
    let is_named = tables.hint_words.names_furniture(name, &both);
    let hints = hints | if is_named { tables.hint_words.bits.named } else { 0 };
    Tag { kind, name, key, step, hints, traits }
}

/// The attributes of a start tag, of two of a name the first.
pub struct Values<'a> {
    tables: &'a Tables,
    written: Vec<(&'a [u8], &'a [u8])>,
    /// Bit of a number of bytes -> whether a name has so many.
    lengths: u64,
}

impl<'a> Values<'a> {
    pub fn new(tables: &'a Tables, head: &'a [u8], name_stop: usize) -> Values<'a> {
        let mut written = Vec::with_capacity(USUAL_ATTRIBUTES);
        written.extend(attributes(head, name_stop, tables.most_attributes));
        let lengths = written.iter().fold(0, |lengths, (name, _)| lengths | bit_of(name));
        Values { tables, written, lengths }
    }

    /// Whether one of some attributes may be there: one has a name as long.
    fn may_have(&self, names: &[&[u8]]) -> bool {
        names.iter().any(|name| self.lengths & bit_of(name) != 0)
    }

    /// The value of an attribute, decoded; the name is given in lower case.
    pub fn get(&self, name: &[u8]) -> Option<Cow<'a, [u8]>> {
        if !self.may_have(&[name]) {
            return None;
        }
        let (_, value) = self.written.iter().find(|(written, _)| written.eq_ignore_ascii_case(name))?;
        Some(decoded(self.tables, value))
    }
}

/// What the value of an attribute stands for.
fn decoded<'a>(tables: &Tables, value: &'a [u8]) -> Cow<'a, [u8]> {
    if find(value, b'&', 0).is_none() {
        return Cow::Borrowed(value);
    }
    let mut decoded = Vec::with_capacity(value.len());
    tables.entities.attribute_text(value, &mut decoded);
    Cow::Owned(decoded)
}

/// The bit of the length of a name; long ones share one.
fn bit_of(name: &[u8]) -> u64 {
    1 << name.len().min(63)
}

/// What a start tag says of being shown.
fn traits_of(tables: &Tables, name: Name, values: Option<&Values>) -> Traits {
    let named = &tables.named;
    let value = |attribute: &[u8]| values.and_then(|values| values.get(attribute));
    let says = |attribute: &[u8], words: &[&str]| {
        value(attribute)
            .is_some_and(|value| words.iter().any(|word| value.eq_ignore_ascii_case(word.as_bytes())))
    };
    let mut traits = match name {
        _ if name == named.noscript => UNSCRIPTED,
        _ if name == named.template && says(b"shadowrootmode", &["open", "closed"]) => 0,
        _ => Traits::from(tables.sets.invisible.has(name)) * UNSEEN,
    };
    let is_shut = value(b"popover").is_some() || (name == named.dialog && value(b"open").is_none());
    let is_hidden = || {
        let is_marked = value(b"hidden").is_some() && !says(b"hidden", &["until-found"]);
        is_marked || value(b"style").is_some_and(|style| hides(&style))
    };
    if !tables.sets.skeleton.has(name) && (is_shut || is_hidden()) {
        traits |= HIDDEN;
        let role = value(b"role").unwrap_or_default();
        let of_role = tables.hint_words.of_role(&role, &tables.classes);
        let names = value(b"itemprop").unwrap_or_default();
        let is_answer = |word: &[u8]| word.eq_ignore_ascii_case(b"acceptedanswer");
        let is_tab_panel = |word: &[u8]| word.eq_ignore_ascii_case(b"tabpanel");
        if is_shut || of_role & !tables.hint_words.bits.article > 0 {
            traits |= SHUT;
        } else if tables.classes.split(&role).next().is_some_and(is_tab_panel)
            || tables.classes.split(&names).any(is_answer)
        {
            traits |= PANEL;
        }
    }
    if !tables.sets.blocks.has(name) && says(b"aria-hidden", &["true"]) {
        traits |= DRAWN;
    }
    if values.is_some_and(|values| !opened_by(tables, name, values, false).is_empty()) {
        traits |= OPENER;
    }
    let is_skeleton = tables.sets.skeleton.has(name);
    if !is_skeleton && !values.is_some_and(opens_overlay) && is_toggle(tables, name, values) {
        traits |= TOGGLE;
    }
    traits
}

/// Whether a click on an element that opens no overlay leads nowhere.
fn is_toggle(tables: &Tables, name: Name, values: Option<&Values>) -> bool {
    let named = &tables.named;
    let value = |attribute: &[u8]| values.and_then(|values| values.get(attribute));
    let says =
        |attribute: &[u8], word: &[u8]| value(attribute).is_some_and(|said| said.eq_ignore_ascii_case(word));
    if name == named.button || value(b"aria-expanded").is_some() || says(b"role", b"button") {
        return true;
    }
    if name == named.a {
        let href = value(b"href").unwrap_or_default();
        let is_script = href.get(..11).is_some_and(|scheme| scheme.eq_ignore_ascii_case(b"javascript:"));
        return href.is_empty() || *href == *b"#" || is_script;
    }
    let is_button = name == named.input && says(b"type", b"button");
    is_button || value(b"onclick").is_some() || (name == named.label && value(b"for").is_some())
}

/// The ids of what a start tag says that it opens; none where that is an overlay.
fn opened_by(tables: &Tables, name: Name, values: &Values, is_furniture: bool) -> Vec<Vec<u8>> {
    let mut ids: Vec<Vec<u8>> = Vec::new();
    if let Some(controls) = values.get(b"aria-controls") {
        ids.extend(tables.classes.split(&controls).take(tables.most_ids).map(<[u8]>::to_vec));
    }
    let naming: [&[u8]; 3] = [b"data-target", b"data-bs-target", b"data-tab"];
    for attribute in naming {
        let value = values.get(attribute).unwrap_or_default();
        ids.push(value.strip_prefix(b"#").unwrap_or(&value).to_vec());
    }
    if name == tables.named.a {
        ids.extend(values.get(b"href").and_then(|href| Some(href.strip_prefix(b"#")?.to_vec())));
    }
    ids.retain(|id| !id.is_empty());
    if ids.is_empty() {
        return ids;
    }
    if tables.sets.fields.has(name)
        || opens_overlay(values)
        || (is_furniture && !toggles_one_of(values, &["tab", "pill"]))
    {
        ids.clear();
    }
    ids
}

/// Whether a control opens what lies over the page.
fn opens_overlay(values: &Values) -> bool {
    values.get(b"aria-haspopup").is_some_and(|value| !value.eq_ignore_ascii_case(b"false"))
        || toggles_one_of(values, &["dropdown", "modal", "offcanvas", "popover", "tooltip"])
}

/// Whether a control says that it is, or toggles, one of some things.
fn toggles_one_of(values: &Values, words: &[&str]) -> bool {
    let toggles: [&[u8]; 3] = [b"role", b"data-toggle", b"data-bs-toggle"];
    let is_one_of = |value: &[u8]| words.iter().any(|word| value.eq_ignore_ascii_case(word.as_bytes()));
    toggles.iter().any(|toggle| values.get(toggle).is_some_and(|value| is_one_of(&value)))
}

/// The ids of what a control opens.
pub fn ids_opened(tables: &Tables, tag: &[u8], name: Name, is_furniture: bool) -> Vec<Vec<u8>> {
    opened_by(tables, name, &Values::new(tables, tag, name_stop(tag, 1)), is_furniture)
}

/// Whether a declaration of a style hides its element.
fn hides(style: &[u8]) -> bool {
    style.split(|byte| *byte == b';').any(|declaration| {
        let Some(colon) = find(declaration, b':', 0) else {
            return false;
        };
        let (says, value) = (declaration[..colon].trim_ascii(), declaration[colon + 1..].trim_ascii());
        let rest = value.len().saturating_sub(b"important".len());
        let is_important = value[rest..].eq_ignore_ascii_case(b"important");
        let value = if is_important { value[..rest].trim_ascii_end() } else { value };
        let value = value.strip_suffix(b"!").unwrap_or(value).trim_ascii_end();
        let is = |text: &[u8], word: &str| text.eq_ignore_ascii_case(word.as_bytes());
        (is(says, "display") && is(value, "none"))
            || (is(says, "visibility") && (is(value, "hidden") || is(value, "collapse")))
    })
}

/// The value of an attribute of a start tag, decoded, empty without one.
pub fn attribute_of<'a>(tables: &Tables, tag: &'a [u8], name: &[u8]) -> Cow<'a, [u8]> {
    let mut written = attributes(tag, name_stop(tag, 1), tables.most_attributes);
    let value =
        written.find(|(written, _)| written.eq_ignore_ascii_case(name)).map_or(&b""[..], |(_, value)| value);
    decoded(tables, value)
}

/// The class words of a start tag.
pub fn classes_of(tables: &Tables, tag: &[u8]) -> Vec<Vec<u8>> {
    let class = attribute_of(tables, tag, b"class");
    tables.classes.split(&class).take(tables.most_classes).map(<[u8]>::to_vec).collect()
}

/// The attributes of a tag behind its name, as written: (name, value).
fn attributes(head: &[u8], name_stop: usize, most: usize) -> impl Iterator<Item = (&[u8], &[u8])> {
    let mut at = name_stop;
    let next = move || {
        let attribute = attribute_at(head, at)?;
        at = attribute.stop;
        Some((&head[attribute.name], &head[attribute.value]))
    };
    std::iter::from_fn(next).take(most)
}

/// Append the keys of what names an element, or what it names.
fn add_words(values: &Values, name: Name, class: Option<&[u8]>, id: Option<&[u8]>, words: &mut Vec<u64>) {
    let tables = values.tables;
    if tables.sets.without_words.has(name) {
        return;
    }
    let classes = &tables.classes;
    let naming = tables.naming.iter().filter(|(of, _)| *of == name);
    let named: Vec<Cow<[u8]>> = naming.filter_map(|(_, attribute)| values.get(attribute)).collect();
    let mut said: Vec<(u8, &[u8])> = Vec::new();
    let mut say = |mark, word| {
        if !said.contains(&(mark, word)) {
            said.push((mark, word));
        }
    };
    for word in classes.split(class.unwrap_or(b"")).take(tables.most_classes) {
        say(b'.', word);
    }
    if let Some(id) = id {
        say(b'#', classes.trim(id));
    }
    named.iter().for_each(|value| say(b'@', value));
    let mut read = Vec::with_capacity(USUAL_WORD);
    for (mark, word) in said {
        read.clear();
        read.push(mark);
        add_without_digits(classes, word, &mut read);
        words.push(key(&read));
    }
}

/// Key of a name with the first word of a class; none where that has no word.
fn step_of(tables: &Tables, name: &[u8], class: &[u8]) -> Option<u64> {
    let word = tables.classes.split(class).take(tables.most_classes).next()?;
    let mut read = Vec::with_capacity(name.len() + 1 + word.len());
    read.extend_from_slice(name);
    read.push(b'.');
    add_without_digits(&tables.classes, word, &mut read);
    Some(key(&read))
}

/// Append a word with each run of digits read as `#`.
fn add_without_digits(classes: &Classes, word: &[u8], read: &mut Vec<u8>) {
    let (mut start, mut at) = (0, 0);
    while at < word.len() {
        let (class, size) = classes.at(word, at);
        let stop = (at + size).min(word.len());
        if class & DIGIT != 0 {
            read.extend_from_slice(&word[start..at]);
            if start < at || at == 0 {
                read.push(b'#');
            }
            start = stop;
        }
        at = stop;
    }
    read.extend_from_slice(&word[start..]);
}

/// The parts of a title: the title, and what stands between `|`, ` - ` and their like.
pub fn title_parts<'a>(title: &'a [u8], marks: &[u32]) -> Vec<&'a [u8]> {
    let mut parts = vec![title];
    let (mut start, mut at) = (0, 0);
    while at < title.len() {
        match separator_stop(title, at, marks) {
            Some(stop) => {
                parts.push(&title[start..at]);
                (start, at) = (stop, stop);
            }
            None => at += decode(title, at).1,
        }
    }
    parts.push(title.get(start..).unwrap_or(b""));
    parts
}

fn separator_stop(title: &[u8], at: usize, marks: &[u32]) -> Option<usize> {
    let is_space = |at: usize| title.get(at) == Some(&b' ');
    if is_space(at) {
        let dashes = title[at + 1..].iter().take_while(|byte| matches!(byte, b'-' | b'/' | b':')).count();
        if dashes > 0 && is_space(at + 1 + dashes) {
            return Some(at + 2 + dashes);
        }
    }
    let first = at + usize::from(is_space(at));
    if first < title.len() {
        let (character, size) = decode(title, first);
        if marks.contains(&character) {
            return Some(first + size + usize::from(is_space(first + size)));
        }
    }
    title[at..].starts_with(b": ").then_some(at + 2)
}
