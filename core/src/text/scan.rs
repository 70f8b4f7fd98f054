//! The steps that the hand-written scanners are made of. A scanner sees nothing behind the end of its slice.

/// Return where the run of characters of a class that begins at `at` ends.
#[inline]
pub fn skip(text: &[char], at: usize, class: impl Fn(char) -> bool) -> usize {
    let rest = text.get(at..).unwrap_or_default();
    at + rest.iter().position(|c| !class(*c)).unwrap_or(rest.len())
}

/// Return where the run ends, looking at no more than `most` characters.
#[inline]
pub fn skip_most(text: &[char], at: usize, most: usize, class: impl Fn(char) -> bool) -> usize {
    skip(&text[..text.len().min(at + most)], at, class)
}

/// Return where a character occurs next.
#[inline]
pub fn find(text: &[char], at: usize, wanted: char) -> Option<usize> {
    let rest = text.get(at..).unwrap_or_default();
    rest.iter().position(|c| *c == wanted).map(|n| at + n)
}

/// Return where a word ends that begins at `at`, or None if another text is there.
#[inline]
pub fn pass(text: &[char], at: usize, word: &str) -> Option<usize> {
    let mut end = at;
    for c in word.chars() {
        if text.get(end) != Some(&c) {
            return None;
        }
        end += 1;
    }
    Some(end)
}

/// Return a text without the characters of a class at its end.
#[inline]
pub fn trim_end(text: &[char], class: impl Fn(char) -> bool) -> &[char] {
    &text[..text.iter().rposition(|c| !class(*c)).map_or(0, |last| last + 1)]
}

/// Return a text without the characters of a class at both ends.
#[inline]
pub fn trim(text: &[char], class: impl Fn(char) -> bool) -> &[char] {
    let kept = trim_end(text, &class);
    &kept[skip(kept, 0, &class)..]
}

#[inline]
pub fn is_blank(c: char) -> bool {
    c == ' ' || c == '\t'
}
