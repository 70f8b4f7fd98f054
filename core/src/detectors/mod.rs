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

/// Measure every detector's statistic, before any threshold is applied.
pub fn measure_page(doc: &Document) -> Vec<(&'static str, Measurement)> {
    let page = PageWords::new(doc);
    DETECTORS.iter().map(|(name, measure)| (*name, measure(&page))).collect()
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
