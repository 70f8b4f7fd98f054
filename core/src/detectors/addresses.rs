//! Addresses written out in a text: `https?://[^\s)>\]]{3,200}|www\.[^\s)>\]]{3,200}` of Python's `re`.

use crate::buffer::Span;
use crate::chars;

const FEWEST: usize = 3; // characters after the beginning
const MOST: usize = 200;
const BEGINNINGS: [&[char]; 3] =
    [&['h', 't', 't', 'p', ':', '/', '/'], &['h', 't', 't', 'p', 's', ':', '/', '/'], &['w', 'w', 'w', '.']];

pub fn find_addresses(text: &[char]) -> Vec<Span> {
    let mut spans = Vec::new();
    let mut at = 0;
    while at < text.len() {
        match end_of_address(&text[at..]) {
            Some(length) => {
                spans.push((at, at + length));
                at += length;
            }
            None => at += 1,
        }
    }
    spans
}

/// The length of the address that a text begins with.
fn end_of_address(text: &[char]) -> Option<usize> {
    if !matches!(text[0], 'h' | 'w') {
        return None;
    }
    let beginning = BEGINNINGS.iter().find(|beginning| text.starts_with(beginning))?.len();
    let is_part = |c: &&char| !matches!(**c, ')' | '>' | ']') && !chars::is_space(**c);
    let rest = text[beginning..].iter().take(MOST).take_while(is_part).count();
    (rest >= FEWEST).then_some(beginning + rest)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn find(text: &str) -> Vec<Span> {
        find_addresses(&text.chars().collect::<Vec<char>>())
    }

    #[test]
    fn an_address_ends_at_white_space_and_closing_brackets() {
        assert_eq!(find("(http://a.b) https://c.d/e] www.f.g\u{2003}x"), [(1, 11), (13, 26), (28, 35)]);
    }

    #[test]
    fn short_ones_and_capitals_are_no_addresses() {
        assert_eq!(find("http://ab www.ab HTTP://abc httpx://abc http:/abc"), []);
    }

    #[test]
    fn a_long_address_is_cut() {
        assert_eq!(find(&format!("www.{}", "a".repeat(300))), [(0, 204)]);
        assert_eq!(find(&format!("www.{}", "www.".repeat(60))), [(0, 204), (204, 244)]);
    }
}
