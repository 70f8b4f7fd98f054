//! What can be read off a pattern's expression: what a match can start with, and its edges.

use regex_syntax::hir::{Class, Hir, HirKind, Look};

/// The bytes that a match can start with, unless it starts the text.
#[derive(Clone, Copy)]
pub struct FirstBytes([bool; 256]);

/// What a match can start with: a byte, and after a boundary of one character the byte behind it.
pub struct Opening {
    first: FirstBytes,
    second: Option<FirstBytes>,
}

impl Opening {
    pub fn of(hir: &Hir) -> Opening {
        let parts: Vec<&Hir> = match hir.kind() {
            HirKind::Concat(parts) => parts.iter().collect(),
            _ => vec![hir],
        };
        let is_boundary = is_one_character(parts[0]);
        let second = (is_boundary && parts.len() > 1).then(|| FirstBytes::of(&parts[1..]));
        Opening { first: FirstBytes::of(&parts), second }
    }

    /// Whether a match can start at an offset; at the start of the text always.
    #[inline]
    pub fn fits(&self, bytes: &[u8], at: usize) -> bool {
        let Some(byte) = bytes.get(at) else { return at == 0 };
        if at == 0 {
            return true;
        }
        if !self.first.0[usize::from(*byte)] || byte & 0xC0 == 0x80 {
            return false; // a byte inside a character begins nothing
        }
        let Some(second) = &self.second else { return true };
        let length = match byte {
            0..0xC0 => 1,
            0xC0..0xE0 => 2,
            0xE0..0xF0 => 3,
            _ => 4,
        };
        bytes.get(at + length).is_none_or(|next| second.0[usize::from(*next)])
    }
}

/// Whether one character stands before and behind a pattern's group and nothing else: the group needs no search then.
#[derive(Clone, Copy)]
pub struct Edges {
    before: bool,
    after: bool,
}

impl Edges {
    pub fn of(hir: &Hir) -> Option<Edges> {
        let HirKind::Concat(parts) = hir.kind() else { return None };
        let is_group = |part: &Hir| matches!(part.kind(), HirKind::Capture(_));
        match parts.as_slice() {
            [before, group] if is_group(group) && is_one_character(before) => {
                Some(Edges { before: true, after: false })
            }
            [group, after] if is_group(group) && is_one_character(after) => Some(Edges { before: false, after: true }),
            [before, group, after] if is_group(group) && is_one_character(before) && is_one_character(after) => {
                Some(Edges { before: true, after: true })
            }
            _ => None,
        }
    }

    /// The group of a match; None at the edges of the text, where there may be no character beside it.
    pub fn group(self, text: &[u8], start: usize, end: usize) -> Option<(usize, usize)> {
        if (self.before && start == 0) || (self.after && end == text.len()) {
            return None;
        }
        let is_inside = |at: usize| text.get(at).is_some_and(|byte| byte & 0xC0 == 0x80);
        let (mut first, mut last) = (start, end);
        if self.before {
            first += 1;
            while is_inside(first) {
                first += 1;
            }
        }
        if self.after {
            last -= 1;
            while is_inside(last) {
                last -= 1;
            }
        }
        Some((first, last))
    }
}

/// Whether an expression is one character, or else an edge of the text.
fn is_one_character(hir: &Hir) -> bool {
    match hir.kind() {
        HirKind::Class(_) | HirKind::Look(Look::Start | Look::End) => true,
        HirKind::Alternation(branches) => branches.iter().all(is_one_character),
        _ => false,
    }
}

impl FirstBytes {
    pub fn of(parts: &[&Hir]) -> FirstBytes {
        let mut first = FirstBytes([false; 256]);
        if parts.iter().all(|part| first.add(part)) {
            first.0 = [true; 256]; // it may match nothing
        }
        first
    }

    /// Add what an expression can start with; return whether something after it can start the match too.
    fn add(&mut self, hir: &Hir) -> bool {
        match hir.kind() {
            HirKind::Empty => true,
            HirKind::Look(Look::Start) => false, // only at the start of the text, which is always tried
            HirKind::Look(_) => true,
            HirKind::Literal(literal) => {
                self.0[usize::from(literal.0[0])] = true;
                false
            }
            HirKind::Class(Class::Unicode(class)) => {
                for range in class.iter() {
                    self.add_range(range.start(), range.end());
                }
                false
            }
            HirKind::Class(Class::Bytes(class)) => {
                class
                    .iter()
                    .for_each(|range| (range.start()..=range.end()).for_each(|b| self.0[usize::from(b)] = true));
                false
            }
            HirKind::Repetition(repetition) => self.add(&repetition.sub) || repetition.min == 0,
            HirKind::Capture(capture) => self.add(&capture.sub),
            HirKind::Concat(parts) => parts.iter().all(|part| self.add(part)),
            HirKind::Alternation(branches) => branches.iter().fold(false, |open, branch| self.add(branch) || open),
        }
    }

    fn add_range(&mut self, start: char, end: char) {
        let mut buffer = [0; 4];
        let mut first = |c: char| c.encode_utf8(&mut buffer).as_bytes()[0];
        let (low, high) = (first(start), first(end));
        (low..=high).for_each(|byte| self.0[usize::from(byte)] = true);
    }
}
