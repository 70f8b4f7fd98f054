//! hidden_text: words that no reader sees, and characters that are not what they look like.

use crate::hash::HashSet;

use super::page_words::PageWords;
use super::styles::find_styles;
use super::{Measurement, MOST_PLACES};
use crate::buffer::Span;
use crate::chars;

const WORDS_PER_STYLE: usize = 5; // hidden words that one out-of-sight style counts as
const LONGEST_TAG: usize = 2000; // characters between its brackets
const COMMENT: [char; 4] = ['<', '!', '-', '-'];
const COMMENT_END: [char; 3] = ['-', '-', '>'];
const STYLE: [char; 5] = ['s', 't', 'y', 'l', 'e'];
const FLAG: char = '\u{1f3f4}';
const FLAG_END: char = '\u{e007f}';

/// Hidden words, invisible characters, mixed-script words and out-of-sight styles per 100 words.
pub fn measure(page: &PageWords) -> Measurement {
    let source = &page.doc.source.text[page.source_span.0..page.source_span.1];
    let hidden_words = |(start, end): &Span| count_words(&page.doc.source.text[*start..*end]);
    let hidden: usize = page.hidden().iter().map(hidden_words).sum();
    let mut invisible = 0;
    let mut spans = Vec::new();
    if !page.doc.source.is_ascii {
        invisible = count_invisible(source);
        spans = find_mixed(page.text);
    }
    let styles = count_styles(page, source);
    let total = hidden + invisible + spans.len() + WORDS_PER_STYLE * styles;
    let rate = (100 * total) as f64 / page.len().max(1) as f64;
    let parts = [("hidden_words", hidden), ("invisible", invisible), ("mixed_script", spans.len()), ("styles", styles)];
    spans.truncate(MOST_PLACES);
    let in_source = page.hidden().iter().take(MOST_PLACES).copied().collect();
    Measurement { in_source, ..Measurement::new(rate, parts, spans) }
}

/// The out-of-sight styles of the source. A tag shown to the reader as code hides nothing.
fn count_styles(page: &PageWords, source: &[char]) -> usize {
    let has_style = source.windows(STYLE.len()).any(|letters| letters[2] == STYLE[2] && letters == STYLE);
    if !has_style {
        return 0; // as in Python: a style in capitals counts only on a page that has the word in small letters
    }
    let starts = find_styles(source);
    if starts.is_empty() {
        return 0;
    }
    let view = &page.doc.source.structure.view;
    let shown = find_styles(page.text).into_iter().map(|at| view.source_offset(at + page.offset));
    let shown: HashSet<usize> = shown.collect();
    starts.iter().filter(|start| !shown.contains(&(**start + page.source_span.0))).count()
}

/// The words of a hidden passage, without the markup that hides it.
fn count_words(hidden: &[char]) -> usize {
    let inner = match hidden.strip_prefix(&COMMENT) {
        Some(inner) => inner.strip_suffix(&COMMENT_END).unwrap_or(inner),
        None => hidden,
    };
    let (mut words, mut in_word, mut at) = (0, false, 0);
    while at < inner.len() {
        let tag = length_of_tag(&inner[at..]);
        let is_part = tag.is_none() && !chars::is_space(inner[at]);
        words += usize::from(is_part && !in_word);
        in_word = is_part;
        at += tag.unwrap_or(1);
    }
    words
}

/// The length of the tag that a text begins with: `<[^<>]{0,2000}>`.
fn length_of_tag(text: &[char]) -> Option<usize> {
    if text[0] != '<' {
        return None;
    }
    let inside = text[1..].iter().take(LONGEST_TAG).take_while(|c| !matches!(c, '<' | '>')).count();
    (text.get(inside + 1) == Some(&'>')).then_some(inside + 2)
}

/// Zero-width and direction marks, and the invisible tag characters, without the signs of formulas (U+2061 to U+2064).
fn is_invisible(c: char) -> bool {
    matches!(c,
        '\u{200b}'..='\u{200f}' | '\u{2028}'..='\u{202e}' | '\u{2060}' | '\u{2066}'..='\u{206f}' | '\u{feff}'
        | '\u{e0000}'..='\u{e007f}')
}

fn is_picture(c: char) -> bool {
    matches!(c, '\u{2190}'..='\u{2bff}' | '\u{fe0f}' | '\u{1f000}'..='\u{1faff}')
}

/// Whether any character is of a kind. It reads all of them, several at a time: stopping at the first is slower.
fn has_any(text: &[char], is_kind: impl Fn(char) -> bool) -> bool {
    text.iter().fold(false, |any, c| any | is_kind(*c))
}

