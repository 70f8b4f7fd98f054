//! From a page to its numbers; a mirror of `steelyard/scoring/` and of the language detection.

pub mod dates;
pub mod detection;
pub mod freshness;
pub mod guards;
pub mod page;
pub mod unvalidated;
