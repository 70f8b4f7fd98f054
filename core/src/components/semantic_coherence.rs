//! semantic_coherence: how sentences follow from each other, and how the page takes up its title.

use crate::hash::HashMap;

use super::information_density::sentence_variation;
use super::{tfidf, title, Counts, Found, Parts};
use crate::arithmetic::{clamp, fsum, larger, mean, smaller};
use crate::document::Document;

const NEUTRAL: f64 = 50.0; // T and K of a page without a title
const TOP_VOCABULARY: usize = 50;
const LONG_PAGE: f64 = 400.0; // words from which the length bonuses grow, over the next 1,600
const SMOOTHING: f64 = 1e-10;
const PARAGRAPH_TERM: f64 = 0.4;
const PARAGRAPH_TERM_SHORT: f64 = 0.7;
const SHORT: usize = 3; // sentences

struct Flow {
    o: f64,
    t: f64,
    e: f64,
    p: f64,
    v: f64,
    unlinked: Vec<usize>, // sentences
}

pub fn count(doc: &Document) -> Counts {
    let flow = measure_flow(doc);
    let words = doc.n_words();
    let title = title_parts(doc);
    let keywords = keyword_parts(doc);
    let t = title_score(title, words);
    let k = keyword_score(keywords, words);
    let f = 100.0 * (0.25 * flow.o + 0.20 * flow.t + 0.15 * flow.e + 0.20 * flow.p + 0.20 * flow.v);
    let mut parts: Parts = vec![
        ("T", t.into()),
        ("K", k.into()),
        ("F_flow", f.into()),
        ("W", words.into()),
        ("d", title.map(|(d, _)| d).into()),
        ("V_c", title.map_or(super::Part::Undefined, |(_, v)| v.into())),
    ];
    for (at, name) in ["cosine", "coverage", "density", "first"].into_iter().enumerate() {
        parts.push((name, keywords.map(|terms| terms[at]).into()));
    }
    parts.extend(
        [("o", flow.o), ("t", flow.t), ("e", flow.e), ("p", flow.p), ("v", flow.v)].map(|(n, x)| (n, x.into())),
    );
    let mut found: Vec<Found> = doc.find(doc.language.numbers.transition).iter().map(|m| Found::Match(*m)).collect();
    let show =
        |at: usize| Found::Text { pattern: "unlinked-sentence".into(), span: doc.segments()[doc.sentences()[at]] };
    found.extend(flow.unlinked.into_iter().map(show));
    let degenerate = (words < 10).then_some("fewer than 10 words");
    let value = if degenerate.is_some() { 15.0 } else { clamp((t + 4.0 * k + 12.0 * f) / 17.0, 0.0, 100.0) };
    Counts { parts, found, value, degenerate }
}

fn length_bonus(words: usize, limit: f64) -> f64 {
    clamp(limit * (words as f64 - LONG_PAGE) / 1600.0, 0.0, limit)
}

/// d and V_c of the title and the page over the 50 most frequent tokens of both.
fn title_parts(doc: &Document) -> Option<(f64, usize)> {
    let tokens = title::tokens(doc);
    if tokens.is_empty() {
        return None;
    }
    let mut title: HashMap<&str, usize> = HashMap::default();
    for token in &tokens {
        *title.entry(token).or_default() += 1;
    }
    let vocabulary = doc.vocabulary.borrow();
    let mut rows: Vec<(&str, usize, usize)> = Vec::with_capacity(doc.kept_counts().len() + title.len()); // word, title, page
    for (id, n) in doc.kept_counts() {
        let word = vocabulary.word(*id);
        rows.push((word, title.remove(word).unwrap_or(0), *n));
    }
    rows.extend(title.into_iter().map(|(word, n)| (word, n, 0)));
    let distinct = rows.len();
    let order =
        |a: &(&str, usize, usize), b: &(&str, usize, usize)| (b.1 + b.2).cmp(&(a.1 + a.2)).then_with(|| a.0.cmp(b.0));
    if rows.len() > TOP_VOCABULARY {
        rows.select_nth_unstable_by(TOP_VOCABULARY, order);
        rows.truncate(TOP_VOCABULARY);
    }
    rows.sort_unstable_by(order);
    let p: Vec<f64> = rows.iter().map(|row| row.1 as f64 + SMOOTHING).collect();
    let q: Vec<f64> = rows.iter().map(|row| row.2 as f64 + SMOOTHING).collect();
    Some((jensen_shannon(&p, &q), distinct))
}

