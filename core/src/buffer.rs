//! A text as characters and as UTF-8: offsets are those of characters, as in Python; patterns search the bytes.

use crate::chars;

/// A half-open span of characters.
pub type Span = (usize, usize);

pub struct Buffer {
    pub chars: Vec<char>,
    pub utf8: String,
    starts: Vec<u32>, // the byte at which each character starts, and the end; empty for an ASCII text
}

impl Buffer {
    pub fn new(chars: Vec<char>) -> Buffer {
        let mut utf8 = String::with_capacity(chars.len() + 8);
        utf8.extend(chars.iter());
        let mut starts = Vec::new();
        if utf8.len() != chars.len() {
            starts.reserve(chars.len() + 1);
            let mut at = 0u32;
            for c in &chars {
                starts.push(at);
                at += c.len_utf8() as u32;
            }
            starts.push(at);
        }
        Buffer { chars, utf8, starts }
    }

    pub fn len(&self) -> usize {
        self.chars.len()
    }

    pub fn is_empty(&self) -> bool {
        self.chars.is_empty()
    }

    pub fn is_ascii(&self) -> bool {
        self.starts.is_empty()
    }

    /// The byte at which a character starts.
    #[inline]
    pub fn byte(&self, point: usize) -> usize {
        if self.starts.is_empty() {
            point
        } else {
            self.starts[point] as usize
        }
    }

    /// The character that starts at a byte.
    #[inline]
    pub fn point(&self, byte: usize) -> usize {
        if self.starts.is_empty() {
            byte
        } else {
            self.starts.partition_point(|s| (*s as usize) < byte)
        }
    }

    /// The text of a span of characters.
    #[inline]
    pub fn slice(&self, start: usize, end: usize) -> &str {
        if end <= start {
            ""
        } else {
            &self.utf8[self.byte(start)..self.byte(end)]
        }
    }

    /// The text in lower case, character by character.
    pub fn lowered(&self) -> Buffer {
        if self.is_ascii() {
            let utf8 = self.utf8.to_ascii_lowercase();
            return Buffer {
                chars: self.chars.iter().map(char::to_ascii_lowercase).collect(),
                utf8,
                starts: Vec::new(),
            };
        }
        Buffer::new(self.chars.iter().map(|c| chars::lower(*c)).collect())
    }
}

/// The words between white space, as Python's `str.split()` finds them.
pub fn words(chars: &[char]) -> impl Iterator<Item = &[char]> {
    chars.split(|c| chars::is_space(*c)).filter(|word| !word.is_empty())
}

/// The number of words between white space, counted no further than `most`.
pub fn count_words(chars: &[char], most: usize) -> usize {
    words(chars).take(most).count()
}

/// A span without the white space at its ends, as Python's `str.strip()` leaves it.
pub fn trim(chars: &[char], (start, end): Span) -> Span {
    let piece = &chars[start..end.max(start)];
    let Some(first) = piece.iter().position(|c| !chars::is_space(*c)) else {
        return (start + piece.len(), start + piece.len());
    };
    let last = piece.iter().rposition(|c| !chars::is_space(*c)).map_or(first, |at| at + 1);
    (start + first, start + last)
}
