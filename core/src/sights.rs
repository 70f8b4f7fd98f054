//! Where in a text the literals are that patterns need, and where a match can begin that has them all.

use crate::hash::HashMap;
use crate::literals::Sets;
use crate::needs::{Bytes, Need, Path};

const WIDE: usize = 24; // bytes: a match may begin in so many places before what it needs

/// What a match needs on one of a pattern's paths.
pub struct Trail {
    pub steps: Vec<Step>,
    pub check: Option<Check>,
}

impl Trail {
    pub fn new(path: Path, sets: &mut Sets) -> Trail {
        let is_wide = |place: Bytes| place.1 - place.0 >= WIDE;
        let check = path.iter().enumerate().find(|(_, need)| is_wide(need.place) && need.rest.is_some());
        let check = check.and_then(|(step, need)| Some(Check { step, rest: need.rest? }));
        let step = |need: Need| Step { set: sets.number(&need.literals), place: need.place, gap: need.gap };
        Trail { steps: path.into_iter().map(step).collect(), check }
    }
}

/// A need: the number of its set of literals, and where one of them is.
pub struct Step {
    pub set: usize,
    pub place: Bytes,
    pub gap: Bytes,
}

/// The rest of a path from a need on, tried where the match may begin in many places before it.
pub struct Check {
    pub step: usize,
    pub rest: usize,
}

/// By set of literals: where one of them begins in a text.
pub struct Sights {
    pub places: Vec<u32>, // of one set after the other
    pub ends: Vec<u32>,   // of the set before each
}

impl Sights {
    /// Whether the text has a literal of a set.
    #[inline]
    pub fn has(&self, set: u32) -> bool {
        self.ends[set as usize] < self.ends[set as usize + 1]
    }

    fn of(&self, set: usize) -> &[u32] {
        &self.places[self.ends[set] as usize..self.ends[set + 1] as usize]
    }

    /// Add where a match can begin that has all that is needed on a trail: begin with what the text has the fewest of.
    pub fn follow(&self, trail: &Trail, ranges: &mut Vec<Bytes>, mut passes: impl FnMut(usize) -> bool) {
        let steps = &trail.steps;
        let Some((rarest, step)) = steps.iter().enumerate().min_by_key(|(_, step)| self.of(step.set).len()) else {
            return;
        };
        let checked = trail.check.as_ref().map(|check| check.step);
        let mut results: HashMap<usize, bool> = HashMap::default(); // of the checks that were made
        for place in self.of(step.set).iter().map(|place| *place as usize) {
            let Some(mut start) = step.begin((place, place)) else { continue };
            let (mut before, mut after) = ((place, place), (place, place));
            let mut at_check = (place, place);
            let goes_on = (rarest + 1..steps.len()).all(|at| {
                let (set, gap) = (steps[at].set, steps[at].gap);
                let Some(seen) = self.between(set, after.0 + gap.0, after.1 + gap.1) else { return false };
                after = seen;
                if checked == Some(at) {
                    at_check = seen;
                }
                true
            });
            let comes_from = || {
                (0..rarest).rev().all(|at| {
                    let gap = steps[at + 1].gap;
                    let Some(last) = before.1.checked_sub(gap.0) else { return false };
                    let Some(seen) = self.between(steps[at].set, before.0.saturating_sub(gap.1), last) else {
                        return false;
                    };
                    before = seen;
                    if checked == Some(at) {
                        at_check = seen;
                    }
                    steps[at].begin(seen).is_some_and(|own| narrow(&mut start, own))
                })
            };
            if !goes_on || !{ comes_from }() {
                continue;
            }
            if let Some(at) = checked {
                let mut test = |place: usize| *results.entry(place).or_insert_with(|| passes(place));
                let all = self.slice(steps[at].set, at_check.0, at_check.1);
                let Some(first) = all.iter().find(|place| test(**place as usize)) else { continue };
                let last = all.iter().rev().find(|place| test(**place as usize)).unwrap_or(first);
                if !steps[at].begin((*first as usize, *last as usize)).is_some_and(|own| narrow(&mut start, own)) {
                    continue;
                }
            }
            ranges.push((start.0, start.1 + 1));
        }
    }

    /// The places of a set from one byte to another.
    fn slice(&self, set: usize, first: usize, last: usize) -> &[u32] {
        let places = self.of(set);
        let from = places.partition_point(|place| (*place as usize) < first);
        &places[from..from + places[from..].partition_point(|place| *place as usize <= last)]
    }

    /// The first and the last place of a set from one byte to another.
    fn between(&self, set: usize, first: usize, last: usize) -> Option<Bytes> {
        let places = self.slice(set, first, last);
        Some((*places.first()? as usize, *places.last()? as usize))
    }
}

impl Step {
    /// The first and the last byte at which a match can begin that has a literal between two places.
    fn begin(&self, (first, last): Bytes) -> Option<Bytes> {
        Some((first.saturating_sub(self.place.1), last.checked_sub(self.place.0)?))
    }
}

/// Narrow a range down to what it shares with another; false where they share nothing.
fn narrow(range: &mut Bytes, other: Bytes) -> bool {
    *range = (range.0.max(other.0), range.1.min(other.1));
    range.0 <= range.1
}
