//! Front matter: the top-level scalars between two `---` lines at the head of a Markdown file. No YAML.

use std::collections::BTreeSet;

use super::scan::{find, is_blank, pass, skip, skip_most, trim};
use crate::buffer::Span;
use crate::chars::is_space;

const LONGEST: usize = 65_536; // characters searched for the closing line; a longer head is page text
const LONGEST_KEY: usize = 63; // characters behind the first

/// The scalars, with lower-case keys, in the order of their first appearance.
#[derive(Default)]
pub struct FrontMatter {
    pub scalars: Vec<(String, String)>,
}

impl FrontMatter {
    pub fn get(&self, key: &str) -> Option<&str> {
        self.scalars.iter().find(|scalar| scalar.0 == key).map(|scalar| scalar.1.as_str())
    }
}

/// Return the scalars and the offset of the page text; nothing and 0 without front matter.
///
/// Only `key: value` at the left margin is read; nested values, lists and blocks are skipped.
pub fn read(text: &[char]) -> (FrontMatter, usize) {
    let none = (FrontMatter::default(), 0);
    let Some(opening) = match_opening(text) else { return none };
    let limit = text.len().min(opening + LONGEST);
    let head: Vec<char> = text[..limit].iter().map(|c| if *c == '\r' { ' ' } else { *c }).collect();
    let Some((closing, end)) = find_closing(&head, opening) else { return none };
    if end == head.len() && head.len() < text.len() {
        return none; // a line cut by the limit is not read to its end
    }
    let mut front_matter = FrontMatter::default();
    let mut seen = BTreeSet::new();
    for line in head[opening..closing].split(|c| *c == '\n') {
        if let Some((key, value)) = read_scalar(line) {
            if seen.insert(key.clone()) {
                front_matter.scalars.push((key, value));
            }
        }
    }
    (front_matter, text.len().min(end + 1))
}

/// `\ufeff?---[ \t]*\r?\n`
fn match_opening(text: &[char]) -> Option<usize> {
    let mark = pass(text, 0, "\u{feff}").unwrap_or(0);
    let end = skip(text, pass(text, mark, "---")?, is_blank);
    pass(text, pass(text, end, "\r").unwrap_or(end), "\n")
}

/// Find the first line that is `(?:---|\.\.\.)[ \t]*`.
fn find_closing(head: &[char], opening: usize) -> Option<Span> {
    let mut start = opening;
    loop {
        if let Some(marks) = pass(head, start, "---").or_else(|| pass(head, start, "...")) {
            let end = skip(head, marks, is_blank);
            if head.get(end).is_none_or(|c| *c == '\n') {
                return Some((start, end));
            }
        }
        start = find(head, start, '\n')? + 1;
    }
}

/// `^([A-Za-z_][A-Za-z0-9_-]{0,63})[ \t]*:[ \t]+(\S.*)$`, unless the value is a list, a block or a reference.
fn read_scalar(line: &[char]) -> Option<(String, String)> {
    line.first().filter(|c| c.is_ascii_alphabetic() || **c == '_')?;
    let key = skip_most(line, 1, LONGEST_KEY, |c| c.is_ascii_alphanumeric() || c == '_' || c == '-');
    let colon = pass(line, skip(line, key, is_blank), ":")?;
    let start = skip(line, colon, is_blank);
    let first = *line.get(start)?;
    if start == colon || is_space(first) || matches!(first, '[' | '{' | '|' | '>' | '&' | '*') {
        return None;
    }
    let value = unquote(trim(&line[start..], is_space)).iter().collect();
    Some((line[..key].iter().map(char::to_ascii_lowercase).collect(), value))
}

fn unquote(value: &[char]) -> &[char] {
    match value.first() {
        Some(quote @ ('"' | '\'')) => find(value, 1, *quote).map_or(value, |end| &value[1..end]),
        _ => {
            let comment = value.windows(2).position(|pair| pair == [' ', '#']).unwrap_or(value.len());
            trim(&value[..comment], is_space)
        }
    }
}
