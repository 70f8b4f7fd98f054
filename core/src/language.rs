//! What a page is read with: an edition, its languages, and their words and patterns, as the Python package describes them.

use crate::hash::{HashMap, HashSet};
use serde::Deserialize;

use crate::detectors::word_kinds::WordKinds;
use crate::pattern_reader::Reader;
use crate::patterns::{Matcher, Pattern};
use crate::words::WordSet;

/// An edition as Python describes it.
#[derive(Deserialize)]
pub struct EditionSpec {
    pub name: String,
    pub languages: Vec<String>,
    pub careful: bool,        // sentences
    pub unicode_tokens: bool, // else ASCII
    pub repaired: bool,       // accents composed, lines of texts without blank lines as paragraphs
    pub evidence_in_prose: bool,
    pub prose_caps: bool,
    pub other_sites: bool,
    pub one_sided: bool,
    pub markers: Vec<(String, Vec<String>)>, // words by language code, in the order of Python's table
}

#[derive(Deserialize)]
pub struct LanguageSpec {
    pub code: String,
    pub families: Vec<FamilySpec>,
    pub lists: HashMap<String, Vec<String>>,
    pub detector_lists: HashMap<String, Vec<String>>,
    pub months: HashMap<String, u32>,
    pub reads_with: Vec<String>,
    pub day_first: bool,
    pub capitalises_nouns: bool,
}

#[derive(Deserialize)]
pub struct FamilySpec {
    pub name: String,
    pub patterns: Vec<PatternSpec>,
    #[serde(default)]
    pub unless: String,
    #[serde(default)]
    pub needs: String,
    #[serde(default)]
    pub within: usize,
    #[serde(default)]
    pub longest: bool,
}

#[derive(Deserialize)]
pub struct PatternSpec {
    pub id: String,
    pub regex: String,
    #[serde(default)]
    pub first_word_not: Vec<String>,
    #[serde(default)]
    pub words_not: Vec<String>,
    #[serde(default)]
    pub family: String, // of the evidence, where it is not the family's name
    #[serde(default)]
    pub confidence: f64,
    #[serde(default)]
    pub whole: bool,
    #[serde(default)]
    pub strip: bool,
    #[serde(default)]
    pub min_words: usize,
    #[serde(default)]
    pub formal: bool,
    #[serde(default)]
    pub check: bool,
}

pub type Words = HashSet<String>;

/// What is known of one pattern besides its regex.
pub struct PatternData {
    pub id: String,
    pub family: String,
    pub first_word_not: Words,
    pub words_not: Words,
    pub confidence: f64,
    pub whole: bool,
    pub strip: bool,
    pub min_words: usize,
    pub formal: bool,
    pub check: bool, // a capital alone shows no name
}

pub struct Family {
    pub name: String,
    pub patterns: Vec<PatternData>,
    pub first: usize, // the number of its first pattern in the matcher
    pub unless: Option<usize>,
    pub needs: Option<usize>,
    pub within: usize,
    pub longest: bool,
    pub is_evidence: bool, // counts in running text alone, where the edition says so
}

/// The number of each family that the formulas name; None where the edition has none of that name.
#[derive(Default)]
pub struct FamilyNumbers {
    pub quotable: Vec<usize>, // quotable, or quotation, definition and enumeration, as far as present
    pub statistic: Option<usize>,
    pub citation: Option<usize>,
    pub entity: Option<usize>,
    pub factual_claim: Option<usize>,
    pub register: Option<usize>,
    pub transition: Option<usize>,
    pub opener: Option<usize>,
    pub subject: Option<usize>,
    pub freshness_date: Option<usize>,
    pub freshness_update: Option<usize>,
    pub freshness_temporal: Option<usize>,
    pub trust: Option<usize>,
}

const QUOTABLE: [&str; 4] = ["quotable", "quotation", "definition", "enumeration"];
const EVIDENCE: [&str; 6] = ["quotation", "definition", "enumeration", "statistic", "citation", "entity"];
pub const IN_OPENINGS: [&str; 2] = ["opener", "subject"]; // searched in the openings of paragraphs only

pub struct Language {
    pub code: String,
    pub families: Vec<Family>,
    pub numbers: FamilyNumbers,
    pub matcher: Matcher,
    pub lists: HashMap<String, Words>,
    pub detector_lists: HashMap<String, Words>,
    pub word_kinds: WordKinds,
    pub stop: WordSet,
    pub affixes: Affixes,
    pub stock_phrases: Vec<String>,
    pub ordinals: Vec<String>,
    pub label_ends: Vec<String>,
    pub months: HashMap<String, u32>,
    pub reads_with: Vec<String>,
    pub day_first: bool,
    pub capitalises_nouns: bool,
}

