//! What a match of a pattern needs, read off its expression: literals, in order, at known distances from each other.

use crate::expressions::{Class, Node};

const MOST_LITERALS: usize = 1200; // of one need
const MOST_REPEATED: usize = 40; // literals that a repeat stands for
const MOST_JOINED: usize = 200; // literals that neighbouring parts of an expression are joined to
const LARGEST_CLASS: usize = 100; // characters of a class that are searched one by one
const LONGEST_CHARACTER: usize = 4;
const MOST_PATHS: usize = 24; // of one pattern
const RARE: f64 = 0.035; // occurrences per byte of text, roughly: what is more common tells too little
const TOO_COMMON: f64 = 1.0; // places per byte at which a pattern would be tried

/// The least and most bytes.
pub type Bytes = (usize, usize);

/// Literals of which every match contains one.
pub struct Need {
    pub literals: Vec<Vec<u8>>,
    /// From the beginning of the match to that of the literal.
    pub place: Bytes,
    /// From the beginning of the literal of the need before it.
    pub gap: Bytes,
    /// Where the path goes on from the beginning of the literal, if a part of it begins there.
    pub rest: Option<usize>,
}

/// What every match needs that takes the same branches of a pattern, in order.
pub type Path = Vec<Need>;

/// The literals that an expression stands for, one after the other.
pub struct Listed {
    bytes: Box<[u8]>,
    ends: Box<[u32]>,
}

impl Listed {
    fn new(words: &[Vec<u8>]) -> Listed {
        let end = |end: &mut u32, word: &Vec<u8>| {
            *end += word.len() as u32;
            Some(*end)
        };
        Listed { bytes: words.concat().into(), ends: words.iter().scan(0, end).collect() }
    }

    fn to_words(&self) -> Vec<Vec<u8>> {
        let starts = std::iter::once(&0).chain(self.ends.iter());
        starts.zip(self.ends.iter()).map(|(start, end)| self.bytes[*start as usize..*end as usize].to_vec()).collect()
    }
}

/// The paths of which every match takes one, and the rests of all of them; on a path without needs a match may begin anywhere.
pub fn collect_paths(pattern: &Node) -> (Vec<Path>, Vec<Vec<Node>>) {
    let mut paths: Vec<Vec<&Node>> = vec![Vec::new()];
    spread(pattern, &mut paths);
    let mut rests = Rests::default();
    let needs = paths.iter().map(|parts| Walk::default().follow(parts, &mut rests)).collect();
    (needs, rests.0.into_iter().map(|rest| rest.into_iter().cloned().collect()).collect())
}

/// The rests of paths; several may go on alike.
#[derive(Default)]
struct Rests<'a>(Vec<Vec<&'a Node>>);

impl<'a> Rests<'a> {
    fn number(&mut self, parts: &[&'a Node]) -> usize {
        let is_same = |known: &Vec<&Node>| {
            known.len() == parts.len() && known.iter().zip(parts).all(|(a, b)| std::ptr::eq(*a, *b))
        };
        self.0.iter().position(is_same).unwrap_or_else(|| {
            self.0.push(parts.to_vec());
            self.0.len() - 1
        })
    }
}

/// Continue every path by an expression; where it has branches that differ in more than words, by each of them.
fn spread<'a>(node: &'a Node, paths: &mut Vec<Vec<&'a Node>>) {
    match node {
        Node::Group(part) => spread(part, paths),
        Node::All(all) => all.parts.iter().for_each(|part| spread(part, paths)),
        Node::Any(any)
            if paths.len() * any.parts.len() <= MOST_PATHS
                && node.length().1 > LONGEST_CHARACTER
                && list_words(node, MOST_LITERALS).is_none() =>
        {
            let before = std::mem::take(paths);
            for branch in &any.parts {
                let mut taken = before.clone();
                spread(branch, &mut taken);
                paths.append(&mut taken);
            }
        }
        _ => paths.iter_mut().for_each(|path| path.push(node)),
    }
}

