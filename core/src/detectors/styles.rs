//! Inline styles that put text out of sight; "0.9em" and "background-color: white" do not.
//!
//! Written by hand after this pattern of Python's `re`, which ignores case as Unicode does:
//!
//! ```text
//! style\s{0,3}=\s{0,3}["'][^"'<>]{0,200}?
//! (?:-[0-9]{3,6}px|(?<![-\w])(?:
//!    (?:font-size|opacity|(?:max-)?(?:height|width))\s{0,3}:\s{0,3}0(?![0-9.]{0,9}[1-9])|
//!    color\s{0,3}:\s{0,3}(?:\#f{3,6}\b|white|transparent)|clip\s{0,3}:))
//! ```

use crate::chars;

const MOST_SPACES: usize = 3;
const MOST_BEFORE: usize = 200; // characters of a style before what hides
const MOST_AFTER_ZERO: usize = 9; // digits and points before the one that makes a size visible

/// The offsets at which the out-of-sight styles of a text start.
pub fn find_styles(text: &[char]) -> Vec<usize> {
    let mut starts = Vec::new();
    let mut at = 0;
    while at < text.len() {
        match end_of_style(text, at) {
            Some(end) => {
                starts.push(at);
                at = end;
            }
            None => at += 1,
        }
    }
    starts
}

/// Whether a character is this small letter when case is ignored; four other characters are, besides capitals.
fn is_letter(c: char, letter: char) -> bool {
    c.to_ascii_lowercase() == letter
        || match c {
            'ſ' => letter == 's',
            'ı' | 'İ' => letter == 'i',
            '\u{212a}' => letter == 'k',
            _ => false,
        }
}

/// The end of a word that starts at an offset.
fn skip_word(text: &[char], at: usize, word: &str) -> Option<usize> {
    let mut end = at;
    for letter in word.chars() {
        if !is_letter(*text.get(end)?, letter) {
            return None;
        }
        end += 1;
    }
    Some(end)
}

/// The end of a mark, with up to three white spaces before it.
fn skip_to_mark(text: &[char], at: usize, is_mark: impl Fn(char) -> bool) -> Option<usize> {
    let mut end = at;
    while end < at + MOST_SPACES && text.get(end).is_some_and(|c| chars::is_space(*c)) {
        end += 1;
    }
    text.get(end).is_some_and(|c| is_mark(*c)).then_some(end + 1)
}

fn end_of_style(text: &[char], start: usize) -> Option<usize> {
    let name = skip_word(text, start, "style")?;
    let equals = skip_to_mark(text, name, |c| c == '=')?;
    let first = skip_to_mark(text, equals, |c| matches!(c, '"' | '\''))?;
    for at in first..=first + MOST_BEFORE {
        let end = end_of_distance(text, at).or_else(|| end_of_property(text, at));
        if end.is_some() {
            return end;
        }
        if matches!(text.get(at)?, '"' | '\'' | '<' | '>') {
            return None;
        }
    }
    None
}

/// A distance far to the left or above: `-[0-9]{3,6}px`.
fn end_of_distance(text: &[char], at: usize) -> Option<usize> {
    if text.get(at) != Some(&'-') {
        return None;
    }
    let digits = text[at + 1..].iter().take(7).take_while(|c| c.is_ascii_digit()).count();
    if (3..=6).contains(&digits) {
        skip_word(text, at + 1 + digits, "px")
    } else {
        None
    }
}

fn end_of_property(text: &[char], at: usize) -> Option<usize> {
    let before = text[at - 1]; // at least the quotation mark
    if before == '-' || chars::is_word(before) {
        return None;
    }
    end_of_size(text, at).or_else(|| end_of_color(text, at)).or_else(|| {
        let name = skip_word(text, at, "clip")?;
        skip_to_mark(text, name, |c| c == ':')
    })
}

/// A size or opacity of zero.
fn end_of_size(text: &[char], at: usize) -> Option<usize> {
    let side = |at: usize| skip_word(text, at, "height").or_else(|| skip_word(text, at, "width"));
    let name = skip_word(text, at, "font-size")
        .or_else(|| skip_word(text, at, "opacity"))
        .or_else(|| skip_word(text, at, "max-").and_then(side))
        .or_else(|| side(at))?;
    let colon = skip_to_mark(text, name, |c| c == ':')?;
    let zero = skip_to_mark(text, colon, |c| c == '0')?;
    let number = text[zero..].iter().take(MOST_AFTER_ZERO + 1);
    let is_visible = number.take_while(|c| matches!(c, '0'..='9' | '.')).any(|c| matches!(c, '1'..='9'));
    (!is_visible).then_some(zero)
}

/// White or transparent letters.
fn end_of_color(text: &[char], at: usize) -> Option<usize> {
    let name = skip_word(text, at, "color")?;
    let colon = skip_to_mark(text, name, |c| c == ':')?;
    let value = (colon..=colon + MOST_SPACES).find(|at| !text.get(*at).is_some_and(|c| chars::is_space(*c)))?;
    if text.get(value) == Some(&'#') {
        let digits = text[value + 1..].iter().take(7).take_while(|c| matches!(c, 'f' | 'F')).count();
        let end = value + 1 + digits;
        let is_whole = text.get(end).is_none_or(|c| !chars::is_word(*c));
        return ((3..=6).contains(&digits) && is_whole).then_some(end);
    }
    skip_word(text, value, "white").or_else(|| skip_word(text, value, "transparent"))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn find(text: &str) -> Vec<usize> {
        find_styles(&text.chars().collect::<Vec<char>>())
    }

    #[test]
    fn what_hides_is_found() {
        for style in [
            "style=\"font-size:0\"",
            "STYLE = 'color: WHITE'",
            "style='a: b; opacity : 0.0'",
            "style='max-height:0px'",
            "style='text-indent:-9999px'",
            "style='color:#fff'",
            "style='color:#FFFFFF;'",
            "style='color:transparent'",
            "style='clip :rect(0,0,0,0)'",
            "ſtyle='wıdth:0'",
            "style='(HEİGHT:0.00'",
            "style='height:0.0000000001'",
        ] {
            assert_eq!(find(style), [0], "{style}");
        }
    }

    #[test]
    fn what_does_not_hide_is_not_found() {
        for style in [
            "style='font-size:0.9em'",
            "style='background-color: white'",
            "style='min-height:0'",
            "style='lineheight:0'",
            "style='color:#ff'",
            "style='color:#fffffff'",
            "style='color:#fffa'",
            "style='left:-99px'",
            "style='left:-9999999px'",
            "style='a'b='width:0'",
            "style    ='width:0'",
            "style='width    :0'",
            "style='height:0.000000001'",
            "style=width:0",
        ] {
            assert!(find(style).is_empty(), "{style}");
        }
    }

    #[test]
    fn what_hides_is_near_the_beginning_of_a_style() {
        let long = |before: usize| format!("style='{};width:0'", "a".repeat(before));
        assert_eq!(find(&long(199)), [0]);
        assert!(find(&long(200)).is_empty());
    }

    #[test]
    fn one_style_counts_once() {
        assert_eq!(find("style='width:0;height:0' style='clip:'"), [0, 25]);
    }
}
