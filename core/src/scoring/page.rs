//! A page's score: eleven readings, transformed and weighted, blended with freshness, then capped or guarded.

use super::dates::Day;
use super::detection::detect;
use super::freshness::{measure, AsOf, Freshness};
use super::guards::{find_guard, Guard};
use super::unvalidated::{brand_trust, naturalness};
use crate::arithmetic::{fsum, piecewise, smaller};
use crate::components::{links, read_all, Evidence, Reading, NAMES};
use crate::core::Core;
use crate::detectors::{measure_page, Measurement};
use crate::document::Document;
use crate::source::Source;
use crate::text::prose::Prose;

const CAPS: [(usize, f64); 3] = [(100, 35.0), (200, 50.0), (300, 65.0)]; // below this many words, at most this score
                                                                         // Distinct content words in running text, or its share of the page, and the highest score.
const CONTENT_CAPS: [(f64, f64); 2] = [(0.0, 20.0), (125.0, 100.0)];
const SHARE_CAPS: [(f64, f64); 2] = [(0.0, 20.0), (0.75, 100.0)];
const ENOUGH: f64 = 250.0; // content words of a page that may hold lists and tables of any length
const CONTENT_SHARE: f64 = 0.92;
const FRESHNESS_SHARE: f64 = 0.08;

/// What is known of one page besides its text.
#[derive(Default)]
pub struct Known<'a> {
    pub title: Option<&'a str>,
    pub url: Option<&'a str>,
    pub dates: &'a [Day],
}

/// What all pages of a batch share.
pub struct Settings {
    pub language: Option<String>, // None: detected
    pub as_of: AsOf,
    pub weights: [f64; NAMES.len()],
    pub evidence: bool,
    pub detect: bool,
    pub places: bool, // whether the detectors' places are located
}

/// A detector's measurement, with its places in the source: start, end and line.
pub struct Signal {
    pub measurement: Measurement,
    pub places: Vec<(usize, usize, usize)>,
}

pub struct PageScore {
    pub score: f64,
    pub content: f64,
    pub words: usize,
    pub cap: Option<f64>,
    pub prose: Option<Prose>, // where the edition asks for it
    pub guard: Option<Guard>,
    pub readings: Vec<Reading>,
    pub contributions: Vec<f64>,
    pub language: String,
    pub detected: String,
    pub title: Option<String>,
    pub freshness: Freshness,
    pub unvalidated: Option<(Option<f64>, f64)>,
    pub signals: Vec<(&'static str, Signal)>,
    pub matches: Vec<(String, Vec<(usize, usize, usize)>)>, // by family: pattern, start, end in the reading text
}

pub enum Outcome {
    Scored(Box<PageScore>),
    /// The page is in a language that the edition has and this core was not told of yet.
    Missing(String),
    /// The page is in a language that the edition does not have.
    Unsupported(String),
    Failed(String),
}

pub fn score_page(core: &Core, text: &str, known: &Known, settings: &Settings) -> Outcome {
    let edition = &core.edition;
    let source = Source::new(text, edition.repaired);
    let detected = detect(&source, &core.markers, &edition.languages);
    let used = settings.language.as_deref().unwrap_or(detected);
    if !edition.languages.iter().any(|code| code == used) {
        return Outcome::Unsupported(used.to_string());
    }
    let Some(language) = core.language(used) else { return Outcome::Missing(used.to_string()) };
    let given = known.title.map(str::to_string);
    let matter = || source.front_matter.get("title").filter(|title| !title.is_empty()).map(str::to_string);
    let title = given.or_else(|| matter().or_else(|| source.first_heading())).filter(|title| !title.is_empty());
    let site = known.url.filter(|_| edition.other_sites).map_or_else(String::new, links::parse_host);
    let doc = Document::new(&source, &language, core.cutting, title, site);
    let mut readings = read_all(&doc, &core.frequencies, settings.evidence);
    let points = |(weight, reading): (&f64, &Reading)| weight * (100.0 * (reading.value / 100.0).sqrt());
    let contributions: Vec<f64> = settings.weights.iter().zip(&readings).map(points).collect();
    let content = smaller(100.0, fsum(contributions.iter().copied()));
    let mut freshness = measure(&doc, settings.as_of, known.dates, edition.one_sided, settings.evidence);
    let prose = edition.prose_caps.then(|| *doc.prose());
    let cap = prose.as_ref().map_or_else(|| cap_for_length(doc.n_words()), cap_for_prose);
    let supported = edition.languages.iter().any(|code| code == detected);
    let guard = find_guard(&doc, &core.frequencies, supported);
    let blended = CONTENT_SHARE * content + FRESHNESS_SHARE * freshness.value;
    let score = guard.as_ref().map_or_else(|| smaller(cap.unwrap_or(100.0), blended), |guard| guard.score);
    let unvalidated = settings.evidence.then(|| (naturalness(&doc), brand_trust(&doc)));
    let signals = if settings.detect { measure_signals(&doc, settings.places) } else { Vec::new() };
    if source.composition.is_moved() {
        readings.iter_mut().for_each(|reading| restore_offsets(&source, &mut reading.evidence));
        restore_offsets(&source, &mut freshness.evidence);
    }
    let matches = if settings.evidence { doc.all_matches() } else { Vec::new() };
    Outcome::Scored(Box::new(PageScore {
        score,
        content,
        words: doc.n_words(),
        cap,
        prose,
        guard,
        readings,
        contributions,
        language: used.to_string(),
        detected: detected.to_string(),
        title: doc.title.clone(),
        freshness,
        unvalidated,
        signals,
        matches,
    }))
}

fn cap_for_length(words: usize) -> Option<f64> {
    CAPS.iter().find(|(below, _)| words < *below).map(|(_, limit)| *limit)
}

fn cap_for_prose(prose: &Prose) -> Option<f64> {
    let content = piecewise(prose.content_words as f64, &CONTENT_CAPS);
    let enough = SHARE_CAPS[1].0 * prose.content_words as f64 / ENOUGH;
    let share = piecewise(if enough > prose.share { enough } else { prose.share }, &SHARE_CAPS);
    let limit = smaller(content, share);
    (limit < 100.0).then_some(limit)
}

fn restore_offsets(source: &Source, evidence: &mut [Evidence]) {
    for one in evidence {
        one.start = source.composition.original(one.start);
        one.end = source.composition.original(one.end);
    }
}

fn measure_signals(doc: &Document, places: bool) -> Vec<(&'static str, Signal)> {
    let view = &doc.source.structure.view;
    let original = |offset: usize| doc.source.composition.original(offset);
    let locate = |(name, measurement): (&'static str, Measurement)| {
        let places = if places {
            let in_text = measurement.spans.iter().map(|(start, end)| view.source_span(*start, *end));
            let all = in_text.chain(measurement.in_source.iter().copied());
            all.map(|(start, end)| (original(start), original(end), doc.source.line_at(start))).collect()
        } else {
            Vec::new()
        };
        (name, Signal { measurement, places })
    };
    measure_page(doc).into_iter().map(locate).collect()
}
