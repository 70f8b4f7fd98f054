//! citation_f1: a capped count of named and linked sources.

use super::{links, select_distinct, select_longest, Counts, Found};
use crate::arithmetic::{mean, smaller};
use crate::document::{Document, Match};
use crate::text::lines::Link;

const MAX_CITATIONS: usize = 20;
const LINK_CONFIDENCE: f64 = 0.6;
const TRUSTED: f64 = 0.55;

/// The first 20 distinct citations: those in the text, then those behind links.
pub struct Citations {
    named: Vec<Match>,
    linked: Vec<Link>,
}

fn find_citations<'d>(doc: &'d Document) -> &'d Citations {
    doc.computed.citations.get_or_init(|| {
        let mut named = select_longest(doc.find(doc.language.numbers.citation));
        if !doc.site.is_empty() {
            named.retain(|m| !links::names_site(&doc.chars()[m.start..m.end], &doc.site));
        }
        let mut named = select_distinct(doc, named);
        let mut linked: Vec<Link> = links::find_external(doc, &named).into_iter().cloned().collect();
        named.truncate(MAX_CITATIONS);
        linked.truncate(MAX_CITATIONS - named.len());
        Citations { named, linked }
    })
}

pub fn count(doc: &Document) -> Counts {
    let cited = find_citations(doc);
    let mut confidences: Vec<f64> = cited.named.iter().map(|m| doc.pattern(m).confidence).collect();
    confidences.extend(cited.linked.iter().map(|_| LINK_CONFIDENCE));
    let c = confidences.len();
    let claims = select_longest(doc.find(doc.language.numbers.factual_claim)).len();
    let c_bar = mean(&confidences);
    let trusted = confidences.iter().filter(|confidence| **confidence >= TRUSTED).count();
    let degenerate = (c == 0).then_some("no citation");
    let value = if degenerate.is_some() { 0.0 } else { value(c, claims, c_bar, trusted) };
    let mut found: Vec<Found> = cited.named.iter().map(|m| Found::Match(*m)).collect();
    found.extend(links::locate(cited.linked.iter().collect(), "link", "citation"));
    let parts = vec![("C", c.into()), ("M", claims.into()), ("c_bar", c_bar.into()), ("trusted", trusted.into())];
    Counts { parts, found, value, degenerate }
}

fn value(cited: usize, claims: usize, c_bar: f64, trusted: usize) -> f64 {
    let precision = (100 * trusted) as f64 / cited as f64;
    let wanted = claims as f64 / 5.0;
    let recall = smaller(100.0, (100 * cited) as f64 / if wanted > 1.0 { wanted } else { 1.0 });
    0.50 * precision + 0.30 * recall + 0.20 * 100.0 * c_bar
}
