//! Accents written as two characters, composed into one, with the way back to the offsets of the text as it was.

use super::scan::skip_most;
use crate::chars::{self, is_letter};

const MOST_ACCENTS: usize = 8; // of one letter

/// A text and where its offsets were before: `starts` and `originals` are the beginnings of unshifted stretches.
pub struct Composed {
    pub text: Vec<char>,
    pub starts: Vec<usize>,
    pub originals: Vec<usize>,
}

impl Composed {
    /// A text whose offsets are those of the original.
    pub fn unmoved(text: Vec<char>) -> Composed {
        Composed { text, starts: vec![0], originals: vec![0] }
    }

    /// Whether any offset differs from that of the original.
    pub fn is_moved(&self) -> bool {
        self.starts.len() > 1
    }

    /// The offset in the original text of an offset in the composed one.
    pub fn original(&self, offset: usize) -> usize {
        let run = self.starts.partition_point(|start| *start <= offset).saturating_sub(1);
        self.originals[run] + offset - self.starts[run]
    }
}

/// Compose every letter with the accents that follow it, where there is one character for them.
pub fn compose(text: Vec<char>) -> Composed {
    if !text.iter().any(|c| is_accent(*c)) {
        return Composed::unmoved(text);
    }
    let mut composed = Composed { text: Vec::with_capacity(text.len()), starts: vec![0], originals: vec![0] };
    let mut copied = 0; // up to here the text is copied
    let mut at = 0;
    while at < text.len() {
        // `[^\W\d_][\u0300-\u036f]{1,8}`
        let end = skip_most(&text, at + 1, MOST_ACCENTS, is_accent);
        if end == at + 1 || !is_letter(text[at]) {
            at += 1;
            continue;
        }
        let whole = normalize(&text[at..end]);
        if whole.len() != end - at {
            composed.text.extend_from_slice(&text[copied..at]);
            composed.text.extend(whole);
            composed.starts.push(composed.text.len());
            composed.originals.push(end);
            copied = end;
        }
        at = end;
    }
    composed.text.extend_from_slice(&text[copied..]);
    composed
}

fn is_accent(c: char) -> bool {
    matches!(c, '\u{300}'..='\u{36f}')
}

/// Return a letter and its accents in Unicode's composed form (NFC).
fn normalize(cluster: &[char]) -> Vec<char> {
    let mut parts = Vec::with_capacity(2 * cluster.len());
    cluster.iter().for_each(|c| decompose(*c, &mut parts));
    order(&mut parts);
    let mut whole: Vec<char> = Vec::with_capacity(parts.len());
    let mut base: Option<usize> = None; // the last character that accents can join
    for c in parts {
        let class = chars::order(c);
        if let Some(at) = base {
            // An accent joins its base unless one of the same place, or another base, is between them.
            let is_free = at + 1 == whole.len() || whole.last().is_some_and(|last| chars::order(*last) < class);
            if let Some(joined) = chars::compose(whole[at], c).filter(|_| is_free) {
                whole[at] = joined;
                continue;
            }
        }
        if class == 0 {
            base = Some(whole.len());
        }
        whole.push(c);
    }
    whole
}

fn decompose(c: char, parts: &mut Vec<char>) {
    match chars::decompose(c) {
        Some((base, mark)) => {
            decompose(base, parts);
            mark.into_iter().for_each(|mark| decompose(mark, parts));
        }
        None => parts.push(c),
    }
}

/// Sort every run of accents by their class; those of one class keep their order.
fn order(parts: &mut [char]) {
    for accents in parts.split_mut(|c| chars::order(*c) == 0) {
        accents.sort_by_key(|c| chars::order(*c));
    }
}
