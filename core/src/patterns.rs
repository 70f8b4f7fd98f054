//! The patterns of a language, searched with the spans that Python's engine finds.
//!
//! A match of nearly every pattern contains one of a few words or characters, at a known distance from its start, often
//! several such. One pass over the text finds those of all patterns; a pattern is then tried only where it has all that it
//! needs. Without that, long bounded repeats that begin anywhere would have to be followed side by side. A pattern is
//! compiled when it is first tried.

use std::cell::RefCell;
use std::sync::OnceLock;

use crate::buffer::Buffer;
use crate::engine::Scratch;
use crate::expressions::{Node, Opening};
use crate::literals::{Literals, Sets};
use crate::needs::{collect_paths, Bytes};
use crate::operations::Engine;
use crate::pattern_reader::Reader;
use crate::sights::{Sights, Trail};

/// A part of a pattern that is compiled when it is first tried.
struct Lazy {
    parts: Vec<Node>,
    compiled: OnceLock<Option<Engine>>,
}

impl Lazy {
    fn new(parts: Vec<Node>) -> Lazy {
        Lazy { parts, compiled: OnceLock::new() }
    }

    fn engine(&self) -> Option<&Engine> {
        self.compiled.get_or_init(|| Engine::new(&self.parts)).as_ref()
    }
}

/// One pattern, and where in a text it can start.
pub struct Pattern {
    whole: Lazy,
    has_group: bool,
    opening: Opening,
}

impl Pattern {
    /// Read a pattern from its text.
    pub fn read<'a>(reader: &mut Reader<'a>, regex: &'a str) -> Result<Pattern, String> {
        let node = reader.read(regex)?;
        Ok(Pattern { has_group: node.has_group(), opening: Opening::of(&node), whole: Lazy::new(vec![node]) })
    }

    /// Try to match at a place.
    fn search(&self, engine: &Engine, scratch: &mut Scratch, text: &str, at: usize) -> Option<Tried> {
        let found = engine.find(scratch, text.as_bytes(), at)?;
        let span = if self.has_group { found.group } else { Some((at, found.end)) };
        let span = span.filter(|(start, end)| end > start);
        // Without a span the search steps over the match, to the start of a character.
        let mut next = span.map_or(found.end.max(at + 1), |(_, end)| end);
        while !text.is_char_boundary(next.min(text.len())) {
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
    static SCRATCH: RefCell<Scratch> = RefCell::default();
}

const EVERYWHERE: u32 = u32::MAX; // instead of a set: a match may begin anywhere

/// All patterns of a language, searched together.
pub struct Matcher {
    pub patterns: Vec<Pattern>,
    literals: Literals,
    trails: Vec<Trail>,    // of one pattern after the other
    keys: Vec<u32>,        // by trail: the set of which a text will hardly have a literal
    ends: Vec<usize>,      // by pattern: of its trails
    rests: Vec<Vec<Lazy>>, // by pattern: what its trails go on with
}

impl Matcher {
    /// `skipped` patterns are searched only in other texts than the page.
    pub fn new(patterns: Vec<Pattern>, skipped: &[bool]) -> Matcher {
        let mut sets = Sets::default();
        let (mut trails, mut keys, mut ends, mut rests) = (Vec::new(), Vec::new(), Vec::new(), Vec::new());
        for (pattern, skipped) in patterns.iter().zip(skipped) {
            let (paths, ways) = if *skipped { Default::default() } else { collect_paths(&pattern.whole.parts[0]) };
            for needs in paths {
                let rarest = needs.iter().enumerate().min_by(|a, b| a.1.rate().total_cmp(&b.1.rate()));
                let rarest = rarest.map(|(at, _)| at);
                let trail = Trail::new(needs, &mut sets);
                keys.push(rarest.map_or(EVERYWHERE, |at| trail.steps[at].set as u32));
                trails.push(trail);
            }
            ends.push(trails.len());
            rests.push(ways.into_iter().map(Lazy::new).collect());
        }
        Matcher { patterns, literals: Literals::new(sets), trails, keys, ends, rests }
    }

    /// Where in a text the literals are that the patterns need.
    pub fn look(&self, text: &str) -> Sights {
        self.literals.look(text.as_bytes())
    }

    /// The ranges of bytes at which a pattern can begin, in order.
    fn find_starts(&self, scratch: &mut Scratch, index: usize, text: &str, sights: &Sights) -> Vec<Bytes> {
        let mut ranges = Vec::new();
        let first = index.checked_sub(1).map_or(0, |before| self.ends[before]);
        for at in first..self.ends[index] {
            if self.keys[at] == EVERYWHERE {
                return vec![(0, text.len())];
            }
            if !sights.has(self.keys[at]) {
                continue;
            }
            let trail = &self.trails[at];
            sights.follow(trail, &mut ranges, |at| {
                let engine = trail.check.as_ref().and_then(|check| self.rests[index][check.rest].engine());
                engine.is_none_or(|engine| engine.find(scratch, text.as_bytes(), at).is_some())
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
        SCRATCH.with_borrow_mut(|scratch| self.try_each(scratch, index, text, &[(0, text.len() + 1)], found));
        spans
    }

    /// The spans of one pattern in a page, in characters, left to right; they are never empty and never overlap.
    pub fn find(&self, index: usize, buffer: &Buffer, sights: &Sights, mut found: impl FnMut(usize, usize)) {
        SCRATCH.with_borrow_mut(|scratch| {
            let ranges = self.find_starts(scratch, index, &buffer.utf8, sights);
            let found = |start, end| found(buffer.point(start), buffer.point(end));
            self.try_each(scratch, index, &buffer.utf8, &ranges, found);
        });
    }

    /// Try to match a pattern wherever it may begin.
    fn try_each(
        &self,
        scratch: &mut Scratch,
        index: usize,
        text: &str,
        ranges: &[Bytes],
        mut found: impl FnMut(usize, usize),
    ) {
        let pattern = &self.patterns[index];
        let fits = |at: &usize| pattern.opening.fits(text.as_bytes(), *at);
        let mut next = 0;
        for at in ranges.iter().flat_map(|(first, last)| (*first)..(*last)).filter(fits) {
            if at < next {
                continue;
            }
            let Some(engine) = pattern.whole.engine() else { return };
            if let Some(tried) = pattern.search(engine, scratch, text, at) {
                tried.span.into_iter().for_each(|(start, end)| found(start, end));
                next = tried.next;
            }
        }
    }
}
