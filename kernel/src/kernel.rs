//! A kernel: its tables, what it remembers between pages, and what it has written last.

use crate::addresses::Base;
use crate::blob::Buffer;
use crate::columns::task;
use crate::hints::Answers;
use crate::links::{self, write_links};
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

pub struct Kernel {
    pub written: Written,
    tables: Tables,
    answers: Answers,
    pending: Option<Tokens>,
    output: Vec<u8>,
}

impl Kernel {
    pub fn new(tables: &[u8]) -> Option<Kernel> {
        let tables = Tables::read(tables)?;
        Some(Kernel {
            written: Written { start: std::ptr::null(), size: 0 },
            tables,
            answers: Answers::default(),
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

    fn read(&mut self, text: &[u8], limits: &[u8]) -> Option<Outcome> {
        let limits = Buffer::<u64>::of(limits).to_vec();
        let limits = Limits { is_cut: *limits.first()? != 0, max_tags: *limits.get(1)? as usize };
        if text.len() > MAX_BYTES {
            return None;
        }
        let mut tokens = read_tokens(&self.tables, text, limits).ok()?;
        let named = self.tables.hint_words.bits.named;
        let (forms, answers) = (&mut tokens.forms, &self.answers);
        tokens.questions.retain(|(form, names)| {
            let answer = answers.get(names);
            forms[*form as usize].hints |= if answer == Some(true) { named } else { 0 };
            answer.is_none()
        });
        if tokens.questions.is_empty() {
            write_page(&self.tables, text, &tokens, &mut self.output);
            return Some(Outcome::Done);
        }
        write_questions(tokens.questions.iter().map(|(_, names)| &names[..]), &mut self.output);
        self.pending = Some(tokens);
        Some(Outcome::Asks)
    }

    /// Go on reading a page, from a byte for each class and id that was asked about.
    fn go_on(&mut self, mut tokens: Tokens, text: &[u8], said: &[u8]) -> Option<Outcome> {
        if tokens.starts.last().map(|size| *size as usize) != Some(text.len())
            || said.len() != tokens.questions.len()
        {
            return None;
        }
        let named = self.tables.hint_words.bits.named;
        for ((form, names), said) in tokens.questions.iter().zip(said) {
            self.answers.add(names, *said != 0);
            tokens.forms[*form as usize].hints |= if *said != 0 { named } else { 0 };
        }
        write_page(&self.tables, text, &tokens, &mut self.output);
        Some(Outcome::Done)
    }

    pub fn work_out(&mut self, task: u8, text: &[u8], blob: &[u8], first: &[u8], second: &[u8]) -> Outcome {
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
            task::LINKS => return find_links(tables, page, first, second, output),
            task::TEXT => Side::new(tables, page, first, *second.first()?)?.text(output),
            task::HTML => Side::new(tables, page, first, *second.first()?)?.html(output).ok()?,
            task::VERDICT => write_verdict(tables, page, first, second, output)?,
            task::FURNITURE => write_stripped(tables, page, first, second, output)?,
            task::CONTENT => write_content(page, first, second, output)?,
            task::PAGELETS => write_pagelets(tables, page, first, second, output)?,
            _ => return None,
        }
        Some(Outcome::Done)
    }
}

/// Write the links of a page, or what Python is to resolve; `answers` are empty when nothing was asked yet.
fn find_links(
    tables: &Tables,
    page: Page,
    base: &[u8],
    answers: &[u8],
    output: &mut Vec<u8>,
) -> Option<Outcome> {
    let answers = (!answers.is_empty()).then(|| read_answers(answers));
    Some(match write_links(tables, page, &Base::read(base)?, answers, output)? {
        links::Outcome::Written => Outcome::Done,
        links::Outcome::Asks(questions) => {
            write_questions(questions.iter().map(|href| &href[..]), output);
            Outcome::Asks
        }
    })
}

/// Questions as Python reads them: their number, the bytes of each, and all of them joined.
fn write_questions<'a>(questions: impl Iterator<Item = &'a [u8]> + Clone, output: &mut Vec<u8>) {
    output.clear();
    output.extend((questions.clone().count() as u32).to_le_bytes());
    questions.clone().for_each(|question| output.extend((question.len() as u32).to_le_bytes()));
    questions.for_each(|question| output.extend_from_slice(question));
}

/// Answers as Python writes them: a section each, a byte that says if there is one, and it.
fn read_answers(bytes: &[u8]) -> Vec<Option<Vec<u8>>> {
    let mut sections = Sections(bytes);
    let mut answers = Vec::new();
    while let Some(section) = sections.bytes() {
        answers.push(section.split_first().filter(|(said, _)| **said != 0).map(|(_, url)| url.to_vec()));
    }
    answers
}
