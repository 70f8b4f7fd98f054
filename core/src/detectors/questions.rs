//! questions: one question after another, with hardly an answer between them.

use super::page_words::PageWords;
use super::{find_best_run, Measurement, MOST_PLACES};

const USUAL: f64 = 45.0; // words for each question: an answer that says something is longer

/// Questions beyond one in 45 words, in the passage that has most of them.
pub fn measure(page: &PageWords) -> Measurement {
    if !page.text.contains(&'?') {
        return Measurement::default();
    }
    let marks = page.text.iter().enumerate().filter(|(_, c)| **c == '?');
    let mut asks = vec![false; page.len()];
    for (at, _) in marks {
        if let Some(word) = page.count_before(at).checked_sub(1) {
            asks[word] = true;
        }
    }
    let questions = asks.iter().filter(|asks| **asks).count();
    if questions == 0 {
        return Measurement::default();
    }
    let run = find_best_run(asks.iter().map(|asks| f64::from(*asks) - 1.0 / USUAL));
    let sentences = page.sentences.iter().filter(|(_, end)| run.first < *end && *end <= run.last && asks[end - 1]);
    let spans = sentences.take(MOST_PLACES).map(|(start, end)| page.span(*start, end - 1)).collect();
    Measurement::new(run.best, [("questions", questions)], spans)
}
