//! The patterns of a language, searched with the spans that Python's engine finds.
//!
//! A match of nearly every pattern contains one of a few words or characters, at a known distance from its start, often
//! several such. One pass over the text finds those of all patterns; a pattern is then tried only where it has all that it
//! needs. Without that, long bounded repeats that begin anywhere would have to be followed side by side. A pattern is
//! compiled when it is first tried.

use std::cell::RefCell;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::OnceLock;

use crate::hash::HashMap;
use aho_corasick::{AhoCorasick, AhoCorasickKind, MatchKind};
use regex_automata::meta::{self, Cache};
use regex_automata::util::captures::Captures;
use regex_automata::util::syntax;
use regex_automata::{Anchored, Input};
use regex_syntax::hir::{Class, Hir, HirKind, Look};

use crate::buffer::Buffer;

const MOST_LITERALS: usize = 1200; // of one pattern
const LARGEST_CLASS: usize = 100; // characters of a class that are searched one by one
const MOST_NEEDED: usize = 6; // sets of literals of one pattern
const RARE: f64 = 0.006; // occurrences per byte: many pages have none
const HARDLY_ANYWHERE: f64 = 0.01; // places per byte
const TOO_COMMON: f64 = 1.0; // places per byte at which a set would have a pattern tried

/// One pattern: its regex, and where in a text it can start.
pub struct Pattern {
    source: String,
    group: bool,
    edges: Option<Edges>,
    needed: Vec<Needed>,
    opening: Opening,
    compiled: OnceLock<Option<meta::Regex>>,
}

