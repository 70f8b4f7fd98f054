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
use regex_automata::{Anchored, Input};
use regex_syntax::hir::Hir;

use crate::buffer::Buffer;
use crate::engine::{Engine, Scratch};
use crate::expressions::{Edges, Opening};
use crate::needs::{collect_paths, cut_path, Bytes, Path};
use crate::sights::{Check, Sets, Sights, Step, Trail};

/// One pattern: its regex, and where in a text it can start.
pub struct Pattern {
    source: String,
    group: bool,
    edges: Option<Edges>,
    paths: Vec<Path>, // until a matcher takes them
    opening: Opening,
    compiled: OnceLock<Option<Engine>>,
}

impl Pattern {
    pub fn new(regex: &str) -> Result<Pattern, String> {
        let source = ascii_boundaries(regex);
        let hir = regex_syntax::parse(&source).map_err(|error| error.to_string())?;
        let group = hir.properties().explicit_captures_len() > 0;
        Ok(Pattern {
            paths: collect_paths(&hir),
            edges: Edges::of(&hir),
            opening: Opening::of(&hir),
            source,
            group,
            compiled: OnceLock::new(),
        })
    }

    fn engine(&self) -> Option<&Engine> {
        self.compiled.get_or_init(|| Engine::new(&parse(&self.source)?)).as_ref()
    }

