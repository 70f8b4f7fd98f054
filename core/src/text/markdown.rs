//! Markdown structure.

use super::lines::{Heading, Link};
use super::view::View;
use crate::buffer::Span;

pub struct Structure {
    pub view: View,
    pub headings: Vec<Heading>,
    pub paragraphs: Vec<Span>,
    pub blocks: Vec<Span>,
    pub links: Vec<Link>,
    pub hidden: Vec<Span>,
}

/// Parse `text` from `start` on; front matter is before it.
pub fn parse(text: &[char], start: usize) -> Structure {
    todo!()
}
