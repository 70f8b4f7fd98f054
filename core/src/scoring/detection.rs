//! Which language a text is in, from its most frequent function words.

use crate::source::Source;
use crate::words::WordMap;

const SAMPLE: usize = 20_000; // characters whose script is looked at
const DEFAULT: &str = "en";
const LEAD: f64 = 1.15;
const ENOUGH: f64 = 0.10;
const ENOUGH_WORDS: usize = 20; // fewer words are no evidence of another language

fn is_beyond_latin(c: char) -> bool {
    matches!(c, '\u{370}'..='\u{1dff}' | '\u{2c00}'..='\u{a6ff}' | '\u{a800}'..='\u{faff}')
}

fn is_latin(c: char) -> bool {
    matches!(c, 'A'..='Z' | 'a'..='z' | '\u{c0}'..='\u{24f}')
}

/// The words by which languages are told apart.
pub struct Markers {
    codes: Vec<String>,           // in the order in which the first of equals wins
    languages: WordMap<Vec<u16>>, // by word: the languages it speaks for
}

impl Markers {
    pub fn new(lists: Vec<(String, Vec<String>)>) -> Markers {
        let mut languages: WordMap<Vec<u16>> = WordMap::default();
        for (number, (_, words)) in lists.iter().enumerate() {
            for word in words {
                languages.get_or_insert(word, Vec::new).push(number as u16);
            }
        }
        Markers { codes: lists.into_iter().map(|(code, _)| code).collect(), languages }
    }
}

/// A language code, or `other` for a text that is mostly not in Latin script.
pub fn detect<'m>(source: &Source, markers: &'m Markers, known: &[String]) -> &'m str {
    let text = &source.structure.view.text;
    let sample = &text[..text.len().min(SAMPLE)];
    let beyond = sample.iter().filter(|c| is_beyond_latin(**c)).count();
    if beyond > 20 && beyond > sample.iter().filter(|c| is_latin(**c)).count() {
        return "other";
    }
    let counts = source.word_counts();
    if counts.total == 0 {
        return DEFAULT;
    }
    let mut found = vec![0usize; markers.codes.len()];
    for (word, number) in counts.iter() {
        for language in markers.languages.get(word).into_iter().flatten() {
            found[usize::from(*language)] += number;
        }
    }
    let share = |number: usize| number as f64 / counts.total as f64;
    let shares: Vec<(&str, f64)> = markers.codes.iter().zip(found).map(|(code, n)| (code.as_str(), share(n))).collect();
    let share_of = |code: &str| shares.iter().find(|(known, _)| *known == code).copied().unwrap_or((DEFAULT, 0.0));
    let mut home = (DEFAULT, -1.0);
    for candidate in known.iter().map(|code| share_of(code)) {
        if candidate.1 > home.1 || (candidate.1 == home.1 && candidate.0 == DEFAULT && home.0 != DEFAULT) {
            home = candidate;
        }
    }
    let mut best = (DEFAULT, -1.0);
    for candidate in &shares {
        if candidate.1 > best.1 {
            best = *candidate;
        }
    }
    let is_known = known.iter().any(|code| code == best.0);
    if !is_known && counts.total >= ENOUGH_WORDS && best.1 >= ENOUGH && best.1 > LEAD * home.1 {
        return best.0;
    }
    home.0
}
