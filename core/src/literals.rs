//! The literals that patterns need, found in a text in one pass: by their first bytes, then as one number.

use crate::hash::HashMap;
use crate::sights::Sights;

const LONGEST: usize = 8; // bytes of a literal that are compared
const FIRST: usize = 3; // bytes of a literal that are looked up; shorter ones by one
const BUCKETS: usize = 1 << 13;

/// The sets of literals that the patterns need, each once; a literal is a number.
#[derive(Default)]
pub struct Sets {
    known: HashMap<Box<[u64]>, u32>,
    literals: HashMap<u64, Vec<u32>>, // with the sets that each is in
}

impl Sets {
    pub fn number(&mut self, set: &[Vec<u8>]) -> usize {
        let mut set: Vec<u64> = set.iter().map(|literal| read(literal)).collect();
        set.sort_unstable();
        set.dedup();
        let new = self.known.len() as u32;
        let Sets { known, literals } = self;
        *known.entry(set.into()).or_insert_with_key(|set| {
            set.iter().for_each(|literal| literals.entry(*literal).or_default().push(new));
            new
        }) as usize
    }
}

/// The literals of all sets.
pub struct Literals {
    all: Vec<Literal>,
    likely: Vec<u64>,  // a bit by hash of the first bytes: whether a literal has such
    buckets: Vec<u32>, // where the literals begin that share a part of this hash
    short: Vec<u32>,   // where those begin that are shorter, by their first byte
    sets: Vec<u32>,    // of one literal after the other
    total: usize,      // of sets
}

/// A literal as a number, and the sets that it is in.
struct Literal {
    bytes: u64,
    mask: u64,
    length: u32,
    sets: (u32, u32),
}

/// Up to eight bytes as a number.
#[inline]
fn read(text: &[u8]) -> u64 {
    if let Some(bytes) = text.first_chunk::<LONGEST>() {
        return u64::from_le_bytes(*bytes);
    }
    text.iter().rev().fold(0, |number, byte| number << 8 | u64::from(*byte))
}

/// Sixteen bits for the first bytes of a number.
#[inline]
fn hash(bytes: u64) -> usize {
    ((bytes as u32 & 0xFF_FFFF).wrapping_mul(0x9E37_79B1) >> 16) as usize
}

/// The bytes of a number; no literal has a zero in it.
fn length_of(bytes: u64) -> usize {
    LONGEST - bytes.leading_zeros() as usize / 8
}

fn bucket_of(bytes: u64) -> usize {
    if length_of(bytes) < FIRST {
        BUCKETS + (bytes & 0xFF) as usize
    } else {
        hash(bytes) % BUCKETS
    }
}

impl Literals {
    pub fn new(sets: Sets) -> Literals {
        let total = sets.known.len();
        let mut listed: Vec<(u64, Vec<u32>)> = sets.literals.into_iter().collect();
        listed.sort_unstable_by_key(|(literal, _)| bucket_of(*literal));
        let (mut all, mut in_sets) = (Vec::with_capacity(listed.len()), Vec::new());
        let (mut likely, mut ends) = (vec![0; 1 << 10], vec![0; BUCKETS + 256 + 1]);
        for (bytes, sets) in listed {
            let length = length_of(bytes);
            if length >= FIRST {
                likely[hash(bytes) >> 6] |= 1 << (hash(bytes) & 63);
            }
            ends[bucket_of(bytes) + 1] += 1;
            let first = in_sets.len() as u32;
            in_sets.extend(sets);
            let mask = u64::MAX >> (8 * (LONGEST - length));
            all.push(Literal { bytes, mask, length: length as u32, sets: (first, in_sets.len() as u32) });
        }
        (1..ends.len()).for_each(|at| ends[at] += ends[at - 1]);
        let short = ends[BUCKETS..].to_vec();
        ends.truncate(BUCKETS + 1);
        Literals { all, likely, buckets: ends, short, sets: in_sets, total }
    }

    /// Where in a text the literals of each set are.
    pub fn look(&self, text: &[u8]) -> Sights {
        let mut hits: Vec<(&Literal, u32)> = Vec::with_capacity(text.len());
        let mut ends = vec![0; self.total + 1];
        for at in 0..text.len() {
            let bytes = read(&text[at..]);
            let byte = usize::from(text[at]);
            let mut collect = |from: u32, to: u32| {
                for literal in &self.all[from as usize..to as usize] {
                    if (literal.bytes ^ bytes) & literal.mask == 0 && at + literal.length as usize <= text.len() {
                        hits.push((literal, at as u32));
                        self.sets_of(literal).iter().for_each(|set| ends[*set as usize + 1] += 1);
                    }
                }
            };
            collect(self.short[byte], self.short[byte + 1]);
            let hash = hash(bytes);
            if self.likely[hash >> 6] >> (hash & 63) & 1 == 1 {
                collect(self.buckets[hash % BUCKETS], self.buckets[hash % BUCKETS + 1]);
            }
        }
        let mut total = 0;
        for end in &mut ends {
            total += *end;
            *end = total;
        }
        let mut next = ends.clone();
        let mut places = vec![0; total as usize];
        for (literal, place) in hits {
            for set in self.sets_of(literal) {
                places[next[*set as usize] as usize] = place;
                next[*set as usize] += 1;
            }
        }
        Sights { places, ends }
    }

    #[inline]
    fn sets_of(&self, literal: &Literal) -> &[u32] {
        &self.sets[literal.sets.0 as usize..literal.sets.1 as usize]
    }
}
