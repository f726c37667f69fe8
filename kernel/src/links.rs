//! The links of a page, and the paths of their anchors: `templcrawl/page/addresses.py`.

use crate::addresses::{Base, Target};
use crate::blob::Writer;
use crate::columns::page as of_page;
use crate::elements::Elements;
use crate::structure::anchor_steps;
use crate::tables::Tables;
use crate::tags::{attribute_of, VOID};
use crate::text_runs::path_keys;
use crate::tokens::Tokens;
use crate::xxh3::key;

/// Forms of the start tags of anchors, as they are met, and where they lead.
pub type Targets = Vec<(usize, Target)>;

pub fn find_targets(
    tables: &Tables,
    text: &[u8],
    tokens: &Tokens,
    elements: &Elements,
    base: &Base,
) -> Targets {
    let mut is_met = vec![false; tokens.forms.len()];
    let forms = elements.anchors.iter().map(|position| tokens.form_of[*position as usize] as usize);
    let first = forms.filter(|form| !std::mem::replace(&mut is_met[*form], true));
    let target = |form: usize| {
        let href = attribute_of(tables, tokens.forms[form].text(text), b"href");
        (form, base.resolve(&href, &tables.followed_schemes))
    };
    first.map(target).collect()
}

/// The `href` of the first tag `base` that has one, without white space around it.
pub fn base_href(tables: &Tables, text: &[u8], tokens: &Tokens) -> Option<Vec<u8>> {
    let bases = tokens.forms.iter().filter(|form| form.name == tables.named.base && form.kind == VOID);
    let href = |form: &crate::tokens::Form| attribute_of(tables, form.text(text), b"href");
    bases.map(href).map(|href| tables.classes.trim(&href).to_vec()).find(|href| !href.is_empty())
}

/// Write the links; return the forms of the distinct addresses, each with the key of its address.
pub fn write_links(
    writer: &mut Writer,
    tokens: &Tokens,
    elements: &Elements,
    targets: &Targets,
) -> Vec<(usize, u64)> {
    let mut number_of = vec![None; tokens.forms.len()];
    let (mut starts, mut urls, mut keys) = (vec![0], Vec::new(), Vec::new());
    for (form, target) in targets {
        if let Target::Url(url) = target {
            number_of[*form] = Some(keys.len());
            keys.push((*form, url_key(url)));
            urls.extend_from_slice(url);
            starts.push(urls.len() as u32);
        }
    }
    let steps = anchor_steps(tokens);
    let form_at = |position: i32| tokens.form_of[position as usize] as usize;
    let paths = path_keys(elements, |element| steps[form_at(elements.opens[element])]);
    let link = |position: &i32| Some((number_of[form_at(*position)]?, elements.owners[*position as usize]));
    let links: Vec<(usize, i32)> = elements.anchors.iter().filter_map(link).collect();
    writer.add(of_page::URL_STARTS, &starts);
    writer.add(of_page::URLS, &urls);
    writer.collect(of_page::URL_FORMS, keys.iter().map(|(form, _)| *form as i32));
    writer.collect(of_page::LINK_URL, links.iter().map(|(number, _)| *number as i32));
    writer.collect(of_page::LINK_ELEMENT, links.iter().map(|(_, element)| *element));
    writer.collect(of_page::LINK_KEY_ARRAY, links.iter().map(|(number, _)| keys[*number].1));
    writer.collect(of_page::LINK_ANCHOR_PATHS, links.iter().map(|(_, element)| paths[*element as usize]));
    keys
}

/// Key of a URL without its fragment.
fn url_key(url: &[u8]) -> u64 {
    key(url.split(|byte| *byte == b'#').next().unwrap_or(b""))
}
