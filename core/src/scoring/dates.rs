//! Dates in short texts.

use crate::chars;
use crate::components::is_year;
use crate::language::Language;

/// A day, as the number of days since the first of January of the year 1.
pub type Day = i64;

fn is_leap(year: i64) -> bool {
    (year % 4 == 0 && year % 100 != 0) || year % 400 == 0
}

/// The day of a date, or None where there is no such date.
pub fn to_day(year: i64, month: i64, day: i64) -> Option<Day> {
    let february = if is_leap(year) { 29 } else { 28 };
    let lengths = [31, february, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31];
    let length = *lengths.get(usize::try_from(month - 1).ok()?)?;
    if !(1..=9999).contains(&year) || !(1..=length).contains(&day) {
        return None;
    }
    let before = year - 1;
    let passed: i64 = lengths[..(month - 1) as usize].iter().sum();
    Some(before * 365 + before / 4 - before / 100 + before / 400 + passed + day)
}

fn is_word(c: char) -> bool {
    c.is_ascii_alphanumeric() || c == '_'
}

/// Whether a boundary of ASCII words lies before the character at `at`.
fn is_boundary(text: &[char], at: usize) -> bool {
    let before = at > 0 && is_word(text[at - 1]);
    let after = text.get(at).is_some_and(|c| is_word(*c));
    before != after
}

fn digit(text: &[char], at: usize) -> Option<i64> {
    text.get(at).and_then(|c| c.to_digit(10)).map(i64::from)
}

fn digits(text: &[char], at: usize, n: usize) -> Option<i64> {
    (at..at + n).try_fold(0, |number, at| Some(number * 10 + digit(text, at)?))
}

/// A year of the twentieth or twenty-first century at an offset.
fn modern_year(text: &[char], at: usize) -> Option<i64> {
    digits(text, at, 4).filter(|year| (1900..2100).contains(year))
}

/// YYYY-MM-DD; the first that looks like one, valid or not.
fn find_iso(text: &[char]) -> Option<(i64, i64, i64)> {
    (0..text.len()).find_map(|at| {
        let year = modern_year(text, at).filter(|_| is_boundary(text, at))?;
        let month = digits(text, at + 5, 2).filter(|month| *month < 20)?;
        let day = digits(text, at + 8, 2).filter(|day| *day < 40)?;
        let dashes = text.get(at + 4) == Some(&'-') && text.get(at + 7) == Some(&'-');
        (dashes && digit(text, at + 10).is_none()).then_some((year, month, day))
    })
}

/// The readings of a number of one or two digits at an offset whose first may be at most `most`, the longer first.
fn short_numbers(text: &[char], at: usize, most: i64) -> Vec<(i64, usize)> {
    let mut found = Vec::new();
    if let (Some(first), Some(second)) = (digit(text, at), digit(text, at + 1)) {
        if first <= most {
            found.push((first * 10 + second, at + 2));
        }
    }
    found.extend(digit(text, at).map(|number| (number, at + 1)));
    found
}

/// Where a number can begin after a separator and perhaps a space.
fn after_separator(text: &[char], at: usize) -> Vec<usize> {
    if !matches!(text.get(at), Some('.' | '/' | '-')) {
        return Vec::new();
    }
    if text.get(at + 1) == Some(&' ') {
        vec![at + 2, at + 1]
    } else {
        vec![at + 1]
    }
}

/// D.M.YYYY with dots, slashes or dashes.
fn find_day_first(text: &[char]) -> Option<(i64, i64, i64)> {
    (0..text.len()).filter(|at| is_boundary(text, *at)).find_map(|at| {
        for (day, end) in short_numbers(text, at, 3) {
            for start in after_separator(text, end) {
                for (month, end) in short_numbers(text, start, 1) {
                    for start in after_separator(text, end) {
                        if let Some(year) = modern_year(text, start).filter(|_| digit(text, start + 4).is_none()) {
                            return Some((year, month, day));
                        }
                    }
                }
            }
        }
        None
    })
}

/// The first year from 1800 to 2099 that is a word, as four characters.
pub fn find_year(text: &[char], from: usize, end: usize) -> Option<usize> {
    (from..end.saturating_sub(3)).find(|at| {
        let free = at + 4 >= end || !is_word(text[at + 4]);
        is_year(&text[*at..at + 4]) && free && (*at == 0 || !is_word(text[at - 1]))
    })
}

/// The date in a short text, or None: an ISO date, or the name of a month with a year and perhaps a day.
pub fn parse_date(text: &[char], language: &Language, year_alone: bool) -> Option<Day> {
    if let Some((year, month, day)) = find_iso(text) {
        return to_day(year, month, day);
    }
    if language.day_first {
        if let Some((year, month, day)) = find_day_first(text) {
            return to_day(year, month, day);
        }
    }
    let year = find_year(text, 0, text.len());
    let month = find_month(text, language);
    let year = year.filter(|_| month.is_some() || year_alone)?;
    let number = digits(text, year, 4)?;
    let Some(month) = month else { return to_day(number, 1, 1) };
    to_day(number, i64::from(month), find_day(&without(text, &text[year..year + 4]), language))
}

fn find_month(text: &[char], language: &Language) -> Option<u32> {
    let words = text.split(|c| !chars::is_letter(*c)).filter(|word| !word.is_empty());
    words
        .map(|word| word.iter().map(|c| chars::lower(*c)).collect::<String>())
        .find_map(|word| language.months.get(&word).copied())
}

/// The text with every occurrence of a year replaced by a space.
fn without(text: &[char], year: &[char]) -> Vec<char> {
    let mut rest = Vec::with_capacity(text.len());
    let mut at = 0;
    while at < text.len() {
        if text[at..].starts_with(year) {
            rest.push(' ');
            at += year.len();
        } else {
            rest.push(text[at]);
            at += 1;
        }
    }
    rest
}

/// The first number from 1 to 31, perhaps with the ending of an ordinal; 1 without any.
fn find_day(text: &[char], language: &Language) -> i64 {
    let mut at = 0;
    while at < text.len() {
        let found = if is_boundary(text, at) { match_day(text, at, language) } else { None };
        match found {
            Some((day, _)) if (1..=31).contains(&day) => return day,
            Some((_, end)) => at = end,
            None => at += 1,
        }
    }
    1
}

fn match_day(text: &[char], at: usize, language: &Language) -> Option<(i64, usize)> {
    for (number, end) in short_numbers(text, at, 3) {
        let endings = language.ordinals.iter().filter_map(|ending| {
            let length = ending.chars().count();
            let matches = text.len() >= end + length && ending.chars().eq(text[end..end + length].iter().copied());
            matches.then_some(end + length)
        });
        if let Some(end) = endings.chain([end]).find(|end| is_boundary(text, *end)) {
            return Some((number, end));
        }
    }
    None
}
