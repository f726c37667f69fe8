//! What the pages of a type repeat, taken out of a separation: `templcrawl/algorithms/extraction/type_furniture.py`.

use crate::blob::{Buffer, Writer};
use crate::columns::{furniture, page as of_page};
use crate::page::Page;
use crate::sections::Sections;
use crate::shares::PageKeys;
use crate::tables::Tables;
use crate::verdict::measure;
use crate::vote::{labelled_spans, mask_of, runs_inside};
use crate::wholes::{add_row_wholes, kept_in_scope, Runs};

/// The numbers of the rule.
pub struct Rules {
    repeated: f64,
    many_of_type: f64,
    least_left: f64,
    least_pages: f64,
    common: f64,
    most_shared_title: f64,
    most_words: f64,
    label_words: f64,
}

impl Rules {
    /// Read them as Python hands them over.
    pub fn read(bytes: &[u8]) -> Option<Rules> {
        let [repeated, many_of_type, least_left, least_pages, common, most_shared_title, most_words, label_words] =
            Buffer::<f64>::of(bytes).to_vec()[..].try_into().ok()?;
        Some(Rules {
            repeated,
            many_of_type,
            least_left,
            least_pages,
            common,
            most_shared_title,
            most_words,
            label_words,
        })
    }
}

/// What is left of a separation.
pub struct Stripped {
    pub edges: Vec<i32>,
    pub mask: Vec<u8>,
    /// Run -> share of the pages of its site that have it, or of its type where it was taken out.
    pub shares: Vec<f64>,
}

/// Write what is left of a separation to a blob; no spans where nothing goes.
///
/// `said` is in sections: the rules; how many pages of the type vote, and how many of the site; what words are
/// counted by; run -> share of the site's pages; run, then row -> share of the type's.  Where nothing is given of
/// that, the keys of the pages that vote follow.  `mask` is token -> whether it is content.
pub fn write_stripped(
    tables: &Tables,
    page: Page,
    said: &[u8],
    mask: &[u8],
    blob: &mut Vec<u8>,
) -> Option<()> {
    let mut said = Sections(said);
    let rules = Rules::read(said.bytes()?)?;
    let mut numbers = || Some(Buffer::<f64>::of(said.bytes()?).to_vec());
    let [pages, voters] = numbers()?[..].try_into().ok()?;
    let (measured, of_site, mut of_type) = (numbers()?, numbers()?, numbers()?);
    if of_type.is_empty() && !said.0.is_empty() {
        of_type = PageKeys::of(page)?.shares_of(page, &mut said)?.0;
    }
    let known = Known { of_type: &of_type, pages, of_site: &of_site, voters };
    let mut writer = Writer::new(blob, furniture::COUNT, 0);
    if let Some(left) = stripped(tables, page, &rules, mask, &known)? {
        let counted = measure(tables, page, &left.shares, voters as usize, &left.mask, &measured)?;
        writer.add(furniture::FIGURES, &counted);
        writer.collect(furniture::EDGES, left.edges.iter().map(|edge| *edge as u32));
        writer.add(furniture::MASK, &left.mask);
        writer.add(furniture::SHARES, &left.shares);
    }
    Some(())
}

/// What is left of a separation, none where nothing goes; `mask` is token -> whether it is content.
pub fn stripped(
    tables: &Tables,
    page: Page,
    rules: &Rules,
    mask: &[u8],
    known: &Known,
) -> Option<Option<Stripped>> {
    let runs = Runs::read(page)?;
    let positions = page.buffer(of_page::RUN_POSITIONS)?.to_vec();
    let fits = mask.len() == page.len()
        && known.of_type.len() == known.of_site.len() + runs.rows()
        && known.of_site.len() == positions.len();
    let selected: Vec<bool> = positions.iter().map(|at| mask.get(*at as usize) == Some(&1)).collect();
    let Some(left) = fits.then(|| left_of(tables, rules, &runs, &selected, known))? else {
        return Some(None);
    };
    let content = with_elements(page, &positions, &left)?;
    let content: Vec<bool> = content.iter().zip(mask).map(|(left, was)| *left && *was == 1).collect();
    let edges = labelled_spans(page, &content);
    let mask = mask_of(page, &edges);
    let mut shares = known.of_site.to_vec();
    for run in (0..left.len()).filter(|run| selected[*run] && !left[*run]) {
        shares[run] = shares[run].max(known.of_type[run]);
    }
    Some(Some(Stripped { edges, mask, shares }))
}

