//! Guards: texts that are not prose get a fixed low score, whatever their components say.

use crate::document::Document;
use crate::frequencies::Frequencies;

const NEAR_EMPTY_WORDS: usize = 5;
const GIBBERISH_TOKENS: usize = 10;
const SALAD_WORDS: usize = 30;
const SALAD_SHARE: f64 = 0.05;

/// Why a page is not judged on its components, the score it gets instead, and the share behind it.
pub struct Guard {
    pub name: &'static str,
    pub score: f64,
    pub share: f64,
}

/// The first guard that applies; without word lists only the near-empty guard can be checked.
pub fn find_guard(doc: &Document, frequencies: &Frequencies, supported: bool) -> Option<Guard> {
    if doc.n_words() < NEAR_EMPTY_WORDS {
        return Some(Guard { name: "near-empty", score: 5.0, share: 0.0 });
    }
    if !supported {
        return None;
    }
    check_gibberish(doc, frequencies).or_else(|| check_salad(doc))
}

fn check_gibberish(doc: &Document, frequencies: &Frequencies) -> Option<Guard> {
    let counts = doc.source.word_counts();
    if counts.total < GIBBERISH_TOKENS {
        return None;
    }
    let tables = frequencies.known(&doc.language.reads_with);
    let is_unknown = |word: &str| !tables.iter().any(|table| table.get(word) > 0);
    let unknown: usize = counts.iter().filter(|(word, _)| is_unknown(word)).map(|(_, n)| n).sum();
    let share = unknown as f64 / counts.total as f64;
    (share >= 0.5).then(|| Guard { name: "gibberish", score: if share >= 0.8 { 5.0 } else { 10.0 }, share })
}

fn check_salad(doc: &Document) -> Option<Guard> {
    let share = function_word_share(doc);
    (doc.n_words() >= SALAD_WORDS && share < SALAD_SHARE).then_some(Guard { name: "word-salad", score: 10.0, share })
}

/// The share of the page's words that are stop words; 0 for a page without words.
pub fn function_word_share(doc: &Document) -> f64 {
    let counts = doc.source.word_counts();
    if counts.total == 0 {
        return 0.0;
    }
    let stop: usize = counts.iter().filter(|(word, _)| doc.language.stop.contains(word)).map(|(_, n)| n).sum();
    stop as f64 / counts.total as f64
}
