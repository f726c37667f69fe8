//! A kernel: its tables, what it remembers between pages, and what it has written last.

use crate::addresses::{Base, Target};
use crate::blob::Buffer;
use crate::columns::{question, task};
use crate::elements::{read_elements, Elements};
use crate::known::Known;
use crate::lines::make_storable;
use crate::links::{base_href, find_targets, Targets};
use crate::near_duplicates::write_content;
use crate::page::{write_page, Page};
use crate::partition::write_pagelets;
use crate::render::Side;
use crate::sections::Sections;
use crate::tables::Tables;
use crate::tokens::{read_tokens, Limits, Tokens};
use crate::type_furniture::write_stripped;
use crate::verdict::write_verdict;

/// Bytes of a text that a blob can number.
const MAX_BYTES: usize = i32::MAX as usize;
/// Bytes of output that are kept for the next page.
const KEPT_BYTES: usize = 1 << 22;

/// How a call ended.
#[repr(i32)]
pub enum Outcome {
    Done = 0,
    /// The output holds questions.
    Asks = 1,
    /// Python is to read this page.
    Refused = 2,
    Panicked = 3,
}

/// Where the output of a kernel starts, and its bytes.
#[repr(C)]
pub struct Written {
    start: *const u8,
    size: usize,
}

/// A page that is being read, and what Python has been asked about it.
enum Reading {
    /// What links start from.
    Base(Tokens),
    /// Where links lead.
    Links(Tokens, Elements, Targets),
}

pub struct Kernel {
    pub written: Written,
    tables: Tables,
    known: Known,
    pending: Option<Reading>,
    output: Vec<u8>,
}

impl Kernel {
    pub fn new(tables: &[u8]) -> Option<Kernel> {
        let tables = Tables::read(tables)?;
        Some(Kernel {
            written: Written { start: std::ptr::null(), size: 0 },
            tables,
            known: Known::new(),
            pending: None,
            output: Vec::new(),
        })
    }

    /// Note where the output is.
    pub fn note_output(&mut self) {
        self.written = Written { start: self.output.as_ptr(), size: self.output.len() };
    }

    /// Forget the last page.
    pub fn forget(&mut self) {
        self.pending = None;
        self.output.clear();
        if self.output.capacity() > KEPT_BYTES {
            self.output = Vec::new();
        }
    }

    fn read(&mut self, text: &[u8], said: &[u8]) -> Option<Outcome> {
        let mut said = Sections(said);
        let limits = Buffer::<u64>::of(said.bytes()?).to_vec();
        let limits = Limits { is_cut: *limits.first()? != 0, max_tags: *limits.get(1)? as usize };
        let base = Base::read(said.bytes()?)?;
        if text.len() > MAX_BYTES {
            return None;
        }
        let tokens = read_tokens(&self.tables, &mut self.known, text, limits).ok()?;
        let Some(href) = base_href(&self.tables, text, &tokens) else {
            return self.find_links(text, tokens, &base);
        };
        write_questions([(question::BASE, &href[..])].into_iter(), &mut self.output);
        self.pending = Some(Reading::Base(tokens));
        Some(Outcome::Asks)
    }

    /// Go on reading a page, from the answers to what was asked about it.
    fn go_on(&mut self, reading: Reading, text: &[u8], said: &[u8]) -> Option<Outcome> {
        let (Reading::Base(tokens) | Reading::Links(tokens, ..)) = &reading;
        if tokens.starts.last().map(|size| *size as usize) != Some(text.len()) {
            return None;
        }
        let mut said = Sections(said);
        match reading {
            Reading::Base(tokens) => self.find_links(text, tokens, &Base::read(said.bytes()?)?),
            Reading::Links(tokens, elements, mut targets) => {
                for (_, target) in targets.iter_mut().filter(|(_, target)| matches!(target, Target::Ask(_))) {
                    let (is_url, url) = said.bytes()?.split_first()?;
                    *target = if *is_url != 0 { Target::Url(url.to_vec()) } else { Target::Nowhere };
                }
                self.write_page(text, &tokens, elements, &targets)
            }
        }
    }

    fn find_links(&mut self, text: &[u8], tokens: Tokens, base: &Base) -> Option<Outcome> {
        let elements = read_elements(&self.tables, &tokens);
        let targets = find_targets(&self.tables, text, &tokens, &elements, base);
        let asked = targets.iter().filter_map(|(_, target)| match target {
            Target::Ask(href) => Some((question::LINK, &href[..])),
            _ => None,
        });
        if asked.clone().next().is_none() {
            return self.write_page(text, &tokens, elements, &targets);
        }
        write_questions(asked, &mut self.output);
        self.pending = Some(Reading::Links(tokens, elements, targets));
        Some(Outcome::Asks)
    }

    fn write_page(
        &mut self,
        text: &[u8],
        tokens: &Tokens,
        elements: Elements,
        targets: &Targets,
    ) -> Option<Outcome> {
        write_page(&self.tables, text, tokens, elements, targets, &mut self.output);
        Some(Outcome::Done)
    }

    pub fn run_task(&mut self, task: u8, text: &[u8], blob: &[u8], first: &[u8], second: &[u8]) -> Outcome {
        self.write(task, text, blob, first, second).unwrap_or(Outcome::Refused)
    }

    fn write(&mut self, task: u8, text: &[u8], blob: &[u8], first: &[u8], second: &[u8]) -> Option<Outcome> {
        let pending = self.pending.take();
        self.forget();
        if task == task::READ {
            return if second.is_empty() {
                self.read(text, first)
            } else {
                self.go_on(pending?, text, second)
            };
        }
        let (tables, output) = (&self.tables, &mut self.output);
        let page = Page::read(text, blob)?;
        match task {
            task::TEXT | task::HTML => {
                let side = Side::new(tables, page, first, *second.first()?)?;
                if task == task::TEXT {
                    side.text(output);
                } else {
                    side.html(output).ok()?;
                }
                make_storable(tables, output);
            }
            task::VERDICT => write_verdict(tables, page, first, second, output)?,
            task::FURNITURE => write_stripped(tables, page, first, second, output)?,
            task::CONTENT => write_content(page, first, output)?,
            task::PAGELETS => write_pagelets(tables, page, first, output)?,
            _ => return None,
        }
        Some(Outcome::Done)
    }
}

/// Questions as Python reads them: their number, the bytes of each, and all of them joined, each behind its kind.
fn write_questions<'a>(questions: impl Iterator<Item = (u8, &'a [u8])> + Clone, output: &mut Vec<u8>) {
    output.clear();
    output.extend((questions.clone().count() as u32).to_le_bytes());
    questions.clone().for_each(|(_, asked)| output.extend((asked.len() as u32 + 1).to_le_bytes()));
    for (kind, asked) in questions {
        output.push(kind);
        output.extend_from_slice(asked);
    }
}
