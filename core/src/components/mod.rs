//! The eleven components, in the paper's order: one file each, a mirror of `steelyard/components/`.

mod blocks;
mod citation_f1;
mod entity_density;
mod information_density;
pub mod links;
mod mmr_score;
mod ndcg_score;
mod quotable_density;
mod self_containment;
mod semantic_coherence;
mod semantic_redundancy;
pub use semantic_redundancy::gzip_length;
mod shannon_entropy;
mod statistic_density;
pub use statistic_density::is_year;
mod tfidf;
mod title;

use std::borrow::Cow;
use std::cell::OnceCell;

use crate::arithmetic::round9;
use crate::buffer::Span;
use crate::document::{Document, Match};
use crate::frequencies::Frequencies;
use crate::words::WordSet;

pub const NAMES: [&str; 11] = [
    "shannon_entropy",
    "information_density",
    "quotable_density",
    "entity_density",
    "semantic_coherence",
    "self_containment",
    "statistic_density",
    "mmr_score",
    "citation_f1",
    "ndcg_score",
    "semantic_redundancy",
];

/// A quantity of a formula.
#[derive(Clone, Debug, PartialEq)]
pub enum Part {
    Int(usize),
    Float(f64),
    Undefined,
    List(Vec<f64>),
}

impl From<usize> for Part {
    fn from(value: usize) -> Part {
        Part::Int(value)
    }
}

impl From<f64> for Part {
    fn from(value: f64) -> Part {
        Part::Float(value)
    }
}

impl From<Option<f64>> for Part {
    fn from(value: Option<f64>) -> Part {
        value.map_or(Part::Undefined, Part::Float)
    }
}

pub type Parts = Vec<(&'static str, Part)>;

/// What raised or lowered a component: a match, a span of the reading text, or a span of the source.
pub enum Found {
    Match(Match),
    Text { pattern: Cow<'static, str>, span: Span },
    Source { pattern: &'static str, family: &'static str, span: Span },
}

/// The quantities of a formula, the spans they were counted from, and the value.
pub struct Counts {
    pub parts: Parts,
    pub found: Vec<Found>,
    pub value: f64,
    pub degenerate: Option<&'static str>,
}

/// One component's value on one page, and everything it was computed from.
pub struct Reading {
    pub value: f64,
    pub degenerate: Option<&'static str>,
    pub parts: Parts,
    pub evidence: Vec<Evidence>,
}

/// A half-open span of the source with its line, and the id and family of what matched there.
pub struct Evidence {
    pub start: usize,
    pub end: usize,
    pub line: usize,
    pub pattern: String,
    pub family: String,
}

/// What several components compute once per page.
#[derive(Default)]
pub struct Shared {
    valid_blocks: OnceCell<Vec<Span>>,
    blocks: OnceCell<blocks::Blocks>,
    redundancy: OnceCell<semantic_redundancy::Redundancy>,
    shannon: OnceCell<f64>,
    concepts: OnceCell<Vec<Vec<String>>>,
    citations: OnceCell<citation_f1::Citations>,
    variation: OnceCell<f64>,
    small_words: OnceCell<WordSet>,
}

/// Read all components.
pub fn read_all(doc: &Document, frequencies: &Frequencies, evidence: bool) -> Vec<Reading> {
    let counts = [
        shannon_entropy::count(doc, evidence),
        information_density::count(doc, frequencies),
        quotable_density::count(doc),
        entity_density::count(doc),
        semantic_coherence::count(doc),
        self_containment::count(doc),
        statistic_density::count(doc),
        mmr_score::count(doc),
        citation_f1::count(doc),
        ndcg_score::count(doc),
        semantic_redundancy::count(doc),
    ];
    let read = |counts: Counts| Reading {
        value: round9(counts.value),
        degenerate: counts.degenerate,
        parts: counts.parts,
        evidence: if evidence { locate(doc, counts.found) } else { Vec::new() },
    };
    counts.into_iter().map(read).collect()
}

/// Turn matches and spans of the reading text into sorted evidence in the source.
pub fn locate(doc: &Document, found: Vec<Found>) -> Vec<Evidence> {
    let view = &doc.source.structure.view;
    let mut evidence: Vec<Evidence> = found
        .into_iter()
        .map(|found| {
            let (span, pattern, family) = match found {
                Found::Match(m) => {
                    let data = doc.pattern(&m);
                    (view.source_span(m.start, m.end), data.id.clone(), data.family.clone())
                }
                Found::Text { pattern, span } => {
                    (view.source_span(span.0, span.1), pattern.into_owned(), String::new())
                }
                Found::Source { pattern, family, span } => (span, pattern.to_string(), family.to_string()),
            };
            Evidence { start: span.0, end: span.1, line: doc.source.line_at(span.0), pattern, family }
        })
        .collect();
    evidence.sort_by(|a, b| (a.start, a.end, &a.pattern).cmp(&(b.start, b.end, &b.pattern)));
    evidence
}

/// The longest matches that do not overlap, in text order; the first wins a tie.
pub fn select_longest(matches: &[Match]) -> Vec<Match> {
    let mut ordered = matches.to_vec();
    if ordered.len() < 2 {
        return ordered;
    }
    ordered.sort_by_key(|m| (std::cmp::Reverse(m.end as i64 - m.start as i64), m.start, m.pattern));
    let mut taken: std::collections::BTreeMap<usize, usize> = std::collections::BTreeMap::new();
    let mut kept = Vec::with_capacity(ordered.len());
    for m in ordered {
        let before = taken.range(..m.end).next_back().is_some_and(|(_, end)| *end > m.start);
        if m.end <= m.start || !before {
            if m.end > m.start {
                taken.insert(m.start, m.end);
            }
            kept.push(m);
        }
    }
    kept.sort_by_key(|m| m.start);
    kept
}

/// The first of every group of matches with the same words.
pub fn select_distinct(doc: &Document, matches: Vec<Match>) -> Vec<Match> {
    let mut seen = crate::hash::HashSet::default();
    matches.into_iter().filter(|m| seen.insert(doc.normalised(m.start, m.end))).collect()
}