/// Literals of which every match contains one, and the least and most bytes of a match before it.
#[derive(Clone)]
struct Needed {
    literals: Vec<Vec<u8>>,
    least: usize,
    most: usize,
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
struct FirstBytes([bool; 256]);

/// What a match can start with: a byte, and after a boundary of one character the byte behind it.
struct Opening {
    first: FirstBytes,
    second: Option<FirstBytes>,
}

impl Opening {
    fn of(hir: &Hir) -> Opening {
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
    fn fits(&self, bytes: &[u8], at: usize) -> bool {
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
struct Edges {
    before: bool,
    after: bool,
}

impl Edges {
    fn of(hir: &Hir) -> Option<Edges> {
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
    fn group(self, text: &[u8], start: usize, end: usize) -> Option<(usize, usize)> {
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
    fn of(parts: &[&Hir]) -> FirstBytes {
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

impl Pattern {
    pub fn new(regex: &str) -> Result<Pattern, String> {
        let source = ascii_boundaries(regex);
        let hir = regex_syntax::parse(&source).map_err(|error| error.to_string())?;
        let group = hir.properties().explicit_captures_len() > 0;
        Ok(Pattern {
            needed: collect_needed(&hir),
            edges: Edges::of(&hir),
            opening: Opening::of(&hir),
            source,
            group,
            compiled: OnceLock::new(),
        })
    }

    fn regex(&self) -> Option<&meta::Regex> {
        self.compiled
            .get_or_init(|| {
                let config = meta::Config::new().nfa_size_limit(Some(64 << 20)).onepass_size_limit(Some(1 << 20));
                meta::Builder::new().configure(config).syntax(syntax::Config::new()).build(&self.source).ok()
            })
            .as_ref()
    }

    /// Search once.
    fn search(&self, regex: &meta::Regex, scratch: &mut Scratch, input: Input) -> Option<Tried> {
        let known = self.edges.map(|edges| {
            let whole = regex.search_with(&mut scratch.cache, &input);
            whole.map(|whole| (edges.group(input.haystack(), whole.start(), whole.end()), whole.end()))
        });
        let (span, end) = if let Some(None) = known {
            return None;
        } else if let Some(Some((Some(span), end))) = known {
            (Some(span), end)
        } else if self.group {
            regex.search_captures_with(&mut scratch.cache, &input, &mut scratch.captures);
            let whole = scratch.captures.get_match()?;
            (scratch.captures.get_group(1).map(|group| (group.start, group.end)), whole.end())
        } else {
            let whole = regex.search_with(&mut scratch.cache, &input)?;
            (Some((whole.start(), whole.end())), whole.end())
        };
        let span = span.filter(|(start, end)| end > start);
        // Without a span the search steps over the match, to the start of a character.
        let mut next = span.map_or(end.max(input.start() + 1), |(_, end)| end);
        while input.haystack().get(next).is_some_and(|byte| byte & 0xC0 == 0x80) {
            next += 1;
        }
        Some(Tried { span, next })
    }
}

/// A match: the span it stands for, if it took part, and where the search goes on.
struct Tried {
    span: Option<(usize, usize)>,
    next: usize,
}

/// What a search writes to; one per thread and pattern.
struct Scratch {
    cache: Cache,
    captures: Captures,
}

impl Scratch {
    fn new(regex: &meta::Regex) -> Scratch {
        Scratch { cache: regex.create_cache(), captures: regex.create_captures() }
    }
}

thread_local! {
    static SCRATCH: RefCell<HashMap<(usize, usize), Box<Scratch>>> = RefCell::default();
}

/// Write `\b` so that it is the boundary of ASCII words, as in RE2 and in Python's `re` with its ASCII flag.
fn ascii_boundaries(regex: &str) -> String {
    let mut written = String::with_capacity(regex.len() + 16);
    let mut rest = regex.chars();
    while let Some(c) = rest.next() {
        if c != '\\' {
            written.push(c);
            continue;
        }
        match rest.next() {
            Some('b') => written.push_str("(?-u:\\b)"),
            Some(escaped) => {
                written.push('\\');
                written.push(escaped);
            }
            None => written.push('\\'),
        }
    }
    written
}

/// The sets of literals of which a match must contain one each, the rarest first.
fn collect_needed(hir: &Hir) -> Vec<Needed> {
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

/// All patterns of a language, searched together.
pub struct Matcher {
    pub patterns: Vec<Pattern>,
    number: usize, // of this matcher in the process
    literals: Option<AhoCorasick>,
    owners: Vec<Vec<Owner>>, // by literal: who needs it
    first: Vec<usize>,       // by pattern: the number of its first set of literals among all; and their total
}

/// A pattern's set of literals: its number among all, and the least and most bytes of a match before a literal of it.
#[derive(Clone, Copy)]
struct Owner {
    set: u32,
    least: u32,
    most: u32,
}

static MATCHERS: AtomicUsize = AtomicUsize::new(0);

impl Matcher {
    /// `skipped` patterns are searched only in other texts than the page.
    pub fn new(patterns: Vec<Pattern>, skipped: &[bool]) -> Matcher {
        let mut numbers: HashMap<&[u8], usize> = HashMap::default();
        let mut words: Vec<&[u8]> = Vec::new();
        let mut owners: Vec<Vec<Owner>> = Vec::new();
        let mut first = vec![0];
        let mut set = 0;
        for pattern in patterns.iter().zip(skipped).map(|(pattern, skipped)| (!skipped).then_some(pattern)) {
            for needed in pattern.into_iter().flat_map(|pattern| &pattern.needed) {
                for literal in &needed.literals {
                    let number = *numbers.entry(literal).or_insert_with(|| {
                        words.push(literal);
                        owners.push(Vec::new());
                        words.len() - 1
                    });
                    owners[number].push(Owner { set, least: needed.least as u32, most: needed.most as u32 });
                }
                set += 1;
            }
            first.push(set as usize);
        }
        let literals =
            AhoCorasick::builder().match_kind(MatchKind::Standard).kind(Some(AhoCorasickKind::DFA)).build(&words).ok();
        Matcher { number: MATCHERS.fetch_add(1, Ordering::Relaxed), literals, owners, first, patterns }
    }

    /// Where each pattern can start in a text.
    pub fn starts(&self, text: &str) -> Starts {
        let sets = self.first.last().copied().unwrap_or(0);
        let mut ranges: Vec<Vec<(usize, usize)>> = vec![Vec::new(); sets];
        for hit in self.literals.iter().flat_map(|literals| literals.find_overlapping_iter(text.as_bytes())) {
            for owner in &self.owners[hit.pattern().as_usize()] {
                if let Some(last) = hit.start().checked_sub(owner.least as usize) {
                    merge(&mut ranges[owner.set as usize], (hit.start().saturating_sub(owner.most as usize), last + 1));
                }
            }
        }
        let everywhere = (0, text.len());
        let place = |index: usize| {
            let own = &ranges[self.first[index]..self.first[index + 1]];
            own.iter().fold(vec![everywhere], |known, next| intersect(&known, next))
        };
        let usable = self.literals.is_some();
        Starts((0..self.patterns.len()).map(|index| if usable { place(index) } else { vec![everywhere] }).collect())
    }

    /// The spans of one pattern in another text, in bytes.
    pub fn find_in(&self, index: usize, text: &str) -> Vec<(usize, usize)> {
        let pattern = &self.patterns[index];
        let mut spans = Vec::new();
        self.with_scratch(index, |regex, scratch| {
            let mut position = 0;
            while position <= text.len() {
                let Some(tried) = pattern.search(regex, scratch, Input::new(text).range(position..)) else { break };
                spans.extend(tried.span);
                position = tried.next;
            }
        });
        spans
    }

    fn with_scratch(&self, index: usize, search: impl FnOnce(&meta::Regex, &mut Scratch)) {
        let Some(regex) = self.patterns[index].regex() else { return };
        SCRATCH.with_borrow_mut(|all| {
            search(regex, all.entry((self.number, index)).or_insert_with(|| Box::new(Scratch::new(regex))));
        });
    }

    /// The spans of one pattern in a page, in characters, left to right; they are never empty and never overlap.
    pub fn find(&self, index: usize, buffer: &Buffer, starts: &Starts, mut found: impl FnMut(usize, usize)) {
        let ranges = &starts.0[index];
        if ranges.is_empty() {
            return;
        }
        let pattern = &self.patterns[index];
        let bytes = buffer.utf8.as_bytes();
        self.with_scratch(index, |regex, scratch| {
            let mut position = 0;
            for (first, last) in ranges {
                let mut at = position.max(*first);
                while at < *last {
                    if !pattern.opening.fits(bytes, at) {
                        at += 1;
                        continue;
                    }
                    let input = Input::new(&buffer.utf8).range(at..).anchored(Anchored::Yes);
                    match pattern.search(regex, scratch, input) {
                        Some(Tried { span: Some((start, end)), .. }) => {
                            found(buffer.point(start), buffer.point(end));
                            at = end;
                            position = end;
                        }
                        Some(Tried { next, .. }) => at = next,
                        None => at += 1,
                    }
                }
                position = position.max(at);
            }
        });
    }
}

/// By pattern: the ranges of bytes at which it can start, in order.
pub struct Starts(Vec<Vec<(usize, usize)>>);

/// What two lists of ranges have in common.
fn intersect(a: &[(usize, usize)], b: &[(usize, usize)]) -> Vec<(usize, usize)> {
    let mut common = Vec::new();
    let (mut i, mut j) = (0, 0);
    while i < a.len() && j < b.len() {
        let (start, end) = (a[i].0.max(b[j].0), a[i].1.min(b[j].1));
        if start < end {
            common.push((start, end));
        }
        if a[i].1 < b[j].1 {
            i += 1;
        } else {
            j += 1;
        }
    }
    common
}

/// Add a range. Hits come by their ends, so that one of a longer literal can start before the last range does.
fn merge(ranges: &mut Vec<(usize, usize)>, mut range: (usize, usize)) {
    while let Some(last) = ranges.last() {
        if range.0 > last.1 {
            break;
        }
        range = (range.0.min(last.0), range.1.max(last.1));
        ranges.pop();
    }
    ranges.push(range);
}
