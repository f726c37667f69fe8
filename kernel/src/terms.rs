//! The terms of a page, its words and the addresses of its links, as hashes: `templcrawl/page/runs.py`.

use crate::blob::Writer;
use crate::columns::page as of_page;
use crate::tags::TEXT;
use crate::tokens::{Form, Tokens};

/// Write the terms of all tokens; `urls` are forms of start tags with the key of where they lead.
pub fn write_terms(writer: &mut Writer, tokens: &Tokens, urls: &[(usize, u64)]) {
    let terms_of_text = |form: &Form| if form.kind == TEXT { form.words(&tokens.words) } else { &[] };
    let mut terms_of: Vec<&[u64]> = tokens.forms.iter().map(terms_of_text).collect();
    urls.iter().for_each(|(form, key)| terms_of[*form] = std::slice::from_ref(key));
    let terms = || tokens.form_of.iter().map(|form| terms_of[*form as usize]);
    let mut starts = Vec::with_capacity(tokens.len() + 1);
    starts.push(0);
    starts.extend(terms().scan(0, |stop, terms| {
        *stop += terms.len() as i32;
        Some(*stop)
    }));
    writer.add_joined(of_page::TERM_HASHES, terms());
    writer.add(of_page::TERM_START_ARRAY, &starts);
}
