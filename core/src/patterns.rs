//! The patterns of a language, searched with the spans that Python's engine finds.
//!
//! A match of nearly every pattern contains one of a few words or characters, at a known distance from its start, often
//! several such. One pass over the text finds those of all patterns; a pattern is then tried only where it has all that it
//! needs. Without that, long bounded repeats that begin anywhere would have to be followed side by side. A pattern is
//! compiled when it is first tried.

use std::cell::RefCell;
use std::sync::OnceLock;

use aho_corasick::{AhoCorasick, AhoCorasickKind, MatchKind};

use crate::buffer::Buffer;
use crate::engine::{Engine, Scratch};
use crate::expressions::{Node, Opening, Reader};
use crate::needs::{collect_paths, Bytes, Need, Path};
use crate::sights::{Check, Sets, Sights, Step, Trail};

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
    pub fn read(reader: &mut Reader, regex: &str) -> Result<Pattern, String> {
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

const WIDE: usize = 24; // bytes: a match may begin in so many places before what it needs

/// All patterns of a language, searched together.
pub struct Matcher {
    pub patterns: Vec<Pattern>,
    literals: Option<AhoCorasick>,
    sets: Vec<Vec<u32>>,     // by literal: the sets that it is in
    total: usize,            // of sets
    trails: Vec<Vec<Trail>>, // by pattern
    rests: Vec<Vec<Lazy>>,   // by pattern: what its trails go on with
}

impl Matcher {
    /// `skipped` patterns are searched only in other texts than the page.
    pub fn new(patterns: Vec<Pattern>, skipped: &[bool]) -> Matcher {
        let mut sets = Sets::default();
        let (mut trails, mut rests) = (Vec::new(), Vec::new());
        for (pattern, skipped) in patterns.iter().zip(skipped) {
            let (paths, ways) = if *skipped { Default::default() } else { collect_paths(&pattern.whole.parts[0]) };
            let make_trail = |needs: Path| {
                let is_wide = |place: Bytes| place.1 - place.0 >= WIDE;
                let check = needs.iter().enumerate().find(|(_, need)| is_wide(need.place) && need.rest.is_some());
                let check = check.and_then(|(step, need)| Some(Check { step, rest: need.rest? }));
                let step = |need: Need| Step { set: sets.number(need.literals), place: need.place, gap: need.gap };
                Trail { steps: needs.into_iter().map(step).collect(), check }
            };
            trails.push(paths.into_iter().map(make_trail).collect());
            rests.push(ways.into_iter().map(Lazy::new).collect());
        }
        let total = sets.known.len();
        let (literals, sets): (Vec<_>, Vec<_>) = sets.literals.into_iter().unzip();
        let literals = AhoCorasick::builder()
            .match_kind(MatchKind::Standard)
            .kind(Some(AhoCorasickKind::ContiguousNFA))
            .build(&literals)
            .ok();
        Matcher { patterns, literals, sets, total, trails, rests }
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
    fn find_starts(&self, scratch: &mut Scratch, index: usize, text: &str, sights: &Sights) -> Vec<Bytes> {
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
