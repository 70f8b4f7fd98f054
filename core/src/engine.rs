//! A compiled pattern that is tried at one place of a text after another: the first way to match counts, as in Python.
//!
//! It keeps nothing between texts. A try that takes many steps remembers which it took, and takes none of them twice.

use std::sync::Arc;

use crate::expressions::{width, Class, FirstBytes, Node, Repeat};
use crate::hash::{HashMap, HashSet};
use crate::word_list::{list_in_order, WordList};

const LARGEST: usize = 1 << 20; // operations of a pattern
const FREE_STEPS: usize = 200; // before they are remembered
const MOST_KEPT: usize = 1 << 16; // steps that a thread keeps memory for
const ANYTHING: u32 = 0; // of `firsts`

enum Op {
    Text(Arc<[u8]>),
    One(Arc<Class>),
    Words(Arc<WordList>),
    /// Characters of a class, and what has to stand behind them.
    Run {
        class: Arc<Class>,
        least: u16,
        most: u16,
        greedy: bool,
        next: u32,
    },
    /// Go on with the next operation, if the text does with such a byte, or else with another one.
    Try {
        first: u32,
        otherwise: u32,
    },
    /// Go on with another operation, or else with the next one.
    Leave(u32),
    Jump(u32),
    Open,
    Close,
    Start,
    End,
    Boundary,
    Done,
}

/// A pattern as operations one after the other; those that go on elsewhere go forward.
pub struct Engine {
    ops: Vec<Op>,
    firsts: Vec<FirstBytes>,
}

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

#[derive(Default)]
struct Compiler {
    ops: Vec<Op>,
    firsts: Vec<FirstBytes>,
    numbers: HashMap<FirstBytes, u32>,
}

impl Compiler {
    fn number(&mut self, first: FirstBytes) -> u32 {
        let firsts = &mut self.firsts;
        *self.numbers.entry(first).or_insert_with(|| {
            firsts.push(first);
            firsts.len() as u32 - 1
        })
    }

    fn here(&self) -> u32 {
        self.ops.len() as u32
    }

    /// Add what comes one after the other; None where there is too much of it.
    fn add_all(&mut self, parts: &[Node]) -> Option<()> {
        for (at, part) in parts.iter().enumerate() {
            let behind = self.number(FirstBytes::of(&parts[at + 1..]));
            self.add(part, behind)?;
        }
        Some(())
    }

    fn add(&mut self, node: &Node, behind: u32) -> Option<()> {
        if self.ops.len() > LARGEST {
            return None;
        }
        match node {
            Node::Text(text) => self.ops.push(Op::Text(text.clone())),
            Node::One(class) => self.ops.push(Op::One(class.clone())),
            Node::All(all) => self.add_all(&all.parts)?,
            Node::Any(any) => match any.words() {
                Some(words) => self.ops.push(Op::Words(words)),
                None => self.add_branches(&any.parts, behind)?,
            },
            Node::Repeat(repeat) => self.add_repeat(repeat, behind)?,
            Node::Group(part) => {
                self.ops.push(Op::Open);
                self.add(part, behind)?;
                self.ops.push(Op::Close);
            }
            Node::Start => self.ops.push(Op::Start),
            Node::End => self.ops.push(Op::End),
            Node::Boundary => self.ops.push(Op::Boundary),
        }
        Some(())
    }

    /// Add branches; those that are words and follow each other are one.
    fn add_branches(&mut self, branches: &[Node], behind: u32) -> Option<()> {
        let mut jumps = Vec::new();
        let mut rest = branches;
        while !rest.is_empty() {
            let mut words = Vec::new();
            let listed = rest.iter().map_while(list_in_order).map(|listed| words.extend(listed)).count();
            let taken = listed.max(1);
            let choice = self.ops.len();
            if taken < rest.len() {
                let firsts: Vec<FirstBytes> =
                    rest[..taken].iter().map(|node| FirstBytes::of(std::slice::from_ref(node))).collect();
                let first = self.number(FirstBytes::any(&firsts));
                self.ops.push(Op::Try { first, otherwise: 0 });
            }
            if listed > 1 {
                self.ops.push(Op::Words(Arc::new(WordList::new(&words))));
            } else {
                self.add(&rest[0], behind)?;
            }
            rest = &rest[taken..];
            if !rest.is_empty() {
                jumps.push(self.ops.len());
                self.ops.push(Op::Jump(0));
                let next = self.here();
                if let Op::Try { otherwise, .. } = &mut self.ops[choice] {
                    *otherwise = next;
                }
            }
        }
        let end = self.here();
        jumps.into_iter().for_each(|jump| self.ops[jump] = Op::Jump(end));
        Some(())
    }

    fn add_repeat(&mut self, repeat: &Repeat, behind: u32) -> Option<()> {
        let Repeat { part, least, most, greedy } = repeat;
        if let Node::One(class) = part {
            let (least, most) = (*least as u16, *most as u16);
            self.ops.push(Op::Run { class: class.clone(), least, most, greedy: *greedy, next: behind });
            return Some(());
        }
        for _ in 0..*least {
            self.add(part, ANYTHING)?;
        }
        let first = self.number(FirstBytes::of(std::slice::from_ref(part)));
        let mut choices = Vec::new();
        for _ in *least..*most {
            choices.push(self.ops.len());
            self.ops.push(if *greedy { Op::Try { first, otherwise: 0 } } else { Op::Leave(0) });
            self.add(part, ANYTHING)?;
        }
        let end = self.here();
        for choice in choices {
            match &mut self.ops[choice] {
                Op::Try { otherwise: to, .. } | Op::Leave(to) => *to = end,
                _ => {}
            }
        }
        Some(())
    }
}

impl Engine {
    pub fn new(parts: &[Node]) -> Option<Engine> {
        let mut compiler = Compiler::default();
        compiler.number(FirstBytes::EVERY);
        compiler.add_all(parts)?;
        compiler.ops.push(Op::Done);
        compiler.ops.shrink_to_fit();
        Some(Engine { ops: compiler.ops, firsts: compiler.firsts })
    }

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
                Op::Run { class, least, most, greedy, next } => {
                    let shortest = (0..*least).try_fold(at, |at, _| read_one(class, text, at));
                    match shortest {
                        Some(shortest) if *greedy => {
                            let longest = read_most(class, text, shortest, most - least);
                            let taken = self.shorten(*next, text, shortest, longest);
                            if let Some(at) = taken.filter(|at| *at > shortest) {
                                others.push(Other::Shorter { op, least: shortest, at });
                            }
                            taken
                        }
                        Some(at) => {
                            others.push(Other::Longer { op, at, more: most - least });
                            Some(at)
                        }
                        None => None,
                    }
                }
                Op::Words(words) => {
                    words.find(text, at, &mut scratch.words);
                    let mut ends = scratch.words.iter().map(|(_, end)| *end);
                    let first = ends.next();
                    others.extend(ends.rev().map(|at| Other::Way { op: op + 1, at }));
                    first
                }
                Op::Try { first, otherwise } => {
                    if !self.may_be(*first, text, at) {
                        op = *otherwise;
                        continue;
                    }
                    others.push(Other::Way { op: *otherwise, at });
                    Some(at)
                }
                Op::Leave(to) => {
                    others.push(Other::Way { op: op + 1, at });
                    op = *to;
                    continue;
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

impl Op {
    /// Whether several ways may lead here, or from here.
    fn is_choice(&self) -> bool {
        matches!(self, Op::Run { .. } | Op::Words(_) | Op::Try { .. } | Op::Leave(_))
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
