//! dump: names, numbers and entries listed without sentences.

use super::page_words::PageWords;
use super::word_kinds::{ALPHABETIC, APOSTROPHE, FUNCTION};
use super::{find_best_run, Measurement};

// What a word adds to a run. Prose has a function word for every content word or two, which ends any run at once.
const GRAMMAR: f64 = -1.5;
const CONTENT: f64 = 0.6;
const NAME: f64 = 0.8;
const NUMBER: f64 = 1.0;
const SHORTEST: usize = 10; // words of a run
const ORDINARY: f64 = 800.0; // words of a page, beyond which a table counts by its share: long pages have longer tables

/// Words without the grammar of sentences, in the run that has most: menus, tables, lists of names or keywords.
pub fn measure(page: &PageWords) -> Measurement {
    let run = find_best_run((0..page.len()).map(|at| weigh(page, at)));
    let words = run.last - run.first;
    if words < SHORTEST {
        return Measurement::default();
    }
    let shrunk = run.best * (ORDINARY / page.len() as f64).min(1.0);
    Measurement::new(shrunk, [("words", words)], vec![page.span(run.first, run.last - 1)])
}

fn weigh(page: &PageWords, at: usize) -> f64 {
    let kinds = page.kinds(at);
    if kinds & (FUNCTION | APOSTROPHE) != 0 {
        GRAMMAR
    } else if kinds & ALPHABETIC == 0 {
        NUMBER
    } else if page.is_name[at] {
        NAME
    } else {
        CONTENT
    }
}
