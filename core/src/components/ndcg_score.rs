//! ndcg_score: the quality of headings and sections.

use super::tfidf::{self, Counted};
use super::{Counts, Found, Part};
use crate::arithmetic::{clamp, clamp01, fsum, larger, mean, smaller};
use crate::buffer::words;
use crate::document::{Document, Section};

const MAX_SECTIONS: usize = 10;
const QUERY_TERMS: usize = 8;
const INFORMATIVE: f64 = 3.0; // content words of an informative heading
const TIERS: [(usize, f64); 4] = [(30, 0.2), (80, 0.5), (150, 0.8), (401, 1.0)];
const K1: f64 = 1.5;
const B: f64 = 0.75;

pub fn count(doc: &Document) -> Counts {
    let total = doc.sections().len();
    let sections = &doc.sections()[..total.min(MAX_SECTIONS)];
    if sections.len() < 2 {
        let undefined = ["S_rel", "S_qual", "S_hier", "S_pos", "dcg_ratio"].map(|name| (name, Part::Undefined));
        let parts = undefined.into_iter().chain([("sections", total.into())]).collect();
        return Counts { parts, found: Vec::new(), value: 20.0, degenerate: Some("fewer than 2 heading sections") };
    }
    let relevance = section_relevance(doc, sections);
    let is_jump = |at: usize| at > 0 && sections[at].level > sections[at - 1].level + 1;
    let jumps = (1..sections.len()).filter(|at| is_jump(*at)).count();
    let rel = 100.0 * mean(&relevance);
    let qualities: Vec<f64> = sections.iter().map(|section| section_quality(doc, section)).collect();
    let qual = mean(&qualities);
    let hier = 100.0 * (1.0 - jumps as f64 / (sections.len() - 1) as f64);
    let pos = front_loading(&relevance);
    let parts = vec![
        ("S_rel", rel.into()),
        ("S_qual", qual.into()),
        ("S_hier", hier.into()),
        ("S_pos", pos.into()),
        ("dcg_ratio", dcg_ratio(&relevance).into()),
        ("sections", total.into()),
    ];
    let show = |(at, section): (usize, &Section)| Found::Text {
        pattern: if is_jump(at) { "level-jump" } else { "section" }.into(),
        span: section.title,
    };
    let found = sections.iter().enumerate().map(show).collect();
    let value = clamp(0.10 * rel + 0.55 * qual + 0.20 * hier + 0.15 * pos, 0.0, 100.0);
    Counts { parts, found, value, degenerate: None }
}

/// The BM25 score of each section for the page's top TF-IDF terms, divided by the largest.
fn section_relevance(doc: &Document, sections: &[Section]) -> Vec<f64> {
    let kept: Vec<Vec<u32>> = sections
        .iter()
        .map(|section| {
            let ids = doc.token_ids(section.title.0, section.body.1);
            ids.into_iter().filter(|id| doc.keeps(*id)).collect()
        })
        .collect();
    let types = doc.vocabulary.borrow().len();
    let texts: Vec<Counted> = kept.into_iter().map(|ids| tfidf::count_terms(ids, types)).collect();
    let (vectors, _) = tfidf::build_vectors(&texts, types);
    let raw = bm25(&texts, &tfidf::top_terms(&vectors, QUERY_TERMS, types));
    let top = raw.iter().copied().reduce(larger).unwrap_or(0.0);
    raw.into_iter().map(|r| if top > 0.0 { r / top } else { 0.0 }).collect()
}

/// Okapi BM25 with a non-negative idf.
fn bm25(documents: &[Counted], query: &[u32]) -> Vec<f64> {
    let n = documents.len();
    let lengths: Vec<usize> = documents.iter().map(|d| d.iter().map(|(_, c)| c).sum()).collect();
    let average = lengths.iter().sum::<usize>() as f64 / n as f64;
    let mut result = vec![0.0; n];
    for term in query {
        let frequencies: Vec<usize> =
            documents.iter().map(|d| d.iter().find(|(t, _)| t == term).map_or(0, |(_, c)| *c)).collect();
        let df = frequencies.iter().filter(|tf| **tf > 0).count();
        if df == 0 {
            continue;
        }
        let idf = (1.0 + ((n - df) as f64 + 0.5) / (df as f64 + 0.5)).ln();
        for (i, tf) in frequencies.into_iter().enumerate().filter(|(_, tf)| *tf > 0) {
            let tf = tf as f64;
            result[i] += idf * tf * (K1 + 1.0) / (tf + K1 * (1.0 - B + B * lengths[i] as f64 / average));
        }
    }
    result
}

/// The points of one section for its length, sentences, heading and type-token ratio.
fn section_quality(doc: &Document, section: &Section) -> f64 {
    let (start, end) = section.body;
    let text = doc.chars();
    let words = words(&text[start.min(end)..end]).count();
    let tier = TIERS.iter().find(|(below, _)| words < *below).map_or(0.8, |(_, worth)| *worth);
    let sentences = doc.sentences_between(start, end) as f64;
    let informative =
        doc.token_ids(section.title.0, section.title.1).into_iter().filter(|id| doc.keeps(*id)).count() as f64;
    let tokens = doc.token_ids(start, end);
    let types = count_distinct(&tokens);
    let ttr = if tokens.is_empty() { 0.0 } else { types as f64 / tokens.len() as f64 };
    100.0
        * (0.4 * tier
            + 0.2 * smaller(1.0, sentences / 4.0)
            + 0.2 * smaller(1.0, informative / INFORMATIVE)
            + 0.2 * clamp01((ttr - 0.3) / 0.4))
}

fn count_distinct(ids: &[u32]) -> usize {
    let mut sorted = ids.to_vec();
    sorted.sort_unstable();
    sorted.dedup();
    sorted.len()
}

/// The relevance, weighted by how early its section comes.
fn front_loading(relevance: &[f64]) -> f64 {
    let n = relevance.len() as f64;
    let total = fsum(relevance.iter().copied());
    if total <= 0.0 {
        return 0.0;
    }
    100.0 * fsum(relevance.iter().enumerate().map(|(i, r)| r * (1.0 - i as f64 / n))) / total
}

/// DCG over the DCG of the best order; recorded only.
fn dcg_ratio(relevance: &[f64]) -> f64 {
    let dcg = |values: &[f64]| fsum(values.iter().enumerate().map(|(i, v)| v / ((i + 2) as f64).log2()));
    let mut sorted = relevance.to_vec();
    sorted.sort_by(|a, b| b.total_cmp(a));
    let ideal = dcg(&sorted);
    if ideal > 0.0 {
        dcg(relevance) / ideal
    } else {
        0.0
    }
}
