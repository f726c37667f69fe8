//! The terms of a page, its words and the addresses of its links, as hashes: `templcrawl/page/runs.py`.

use crate::columns::page as of_page;
use crate::page::Page;
use crate::tables::Tables;
use crate::tags::TEXT;
use crate::xxh3::key;

/// Hash of each term, in order; token -> number of terms before it.
pub struct Terms {
    pub hashes: Vec<u64>,
    pub starts: Vec<i64>,
}

/// Gather the terms of all tokens; `urls` are forms of start tags with the key of where they lead.
pub fn read_terms(tables: &Tables, page: Page, urls: &[(usize, u64)]) -> Option<Terms> {
    let kinds = page.buffer(of_page::FORM_KIND)?;
    let mut of_form = vec![(0, 0); kinds.len()];
    let mut flat: Vec<u64> = Vec::new();
    let mut seen = Vec::new();
    for form in (0..kinds.len()).filter(|form| kinds.get(*form) == TEXT) {
        let first = flat.len();
        flat.extend(tables.classes.split(tables.seen_text(page.form(form), &mut seen)).map(key));
        of_form[form] = (first, flat.len());
    }
    for (form, url_key) in urls {
        of_form[*form] = (flat.len(), flat.len() + 1);
        flat.push(*url_key);
    }
    let mut terms = Terms { hashes: Vec::new(), starts: Vec::with_capacity(page.len() + 1) };
    terms.starts.push(0);
    for position in 0..page.len() {
        let (first, last) = of_form[page.form_of.get(position) as usize];
        terms.hashes.extend_from_slice(&flat[first..last]);
        terms.starts.push(terms.hashes.len() as i64);
    }
    Some(terms)
}
