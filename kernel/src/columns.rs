//! The columns of each table, in order, and what a page is asked for.
//! Generated from `templcrawl/page/columns.py` by `kernel/columns.py`; change nothing here.

#![allow(dead_code)] // some columns only Python reads

pub mod task {
    pub const LINKS: u8 = 0;
    pub const TEXT: u8 = 1;
    pub const HTML: u8 = 2;
    pub const VERDICT: u8 = 3;
    pub const CONTENT: u8 = 4;
    pub const PAGELETS: u8 = 5;
    pub const PAGER_MARKS: u8 = 6;
    pub const FURNITURE: u8 = 7;
}

pub mod flag {
    pub const HIT_MAX_CHARACTERS: u64 = 1;
    pub const HIT_MAX_TAGS: u64 = 2;
    pub const IS_ASCII: u64 = 4;
    pub const HAS_BASE: u64 = 8;
}

pub mod page {
    use crate::blob::Column;

    /// token -> its first byte; at the end the number of bytes
    pub const STARTS: Column<u32> = Column::new(0);
    /// the same in characters; empty where a byte is a character
    pub const CHARACTER_STARTS: Column<u32> = Column::new(1);
    /// token -> its form
    pub const FORM_OF: Column<i64> = Column::new(2);
    /// token -> its kind
    pub const KINDS: Column<u8> = Column::new(3);
    /// form -> the first token of it
    pub const FORM_TOKEN: Column<u32> = Column::new(4);
    /// form -> its kind
    pub const FORM_KIND: Column<u8> = Column::new(5);
    /// form -> the number of its tag name
    pub const FORM_NAME: Column<u32> = Column::new(6);
    /// form -> what it adds to the path of a pagelet
    pub const FORM_STEP: Column<u64> = Column::new(7);
    /// form -> what it adds to the path of an anchor
    pub const ANCHOR_STEP: Column<u64> = Column::new(8);
    /// element -> its parent
    pub const ELEMENT_PARENT: Column<i64> = Column::new(9);
    /// element -> position of its start tag
    pub const ELEMENT_OPEN: Column<i64> = Column::new(10);
    /// element -> position after its last token
    pub const ELEMENT_CLOSE: Column<i64> = Column::new(11);
    /// element -> the number of its tag name
    pub const ELEMENT_NAME: Column<u32> = Column::new(12);
    /// element -> whether text in it is visible
    pub const ELEMENT_VISIBLE: Column<u8> = Column::new(13);
    /// element -> whether a reader sees it
    pub const ELEMENT_SHOWN: Column<u8> = Column::new(14);
    /// element -> levels below the body
    pub const ELEMENT_DEPTH: Column<u8> = Column::new(15);
    /// token -> the innermost element that covers it
    pub const OWNER: Column<i64> = Column::new(16);
    /// token -> characters of visible text before it; at the end all
    pub const CHARACTERS_BEFORE: Column<i64> = Column::new(17);
    /// positions of the start tags of anchors
    pub const ANCHORS: Column<i64> = Column::new(18);
    /// run -> position of its token
    pub const RUN_POSITION: Column<i64> = Column::new(19);
    /// run -> the innermost element that covers it
    pub const RUN_ELEMENT: Column<i64> = Column::new(20);
    /// run -> its number of words
    pub const RUN_WORDS: Column<i64> = Column::new(21);
    /// run -> bits of its hints
    pub const RUN_HINTS: Column<u8> = Column::new(22);
    /// run -> key of its words
    pub const RUN_TEXT: Column<u64> = Column::new(23);
    /// run -> key of its words and its path
    pub const RUN_KEY: Column<u64> = Column::new(24);
    /// row -> its first run; at the end the number of runs
    pub const ROW_START: Column<i64> = Column::new(25);
    /// row -> key of its runs
    pub const ROW_KEY: Column<u64> = Column::new(26);
    /// row -> the element of its table, or -1
    pub const ROW_TABLE: Column<i64> = Column::new(27);
    /// row -> 1 for code, 2 for a heading, else 0
    pub const ROW_KIND: Column<u8> = Column::new(28);
    /// features of the page's structure, ascending
    pub const STRUCTURE: Column<u64> = Column::new(29);
    /// tag names that only this page has, with `>` between them
    pub const NEW_NAMES: Column<u8> = Column::new(30);
    /// template fingerprint
    pub const FINGERPRINT: Column<u8> = Column::new(31);
    pub const COUNT: usize = 32;
}

pub mod links {
    use crate::blob::Column;

