//! The links of a page, the paths of their anchors, and its terms: `templcrawl/page/links.py`.

use crate::addresses::{Base, Target};
use crate::blob::Writer;
use crate::page::{At, Page};
use crate::tables::Tables;
use crate::tags::href_of;
use crate::terms::read_terms;
use crate::text_runs::MIX;
use crate::xxh3::key;
use std::collections::HashMap;

/// Buffers: URLs, where each starts, their forms, their keys; of each link its URL's number, its element,
/// its URL's key, the path of its anchor; hashes of terms, their starts.
const BUFFERS: usize = 10;

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
    let anchors = page.buffer::<i64>(At::Anchors)?;
    let may_ask = answers.is_none();
    let mut answers = answers.unwrap_or_default().into_iter();
    let mut questions = Vec::new();
    let mut number_of: HashMap<i64, Option<usize>> = HashMap::new();
    let mut urls: Vec<(usize, Vec<u8>)> = Vec::new();
    let mut links: Vec<(i64, i64)> = Vec::new();
    for index in 0..anchors.len() {
        let position = anchors.get(index) as usize;
        let form = page.form_of.get(position);
        let number = match number_of.get(&form) {
            Some(number) => *number,
            None => {
                let href = href_of(tables, page.form(form as usize));
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
                    urls.push((form as usize, url));
                    urls.len() - 1
                });
                number_of.insert(form, number);
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
    let mut writer = Writer::new(blob, BUFFERS, 0);
    writer.add(&urls.iter().flat_map(|(_, url)| url.iter().copied()).collect::<Vec<u8>>());
    writer.add(&starts);
    writer.add(&urls.iter().map(|(form, _)| *form as i64).collect::<Vec<i64>>());
    writer.add(&keys.iter().map(|(_, key)| *key).collect::<Vec<u64>>());
    writer.add(&links.iter().map(|(number, _)| *number).collect::<Vec<i64>>());
    writer.add(&links.iter().map(|(_, element)| *element).collect::<Vec<i64>>());
    writer.add(&links.iter().map(|(number, _)| keys[*number as usize].1).collect::<Vec<u64>>());
    writer.add(&anchor_paths(page, &links)?);
    writer.add(&terms.hashes);
    writer.add(&terms.starts);
    Some(Outcome::Written)
}

/// Key of a URL without its fragment.
fn url_key(url: &[u8]) -> u64 {
    key(url.split(|byte| *byte == b'#').next().unwrap_or(b""))
}

/// Link -> key of the path of its anchor, each tag with all of its words.
fn anchor_paths(page: Page, links: &[(i64, i64)]) -> Option<Vec<u64>> {
    let steps = page.buffer::<u64>(At::FormStep)?;
    let parents = page.buffer::<i64>(At::ElementParent)?;
    let opens = page.buffer::<i64>(At::ElementOpen)?;
    let mut paths = vec![0u64; parents.len()];
    for element in 1..parents.len() {
        let step = steps.get(page.form_of.get(opens.get(element) as usize) as usize);
        paths[element] = step.wrapping_add(MIX.wrapping_mul(paths[parents.get(element) as usize]));
    }
    Some(links.iter().map(|(_, element)| paths[*element as usize]).collect())
}
