//! The native core of steelyard: the same numbers as its Python code, faster.
//!
//! `steelyard/` is the reference. Every module here mirrors one there and is compared with it page by page.

use mimalloc::MiMalloc;

// A page needs thousands of small, short-lived pieces of memory.
#[global_allocator]
static ALLOCATOR: MiMalloc = MiMalloc;

pub mod arithmetic;
pub mod buffer;
pub mod chars;
pub mod components;
pub mod core;
pub mod detectors;
pub mod document;
pub mod engine;
pub mod expressions;
pub mod frequencies;
pub mod hash;
pub mod language;
pub mod literals;
pub mod matches;
pub mod needs;
pub mod operations;
pub mod pattern_reader;
pub mod patterns;
#[cfg(feature = "python")]
mod probes;
#[cfg(feature = "python")]
mod python;
pub mod scoring;
pub mod sights;
pub mod source;
pub mod text;
pub mod vocabulary;
pub mod word_list;
pub mod word_table;
pub mod words;