/// The Jensen-Shannon distance, base 2, of two unnormalised distributions.
fn jensen_shannon(p: &[f64], q: &[f64]) -> f64 {
    let (p_total, q_total) = (fsum(p.iter().copied()), fsum(q.iter().copied()));
    let mut divergence = 0.0;
    for (p, q) in p.iter().zip(q) {
        let (a, b) = (p / p_total, q / q_total);
        let middle = (a + b) / 2.0;
        if a > 0.0 {
            divergence += 0.5 * a * (a / middle).log2();
        }
        if b > 0.0 {
            divergence += 0.5 * b * (b / middle).log2();
        }
    }
    larger(0.0, divergence).sqrt()
}

fn title_score(parts: Option<(f64, usize)>, words: usize) -> f64 {
    let Some((d, vocabulary)) = parts else { return NEUTRAL };
    let vocabulary_bonus = smaller(2.0, 0.5 * (vocabulary.max(1) as f64).log10());
    let t0 = clamp(10.0 * smaller(10.0, (1.0 - d) * 10.0 + vocabulary_bonus), 0.0, 100.0);
    clamp(t0 + length_bonus(words, 35.0), 0.0, 100.0)
}

/// Cosine, coverage, density and first place of the title's concepts; None when there are none.
fn keyword_parts(doc: &Document) -> Option<[f64; 4]> {
    let concepts = title::concepts(doc);
    let tokens = doc.tokens();
    if concepts.is_empty() || tokens.all.is_empty() {
        return None;
    }
    let mut is_concept = vec![false; tokens.types];
    {
        let vocabulary = doc.vocabulary.borrow();
        for id in concepts.iter().flatten().filter_map(|word| vocabulary.find(word)) {
            if let Some(mark) = is_concept.get_mut(id as usize) {
                *mark = true;
            }
        }
    }
    let mut places = tokens.all.iter().enumerate().filter(|(_, t)| is_concept[t.id as usize]).map(|(at, _)| at);
    let n = tokens.all.len() as f64;
    let first = places.next();
    let number = first.map_or(0, |_| 1 + places.count());
    let first = first.map_or(1.0, |at| at as f64 / n);
    Some([concept_cosine(doc, concepts), title::coverage(doc), number as f64 / n, first])
}

