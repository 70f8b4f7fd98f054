//! Naturalness and brand trust: two indications that are not part of the score and not validated.

use crate::hash::HashSet;

use super::guards::function_word_share;
use crate::arithmetic::{clamp01, larger, mean, round9, variation};
use crate::chars;
use crate::document::Document;

const FUNCTION_SHARE: (f64, f64) = (0.35, 0.55);
const SIGNALS: [&str; 6] = ["byline", "organisation", "contact", "about", "legal", "sources"];

/// The mean of four signs of written prose, or None for fewer than three sentences.
pub fn naturalness(doc: &Document) -> Option<f64> {
    let sentences = doc.sentences().len();
    if sentences < 3 || doc.source.word_counts().total == 0 {
        return None;
    }
    let share = function_word_share(doc);
    let (low, high) = FUNCTION_SHARE;
    let distance = larger(larger(0.0, low - share), share - high);
    let lowered = &doc.lowered;
    let stock: usize = doc.language.stock_phrases.iter().map(|p| lowered.utf8.matches(p.as_str()).count()).sum();
    let opener = |segment: &usize| {
        let (start, end) = doc.segments()[*segment];
        let length = lowered.chars[start..end].iter().position(|c| chars::is_space(*c)).unwrap_or(end - start);
        lowered.slice(start, start + length)
    };
    let openers: HashSet<&str> = doc.sentences().iter().map(opener).collect();
    let signs = [
        clamp01(variation(doc.sentence_words()) / 0.5),
        clamp01(1.0 - distance / low),
        clamp01(1.0 - stock as f64 / sentences as f64),
        openers.len() as f64 / sentences as f64,
    ];
    Some(round9(100.0 * mean(&signs)))
}

/// The percentage of six signals that are present: byline, organisation, contact, about, legal, sources.
pub fn brand_trust(doc: &Document) -> f64 {
    let mut present: HashSet<&str> =
        doc.find(doc.language.numbers.trust).iter().map(|m| doc.pattern(m).id.as_str()).collect();
    if !doc.find(doc.language.numbers.citation).is_empty() || !doc.source.structure.links.is_empty() {
        present.insert("sources");
    }
    if doc.source.front_matter.get("author").is_some() {
        present.insert("byline");
    }
    let number = SIGNALS.iter().filter(|signal| present.contains(*signal)).count();
    round9((100 * number) as f64 / SIGNALS.len() as f64)
}
