//! interleaving: keywords placed between words that belong together.

use crate::hash::{HashMap, HashSet};

use super::page_words::PageWords;
use super::{Measurement, MOST_PLACES};
use crate::buffer::Span;

const PIECE: f64 = 400.0; // words: in a longer text any two words are neighbours somewhere
const FEWEST_WORDS: usize = 60;
const FREQUENT: usize = 4; // occurrences in a piece that make a content word one of its keywords
const SHORTEST: usize = 3;
const LONGEST: usize = 2; // keywords in a row that can separate two words
const GRANTED: usize = 1; // now and then a keyword comes between two such words by chance
const NO_WORD: u32 = u32::MAX;

/// Places per 100 words, in the worst piece of the page, at which a keyword separates two usual neighbours.
pub fn measure(page: &PageWords) -> Measurement {
    let n = page.len();
    if n < FEWEST_WORDS {
        return Measurement::default();
    }
    let pieces = ((n as f64 / PIECE).round_ties_even() as usize).max(1);
    let mut worst = (0.0, Vec::new(), 0);
    let mut counts = vec![0; page.vocabulary.len()];
    for piece in 0..pieces {
        let (first, last) = (n * piece / pieces, n * (piece + 1) / pieces);
        let places = find_separations(page, first, last, &mut counts);
        let rate = (100 * places.len().saturating_sub(GRANTED)) as f64 / (last - first) as f64;
        if rate > worst.0 {
            worst = (rate, places, last - first);
        }
    }
    let (rate, separated, size) = worst;
    let spans = separated.iter().take(MOST_PLACES).map(|(first, last)| page.span(*first, *last)).collect();
    Measurement::new(rate, [("parted", separated.len()), ("of", size)], spans)
}

/// The ranges of keywords between two words that belong together, the first range of each group.
///
/// `counts` has a zero for each word, and is left so.
fn find_separations(page: &PageWords, first: usize, last: usize, counts: &mut [usize]) -> Vec<Span> {
    let ids = &page.ids;
    for id in &ids[first..last] {
        counts[*id as usize] += 1;
    }
    let is_frequent = |id: u32| counts[id as usize] >= FREQUENT && page.vocabulary[id as usize].is_content(SHORTEST);
    let is_keyword: Vec<bool> = ids[first..last].iter().map(|id| is_frequent(*id)).collect();
    for id in &ids[first..last] {
        counts[*id as usize] = 0;
    }
    if !is_keyword.contains(&true) {
        return Vec::new();
    }
    let neighbours = count_neighbours(page, first, last);
    let count_pair = |before: u32, after: u32| neighbours.get(&(before, after)).copied().unwrap_or(0);
    let mut seen: HashSet<[u32; 4]> = HashSet::default();
    let mut separations = Vec::new();
    for at in first + 1..last {
        if !is_keyword[at - first] || !page.is_joined(at - 1) {
            continue;
        }
        for end in at + 1..=at + LONGEST {
            if end >= last || !is_keyword[end - 1 - first] || !page.is_joined(end - 1) {
                break;
            }
            let (before, after) = (ids[at - 1], ids[end]);
            let alone = end == at + 1 || !(is_keyword[at - 1 - first] || is_keyword[end - first]);
            if alone
                && (ids[at] == after || ids[end - 1] == before || count_pair(before, after) > 0)
                && (page.is_function_word(at - 1) || count_pair(before, ids[at]) < 2)
                && (page.is_function_word(end) || count_pair(ids[end - 1], after) < 2)
            {
                let second = if end == at + 1 { NO_WORD } else { ids[at + 1] };
                if seen.insert([before, ids[at], second, after]) {
                    separations.push((at, end - 1));
                }
                break;
            }
        }
    }
    separations
}

/// How often two words of a piece follow each other with only a space between them.
///
/// Left out are pairs with a word that the page has once: they are together here or nowhere.
fn count_neighbours(page: &PageWords, first: usize, last: usize) -> HashMap<(u32, u32), u32> {
    let mut neighbours = HashMap::default();
    let recurs = |at: usize| page.word(at).count > 1;
    for at in first..last - 1 {
        if recurs(at) && recurs(at + 1) && page.is_joined(at) {
            *neighbours.entry((page.ids[at], page.ids[at + 1])).or_default() += 1;
        }
    }
    neighbours
}
