//! A compiled pattern that is tried at one place of a text after another: the first way to match counts, as in Python.
//!
//! It keeps nothing between texts. A try that takes many steps remembers which it took, and takes none of them twice.

use crate::expressions::{width, Class};
use crate::hash::HashSet;
use crate::operations::{Engine, Op, Order};

const FREE_STEPS: usize = 200; // before they are remembered
const MOST_KEPT: usize = 1 << 16; // steps that a thread keeps memory for

/// A match, and the span of its group if it took part.
pub struct Found {
    pub end: usize,
    pub group: Option<(usize, usize)>,
}

type Slots = (Option<usize>, Option<usize>);

/// What is tried where the way taken ends: another way, fewer or more characters of a class, and the group as it was.
enum Other {
    Way { op: u32, at: usize },
    Shorter { op: u32, least: usize, at: usize },
    Longer { op: u32, at: usize, more: u16 },
    Group(Slots),
}

/// What a search writes to.
#[derive(Default)]
pub struct Scratch {
    others: Vec<Other>,
    taken: HashSet<(u32, usize)>, // operations and places
    words: Vec<(u32, usize)>,
}

impl Engine {
    /// The match that begins at a place.
    pub fn find(&self, scratch: &mut Scratch, text: &[u8], start: usize) -> Option<Found> {
        scratch.clear();
        let (mut op, mut at, mut steps) = (0, start, 0);
        let mut slots: Slots = (None, None);
        loop {
            let choice = &self.ops[op as usize];
            if choice.is_choice() {
                steps += 1;
                if steps > FREE_STEPS && !scratch.taken.insert((op, at)) {
                    (op, at) = self.take_other(scratch, text, &mut slots)?;
                    continue;
                }
            }
            let others = &mut scratch.others;
            let next = match choice {
                Op::Text(literal) => text[at..].starts_with(literal).then(|| at + literal.len()),
                Op::One(class) => read_one(class, text, at),
                Op::Run { class, least, most, order, next } => {
                    let shortest = (0..*least).try_fold(at, |at, _| read_one(class, text, at));
                    shortest.and_then(|least| match order {
                        Order::All => {
                            let end = read_most(class, text, least, *most);
                            self.may_be(*next, text, end).then_some(end)
                        }
                        Order::Most => {
                            let at = self.shorten(*next, text, least, read_most(class, text, least, *most))?;
                            if at > least {
                                others.push(Other::Shorter { op, least, at });
                            }
                            Some(at)
                        }
                        Order::Least => {
                            others.push(Other::Longer { op, at: least, more: *most });
                            Some(least)
                        }
                    })
                }
                Op::Words(words) => {
                    words.find(text, at, &mut scratch.words);
                    let mut ends = scratch.words.iter().map(|(_, end)| *end);
                    let first = ends.next();
                    others.extend(ends.rev().map(|at| Other::Way { op: op + 1, at }));
                    first
                }
                Op::Choose([one, other]) => {
                    let leads = self.may_be(other.bytes, text, at);
                    if self.may_be(one.bytes, text, at) {
                        if leads {
                            others.push(Other::Way { op: other.op, at });
                        }
                        op = one.op;
                        continue;
                    }
                    if leads {
                        op = other.op;
                        continue;
                    }
                    None
                }
                Op::Jump(to) => {
                    op = *to;
                    continue;
                }
                Op::Open => {
                    others.push(Other::Group(slots));
                    slots = (Some(at), None);
                    Some(at)
                }
                Op::Close => {
                    others.push(Other::Group(slots));
                    slots.1 = Some(at);
                    Some(at)
                }
                Op::Start => (at == 0).then_some(at),
                Op::End => (at == text.len()).then_some(at),
                Op::Boundary => (ends_word(text, at)).then_some(at),
                Op::Done => return Some(Found { end: at, group: slots.0.zip(slots.1) }),
            };
            (op, at) = match next {
                Some(at) => (op + 1, at),
                None => self.take_other(scratch, text, &mut slots)?,
            };
        }
    }

    /// The operation and the place to go on with where the last way ended.
    fn take_other(&self, scratch: &mut Scratch, text: &[u8], slots: &mut Slots) -> Option<(u32, usize)> {
        loop {
            match scratch.others.pop()? {
                Other::Way { op, at } => return Some((op, at)),
                Other::Group(before) => *slots = before,
                Other::Shorter { op, least, at } => {
                    let Op::Run { next, .. } = &self.ops[op as usize] else { continue };
                    let Some(at) = self.shorten(*next, text, least, step_back(text, at)) else { continue };
                    if at > least {
                        scratch.others.push(Other::Shorter { op, least, at });
                    }
                    return Some((op + 1, at));
                }
                Other::Longer { op, at, more } => {
                    let Op::Run { class, .. } = &self.ops[op as usize] else { continue };
                    let Some(at) = read_one(class, text, at).filter(|_| more > 0) else { continue };
                    scratch.others.push(Other::Longer { op, at, more: more - 1 });
                    return Some((op + 1, at));
                }
            }
        }
    }

    /// The last place, not before one and not behind another, at which the text can go on with some byte.
    #[inline]
    fn shorten(&self, next: u32, text: &[u8], least: usize, mut at: usize) -> Option<usize> {
        while !self.may_be(next, text, at) {
            if at == least {
                return None;
            }
            at = step_back(text, at);
        }
        Some(at)
    }

    /// Whether the text can go on with some byte; at its edges always.
    #[inline]
    fn may_be(&self, first: u32, text: &[u8], at: usize) -> bool {
        at == 0 || text.get(at).is_none_or(|byte| self.firsts[first as usize].has(*byte))
    }
}

impl Scratch {
    fn clear(&mut self) {
        self.others.clear();
        if !self.taken.is_empty() {
            self.taken.clear();
            self.taken.shrink_to(MOST_KEPT);
        }
    }
}

/// The end of a character of a class.
#[inline]
fn read_one(class: &Class, text: &[u8], at: usize) -> Option<usize> {
    let byte = *text.get(at)?;
    if byte.is_ascii() {
        return class.has_ascii(byte).then_some(at + 1);
    }
    let end = at + width(byte);
    let c = std::str::from_utf8(text.get(at..end)?).ok()?.chars().next()?;
    class.has(c).then_some(end)
}

/// The end of some characters of a class, as many as there are.
#[inline]
fn read_most(class: &Class, text: &[u8], mut at: usize, most: u16) -> usize {
    for _ in 0..most {
        let Some(behind) = read_one(class, text, at) else { break };
        at = behind;
    }
    at
}

/// Where the character before a place begins.
#[inline]
fn step_back(text: &[u8], at: usize) -> usize {
    let mut before = at - 1;
    while text[before] & 0xC0 == 0x80 {
        before -= 1;
    }
    before
}

/// Whether an ASCII word begins or ends at a place.
fn ends_word(text: &[u8], at: usize) -> bool {
    let is_word = |byte: Option<&u8>| byte.is_some_and(|byte| byte.is_ascii_alphanumeric() || *byte == b'_');
    is_word(at.checked_sub(1).and_then(|before| text.get(before))) != is_word(text.get(at))
}
