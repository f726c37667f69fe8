//! The terms of a page, its words and the addresses of its links, as hashes: `templcrawl/page/runs.py`.

use crate::blob::Writer;
use crate::columns::page as of_page;
use crate::tags::TEXT;
use crate::tokens::Tokens;

/// Write the terms of all tokens; `urls` are forms of start tags with the key of where they lead.
pub fn write_terms(writer: &mut Writer, tokens: &Tokens, urls: &[(usize, u64)]) {
    let mut url_of = vec![None; tokens.forms.len()];
    urls.iter().for_each(|(form, key)| url_of[*form] = Some(*key));
    let (mut hashes, mut starts) = (Vec::new(), Vec::with_capacity(tokens.len() + 1));
    starts.push(0);
    for form in tokens.form_of.iter().map(|form| *form as usize) {
        match url_of[form] {
            Some(key) => hashes.push(key),
            None if tokens.forms[form].kind == TEXT => {
                hashes.extend_from_slice(tokens.forms[form].words(&tokens.words));
            }
            None => {}
        }
        starts.push(hashes.len() as i32);
    }
    writer.add(of_page::TERM_HASHES, &hashes);
    writer.add(of_page::TERM_START_ARRAY, &starts);
}
