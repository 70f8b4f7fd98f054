//! hollow_evidence: figures, quotations and sources in sentences that say hardly anything.

use super::page_words::PageWords;
use super::word_kinds::FUNCTION;
use super::{find_best_run, Measurement, MOST_PLACES};
use crate::buffer::Span;
use crate::chars;

const SHORTEST: usize = 3; // letters of a content word
const HOLLOW: usize = 3; // content words up to which a sentence is reported
const USUAL: f64 = 0.003; // per word, so that a long page is not hollow by its length

/// Pieces of evidence, each divided by one plus the number of plain content words in its sentence, in the worst run.
pub fn measure(page: &PageWords) -> Measurement {
    let (mut values, mut spans) = (Vec::with_capacity(page.sentences.len()), Vec::new());
    let mut at = 0;
    for (first, last) in &page.sentences {
        let within = page.evidence[at..].iter().take_while(|number| *number < last).count();
        let mut share = 0.0;
        if within > 0 && (*first..*last).any(|number| page.is_function_word(number)) {
            let content = count_content_words(page, (*first, *last));
            share = within as f64 / (1 + content) as f64;
            if content <= HOLLOW {
                spans.push(page.span(*first, last - 1));
            }
        }
        values.push(share - USUAL * (last - first) as f64);
        at += within;
    }
    let parts = [("evidence", page.evidence.len()), ("hollow_sentences", spans.len())];
    spans.truncate(MOST_PLACES);
    Measurement::new(find_best_run(values).best, parts, spans)
}

/// The words of a sentence that are neither function words nor names nor numbers.
fn count_content_words(page: &PageWords, (first, last): Span) -> usize {
    let is_content = |at: &usize| {
        let word = page.word(*at);
        word.kinds & FUNCTION == 0 && word.length >= SHORTEST && !page.is_name[*at] && is_cased(page.initial(*at))
    };
    (first..last).filter(is_content).count()
}

/// Whether a letter is of a script with capitals: others have no plain words to tell apart.
fn is_cased(c: char) -> bool {
    chars::is_lower(c) || chars::is_upper(c)
}
