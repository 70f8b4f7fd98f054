//! The expressions of patterns, and what can be read off them.

use std::sync::{Arc, OnceLock};

use crate::needs::Listed;
use crate::word_list::{list_in_order, WordList};

const LAST: char = char::MAX;

/// A part of a pattern.
#[derive(Clone)]
pub enum Node {
    Text(Arc<[u8]>),
    One(Arc<Class>),
    All(Arc<Parts>),
    Any(Arc<Parts>), // the first branch that fits
    Repeat(Arc<Repeat>),
    Group(Arc<Node>), // the span that a match stands for
    Start,
    End,
    Boundary, // of an ASCII word
}

/// What follows each other, or the branches of an expression.
#[derive(Default)]
pub struct Parts {
    pub parts: Vec<Node>,
    length: OnceLock<(usize, usize)>,
    pub listed: OnceLock<Option<Listed>>, // all that the branches match
    words: OnceLock<Option<Arc<WordList>>>,
}

impl Parts {
    /// The branches as words, if they are no more than that.
    pub fn words(&self) -> Option<Arc<WordList>> {
        let list = || {
            let each: Option<Vec<_>> = self.parts.iter().map(list_in_order).collect();
            each.map(|words| Arc::new(WordList::new(&words.concat())))
        };
        self.words.get_or_init(list).clone()
    }
}

pub struct Repeat {
    pub part: Node,
    pub least: usize,
    pub most: usize,
    pub greedy: bool,
}

/// A set of characters.
#[derive(PartialEq)]
pub struct Class {
    ascii: [u64; 2],
    pub ranges: Vec<(char, char)>, // in order
}

impl Class {
    pub fn new(mut listed: Vec<(char, char)>, negated: bool) -> Class {
        listed.sort_unstable();
        let mut ranges: Vec<(char, char)> = Vec::with_capacity(listed.len());
        for (low, high) in listed {
            match ranges.last_mut() {
                Some(last) if low as u32 <= last.1 as u32 + 1 => last.1 = last.1.max(high),
                _ => ranges.push((low, high)),
            }
        }
        if negated {
            ranges = leave_out(&ranges);
        }
        let is_in = |c: u32| ranges.iter().any(|(low, high)| *low as u32 <= c && c <= *high as u32);
        let ascii = [0, 64].map(|first| (0..64).filter(|c| is_in(first + c)).map(|c| 1 << c).sum());
        Class { ascii, ranges }
    }

    pub fn of(c: char) -> Class {
        Class::new(vec![(c, c)], false)
    }

    #[inline]
    pub fn has(&self, c: char) -> bool {
        self.ranges.iter().any(|(low, high)| *low <= c && c <= *high)
    }

    /// Whether it has an ASCII character.
    #[inline]
    pub fn has_ascii(&self, byte: u8) -> bool {
        self.ascii[usize::from(byte >> 6 & 1)] >> (byte & 63) & 1 == 1
    }
}

/// The characters between ranges.
fn leave_out(ranges: &[(char, char)]) -> Vec<(char, char)> {
    let mut others = Vec::new();
    let mut next = Some('\0');
    for (low, high) in ranges {
        if let Some(first) = next.filter(|first| first < low) {
            others.push((first, before(*low)));
        }
        next = after(*high);
    }
    others.extend(next.map(|first| (first, LAST)));
    others
}

fn before(c: char) -> char {
    char::from_u32(c as u32 - 1).unwrap_or('\u{d7ff}')
}

fn after(c: char) -> Option<char> {
    (c != LAST).then(|| char::from_u32(c as u32 + 1).unwrap_or('\u{e000}'))
}

impl Node {
    /// The least and most bytes of a match.
    pub fn length(&self) -> (usize, usize) {
        match self {
            Node::Text(text) => (text.len(), text.len()),
            Node::One(class) => {
                let width = |end: Option<char>| end.map_or(1, char::len_utf8);
                (width(class.ranges.first().map(|range| range.0)), width(class.ranges.last().map(|range| range.1)))
            }
            Node::All(all) => *all.length.get_or_init(|| {
                all.parts.iter().map(Node::length).fold((0, 0), |sum, part| (sum.0 + part.0, sum.1 + part.1))
            }),
            Node::Any(any) => *any.length.get_or_init(|| {
                let lengths = any.parts.iter().map(Node::length);
                lengths.reduce(|a, b| (a.0.min(b.0), a.1.max(b.1))).unwrap_or((0, 0))
            }),
            Node::Repeat(repeat) => {
                let (least, most) = repeat.part.length();
                (least * repeat.least, most * repeat.most)
            }
            Node::Group(part) => part.length(),
            Node::Start | Node::End | Node::Boundary => (0, 0),
        }
    }

