//! statistic_density: how much numeric evidence the page carries per 100 words.

use crate::hash::HashSet;

use super::{select_distinct, select_longest, Counts, Found};
use crate::arithmetic::smaller;
use crate::document::{Document, Match};

pub fn count(doc: &Document) -> Counts {
    let statistics = select_longest(doc.find(doc.language.numbers.statistic));
    let dated = count_dated(doc, &statistics);
    let unique = select_distinct(doc, statistics);
    let (s, w) = (unique.len(), doc.evidence_words());
    let degenerate = (w < 50).then_some("fewer than 50 words");
    let value = if degenerate.is_some() {
        0.0
    } else {
        smaller(100.0, density_points((100 * s) as f64 / w as f64) + smaller(25.0, 10.0 * dated as f64))
    };
    let parts = vec![("S", s.into()), ("W", w.into()), ("D", dated.into())];
    Counts { parts, found: unique.into_iter().map(Found::Match).collect(), value, degenerate }
}

fn density_points(s: f64) -> f64 {
    if s >= 1.5 {
        100.0
    } else if s >= 0.8 {
        50.0 + 71.4 * (s - 0.8)
    } else {
        62.5 * s
    }
}

/// The number of distinct sentences with a statistic and, outside it, a year.
fn count_dated(doc: &Document, statistics: &[Match]) -> usize {
    let segments = doc.segments();
    let Some(last) = segments.len().checked_sub(1) else { return 0 };
    let mut dated: HashSet<&str> = HashSet::default();
    let mut previous = None;
    for m in statistics {
        // Before the first sentence Python's index of -1 is the last one.
        let segment = doc.segment_at(m.start).unwrap_or(last);
        if previous == Some(segment) {
            continue;
        }
        previous = Some(segment);
        let (start, end) = segments[segment];
        let text = &doc.lowered.chars[start..end];
        let is_outside = |year: &(usize, usize)| {
            let before = statistics.partition_point(|m| m.end <= start + year.0);
            before == statistics.partition_point(|m| m.start < start + year.1)
        };
        if find_years(text).iter().any(is_outside) {
            dated.insert(doc.lowered.slice(start, end));
        }
    }
    dated.len()
}

/// The years from 1800 to 2099 between boundaries of ASCII words.
fn find_years(text: &[char]) -> Vec<(usize, usize)> {
    let is_word = |c: char| c.is_ascii_alphanumeric() || c == '_';
    let mut years = Vec::new();
    let mut at = 0;
    while at + 4 <= text.len() {
        let starts = is_word(text[at]) && (at == 0 || !is_word(text[at - 1]));
        if starts && is_year(&text[at..at + 4]) && text.get(at + 4).is_none_or(|c| !is_word(*c)) {
            years.push((at, at + 4));
            at += 4;
        } else {
            at += 1;
        }
    }
    years
}

/// Whether four characters are a year from 1800 to 2099.
pub fn is_year(text: &[char]) -> bool {
    let century = matches!((text[0], text[1]), ('1', '8' | '9') | ('2', '0'));
    century && text[2].is_ascii_digit() && text[3].is_ascii_digit()
}
