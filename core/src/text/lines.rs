//! The pass over the lines of a Markdown file.

use crate::buffer::Span;

#[derive(Clone, Copy)]
pub struct Heading {
    pub level: usize,
    pub start: usize,
    pub end: usize,
}

#[derive(Clone)]
pub struct Link {
    pub url: String,
    pub start: usize,
    pub end: usize,
}
