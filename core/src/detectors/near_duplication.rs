//! near_duplication: passages that say again, with small changes, what the page has said before.

use crate::hash::HashMap;

use super::page_words::{PageWords, Word};
use super::{find_best_run, Measurement};

const SHORTEST: usize = 4; // letters of a content word
const STEM: usize = 6; // letters by which two forms of a word are the same
const REACH: usize = 4; // content words within which two make a pair
const FAR: usize = 35; // content words between the two uses of a pair: neighbouring sentences share their subject
const RARE: u32 = 6; // uses of the rarer word of a pair: keywords are together everywhere
const FEWEST: usize = 80; // content words that a share is taken of, on shorter pages too
const NO_STEM: u32 = u32::MAX;

/// The share of content words that have two neighbours they had before, in the passage that has most of them.
pub fn measure(page: &PageWords) -> Measurement {
    let stem_of = number_stems(&page.vocabulary);
    let (mut places, mut stems) = (Vec::new(), Vec::new());
    for (at, id) in page.ids.iter().enumerate() {
        let stem = stem_of[*id as usize];
        if stem != NO_STEM {
            places.push(at);
            stems.push(stem);
        }
    }
    let familiar = find_familiar(&stems);
    let run = find_best_run(familiar.iter().map(|known| if *known { 1.0 } else { -0.5 }));
    if run.best == 0.0 {
        return Measurement::default();
    }
    let span = page.span(places[run.first], places[run.last - 1]);
    let number = familiar.iter().filter(|known| **known).count();
    let share = run.best / places.len().max(FEWEST) as f64;
    Measurement::new(share, [("familiar", number), ("of", places.len())], vec![span])
}

/// By word: the number of its first six letters; none for a word that is no content word.
fn number_stems(vocabulary: &[Word]) -> Vec<u32> {
    let mut numbers: HashMap<&str, u32> = HashMap::default();
    numbers.reserve(vocabulary.len());
    let mut stems = Vec::with_capacity(vocabulary.len());
    for word in vocabulary {
        if !word.is_content(SHORTEST) {
            stems.push(NO_STEM);
            continue;
        }
        let end = word.text.char_indices().nth(STEM).map_or(word.text.len(), |(at, _)| at);
        let next = numbers.len() as u32;
        stems.push(*numbers.entry(&word.text[..end]).or_insert(next));
    }
    stems
}

/// For each word, whether two of its pairs with words nearby occurred before, some way back.
fn find_familiar(stems: &[u32]) -> Vec<bool> {
    let mut counts = vec![0u32; stems.iter().max().map_or(0, |most| *most as usize + 1)];
    for stem in stems {
        counts[*stem as usize] += 1;
    }
    let mut first_use: HashMap<(u32, u32), usize> = HashMap::default();
    let mut pairs = vec![0u32; stems.len()];
    for (at, stem) in stems.iter().enumerate() {
        if counts[*stem as usize] == 1 {
            continue;
        }
        for near in at.saturating_sub(REACH)..at {
            let other = &stems[near];
            let rarer = counts[*other as usize].min(counts[*stem as usize]);
            if other == stem || !(2..=RARE).contains(&rarer) {
                continue;
            }
            if at - *first_use.entry((*other.min(stem), *other.max(stem))).or_insert(at) > FAR {
                pairs[at] += 1;
                pairs[near] += 1;
            }
        }
    }
    pairs.into_iter().map(|number| number > 1).collect()
}
