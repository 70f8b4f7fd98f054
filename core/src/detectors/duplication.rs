//! duplication: word sequences that occur on the page more than once.

use crate::hash::HashSet;

use super::page_words::PageWords;
use super::{Measurement, MOST_PLACES};
use crate::arithmetic::fsum;

const SHINGLE: usize = 6; // words
const WHOLE: f64 = 40.0; // repeated sequences in a row that are certainly a copy; shorter runs count less

/// Repeated sequences without large gaps between them.
struct Run {
    first: usize,
    last: usize,
    number: usize,
}

/// The share of six-word sequences that occurred before on the page; long repeats count in full, short ones less.
pub fn measure(page: &PageWords) -> Measurement {
    let total = (page.len() + 1).saturating_sub(SHINGLE);
    if total < SHINGLE {
        return Measurement::default();
    }
    let repeated = find_repeated(page);
    let runs = group_runs(&repeated);
    let weighted = fsum(runs.iter().map(|run| {
        let number = run.number as f64;
        number * (number / WHOLE).min(1.0)
    }));
    let places = runs.iter().take(MOST_PLACES);
    let spans = places.map(|run| page.span(run.first, run.last + SHINGLE - 1)).collect();
    Measurement::new(weighted / total as f64, [("repeated", repeated.len()), ("of", total)], spans)
}

/// The numbers of the words at which a sequence starts that occurred before.
fn find_repeated(page: &PageWords) -> Vec<usize> {
    let mut seen: HashSet<&[u32]> = HashSet::default();
    let mut repeated = Vec::new();
    let mut recurring = 0; // words in a row that occur more than once: a sequence with another word is no repeat
    for (at, id) in page.ids.iter().enumerate() {
        recurring = if page.vocabulary[*id as usize].count > 1 { recurring + 1 } else { 0 };
        if recurring >= SHINGLE {
            let start = at + 1 - SHINGLE;
            if !seen.insert(&page.ids[start..=at]) {
                repeated.push(start);
            }
        }
    }
    repeated
}

/// Group sorted numbers into runs without large gaps.
fn group_runs(numbers: &[usize]) -> Vec<Run> {
    let mut runs: Vec<Run> = Vec::new();
    for at in numbers {
        match runs.last_mut() {
            Some(run) if *at <= run.last + SHINGLE => {
                run.last = *at;
                run.number += 1;
            }
            _ => runs.push(Run { first: *at, last: *at, number: 1 }),
        }
    }
    runs
}
