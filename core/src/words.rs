//! Tables of words. A word of up to fifteen bytes is one number: no memory of its own, and one comparison.

use crate::hash::HashMap;

const LONGEST: usize = 15;

/// A short word as a number: its bytes, and its length in the last one.
fn pack(word: &str) -> Option<u128> {
    let bytes = word.as_bytes();
    if bytes.len() > LONGEST {
        return None;
    }
    let mut packed = [0; 16];
    packed[..bytes.len()].copy_from_slice(bytes);
    packed[LONGEST] = bytes.len() as u8;
    Some(u128::from_le_bytes(packed))
}

/// Values by word.
#[derive(Clone)]
pub struct WordMap<V> {
    short: HashMap<u128, V>,
    long: HashMap<Box<str>, V>,
}

impl<V> Default for WordMap<V> {
    fn default() -> WordMap<V> {
        WordMap { short: HashMap::default(), long: HashMap::default() }
    }
}

impl<V> WordMap<V> {
    #[inline]
    pub fn get(&self, word: &str) -> Option<&V> {
        match pack(word) {
            Some(packed) => self.short.get(&packed),
            None => self.long.get(word),
        }
    }

    /// The word's value, made where it has none yet.
    #[inline]
    pub fn get_or_insert(&mut self, word: &str, make: impl FnOnce() -> V) -> &mut V {
        match pack(word) {
            Some(packed) => self.short.entry(packed).or_insert_with(make),
            None => self.long.entry(word.into()).or_insert_with(make),
        }
    }

    pub fn contains(&self, word: &str) -> bool {
        self.get(word).is_some()
    }

    pub fn is_empty(&self) -> bool {
        self.short.is_empty() && self.long.is_empty()
    }
}

/// A set of words.
pub type WordSet = WordMap<()>;

impl<S: AsRef<str>> FromIterator<S> for WordSet {
    fn from_iter<I: IntoIterator<Item = S>>(words: I) -> WordSet {
        let mut set = WordSet::default();
        for word in words {
            set.get_or_insert(word.as_ref(), || ());
        }
        set
    }
}
