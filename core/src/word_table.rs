//! Tables of words with numbers, in their sorted lines. A mirror of `steelyard/languages/frequencies.py`.

use std::cmp::Ordering;
use std::hash::BuildHasher;
use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};
use std::sync::OnceLock;

use crate::hash::RandomState;

const INDEX_AFTER: usize = 3000; // words looked up, after which an index pays off: one page needs few
const NOTHING: u64 = u64::MAX;

/// Sorted lines of `word` or `word number`.
pub struct WordTable {
    data: Box<dyn AsRef<[u8]> + Send + Sync>,
    lookups: AtomicUsize,
    index: OnceLock<Index>,
}

/// Where the lines begin, by the hashes of their words: half a hash and the place.
struct Index {
    hasher: RandomState,
    slots: Vec<u64>,
}

impl WordTable {
    pub fn new(data: impl AsRef<[u8]> + Send + Sync + 'static) -> WordTable {
        WordTable { data: Box::new(data), lookups: AtomicUsize::new(0), index: OnceLock::new() }
    }

    /// The word's number (1 where the line has none), or 0 when it is not listed.
    pub fn get(&self, word: &str) -> u16 {
        let data = (*self.data).as_ref();
        if let Some(index) = self.index.get() {
            return index.get(data, word.as_bytes());
        }
        if self.lookups.fetch_add(1, Relaxed) > INDEX_AFTER {
            return self.index.get_or_init(|| Index::new(data)).get(data, word.as_bytes());
        }
        search(data, word.as_bytes())
    }
}

impl Index {
    fn new(data: &[u8]) -> Index {
        let lines = data.split(|byte| *byte == b'\n').filter(|line| !line.is_empty()).count();
        let mut index =
            Index { hasher: RandomState::default(), slots: vec![NOTHING; (lines * 4 / 3 + 1).next_power_of_two()] };
        let mut start = 0;
        for line in data.split(|byte| *byte == b'\n') {
            if !line.is_empty() {
                let hash = index.hasher.hash_one(parse(line).0);
                let mut slot = index.first_slot(hash);
                while index.slots[slot] != NOTHING {
                    slot = (slot + 1) % index.slots.len();
                }
                index.slots[slot] = hash >> 32 << 32 | start as u64;
            }
            start += line.len() + 1;
        }
        index
    }

    fn first_slot(&self, hash: u64) -> usize {
        hash as usize % self.slots.len()
    }

    fn get(&self, data: &[u8], word: &[u8]) -> u16 {
        let hash = self.hasher.hash_one(word);
        let mut slot = self.first_slot(hash);
        while self.slots[slot] != NOTHING {
            if self.slots[slot] >> 32 == hash >> 32 {
                let line = &data[self.slots[slot] as u32 as usize..];
                if line.starts_with(word) && line.get(word.len()).is_none_or(|byte| matches!(byte, b' ' | b'\n')) {
                    return parse(line.split(|byte| *byte == b'\n').next().unwrap_or(line)).1;
                }
            }
            slot = (slot + 1) % self.slots.len();
        }
        0
    }
}

/// A line's word and its number.
fn parse(line: &[u8]) -> (&[u8], u16) {
    let Some(space) = line.iter().position(|byte| *byte == b' ') else { return (line, 1) };
    let number = std::str::from_utf8(&line[space + 1..]).ok().and_then(|number| number.parse().ok());
    (&line[..space], number.unwrap_or(0))
}

/// Search the lines by bisection.
fn search(data: &[u8], word: &[u8]) -> u16 {
    let (mut low, mut high) = (0, data.len());
    while low < high {
        let middle = (low + high) / 2;
        let start = data[low..middle].iter().rposition(|byte| *byte == b'\n').map_or(low, |at| low + at + 1);
        let end = data[middle..high].iter().position(|byte| *byte == b'\n').map_or(high, |at| middle + at);
        let (listed, number) = parse(&data[start..end]);
        match listed.cmp(word) {
            Ordering::Equal => return number,
            Ordering::Less => low = end + 1,
            Ordering::Greater => high = start.max(low + 1) - 1,
        }
    }
    0
}
