//! self_containment: whether each paragraph can be read, and quoted, without the one before it.

use super::{Counts, Found, Part};
use crate::arithmetic::mean;
use crate::buffer::{count_words, trim, Span};
use crate::document::Document;

const SHORTEST: usize = 30; // characters; shorter paragraphs are ignored
const SHORT: usize = 20; // words of a paragraph
const LONG: usize = 200;
const OPENING: usize = 400; // characters of the first sentence that the patterns see
const SHOWN: usize = 120;

pub fn count(doc: &Document) -> Counts {
    let paragraphs = doc.source.structure.paragraphs.iter().map(|span| trim(doc.chars(), clip(doc, *span)));
    let spans: Vec<Span> = paragraphs.filter(|span| span.1 - span.0 >= SHORTEST).collect();
    let kinds: Vec<(&'static str, f64)> = spans.iter().map(|span| classify(doc, *span)).collect();
    let show = |(kind, span): (&(&'static str, f64), &Span)| Found::Text {
        pattern: kind.0.into(),
        span: (span.0, span.1.min(span.0 + SHOWN)),
    };
    let found = kinds.iter().zip(&spans).map(show).collect();
    let points: Vec<f64> = kinds.iter().map(|kind| kind.1).collect();
    let degenerate = spans.is_empty().then_some("no analyzable paragraph");
    let value = if degenerate.is_some() { 20.0 } else { mean(&points) };
    Counts { parts: vec![("n", spans.len().into()), ("points", Part::List(points))], found, value, degenerate }
}

fn clip(doc: &Document, (start, end): Span) -> Span {
    let end = end.min(doc.text.len());
    (start.min(end), end)
}

/// Name the way a paragraph opens, or its length when the opening matches no pattern.
fn classify(doc: &Document, (start, end): Span) -> (&'static str, f64) {
    let text = doc.chars();
    let marks = text[start..end].iter().take_while(|c| matches!(c, ' ' | '.' | '!' | '?')).count();
    let start = start + marks; // leading punctuation must not hide the opening
    let stop = doc.segment_at(start).map_or(end, |at| doc.segments()[at].1.max(start + 1));
    let last = end.min(stop).min(start + OPENING).min(text.len());
    let mut opening = doc.text.slice(start, last).to_string();
    opening.push(' ');
    if doc.matches_in(doc.language.numbers.opener, &opening) {
        return ("opener", 20.0);
    }
    if doc.matches_in(doc.language.numbers.subject, &opening) {
        return ("subject", 100.0);
    }
    match count_words(&text[start..end], LONG + 1) {
        words if words < SHORT => ("short", 40.0),
        words if words > LONG => ("long", 65.0),
        _ => ("plain", 82.0),
    }
}
