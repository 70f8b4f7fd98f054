//! A decoded file, before a language is chosen: its front matter, structure and words.

use std::cell::OnceCell;

use crate::buffer::words;
use crate::chars;
use crate::text::composition::{compose, Composed};
use crate::text::front_matter::{self, FrontMatter};
use crate::text::markdown::{self, Structure};
use crate::words::WordMap;

/// A decoded file with its front matter and structure, before a language is chosen.
pub struct Source {
    pub text: Vec<char>,
    pub is_ascii: bool,
    pub composition: Composed,
    pub front_matter: FrontMatter,
    pub start: usize,
    pub structure: Structure,
    line_starts: OnceCell<Vec<usize>>,
    word_counts: OnceCell<WordCounts>,
}

/// How often each word of the reading text occurs, lower-cased, letters of any script, by first appearance.
#[derive(Default)]
pub struct WordCounts {
    text: String,                       // the words, one after another
    counts: Vec<(usize, usize, usize)>, // where each begins and ends there, and how often it occurs
    pub total: usize,
}

impl WordCounts {
    fn of(text: &[char]) -> WordCounts {
        let mut found = WordCounts::default();
        let mut numbers: WordMap<usize> = WordMap::default();
        let mut word = String::new();
        // The lower case of a letter is a letter, so the words of the lower-cased text are these.
        for run in text.split(|c| !chars::is_letter(*c)).filter(|run| !run.is_empty()) {
            word.clear();
            word.extend(run.iter().map(|c| chars::lower(*c)));
            found.total += 1;
            let number = *numbers.get_or_insert(&word, || {
                let start = found.text.len();
                found.text.push_str(&word);
                found.counts.push((start, found.text.len(), 0));
                found.counts.len() - 1
            });
            found.counts[number].2 += 1;
        }
        found
    }

    /// Every word, with how often it occurs.
    pub fn iter(&self) -> impl Iterator<Item = (&str, usize)> {
        self.counts.iter().map(|(start, end, number)| (&self.text[*start..*end], *number))
    }
}

impl Source {
    pub fn new(text: &str, repaired: bool) -> Source {
        let is_ascii = text.is_ascii();
        let chars: Vec<char> = if is_ascii { text.bytes().map(char::from).collect() } else { text.chars().collect() };
        let composition = if repaired && !is_ascii { compose(chars) } else { Composed::unmoved(chars) };
        let text = composition.text.clone();
        let (front_matter, start) = front_matter::read(&text);
        let structure = markdown::parse(&text, start, repaired);
        Source {
            text,
            is_ascii,
            composition,
            front_matter,
            start,
            structure,
            line_starts: OnceCell::new(),
            word_counts: OnceCell::new(),
        }
    }

    pub fn word_counts(&self) -> &WordCounts {
        self.word_counts.get_or_init(|| WordCounts::of(&self.structure.view.text))
    }

    /// The words of the first heading of the highest level present.
    pub fn first_heading(&self) -> Option<String> {
        let best = self.structure.headings.iter().min_by_key(|h| (h.level, h.start))?;
        let end = best.end.max(best.start).min(self.structure.view.text.len());
        let start = best.start.min(end);
        let title = join_words(&self.structure.view.text[start..end]);
        (!title.is_empty()).then_some(title)
    }

    /// The line (from 1) of an offset in the source.
    pub fn line_at(&self, offset: usize) -> usize {
        let starts = self.line_starts.get_or_init(|| {
            let breaks = self.text.iter().enumerate().filter(|(_, c)| **c == '\n').map(|(at, _)| at + 1);
            std::iter::once(0).chain(breaks).collect()
        });
        starts.partition_point(|start| *start <= offset)
    }

    /// The source without its front matter and hidden spans, in UTF-8.
    pub fn visible(&self) -> String {
        let mut visible = String::with_capacity(self.text.len());
        let mut position = self.start;
        for (start, end) in &self.structure.hidden {
            visible.extend(&self.text[position.min(*start)..*start]);
            position = *end;
        }
        visible.extend(&self.text[position.min(self.text.len())..]);
        visible
    }
}

/// Words joined by single spaces.
pub fn join_words(text: &[char]) -> String {
    let mut joined = String::new();
    for word in words(text) {
        if !joined.is_empty() {
            joined.push(' ');
        }
        joined.extend(word);
    }
    joined
}
