//! The words that an expression stands for, found by their letters one after the other.

use crate::expressions::Node;

const MOST_WORDS: usize = 2000;
const MOST_CASES: usize = 4; // characters of a class

/// Words in the order in which they are tried.
pub struct WordList {
    first: [u64; 4], // the bytes that words begin with
    places: Vec<Place>,
}

/// The beginning of some words: its last byte, where its continuations are, and the first word that it is itself.
#[derive(Clone, Copy)]
struct Place {
    byte: u8,
    count: u8, // of continuations, less one
    next: u32, // NONE without them
    word: u32, // NONE where it is no word
}

const NONE: u32 = u32::MAX;

impl WordList {
    pub fn new(words: &[Vec<u8>]) -> WordList {
        let mut sorted: Vec<(&[u8], u32)> = words.iter().map(Vec::as_slice).zip(0..).collect();
        sorted.sort_unstable();
        let mut list = WordList { first: [0; 4], places: vec![Place { byte: 0, count: 0, next: NONE, word: NONE }] };
        for byte in words.iter().filter_map(|word| word.first()) {
            list.first[usize::from(byte >> 6)] |= 1 << (byte & 63);
        }
        list.fill(0, 0, &sorted);
        list.places.shrink_to_fit();
        list
    }

    /// Add the continuations of a beginning of so many bytes that all of some words share.
    fn fill(&mut self, place: usize, length: usize, words: &[(&[u8], u32)]) {
        let same = words.iter().take_while(|(word, _)| word.len() == length).count();
        if same > 0 {
            self.places[place].word = words[0].1;
        }
        let groups: Vec<&[(&[u8], u32)]> = words[same..].chunk_by(|a, b| a.0[length] == b.0[length]).collect();
        if groups.is_empty() {
            return;
        }
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
    #[inline]
    pub fn find(&self, text: &[u8], start: usize, found: &mut Vec<(u32, usize)>) {
        found.clear();
        let mut place = self.places[0];
        if place.word != NONE {
            found.push((place.word, start));
        }
        let Some(byte) = text.get(start) else { return };
        let (block, bit) = (usize::from(byte >> 6), byte & 63);
        if self.first[block] >> bit & 1 == 0 {
            return;
        }
        let before: u32 = self.first[..block].iter().map(|block| block.count_ones()).sum();
        let before = before + (self.first[block] & ((1 << bit) - 1)).count_ones();
        place = self.places[(place.next + before) as usize];
        self.follow(place, text, start + 1, found);
    }

    fn follow(&self, mut place: Place, text: &[u8], mut at: usize, found: &mut Vec<(u32, usize)>) {
        loop {
            if place.word != NONE {
                found.push((place.word, at));
            }
            if place.next == NONE {
                break;
            }
            let Some(byte) = text.get(at) else { break };
            let next = place.next as usize;
            let choices = &self.places[next..=next + usize::from(place.count)];
            let Ok(which) = choices.binary_search_by_key(byte, |choice| choice.byte) else { break };
            place = choices[which];
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
