//! The pagelets of a page, where its links stand, and the roles of these:
//! `templcrawl/algorithms/pagelets/partition.py`.

use crate::blob::Writer;
use crate::chars::decode;
use crate::columns::{page as of_page, pagelets as of_pagelets};
use crate::names::Name;
use crate::page::Page;
use crate::sections::Sections;
use crate::shingles::{combine, shingle_of};
use crate::tables::Tables;
use crate::text_runs::MIX;
use crate::xxh3::key;

/// How pagelets are cut and roles told apart.
struct Rules {
    min_links: i32,
    /// Characters of a query that count.
    most_characters: usize,
    /// Names that count without their class -> their keys.
    plain: Vec<(Name, u64)>,
}

impl Rules {
    fn read(tables: &Tables, bytes: &[u8]) -> Option<Rules> {
        let mut s = Sections(bytes);
        let said = s.numbers()?;
        let plain = s.texts()?.into_iter().map(|name| Some((tables.names.find(&name)?, key(&name))));
        Some(Rules {
            min_links: i32::try_from(*said.first()?).unwrap_or(i32::MAX),
            most_characters: *said.get(1)? as usize,
            plain: plain.collect::<Option<_>>()?,
        })
    }
}

/// A pagelet of a page.
struct Pagelet {
    element: usize,
    start: i32,
    stop: i32,
    links: i32,
}

/// Write the pagelets of a page, and for each link its pagelet and its role.
pub fn write_pagelets(tables: &Tables, page: Page, rules: &[u8], blob: &mut Vec<u8>) -> Option<()> {
    let rules = &Rules::read(tables, rules)?;
    let elements = page.buffer(of_page::LINK_ELEMENT)?;
    let elements: Vec<usize> = (0..elements.len()).map(|link| elements.get(link) as usize).collect();
    let pagelets = partition(page, &elements, rules.min_links)?;
    let of_link = pagelets_of_links(page, &pagelets, &elements)?;
    let mut writer = Writer::new(blob, of_pagelets::COUNT, 0);
    let numbers = |of: fn(&Pagelet) -> i32| pagelets.iter().map(of).collect::<Vec<i32>>();
    writer.add(of_pagelets::ELEMENT, &numbers(|pagelet| pagelet.element as i32));
    writer.add(of_pagelets::START, &numbers(|pagelet| pagelet.start));
    writer.add(of_pagelets::STOP, &numbers(|pagelet| pagelet.stop));
    writer.add(of_pagelets::LINKS, &numbers(|pagelet| pagelet.links));
    writer.add(of_pagelets::SHINGLE, &shingles(page, &pagelets)?);
    let paths = paths(page, rules, &pagelets)?;
    writer.add(of_pagelets::LINK_ROLE, &roles(page, rules, &paths, &of_link)?);
    writer.add(of_pagelets::LINK_PAGELET, &of_link);
    Some(())
}

/// The pagelets in document order: elements that are not split, below one that is.
fn partition(page: Page, links: &[usize], min_links: i32) -> Option<Vec<Pagelet>> {
    let parents = page.buffer(of_page::ELEMENT_PARENT_ARRAY)?;
    let (opens, closes) =
        (page.buffer(of_page::ELEMENT_OPEN_ARRAY)?, page.buffer(of_page::ELEMENT_CLOSE_ARRAY)?);
    let size = parents.len();
    let mut count = vec![0i32; size];
    links.iter().for_each(|element| count[*element] += 1);
    let mut is_split = vec![false; size];
    for element in (1..size).rev() {
        let (links, parent) = (count[element], parents.get(element) as usize);
        if links > 0 {
            count[parent] += links;
            is_split[parent] |= links >= min_links;
        }
    }
    let pagelet = |element: usize| {
        let (start, stop) = (opens.get(element), closes.get(element));
        Pagelet { element, start, stop, links: count[element] }
    };
    if !is_split[0] {
        return Some(vec![pagelet(0)]);
    }
    let is_pagelet = |element: &usize| is_split[parents.get(*element) as usize] && !is_split[*element];
    Some((1..size).filter(is_pagelet).map(pagelet).collect())
}