/// The cosine of the title's concepts and the page, over words and pairs of neighbours.
fn concept_cosine(doc: &Document, concepts: &[Vec<String>]) -> f64 {
    let tokens = doc.tokens();
    let vocabulary = doc.vocabulary.borrow();
    let kept: Vec<u32> = tokens.all.iter().map(|t| t.id).filter(|id| vocabulary.kept[*id as usize]).collect();
    let mut page: HashMap<u64, usize> = HashMap::default();
    for id in &kept {
        *page.entry(u64::from(*id) << 32 | u64::from(u32::MAX)).or_default() += 1;
    }
    for pair in kept.windows(2) {
        *page.entry(u64::from(pair[0]) << 32 | u64::from(pair[1])).or_default() += 1;
    }
    let mut title: HashMap<String, usize> = HashMap::default();
    for concept in concepts {
        for term in concept.iter().cloned().chain(concept.windows(2).map(|pair| pair.join(" "))) {
            *title.entry(term).or_default() += 1;
        }
    }
    // The key of a title's term among the page's, if the page has it.
    let key = |term: &str| {
        let (first, second) = term.split_once(' ').map_or((term, None), |(a, b)| (a, Some(b)));
        let number = |word: &str| vocabulary.find(word).filter(|id| (*id as usize) < tokens.types);
        let second = second.map_or(Some(u32::MAX), number)?;
        Some(u64::from(number(first)?) << 32 | u64::from(second)).filter(|key| page.contains_key(key))
    };
    let (alone, common) = (tfidf::idf(2, 1), tfidf::idf(2, 2));
    let keys: Vec<(Option<u64>, usize)> = title.iter().map(|(term, n)| (key(term), *n)).collect();
    let shared: crate::hash::HashSet<u64> = keys.iter().filter_map(|(key, _)| *key).collect();
    let weigh = |key: u64, n: usize| n as f64 * if shared.contains(&key) { common } else { alone };
    let page_length = fsum(page.iter().map(|(key, n)| weigh(*key, *n)).map(|w| w * w)).sqrt();
    let title_weight = |(key, n): &(Option<u64>, usize)| *n as f64 * if key.is_some() { common } else { alone };
    let title_length = fsum(keys.iter().map(title_weight).map(|w| w * w)).sqrt();
    let scale = |weight: f64, length: f64| if length > 0.0 { weight / length } else { weight };
    let products = keys.iter().filter_map(|entry| {
        let key = entry.0?;
        Some(scale(title_weight(entry), title_length) * scale(weigh(key, page[&key]), page_length))
    });
    smaller(1.0, fsum(products))
}

fn keyword_score(parts: Option<[f64; 4]>, words: usize) -> f64 {
    let Some([cosine, coverage, density, first]) = parts else { return NEUTRAL };
    let density = larger(0.0, 1.0 - (density - 0.03).abs() / 0.03);
    let score = 100.0 * (0.35 * cosine + 0.30 * coverage + 0.20 * density + 0.15 * (1.0 - first));
    smaller(100.0, score + length_bonus(words, 10.0))
}

/// The five terms of the flow, and the sentences that share no token with the three before them.
fn measure_flow(doc: &Document) -> Flow {
    let sets = doc.sentence_tokens();
    let n = sets.len();
    let mut unlinked = Vec::new();
    let mut overlaps = Vec::with_capacity(n);
    for i in 1..n {
        let common = count_common(&sets[i - 1], &sets[i]);
        let shorter = sets[i - 1].len().min(sets[i].len());
        overlaps.push(if shorter > 0 { common as f64 / shorter as f64 } else { 0.0 });
        if common == 0 && !(i.saturating_sub(3)..i - 1).any(|j| count_common(&sets[i], &sets[j]) > 0) {
            unlinked.push(i);
        }
    }
    let transitions = doc.find(doc.language.numbers.transition).len();
    let density = if n > 0 { transitions as f64 / n as f64 } else { 0.0 };
    let linked = n.saturating_sub(1) - unlinked.len();
    Flow {
        o: mean(&overlaps),
        t: 1.0 / (1.0 + (density - 0.3).abs() / 0.3),
        e: if n > 1 { linked as f64 / (n - 1) as f64 } else { 0.0 },
        p: if n <= SHORT { PARAGRAPH_TERM_SHORT } else { PARAGRAPH_TERM },
        v: smaller(1.0, sentence_variation(doc) / 0.5),
        unlinked,
    }
}

/// The number of elements that two sorted lists share.
fn count_common(a: &[u32], b: &[u32]) -> usize {
    let (mut i, mut j, mut common) = (0, 0, 0);
    while i < a.len() && j < b.len() {
        match a[i].cmp(&b[j]) {
            std::cmp::Ordering::Less => i += 1,
            std::cmp::Ordering::Greater => j += 1,
            std::cmp::Ordering::Equal => {
                common += 1;
                i += 1;
                j += 1;
            }
        }
    }
    common
}
