//! mmr_score: how different the page's blocks are from each other, and how many a greedy selection would keep.

use super::blocks::{compare, find_valid, Blocks};
use super::semantic_redundancy::measure;
use super::{tfidf, Counts, Found, Part};
use crate::arithmetic::{clamp, clamp01, larger, mean, smaller};
use crate::document::Document;

const RELEVANCE_SHARE: f64 = 0.7;

pub fn count(doc: &Document) -> Counts {
    let total = find_valid(doc).len();
    let Some(redundancy) = measure(doc).value() else {
        let undefined = ["L", "R", "Q"].map(|name| (name, Part::Undefined));
        let parts = undefined.into_iter().chain([("blocks", total.into())]).collect();
        return Counts { parts, found: Vec::new(), value: 20.0, degenerate: Some("fewer than 2 valid blocks") };
    };
    let blocks = compare(doc);
    let (quality, selected) = selection_quality(blocks);
    let diversity = lexical_diversity(blocks);
    let value = clamp(0.25 * diversity + 0.65 * redundancy + 0.10 * quality, 0.0, 100.0);
    let parts =
        vec![("L", diversity.into()), ("R", redundancy.into()), ("Q", quality.into()), ("blocks", total.into())];
    let show = |at: usize| Found::Text { pattern: "selected-block".into(), span: blocks.spans[at] };
    Counts { parts, found: selected.into_iter().map(show).collect(), value, degenerate: None }
}

/// 100 (1 - the mean over blocks of the cosine with the nearest other block).
fn lexical_diversity(blocks: &Blocks) -> f64 {
    let nearest = |(i, row): (usize, &Vec<f64>)| {
        let others = row.iter().enumerate().filter(|(j, _)| *j != i).map(|(_, c)| *c);
        others.reduce(larger).unwrap_or(0.0)
    };
    let nearest: Vec<f64> = blocks.cosines.iter().enumerate().map(nearest).collect();
    100.0 * (1.0 - mean(&nearest))
}

/// Q of the selection for the pseudo-query, and the selected blocks in text order.
fn selection_quality(blocks: &Blocks) -> (f64, Vec<usize>) {
    let query = blocks.pseudo_query();
    let relevance: Vec<f64> = blocks.vectors.iter().map(|vector| tfidf::cosine(&query, vector)).collect();
    let selected = select(&relevance, &blocks.cosines);
    let ratio = selected.len() as f64 / blocks.spans.len() as f64;
    let values: Vec<f64> = selected.iter().map(|(_, value)| *value).collect();
    let worth = clamp01(mean(&values) / 0.5);
    let mut places: Vec<usize> = selected.iter().map(|(at, _)| *at).collect();
    places.sort_unstable();
    (100.0 * (0.4 * ratio + 0.4 * worth + 0.2 * smaller(1.0, selected.len() as f64 / 5.0)), places)
}

/// Select (index, MMR value) pairs until no candidate is worth more than 0; the first position wins a tie.
fn select(relevance: &[f64], similarity: &[Vec<f64>]) -> Vec<(usize, f64)> {
    let mut remaining: Vec<usize> = (0..relevance.len()).collect();
    let mut nearest = vec![0.0; relevance.len()];
    let mut selected = Vec::new();
    loop {
        let mut best = None;
        let mut value = 0.0;
        for i in &remaining {
            let candidate = RELEVANCE_SHARE * relevance[*i] - (1.0 - RELEVANCE_SHARE) * nearest[*i];
            if candidate > value {
                best = Some(*i);
                value = candidate;
            }
        }
        let Some(best) = best else { return selected };
        selected.push((best, value));
        remaining.retain(|i| *i != best);
        for i in &remaining {
            nearest[*i] = larger(nearest[*i], similarity[*i][best]);
        }
    }
}