    /// Try to match at the beginning of a range.
    fn search(&self, engine: &Engine, scratch: &mut Scratch, input: &Input) -> Option<Tried> {
        let start = input.start();
        let end = engine.find_end(scratch, input)?;
        let known = match self.edges {
            Some(edges) => edges.group(input.haystack(), start, end),
            None => (!self.group).then_some((start, end)),
        };
        let look = || parse(&self.source);
        let span = known.or_else(|| engine.find_group(scratch, &input.clone().range(start..end), look));
        let span = span.filter(|(start, end)| end > start);
        // Without a span the search steps over the match, to the start of a character.
        let mut next = span.map_or(end.max(start + 1), |(_, end)| end);
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

thread_local! {
    static SCRATCH: RefCell<Kept> = RefCell::default();
}

const WIDE: usize = 24; // bytes: a match may begin in so many places before what it needs
const MOST_KEPT: usize = 80 << 20; // bytes of a thread

/// What searches keep between pages; one per thread. It is dropped where pages of ever new words have filled it.
#[derive(Default)]
struct Kept {
    scratches: HashMap<(usize, usize), Box<Scratch>>, // by matcher and pattern
    bytes: usize,
}

impl Kept {
    fn get(&mut self, matcher: usize, pattern: usize, engine: &Engine) -> &mut Scratch {
        self.scratches.entry((matcher, pattern)).or_insert_with(|| Box::new(engine.make_scratch()))
    }

    /// Count what a search has added.
    fn weigh(&mut self, matcher: usize, pattern: usize) {
        let Some(scratch) = self.scratches.get_mut(&(matcher, pattern)) else { return };
        self.bytes += scratch.count_new_bytes();
        if self.bytes > MOST_KEPT {
            *self = Kept::default();
        }
    }
}

fn parse(source: &str) -> Option<Hir> {
    regex_syntax::parse(source).ok()
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
    sets: Vec<Vec<u32>>,                       // by literal: the sets that it is in
    total: usize,                              // of sets
    trails: Vec<Vec<Trail>>,                   // by pattern
    rests: Vec<Vec<OnceLock<Option<Engine>>>>, // by pattern: what its trails go on with
    firsts: Vec<usize>,                        // by pattern: the number of its first rest among all patterns and rests
}

static MATCHERS: AtomicUsize = AtomicUsize::new(0);

impl Matcher {
    /// `skipped` patterns are searched only in other texts than the page.
    pub fn new(mut patterns: Vec<Pattern>, skipped: &[bool]) -> Matcher {
        let mut sets = Sets::default();
        let mut trails: Vec<Vec<Trail>> = Vec::new();
        let mut rests: Vec<Vec<OnceLock<Option<Engine>>>> = Vec::new();
        let (mut number, mut firsts) = (patterns.len(), Vec::new());
        for (pattern, skipped) in patterns.iter_mut().zip(skipped) {
            let paths = if *skipped { Vec::new() } else { std::mem::take(&mut pattern.paths) };
            let mut own = Vec::new();
            let mut last = 0;
            for needs in paths {
                let is_wide = |place: Bytes| place.1 - place.0 >= WIDE;
                let check = needs.iter().enumerate().find(|(_, need)| is_wide(need.place) && need.rest.is_some());
                let check = check.and_then(|(step, need)| Some(Check { step, rest: need.rest? }));
                last = check.iter().map(|check| check.rest + 1).max().unwrap_or(0).max(last);
                let mut steps = Vec::new();
                for need in needs {
                    steps.push(Step { set: sets.number(need.literals), place: need.place, gap: need.gap });
                }
                own.push(Trail { steps, check });
            }
            firsts.push(number);
            number += last;
            rests.push((0..last).map(|_| OnceLock::new()).collect());
            trails.push(own);
        }
        let total = sets.known.len();
        let (literals, sets): (Vec<_>, Vec<_>) = sets.literals.into_iter().unzip();
        let literals = AhoCorasick::builder()
            .match_kind(MatchKind::Standard)
            .kind(Some(AhoCorasickKind::ContiguousNFA))
            .build(&literals)
            .ok();
        Matcher {
            patterns,
            number: MATCHERS.fetch_add(1, Ordering::Relaxed),
            literals,
            sets,
            total,
            trails,
            rests,
            firsts,
        }
    }

    /// Where in a text the literals are that the patterns need.
    pub fn look(&self, text: &str) -> Sights {
        let mut hits = Vec::with_capacity(text.len() / 2);
        let mut ends = vec![0; self.total + 1];
        for hit in self.literals.iter().flat_map(|literals| literals.find_overlapping_iter(text.as_bytes())) {
            let sets = &self.sets[hit.pattern().as_usize()];
            hits.push((sets, hit.start() as u32));
            sets.iter().for_each(|set| ends[*set as usize + 1] += 1);
        }
        let mut total = 0;
        for end in &mut ends {
            total += *end;
            *end = total;
        }
        let mut next = ends.clone();
        let mut places = vec![0; total as usize];
        for (sets, place) in hits {
            for set in sets {
                let at = &mut next[*set as usize];
                let (first, mut free) = (ends[*set as usize] as usize, *at as usize);
                while free > first && places[free - 1] > place {
                    places[free] = places[free - 1]; // hits come by their ends
                    free -= 1;
                }
                places[free] = place;
                *at += 1;
            }
        }
        Sights { places, ends, is_complete: self.literals.is_some() }
    }

    /// The ranges of bytes at which a pattern can begin, in order.
    fn find_starts(&self, kept: &mut Kept, index: usize, text: &str, sights: &Sights) -> Vec<Bytes> {
        let everywhere = vec![(0, text.len())];
        if !sights.is_complete {
            return everywhere;
        }
        let mut ranges = Vec::new();
        for trail in &self.trails[index] {
            if trail.steps.is_empty() {
                return everywhere;
            }
            sights.follow(trail, &mut ranges, |at| {
                let Some(check) = &trail.check else { return true };
                let rest = || cut_path(&parse(&self.patterns[index].source).unwrap_or(Hir::empty()), check.rest);
                let compiled = self.rests[index][check.rest].get_or_init(|| Engine::new(&rest()));
                let Some(engine) = compiled else { return true };
                let number = self.firsts[index] + check.rest;
                let found = engine.begins_at(kept.get(self.number, number, engine), text, at);
                kept.weigh(self.number, number);
                found
            });
        }
        ranges.sort_unstable();
        ranges.dedup_by(|next, last| {
            let joins = next.0 <= last.1;
            if joins {
                last.1 = last.1.max(next.1);
            }
            joins
        });
        ranges
    }

    /// The spans of one pattern in another text, in bytes.
    pub fn find_in(&self, index: usize, text: &str) -> Vec<Bytes> {
        let mut spans = Vec::new();
        let found = |start, end| spans.push((start, end));
        SCRATCH.with_borrow_mut(|kept| self.try_each(kept, index, text, &[(0, text.len() + 1)], found));
        spans
    }

    /// The spans of one pattern in a page, in characters, left to right; they are never empty and never overlap.
    pub fn find(&self, index: usize, buffer: &Buffer, sights: &Sights, mut found: impl FnMut(usize, usize)) {
        SCRATCH.with_borrow_mut(|kept| {
            let ranges = self.find_starts(kept, index, &buffer.utf8, sights);
            let found = |start, end| found(buffer.point(start), buffer.point(end));
            self.try_each(kept, index, &buffer.utf8, &ranges, found);
        });
    }

    /// Try to match a pattern wherever it may begin.
    fn try_each(
        &self,
        kept: &mut Kept,
        index: usize,
        text: &str,
        ranges: &[Bytes],
        mut found: impl FnMut(usize, usize),
    ) {
        let pattern = &self.patterns[index];
        let fits = |at: &usize| pattern.opening.fits(text.as_bytes(), *at);
        let mut places = ranges.iter().flat_map(|(first, last)| (*first)..(*last)).filter(fits).peekable();
        if places.peek().is_none() {
            return;
        }
        let Some(engine) = pattern.engine() else { return };
        let scratch = kept.get(self.number, index, engine);
        let mut next = 0;
        for at in places {
            if at < next {
                continue;
            }
            let input = Input::new(text).range(at..).anchored(Anchored::Yes);
            if let Some(tried) = pattern.search(engine, scratch, &input) {
                tried.span.into_iter().for_each(|(start, end)| found(start, end));
                next = tried.next;
            }
        }
        kept.weigh(self.number, index);
    }
}
