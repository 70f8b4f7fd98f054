//! The words that an expression stands for, found by their letters one after the other.

use crate::expressions::Node;

const MOST_WORDS: usize = 2000;
const MOST_CASES: usize = 4; // characters of a class

/// Words in the order in which they are tried.
pub struct WordList {
    places: Vec<Place>,
}

/// The beginning of some words: its last byte, where its continuations are, and the first word that it is itself.
struct Place {
    byte: u8,
    count: u8, // less one, where there is a continuation
    next: u32,
    word: u32,
}

const NONE: u32 = u32::MAX;

impl WordList {
    pub fn new(words: &[Vec<u8>]) -> WordList {
        let mut sorted: Vec<(&[u8], u32)> = words.iter().map(Vec::as_slice).zip(0..).collect();
        sorted.sort_unstable();
        let mut list = WordList { places: vec![Place { byte: 0, count: 0, next: NONE, word: NONE }] };
        list.fill(0, 0, &sorted);
        list.places.shrink_to_fit();
        list
    }

    /// Add the continuations of a beginning of so many bytes that all of some words share.
    fn fill(&mut self, place: usize, length: usize, mut words: &[(&[u8], u32)]) {
        while let Some((word, number)) = words.first().filter(|(word, _)| word.len() == length) {
            let known = &mut self.places[place].word;
            *known = (*known).min(*number);
            words = &words[1..];
            debug_assert!(word.len() == length);
        }
        if words.is_empty() {
            return;
        }
        let groups: Vec<&[(&[u8], u32)]> = words.chunk_by(|a, b| a.0[length] == b.0[length]).collect();
        let first = self.places.len();
        self.places[place].next = first as u32;
        self.places[place].count = (groups.len() - 1) as u8;
        let new = |group: &&[(&[u8], u32)]| Place { byte: group[0].0[length], count: 0, next: NONE, word: NONE };
        self.places.extend(groups.iter().map(new));
        for (at, group) in groups.into_iter().enumerate() {
            self.fill(first + at, length + 1, group);
        }
    }

    /// Collect the words that a text goes on with, each with its number and its end, in the order in which they are tried.
    pub fn find(&self, text: &[u8], start: usize, found: &mut Vec<(u32, usize)>) {
        found.clear();
        let mut place = &self.places[0];
        let mut at = start;
        loop {
            if place.word != NONE {
                found.push((place.word, at));
            }
            let Some(byte) = text.get(at).filter(|_| place.next != NONE) else { break };
            let next = place.next as usize;
            let choices = &self.places[next..=next + usize::from(place.count)];
            let Ok(which) = choices.binary_search_by_key(byte, |choice| choice.byte) else { break };
            place = &choices[which];
            at += 1;
        }
        if found.len() > 1 {
            found.sort_unstable();
        }
    }
}

/// All that an expression matches, in the order in which it is tried, if that is no more than some words.
pub fn list_in_order(node: &Node) -> Option<Vec<Vec<u8>>> {
    match node {
        Node::Text(text) => Some(vec![text.to_vec()]),
        Node::One(class) => {
            let mut all = class.ranges.iter().flat_map(|(low, high)| *low..=*high);
            let cases: Vec<Vec<u8>> = all.by_ref().take(MOST_CASES).map(|c| c.to_string().into_bytes()).collect();
            all.next().is_none().then_some(cases)
        }
        Node::All(all) => all.parts.iter().try_fold(vec![Vec::new()], |before, part| {
            let words = list_in_order(part)?;
            let join = |one: &Vec<u8>| words.iter().map(|other| [one.as_slice(), other].concat()).collect::<Vec<_>>();
            (before.len() * words.len() <= MOST_WORDS).then(|| before.iter().flat_map(join).collect())
        }),
        Node::Any(any) => any.parts.iter().try_fold(Vec::new(), |mut before, branch| {
            before.append(&mut list_in_order(branch)?);
            (before.len() <= MOST_WORDS).then_some(before)
        }),
        Node::Repeat(repeat) if (repeat.least, repeat.most, repeat.greedy) == (0, 1, true) => {
            let mut words = list_in_order(&repeat.part)?;
            words.push(Vec::new());
            Some(words)
        }
        _ => None,
    }
}
