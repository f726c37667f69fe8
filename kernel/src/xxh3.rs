//! xxh3, 64 bits, of a whole text: what `templcrawl/page/text.py` (`text_key`) calls a key has seed 0.
//!
//! Source: the specification of XXH3 (github.com/Cyan4973/xxHash, BSD-2-Clause).  Cost: O(length).

const SECRET: [u8; 192] = [
    0xb8, 0xfe, 0x6c, 0x39, 0x23, 0xa4, 0x4b, 0xbe, 0x7c, 0x01, 0x81, 0x2c, 0xf7, 0x21, 0xad, 0x1c, 0xde,
    0xd4, 0x6d, 0xe9, 0x83, 0x90, 0x97, 0xdb, 0x72, 0x40, 0xa4, 0xa4, 0xb7, 0xb3, 0x67, 0x1f, 0xcb, 0x79,
    0xe6, 0x4e, 0xcc, 0xc0, 0xe5, 0x78, 0x82, 0x5a, 0xd0, 0x7d, 0xcc, 0xff, 0x72, 0x21, 0xb8, 0x08, 0x46,
    0x74, 0xf7, 0x43, 0x24, 0x8e, 0xe0, 0x35, 0x90, 0xe6, 0x81, 0x3a, 0x26, 0x4c, 0x3c, 0x28, 0x52, 0xbb,
    0x91, 0xc3, 0x00, 0xcb, 0x88, 0xd0, 0x65, 0x8b, 0x1b, 0x53, 0x2e, 0xa3, 0x71, 0x64, 0x48, 0x97, 0xa2,
    0x0d, 0xf9, 0x4e, 0x38, 0x19, 0xef, 0x46, 0xa9, 0xde, 0xac, 0xd8, 0xa8, 0xfa, 0x76, 0x3f, 0xe3, 0x9c,
    0x34, 0x3f, 0xf9, 0xdc, 0xbb, 0xc7, 0xc7, 0x0b, 0x4f, 0x1d, 0x8a, 0x51, 0xe0, 0x4b, 0xcd, 0xb4, 0x59,
    0x31, 0xc8, 0x9f, 0x7e, 0xc9, 0xd9, 0x78, 0x73, 0x64, 0xea, 0xc5, 0xac, 0x83, 0x34, 0xd3, 0xeb, 0xc3,
    0xc5, 0x81, 0xa0, 0xff, 0xfa, 0x13, 0x63, 0xeb, 0x17, 0x0d, 0xdd, 0x51, 0xb7, 0xf0, 0xda, 0x49, 0xd3,
    0x16, 0x55, 0x26, 0x29, 0xd4, 0x68, 0x9e, 0x2b, 0x16, 0xbe, 0x58, 0x7d, 0x47, 0xa1, 0xfc, 0x8f, 0xf8,
    0xb8, 0xd1, 0x7a, 0xd0, 0x31, 0xce, 0x45, 0xcb, 0x3a, 0x8f, 0x95, 0x16, 0x04, 0x28, 0xaf, 0xd7, 0xfb,
    0xca, 0xbb, 0x4b, 0x40, 0x7e,
];
const PRIME32_1: u64 = 0x9E37_79B1;
const PRIME32_2: u64 = 0x85EB_CA77;
const PRIME32_3: u64 = 0xC2B2_AE3D;
const PRIME64_1: u64 = 0x9E37_79B1_85EB_CA87;
const PRIME64_2: u64 = 0xC2B2_AE3D_27D4_EB4F;
const PRIME64_3: u64 = 0x1656_67B1_9E37_79F9;
const PRIME64_4: u64 = 0x85EB_CA77_C2B2_AE63;
const PRIME64_5: u64 = 0x27D4_EB2F_1656_67C5;
const STRIPE: usize = 64;
const BLOCK: usize = 1024;

#[inline]
pub fn u32_at(bytes: &[u8], at: usize) -> u64 {
    let mut word = [0; 4];
    word.copy_from_slice(&bytes[at..at + 4]);
    u64::from(u32::from_le_bytes(word))
}

#[inline]
pub fn u64_at(bytes: &[u8], at: usize) -> u64 {
    let mut word = [0; 8];
    word.copy_from_slice(&bytes[at..at + 8]);
    u64::from_le_bytes(word)
}

/// The two halves of a 128-bit product, folded into 64 bits.
#[inline]
pub fn folded_product(a: u64, b: u64) -> u64 {
    let product = u128::from(a) * u128::from(b);
    product as u64 ^ (product >> 64) as u64
}

fn avalanche(mut hash: u64) -> u64 {
    hash ^= hash >> 37;
    hash = hash.wrapping_mul(0x1656_6791_9E37_79F9);
    hash ^ hash >> 32
}

fn avalanche_of_short(mut hash: u64) -> u64 {
    hash ^= hash >> 33;
    hash = hash.wrapping_mul(PRIME64_2);
    hash ^= hash >> 29;
    hash = hash.wrapping_mul(PRIME64_3);
    hash ^ hash >> 32
}

fn mix_16(text: &[u8], at: usize, secret: usize, seed: u64) -> u64 {
    folded_product(
        u64_at(text, at) ^ u64_at(&SECRET, secret).wrapping_add(seed),
        u64_at(text, at + 8) ^ u64_at(&SECRET, secret + 8).wrapping_sub(seed),
    )
}

/// The key of a text: `xxh3_64_intdigest` of the same bytes.
pub fn key(text: &[u8]) -> u64 {
    seeded_key(text, 0)
}

