//! Detectors: each finds one kind of manipulation. A mirror of `steelyard/detectors/`, with the same numbers.

mod addresses;
mod boilerplate;
mod dump;
mod duplication;
mod hidden_text;
mod hollow_evidence;
mod instructions;
mod interleaving;
mod keyword_density;
mod links;
mod near_duplication;
mod page_words;
mod questions;
mod repetition;
mod styles;
mod templates;
mod testimonials;
pub mod word_kinds;

use crate::buffer::Span;
use crate::document::Document;
use page_words::PageWords;

const MOST_PLACES: usize = 20; // that a detector points at
const MAX_PIECE: usize = 400_000; // characters examined at a time

/// A number as Python has it: its JSON shows whether it is an integer.
#[derive(Clone, Copy, PartialEq, Debug)]
pub enum Number {
    Int(i64),
    Float(f64),
}

/// A detector's statistic (0 or more), the numbers behind it, and its places in the reading text or the source.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct Measurement {
    pub statistic: f64,
    pub parts: Vec<(String, Number)>,
    pub spans: Vec<Span>,
    pub in_source: Vec<Span>,
}

impl Measurement {
    fn new<const N: usize>(statistic: f64, parts: [(&str, usize); N], spans: Vec<Span>) -> Measurement {
        let parts = parts.into_iter().map(|(name, count)| (name.to_string(), to_number(count))).collect();
        Measurement { statistic, parts, spans, in_source: Vec::new() }
    }
}

fn to_number(count: usize) -> Number {
    Number::Int(count as i64)
}

type Measure = fn(&PageWords) -> Measurement;

/// The detectors, in the order they are reported.
const DETECTORS: [(&str, Measure); 14] = [
    ("repetition", repetition::measure),
    ("keyword_density", keyword_density::measure),
    ("interleaving", interleaving::measure),
    ("duplication", duplication::measure),
    ("near_duplication", near_duplication::measure),
    ("templates", templates::measure),
    ("boilerplate", boilerplate::measure),
    ("links", links::measure),
    ("hidden_text", hidden_text::measure),
    ("instructions", instructions::measure),
    ("dump", dump::measure),
    ("hollow_evidence", hollow_evidence::measure),
    ("questions", questions::measure),
    ("testimonials", testimonials::measure),
];

/// Measure every detector's statistic, before any threshold is applied; of a long page that of the worst piece.
pub fn measure_page(doc: &Document) -> Vec<(&'static str, Measurement)> {
    let mut worst: Vec<(&'static str, Measurement)> = Vec::new();
    for piece in cut_pieces(doc.chars().len()) {
        let page = PageWords::new(doc, piece);
        for (at, (name, measure)) in DETECTORS.iter().enumerate() {
            let mut measured = measure(&page);
            measured.spans.iter_mut().for_each(|span| *span = (span.0 + page.offset, span.1 + page.offset));
            match worst.get_mut(at) {
                Some(other) if measured.statistic > other.1.statistic => other.1 = measured,
                Some(_) => (),
                None => worst.push((*name, measured)),
            }
        }
    }
    worst
}

/// The pieces in which a text of some length is examined: as few as possible, of about the same length.
fn cut_pieces(length: usize) -> Vec<Span> {
    let count = length.div_ceil(MAX_PIECE).max(1);
    (0..count).map(|at| (length * at / count, length * (at + 1) / count)).collect()
}

/// The largest sum of consecutive values, and the half-open range that has it; zeros when none is above 0.
struct Run {
    best: f64,
    first: usize,
    last: usize,
}

fn find_best_run(values: impl IntoIterator<Item = f64>) -> Run {
    let mut found = Run { best: 0.0, first: 0, last: 0 };
    let (mut run, mut start) = (0.0, 0);
    for (at, value) in values.into_iter().enumerate() {
        if run <= 0.0 {
            (run, start) = (0.0, at);
        }
        run += value;
        if run > found.best {
            found = Run { best: run, first: start, last: at + 1 };
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pieces_are_few_and_of_about_the_same_length() {
        assert_eq!(cut_pieces(0), [(0, 0)]);
        assert_eq!(cut_pieces(MAX_PIECE), [(0, MAX_PIECE)]);
        assert_eq!(cut_pieces(MAX_PIECE + 1), [(0, 200_000), (200_000, 400_001)]);
    }

    #[test]
    fn the_best_run_leaves_out_what_lowers_its_sum() {
        let run = find_best_run([-1.0, 2.0, -0.5, 3.0, -4.0, 1.0]);
        assert_eq!((run.best, run.first, run.last), (4.5, 1, 4));
    }

    #[test]
    fn there_is_no_best_run_without_a_value_above_zero() {
        let run = find_best_run([-1.0, 0.0, -2.0]);
        assert_eq!((run.best, run.first, run.last), (0.0, 0, 0));
    }
}
