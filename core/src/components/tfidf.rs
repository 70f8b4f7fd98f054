//! TF-IDF as scikit-learn computes it by default: raw counts, smooth idf, unit length. Terms are numbers below `types`.

use crate::arithmetic::fsum;

/// Terms with their counts or weights, in order of first appearance.
pub type Counted = Vec<(u32, usize)>;
pub type Vector = Vec<(u32, f64)>;

const NONE: u32 = u32::MAX;

/// Count terms, in order of first appearance.
pub fn count_terms(terms: impl IntoIterator<Item = u32>, types: usize) -> Counted {
    let mut places = vec![NONE; types];
    let mut counted: Counted = Vec::new();
    for term in terms {
        let place = &mut places[term as usize];
        if *place == NONE {
            *place = counted.len() as u32;
            counted.push((term, 0));
        }
        counted[*place as usize].1 += 1;
    }
    counted
}

/// ln((1 + n) / (1 + df)) + 1.
pub fn idf(documents: usize, frequency: usize) -> f64 {
    ((1 + documents) as f64 / (1 + frequency) as f64).ln() + 1.0
}

/// Scale a vector to length 1; an empty or zero vector stays as it is.
pub fn normalise(mut vector: Vector) -> Vector {
    let length = fsum(vector.iter().map(|(_, w)| w * w)).sqrt();
    if length > 0.0 {
        vector.iter_mut().for_each(|(_, w)| *w /= length);
    }
    vector
}

/// One unit vector per document, and their common idf by term.
pub fn build_vectors(documents: &[Counted], types: usize) -> (Vec<Vector>, Vec<f64>) {
    let mut frequency = vec![0usize; types];
    for (term, _) in documents.iter().flatten() {
        frequency[*term as usize] += 1;
    }
    let by_frequency: Vec<f64> = (0..=documents.len()).map(|df| idf(documents.len(), df)).collect();
    let weight: Vec<f64> = frequency.into_iter().map(|df| by_frequency[df]).collect();
    let weigh = |(term, count): &(u32, usize)| (*term, *count as f64 * weight[*term as usize]);
    let vectors = documents.iter().map(|document| normalise(document.iter().map(weigh).collect())).collect();
    (vectors, weight)
}

/// A vector by term, for products with many others; 0 where it has none.
pub fn spread(vector: &[(u32, f64)], types: usize) -> Vec<f64> {
    let mut weights = vec![0.0; types];
    vector.iter().for_each(|(term, weight)| weights[*term as usize] = *weight);
    weights
}

/// The dot product of two unit vectors; exact, so that neither the order nor a zero matters.
pub fn cosine(a: &[f64], b: &Vector) -> f64 {
    fsum(b.iter().map(|(term, weight)| weight * a[*term as usize]).filter(|product| *product != 0.0))
}

/// The `n` terms with the largest summed weight; the first position wins a tie.
pub fn top_terms(vectors: &[Vector], n: usize, types: usize) -> Vec<u32> {
    // The weights of each term side by side: how many there are, where they begin, then the weights.
    let mut ends = vec![0u32; types + 1];
    let mut terms = Vec::new();
    for (term, _) in vectors.iter().flatten() {
        if ends[*term as usize + 1] == 0 {
            terms.push(*term);
        }
        ends[*term as usize + 1] += 1;
    }
    for at in 1..ends.len() {
        ends[at] += ends[at - 1];
    }
    let mut next = ends.clone();
    let mut weights = vec![0.0; ends[types] as usize];
    for (term, weight) in vectors.iter().flatten() {
        let place = &mut next[*term as usize];
        weights[*place as usize] = *weight;
        *place += 1;
    }
    let sum = |term: u32| fsum(weights[ends[term as usize] as usize..ends[term as usize + 1] as usize].iter().copied());
    let mut total: Vec<(u32, f64)> = terms.into_iter().map(|term| (term, sum(term))).collect();
    total.sort_by(|a, b| b.1.total_cmp(&a.1));
    total.into_iter().take(n).map(|(term, _)| term).collect()
}
