//! The element tree of a page: the parent of each element, and its range of tokens:
//! `templcrawl/page/elements.py`.

use crate::names::{Name, NameSet};
use crate::tables::Tables;
use crate::tags::{COMMENT, END, SPACE, START, TEXT, UNREAD, VOID};
use crate::tokens::Tokens;
use std::collections::HashSet;

const REACH: usize = 64;

/// The element tree of a page as parallel lists, in document order; element 0 is the document.
#[derive(Default)]
pub struct Elements {
    pub parents: Vec<i32>,
    pub names: Vec<Name>,
    pub opens: Vec<i32>,
    pub closes: Vec<i32>,
    pub visible: Vec<u8>,
    pub shown: Vec<u8>,
    pub hidden: Vec<u8>,
    pub owners: Vec<i32>,
    pub anchors: Vec<i32>,
}

pub fn read_elements(tables: &Tables, tokens: &Tokens) -> Elements {
    let most = 1 + tokens.kinds.iter().filter(|kind| (START..END).contains(*kind)).count();
    let elements = Elements::with_room(most, tokens.len());
    let mut walk = Walk { tables, tokens, stack: vec![0], over: HashSet::new(), elements };
    walk.elements.add(-1, 0, 0);
    walk.run();
    let mut elements = walk.elements;
    let is_anchor = |name: Name| name == tables.named.a || name == tables.named.area;
    let anchors = elements.names.iter().zip(&elements.opens).filter(|(name, _)| is_anchor(**name));
    elements.anchors = anchors.map(|(_, open)| *open).collect();
    elements
}

impl Elements {
    pub fn len(&self) -> usize {
        self.names.len()
    }

    fn with_room(elements: usize, tokens: usize) -> Elements {
        Elements {
            parents: Vec::with_capacity(elements),
            names: Vec::with_capacity(elements),
            opens: Vec::with_capacity(elements),
            closes: Vec::with_capacity(elements),
            owners: Vec::with_capacity(tokens),
            ..Elements::default()
        }
    }

    fn add(&mut self, parent: i32, name: Name, open: usize) {
        self.parents.push(parent);
        self.names.push(name);
        self.opens.push(open as i32);
        self.closes.push(open as i32 + 1);
    }
}

struct Walk<'a> {
    tables: &'a Tables,
    tokens: &'a Tokens,
    stack: Vec<usize>,
    /// Elements whose end tags stood inside of a block within them.
    over: HashSet<usize>,
    elements: Elements,
}

