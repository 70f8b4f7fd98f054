//! entity_density: how many distinct names, dates, amounts and linked sites the page has per 100 words.

use super::{links, select_distinct, select_longest, Counts, Found};
use crate::arithmetic::smaller;
use crate::buffer::words;
use crate::document::{Document, Match};

pub fn count(doc: &Document) -> Counts {
    let names: Vec<Match> =
        doc.find(doc.language.numbers.entity).iter().filter_map(|m| strip_stop_words(doc, m)).collect();
    let entities = select_distinct(doc, select_longest(&names));
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
