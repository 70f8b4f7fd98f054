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

use crate::buffer::Buffer;
use crate::expressions::{collect_needed, Edges, Needed, Opening};

/// One pattern: its regex, and where in a text it can start.
pub struct Pattern {
    source: String,
    group: bool,
    edges: Option<Edges>,
    needed: Vec<Needed>,
    opening: Opening,
    compiled: OnceLock<Option<meta::Regex>>,
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
