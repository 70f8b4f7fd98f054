//! Blocks: the stretches of text between blank lines that mmr_score and semantic_redundancy compare.

use super::tfidf::{self, Counted, Vector};
use crate::arithmetic::smaller;
use crate::buffer::{count_words, Span};
use crate::document::Document;

const VALID_WORDS: usize = 30;
pub const MAX_COMPARED: usize = 60;
const QUERY_TERMS: usize = 8;

/// The blocks that are compared, with their token counts and unit TF-IDF vectors.
pub struct Blocks {
    pub spans: Vec<Span>,
    pub all_tokens: Vec<Counted>,
    pub vectors: Vec<Vector>,
    pub cosines: Vec<Vec<f64>>,
    idf: Vec<f64>,
    pub types: usize,
}

impl Blocks {
    /// The unit vector of the page's top TF-IDF terms.
    pub fn pseudo_query(&self) -> Vec<f64> {
        let terms = tfidf::top_terms(&self.vectors, QUERY_TERMS, self.types);
        let weights = terms.into_iter().map(|term| (term, self.idf[term as usize])).collect();
        tfidf::spread(&tfidf::normalise(weights), self.types)
    }
}

/// The blocks of at least 30 words, in order.
pub fn find_valid<'d>(doc: &'d Document) -> &'d [Span] {
    doc.computed.valid_blocks.get_or_init(|| {
        let text = doc.chars();
        let piece = |(start, end): Span| &text[start.min(end).min(text.len())..end.min(text.len())];
        let is_valid = |block: &Span| count_words(piece(*block), VALID_WORDS) >= VALID_WORDS;
        doc.source.structure.blocks.iter().copied().filter(is_valid).collect()
    })
}

/// Compare every pair of the first 60 valid blocks.
pub fn compare<'d>(doc: &'d Document) -> &'d Blocks {
    doc.computed.blocks.get_or_init(|| {
        let valid = find_valid(doc);
        let spans: Vec<Span> = valid[..valid.len().min(MAX_COMPARED)].to_vec();
        let tokens: Vec<Vec<u32>> = spans.iter().map(|(start, end)| doc.token_ids(*start, *end)).collect();
        let types = doc.vocabulary.borrow().len();
        let kept: Vec<Counted> = {
            let vocabulary = doc.vocabulary.borrow();
            let is_kept = |id: &u32| vocabulary.kept[*id as usize];
            tokens.iter().map(|ids| tfidf::count_terms(ids.iter().copied().filter(is_kept), types)).collect()
        };
        let (vectors, idf) = tfidf::build_vectors(&kept, types);
        let mut cosines = vec![vec![0.0; spans.len()]; spans.len()];
        for i in 1..spans.len() {
            let one = tfidf::spread(&vectors[i], types);
            for j in 0..i {
                let value = smaller(1.0, tfidf::cosine(&one, &vectors[j]));
                cosines[i][j] = value;
                cosines[j][i] = value;
            }
        }
        let all_tokens = tokens.into_iter().map(|ids| tfidf::count_terms(ids, types)).collect();
        Blocks { spans, all_tokens, vectors, cosines, idf, types }
    })
}