/// `xxh3_64_intdigest` of the same bytes with a seed.
#[inline]
pub fn seeded_key(text: &[u8], seed: u64) -> u64 {
    match text.len() {
        0 => avalanche_of_short(seed ^ u64_at(&SECRET, 56) ^ u64_at(&SECRET, 64)),
        1..=3 => of_3(text, seed),
        4..=8 => of_8(text, seed),
        9..=16 => of_16(text, seed),
        17..=128 => of_128(text, seed),
        129..=240 => of_240(text, seed),
        _ => of_long(text, seed),
    }
}

fn of_3(text: &[u8], seed: u64) -> u64 {
    let size = text.len();
    let (first, middle, last) = (u64::from(text[0]), u64::from(text[size >> 1]), u64::from(text[size - 1]));
    let combined = first << 16 | middle << 24 | last | (size as u64) << 8;
    avalanche_of_short(combined ^ (u32_at(&SECRET, 0) ^ u32_at(&SECRET, 4)).wrapping_add(seed))
}

fn of_8(text: &[u8], mut seed: u64) -> u64 {
    let size = text.len();
    let combined = u32_at(text, size - 4).wrapping_add(u32_at(text, 0) << 32);
    seed ^= u64::from((seed as u32).swap_bytes()) << 32;
    let mut hash = combined ^ (u64_at(&SECRET, 8) ^ u64_at(&SECRET, 16)).wrapping_sub(seed);
    hash ^= hash.rotate_left(49) ^ hash.rotate_left(24);
    hash = hash.wrapping_mul(0x9FB2_1C65_1E98_DF25);
    hash ^= (hash >> 35).wrapping_add(size as u64);
    hash = hash.wrapping_mul(0x9FB2_1C65_1E98_DF25);
    hash ^ hash >> 28
}

fn of_16(text: &[u8], seed: u64) -> u64 {
    let size = text.len();
    let low = u64_at(text, 0) ^ (u64_at(&SECRET, 24) ^ u64_at(&SECRET, 32)).wrapping_add(seed);
    let high = u64_at(text, size - 8) ^ (u64_at(&SECRET, 40) ^ u64_at(&SECRET, 48)).wrapping_sub(seed);
    avalanche(
        (size as u64)
            .wrapping_add(low.swap_bytes())
            .wrapping_add(high)
            .wrapping_add(folded_product(low, high)),
    )
}

fn of_128(text: &[u8], seed: u64) -> u64 {
    let size = text.len();
    let mut sum = (size as u64).wrapping_mul(PRIME64_1);
    for pair in (0..=(size - 1) / 32).rev() {
        sum = sum.wrapping_add(mix_16(text, 16 * pair, 32 * pair, seed));
        sum = sum.wrapping_add(mix_16(text, size - 16 * (pair + 1), 32 * pair + 16, seed));
    }
    avalanche(sum)
}

fn of_240(text: &[u8], seed: u64) -> u64 {
    let size = text.len();
    let mut sum = (size as u64).wrapping_mul(PRIME64_1);
    for round in 0..8 {
        sum = sum.wrapping_add(mix_16(text, 16 * round, 16 * round, seed));
    }
    sum = avalanche(sum);
    for round in 8..size / 16 {
        sum = sum.wrapping_add(mix_16(text, 16 * round, 16 * (round - 8) + 3, seed));
    }
    avalanche(sum.wrapping_add(mix_16(text, size - 16, 136 - 17, seed)))
}

fn of_long(text: &[u8], seed: u64) -> u64 {
    let size = text.len();
    let secret = &secret_of(seed);
    let mut sums = [PRIME32_3, PRIME64_1, PRIME64_2, PRIME64_3, PRIME64_4, PRIME32_2, PRIME64_5, PRIME32_1];
    let blocks = (size - 1) / BLOCK;
    for block in 0..blocks {
        for stripe in 0..BLOCK / STRIPE {
            accumulate(&mut sums, text, block * BLOCK + stripe * STRIPE, &secret[8 * stripe..]);
        }
        for (lane, sum) in sums.iter_mut().enumerate() {
            *sum = (*sum ^ *sum >> 47 ^ u64_at(secret, 128 + 8 * lane)).wrapping_mul(PRIME32_1);
        }
    }
    for stripe in 0..(size - 1 - blocks * BLOCK) / STRIPE {
        accumulate(&mut sums, text, blocks * BLOCK + stripe * STRIPE, &secret[8 * stripe..]);
    }
    accumulate(&mut sums, text, size - STRIPE, &secret[121..]);
    let mut hash = (size as u64).wrapping_mul(PRIME64_1);
    for pair in 0..4 {
        hash = hash.wrapping_add(folded_product(
            sums[2 * pair] ^ u64_at(secret, 11 + 16 * pair),
            sums[2 * pair + 1] ^ u64_at(secret, 19 + 16 * pair),
        ));
    }
    avalanche(hash)
}

/// The secret that stands for a seed in long texts.
fn secret_of(seed: u64) -> [u8; SECRET.len()] {
    let mut secret = SECRET;
    for (number, word) in secret.chunks_exact_mut(8).enumerate() {
        let part = u64_at(word, 0);
        let seeded = if number % 2 == 0 { part.wrapping_add(seed) } else { part.wrapping_sub(seed) };
        word.copy_from_slice(&seeded.to_le_bytes());
    }
    secret
}

fn accumulate(sums: &mut [u64; 8], text: &[u8], at: usize, secret: &[u8]) {
    for lane in 0..8 {
        let value = u64_at(text, at + 8 * lane);
        let keyed = value ^ u64_at(secret, 8 * lane);
        sums[lane ^ 1] = sums[lane ^ 1].wrapping_add(value);
        sums[lane] = sums[lane].wrapping_add((keyed & 0xFFFF_FFFF).wrapping_mul(keyed >> 32));
    }
}
