//! Whether a line of text goes on in the next one or ends a paragraph, told from what stands on both sides of its end.
//!
//! Each line end is read by itself, so that a blank line, list, table or heading elsewhere changes nothing. Only the
//! width to which a page is wrapped, if it is, is that of the page: where a sentence goes on in the next line, the line
//! was full.

use super::scan::trim_end;
use crate::chars::{is_lower, is_space};

const MIN_WIDTH: usize = 30; // characters, to which a text may be wrapped

/// The end of a line: how long the line and the next line's first word are, whether a sentence ends or goes on.
#[derive(Clone, Copy)]
pub struct LineEnd {
    pub length: usize,
    pub next_word: usize,
    pub ends: bool,
    pub goes_on: bool,
}

/// Whether a mark ends a sentence.
pub fn is_end(c: char) -> bool {
    matches!(c, '.' | '!' | '?' | '…' | ':')
}

/// Whether a character may stand behind the mark that ends a sentence.
pub fn is_closing(c: char) -> bool {
    matches!(c, ' ' | '\n' | '"' | '\'' | '”' | '“' | '’' | '‘' | '»' | ')' | ']')
}

fn is_markup(c: char) -> bool {
    matches!(c, '*' | '_' | '`')
}

/// Whether a character may stand before the first letter.
fn is_opening(c: char) -> bool {
    is_markup(c) || matches!(c, '"' | '\'' | '“' | '‘' | '«' | '„' | '(' | '[')
}

/// What is not shown: white space, and what was masked.
fn is_gap(c: char) -> bool {
    c == '\0' || is_space(c)
}

/// Read the end of a line that another line follows; a sentence without a mark goes on at a small letter.
pub fn read_end(line: &[char], following: &[char]) -> LineEnd {
    let line = trim_end(line, is_gap);
    let word = following.split(|c| is_gap(*c)).find(|word| !word.is_empty()).unwrap_or_default();
    let first = word.iter().find(|c| !is_opening(**c));
    let last = trim_end(line, |c| is_closing(c) || is_markup(c) || c == '\0').last();
    let ends = last.is_some_and(|c| is_end(*c));
    let goes_on = !line.is_empty() && !ends && first.is_some_and(|c| is_lower(*c));
    LineEnd { length: line.len(), next_word: word.len(), ends, goes_on }
}

/// Return the usual length of the lines of a page that is wrapped to a width; 0 for any other.
///
/// On such a page the lines behind which a sentence goes on are about equally long. Of all full lines they are a quarter
/// or more (where nouns have capitals, less than half), and more than those that end a sentence.
pub fn find_width(ends: &[LineEnd]) -> usize {
    let mut lengths: Vec<usize> = ends.iter().filter(|end| end.goes_on).map(|end| end.length).collect();
    lengths.sort_unstable();
    let usual = lengths.get(lengths.len() / 2).copied().unwrap_or(0);
    if usual < MIN_WIDTH {
        return 0;
    }
    let alike = lengths.iter().filter(|length| (3 * usual..=5 * usual).contains(&(4 * **length))).count();
    let full = || ends.iter().filter(|end| is_full(**end, usual));
    let (going_on, ending) = (full().filter(|end| end.goes_on).count(), full().filter(|end| end.ends).count());
    if 10 * alike >= 7 * lengths.len() && going_on > ending.max(full().count() / 4) {
        usual
    } else {
        0
    }
}

/// Whether a line was broken because the next word did not fit, where lines usually are so long.
fn is_full(end: LineEnd, width: usize) -> bool {
    end.length > 0 && 4 * end.length <= 5 * width && end.length + 1 + end.next_word > width
}

/// Whether a paragraph goes on behind the end of a line; `width` is 0 on a page that is not wrapped.
pub fn continues(end: LineEnd, width: usize) -> bool {
    end.goes_on || is_full(end, width)
}
