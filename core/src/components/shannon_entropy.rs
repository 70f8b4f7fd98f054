//! shannon_entropy: how evenly the page spreads its tokens.

use super::{Counts, Found};
use crate::arithmetic::{clamp, round9, smaller};
use crate::document::Document;

const TOP: usize = 100; // most frequent tokens that enter H
const MAX_SHOWN: usize = 5;
const MAX_LETTERS: u32 = 200; // of a token that is shown
const SMOOTHING: f64 = 1e-10;

/// H of the counts, smoothed; 0 without counts.
fn entropy(counts: &[usize]) -> f64 {
    let total = counts.iter().sum::<usize>() as f64 + SMOOTHING * counts.len() as f64;
    if total <= 0.0 {
        return 0.0;
    }
    let mut bits = 0.0;
    for count in counts {
        let p = (*count as f64 + SMOOTHING) / total;
        bits -= p * p.log2();
    }
    bits
}

fn degenerate(doc: &Document) -> Option<(&'static str, f64)> {
    if doc.n_words() < 10 {
        return Some(("fewer than 10 words", 30.0));
    }
    if doc.n_kept() < 10 {
        return Some(("fewer than 10 tokens", 50.0));
    }
    (doc.kept_counts().len() < 5).then_some(("fewer than 5 distinct tokens", 30.0))
}

fn value(h: f64, v: usize) -> f64 {
    let flatness = h / (v as f64).log2();
    let bonus = smaller(1.5, (v.max(1) as f64).log10() / 3.0);
    10.0 * clamp(smaller(10.0, flatness * 10.0 + bonus), 0.0, 10.0)
}

pub fn count(doc: &Document, evidence: bool) -> Counts {
    let mut counts: Vec<usize> = doc.kept_counts().iter().map(|(_, n)| *n).collect();
    counts.sort_unstable_by(|a, b| b.cmp(a));
    counts.truncate(TOP);
    let (h, v) = (entropy(&counts), counts.len());
    let case = degenerate(doc);
    let value = case.map_or_else(|| value(h, v), |(_, fixed)| fixed);
    doc.computed.shannon.get_or_init(|| round9(value));
    let found = if evidence { find_repeated(doc) } else { Vec::new() };
    Counts { parts: vec![("H", h.into()), ("V", v.into())], found, value, degenerate: case.map(|(reason, _)| reason) }
}

/// Places of the most frequent tokens with at least three occurrences: they lower the entropy.
fn find_repeated(doc: &Document) -> Vec<Found> {
    let mut repeated: Vec<(u32, usize)> = doc.kept_counts().iter().copied().filter(|(_, n)| *n >= 3).collect();
    repeated.sort_by_key(|(_, n)| std::cmp::Reverse(*n));
    let vocabulary = doc.vocabulary.borrow();
    repeated.retain(|(id, _)| vocabulary.lengths[*id as usize] <= MAX_LETTERS);
    repeated.truncate(MAX_SHOWN);
    let mut found = Vec::new();
    for (id, _) in repeated {
        let word = vocabulary.word(id);
        for span in find_word(doc, word, vocabulary.lengths[id as usize] as usize).take(MAX_SHOWN) {
            found.push(Found::Text { pattern: format!("repeated:{word}").into(), span });
        }
    }
    found
}

/// The places of a word between boundaries of ASCII words, left to right; none begins inside the one before it.
fn find_word<'d>(doc: &'d Document, word: &'d str, length: usize) -> impl Iterator<Item = (usize, usize)> + 'd {
    let text = &doc.lowered;
    let bytes = text.utf8.as_bytes();
    let is_word = |byte: Option<&u8>| byte.is_some_and(|b| b.is_ascii_alphanumeric() || *b == b'_');
    let (first, last) = (word.as_bytes().first(), word.as_bytes().last());
    let step = word.chars().next().map_or(1, char::len_utf8);
    let mut from = 0;
    std::iter::from_fn(move || loop {
        let at = from + text.utf8.get(from..)?.find(word)?;
        let before = if at > 0 { bytes.get(at - 1) } else { None };
        if is_word(before) != is_word(first) && is_word(last) != is_word(bytes.get(at + word.len())) {
            from = at + word.len();
            let start = text.point(at);
            return Some((start, start + length));
        }
        from = at + step; // a place without boundaries may overlap one that has them
    })
}
