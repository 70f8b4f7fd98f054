//! Freshness: four signals of how recent the page is, each from 0 to 100, and 50 without evidence.

use super::dates::{find_year, parse_date, Day};
use crate::arithmetic::{clamp, fsum, larger, mean, piecewise, round9, smaller};
use crate::chars;
use crate::components::{locate, Evidence, Found};
use crate::document::Document;

const NEUTRAL: f64 = 50.0;
const WEIGHTS: [f64; 4] = [0.40, 0.20, 0.25, 0.15];
const AGE_POINTS: [(f64, f64); 7] =
    [(30.0, 100.0), (90.0, 90.0), (180.0, 80.0), (365.0, 60.0), (730.0, 40.0), (1825.0, 15.0), (1826.0, 5.0)];
const UPDATE_POINTS: [f64; 4] = [100.0, 60.0, 25.0, 75.0];
const ONE_SIDED_UPDATE_POINTS: [f64; 4] = [100.0, 60.0, NEUTRAL, NEUTRAL];
const MATTER_DATES: [&str; 5] = ["date", "published", "pubdate", "publishdate", "date_published"];
const MATTER_UPDATES: [&str; 7] =
    ["updated", "modified", "lastmod", "last_modified", "last_updated", "last_modified_at", "dateupdated"];

/// F, its four terms (date, temporal, refs, updates), and the evidence for them.
pub struct Freshness {
    pub value: f64,
    pub terms: [f64; 4],
    pub evidence: Vec<Evidence>,
    pub is_dated: bool,
}

/// The date to which ages are counted.
#[derive(Clone, Copy)]
pub struct AsOf {
    pub day: Day,
    pub year: i64,
}

pub fn measure(doc: &Document, as_of: AsOf, dates: &[Day], one_sided: bool, evidence: bool) -> Freshness {
    let numbers = &doc.language.numbers;
    let labelled = doc.find(numbers.freshness_date);
    let updates = doc.find(numbers.freshness_update);
    let temporal = doc.find(numbers.freshness_temporal);
    let front_matter: Vec<Day> = matter_dates(doc, MATTER_DATES.iter().chain(&MATTER_UPDATES));
    let written = labelled.iter().filter_map(|m| parse_date(&doc.chars()[m.start..m.end], doc.language, false));
    let known =
        dates.iter().copied().chain(front_matter.iter().copied()).chain(written).filter(|d| *d <= as_of.day).max();
    let cited: Vec<(i64, usize)> = find_cited_years(doc).into_iter().filter(|(year, _)| *year <= as_of.year).collect();
    let mut years: Vec<i64> = cited.iter().map(|(year, _)| *year).collect();
    years.sort_unstable();
    years.dedup();
    let points: Vec<f64> =
        years.iter().map(|year| clamp((100 - 15 * (as_of.year - year)) as f64, 0.0, 100.0)).collect();
    let rate = (100 * temporal.len()) as f64 / doc.n_words().max(1) as f64;
    let mut terms = [
        known.map_or(NEUTRAL, |day| piecewise((as_of.day - day) as f64, &AGE_POINTS)),
        if temporal.is_empty() { NEUTRAL } else { 50.0 + 50.0 * smaller(1.0, rate) },
        if years.is_empty() { NEUTRAL } else { mean(&points) },
        0.0,
    ];
    if one_sided {
        terms[0] = larger(NEUTRAL, terms[0]);
        terms[2] = points.last().map_or(NEUTRAL, |latest| larger(NEUTRAL, *latest));
        // an older one takes nothing away
    }
    terms[3] = rate_updates(doc, as_of, if one_sided { ONE_SIDED_UPDATE_POINTS } else { UPDATE_POINTS });
    let value = round9(fsum(WEIGHTS.iter().zip(&terms).map(|(weight, term)| weight * term)));
    let evidence = if evidence {
        let all = labelled.iter().chain(updates).chain(temporal);
        let name =
            |m: &crate::document::Match| format!("{}:{}", doc.language.families[m.family].name, doc.pattern(m).id);
        let mut found: Vec<Found> =
            all.map(|m| Found::Text { pattern: name(m).into(), span: (m.start, m.end) }).collect();
        found.extend(cited.iter().map(|(_, at)| Found::Text { pattern: "cited-year".into(), span: (*at, at + 4) }));
        if !front_matter.is_empty() {
            found.push(Found::Source { pattern: "front-matter", family: "", span: (0, doc.source.start) });
        }
        locate(doc, found)
    } else {
        Vec::new()
    };
    Freshness { value, terms, evidence, is_dated: known.is_some() }
}

fn matter_dates<'k>(doc: &Document, keys: impl Iterator<Item = &'k &'k str>) -> Vec<Day> {
    let matter = &doc.source.front_matter;
    let parse = |value: &str| parse_date(&value.chars().collect::<Vec<char>>(), doc.language, false);
    keys.filter_map(|key| matter.get(key).and_then(parse)).collect()
}

/// The years that begin inside a citation or within twelve characters after it, with their places.
fn find_cited_years(doc: &Document) -> Vec<(i64, usize)> {
    let text = doc.chars();
    let mut found = Vec::new();
    for m in doc.find(doc.language.numbers.citation) {
        let end = (m.end + 24).min(text.len());
        let mut from = m.start;
        while let Some(at) = find_year(text, from, end) {
            if at <= m.end + 12 {
                let year = text[at..at + 4].iter().fold(0, |n, c| n * 10 + i64::from(c.to_digit(10).unwrap_or(0)));
                found.push((year, at));
            }
            from = at + 4;
        }
    }
    found
}

/// Rate the latest update: within a year, within three, before, or mentioned without a date.
fn rate_updates(doc: &Document, as_of: AsOf, [recent, older, oldest, undated_points]: [f64; 4]) -> f64 {
    let mut dated = matter_dates(doc, MATTER_UPDATES.iter());
    let mut undated = false;
    for m in doc.find(doc.language.numbers.freshness_update) {
        let text = &doc.chars()[m.end - 1..(m.end + 40).min(doc.text.len())];
        let text = &text[..find_label_end(text, &doc.language.label_ends)];
        match parse_date(text, doc.language, true) {
            Some(day) => dated.push(day),
            None => undated = true,
        }
    }
    let youngest = dated.into_iter().filter(|day| *day <= as_of.day).map(|day| as_of.day - day).min();
    match youngest {
        None if undated => undated_points,
        None => NEUTRAL,
        Some(age) if age <= 365 => recent,
        Some(age) if age > 3 * 365 => oldest,
        Some(_) => older,
    }
}

/// Where the words after a label end: at a line break, a mark, or a word that no date can follow.
fn find_label_end(text: &[char], words: &[String]) -> usize {
    let is_boundary = |at: usize| {
        let before = at > 0 && chars::is_word(text[at - 1]);
        before != text.get(at).is_some_and(|c| chars::is_word(*c))
    };
    let ends_here = |at: usize| {
        matches!(text[at], '\n' | ';' | '|')
            || (is_boundary(at)
                && words.iter().any(|word| {
                    let length = word.chars().count();
                    text.len() >= at + length
                        && word.chars().eq(text[at..at + length].iter().copied())
                        && is_boundary(at + length)
                }))
    };
    (0..text.len()).find(|at| ends_here(*at)).unwrap_or(text.len())
}
