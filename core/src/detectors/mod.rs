//! Stub.
use crate::buffer::Span;
use crate::document::Document;
pub enum Number {
    Int(i64),
    Float(f64),
}
pub struct Measurement {
    pub statistic: f64,
    pub parts: Vec<(String, Number)>,
    pub spans: Vec<Span>,
    pub in_source: Vec<Span>,
}
pub fn measure_page(_doc: &Document) -> Vec<(&'static str, Measurement)> {
    Vec::new()
}
