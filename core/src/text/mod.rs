//! From the characters of a page to its reading view and structure; a mirror of `steelyard/text/`.

pub mod composition;
pub mod front_matter;
pub mod inline;
pub mod lines;
pub mod markdown;
pub mod sentences;
pub mod tags;
pub mod view;