impl Language {
    pub fn build(spec: LanguageSpec) -> Result<Language, String> {
        let names: Vec<String> = spec.families.iter().map(|f| f.name.clone()).collect();
        let number = |name: &str| names.iter().position(|n| n == name);
        let patterns = read_patterns(&spec.families)?;
        let mut skipped = Vec::with_capacity(patterns.len());
        let mut families = Vec::new();
        for family in spec.families {
            let first = skipped.len();
            skipped.resize(first + family.patterns.len(), IN_OPENINGS.contains(&family.name.as_str()));
            families.push(Family {
                patterns: family.patterns.into_iter().map(|p| PatternData::build(p, &family.name)).collect(),
                first,
                unless: number(&family.unless),
                needs: number(&family.needs),
                within: family.within,
                longest: family.longest,
                is_evidence: EVIDENCE.contains(&family.name.as_str()),
                name: family.name,
            });
        }
        let sorted = |name: &str| {
            let mut words = spec.lists.get(name).cloned().unwrap_or_default();
            words.sort();
            words
        };
        let [stop, suffixes, prefixes, stock_phrases, ordinals, label_ends] =
            ["stop", "affixes_suffix", "affixes_prefix", "stock_phrases", "ordinals", "label_ends"].map(sorted);
        let (lists, detector_lists) = (to_sets(spec.lists), to_sets(spec.detector_lists));
        let stop: WordSet = stop.into_iter().collect();
        let word_kinds = WordKinds::new(&lists, &detector_lists);
        let numbers = FamilyNumbers {
            quotable: QUOTABLE.iter().filter_map(|name| number(name)).collect(),
            statistic: number("statistic"),
            citation: number("citation"),
            entity: number("entity"),
            factual_claim: number("factual_claim"),
            register: number("register"),
            transition: number("transition"),
            opener: number("opener"),
            subject: number("subject"),
            freshness_date: number("freshness_date"),
            freshness_update: number("freshness_update"),
            freshness_temporal: number("freshness_temporal"),
            trust: number("trust"),
        };
        Ok(Language {
            code: spec.code,
            numbers,
            matcher: Matcher::new(patterns, &skipped),
            stop,
            affixes: Affixes::new(suffixes, prefixes),
            stock_phrases,
            ordinals,
            label_ends,
            families,
            word_kinds,
            lists,
            detector_lists,
            months: spec.months,
            reads_with: spec.reads_with,
            day_first: spec.day_first,
            capitalises_nouns: spec.capitalises_nouns,
        })
    }
}

fn read_patterns(families: &[FamilySpec]) -> Result<Vec<Pattern>, String> {
    let mut reader = Reader::default();
    let mut patterns = Vec::new();
    for family in families {
        for pattern in &family.patterns {
            let read = Pattern::read(&mut reader, &pattern.regex);
            patterns.push(read.map_err(|error| format!("{}: {}: {error}", family.name, pattern.id))?);
        }
    }
    Ok(patterns)
}

impl PatternData {
    fn build(spec: PatternSpec, family: &str) -> PatternData {
        PatternData {
            id: spec.id,
            family: if spec.family.is_empty() { family.to_string() } else { spec.family },
            first_word_not: spec.first_word_not.into_iter().collect(),
            words_not: spec.words_not.into_iter().collect(),
            confidence: spec.confidence,
            whole: spec.whole,
            strip: spec.strip,
            min_words: spec.min_words,
            formal: spec.formal,
            check: spec.check,
        }
    }
}

fn to_sets(lists: HashMap<String, Vec<String>>) -> HashMap<String, Words> {
    lists.into_iter().map(|(name, words)| (name, words.into_iter().collect())).collect()
}

/// Endings and beginnings of technical words, by their last and first byte.
pub struct Affixes {
    suffixes: HashMap<u8, Vec<String>>,
    prefixes: HashMap<u8, Vec<String>>,
}

impl Affixes {
    fn new(suffixes: Vec<String>, prefixes: Vec<String>) -> Affixes {
        let group = |words: Vec<String>, edge: fn(&[u8]) -> Option<&u8>| {
            let mut groups: HashMap<u8, Vec<String>> = HashMap::default();
            for word in words {
                if let Some(byte) = edge(word.as_bytes()).copied() {
                    groups.entry(byte).or_default().push(word);
                }
            }
            groups
        };
        Affixes { suffixes: group(suffixes, <[u8]>::last), prefixes: group(prefixes, <[u8]>::first) }
    }

    /// Whether a word has one of them.
    pub fn are_in(&self, word: &str) -> bool {
        let (Some(first), Some(last)) = (word.as_bytes().first(), word.as_bytes().last()) else { return false };
        let ends =
            || self.suffixes.get(last).is_some_and(|all| all.iter().any(|suffix| word.ends_with(suffix.as_str())));
        ends() || self.prefixes.get(first).is_some_and(|all| all.iter().any(|prefix| word.starts_with(prefix.as_str())))
    }
}
