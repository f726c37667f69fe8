//! What a page is asked for, and the columns of each table in order.
//! Generated from `templcrawl/page/kernel_columns.py`, where they are explained, by `kernel/columns.py`.

#![allow(dead_code)] // some columns only Python reads

pub const ABI: u32 = 9;

pub mod task {
    pub const READ: u8 = 0;
    pub const LINKS: u8 = 1;
    pub const TEXT: u8 = 2;
    pub const HTML: u8 = 3;
    pub const VERDICT: u8 = 4;
    pub const CONTENT: u8 = 5;
    pub const PAGELETS: u8 = 6;
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

    pub const STARTS: Column<u32> = Column::new(0);
    pub const CHARACTER_STARTS: Column<u32> = Column::new(1);
    pub const FORM_OF: Column<i64> = Column::new(2);
    pub const KINDS: Column<u8> = Column::new(3);
    pub const FORM_TOKEN: Column<u32> = Column::new(4);
    pub const FORM_KIND: Column<u8> = Column::new(5);
    pub const FORM_NAME: Column<u32> = Column::new(6);
    pub const FORM_STEP: Column<u64> = Column::new(7);
    pub const ANCHOR_STEP: Column<u64> = Column::new(8);
    pub const ELEMENT_PARENT: Column<i64> = Column::new(9);
    pub const ELEMENT_OPEN: Column<i64> = Column::new(10);
    pub const ELEMENT_CLOSE: Column<i64> = Column::new(11);
    pub const ELEMENT_NAME: Column<u32> = Column::new(12);
    pub const ELEMENT_VISIBLE: Column<u8> = Column::new(13);
    pub const ELEMENT_SHOWN: Column<u8> = Column::new(14);
    pub const ELEMENT_HIDDEN: Column<u8> = Column::new(15);
    pub const ELEMENT_DEPTH: Column<u8> = Column::new(16);
    pub const OWNER: Column<i64> = Column::new(17);
    pub const CHARACTERS_BEFORE: Column<i64> = Column::new(18);
    pub const ANCHORS: Column<i64> = Column::new(19);
    pub const RUN_POSITION: Column<i64> = Column::new(20);
    pub const RUN_ELEMENT: Column<i64> = Column::new(21);
    pub const RUN_WORDS: Column<i64> = Column::new(22);
    pub const RUN_HINTS: Column<u8> = Column::new(23);
    pub const RUN_TEXT: Column<u64> = Column::new(24);
    pub const RUN_KEY: Column<u64> = Column::new(25);
    pub const RUN_HIDDEN: Column<u8> = Column::new(26);
    pub const ROW_START: Column<i64> = Column::new(27);
    pub const ROW_KEY: Column<u64> = Column::new(28);
    pub const ROW_TABLE: Column<i64> = Column::new(29);
    pub const ROW_KIND: Column<u8> = Column::new(30);
    pub const ROW_SCOPE_START: Column<i64> = Column::new(31);
    pub const ROW_SCOPE_STOP: Column<i64> = Column::new(32);
    pub const STRUCTURE: Column<u64> = Column::new(33);
    pub const NEW_NAMES: Column<u8> = Column::new(34);
    pub const FINGERPRINT: Column<u8> = Column::new(35);
    pub const COUNT: usize = 36;
}

pub mod links {
    use crate::blob::Column;

    pub const URL_STARTS: Column<u32> = Column::new(0);
    pub const URLS: Column<u8> = Column::new(1);
    pub const URL_FORMS: Column<i64> = Column::new(2);
    pub const URL_KEYS: Column<u64> = Column::new(3);
    pub const LINK_URL: Column<i64> = Column::new(4);
    pub const LINK_ELEMENT: Column<i64> = Column::new(5);
    pub const LINK_KEY: Column<u64> = Column::new(6);
    pub const ANCHOR_PATH: Column<u64> = Column::new(7);
    pub const TERM_HASHES: Column<u64> = Column::new(8);
    pub const TERM_STARTS: Column<i64> = Column::new(9);
    pub const COUNT: usize = 10;
}

pub mod verdict {
    use crate::blob::Column;

    pub const FIGURES: Column<u64> = Column::new(0);
    pub const KEYS: Column<u64> = Column::new(1);
    pub const RANKS: Column<i64> = Column::new(2);
    pub const SHARES: Column<f64> = Column::new(3);
    pub const EDGES: Column<i64> = Column::new(4);
    pub const MASK: Column<u8> = Column::new(5);
    pub const MINIMA: Column<u64> = Column::new(6);
    pub const BANDS: Column<u64> = Column::new(7);
    pub const COUNT: usize = 8;
}

pub mod furniture {
    use crate::blob::Column;

    pub const FIGURES: Column<u64> = Column::new(0);
    pub const EDGES: Column<i64> = Column::new(1);
    pub const MASK: Column<u8> = Column::new(2);
    pub const SHARES: Column<f64> = Column::new(3);
    pub const COUNT: usize = 4;
}

pub mod content {
    use crate::blob::Column;

    pub const FIGURES: Column<u64> = Column::new(0);
    pub const MINIMA: Column<u64> = Column::new(1);
    pub const BANDS: Column<u64> = Column::new(2);
    pub const COUNT: usize = 3;
}

pub mod pagelets {
    use crate::blob::Column;

    pub const ELEMENT: Column<i64> = Column::new(0);
    pub const START: Column<i64> = Column::new(1);
    pub const STOP: Column<i64> = Column::new(2);
    pub const LINKS: Column<i64> = Column::new(3);
    pub const SHINGLE: Column<u64> = Column::new(4);
    pub const LINK_PAGELET: Column<i64> = Column::new(5);
    pub const LINK_ROLE: Column<u64> = Column::new(6);
    pub const COUNT: usize = 7;
}
