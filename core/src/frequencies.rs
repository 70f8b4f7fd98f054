//! Word rarity and known words, from the tables of the language directories.

use std::sync::{Arc, OnceLock, PoisonError, RwLock};

use crate::hash::HashMap;

use crate::arithmetic::larger;
use crate::word_table::WordTable;

/// The tables that are loaded.
#[derive(Default)]
pub struct Frequencies {
    english: OnceLock<WordTable>,
    known: RwLock<HashMap<String, Arc<WordTable>>>,
}

impl Frequencies {
    /// Add a table: the English `frequencies`, or the `known` words of a language.
    pub fn add(&self, name: &str, language: &str, lines: impl AsRef<[u8]> + Send + Sync + 'static) {
        if name == "frequencies" {
            self.english.get_or_init(|| WordTable::new(lines));
            return;
        }
        let mut known = self.known.write().unwrap_or_else(PoisonError::into_inner);
        known.entry(language.to_string()).or_insert_with(|| Arc::new(WordTable::new(lines)));
    }

    /// r = max(0, (7 - zipf) / 7): 0 for `the`, 1 for a word that is not listed.
    pub fn rarity(&self, word: &str) -> f64 {
        let zipf = f64::from(self.english.get().map_or(0, |table| table.get(word))) / 100.0;
        larger(0.0, (7.0 - zipf) / 7.0)
    }

    /// The lists of known words of some languages.
    pub fn known(&self, languages: &[String]) -> Vec<Arc<WordTable>> {
        let known = self.known.read().unwrap_or_else(PoisonError::into_inner);
        languages.iter().filter_map(|code| known.get(code).cloned()).collect()
    }
}