/// What is known at some point of a path.
struct Walk {
    needs: Vec<Need>,
    fallback: Option<Need>, // the best of those that are too common
    at: Bytes,              // from the beginning of the match
    since: Bytes,           // from the beginning of the literal of the last need
    open: Vec<Vec<u8>>,     // literals that end here, of which the match has one
    opened: usize,          // the part that they begin with
}

impl Default for Walk {
    fn default() -> Walk {
        Walk { needs: Vec::new(), fallback: None, at: (0, 0), since: (0, 0), open: vec![Vec::new()], opened: 0 }
    }
}

impl Walk {
    fn follow<'a>(mut self, parts: &[&'a Node], rests: &mut Rests<'a>) -> Path {
        for (number, part) in parts.iter().enumerate() {
            let length = part.length();
            if let Some(words) = list_words(part, MOST_LITERALS) {
                let joined = self.open.len() * words.len();
                if joined > MOST_JOINED.max(self.open.len()).max(words.len()) {
                    self.close();
                    self.opened = number;
                }
                self.open = join(&self.open, &words);
                self.at = add(self.at, length);
                self.since = add(self.since, length);
                continue;
            }
            self.close();
            self.opened = number + 1;
            let (before, after) = (self.at, add(self.at, length));
            if let Some((literals, offset)) = find_needed(part) {
                let gap = add(self.since, offset);
                let rest = (length.0.saturating_sub(offset.1), length.1 - offset.0);
                self.since = add(self.since, length);
                let part = (offset == (0, 0)).then_some(number);
                self.add(Need { literals, place: add(before, offset), gap, rest: part }, rest);
            } else {
                self.since = add(self.since, length);
            }
            self.at = after;
        }
        self.close();
        if self.needs.is_empty() {
            self.needs.extend(self.fallback.filter(|need| need.cost() < TOO_COMMON));
        }
        for need in &mut self.needs {
            need.rest = need.rest.map(|part| rests.number(&parts[part..]));
        }
        self.needs
    }

    /// Turn the literals that end here into a need.
    fn close(&mut self) {
        let literals = std::mem::replace(&mut self.open, vec![Vec::new()]);
        let lengths = literals.iter().map(Vec::len);
        let rest = (lengths.clone().min().unwrap_or(0), lengths.max().unwrap_or(0));
        if rest.0 > 0 {
            let back = |all: Bytes| (all.0.saturating_sub(rest.0), all.1.saturating_sub(rest.1));
            let part = Some(self.opened);
            self.add(Need { literals, place: back(self.at), gap: back(self.since), rest: part }, rest);
        }
    }

    /// Keep a need, the literal of which began so many bytes ago.
    fn add(&mut self, need: Need, ago: Bytes) {
        if need.rate() < RARE {
            self.needs.push(need);
            self.since = ago;
        } else if self.fallback.as_ref().is_none_or(|known| need.cost() < known.cost()) {
            self.fallback = Some(need);
        }
    }
}

impl Need {
    /// How many places per byte of text the pattern would be tried at, roughly.
    fn cost(&self) -> f64 {
        self.rate() * (self.place.1 - self.place.0 + 1) as f64
    }

    /// How often one of the literals occurs per byte of text, roughly.
    pub fn rate(&self) -> f64 {
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
    }; // the letters after it are less free than the first
    let (second, others) = (literal.len().clamp(1, 3) - 1, literal.len().max(3) - 3);
    single * 0.25f64.powi(second as i32) * 0.1f64.powi(others as i32).max(1e-5)
}

fn add(a: Bytes, b: Bytes) -> Bytes {
    (a.0 + b.0, a.1 + b.1)
}

fn join(these: &[Vec<u8>], others: &[Vec<u8>]) -> Vec<Vec<u8>> {
    these.iter().flat_map(|one| others.iter().map(move |other| [one.as_slice(), other].concat())).collect()
}

