//! Compiles expressions to the operations of an `Engine`.

use std::sync::Arc;

use crate::expressions::{Class, FirstBytes, Node, Repeat};
use crate::hash::HashMap;
use crate::word_list::{list_in_order, WordList};

const LARGEST: usize = 1 << 20; // operations of a pattern

/// A step of a match.
pub enum Op {
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
pub struct Way {
    pub bytes: u32,
    pub op: u32,
}

const OPEN: u32 = u32::MAX; // an operation that is not known yet

/// How many characters of a class are taken first; all where nothing behind them can begin with one.
#[derive(Clone, Copy, PartialEq)]
pub enum Order {
    All,
    Most,
    Least,
}

/// A pattern as operations one after the other; those that go on elsewhere go forward.
pub struct Engine {
    pub ops: Vec<Op>,
    pub firsts: Vec<FirstBytes>,
}

impl Op {
    /// Whether several ways may lead here, or from here.
    pub fn is_choice(&self) -> bool {
        matches!(self, Op::Run { .. } | Op::Words(_) | Op::Choose(_))
    }
}

impl Engine {
    /// Compile what comes one after the other; None where there is too much of it.
    pub fn new(parts: &[Node]) -> Option<Engine> {
        let mut compiler = Compiler::default();
        compiler.add_all(parts, FirstBytes::EVERY)?;
        compiler.ops.push(Op::Done);
        compiler.ops.shrink_to_fit();
        Some(Engine { ops: compiler.ops, firsts: compiler.firsts })
    }
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
