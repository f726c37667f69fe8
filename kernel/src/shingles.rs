//! The shingles of a text, its one shingle, and its sketch: `templcrawl/algorithms/similarity/shingles.py`.

use crate::text_runs::MIX;
use crate::xxh3::key;

/// Terms of a shingle.
const WIDTH: usize = 5;
const MINIMA: usize = 384;
/// Shingles of a bucket, on average.
const IN_BUCKET: usize = 2;
const ROWS: usize = 6;
const BINS: usize = 16 * ROWS;
const ROTATION: u64 = 0xD1B5_4A32_D192_ED03;

/// The shingle that starts at each term, in order; of fewer terms than a shingle has, one of all.
pub fn combine(terms: &[u64]) -> impl Iterator<Item = u64> + Clone + '_ {
    let polynomial =
        |terms: &[u64]| terms.iter().fold(0u64, |sum, term| sum.wrapping_mul(MIX).wrapping_add(*term));
    terms.windows(WIDTH.min(terms.len()).max(1)).map(move |window| mix(polynomial(window)))
}

/// One hash of a set of shingles, over the least of each quarter of the range of hashes; 0 of none.
pub fn shingle_of(shingles: impl Iterator<Item = u64>) -> u64 {
    let mut least: [Option<u64>; 4] = [None; 4];
    for shingle in shingles {
        let of_quarter = &mut least[(shingle >> 62) as usize];
        *of_quarter = Some(of_quarter.map_or(shingle, |other| other.min(shingle)));
    }
    let Some(mut next) = least.iter().copied().find_map(|shingle| shingle) else {
        return 0;
    };
    let mut firsts = [0; 4];
    for (first, of_quarter) in firsts.iter_mut().zip(least).rev() {
        next = of_quarter.unwrap_or(next);
        *first = next;
    }
    key_of(&firsts)
}

/// Spread every bit over the whole word.
fn mix(mut word: u64) -> u64 {
    word = (word ^ (word >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
    word = (word ^ (word >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
    word ^ (word >> 31)
}

/// The sketch of a text.
#[derive(Default)]
pub struct Sketch {
    /// Its least shingles, ascending.
    pub minima: Vec<u64>,
    /// How many distinct shingles it has.
    pub size: usize,
    /// A hash for each band.
    pub bands: Vec<u64>,
}

impl Sketch {
    /// The sketch of a text from its shingles, in any order and number.
    pub fn of(shingles: &[u64]) -> Sketch {
        let mut shingles = ordered(shingles, |shingle| *shingle);
        shingles.dedup();
        let bands = bin_minima(&shingles).chunks(ROWS).map(key_of).collect();
        let size = shingles.len();
        shingles.truncate(MINIMA);
        Sketch { minima: shingles, size, bands }
    }
}

/// Items in ascending order, fastest where their hashes, by which they come first, are spread evenly: few of
/// those begin with the same bits.
pub fn ordered<T: Copy + Default + Ord>(items: &[T], hash: impl Fn(&T) -> u64) -> Vec<T> {
    let bits = (items.len() / IN_BUCKET).max(2).ilog2();
    let bucket = |item: &T| (hash(item) >> (64 - bits)) as usize;
    let mut stops = vec![0usize; (1 << bits) + 1];
    items.iter().for_each(|item| stops[bucket(item) + 1] += 1);
    (0..1 << bits).for_each(|at| stops[at + 1] += stops[at]);
    let mut ordered = vec![T::default(); items.len()];
    for item in items {
        let place = &mut stops[bucket(item)];
        ordered[*place] = *item;
        *place += 1;
    }
    let mut start = 0;
    for stop in &stops[..1 << bits] {
        ordered[start..*stop].sort_unstable();
        start = *stop;
    }
    ordered
}

/// The key of numbers as they stand in memory.
pub fn key_of(numbers: &[u64]) -> u64 {
    let bytes: Vec<u8> = numbers.iter().flat_map(|number| number.to_le_bytes()).collect();
    key(&bytes)
}

/// The least shingle of each bin, from ascending shingles; an empty bin borrows from the next that is not.
fn bin_minima(ordered: &[u64]) -> Vec<u64> {
    if ordered.is_empty() {
        return Vec::new();
    }
    let width = u64::MAX / BINS as u64;
    let least_from = |bin: usize| {
        let first = ordered.partition_point(|shingle| *shingle < bin as u64 * width) % ordered.len();
        let least = ordered[first];
        let of_bin = ((least / width) as usize).min(BINS - 1);
        least.wrapping_add((((of_bin + BINS - bin) % BINS) as u64).wrapping_mul(ROTATION))
    };
    (0..BINS).map(least_from).collect()
}
