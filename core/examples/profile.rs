struct Instant(u64);
impl Instant {
    fn now() -> Instant {
        let t = std::fs::read_to_string("/proc/thread-self/schedstat").unwrap();
        Instant(t.split(' ').next().unwrap().parse().unwrap())
    }
    fn elapsed(&self) -> std::time::Duration {
        std::time::Duration::from_nanos(Instant::now().0 - self.0)
    }
}
use steelyard_core::core::Core;
use steelyard_core::document::{Document, Source};
use steelyard_core::scoring::freshness::AsOf;
use steelyard_core::scoring::page::{Known, Outcome, Settings};
fn main() {
    let edition = std::env::args().nth(1).unwrap();
    let lang = "en";
    let spec: serde_json::Value =
        serde_json::from_str(&std::fs::read_to_string(format!("/tmp/spec-{edition}.json")).unwrap()).unwrap();
    let core = Core::new(&spec["edition"].to_string()).unwrap();
    let l = spec["languages"].as_array().unwrap().iter().find(|l| l["code"] == lang).unwrap();
    let t = Instant::now();
    core.add_language(&l.to_string()).unwrap();
    println!("add_language {:?}", t.elapsed());
    for c in ["en", "fr"] {
        core.frequencies.add(
            "known",
            c,
            std::fs::read_to_string(format!("../steelyard/languages/{c}/known.txt")).unwrap(),
        );
    }
    core.frequencies.add(
        "frequencies",
        "en",
        std::fs::read_to_string("../steelyard/languages/en/frequencies.txt").unwrap(),
    );
    let pages: Vec<String> = std::fs::read_to_string("/work/shared/data/web_en.jsonl")
        .unwrap()
        .lines()
        .map(|l| {
            let v: serde_json::Value = serde_json::from_str(l).unwrap();
            v["text"].as_str().unwrap().to_string()
        })
        .collect();
    let settings = Settings {
        language: None,
        as_of: AsOf { day: 739798, year: 2026 },
        weights: [1.0 / 11.0; 11],
        evidence: false,
        detect: std::env::args().nth(2).is_some(), places: false,
    };
    for _ in 0..8 {
        let t = Instant::now();
        let mut total = 0.0;
        for p in &pages {
            if let Outcome::Scored(s) = core.score(p, &Known::default(), &settings) {
                total += s.score;
            }
        }
        println!("all: {:.1} us/page ({total:.1})", t.elapsed().as_secs_f64() * 1e6 / pages.len() as f64);
    }
    if std::env::args().nth(3).is_some() { return; }
    let language = core.language(lang).unwrap();
    let sources: Vec<Source> = pages.iter().map(|p| Source::new(p, core.cutting.unicode_tokens)).collect();
    let time = |name: &str, f: &mut dyn FnMut()| {
        let mut best = f64::MAX;
        for _ in 0..3 {
            let t = Instant::now();
            f();
            best = best.min(t.elapsed().as_secs_f64());
        }
        println!("{name}: {:.1} us", best * 1e6 / pages.len() as f64);
    };
    time("source", &mut || {
        for p in &pages {
            std::hint::black_box(Source::new(p, core.cutting.unicode_tokens));
        }
    });
    time("word_counts", &mut || {
        for p in &pages {
            std::hint::black_box(Source::new(p, core.cutting.unicode_tokens).word_counts().total);
        }
    });
    let docs: Vec<Document> =
        sources.iter().map(|s| Document::new(s, &language, core.cutting, None, String::new())).collect();
    time("document+segments+tokens", &mut || {
        for s in &sources {
            let d = Document::new(s, &language, core.cutting, None, String::new());
            d.tokens();
        }
    });
    time("windows", &mut || {
        for d in &docs {
            std::hint::black_box(language.matcher.starts(&d.text.utf8));
        }
    });
    let windows: Vec<_> = docs.iter().map(|d| language.matcher.starts(&d.text.utf8)).collect();
    let mut rows = Vec::new();
    for family in &language.families {
        for (at, data) in family.patterns.iter().enumerate() {
            let mut hits = 0;
            let mut best = f64::MAX;
            for _ in 0..2 {
                hits = 0;
                let t = Instant::now();
                for (d, w) in docs.iter().zip(&windows) {
                    language.matcher.find(family.first + at, &d.text, w, |_, _| hits += 1);
                }
                best = best.min(t.elapsed().as_secs_f64());
            }
            let share = 0.0;
            rows.push((
                best * 1e6 / pages.len() as f64,
                format!("{}:{} hits {:.1} share {:.2}", family.name, data.id, hits as f64 / pages.len() as f64, share),
            ));
        }
    }
    rows.sort_by(|a, b| b.0.total_cmp(&a.0));
    println!("patterns total {:.1} us", rows.iter().map(|r| r.0).sum::<f64>());
    for r in rows.iter().take(45) {
        println!("{:8.1} {}", r.0, r.1);
    }
}
