//! The title's RAKE concepts, and how many of them the page takes up.

use crate::hash::HashMap;

use crate::chars;
use crate::document::Document;

const LONGEST_PHRASE: usize = 3;
const TOP: usize = 5;

fn lowered_title(doc: &Document) -> Vec<char> {
    doc.title.as_deref().unwrap_or("").chars().map(chars::lower).collect()
}

fn is_ascii_word(c: char) -> bool {
    c.is_ascii_alphanumeric() || c == '_'
}

/// Runs of small letters between boundaries of ASCII words, and every other visible character by itself as None.
fn pieces(title: &[char]) -> Vec<Option<String>> {
    let mut found = Vec::new();
    let mut at = 0;
    while at < title.len() {
        let c = title[at];
        if !c.is_ascii_lowercase() {
            if !matches!(c, ' ' | '\t' | '\n' | '\r' | '\x0b' | '\x0c') {
                found.push(None);
            }
            at += 1;
            continue;
        }
        let first = at;
        while at < title.len() && title[at].is_ascii_lowercase() {
            at += 1;
        }
        let starts = first == 0 || !is_ascii_word(title[first - 1]);
        if starts && title.get(at).is_none_or(|c| !is_ascii_word(*c)) {
            found.push(Some(title[first..at].iter().collect()));
        }
    }
    found
}

/// At most five key phrases of the title; none without a title.
pub fn concepts<'d>(doc: &'d Document) -> &'d [Vec<String>] {
    doc.computed.concepts.get_or_init(|| {
        let mut runs: Vec<Vec<String>> = vec![Vec::new()];
        for piece in pieces(&lowered_title(doc)) {
            match piece.filter(|word| !doc.language.stop.contains(word)) {
                Some(word) => runs.last_mut().into_iter().for_each(|run| run.push(word.clone())),
                None if runs.last().is_some_and(|run| !run.is_empty()) => runs.push(Vec::new()),
                None => {}
            }
        }
        extract_phrases(runs)
    })
}

/// The best distinct phrases among runs of content words, by degree over frequency; the first position wins a tie.
fn extract_phrases(runs: Vec<Vec<String>>) -> Vec<Vec<String>> {
    let candidates: Vec<Vec<String>> =
        runs.into_iter().filter(|run| (1..=LONGEST_PHRASE).contains(&run.len())).collect();
    let mut words: HashMap<&str, (i128, i128)> = HashMap::default(); // degree and frequency
    for phrase in &candidates {
        for word in phrase {
            let (degree, frequency) = words.entry(word).or_default();
            *degree += phrase.len() as i128;
            *frequency += 1;
        }
    }
    // Exact fractions: in floats, phrases that tie would be ordered by rounding noise.
    let score = |phrase: &[String]| {
        phrase.iter().fold((0i128, 1i128), |(numerator, denominator), word| {
            let (degree, frequency) = words.get(word.as_str()).copied().unwrap_or((0, 1));
            reduce(numerator * frequency + degree * denominator, denominator * frequency)
        })
    };
    let mut seen = crate::hash::HashSet::default();
    let mut scored: Vec<((i128, i128), &Vec<String>)> =
        candidates.iter().filter(|phrase| seen.insert(*phrase)).map(|phrase| (score(phrase), phrase)).collect();
    scored.sort_by(|(a, _), (b, _)| (b.0 * a.1).cmp(&(a.0 * b.1)));
    scored.into_iter().take(TOP).map(|(_, phrase)| phrase.clone()).collect()
}

fn reduce(numerator: i128, denominator: i128) -> (i128, i128) {
    let (mut a, mut b) = (numerator, denominator);
    while b != 0 {
        (a, b) = (b, a % b);
    }
    if a > 1 {
        (numerator / a, denominator / a)
    } else {
        (numerator, denominator)
    }
}

/// The share of the title's concepts all of whose words occur in the page; the title must have some.
pub fn coverage(doc: &Document) -> f64 {
    let types = doc.tokens().types as u32;
    let vocabulary = doc.vocabulary.borrow();
    let occurs = |word: &String| vocabulary.find(word).is_some_and(|id| id < types);
    let concepts = concepts(doc);
    concepts.iter().filter(|concept| concept.iter().all(occurs)).count() as f64 / concepts.len() as f64
}

/// The filtered tokens of the title.
pub fn tokens(doc: &Document) -> Vec<String> {
    let kept = |word: &String| word.len() >= 3 && !doc.language.stop.contains(word);
    pieces(&lowered_title(doc)).into_iter().flatten().filter(kept).collect()
}