/// What other pages have of a page.
pub struct Known<'a> {
    /// Run, then row -> share of some `pages` of its type.
    pub of_type: &'a [f64],
    pub pages: f64,
    /// Run -> share of some `voters` of its site.
    pub of_site: &'a [f64],
    pub voters: f64,
}

/// Run -> whether it is left of what is selected; none where all is.
fn left_of(
    tables: &Tables,
    rules: &Rules,
    runs: &Runs,
    selected: &[bool],
    known: &Known,
) -> Option<Vec<bool>> {
    let is_common = |run: usize| runs.words[run] == 0 || known.of_site[run] >= rules.common;
    let of_rows = &known.of_type[known.of_site.len()..];
    let repeats = |row: usize| {
        of_rows[row] >= rules.repeated
            && (known.pages >= rules.many_of_type
                || runs.words_of(runs.row(row)) <= rules.most_words
                || (known.voters >= rules.least_pages && runs.row(row).all(is_common)))
    };
    let is_repeated: Vec<bool> = (0..runs.rows()).map(repeats).collect();
    if !is_repeated.contains(&true) {
        return None;
    }
    let linked = tables.hint_words.bits.linked;
    let has = |row: usize, is: &dyn Fn(usize) -> bool| runs.row(row).any(is);
    let has_link: Vec<bool> =
        (0..runs.rows()).map(|row| has(row, &|run| runs.hints[run] & linked > 0)).collect();
    let own: Vec<bool> = (0..runs.rows())
        .map(|row| !is_repeated[row] && has(row, &|run| selected[run] && runs.words[run] > 0))
        .collect();
    let mut kept = add_row_wholes(rules.label_words, runs, &own, &has_link);
    let inside = kept_in_scope(runs, &kept);
    kept.iter_mut().zip(inside).for_each(|(kept, inside)| *kept |= inside > 0);
    let bits = &tables.hint_words.bits;
    let is_title = |run: usize| {
        selected[run]
            && runs.hints[run] & (bits.title | bits.linked) == bits.title
            && known.of_site[run] < rules.most_shared_title
    };
    let mut left = vec![false; selected.len()];
    for row in (0..runs.rows()).filter(|row| kept[*row]) {
        runs.row(row).for_each(|run| left[run] = selected[run]);
    }
    let words_of = |flags: &[bool]| runs.words_of((0..flags.len()).filter(|run| flags[*run]));
    let (words, all) = (words_of(&left), words_of(selected));
    let has_title = (0..left.len()).any(|run| left[run] && is_title(run));
    if !has_title {
        left.iter_mut().enumerate().for_each(|(run, left)| *left |= is_title(run));
    }
    (left != selected && words > 0.0 && words >= rules.least_left * all).then_some(left)
}

/// Token -> whether it is content, from the runs that are: `content_tokens` of `templcrawl/page/separation.py`.
fn with_elements(page: Page, positions: &[i32], kept: &[bool]) -> Option<Vec<bool>> {
    let parents = page.buffer(of_page::ELEMENT_PARENT_ARRAY)?;
    let mut labels = Vec::with_capacity(parents.len());
    for (element, (runs, of_them)) in runs_inside(page, positions, kept)?.into_iter().enumerate() {
        let around = parents.get(element).max(0) as usize;
        labels.push(if runs > 0 { of_them > 0 } else { element == 0 || labels[around] });
    }
    let mut content: Vec<bool> = page.owners.to_vec().iter().map(|owner| labels[*owner as usize]).collect();
    for (position, kept) in positions.iter().zip(kept) {
        content[*position as usize] = *kept;
    }
    Some(content)
}