    /// distinct address -> its first byte; at the end the number of bytes
    pub const URL_STARTS: Column<u32> = Column::new(0);
    /// the distinct addresses
    pub const URLS: Column<u8> = Column::new(1);
    /// distinct address -> form of the start tag
    pub const URL_FORMS: Column<i64> = Column::new(2);
    /// distinct address -> its key
    pub const URL_KEYS: Column<u64> = Column::new(3);
    /// link -> its distinct address
    pub const LINK_URL: Column<i64> = Column::new(4);
    /// link -> its element
    pub const LINK_ELEMENT: Column<i64> = Column::new(5);
    /// link -> key of its address
    pub const LINK_KEY: Column<u64> = Column::new(6);
    /// link -> key of the path of its anchor
    pub const ANCHOR_PATH: Column<u64> = Column::new(7);
    /// the hash of each term, in order
    pub const TERM_HASHES: Column<u64> = Column::new(8);
    /// token -> number of terms before it; at the end the number of terms
    pub const TERM_STARTS: Column<i64> = Column::new(9);
    pub const COUNT: usize = 10;
}

pub mod verdict {
    use crate::blob::Column;

    /// of the page: hash, pages that vote, whether it is an outsider; words of running text in the content, and of all; lost words; of the content: hash, words, distinct shingles
    pub const FIGURES: Column<u64> = Column::new(0);
    /// the distinct keys of its runs and rows, ascending
    pub const KEYS: Column<u64> = Column::new(1);
    /// run, then row -> index of its key
    pub const RANKS: Column<i64> = Column::new(2);
    /// run -> share of the pages that vote
    pub const SHARES: Column<f64> = Column::new(3);
    /// where each span of content starts and stops, in turn
    pub const EDGES: Column<i64> = Column::new(4);
    /// token -> 1 if it is content
    pub const MASK: Column<u8> = Column::new(5);
    /// the least shingles of the content
    pub const MINIMA: Column<u64> = Column::new(6);
    /// bands of its sketch
    pub const BANDS: Column<u64> = Column::new(7);
    pub const COUNT: usize = 8;
}

pub mod furniture {
    use crate::blob::Column;

    /// words of running text in the content, and of all; lost words
    pub const FIGURES: Column<u64> = Column::new(0);
    /// where each span of content starts and stops, in turn
    pub const EDGES: Column<i64> = Column::new(1);
    /// token -> 1 if it is content
    pub const MASK: Column<u8> = Column::new(2);
    /// run -> share of the pages that vote, of the site or the type
    pub const SHARES: Column<f64> = Column::new(3);
    pub const COUNT: usize = 4;
}

pub mod content {
    use crate::blob::Column;

    /// hash of the words, number of words, number of distinct shingles
    pub const FIGURES: Column<u64> = Column::new(0);
    /// the least shingles
    pub const MINIMA: Column<u64> = Column::new(1);
    /// bands of the sketch
    pub const BANDS: Column<u64> = Column::new(2);
    pub const COUNT: usize = 3;
}

pub mod pagelets {
    use crate::blob::Column;

    /// pagelet -> its element
    pub const ELEMENT: Column<i64> = Column::new(0);
    /// pagelet -> position of its first token
    pub const START: Column<i64> = Column::new(1);
    /// pagelet -> position after its last token
    pub const STOP: Column<i64> = Column::new(2);
    /// pagelet -> number of its links
    pub const LINKS: Column<i64> = Column::new(3);
    /// pagelet -> its one shingle
    pub const SHINGLE: Column<u64> = Column::new(4);
    /// link -> its pagelet, or -1
    pub const LINK_PAGELET: Column<i64> = Column::new(5);
    /// link -> its role
    pub const LINK_ROLE: Column<u64> = Column::new(6);
    pub const COUNT: usize = 7;
}

pub mod pager_marks {
    use crate::blob::Column;

    /// anchor that may be a step -> its link
    pub const ANCHOR_LINK: Column<i64> = Column::new(0);
    /// anchor -> its first byte; at the end the number of bytes
    pub const ANCHOR_STARTS: Column<u32> = Column::new(1);
    /// the anchors
    pub const ANCHORS: Column<u8> = Column::new(2);
    /// hint -> its link
    pub const HINT_LINK: Column<i64> = Column::new(3);
    /// hint -> levels above the link
    pub const HINT_LEVEL: Column<i64> = Column::new(4);
    /// hint -> its distinct tag
    pub const HINT_TAG: Column<i64> = Column::new(5);
    /// distinct tag -> its first byte; at the end the number of bytes
    pub const TAG_STARTS: Column<u32> = Column::new(6);
    /// the distinct tags; nothing for what is none
    pub const TAGS: Column<u8> = Column::new(7);
    pub const COUNT: usize = 8;
}
