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

enum Op {
    Text(Arc<[u8]>),
    One(Arc<Class>),
    Words(Arc<WordList>),
    /// Characters of a class, and what has to stand behind them.
    Run {
        class: Arc<Class>,
        least: u16,
        most: u16, // beyond
        order: Order,
        next: u32,
    },
    /// Go one way or else the other.
    Choose([Way; 2]),
    Jump(u32),
    Open,
    Close,
    Start,
    End,
    Boundary,
    Done,
}

/// An operation, where the text goes on with one of some bytes.
#[derive(Clone, Copy)]
struct Way {
    bytes: u32,
    op: u32,
}

const OPEN: u32 = u32::MAX; // an operation that is not known yet

/// How many characters of a class are taken first; all where nothing behind them can begin with one.
#[derive(Clone, Copy, PartialEq)]
enum Order {
    All,
    Most,
    Least,
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

    /// Add what comes one after the other, before what begins with some byte; None where there is too much of it.
    fn add_all(&mut self, parts: &[Node], behind: FirstBytes) -> Option<()> {
        for (at, part) in parts.iter().enumerate() {
            self.add(part, FirstBytes::of(&parts[at + 1..], behind))?;
        }
        Some(())
    }

    fn add(&mut self, node: &Node, behind: FirstBytes) -> Option<()> {
        if self.ops.len() > LARGEST {
            return None;
        }
        match node {
            Node::Text(text) => self.ops.push(Op::Text(text.clone())),
            Node::One(class) => self.ops.push(Op::One(class.clone())),
            Node::All(all) => self.add_all(&all.parts, behind)?,
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
    fn add_branches(&mut self, branches: &[Node], behind: FirstBytes) -> Option<()> {
        let find_first = |branches: &[Node]| {
            let each = branches.iter().map(|branch| FirstBytes::of(std::slice::from_ref(branch), behind));
            each.reduce(FirstBytes::or).unwrap_or(behind)
        };
        let mut jumps = Vec::new();
        let mut rest = branches;
        while !rest.is_empty() {
            let mut words = Vec::new();
            let listed = rest.iter().map_while(list_in_order).map(|listed| words.extend(listed)).count();
            let (taken, others) = rest.split_at(listed.max(1));
            let choice = self.ops.len();
            if !others.is_empty() {
                let next = self.here() + 1;
                let ways = [(find_first(taken), next), (find_first(others), OPEN)];
                self.choose(ways);
            }
            if listed > 1 {
                self.ops.push(Op::Words(Arc::new(WordList::new(&words))));
            } else {
                self.add(&taken[0], behind)?;
            }
            rest = others;
            if !others.is_empty() {
                jumps.push(self.ops.len());
                self.ops.push(Op::Jump(0));
                self.lead(choice, self.here());
            }
        }
        let end = self.here();
        jumps.into_iter().for_each(|jump| self.ops[jump] = Op::Jump(end));
        Some(())
    }

    fn add_repeat(&mut self, repeat: &Repeat, behind: FirstBytes) -> Option<()> {
        let part = std::slice::from_ref(&repeat.part);
        if let Node::One(class) = &repeat.part {
            let order = match repeat.greedy {
                true if FirstBytes::of(part, behind).excludes(behind) => Order::All,
                true => Order::Most,
                false => Order::Least,
            };
            let (least, most) = (repeat.least as u16, (repeat.most - repeat.least) as u16);
            let next = self.number(behind);
            self.ops.push(Op::Run { class: class.clone(), least, most, order, next });
            return Some(());
        }
        let again = FirstBytes::of(part, behind);
        let mut choices = Vec::new();
        for time in 0..repeat.most {
            if time >= repeat.least {
                choices.push(self.ops.len());
                let (inside, outside) = ((again, self.here() + 1), (behind, OPEN));
                self.choose(if repeat.greedy { [inside, outside] } else { [outside, inside] });
            }
            self.add(&repeat.part, again.or(behind))?;
        }
        let end = self.here();
        choices.into_iter().for_each(|choice| self.lead(choice, end));
        Some(())
    }

    fn choose(&mut self, ways: [(FirstBytes, u32); 2]) {
        let ways = ways.map(|(bytes, op)| Way { bytes: self.number(bytes), op });
        self.ops.push(Op::Choose(ways));
    }

    /// Say where a choice leads that was open.
    fn lead(&mut self, choice: usize, place: u32) {
        if let Op::Choose(ways) = &mut self.ops[choice] {
            ways.iter_mut().filter(|way| way.op == OPEN).for_each(|way| way.op = place);
        }
    }
}

impl Engine {
    pub fn new(parts: &[Node]) -> Option<Engine> {
        let mut compiler = Compiler::default();
        compiler.add_all(parts, FirstBytes::EVERY)?;
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

impl Op {
    /// Whether several ways may lead here, or from here.
    fn is_choice(&self) -> bool {
        matches!(self, Op::Run { .. } | Op::Words(_) | Op::Choose(_))
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
