//! Properties over generated pages. STEELYARD_DESCRIPTIONS names a folder with `<edition>.json`, which
//! `steelyard/native/describe.py` makes; `tests/native/test_rust.py` writes it and runs this.

use std::fs;
use std::path::PathBuf;

use proptest::prelude::*;
use steelyard_core::buffer::Buffer;
use steelyard_core::components::NAMES;
use steelyard_core::core::Core;
use steelyard_core::language::IN_OPENINGS;
use steelyard_core::scoring::freshness::AsOf;
use steelyard_core::scoring::page::{Known, Outcome, Settings};

const PIECES: [&str; 40] = [
    "The tide rose 3.5 m in 2024. ",
    "“We saw it,” said Anna Weir. ",
    "According to the Harbour Board (2023), ",
    "12% of 4,512 ships",
    "A lock is a gate that holds water. ",
    "\n\n",
    "\n",
    "# Head\n",
    "- item\n",
    "| a | b |\n|---|---|\n",
    "`code` ",
    "**bold** ",
    "[words](https://example.org/a) ",
    "<b>tag</b>",
    "<!-- hidden -->",
    "<div hidden>x</div>",
    "&nbsp;",
    "\u{200b}",
    "\u{ad}",
    "\u{a0}",
    "é",
    "e\u{301}",
    "ß",
    "Σ",
    "İ",
    "日本",
    "🏴",
    "'",
    "\"",
    "…",
    "...",
    "?",
    "! ",
    "However, ",
    "it is a kind of ",
    "U.S. ",
    "Dr. ",
    "$3 million ",
    "www.example.net ",
    "\u{0}",
];

fn load() -> Vec<(Core, Vec<String>)> {
    let Some(folder) = std::env::var_os("STEELYARD_DESCRIPTIONS").map(PathBuf::from) else { return Vec::new() };
    ["paper", "2026"]
        .iter()
        .map(|edition| {
            let text =
                fs::read_to_string(folder.join(format!("{edition}.json"))).expect("a description of the edition");
            let described: serde_json::Value = serde_json::from_str(&text).expect("JSON");
            let core = Core::new(&described["edition"].to_string()).expect("an edition");
            let languages = described["languages"].as_array().expect("languages");
            languages.iter().for_each(|language| core.add_language(&language.to_string()).expect("a language"));
            let codes = languages.iter().filter_map(|language| language["code"].as_str().map(str::to_string)).collect();
            (core, codes)
        })
        .collect()
}

fn page() -> impl Strategy<Value = String> {
    let piece = prop_oneof![6 => prop::sample::select(PIECES.to_vec()).prop_map(str::to_string), 1 => "\\PC{0,12}"];
    prop::collection::vec(piece, 0..40).prop_map(|pieces| pieces.concat())
}

/// A pattern finds the same where it is tried only at promising places as where it is searched everywhere.
#[test]
fn promising_places_are_all_places() {
    for (core, codes) in load() {
        for code in codes {
            let language = core.language(&code).expect("loaded");
            proptest!(ProptestConfig::with_cases(150), |(text in page())| {
                let buffer = Buffer::new(text.chars().collect());
                let starts = language.matcher.look(&buffer.utf8);
                // Those of openings are searched in other texts than the page alone.
                let families = language.families.iter().filter(|family| !IN_OPENINGS.contains(&family.name.as_str()));
                for index in families.flat_map(|family| family.first..family.first + family.patterns.len()) {
                    let mut found = Vec::new();
                    language.matcher.find(index, &buffer, &starts, |start, end| found.push((start, end)));
                    let everywhere = language.matcher.find_in(index, &buffer.utf8);
                    let expected: Vec<_> = everywhere.iter().map(|(a, b)| (buffer.point(*a), buffer.point(*b))).collect();
                    prop_assert_eq!(&found, &expected, "pattern {} of {}", index, code);
                }
            });
        }
    }
}

/// Every page has a score between 0 and 100 or is refused for its language; its evidence lies within it.
#[test]
fn every_page_has_an_outcome() {
    for (core, codes) in load() {
        for language in codes.into_iter().map(Some).chain([None]) {
            let as_of = AsOf { day: 739_798, year: 2026 };
            let weights = [1.0 / NAMES.len() as f64; NAMES.len()];
            let settings = Settings { language, as_of, weights, evidence: true, detect: true, places: true };
            proptest!(ProptestConfig::with_cases(300), |(text in page())| {
                let length = text.chars().count();
                match core.score(&text, &Known::default(), &settings) {
                    Outcome::Scored(page) => {
                        prop_assert!((0.0..=100.0).contains(&page.score));
                        let evidence = page.readings.iter().flat_map(|reading| &reading.evidence);
                        for one in evidence.chain(&page.freshness.evidence) {
                            prop_assert!(one.start <= one.end && one.end <= length && one.line >= 1);
                        }
                        for (_, signal) in &page.signals {
                            prop_assert!(signal.measurement.statistic.is_finite());
                            prop_assert!(signal.places.iter().all(|(start, end, _)| start <= end && *end <= length));
                        }
                    }
                    Outcome::Unsupported(_) => {}
                    Outcome::Missing(code) | Outcome::Failed(code) => prop_assert!(false, "{}", code),
                }
            });
        }
    }
}
