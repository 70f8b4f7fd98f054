//! The forms of links and images. All are bounded, and no class may cross a bracket of its own kind: an unclosed one
//! costs one short look.

use super::scan::{is_blank, pass, skip, skip_most};
use crate::buffer::Span;
use crate::chars::is_space;

const LONGEST_WORDS: usize = 500; // of a link or image
const LONGEST_LABEL: usize = 200;
const LONGEST_ADDRESS: usize = 2000;
const LONGEST_PARENTHESIS: usize = 200; // inside an address
const LONGEST_TITLE: usize = 300;

/// The words and the address of a link, and where it ends.
pub struct LinkMatch {
    pub words: Span,
    pub address: Span,
    pub end: usize,
}

/// `\[[^\]\[]{1,most}\]`: where it ends.
pub fn match_bracketed(text: &[char], at: usize, most: usize) -> Option<usize> {
    let end = skip_most(text, at + 1, most, |c| c != '[' && c != ']');
    if end == at + 1 {
        return None;
    }
    pass(text, end, "]")
}

/// `!\[[^\]\[]{0,500}\]\([^()\s]{0,2000}(?:[ \t][^()\n]{0,300})?\)`
pub fn match_image(text: &[char], at: usize) -> Option<usize> {
    let words = pass(text, at, "![")?;
    let words_end = skip_most(text, words, LONGEST_WORDS, |c| c != '[' && c != ']');
    let address = pass(text, words_end, "](")?;
    let mut end = skip_most(text, address, LONGEST_ADDRESS, |c| c != '(' && c != ')' && !is_space(c));
    if text.get(end).is_some_and(|c| is_blank(*c)) {
        end = skip_most(text, end + 1, LONGEST_TITLE, |c| !matches!(c, '(' | ')' | '\n'));
    }
    pass(text, end, ")")
}

/// An image as the words of a link: `\[IMAGE\]\([^()\s]{0,2000}\)`.
pub fn match_linked_image(text: &[char], at: usize) -> Option<usize> {
    let address = pass(text, match_image(text, at + 1)?, "](")?;
    pass(text, skip_most(text, address, LONGEST_ADDRESS, |c| c != '(' && c != ')' && !is_space(c)), ")")
}

/// Match `[words](address "title")`, with the address in angles or with parentheses of its own.
pub fn match_link(text: &[char], at: usize) -> Option<LinkMatch> {
    let words_end = match_bracketed(text, at, LONGEST_WORDS)?;
    let start = pass(text, words_end, "(")?;
    let (address, after) = if text.get(start) == Some(&'<') {
        let end = skip_most(text, start + 1, LONGEST_ADDRESS, |c| !matches!(c, '<' | '>' | '\n'));
        ((start + 1, end), pass(text, end, ">")?)
    } else {
        let end = find_address_end(text, start);
        ((start, end), end)
    };
    if address.1 == address.0 {
        return None;
    }
    let close = match_title(text, after).or_else(|| match_close(text, after))?;
    Some(LinkMatch { words: (at + 1, words_end - 1), address, end: close })
}

/// `(?:[^()\s<>]|\([^()\s]{0,200}\)){1,2000}`: where it ends.
fn find_address_end(text: &[char], start: usize) -> usize {
    let mut end = start;
    for _ in 0..LONGEST_ADDRESS {
        end = match text.get(end) {
            Some('(') => {
                let inside = skip_most(text, end + 1, LONGEST_PARENTHESIS, |c| c != '(' && c != ')' && !is_space(c));
                match pass(text, inside, ")") {
                    Some(close) => close,
                    None => return end,
                }
            }
            Some(c) if !matches!(c, ')' | '<' | '>') && !is_space(*c) => end + 1,
            _ => return end,
        };
    }
    end
}

/// `[ \t\n]+["'(][^\n]{0,300}?["')][ \t]{0,3}\)`: where it ends.
fn match_title(text: &[char], at: usize) -> Option<usize> {
    let quote = skip(text, at, |c| is_blank(c) || c == '\n');
    if quote == at || !matches!(text.get(quote)?, '"' | '\'' | '(') {
        return None;
    }
    let start = quote + 1;
    let last = skip_most(text, start, LONGEST_TITLE, |c| c != '\n');
    (start..=last).find_map(|end| match text.get(end)? {
        '"' | '\'' | ')' => match_close(text, end + 1),
        _ => None,
    })
}

/// `[ \t]{0,3}\)`
fn match_close(text: &[char], at: usize) -> Option<usize> {
    pass(text, skip_most(text, at, 3, is_blank), ")")
}

/// `\[([^\]\[]{1,500})\]\[[^\]\[\n]{0,200}\]`: its words and where it ends.
pub fn match_reference(text: &[char], at: usize) -> Option<(Span, usize)> {
    let words_end = match_bracketed(text, at, LONGEST_WORDS)?;
    let label = pass(text, words_end, "[")?;
    let end = pass(text, skip_most(text, label, LONGEST_LABEL, |c| !matches!(c, '[' | ']' | '\n')), "]")?;
    Some(((at + 1, words_end - 1), end))
}

/// `<(https?://[^\s<>]{1,2000})>`: the address and where the angles end.
pub fn match_address(text: &[char], at: usize) -> Option<(Span, usize)> {
    let start = pass(text, at + 1, "https://").or_else(|| pass(text, at + 1, "http://"))?;
    let end = skip_most(text, start, LONGEST_ADDRESS, |c| c != '<' && c != '>' && !is_space(c));
    if end == start {
        return None;
    }
    Some(((at + 1, end), pass(text, end, ">")?))
}

/// Find the first `\shref\s{0,3}=\s{0,3}["']?(https?://[^\s"'<>]{1,2000})`, in small or capital letters: the address.
pub fn find_href(tag: &[char]) -> Option<String> {
    (0..tag.len()).filter(|at| is_space(tag[*at])).find_map(|at| match_href(tag, at + 1))
}

fn match_href(tag: &[char], at: usize) -> Option<String> {
    let name_end = pass_any_case(tag, at, "href")?;
    let equals = pass(tag, skip_most(tag, name_end, 3, is_space), "=")?;
    let quote = skip_most(tag, equals, 3, is_space);
    let start = skip_most(tag, quote, 1, |c| c == '"' || c == '\'');
    let scheme_end = pass_any_case(tag, start, "http")?;
    // Python's `re` takes the long s for an s when case does not matter.
    let colon = skip_most(tag, scheme_end, 1, |c| matches!(c, 's' | 'S' | 'ſ'));
    let host = pass(tag, colon, "://")?;
    let end = skip_most(tag, host, LONGEST_ADDRESS, |c| !matches!(c, '"' | '\'' | '<' | '>') && !is_space(c));
    (end > host).then(|| tag[start..end].iter().collect())
}

/// Return where a word of small letters ends that begins at `at`, whatever its case.
fn pass_any_case(text: &[char], at: usize, word: &str) -> Option<usize> {
    let found = text.get(at..at + word.len())?;
    found.iter().map(char::to_ascii_lowercase).eq(word.chars()).then_some(at + word.len())
}
