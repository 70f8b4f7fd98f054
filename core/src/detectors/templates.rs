//! templates: sentences of the same pattern, with other names, numbers and keywords filled in.

use crate::hash::HashMap;

use super::page_words::PageWords;
use super::word_kinds::{ALPHABETIC, FUNCTION};
use super::{Measurement, MOST_PLACES};
use crate::buffer::Span;

const SHINGLE: usize = 5; // words and gaps
const FEWEST: usize = 3; // of them that are words: two names and a number follow each other anywhere
const FREQUENT: usize = 4; // uses that make a content word a keyword, which a template leaves open
const FAR: usize = 10; // words and gaps between two uses: what is enumerated is built alike
const LONGEST_GAP: usize = 20; // words in a row left open; a longer list is several gaps
const SHORTEST_PAGE: usize = 300; // words and gaps that a share is taken of, on shorter pages too
const GAP: u32 = u32::MAX;

/// The words of a page, those left open joined to gaps.
#[derive(Default)]
struct Slots {
    ids: Vec<u32>,     // a word's, or GAP
    filled: Vec<Span>, // the half-open range of word numbers of each
}

/// The share of the page in sequences of five that occurred before with something else filled in.
pub fn measure(page: &PageWords) -> Measurement {
    let slots = leave_open(page);
    let mut first_use: HashMap<&[u32], usize> = HashMap::default();
    let mut covered: Vec<Span> = Vec::new(); // ranges of words and gaps, those that touch joined
    for (at, shingle) in slots.ids.windows(SHINGLE).enumerate() {
        if !can_recur(page, shingle) {
            continue;
        }
        let first = *first_use.entry(shingle).or_insert(at);
        if at - first <= FAR || is_filled_alike(page, &slots.filled, first, at) {
            continue;
        }
        match covered.last_mut() {
            Some(last) if at <= last.1 => last.1 = at + SHINGLE,
            _ => covered.push((at, at + SHINGLE)),
        }
    }
    let total: usize = covered.iter().map(|(first, last)| last - first).sum();
    let place = |(first, last): &Span| page.span(slots.filled[*first].0, slots.filled[last - 1].1 - 1);
    let spans = covered.iter().take(MOST_PLACES).map(place).collect();
    let n = slots.ids.len();
    Measurement::new(total as f64 / n.max(SHORTEST_PAGE) as f64, [("repeated", total), ("of", n)], spans)
}

/// Whether a sequence has gaps and words enough, and no word that the page has once.
fn can_recur(page: &PageWords, shingle: &[u32]) -> bool {
    let gaps = shingle.iter().filter(|id| **id == GAP).count();
    let recurs = |id: &u32| *id == GAP || page.vocabulary[*id as usize].count > 1;
    (1..=SHINGLE - FEWEST).contains(&gaps) && shingle.iter().all(recurs)
}

fn is_filled_alike(page: &PageWords, filled: &[Span], one: usize, other: usize) -> bool {
    let words = |at: usize| &page.ids[filled[at].0..filled[at].1];
    (0..SHINGLE).all(|step| words(one + step) == words(other + step))
}

fn leave_open(page: &PageWords) -> Slots {
    let mut slots = Slots::default();
    slots.ids.reserve(page.len());
    slots.filled.reserve(page.len());
    for (at, id) in page.ids.iter().enumerate() {
        let is_open = is_open(page, at);
        match slots.filled.last_mut() {
            Some(gap) if is_open && slots.ids.last() == Some(&GAP) && gap.1 - gap.0 < LONGEST_GAP => gap.1 = at + 1,
            _ => {
                slots.ids.push(if is_open { GAP } else { *id });
                slots.filled.push((at, at + 1));
            }
        }
    }
    slots
}

/// Whether a word is a name, a number or a keyword of the page.
fn is_open(page: &PageWords, at: usize) -> bool {
    let word = page.word(at);
    word.kinds & FUNCTION == 0 && (word.kinds & ALPHABETIC == 0 || page.is_name[at] || word.count >= FREQUENT)
}
