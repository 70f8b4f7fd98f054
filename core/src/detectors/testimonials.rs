//! testimonials: praise in the first person, with stars: what invented reviews consist of.

use super::page_words::PageWords;
use super::word_kinds::{PRAISE, SELF};
use super::{find_best_run, Measurement};
use crate::chars;

const USUAL: f64 = 0.16; // per word that an ordinary sentence may have
const OF_PRAISE: f64 = 1.0;
const OF_SELF: f64 = 0.5;
const OF_RATING: f64 = 2.0;
const OF_EXCLAMATION: f64 = 0.5;
const MOST_STARS: usize = 10; // of one rating
const ASTERISKS: usize = 5;

/// Words of praise, of the first person, ratings and exclamation marks beyond the usual, in the densest passage.
pub fn measure(page: &PageWords) -> Measurement {
    if page.len() == 0 {
        return Measurement::default();
    }
    let is = |kinds: u32, kind: u32| f64::from(kinds & kind != 0);
    let weigh = |kinds: u32| OF_PRAISE * is(kinds, PRAISE) + OF_SELF * is(kinds, SELF) - USUAL;
    let mut values: Vec<f64> = (0..page.len()).map(|at| weigh(page.kinds(at))).collect();
    let text = page.text;
    let ratings = find_ratings(text, &page.doc.language.word_kinds.out_of);
    for at in &ratings {
        // before what is said, most of the time
        values[page.count_before(*at).min(page.len() - 1)] += OF_RATING;
    }
    for (at, _) in text.iter().enumerate().filter(|(_, c)| **c == '!') {
        values[page.count_up_to(at).saturating_sub(1)] += OF_EXCLAMATION;
    }
    let run = find_best_run(values);
    let mut spans = Vec::new();
    if run.best > 0.0 {
        spans.push(page.span(run.first, run.last - 1));
    }
    Measurement::new(run.best, [("ratings", ratings.len()), ("words", run.last - run.first)], spans)
}

/// The offsets of stars and of "5 out of 5", in this order of preference:
/// `[★☆⭐]{1,10}|\*{5}|\b(?:[45](?:[.,][0-9])?|9|10) ?(?:OUT_OF) ?(?:5|10)\b` of Python's `re`.
fn find_ratings(text: &[char], out_of: &[Vec<char>]) -> Vec<usize> {
    let mut found = Vec::new();
    let mut at = 0;
    while at < text.len() {
        let end = match text[at] {
            '★' | '☆' | '⭐' => {
                let stars = text[at..].iter().take(MOST_STARS).take_while(|c| matches!(c, '★' | '☆' | '⭐'));
                Some(at + stars.count())
            }
            '*' => text[at..].starts_with(&['*'; ASTERISKS]).then_some(at + ASTERISKS),
            '1' | '4' | '5' | '9' if at == 0 || !chars::is_word(text[at - 1]) => end_of_rating(text, at, out_of),
            _ => None,
        };
        if end.is_some() {
            found.push(at);
        }
        at = end.unwrap_or(at + 1);
    }
    found
}

/// The end of a rating in numbers that starts at an offset with its first number.
fn end_of_rating(text: &[char], start: usize, out_of: &[Vec<char>]) -> Option<usize> {
    let first = match text[start] {
        '1' if text.get(start + 1) != Some(&'0') => return None,
        '1' => start + 2,
        _ => start + 1,
    };
    let is_decimal = matches!(text[start], '4' | '5')
        && matches!(text.get(first), Some('.' | ','))
        && text.get(first + 1).is_some_and(char::is_ascii_digit);
    let first = if is_decimal { first + 2 } else { first };
    let rest = &text[skip_space(text, first)..];
    let ends = out_of.iter().filter(|words| rest.starts_with(words)).map(|words| text.len() - rest.len() + words.len());
    ends.filter_map(|end| end_of_scale(text, skip_space(text, end))).next()
}

fn skip_space(text: &[char], at: usize) -> usize {
    at + usize::from(text.get(at) == Some(&' '))
}

/// The end of the highest number of a scale that starts at an offset: `(?:5|10)\b`.
fn end_of_scale(text: &[char], at: usize) -> Option<usize> {
    let end = match text.get(at)? {
        '5' => at + 1,
        '1' if text.get(at + 1) == Some(&'0') => at + 2,
        _ => return None,
    };
    text.get(end).is_none_or(|c| !chars::is_word(*c)).then_some(end)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn ratings(text: &str) -> Vec<usize> {
        let out_of: Vec<Vec<char>> = ["/", "out of", "sur", "de"].iter().map(|words| words.chars().collect()).collect();
        find_ratings(&text.chars().collect::<Vec<char>>(), &out_of)
    }

    #[test]
    fn stars_count_in_tens_and_asterisks_in_fives() {
        assert_eq!(ratings("★★☆ ⭐"), [0, 4]);
        assert_eq!(ratings("★★★★★★★★★★★"), [0, 10]);
        assert_eq!(ratings("************"), [0, 5]);
    }

    #[test]
    fn numbers_count_with_what_is_between_them() {
        assert_eq!(ratings("5/5, 4.5 out of 5, 9sur10, 10 / 10, 4,8 de 5"), [0, 5, 19, 27, 36]);
    }

    #[test]
    fn parts_of_words_and_numbers_are_no_ratings() {
        assert_eq!(ratings("15/5 x5/5 5/50 5/5a 4.55/5 6/5 9.5/10 1/10 5  /5 5 Out of 5"), [33]);
    }
}
