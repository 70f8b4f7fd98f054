//! The words of a page as numbers.

use crate::language::Language;
use crate::words::WordMap;

const SHORTEST_TOKEN: usize = 3;

/// Words by number: their text, length in characters, whether they are stop words, and whether they pass the length and stop filters.
#[derive(Default)]
pub struct Vocabulary {
    numbers: WordMap<u32>,
    text: String, // the words, one after another
    ends: Vec<usize>,
    pub lengths: Vec<u32>,
    pub stop: Vec<bool>,
    pub kept: Vec<bool>,
}

impl Vocabulary {
    pub fn number(&mut self, word: &str, length: usize, language: &Language) -> u32 {
        let new = self.ends.len() as u32;
        let number = *self.numbers.get_or_insert(word, || new);
        if number == new {
            self.text.push_str(word);
            self.ends.push(self.text.len());
            self.lengths.push(length as u32);
            let is_stop = language.stop.contains(word);
            self.stop.push(is_stop);
            self.kept.push(length >= SHORTEST_TOKEN && !is_stop);
        }
        number
    }

    pub fn find(&self, word: &str) -> Option<u32> {
        self.numbers.get(word).copied()
    }

    pub fn word(&self, id: u32) -> &str {
        let start = if id == 0 { 0 } else { self.ends[id as usize - 1] };
        &self.text[start..self.ends[id as usize]]
    }

    pub fn len(&self) -> usize {
        self.ends.len()
    }

    pub fn is_empty(&self) -> bool {
        self.ends.is_empty()
    }
}
