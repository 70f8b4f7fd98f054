//! A compiled pattern that is tried at one place of a text after another.

use std::sync::OnceLock;

use regex_automata::hybrid::dfa;
use regex_automata::nfa::thompson::backtrack::{self, BoundedBacktracker};
use regex_automata::nfa::thompson::pikevm::{self, PikeVM};
use regex_automata::nfa::thompson::{self, WhichCaptures, NFA};
use regex_automata::{Anchored, Input};
use regex_syntax::hir::Hir;

const LARGEST: usize = 64 << 20; // bytes of a compiled pattern
const LARGEST_CACHE: usize = 4 << 20; // bytes that a pattern's states may take before they are built anew

/// A pattern as an automaton whose states are built when a text needs them.
pub struct Engine {
    dfa: dfa::DFA,
    groups: OnceLock<Option<(BoundedBacktracker, PikeVM)>>, // for a group whose place the edges of a match do not tell
}

/// What a search writes to.
pub struct Scratch {
    states: dfa::Cache,
    groups: Option<(backtrack::Cache, pikevm::Cache)>,
    counted: usize, // bytes that were counted
}

fn compile(hir: &Hir, captures: WhichCaptures) -> Option<NFA> {
    let config = thompson::Config::new().which_captures(captures).nfa_size_limit(Some(LARGEST));
    thompson::Compiler::new().configure(config).build_from_hir(hir).ok()
}

impl Engine {
    pub fn new(hir: &Hir) -> Option<Engine> {
        let config = dfa::Config::new().cache_capacity(LARGEST_CACHE).skip_cache_capacity_check(true);
        let nfa = compile(hir, WhichCaptures::None)?;
        Some(Engine { dfa: dfa::Builder::new().configure(config).build_from_nfa(nfa).ok()?, groups: OnceLock::new() })
    }

    pub fn make_scratch(&self) -> Scratch {
        Scratch { states: self.dfa.create_cache(), groups: None, counted: 0 }
    }

    /// Where a match ends that begins where the input does.
    pub fn find_end(&self, scratch: &mut Scratch, input: &Input) -> Option<usize> {
        self.dfa.try_search_fwd(&mut scratch.states, input).ok()?.map(|found| found.offset())
    }

    /// Whether a match begins at a place.
    pub fn begins_at(&self, scratch: &mut Scratch, text: &str, at: usize) -> bool {
        let input = Input::new(text).range(at..).anchored(Anchored::Yes).earliest(true);
        self.find_end(scratch, &input).is_some()
    }

    /// The group of the match that is the whole input; `parse` gives the pattern.
    pub fn find_group(
        &self,
        scratch: &mut Scratch,
        input: &Input,
        parse: impl FnOnce() -> Option<Hir>,
    ) -> Option<(usize, usize)> {
        let compiled = self.groups.get_or_init(|| {
            let nfa = compile(&parse()?, WhichCaptures::All)?;
            Some((BoundedBacktracker::new_from_nfa(nfa.clone()).ok()?, PikeVM::new_from_nfa(nfa).ok()?))
        });
        let (backtracker, vm) = compiled.as_ref()?;
        let (small, large) = scratch.groups.get_or_insert_with(|| (backtracker.create_cache(), vm.create_cache()));
        let mut slots = [None; 4];
        if input.get_span().len() <= backtracker.max_haystack_len() {
            backtracker.try_search_slots(small, input, &mut slots).ok()?;
        } else {
            vm.search_slots(large, input, &mut slots);
        }
        Some((slots[2]?.get(), slots[3]?.get()))
    }
}

impl Scratch {
    /// How many bytes it has grown by since the last time.
    pub fn count_new_bytes(&mut self) -> usize {
        let groups = self.groups.as_ref().map_or(0, |(small, large)| small.memory_usage() + large.memory_usage());
        let now = self.states.memory_usage() + groups;
        now.saturating_sub(std::mem::replace(&mut self.counted, now))
    }
}
