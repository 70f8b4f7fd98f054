//! The reading view: what a reader sees of a page, with the way back to the offsets of the file.

use crate::buffer::Span;

#[derive(Default)]
pub struct View {
    pub text: Vec<char>,
    pub view_starts: Vec<usize>,
    pub source_starts: Vec<usize>,
}
