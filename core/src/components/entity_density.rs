//! entity_density: how many distinct names, dates, amounts and linked sites the page has per 100 words.

use super::{links, select_distinct, select_longest, Counts, Found};
use crate::arithmetic::smaller;
use crate::buffer::words;
use crate::chars;
use crate::document::{Document, Match};
use crate::words::WordSet;

const BEFORE_START: &str = ".!?:;…•|–—-\n"; // what a sentence, a cell or an item ends with, or is marked by
const OPENING: &str = " \"'“‘«„(*_";
const AROUND: usize = 24; // characters before and behind a name that are looked at
const SHOUTED: usize = 4; // letters: a longer word in capitals is no acronym, but a word that is shouted

pub fn count(doc: &Document) -> Counts {
    let entities = select_distinct(doc, select_longest(&find_names(doc)));
    let linked = links::first_per_site(links::find_external(doc, &entities)); // ten links to a site name one thing
    let claims = select_longest(doc.find(doc.language.numbers.factual_claim)).len();
    let (e, w) = (entities.len() + linked.len(), doc.evidence_words());
    let degenerate = (w < 50).then_some("fewer than 50 words");
    let value = if degenerate.is_some() { 0.0 } else { value(e, w, claims) };
    let mut found: Vec<Found> = entities.into_iter().map(Found::Match).collect();
    found.extend(links::locate(linked, "linked-site", "entity"));
    Counts { parts: vec![("E", e.into()), ("W", w.into()), ("F", claims.into())], found, value, degenerate }
}

fn value(entities: usize, words: usize, claims: usize) -> f64 {
    let bonus = if words >= 800 && entities >= 20 { smaller(15.0, 1.5 * (entities as f64 - 20.0)) } else { 0.0 };
    let density = (100 * entities) as f64 / words as f64;
    smaller(100.0, density_points(density) + smaller(15.0, 2.0 * claims as f64) + bonus)
}

fn density_points(e: f64) -> f64 {
    if e >= 3.5 {
        100.0
    } else if e >= 2.0 {
        65.0 + 23.3 * (e - 2.0)
    } else if e >= 1.0 {
        35.0 + 30.0 * (e - 1.0)
    } else {
        35.0 * e
    }
}

/// The matches of the family, without those that are capitalised for another reason than being a name.
fn find_names(doc: &Document) -> Vec<Match> {
    let stripped = doc.find(doc.language.numbers.entity).iter().filter_map(|m| strip_stop_words(doc, m));
    stripped.filter_map(|m| if doc.pattern(&m).check { check_name(doc, &m) } else { Some(m) }).collect()
}

/// Cut ordinary words off a name that begins a sentence; None when nothing shows that the rest is a name.
fn check_name(doc: &Document, m: &Match) -> Option<Match> {
    let text = doc.chars();
    let mut words: Vec<(usize, usize)> = Vec::new();
    let mut start = m.start;
    for at in m.start..=m.end {
        if at == m.end || text[at] == ' ' {
            words.push((start, at));
            start = at + 1;
        }
    }
    let first = words.iter().position(|word| !is_ordinary(doc, *word))?;
    if is_shouted(doc, m, &words) {
        return None;
    }
    if first == 0 || !begins_sentence(doc, m) {
        return Some(*m);
    }
    Some(Match { start: words[first].0, ..*m })
}

/// Whether a word is common, is in small letters elsewhere on the page, or has no capital itself.
fn is_ordinary(doc: &Document, (start, end): (usize, usize)) -> bool {
    let small = doc.lowered.slice(start, end);
    small == doc.text.slice(start, end)
        || doc.language.stop.contains(small)
        || doc.language.lists.get("common").is_some_and(|common| common.contains(small))
        || doc.computed.small_words.get_or_init(|| find_small_words(doc)).contains(small)
}

/// The words that the page writes in small letters.
fn find_small_words(doc: &Document) -> WordSet {
    let text = doc.chars();
    find_words(text, 0, text.len())
        .filter(|&(start, end)| chars::is_lower(text[start]) && text[start..end] == doc.lowered.chars[start..end])
        .map(|(start, end)| doc.lowered.slice(start, end).to_string())
        .collect()
}

/// The runs of letters in a span.
fn find_words(text: &[char], start: usize, end: usize) -> impl Iterator<Item = (usize, usize)> + '_ {
    let mut at = start;
    std::iter::from_fn(move || {
        while at < end && !chars::is_letter(text[at]) {
            at += 1;
        }
        let first = at;
        while at < end && chars::is_letter(text[at]) {
            at += 1;
        }
        (first < at).then_some((first, at))
    })
}

fn begins_sentence(doc: &Document, m: &Match) -> bool {
    let before = &doc.chars()[m.start.saturating_sub(AROUND)..m.start];
    before.iter().rev().find(|c| !OPENING.contains(**c)).is_none_or(|c| BEFORE_START.contains(*c))
}

/// Whether words in capitals, other than an acronym among words that are not, are all there is.
fn is_shouted(doc: &Document, m: &Match, words: &[(usize, usize)]) -> bool {
    let text = doc.chars();
    if !words.iter().all(|&(start, end)| is_capitals(&text[start..end])) {
        return false;
    }
    let before = find_words(text, m.start.saturating_sub(AROUND), m.start).last();
    let after = find_words(text, m.end, (m.end + AROUND).min(text.len())).next();
    let around: Vec<&[char]> = before.into_iter().chain(after).map(|(start, end)| &text[start..end]).collect();
    around.iter().any(|word| word.len() >= SHOUTED && is_capitals(word))
        || (words.len() > 1 && around.iter().all(|word| chars::is_upper(word[0])))
}

/// Whether a word has a capital and no small letter.
fn is_capitals(word: &[char]) -> bool {
    word.iter().any(|c| chars::is_upper(*c))
        && !word.iter().any(|c| chars::is_lower(*c) || (!chars::is_upper(*c) && chars::is_title(*c)))
}

/// Cut stop words off both ends of a name; None when too few words are left.
fn strip_stop_words(doc: &Document, m: &Match) -> Option<Match> {
    let data = doc.pattern(m);
    if !data.strip {
        return Some(*m);
    }
    let text = doc.chars();
    let is_stop = |start: usize, end: usize| doc.language.stop.contains(doc.lowered.slice(start, end));
    let (mut start, mut end) = (m.start, m.end);
    while start < end {
        let space = text[start..end].iter().position(|c| *c == ' ').map_or(end, |at| start + at);
        if !is_stop(start, space) {
            break;
        }
        start = (space + 1).min(end);
    }
    while start < end {
        let space = text[start..end].iter().rposition(|c| *c == ' ').map(|at| start + at);
        if !is_stop(space.map_or(start, |at| at + 1), end) {
            break;
        }
        end = space.unwrap_or(start);
    }
    (words(&text[start..end]).count() >= data.min_words).then_some(Match { start, end, ..*m })
}
