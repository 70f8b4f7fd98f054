//! repetition: a passage that uses very few different words.

use super::page_words::PageWords;
use super::Measurement;

const WINDOW: usize = 50;

/// One minus the smallest share of different words in any 50 consecutive words.
pub fn measure(page: &PageWords) -> Measurement {
    if page.len() < WINDOW {
        return Measurement::default();
    }
    let (most, at) = find_most_repeats(page);
    let share = (WINDOW - most) as f64 / WINDOW as f64;
    let parts = [("different", WINDOW - most), ("of", WINDOW)];
    Measurement::new(1.0 - share, parts, vec![page.span(at, at + WINDOW - 1)])
}

/// The most repeats in a window, and the start of the first window that has them.
fn find_most_repeats(page: &PageWords) -> (usize, usize) {
    // A word is a repeat in every window that holds its previous use too: those that start from `first` to `last`.
    let mut after_use = vec![0; page.vocabulary.len()]; // the number after its last use; 0 before the first
    let mut steps = vec![0i64; page.len() + 1];
    for (i, id) in page.ids.iter().enumerate() {
        let first = (i + 1).saturating_sub(WINDOW);
        let after_last = after_use[*id as usize];
        if after_last > first {
            steps[first] += 1;
            steps[after_last] -= 1;
        }
        after_use[*id as usize] = i + 1;
    }
    let (mut repeats, mut most, mut at) = (0, 0, 0);
    for (start, step) in steps[..=page.len() - WINDOW].iter().enumerate() {
        repeats += step;
        if repeats > most {
            (most, at) = (repeats, start);
        }
    }
    (most as usize, at)
}