    pub fn has_group(&self) -> bool {
        match self {
            Node::Group(_) => true,
            Node::All(parts) | Node::Any(parts) => parts.parts.iter().any(Node::has_group),
            Node::Repeat(repeat) => repeat.part.has_group(),
            _ => false,
        }
    }

    /// One of several branches.
    pub fn any(mut parts: Vec<Node>) -> Node {
        match parts.len() {
            1 => parts.remove(0),
            _ => Node::Any(Arc::new(Parts { parts, ..Parts::default() })),
        }
    }

    /// What follows each other.
    pub fn all(mut parts: Vec<Node>) -> Node {
        match parts.len() {
            1 => parts.remove(0),
            _ => Node::All(Arc::new(Parts { parts, ..Parts::default() })),
        }
    }
}

/// The bytes that a match can start with, unless it starts the text or is empty at its end.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub struct FirstBytes([u64; 4]);

impl FirstBytes {
    pub const EVERY: FirstBytes = FirstBytes([u64::MAX; 4]);

    /// The bytes that parts one after the other can start with, and where they may match nothing, those behind them.
    pub fn of(parts: &[Node], behind: FirstBytes) -> FirstBytes {
        let mut first = FirstBytes([0; 4]);
        if parts.iter().all(|part| first.add(part)) {
            return first.or(behind);
        }
        first
    }

    /// The bytes of either.
    pub fn or(self, other: FirstBytes) -> FirstBytes {
        FirstBytes(std::array::from_fn(|at| self.0[at] | other.0[at]))
    }

    /// Whether no byte is in both.
    pub fn excludes(&self, other: FirstBytes) -> bool {
        (0..4).all(|at| self.0[at] & other.0[at] == 0)
    }

    #[inline]
    pub fn has(&self, byte: u8) -> bool {
        self.0[usize::from(byte >> 6)] >> (byte & 63) & 1 == 1
    }

    fn put(&mut self, byte: u8) {
        self.0[usize::from(byte >> 6)] |= 1 << (byte & 63);
    }

    /// Add what an expression can start with; return whether something after it can start the match too.
    fn add(&mut self, node: &Node) -> bool {
        match node {
            Node::Text(text) => {
                self.put(text[0]);
                false
            }
            Node::One(class) => {
                let mut buffer = [0; 4];
                for (low, high) in &class.ranges {
                    let first = low.encode_utf8(&mut buffer).as_bytes()[0];
                    (first..=high.encode_utf8(&mut buffer).as_bytes()[0]).for_each(|byte| self.put(byte));
                }
                false
            }
            Node::Start | Node::End => false, // only at the edges of the text, which are always tried
            Node::Boundary => true,
            Node::Repeat(repeat) => self.add(&repeat.part) || repeat.least == 0,
            Node::Group(part) => self.add(part),
            Node::All(all) => all.parts.iter().all(|part| self.add(part)),
            Node::Any(any) => any.parts.iter().fold(false, |open, branch| self.add(branch) || open),
        }
    }
}

/// What a match can start with: a byte, and after a boundary of one character the byte behind it.
pub struct Opening {
    first: FirstBytes,
    second: Option<FirstBytes>,
}

impl Opening {
    pub fn of(node: &Node) -> Opening {
        let parts = match node {
            Node::All(all) => all.parts.as_slice(),
            _ => std::slice::from_ref(node),
        };
        let is_boundary = parts.first().is_some_and(is_one_character);
        let second = (is_boundary && parts.len() > 1).then(|| FirstBytes::of(&parts[1..], FirstBytes::EVERY));
        Opening { first: FirstBytes::of(parts, FirstBytes::EVERY), second }
    }

    /// Whether a match can start at an offset; at the start of the text always.
    #[inline]
    pub fn fits(&self, bytes: &[u8], at: usize) -> bool {
        let Some(byte) = bytes.get(at) else { return at == 0 };
        if at == 0 {
            return true;
        }
        if !self.first.has(*byte) || byte & 0xC0 == 0x80 {
            return false; // a byte inside a character begins nothing
        }
        let Some(second) = &self.second else { return true };
        bytes.get(at + width(*byte)).is_none_or(|next| second.has(*next))
    }
}

/// The bytes of the character that begins with one.
#[inline]
pub fn width(first: u8) -> usize {
    match first {
        0..0xC0 => 1,
        0xC0..0xE0 => 2,
        0xE0..0xF0 => 3,
        _ => 4,
    }
}

/// Whether an expression is one character, or else an edge of the text.
fn is_one_character(node: &Node) -> bool {
    match node {
        Node::One(_) | Node::Start | Node::End => true,
        Node::Any(any) => any.parts.iter().all(is_one_character),
        _ => false,
    }
}