/// Link -> number of its pagelet, or -1.
fn pagelets_of_links(page: Page, pagelets: &[Pagelet], links: &[usize]) -> Option<Vec<i32>> {
    let opens = page.buffer(of_page::ELEMENT_OPEN_ARRAY)?;
    let of_link = |element: &usize| {
        let position = opens.get(*element);
        let after = pagelets.partition_point(|pagelet| pagelet.start <= position);
        match after.checked_sub(1) {
            Some(number) if position < pagelets[number].stop => number as i32,
            _ => -1,
        }
    };
    Some(links.iter().map(of_link).collect())
}

/// Pagelet -> the one shingle of its terms; 0 for one without links.
fn shingles(page: Page, pagelets: &[Pagelet]) -> Option<Vec<u64>> {
    let starts = page.buffer(of_page::TERM_START_ARRAY)?;
    let hashes = page.buffer(of_page::TERM_HASHES)?;
    let mut terms = Vec::new();
    let of_pagelet = |pagelet: &Pagelet| {
        if pagelet.links == 0 {
            return 0;
        }
        let bounds = starts.get(pagelet.start as usize) as usize..starts.get(pagelet.stop as usize) as usize;
        terms.clear();
        terms.extend(bounds.map(|term| hashes.get(term)));
        shingle_of(combine(&terms))
    };
    Some(pagelets.iter().map(of_pagelet).collect())
}

/// Pagelet -> key of its tag path.
fn paths(page: Page, rules: &Rules, pagelets: &[Pagelet]) -> Option<Vec<u64>> {
    let parents = page.buffer(of_page::ELEMENT_PARENT_ARRAY)?;
    let opens = page.buffer(of_page::ELEMENT_OPEN_ARRAY)?;
    let names = page.buffer(of_page::FORM_NAME)?;
    let steps = page.buffer(of_page::FORM_STEP)?;
    let size = pagelets.last().map_or(0, |pagelet| pagelet.element + 1);
    let mut paths = vec![0u64; size];
    for element in 1..size {
        let form = page.form_of.get(opens.get(element) as usize) as usize;
        let plain = rules.plain.iter().find(|(name, _)| *name == names.get(form));
        let step = plain.map_or(steps.get(form), |(_, key)| *key);
        paths[element] = step.wrapping_add(MIX.wrapping_mul(paths[parents.get(element) as usize]));
    }
    Some(pagelets.iter().map(|pagelet| paths[pagelet.element]).collect())
}

/// Link -> its role: the path of its pagelet, and the names in its query; 0 for one in no pagelet.
fn roles(page: Page, rules: &Rules, paths: &[u64], of_link: &[i32]) -> Option<Vec<u64>> {
    let urls = page.buffer(of_page::LINK_URL)?;
    let starts = page.buffer(of_page::URL_STARTS)?;
    let written = page.buffer(of_page::URLS)?.bytes();
    let of_url = |number: usize| {
        query_key(rules, &written[starts.get(number) as usize..starts.get(number + 1) as usize])
    };
    let of_url: Vec<u64> = (0..starts.len().checked_sub(1)?).map(of_url).collect();
    let role = |(link, pagelet): (usize, &i32)| match usize::try_from(*pagelet) {
        Ok(pagelet) => paths[pagelet] ^ of_url[urls.get(link) as usize],
        Err(_) => 0,
    };
    Some(of_link.iter().enumerate().map(role).collect())
}

/// Key of the names of the parameters of an address; 0 for one without a query.
fn query_key(rules: &Rules, url: &[u8]) -> u64 {
    let Some(at) = url.iter().position(|byte| *byte == b'?') else {
        return 0;
    };
    let query = first_characters(&url[at + 1..], rules.most_characters);
    let name = |part| <[u8]>::split(part, |byte| *byte == b'=').next().unwrap_or(b"");
    let mut names: Vec<&[u8]> = query.split(|byte| *byte == b'&').map(name).collect();
    names.sort_unstable();
    names.dedup();
    key(&names.join(&b'&'))
}

fn first_characters(text: &[u8], most: usize) -> &[u8] {
    let mut stop = 0;
    for _ in 0..most {
        if stop < text.len() {
            stop += decode(text, stop).1;
        }
    }
    &text[..stop.min(text.len())]
}
