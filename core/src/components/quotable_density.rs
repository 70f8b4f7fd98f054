//! quotable_density: the share of sentences that can be quoted whole.

use crate::hash::HashSet;

use super::{Counts, Found};
use crate::document::{Document, Match};

const MAX_QUOTABLE: usize = 10;

pub fn count(doc: &Document) -> Counts {
    let mut matches: Vec<Match> = Vec::new();
    for family in &doc.language.numbers.quotable {
        matches.extend(doc.find(Some(*family)));
    }
    matches.sort_by_key(|m| (m.start, m.end));
    let mut sentences: HashSet<Option<usize>> = HashSet::default();
    // Sentences whose words are in `seen`; one may hold a thousand matches.
    let mut known: HashSet<Option<usize>> = HashSet::default();
    let mut seen: HashSet<String> = HashSet::default();
    let mut found = Vec::new();
    for m in matches {
        let sentence = doc.segment_at(m.start);
        // A quotation is known by its own words, wherever it stands; any other match by its sentence.
        let words = if doc.pattern(&m).whole {
            doc.normalised(m.start, m.end)
        } else if !known.insert(sentence) {
            continue;
        } else {
            sentence.map_or_else(String::new, |at| doc.normalised(doc.segments()[at].0, doc.segments()[at].1))
        };
        if !seen.contains(&words) && !sentences.contains(&sentence) {
            found.push(Found::Match(m));
        }
        seen.insert(words);
        sentences.insert(sentence);
    }
    let (q, n_s) = (found.len().min(MAX_QUOTABLE), doc.evidence_sentences());
    let degenerate = (n_s < 3).then_some("fewer than 3 sentences");
    let value = if degenerate.is_some() { 0.0 } else { value(q as f64 / n_s as f64) };
    Counts { parts: vec![("q", q.into()), ("n_s", n_s.into())], found, value, degenerate }
}

fn value(r: f64) -> f64 {
    if r >= 0.10 {
        100.0
    } else if r >= 0.05 {
        50.0 + 1000.0 * (r - 0.05)
    } else {
        1000.0 * r
    }
}
