//! boilerplate: a run of sentences made of what sites print around any content, whatever the page is about.

use std::hint::black_box;

use super::page_words::PageWords;
use super::word_kinds::{ALPHABETIC, FUNCTION, FURNITURE, VOICE};
use super::{find_best_run, Measurement};
use crate::buffer::Span;

const NEAR: usize = 2; // words: furniture this close to "we", "our" or "your" speaks for the site, and counts twice
const USUAL: f64 = 0.25; // marks per word that an ordinary sentence may have
const MOST: f64 = 4.0; // that one sentence can add: one long menu is not a padded page
const STEEPNESS: f64 = 5.0; // how fast a sentence stops counting the more words it shares with the rest of the page

/// The marks of page furniture beyond the usual, in the run of sentences that has most of them.
pub fn measure(page: &PageWords) -> Measurement {
    let mut own = vec![0; page.vocabulary.len()];
    let run = find_best_run(page.sentences.iter().map(|sentence| value(page, *sentence, &mut own)));
    let mut spans = Vec::new();
    if run.best > 0.0 {
        spans.push(page.span(page.sentences[run.first].0, page.sentences[run.last - 1].1 - 1));
    }
    Measurement::new(run.best, [("sentences", run.last - run.first)], spans)
}

/// The marks beyond the usual, fewer for a sentence about the page's topic; below 0 for an ordinary one.
fn value(page: &PageWords, sentence: Span, own: &mut [usize]) -> f64 {
    let beyond = count_marks(page, sentence) - USUAL * (sentence.1 - sentence.0) as f64;
    if beyond > 0.0 {
        // Not known to the compiler, so that it is the power of the C library, as in Python.
        beyond.min(MOST) * unrelated_share(page, sentence, own).powf(black_box(STEEPNESS))
    } else {
        beyond
    }
}

/// Furniture and the site's voice, with what is close to them.
fn count_marks(page: &PageWords, (first, last): Span) -> f64 {
    let is_voice = |at: usize| page.kinds(at) & VOICE != 0 || (at > first && page.is_polite(at));
    let is_furniture = |at: usize| page.kinds(at) & FURNITURE != 0;
    let mut marks = 0.0;
    for at in first..last {
        marks += f64::from(is_voice(at));
        if !is_furniture(at) {
            continue;
        }
        let near = at.saturating_sub(NEAR).max(first)..last.min(at + NEAR + 1);
        marks += 1.0 + f64::from(near.into_iter().any(is_voice));
        marks += f64::from(at > first && is_furniture(at - 1));
        marks += 0.5 * f64::from(at > first + 1 && is_furniture(at - 2));
    }
    marks
}

/// The share of a sentence's other content words that occur nowhere else on the page, counting one extra.
///
/// `own` has a zero for each word, and is left so.
fn unrelated_share(page: &PageWords, (first, last): Span, own: &mut [usize]) -> f64 {
    let ids = &page.ids[first..last];
    for id in ids {
        own[*id as usize] += 1;
    }
    let (mut content, mut related) = (0, 0);
    for id in ids {
        let word = &page.vocabulary[*id as usize];
        if word.kinds & (FUNCTION | FURNITURE | ALPHABETIC) == ALPHABETIC {
            content += 1;
            related += usize::from(word.count > own[*id as usize]);
        }
    }
    for id in ids {
        own[*id as usize] = 0;
    }
    1.0 - related as f64 / (content + 1) as f64
}
