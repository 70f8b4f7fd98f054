//! keyword_density: a passage in which a few content words recur too often, as when keywords are scattered over it.

use std::cmp::Reverse;

use super::page_words::PageWords;
use super::{find_best_run, to_number, Measurement, MOST_PLACES};

const TOP: usize = 6;
const SHORTEST: usize = 3; // letters
const FEWEST: usize = 4; // occurrences that make a content word one of the page's keywords
const USUAL: f64 = 0.12; // taken off for every other word, so that up to one keyword in nine adds nothing

/// The page's most frequent content words, beyond one word in nine, in the passage that has most of them.
pub fn measure(page: &PageWords) -> Measurement {
    let words = page.vocabulary.iter().enumerate();
    let frequent = words.filter(|(_, word)| word.count >= FEWEST && word.is_content(SHORTEST));
    let mut top: Vec<usize> = frequent.map(|(id, _)| id).collect();
    top.sort_by_key(|id| Reverse(page.vocabulary[*id].count)); // ties stay in order of first appearance
    top.truncate(TOP);
    let mut is_top = vec![false; page.vocabulary.len()];
    for id in &top {
        is_top[*id] = true;
    }
    let is_keyword = |at: usize| is_top[page.ids[at] as usize];
    let run = find_best_run((0..page.len()).map(|at| if is_keyword(at) { 1.0 } else { -USUAL }));
    let places = (run.first..run.last).filter(|at| is_keyword(*at));
    Measurement {
        statistic: run.best,
        parts: top.iter().map(|id| &page.vocabulary[*id]).map(|w| (w.text.to_string(), to_number(w.count))).collect(),
        spans: places.map(|at| page.spans[at]).take(MOST_PLACES).collect(),
        in_source: Vec::new(),
    }
}
