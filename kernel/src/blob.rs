//! One page as one blob: a header, then columns that numpy views.  `templcrawl/page/kernel_columns.py` reads it.
//!
//! Header: numbers of 64 bits: magic, version, flags, number of buffers, then (offset, count) of each.

pub const MAGIC: u64 = 0x6c70_6d65_745f_6b31;
pub const VERSION: u64 = 1;

/// A column of a table: its place, and the type of its numbers.
#[derive(Clone, Copy)]
pub struct Column<N> {
    place: usize,
    kind: std::marker::PhantomData<N>,
}

impl<N> Column<N> {
    pub const fn new(place: usize) -> Column<N> {
        Column { place, kind: std::marker::PhantomData }
    }
}

/// Numbers as a blob holds them.
pub trait Number: Copy {
    const SIZE: usize;
    fn write(self, place: &mut [u8]);
    fn read(bytes: &[u8]) -> Self;
}

macro_rules! number {
    ($($kind:ty),*) => {$(
        impl Number for $kind {
            const SIZE: usize = std::mem::size_of::<$kind>();
            #[inline]
            fn write(self, place: &mut [u8]) {
                place.copy_from_slice(&self.to_le_bytes());
            }
            #[inline]
            fn read(bytes: &[u8]) -> Self {
                let mut word = [0; std::mem::size_of::<$kind>()];
                word.copy_from_slice(bytes);
                <$kind>::from_le_bytes(word)
            }
        }
    )*};
}
number!(u8, u32, u64, i32, f64);

/// A blob that grows buffer by buffer.
pub struct Writer<'a> {
    blob: &'a mut Vec<u8>,
}

impl<'a> Writer<'a> {
    pub fn new(blob: &'a mut Vec<u8>, buffers: usize, flags: u64) -> Writer<'a> {
        blob.clear();
        blob.resize(8 * (4 + 2 * buffers), 0);
        for (word, place) in [MAGIC, VERSION, flags, buffers as u64].into_iter().zip(blob.chunks_exact_mut(8))
        {
            word.write(place);
        }
        Writer { blob }
    }

    /// Add a column.
    pub fn add<N: Number>(&mut self, column: Column<N>, numbers: &[N]) {
        self.collect(column, numbers.iter().copied());
    }

    /// Add a column of what an iterator yields.
    pub fn collect<N: Number>(&mut self, column: Column<N>, numbers: impl ExactSizeIterator<Item = N>) {
        let places = self.places(column, numbers.len()).chunks_exact_mut(N::SIZE);
        numbers.zip(places).for_each(|(number, place)| number.write(place));
    }

    /// Add a column of numbers that stand in parts.
    pub fn add_joined<'n, N: Number + 'n>(
        &mut self,
        column: Column<N>,
        parts: impl Iterator<Item = &'n [N]> + Clone,
    ) {
        let mut places = self.places(column, parts.clone().map(<[N]>::len).sum());
        for part in parts {
            let (of_part, rest) = places.split_at_mut(N::SIZE * part.len());
            let of_part = of_part.chunks_exact_mut(N::SIZE);
            part.iter().zip(of_part).for_each(|(number, place)| number.write(place));
            places = rest;
        }
    }

    /// The bytes of a new column of so many numbers.
    fn places<N: Number>(&mut self, column: Column<N>, count: usize) -> &mut [u8] {
        let start = self.blob.len();
        let header = &mut self.blob[8 * (4 + 2 * column.place)..];
        (start as u64).write(&mut header[..8]);
        (count as u64).write(&mut header[8..16]);
        self.blob.resize((start + N::SIZE * count).next_multiple_of(8), 0);
        &mut self.blob[start..]
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

    pub fn buffer<N: Number>(&self, column: Column<N>) -> Option<Buffer<'a, N>> {
        let offset = self.word(4 + 2 * column.place)? as usize;
        let count = self.word(5 + 2 * column.place)? as usize;
        let bytes = self.0.get(offset..offset.checked_add(count.checked_mul(N::SIZE)?)?)?;
        Some(Buffer { bytes, kind: std::marker::PhantomData })
    }
}

impl<'a> Buffer<'a, u8> {
    pub fn bytes(&self) -> &'a [u8] {
        self.bytes
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

impl Buffer<'_, u64> {
    /// The place of a number among ascending ones.
    pub fn position(&self, number: u64) -> Option<usize> {
        let (mut first, mut last) = (0, self.len());
        while first < last {
            let middle = (first + last) / 2;
            if self.get(middle) < number {
                first = middle + 1;
            } else {
                last = middle;
            }
        }
        (first < self.len() && self.get(first) == number).then_some(first)
    }
}

impl<'a, N: Number> Buffer<'a, N> {
    /// Numbers that Python hands over.
    pub fn of(bytes: &'a [u8]) -> Buffer<'a, N> {
        Buffer { bytes, kind: std::marker::PhantomData }
    }

    pub fn to_vec(self) -> Vec<N> {
        self.bytes.chunks_exact(N::SIZE).map(N::read).collect()
    }
}
