//! What Python hands over, in sections: each a length of 32 bits, and its bytes (`templcrawl/page/kernel_tables.py`).

use crate::names::NameSet;

pub struct Sections<'a>(pub &'a [u8]);

impl<'a> Sections<'a> {
    pub fn bytes(&mut self) -> Option<&'a [u8]> {
        let size = u32::from_le_bytes(self.0.get(..4)?.try_into().ok()?) as usize;
        let section = self.0.get(4..4 + size)?;
        self.0 = &self.0[4 + size..];
        Some(section)
    }

    pub fn numbers(&mut self) -> Option<Vec<u32>> {
        let words = self.bytes()?.chunks_exact(4);
        Some(words.map(|word| u32::from_le_bytes([word[0], word[1], word[2], word[3]])).collect())
    }

    pub fn texts(&mut self) -> Option<Vec<Vec<u8>>> {
        let section = self.bytes()?;
        let texts = section.split(|byte| *byte == 0).map(<[u8]>::to_vec);
        Some(if section.is_empty() { Vec::new() } else { texts.collect() })
    }

    pub fn number(&mut self) -> Option<usize> {
        self.numbers()?.first().map(|number| *number as usize)
    }

    pub fn shares(&mut self) -> Option<[f64; 3]> {
        let shares = self.bytes()?.chunks_exact(8).map(|share| share.try_into().map(f64::from_le_bytes));
        shares.collect::<Result<Vec<f64>, _>>().ok()?.try_into().ok()
    }

    pub fn set(&mut self) -> Option<NameSet> {
        NameSet::of(&self.numbers()?)
    }
}
