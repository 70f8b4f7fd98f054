//! What lets Python compare this core with itself before and beside any page: arithmetic, characters and patterns.

use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;

use crate::buffer::Buffer;
use crate::chars;
use crate::pattern_reader::Reader;
use crate::patterns::{Matcher, Pattern};
use crate::text::composition;

/// Values of the functions that could differ between this core and the Python process: logarithms, powers, gzip, rounding.
#[pyfunction]
pub fn probe(texts: Vec<Vec<u8>>, numbers: Vec<f64>) -> (Vec<u64>, Vec<(f64, f64, f64, f64, f64)>) {
    let lengths = texts.iter().map(|text| crate::components::gzip_length(text)).collect();
    let power = |x: f64| crate::arithmetic::pow(x, 2.0) + crate::arithmetic::pow(x, 0.5);
    let values = |x: &f64| (x.ln(), x.log2(), x.log10(), power(*x), crate::arithmetic::round9(*x));
    (lengths, numbers.iter().map(values).collect())
}

/// What each character is, as a sum of powers of two in the order of these tests, and its lower case.
#[pyfunction]
pub fn probe_characters(text: &str) -> Vec<(u32, char)> {
    let tests: [fn(char) -> bool; 9] = [
        chars::is_alpha,
        chars::is_alnum,
        chars::is_word,
        chars::is_letter,
        chars::is_digit,
        chars::is_upper,
        chars::is_lower,
        chars::is_title,
        chars::is_space,
    ];
    let classes = |c: char| tests.iter().enumerate().map(|(at, test)| u32::from(test(c)) << at).sum();
    text.chars().map(|c| (classes(c), chars::lower(c))).collect()
}

/// The text with its accents composed.
#[pyfunction]
pub fn probe_composition(text: &str) -> String {
    composition::compose(text.chars().collect()).text.into_iter().collect()
}

/// The spans of a pattern in a text, in characters: as in a page, and as in other texts.
#[pyfunction]
pub fn probe_pattern(regex: &str, text: &str) -> PyResult<(Vec<(usize, usize)>, Vec<(usize, usize)>)> {
    let pattern = Pattern::read(&mut Reader::default(), regex).map_err(PyValueError::new_err)?;
    let matcher = Matcher::new(vec![pattern], &[false]);
    let buffer = Buffer::new(text.chars().collect());
    let mut in_page = Vec::new();
    matcher.find(0, &buffer, &matcher.look(text), |start, end| in_page.push((start, end)));
    let elsewhere = matcher.find_in(0, text);
    Ok((in_page, elsewhere.iter().map(|(start, end)| (buffer.point(*start), buffer.point(*end))).collect()))
}
