//! The links of a page, the paths of their anchors, and its terms: `templcrawl/page/addresses.py`.

use crate::addresses::{Base, Target};
use crate::blob::Writer;
use crate::columns::{links as of_links, page as of_page};
use crate::page::Page;
use crate::tables::Tables;
use crate::tags::attribute_of;
use crate::terms::read_terms;
use crate::text_runs::MIX;
use crate::xxh3::key;

/// What came of it.
pub enum Outcome {
    Written,
    /// What Python is to resolve: decoded `href`s.
    Asks(Vec<Vec<u8>>),
}

/// Write the links and terms of a page to a blob; `answers` are those to the questions that were asked.
pub fn write_links(
    tables: &Tables,
    page: Page,
    base: &Base,
    answers: Option<Vec<Option<Vec<u8>>>>,
    blob: &mut Vec<u8>,
) -> Option<Outcome> {
    let anchors = page.buffer(of_page::ANCHORS)?;
    let may_ask = answers.is_none();
    let mut answers = answers.unwrap_or_default().into_iter();
    let mut questions = Vec::new();
    let mut number_of: Vec<Option<Option<usize>>> = vec![None; page.form_token.len()];
    let mut urls: Vec<(usize, Vec<u8>)> = Vec::new();
    let mut links: Vec<(i64, i64)> = Vec::new();
    for index in 0..anchors.len() {
        let position = anchors.get(index) as usize;
        let form = page.form_of.get(position) as usize;
        let number = match number_of[form] {
            Some(number) => number,
            None => {
                let href = attribute_of(tables, page.form(form), b"href");
                let url = match base.resolve(&href, &tables.followed_schemes) {
                    Target::Nowhere => None,
                    Target::Url(url) => Some(url),
                    Target::Ask if may_ask => {
                        questions.push(href);
                        None
                    }
                    Target::Ask => answers.next()?,
                };
                let number = url.map(|url| {
                    urls.push((form, url));
                    urls.len() - 1
                });
                number_of[form] = Some(number);
                number
            }
        };
        if let Some(number) = number {
            links.push((number as i64, page.owners.get(position)));
        }
    }
    if !questions.is_empty() {
        return Some(Outcome::Asks(questions));
    }
    let keys: Vec<(usize, u64)> = urls.iter().map(|(form, url)| (*form, url_key(url))).collect();
    let terms = read_terms(tables, page, &keys)?;
    let mut starts = vec![0u32];
    for (_, url) in &urls {
        starts.push(starts[starts.len() - 1] + url.len() as u32);
    }
    let mut writer = Writer::new(blob, of_links::COUNT, 0);
    writer.add(of_links::URLS, &urls.iter().map(|(_, url)| &url[..]).collect::<Vec<&[u8]>>().concat());
    writer.add(of_links::URL_STARTS, &starts);
    writer.add(of_links::URL_FORMS, &urls.iter().map(|(form, _)| *form as i64).collect::<Vec<i64>>());
    writer.add(of_links::URL_KEYS, &keys.iter().map(|(_, key)| *key).collect::<Vec<u64>>());
    writer.add(of_links::LINK_URL, &links.iter().map(|(number, _)| *number).collect::<Vec<i64>>());
    writer.add(of_links::LINK_ELEMENT, &links.iter().map(|(_, element)| *element).collect::<Vec<i64>>());
    writer.add(
        of_links::LINK_KEY,
        &links.iter().map(|(number, _)| keys[*number as usize].1).collect::<Vec<u64>>(),
    );
    writer.add(of_links::ANCHOR_PATH, &anchor_paths(page, &links)?);
    writer.add(of_links::TERM_HASHES, &terms.hashes);
    writer.add(of_links::TERM_STARTS, &terms.starts);
    Some(Outcome::Written)
}

/// Key of a URL without its fragment.
fn url_key(url: &[u8]) -> u64 {
    key(url.split(|byte| *byte == b'#').next().unwrap_or(b""))
}

/// Link -> key of the path of its anchor, each tag with all of its words.
fn anchor_paths(page: Page, links: &[(i64, i64)]) -> Option<Vec<u64>> {
    let steps = page.buffer(of_page::ANCHOR_STEP)?;
    let parents = page.buffer(of_page::ELEMENT_PARENT)?;
    let opens = page.buffer(of_page::ELEMENT_OPEN)?;
    let mut paths = vec![0u64; parents.len()];
    for element in 1..parents.len() {
        let step = steps.get(page.form_of.get(opens.get(element) as usize) as usize);
        paths[element] = step.wrapping_add(MIX.wrapping_mul(paths[parents.get(element) as usize]));
    }
    Some(links.iter().map(|(_, element)| paths[*element as usize]).collect())
}
