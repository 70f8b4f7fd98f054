//! In which of a language's lists each word is, so that a page looks every word up once.

use crate::hash::HashMap;

use crate::chars;
use crate::language::Words;

pub const STOP: u32 = 1;
pub const FUNCTION: u32 = 1 << 1; // the stop words are function words too
pub const ABBREVIATION: u32 = 1 << 2;
pub const FURNITURE: u32 = 1 << 3;
pub const VOICE: u32 = 1 << 4;
pub const POLITE: u32 = 1 << 5; // if written with a capital
pub const MACHINE: u32 = 1 << 6;
pub const TASK: u32 = 1 << 7;
pub const ITSELF: u32 = 1 << 8;
pub const POINTING: u32 = 1 << 9;
pub const ORDER: u32 = 1 << 10;
pub const URGING: u32 = 1 << 11;
pub const COMMANDING: u32 = 1 << 12;
pub const PRAISE: u32 = 1 << 13;
pub const SELF: u32 = 1 << 14;
pub const SELLING: u32 = 1 << 15;
// What a word is by its characters, added when a page is read.
pub const ALPHABETIC: u32 = 1 << 16; // its first character is
pub const APOSTROPHE: u32 = 1 << 17;

const LISTS: [(&str, u32); 2] = [("stop", STOP | FUNCTION), ("abbreviations", ABBREVIATION)];
const DETECTOR_LISTS: [(&str, u32); 13] = [
    ("function", FUNCTION),
    ("furniture", FURNITURE),
    ("voice", VOICE),
    ("machine", MACHINE),
    ("task", TASK),
    ("itself", ITSELF),
    ("pointing", POINTING),
    ("order", ORDER),
    ("urging", URGING),
    ("commanding", COMMANDING),
    ("praise", PRAISE),
    ("self", SELF),
    ("selling", SELLING),
];
const OUT_OF: [&str; 3] = ["/", "out of", "sur"];

type Lists = HashMap<String, Words>;

pub struct WordKinds {
    kinds: HashMap<String, u32>,
    pub polite: Words,          // as written, with a capital
    pub out_of: Vec<Vec<char>>, // what can be between the two numbers of a rating
}

impl WordKinds {
    /// Index a language's lists and those of the detectors; one that a language does not have is empty.
    pub fn new(lists: &Lists, detector_lists: &Lists) -> WordKinds {
        let mut kinds: HashMap<String, u32> = HashMap::default();
        for (source, names) in [(lists, &LISTS[..]), (detector_lists, &DETECTOR_LISTS[..])] {
            for (name, kind) in names {
                for word in source.get(*name).into_iter().flatten() {
                    *kinds.entry(word.clone()).or_default() |= kind;
                }
            }
        }
        let polite = detector_lists.get("polite").cloned().unwrap_or_default();
        for word in &polite {
            *kinds.entry(word.chars().map(chars::lower).collect()).or_default() |= POLITE;
        }
        let mut own: Vec<&str> = detector_lists.get("out_of").into_iter().flatten().map(String::as_str).collect();
        own.sort_unstable();
        let out_of = OUT_OF.into_iter().chain(own).map(|words| words.chars().collect()).collect();
        WordKinds { kinds, polite, out_of }
    }

    /// The kinds of a word in lower case, as its lists have it.
    pub fn find(&self, word: &str) -> u32 {
        self.kinds.get(word).copied().unwrap_or(0)
    }

    /// The kinds of a word on a page, by its lists and its characters; "c'était" is two function words.
    pub fn classify(&self, word: &str) -> u32 {
        let mut kinds = self.find(word);
        if word.chars().next().is_some_and(chars::is_alpha) {
            kinds |= ALPHABETIC;
        }
        if word.contains('\'') {
            kinds |= APOSTROPHE;
            if word.split('\'').all(|part| self.find(part) & FUNCTION != 0) {
                kinds |= FUNCTION;
            }
        }
        kinds
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn build() -> WordKinds {
        let set = |words: &[&str]| words.iter().map(ToString::to_string).collect::<Words>();
        let lists = [("stop".to_string(), set(&["c", "the"]))].into_iter().collect();
        let detector_lists =
            [("function", set(&["était"])), ("polite", set(&["Sie"])), ("out_of", set(&["von", "auf"]))];
        WordKinds::new(&lists, &detector_lists.into_iter().map(|(name, words)| (name.to_string(), words)).collect())
    }

    #[test]
    fn a_word_joined_of_function_words_is_one() {
        let kinds = build();
        assert_eq!(kinds.classify("c'était"), FUNCTION | ALPHABETIC | APOSTROPHE);
        assert_eq!(kinds.classify("c'eau"), ALPHABETIC | APOSTROPHE);
        assert_eq!(kinds.classify("the"), STOP | FUNCTION | ALPHABETIC);
        assert_eq!(kinds.classify("5.44%"), 0);
    }

    #[test]
    fn a_polite_word_is_found_in_lower_case_and_known_with_its_capital() {
        let kinds = build();
        assert_eq!(kinds.find("sie"), POLITE);
        assert!(kinds.polite.contains("Sie") && !kinds.polite.contains("sie"));
    }

    #[test]
    fn the_words_of_a_rating_are_sorted_after_the_common_ones() {
        let words: Vec<String> = build().out_of.iter().map(|word| word.iter().collect()).collect();
        assert_eq!(words, ["/", "out of", "sur", "auf", "von"]);
    }
}
