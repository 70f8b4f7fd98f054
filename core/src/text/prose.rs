//! Running text: the sentences of a page, told from its headings, menus, captions, tags, lists of links and tables.

use crate::buffer::{words, Span};
use crate::chars::{is_lower, is_upper};

const MIN_WORDS: usize = 6; // of a sentence
const FUNCTION_WORDS: usize = 10; // percent of its tokens, at least
const SMALL: usize = 55; // percent of its words that begin with a small letter, of those that begin with a letter
const SMALL_OF_NOUNS: usize = 45; // the same in a language in which nouns begin with a capital
const TAIL: usize = 8; // characters in which the mark at the end is looked for

/// How much running text a page has: its words, their share of all words, and the distinct content words.
#[derive(Clone, Copy)]
pub struct Prose {
    pub words: usize,
    pub share: f64,
    pub content_words: usize,
}

/// Whether a stretch between the ends of sentences is a sentence of running text.
///
/// `tokens` says how many tokens it has, and how many of them are function words; `last_end`, where the text ends.
pub fn is_running(
    text: &[char],
    (start, end): Span,
    tokens: (usize, usize),
    last_end: usize,
    capitalises_nouns: bool,
) -> bool {
    let tail = &text[start.max(end.saturating_sub(TAIL))..text.len().min(end + 1)];
    let last =
        tail.iter().rev().find(|c| !matches!(c, ' ' | '\n' | '"' | '\'' | '”' | '“' | '’' | '‘' | '»' | ')' | ']'));
    let is_ended = last.is_some_and(|c| matches!(c, '.' | '!' | '?' | '…' | ':'));
    if !is_ended && end < last_end {
        return false; // the last sentence of a text may have been cut off
    }
    if 100 * tokens.1 < (FUNCTION_WORDS * tokens.0).max(1) {
        return false;
    }
    let (mut count, mut small, mut capitals) = (0, 0, 0);
    for word in words(&text[start..end]) {
        count += 1;
        small += usize::from(is_lower(word[0]));
        capitals += usize::from(is_upper(word[0]));
    }
    let least = if capitalises_nouns { SMALL_OF_NOUNS } else { SMALL };
    count >= MIN_WORDS && 100 * small >= least * (small + capitals)
}
