//! Where sentences end: a full stop inside a figure, an address or an abbreviation ends none.

use crate::hash::HashSet;

use super::scan::{skip, trim_end};
use crate::buffer::Span;
use crate::chars::{self, is_letter, is_space};

const LONGEST_WORD: usize = 24; // characters before a full stop that are looked at

/// Return the stretches between the ends of sentences, in order; together with their ends they cover the text.
pub fn split(text: &[char], abbreviations: &HashSet<String>, after_ordinals: &HashSet<String>) -> Vec<Span> {
    let mut spans = Vec::new();
    let mut start = 0;
    let mut at = 0;
    while at < text.len() {
        let Some(end) = match_end(text, at) else {
            // A run of marks is tried once.
            at = if is_mark(text[at]) { skip(text, at, is_mark) } else { at + 1 };
            continue;
        };
        if text[at] != '.' || !continues(text, (at, end), abbreviations, after_ordinals) {
            spans.push((start, at));
            start = end;
        }
        at = end;
    }
    spans.push((start, text.len()));
    spans.retain(|span| span.1 > span.0);
    spans
}

fn is_mark(c: char) -> bool {
    matches!(c, '.' | '!' | '?' | '…')
}

fn is_opening(c: char) -> bool {
    matches!(c, '"' | '\'' | '“' | '‘' | '«' | '„' | '(' | '[' | '*' | '_' | '-' | ' ')
}

/// `[.!?…]+["'”’»)\]]*(?=\s|$)|\n`, the first where no such mark is before it: where the end ends.
fn match_end(text: &[char], at: usize) -> Option<usize> {
    match text[at] {
        '\n' => Some(at + 1),
        c if is_mark(c) => {
            let close = skip(text, at, is_mark);
            let end = skip(text, close, |c| matches!(c, '"' | '\'' | '”' | '’' | '»' | ')' | ']'));
            text.get(end).is_none_or(|c| is_space(*c)).then_some(end)
        }
        _ => None,
    }
}

/// Tell whether the sentence goes on after this full stop.
///
/// It does before a small letter, behind an abbreviation, and between an ordinal and its noun (12. Januar).
fn continues(
    text: &[char],
    (start, end): Span,
    abbreviations: &HashSet<String>,
    after_ordinals: &HashSet<String>,
) -> bool {
    let window = &text[end..text.len().min(end + LONGEST_WORD)];
    let following = &window[skip(window, skip(window, 0, is_space), is_opening)..];
    if following.first().is_some_and(|c| chars::is_lower(*c)) {
        return true;
    }
    if end - start > 1 {
        return false;
    }
    let before = trim_end(&text[start.saturating_sub(LONGEST_WORD)..start], is_space);
    let word = &before[before.iter().rposition(|c| is_space(*c)).map_or(0, |space| space + 1)..];
    let last = &word[skip(word, 0, is_opening)..];
    if !after_ordinals.is_empty() && is_ordinal(last) {
        let noun = &following[..skip(following, 0, is_letter)];
        if !noun.is_empty() {
            return after_ordinals.contains(&lower(noun));
        }
    }
    is_initials(last) || abbreviations.contains(&lower(last))
}

/// `[0-9]{1,2}$`
fn is_ordinal(word: &[char]) -> bool {
    (1..=2).contains(&word.len()) && word.iter().all(char::is_ascii_digit)
}

/// `(?:[^\W\d_]\.)*[^\W\d_]$`: "J", "U.S", "e.g".
fn is_initials(word: &[char]) -> bool {
    word.len() % 2 == 1 && word.iter().enumerate().all(|(at, c)| if at % 2 == 0 { is_letter(*c) } else { *c == '.' })
}

fn lower(word: &[char]) -> String {
    word.iter().map(|c| chars::lower(*c)).collect()
}
