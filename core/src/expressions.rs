//! What can be read off a pattern's expression: the literals that a match needs, what it can start with, and its edges.

use regex_syntax::hir::{Class, Hir, HirKind, Look};

const MOST_LITERALS: usize = 1200; // of one pattern
const LARGEST_CLASS: usize = 100; // characters of a class that are searched one by one
const MOST_NEEDED: usize = 6; // sets of literals of one pattern
const RARE: f64 = 0.006; // occurrences per byte: many pages have none
const HARDLY_ANYWHERE: f64 = 0.01; // places per byte
const TOO_COMMON: f64 = 1.0; // places per byte at which a set would have a pattern tried

/// Literals of which every match contains one, and the least and most bytes of a match before it.
#[derive(Clone)]
pub struct Needed {
    pub literals: Vec<Vec<u8>>,
    pub least: usize,
    pub most: usize,
}

impl Needed {
    /// How many places per byte of text the pattern would be tried at, roughly.
    fn cost(&self) -> f64 {
        self.rate() * (self.most - self.least + 1) as f64
    }

    /// How often one of the literals occurs per byte of text, roughly.
    fn rate(&self) -> f64 {
        self.literals.iter().map(|literal| occurrence_rate(literal)).sum()
    }
}

fn occurrence_rate(literal: &[u8]) -> f64 {
    let single = match literal[0] {
        b'a'..=b'z' => 0.04,
        b' ' => 0.17,
        b'0'..=b'9' => 0.003,
        b'A'..=b'Z' => 0.002,
        b'.' | b',' => 0.012,
        _ => 0.001,
    };
    single * 0.08f64.powi(literal.len() as i32 - 1).max(1e-6)
}

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

/// The sets of literals of which a match must contain one each, the rarest first.
pub fn collect_needed(hir: &Hir) -> Vec<Needed> {
    let mut all = Vec::new();
    add_needed(hir, (0, 0), &mut all);
    all.retain(|needed| needed.cost() < TOO_COMMON || needed.rate() < RARE);
    all.sort_by(|a, b| a.cost().total_cmp(&b.cost()));
    // Where the rarest has a pattern tried hardly anywhere, looking for the others would cost more than it saves.
    let enough = all.iter().position(|needed| needed.cost() < HARDLY_ANYWHERE).map_or(MOST_NEEDED, |_| 1);
    all.truncate(enough);
    all
}

/// Add what each part of an expression needs, which begins between `least` and `most` bytes into the match.
///
/// Returns where the next part begins; None where the length has no bound.
fn add_needed(hir: &Hir, (least, most): (usize, usize), all: &mut Vec<Needed>) -> Option<(usize, usize)> {
    let end = |hir: &Hir| {
        let properties = hir.properties();
        Some((least + properties.minimum_len().unwrap_or(0), most + properties.maximum_len()?))
    };
    match hir.kind() {
        HirKind::Capture(capture) => add_needed(&capture.sub, (least, most), all),
        HirKind::Concat(parts) => parts.iter().try_fold((least, most), |place, part| add_needed(part, place, all)),
        _ => {
            if let Some(mut needed) = find_needed(hir) {
                needed.least += least;
                needed.most += most;
                all.push(needed);
            }
            end(hir)
        }
    }
}

/// The literals that a match must contain; None where there are none worth searching.
fn find_needed(hir: &Hir) -> Option<Needed> {
    match hir.kind() {
        HirKind::Literal(literal) if !literal.0.is_empty() => {
            Some(Needed { literals: vec![literal.0.to_vec()], least: 0, most: 0 })
        }
        HirKind::Class(class) => class_literals(class),
        HirKind::Capture(capture) => find_needed(&capture.sub),
        HirKind::Repetition(repetition) if repetition.min > 0 => find_needed(&repetition.sub), // in its first pass
        HirKind::Alternation(branches) => {
            let mut all = Needed { literals: Vec::new(), least: usize::MAX, most: 0 };
            for branch in branches {
                let needed = find_needed(branch)?;
                all.least = all.least.min(needed.least);
                all.most = all.most.max(needed.most);
                all.literals.extend(needed.literals);
            }
            all.literals.sort();
            all.literals.dedup();
            (all.literals.len() <= MOST_LITERALS).then_some(all)
        }
        HirKind::Concat(parts) => best_of_concat(parts),
        _ => None,
    }
}

fn best_of_concat(parts: &[Hir]) -> Option<Needed> {
    let mut best: Option<Needed> = None;
    let (mut least, mut most) = (0, 0);
    for part in parts {
        if let Some(mut needed) = find_needed(part) {
            needed.least += least;
            needed.most += most;
            if best.as_ref().is_none_or(|known| needed.cost() < known.cost()) {
                best = Some(needed);
            }
        }
        least += part.properties().minimum_len().unwrap_or(0);
        most += part.properties().maximum_len()?;
    }
    best
}

fn class_literals(class: &Class) -> Option<Needed> {
    let mut literals = Vec::new();
    match class {
        Class::Unicode(class) => {
            for c in class.iter().flat_map(|range| range.start()..=range.end()).take(LARGEST_CLASS + 1) {
                literals.push(c.to_string().into_bytes());
            }
        }
        Class::Bytes(class) => {
            for byte in class.iter().flat_map(|range| range.start()..=range.end()).take(LARGEST_CLASS + 1) {
                literals.push(vec![byte]);
            }
        }
    }
    (!literals.is_empty() && literals.len() <= LARGEST_CLASS).then_some(Needed { literals, least: 0, most: 0 })
}
