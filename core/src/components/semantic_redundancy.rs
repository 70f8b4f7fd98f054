//! semantic_redundancy: how little the page's blocks repeat each other.

use std::cell::RefCell;

use flate2::{Compress, Compression, FlushCompress, Status};

use super::blocks::{compare, find_valid, MAX_COMPARED};
use super::tfidf::{self, Counted};
use super::{Counts, Found, Part};
use crate::arithmetic::{clamp, clamp01, mean};
use crate::document::Document;

const SIMILAR: f64 = 0.5; // cosine from which a pair of blocks is shown

/// The four quantities of the formula; None without a pair of blocks.
pub struct Redundancy {
    terms: Option<[f64; 4]>, // cos, J, V, gamma
    later: Vec<usize>,       // the later block of each similar pair
}

impl Redundancy {
    pub fn value(&self) -> Option<f64> {
        self.terms.map(|[cos, j, v, gamma]| {
            let score = 0.40 * (1.0 - cos) + 0.25 * (1.0 - j) + 0.20 * gamma + 0.15 * (1.0 - v);
            clamp(100.0 * score, 0.0, 100.0)
        })
    }
}

pub fn measure<'d>(doc: &'d Document) -> &'d Redundancy {
    doc.computed.redundancy.get_or_init(|| {
        if find_valid(doc).len() < 2 {
            return Redundancy { terms: None, later: Vec::new() };
        }
        let blocks = compare(doc);
        let n = blocks.spans.len();
        let (mut cosines, mut j_values, mut v_values) = (Vec::new(), Vec::new(), Vec::new());
        let mut later = Vec::new();
        for i in 0..n {
            let mut counts = vec![0usize; blocks.types];
            blocks.all_tokens[i].iter().for_each(|(term, n)| counts[*term as usize] = *n);
            let weights = tfidf::spread(&blocks.vectors[i], blocks.types);
            for j in 0..i {
                cosines.push(blocks.cosines[i][j]);
                j_values.push(multiset_jaccard(&counts, &blocks.all_tokens[i], &blocks.all_tokens[j]));
                let common = blocks.vectors[j].iter().filter(|(term, _)| weights[*term as usize] != 0.0).count();
                v_values.push(ratio(common, blocks.vectors[i].len() + blocks.vectors[j].len() - common));
            }
            if (0..i).any(|j| blocks.cosines[i][j] >= SIMILAR) {
                later.push(i);
            }
        }
        let gamma = clamp01((gzip_ratio(&doc.source.visible()) - 0.1) / 0.9);
        Redundancy { terms: Some([mean(&cosines), mean(&j_values), mean(&v_values), gamma]), later }
    })
}

fn ratio(part: usize, whole: usize) -> f64 {
    if whole == 0 {
        0.0
    } else {
        part as f64 / whole as f64
    }
}

/// The sum of minima over the sum of maxima of the counts.
fn multiset_jaccard(a: &[usize], a_terms: &Counted, b: &Counted) -> f64 {
    let common: usize = b.iter().map(|(term, n)| (*n).min(a[*term as usize])).sum();
    let sum = |terms: &Counted| terms.iter().map(|(_, n)| n).sum::<usize>();
    ratio(common, sum(a_terms) + sum(b) - common)
}

thread_local! {
    static GZIP: RefCell<(Compress, Vec<u8>)> =
        RefCell::new((Compress::new_gzip(Compression::new(9), 15), vec![0; 1 << 16]));
}

/// |gzip(x)| / |x| in UTF-8 bytes at level 9; 1 for an empty text.
fn gzip_ratio(text: &str) -> f64 {
    if text.is_empty() {
        return 1.0;
    }
    gzip_length(text.as_bytes()) as f64 / text.len() as f64
}

/// The length of a text compressed by zlib at level 9 in the gzip format.
pub fn gzip_length(data: &[u8]) -> u64 {
    GZIP.with_borrow_mut(|(compress, buffer)| {
        compress.reset();
        loop {
            let read = compress.total_in() as usize;
            match compress.compress(&data[read..], buffer, FlushCompress::Finish) {
                Ok(Status::Ok) => {}
                _ => return compress.total_out(),
            }
        }
    })
}

pub fn count(doc: &Document) -> Counts {
    let total = find_valid(doc).len();
    let measured = measure(doc);
    let names = ["cos", "J", "V", "gamma"];
    let term = |at: usize| measured.terms.map_or(Part::Undefined, |terms| terms[at].into());
    let mut parts: Vec<(&'static str, Part)> = (0..4).map(|at| (names[at], term(at))).collect();
    parts.push(("blocks", total.into()));
    parts.push(("compared", total.min(MAX_COMPARED).into()));
    let show = |at: &usize| Found::Text { pattern: "similar-block".into(), span: compare(doc).spans[*at] };
    let found = measured.later.iter().map(show).collect();
    let degenerate = measured.terms.is_none().then_some("fewer than 2 valid blocks");
    Counts { parts, found, value: measured.value().unwrap_or(20.0), degenerate }
}