/// The invisible characters that are neither an editor's leftover nor part of an emoji.
fn count_invisible(source: &[char]) -> usize {
    if !has_any(source, is_invisible) {
        return 0;
    }
    let without_flags;
    let text = if source.contains(&FLAG) {
        without_flags = shorten_flags(source);
        &without_flags
    } else {
        source
    };
    let is_counted = |(at, c): (usize, &char)| is_invisible(*c) && !is_harmless(text, at);
    text.iter().enumerate().filter(|found| is_counted(*found)).count()
}

/// The text without the tag characters that make the flags of England, Scotland and Wales of a black one.
fn shorten_flags(text: &[char]) -> Vec<char> {
    let mut shortened = Vec::with_capacity(text.len());
    let mut at = 0;
    while at < text.len() {
        shortened.push(text[at]);
        at += 1;
        if text[at - 1] == FLAG {
            let tags = text[at..].iter().take(7).take_while(|c| matches!(c, '\u{e0030}'..='\u{e007a}')).count();
            if (3..=6).contains(&tags) && text.get(at + tags) == Some(&FLAG_END) {
                at += tags + 1;
            }
        }
    }
    shortened
}

/// Whether an invisible character is an editor's leftover (at the edge of a word) or part of an emoji.
fn is_harmless(text: &[char], at: usize) -> bool {
    let before = at.checked_sub(1).map(|before| text[before]);
    let after = text.get(at + 1).copied();
    let is_inside = |c: Option<char>| c.is_some_and(|c| chars::is_alnum(c) || is_invisible(c));
    before.is_some_and(is_picture) || after.is_some_and(is_picture) || !is_inside(before) || !is_inside(after)
}

/// A Cyrillic letter or one of the Greek ones that look Latin; others occur in units and formulas (μm, ΔT).
fn is_look_alike(c: char) -> bool {
    matches!(
        c,
        '\u{400}'
            ..='\u{52f}'
                | '\u{3f2}'
                | '\u{3f3}'
                | 'Α'
                | 'Β'
                | 'Ε'
                | 'Ζ'
                | 'Η'
                | 'Ι'
                | 'Κ'
                | 'Μ'
                | 'Ν'
                | 'Ο'
                | 'Ρ'
                | 'Τ'
                | 'Υ'
                | 'Χ'
                | 'α'
                | 'ν'
                | 'ο'
                | 'ι'
                | 'κ'
                | 'ρ'
                | 'υ'
    )
}

/// The spans of a Latin letter and one of another script that looks like one, next to each other.
fn find_mixed(text: &[char]) -> Vec<Span> {
    let mut spans = Vec::new();
    if !has_any(text, |c| ('Α'..='\u{52f}').contains(&c)) {
        return spans; // no letter of the two scripts
    }
    let mut at = 0;
    while at + 1 < text.len() {
        let (one, other) = (text[at], text[at + 1]);
        let is_mixed =
            (one.is_ascii_alphabetic() && is_look_alike(other)) || (is_look_alike(one) && other.is_ascii_alphabetic());
        if is_mixed {
            spans.push((at, at + 2));
        }
        at += if is_mixed { 2 } else { 1 };
    }
    spans
}

#[cfg(test)]
mod tests {
    use super::*;

    fn chars(text: &str) -> Vec<char> {
        text.chars().collect()
    }

    #[test]
    fn markup_is_not_counted_as_hidden_words() {
        assert_eq!(count_words(&chars("<!-- two words -->")), 2);
        assert_eq!(count_words(&chars("<p hidden>one<b>two</b> a < b</p>")), 5);
        assert_eq!(count_words(&chars("<!--->")), 1);
        assert_eq!(count_words(&chars(&format!("<{}>", "a ".repeat(1001)))), 1002);
    }

    #[test]
    fn invisible_characters_count_inside_words_only() {
        assert_eq!(count_invisible(&chars("a\u{200b}b \u{200b}c d\u{200b}\u{200b}e")), 3);
        assert_eq!(count_invisible(&chars("\u{feff}a")), 0);
        assert_eq!(count_invisible(&chars("👩\u{200d}👩 ❤\u{fe0f}\u{200d}a")), 0);
    }

    #[test]
    fn a_flag_is_no_hidden_text() {
        let flag = |tags: &str| format!("a\u{1f3f4}{tags}\u{e007f}b");
        assert_eq!(count_invisible(&chars(&flag("\u{e0067}\u{e0062}\u{e0065}\u{e006e}\u{e0067}"))), 0);
        assert_eq!(count_invisible(&chars(&flag("\u{e0067}\u{e0062}"))), 2);
    }

    #[test]
    fn mixed_scripts_are_found_in_pairs() {
        assert_eq!(find_mixed(&chars("pаypаl μm ΔT")), [(0, 2), (3, 5)]);
        assert_eq!(find_mixed(&chars("раураl")), [(4, 6)]);
    }
}
