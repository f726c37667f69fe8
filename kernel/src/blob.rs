//! One page as one blob: a header, then buffers that numpy views.  `templcrawl/page/kernel.py` reads it.
//!
//! Header: numbers of 64 bits: magic, version, flags, number of buffers, then (offset, count) of each.

pub const MAGIC: u64 = 0x6c70_6d65_745f_6b31;
pub const VERSION: u64 = 1;

/// Numbers as a blob holds them.
pub trait Number: Copy {
    const SIZE: usize;
    fn write(self, blob: &mut Vec<u8>);
    fn read(bytes: &[u8]) -> Self;
}

macro_rules! number {
    ($($kind:ty),*) => {$(
        impl Number for $kind {
            const SIZE: usize = std::mem::size_of::<$kind>();
            fn write(self, blob: &mut Vec<u8>) {
                blob.extend_from_slice(&self.to_le_bytes());
            }
            fn read(bytes: &[u8]) -> Self {
                let mut word = [0; std::mem::size_of::<$kind>()];
                word.copy_from_slice(bytes);
                <$kind>::from_le_bytes(word)
            }
        }
    )*};
}
number!(u8, u32, u64, i64);

/// A blob that grows buffer by buffer.
pub struct Writer<'a> {
    blob: &'a mut Vec<u8>,
    next: usize,
}

impl<'a> Writer<'a> {
    pub fn new(blob: &'a mut Vec<u8>, buffers: usize, flags: u64) -> Writer<'a> {
        blob.clear();
        for word in [MAGIC, VERSION, flags, buffers as u64] {
            word.write(blob);
        }
        blob.resize(8 * (4 + 2 * buffers), 0);
        Writer { blob, next: 4 }
    }

    pub fn add<N: Number>(&mut self, numbers: &[N]) {
        let start = self.blob.len();
        self.note(start, numbers.len());
        self.blob.reserve(N::SIZE * numbers.len() + 8);
        numbers.iter().for_each(|number| number.write(self.blob));
        self.blob.resize(self.blob.len().next_multiple_of(8), 0);
    }

    fn note(&mut self, offset: usize, count: usize) {
        let header = 8 * self.next;
        self.blob[header..header + 8].copy_from_slice(&(offset as u64).to_le_bytes());
        self.blob[header + 8..header + 16].copy_from_slice(&(count as u64).to_le_bytes());
        self.next += 2;
    }
}

/// A blob as Python hands it back; every read is checked.
#[derive(Clone, Copy)]
pub struct Reader<'a>(pub &'a [u8]);

/// A buffer of a blob.
#[derive(Clone, Copy)]
pub struct Buffer<'a, N> {
    bytes: &'a [u8],
    kind: std::marker::PhantomData<N>,
}

impl<'a> Reader<'a> {
    fn word(&self, index: usize) -> Option<u64> {
        self.0.get(8 * index..8 * index + 8).map(u64::read)
    }

    pub fn is_whole(&self) -> bool {
        self.word(0) == Some(MAGIC) && self.word(1) == Some(VERSION)
    }

    pub fn buffer<N: Number>(&self, number: usize) -> Option<Buffer<'a, N>> {
        let offset = self.word(4 + 2 * number)? as usize;
        let count = self.word(5 + 2 * number)? as usize;
        let bytes = self.0.get(offset..offset.checked_add(count.checked_mul(N::SIZE)?)?)?;
        Some(Buffer { bytes, kind: std::marker::PhantomData })
    }
}

impl<N: Number> Buffer<'_, N> {
    pub fn len(&self) -> usize {
        self.bytes.len() / N::SIZE
    }

    #[inline]
    pub fn get(&self, index: usize) -> N {
        N::read(&self.bytes[index * N::SIZE..(index + 1) * N::SIZE])
    }
}
