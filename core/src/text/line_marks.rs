//! The marks at the start of a line. A function that takes `first` gets the first character that is not blank.

use super::scan::{is_blank, pass, skip, skip_most, trim_end};
use crate::buffer::Span;
use crate::chars;

const DEEPEST_HEADING: usize = 6;
const LONGEST_LIST_NUMBER: usize = 9;
const LONGEST_LABEL: usize = 200;
const LONGEST_ADDRESS: usize = 2000;

/// `[ \t]{0,3}`: the indentation that a mark may have.
fn indentation(line: &[char]) -> usize {
    skip_most(line, 0, 3, is_blank)
}

/// ``[ \t]*(?:>[ \t]?)*(`{3,}|~{3,})``: where the run of ticks or tildes begins and ends.
pub fn match_fence(line: &[char]) -> Option<Span> {
    let mut at = skip(line, 0, is_blank);
    while line.get(at) == Some(&'>') {
        at = skip_most(line, at + 1, 1, is_blank);
    }
    let mark = *line.get(at)?;
    let after = skip(line, at, |c| c == mark);
    (matches!(mark, '`' | '~') && after - at >= 3).then_some((at, after))
}

/// `[ \t]{0,3}(#{1,6})[ \t]+`: the level and where the words begin.
pub fn match_heading(line: &[char]) -> Option<(usize, usize)> {
    let at = indentation(line);
    let after = skip_most(line, at, DEEPEST_HEADING, |c| c == '#');
    let words = skip(line, after, is_blank);
    (after > at && words > after).then_some((after - at, words))
}

/// `[ \t]{0,3}(=+|-{2,})[ \t\r]*$`
pub fn is_underline(line: &[char], first: char) -> bool {
    let fewest = match first {
        '=' => 1,
        '-' => 2,
        _ => return false,
    };
    let at = indentation(line);
    let after = skip(line, at, |c| c == first);
    after - at >= fewest && skip(line, after, |c| is_blank(c) || c == '\r') == line.len()
}

/// `[ \t]{0,3}(?:-[ \t]*){3,}\r?$`, or the same with stars or underscores.
pub fn is_rule(line: &[char], mark: char) -> bool {
    let at = indentation(line);
    if line.get(at) != Some(&mark) {
        return false;
    }
    let after = skip(line, at, |c| c == mark || is_blank(c));
    let rest = &line[after..];
    (rest.is_empty() || rest == ['\r']) && line[at..after].iter().filter(|c| **c == mark).take(3).count() == 3
}

/// `[ \t]*(?:[-*+•]|[0-9]{1,9}[.)])[ \t]+`: where the item begins.
pub fn match_list(line: &[char], first: char) -> Option<usize> {
    if !matches!(first, '-' | '*' | '+' | '•') && !chars::is_digit(first) {
        return None;
    }
    let at = skip(line, 0, is_blank);
    let after = match line.get(at)? {
        '-' | '*' | '+' | '•' => at + 1,
        _ => {
            let digits = skip_most(line, at, LONGEST_LIST_NUMBER, |c| c.is_ascii_digit());
            if digits == at || !matches!(line.get(digits)?, '.' | ')') {
                return None;
            }
            digits + 1
        }
    };
    let item = skip(line, after, is_blank);
    (item > after).then_some(item)
}

/// `[ \t]{0,3}(?:>[ \t]?)+`: where the quoted words begin.
pub fn match_quote(line: &[char], first: char) -> Option<usize> {
    let mut at = indentation(line);
    if first != '>' || line.get(at) != Some(&'>') {
        return None;
    }
    while line.get(at) == Some(&'>') {
        at = skip_most(line, at + 1, 1, is_blank);
    }
    Some(at)
}

/// `[ \t]{0,3}\[([^\]\[\n]{1,200})\]:[ \t]+<?([^\s<>]{1,2000})>?`: label, address and where the definition ends.
pub fn match_definition(line: &[char], first: char) -> Option<(Span, Span, usize)> {
    if first != '[' {
        return None;
    }
    let label = pass(line, indentation(line), "[")?;
    let label_end = skip_most(line, label, LONGEST_LABEL, |c| c != '[' && c != ']');
    let colon = pass(line, label_end, "]:")?;
    let space = skip(line, colon, is_blank);
    let address = pass(line, space, "<").unwrap_or(space);
    let end = skip_most(line, address, LONGEST_ADDRESS, |c| c != '<' && c != '>' && !chars::is_space(c));
    if label_end == label || space == colon || end == address {
        return None;
    }
    Some(((label, label_end), (address, end), pass(line, end, ">").unwrap_or(end)))
}

pub fn is_table_rule(line: &[char]) -> bool {
    line.iter().all(|c| matches!(c, '|' | ':' | '-' | ' ' | '\t'))
}

/// Return where the words of a heading end, before any closing hashes.
pub fn find_heading_end(line: &[char]) -> usize {
    let words = trim_end(line, |c| is_blank(c) || c == '\r');
    let bare = trim_end(words, |c| c == '#');
    match bare.last() {
        Some(&last) if bare.len() < words.len() && is_blank(last) => trim_end(bare, is_blank).len(),
        _ => words.len(),
    }
}
