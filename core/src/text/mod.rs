//! From the characters of a page to its reading view and structure; a mirror of `steelyard/text/`.

pub mod composition;
pub mod front_matter;
pub mod inline;
mod invisible;
pub mod line_ends;
mod line_marks;
pub mod lines;
mod links;
pub mod markdown;
pub mod prose;
mod scan;
pub mod sentences;
pub mod tags;
pub mod view;
