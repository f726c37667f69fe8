//! The links of a page, the paths of their anchors, and its terms: `templcrawl/page/links.py`.

use crate::addresses::{Base, Target};
use crate::blob::Writer;
use crate::page::{At as OfPage, Page};
use crate::tables::Tables;
use crate::tags::href_of;
use crate::terms::read_terms;
use crate::text_runs::MIX;
use crate::xxh3::key;

/// The buffers of a page's links and terms, in their order.
pub enum At {
    Urls,
    UrlStarts,
    UrlForms,
    UrlKeys,
    LinkUrl,
    LinkElement,
    LinkKey,
    AnchorPath,
    TermHashes,
    TermStarts,
}

const BUFFERS: usize = At::TermStarts as usize + 1;

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
    let anchors = page.buffer::<i64>(OfPage::Anchors)?;
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
                let href = href_of(tables, page.form(form));
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
    let mut writer = Writer::new(blob, BUFFERS, 0);
    writer.add(At::Urls as usize, &urls.iter().flat_map(|(_, url)| url.iter().copied()).collect::<Vec<u8>>());
    writer.add(At::UrlStarts as usize, &starts);
    writer.add(At::UrlForms as usize, &urls.iter().map(|(form, _)| *form as i64).collect::<Vec<i64>>());
    writer.add(At::UrlKeys as usize, &keys.iter().map(|(_, key)| *key).collect::<Vec<u64>>());
    writer.add(At::LinkUrl as usize, &links.iter().map(|(number, _)| *number).collect::<Vec<i64>>());
    writer.add(At::LinkElement as usize, &links.iter().map(|(_, element)| *element).collect::<Vec<i64>>());
    writer.add(
        At::LinkKey as usize,
        &links.iter().map(|(number, _)| keys[*number as usize].1).collect::<Vec<u64>>(),
    );
    writer.add(At::AnchorPath as usize, &anchor_paths(page, &links)?);
    writer.add(At::TermHashes as usize, &terms.hashes);
    writer.add(At::TermStarts as usize, &terms.starts);
    Some(Outcome::Written)
}

/// Key of a URL without its fragment.
fn url_key(url: &[u8]) -> u64 {
    key(url.split(|byte| *byte == b'#').next().unwrap_or(b""))
}

/// Link -> key of the path of its anchor, each tag with all of its words.
fn anchor_paths(page: Page, links: &[(i64, i64)]) -> Option<Vec<u64>> {
    let steps = page.buffer::<u64>(OfPage::AnchorStep)?;
    let parents = page.buffer::<i64>(OfPage::ElementParent)?;
    let opens = page.buffer::<i64>(OfPage::ElementOpen)?;
    let mut paths = vec![0u64; parents.len()];
    for element in 1..parents.len() {
        let step = steps.get(page.form_of.get(opens.get(element) as usize) as usize);
        paths[element] = step.wrapping_add(MIX.wrapping_mul(paths[parents.get(element) as usize]));
    }
    Some(links.iter().map(|(_, element)| paths[*element as usize]).collect())
}
