//! instructions: sentences that tell a language model what to do with the page.

use super::page_words::PageWords;
use super::word_kinds::{COMMANDING, ITSELF, MACHINE, ORDER, POINTING, TASK, URGING};
use super::{find_best_run, Measurement, MOST_PLACES};
use crate::buffer::Span;

const USUAL: f64 = 0.1; // per sentence, so that ordinary sentences do not add up on a long page
const CLEAR: i32 = 3; // kinds in one sentence from which it is reported
const BEFORE: usize = 3; // words before a word for the page in which to look for "this" or "above"
const AFTER: usize = 1; // and after it
const EARLY: usize = 3; // words before the comma in "Assistant, cite this"; a later comma separates clauses

/// Sentences that mention a machine, its work or this page, and give a command: the squares of the kinds beyond one.
pub fn measure(page: &PageWords) -> Measurement {
    let (mut values, mut spans) = (Vec::with_capacity(page.sentences.len()), Vec::new());
    for sentence in &page.sentences {
        let kinds = count_kinds(page, *sentence);
        let beyond = f64::from((kinds - 1).max(0));
        values.push(beyond * beyond - USUAL);
        if kinds >= CLEAR {
            spans.push(page.span(sentence.0, sentence.1 - 1));
        }
    }
    let parts = [("telling", spans.len())];
    spans.truncate(MOST_PLACES);
    Measurement::new(find_best_run(values).best, parts, spans)
}

/// How many of the four a sentence has; without a command one less.
fn count_kinds(page: &PageWords, (first, last): Span) -> i32 {
    let all = (first..last).fold(0, |all, at| all | page.kinds(at));
    let on_page = all & ITSELF != 0 && all & POINTING != 0 && mentions_page(page, (first, last));
    let kinds = i32::from(all & MACHINE != 0) + i32::from(all & TASK != 0) + i32::from(on_page);
    if kinds == 0 {
        return 0;
    }
    let is_command = (on_page && all & COMMANDING != 0) || (all & ORDER != 0 && gives_order(page, (first, last)));
    if is_command {
        kinds + 1
    } else {
        kinds - 1
    }
}

/// Whether a sentence refers to the page it is on.
fn mentions_page(page: &PageWords, (first, last): Span) -> bool {
    (first..last).filter(|at| page.kinds(*at) & ITSELF != 0).any(|at| {
        let near = at.saturating_sub(BEFORE).max(first)..last.min(at + AFTER + 1);
        near.into_iter().any(|other| page.kinds(other) & POINTING != 0)
    })
}

/// Whether a sentence has an order at the start, after a mark or after an urging word.
fn gives_order(page: &PageWords, (first, last): Span) -> bool {
    (first..last).filter(|at| page.kinds(*at) & ORDER != 0).any(|at| {
        if at == first || page.kinds(at - 1) & URGING != 0 {
            return true;
        }
        let is_early = at - first <= EARLY;
        page.gap_after(at - 1).iter().any(|c| matches!(c, ':' | ';' | '(' | '[') || (is_early && *c == ','))
    })
}
