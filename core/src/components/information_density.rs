//! information_density: how rich the vocabulary is.

use super::{title, Counts, Part, Parts};
use crate::arithmetic::{clamp, clamp01, larger, pow, smaller, variation};
use crate::document::Document;
use crate::frequencies::Frequencies;

const LONG_WORD: u32 = 8; // letters
const NEUTRAL: f64 = 50.0; // S_sem of a page whose title has no concept
const THRESHOLD: f64 = 0.72; // of MTLD

pub fn count(doc: &Document, frequencies: &Frequencies) -> Counts {
    let shannon = *doc.computed.shannon.get_or_init(|| 0.0);
    let lexical = lexical_parts(doc);
    let semantic = semantic_parts(doc, frequencies);
    let [mtld, herdan, maas, sentences, register] = lexical;
    let lexical_score =
        100.0 * (0.35 * smaller(1.0, mtld / 120.0) + 0.20 * herdan + 0.15 * maas + 0.15 * sentences + 0.15 * register);
    let semantic_score = semantic.map_or(NEUTRAL, semantic_score);
    let mut parts: Parts = vec![
        ("f_shannon", shannon.into()),
        ("S_lex", lexical_score.into()),
        ("S_sem", semantic_score.into()),
        ("MTLD", mtld.into()),
        ("C_Herdan", herdan.into()),
        ("M_Maas", maas.into()),
        ("v_sent", sentences.into()),
        ("r_reg", register.into()),
    ];
    for (at, name) in ["rarity", "syllables", "long", "concepts", "affix"].into_iter().enumerate() {
        parts.push((name, semantic.map_or(Part::Undefined, |terms| terms[at].into())));
    }
    let degenerate = (doc.n_words() < 10).then_some("fewer than 10 words");
    let value = clamp(0.70 * shannon + 0.20 * lexical_score + 0.10 * semantic_score, 0.0, 100.0);
    Counts { parts, found: Vec::new(), value: if degenerate.is_some() { 6.0 } else { value }, degenerate }
}

/// The variation of the sentences' lengths.
pub fn sentence_variation(doc: &Document) -> f64 {
    *doc.computed.variation.get_or_init(|| variation(doc.sentence_words()))
}

/// MTLD, Herdan's C, Maas' M, the variation of sentence lengths and the evenness of register.
fn lexical_parts(doc: &Document) -> [f64; 5] {
    let tokens = doc.tokens();
    let (n, v) = (tokens.all.len(), tokens.types);
    let log_n = if n > 1 { (n as f64).ln() } else { 0.0 };
    let (mut herdan, mut maas) = (0.0, 0.0);
    if log_n != 0.0 {
        let log_v = (v as f64).ln();
        herdan = log_v / log_n;
        maas = larger(0.0, 1.0 - smaller(1.0, 5.0 * (log_n - log_v) / pow(log_n, 2.0)));
    }
    let register = doc.find(doc.language.numbers.register);
    let formal = register.iter().filter(|m| doc.pattern(m).formal).count() as f64;
    let informal = register.len() as f64 - formal;
    let evenness = if register.is_empty() { 0.0 } else { (formal - informal).abs() / register.len() as f64 };
    let ids: Vec<u32> = tokens.all.iter().map(|token| token.id).collect();
    [mtld(&ids, v), herdan, maas, clamp01(1.0 - (sentence_variation(doc) - 0.5).abs() / 0.5), evenness]
}

/// The factors of one pass: one whenever the type-token ratio falls to the threshold, the rest in part.
fn factors(tokens: impl Iterator<Item = u32>, types: usize) -> f64 {
    let mut factors = 0.0;
    let mut seen = vec![0u32; types]; // the run in which each type was seen last
    let (mut run, mut different, mut length) = (1, 0usize, 0usize);
    for token in tokens {
        length += 1;
        if seen[token as usize] != run {
            seen[token as usize] = run;
            different += 1;
        }
        if different as f64 / length as f64 <= THRESHOLD {
            factors += 1.0;
            run += 1;
            different = 0;
            length = 0;
        }
    }
    if length > 0 {
        factors += (1.0 - different as f64 / length as f64) / (1.0 - THRESHOLD);
    }
    factors
}

/// MTLD in both directions; a text that repeats no token gives its own length.
fn mtld(ids: &[u32], types: usize) -> f64 {
    if ids.is_empty() {
        return 0.0;
    }
    let n = ids.len() as f64;
    let length = |factors: f64| if factors > 0.0 { n / factors } else { n };
    let mut total = 0.0;
    total += length(factors(ids.iter().copied(), types));
    total += length(factors(ids.iter().rev().copied(), types));
    total / 2.0
}

/// Rarity, syllables, long words, concepts and affixes over the filtered tokens; None without a concept.
fn semantic_parts(doc: &Document, frequencies: &Frequencies) -> Option<[f64; 5]> {
    let counts = doc.kept_counts();
    let total = doc.n_kept();
    if title::concepts(doc).is_empty() || total == 0 {
        return None;
    }
    let vocabulary = doc.vocabulary.borrow();
    let (mut rare, mut syllable_count) = (0.0, 0.0);
    let (mut long, mut technical) = (0, 0);
    for (id, count) in counts {
        let word = vocabulary.word(*id);
        let length = vocabulary.lengths[*id as usize];
        rare += *count as f64 * frequencies.rarity(word);
        syllable_count += (count * syllables(word)) as f64;
        long += if length >= LONG_WORD { *count } else { 0 };
        technical += if length > 5 && doc.language.affixes.are_in(word) { *count } else { 0 };
    }
    drop(vocabulary);
    let total = total as f64;
    Some([rare / total, syllable_count / total, long as f64 / total, title::coverage(doc), technical as f64 / total])
}

fn semantic_score([rarity, syllables, long, concepts, affix]: [f64; 5]) -> f64 {
    100.0
        * (0.30 * smaller(1.0, rarity / 0.5)
            + 0.20 * clamp01((syllables - 1.0) / 2.0)
            + 0.20 * smaller(1.0, long / 0.4)
            + 0.20 * concepts
            + 0.10 * smaller(1.0, affix / 0.10))
}

/// Vowel groups, less a silent final e (not after l: `table` has two); at least 1.
fn syllables(word: &str) -> usize {
    let mut groups = 0;
    let mut inside = false;
    for byte in word.bytes() {
        let is_vowel = matches!(byte, b'a' | b'e' | b'i' | b'o' | b'u' | b'y');
        groups += usize::from(is_vowel && !inside);
        inside = is_vowel;
    }
    let silent = word.ends_with('e') && !["le", "ee", "ie", "oe", "ye", "ue"].iter().any(|end| word.ends_with(end));
    if groups > 1 && silent {
        groups -= 1;
    }
    groups.max(1)
}