impl Walk<'_> {
    fn run(&mut self) {
        let tokens = self.tokens;
        let size = tokens.len();
        for position in 0..size {
            let kind = tokens.kinds[position];
            let owner = match kind {
                END => self.end_tag(tokens.name(position), position),
                START | VOID => self.start_tag(tokens.name(position), kind, position),
                UNREAD => 0,
                _ => self.top(),
            };
            self.elements.owners.push(owner as i32);
            if (START..=END).contains(&kind)
                && self.top_name() == self.tables.named.head
                && self.text_follows(position + 1)
            {
                self.pop(self.stack.len() - 1, position + 1);
            }
        }
        let is_cut = size > 0 && tokens.kinds[size - 1] == UNREAD;
        self.pop(1, size - usize::from(is_cut));
        self.pop(0, size);
    }

    fn top(&self) -> usize {
        self.stack.last().copied().unwrap_or(0)
    }

    fn name(&self, depth: usize) -> Name {
        self.elements.names[self.stack[depth]]
    }

    fn top_name(&self) -> Name {
        self.elements.names[self.top()]
    }

    /// Close what an end tag closes; return its element.
    fn end_tag(&mut self, name: Name, position: usize) -> usize {
        let owner = if self.top_name() == name {
            let top = self.top();
            self.pop(self.stack.len() - 1, position + 1);
            top
        } else {
            self.close(name, position)
        };
        self.end_over(position + 1);
        owner
    }

    /// Open an element; return it.
    fn start_tag(&mut self, name: Name, mut kind: u8, position: usize) -> usize {
        let tables = self.tables;
        let element = self.elements.len();
        let top_name = self.top_name();
        if tables.sets.implies.has(name)
            || top_name == tables.named.head
            || (tables.sets.breaks_out.has(name) && tables.sets.foreign.has(top_name))
        {
            self.imply(name, top_name, position);
            self.end_over(position);
            if name == tables.named.form && tables.sets.table_context.has(self.top_name()) {
                kind = VOID;
            }
        }
        self.elements.add(self.top() as i32, name, position);
        if kind == START {
            self.stack.push(element);
        }
        element
    }

    fn imply(&mut self, name: Name, top_name: Name, position: usize) {
        let tables = self.tables;
        if top_name == tables.named.head {
            if !tables.sets.head_content.has(name) {
                self.pop(self.stack.len() - 1, position);
            }
            return;
        }
        if tables.sets.foreign.has(top_name) && tables.sets.breaks_out.has(name) {
            self.break_out(position);
        }
        for rule in tables.implied_ends.get(name as usize).map_or(&[][..], |rules| rules) {
            let top_name = self.top_name();
            match &rule.barriers {
                None if rule.ended.has(top_name) => self.pop(self.stack.len() - 1, position),
                Some(barriers) if !barriers.has(top_name) => self.end(&rule.ended, barriers, position),
                _ => {}
            }
        }
    }

    /// The depths that a search in the stack looks at, the innermost first.
    fn reach(&self) -> impl Iterator<Item = usize> {
        (self.stack.len().saturating_sub(REACH) + 1..self.stack.len()).rev()
    }

    /// Close the outermost open element of those named, as far as the search reaches.
    fn end(&mut self, ended: &NameSet, barriers: &NameSet, position: usize) {
        let mut outermost = 0;
        for depth in self.reach() {
            let open_name = self.name(depth);
            if ended.has(open_name) {
                outermost = depth;
            } else if barriers.has(open_name) {
                break;
            }
        }
        if outermost > 0 {
            self.pop(outermost, position);
        }
    }

    /// Close the open svg or math.
    fn break_out(&mut self, position: usize) {
        let mut root = 0;
        for depth in self.reach() {
            let open_name = self.name(depth);
            if !self.tables.sets.foreign.has(open_name) {
                break;
            }
            if self.tables.sets.foreign_roots.has(open_name) {
                root = depth;
            }
        }
        if root > 0 {
            self.pop(root, position);
        }
    }

    /// Close the nearest open element of this name in scope; return it, or the innermost open one.
    fn close(&mut self, name: Name, position: usize) -> usize {
        let tables = self.tables;
        let of_name = tables.end_scopes.get(name as usize).and_then(Option::as_ref);
        let mut scope = of_name.unwrap_or(&tables.sets.special);
        let is_heading = tables.sets.headings.has(name);
        let mut is_held = false;
        for depth in self.reach() {
            let open_name = self.name(depth);
            if open_name == name || (is_heading && tables.sets.headings.has(open_name)) {
                let element = self.stack[depth];
                if is_held {
                    self.over.insert(element);
                    break;
                }
                self.pop(depth, position);
                self.elements.closes[element] = position as i32 + 1;
                return element;
            }
            if scope.has(open_name) {
                if is_held || !tables.sets.formatting.has(name) {
                    break;
                }
                (is_held, scope) = (true, &tables.sets.scope);
            }
        }
        self.top()
    }

    /// Close the innermost elements whose end tags stood inside of a block within them.
    fn end_over(&mut self, position: usize) {
        while !self.over.is_empty() && self.over.remove(&self.top()) {
            self.pop(self.stack.len() - 1, position);
        }
    }

    fn pop(&mut self, depth: usize, position: usize) {
        for element in self.stack.drain(depth..) {
            self.elements.closes[element] = position as i32;
        }
    }

    /// Say whether there is text between this position and the next tag.
    fn text_follows(&self, position: usize) -> bool {
        let mut kinds = self.tokens.kinds[position..].iter();
        kinds.find(|kind| !matches!(**kind, SPACE | COMMENT)) == Some(&TEXT)
    }
}