/// All that an expression matches, if that is no more than some literals.
fn list_words(node: &Node, most: usize) -> Option<Vec<Vec<u8>>> {
    let fits = |words: Vec<Vec<u8>>| (words.len() <= most).then_some(words);
    match node {
        Node::Start | Node::End | Node::Boundary => Some(vec![Vec::new()]),
        Node::Text(text) => Some(vec![text.to_vec()]),
        Node::One(class) => list_class(class).and_then(fits),
        Node::Group(part) => list_words(part, most),
        Node::Repeat(repeat) => {
            let (least, longest) = (repeat.least, repeat.most);
            let most = if longest > 1 { MOST_REPEATED } else { most };
            let once = list_words(&repeat.part, most)?;
            let mut words = if least == 0 { vec![Vec::new()] } else { Vec::new() };
            let mut times = vec![Vec::new()];
            for number in 1..=longest {
                if times.len() * once.len() > most {
                    return None;
                }
                times = join(&times, &once);
                if number >= least {
                    words.extend(times.iter().cloned());
                }
            }
            fits(words)
        }
        Node::All(all) => all.parts.iter().try_fold(vec![Vec::new()], |before, part| {
            let words = list_words(part, most)?;
            (before.len() * words.len() <= most).then(|| join(&before, &words))
        }),
        Node::Any(any) => {
            let listed = any.listed.get_or_init(|| list_branches(&any.parts).map(|words| Listed::new(&words)));
            listed.as_ref().filter(|words| words.ends.len() <= most).map(Listed::to_words)
        }
    }
}

fn list_branches(branches: &[Node]) -> Option<Vec<Vec<u8>>> {
    let mut all = Vec::new();
    for branch in branches {
        all.extend(list_words(branch, MOST_LITERALS)?);
        if all.len() > MOST_LITERALS {
            return None;
        }
    }
    Some(all)
}

/// Literals of which a match must contain one, and the least and most bytes before it.
fn find_needed(node: &Node) -> Option<(Vec<Vec<u8>>, Bytes)> {
    match node {
        Node::Repeat(repeat) if repeat.least > 0 => find_needed(&repeat.part), // in its first pass
        Node::Any(any) => {
            let (mut literals, mut least, mut most) = (Vec::new(), usize::MAX, 0);
            for branch in &any.parts {
                let (found, place) = find_needed(branch)?;
                least = least.min(place.0);
                most = most.max(place.1);
                literals.extend(found);
            }
            literals.sort();
            literals.dedup();
            (literals.len() <= MOST_LITERALS).then_some((literals, (least, most)))
        }
        Node::Start | Node::End | Node::Boundary | Node::Repeat(_) => None,
        Node::Text(_) | Node::One(_) => {
            list_words(node, LARGEST_CLASS).filter(|words| !words.is_empty()).map(|words| (words, (0, 0)))
        }
        Node::Group(_) | Node::All(_) => {
            let mut parts = Vec::new();
            spread_plainly(node, &mut parts);
            let walk = Walk::default().follow(&parts, &mut Rests::default());
            let best = walk.into_iter().min_by(|a, b| a.cost().total_cmp(&b.cost()))?;
            Some((best.literals, best.place))
        }
    }
}

fn spread_plainly<'a>(node: &'a Node, path: &mut Vec<&'a Node>) {
    match node {
        Node::Group(part) => spread_plainly(part, path),
        Node::All(all) => all.parts.iter().for_each(|part| spread_plainly(part, path)),
        _ => path.push(node),
    }
}

fn list_class(class: &Class) -> Option<Vec<Vec<u8>>> {
    let all = class.ranges.iter().flat_map(|(low, high)| *low..=*high);
    let literals: Vec<Vec<u8>> = all.take(LARGEST_CLASS + 1).map(|c| c.to_string().into_bytes()).collect();
    (!literals.is_empty() && literals.len() <= LARGEST_CLASS).then_some(literals)
}
