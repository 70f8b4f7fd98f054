//! TF-IDF as scikit-learn computes it by default: raw counts, smooth idf, unit length. Terms are numbers.

use crate::hash::HashMap;

use crate::arithmetic::fsum;

/// Terms with their counts or weights, in order of first appearance.
pub type Counted = Vec<(u32, usize)>;
pub type Vector = Vec<(u32, f64)>;

/// Count terms, in order of first appearance.
pub fn count_terms(terms: impl IntoIterator<Item = u32>) -> Counted {
    let mut places: HashMap<u32, usize> = HashMap::default();
    let mut counted: Counted = Vec::new();
    for term in terms {
        let place = *places.entry(term).or_insert_with(|| {
            counted.push((term, 0));
            counted.len() - 1
        });
        counted[place].1 += 1;
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
pub fn build_vectors(documents: &[Counted]) -> (Vec<Vector>, HashMap<u32, f64>) {
    let mut frequency: HashMap<u32, usize> = HashMap::default();
    for (term, _) in documents.iter().flatten() {
        *frequency.entry(*term).or_default() += 1;
    }
    let by_frequency: Vec<f64> = (0..=documents.len()).map(|df| idf(documents.len(), df)).collect();
    let weight: HashMap<u32, f64> = frequency.into_iter().map(|(term, df)| (term, by_frequency[df])).collect();
    let vector = |document: &Counted| normalise(document.iter().map(|(t, c)| (*t, *c as f64 * weight[t])).collect());
    (documents.iter().map(vector).collect(), weight)
}

/// The dot product of two unit vectors; exact, so that the order does not matter.
pub fn cosine(a: &HashMap<u32, f64>, b: &Vector) -> f64 {
    fsum(b.iter().filter_map(|(term, weight)| a.get(term).map(|other| weight * other)))
}

pub fn to_map(vector: &Vector) -> HashMap<u32, f64> {
    vector.iter().copied().collect()
}

/// The `n` terms with the largest summed weight; the first position wins a tie.
pub fn top_terms(vectors: &[Vector], n: usize) -> Vec<u32> {
    let mut places: HashMap<u32, usize> = HashMap::default();
    let mut weights: Vec<(u32, Vec<f64>)> = Vec::new();
    for (term, weight) in vectors.iter().flatten() {
        let place = *places.entry(*term).or_insert_with(|| {
            weights.push((*term, Vec::new()));
            weights.len() - 1
        });
        weights[place].1.push(*weight);
    }
    let mut total: Vec<(u32, f64)> = weights.into_iter().map(|(term, values)| (term, fsum(values))).collect();
    total.sort_by(|a, b| b.1.total_cmp(&a.1));
    total.into_iter().take(n).map(|(term, _)| term).collect()
}
