//! Which matches of a family count: refused words, other families nearby, longer matches.

use crate::buffer::words;
use crate::document::Match;
use crate::hash::HashSet;

/// Whether a match's first word, or any of its words, undoes it.
pub fn refuses(lowered: &[char], first: &HashSet<String>, anywhere: &HashSet<String>) -> bool {
    let strip = |word: &[char]| -> String {
        let is_mark = |c: &char| matches!(c, '"' | '“' | '«' | '(' | '*' | '_' | ',');
        let start = word.iter().position(|c| !is_mark(c)).unwrap_or(word.len());
        let end = word.iter().rposition(|c| !is_mark(c)).map_or(start, |at| at + 1);
        word[start..end].iter().collect()
    };
    for (at, word) in words(lowered).enumerate() {
        let word = strip(word);
        if (at == 0 && first.contains(&word)) || anywhere.contains(&word) {
            return true;
        }
        if anywhere.is_empty() {
            return false;
        }
    }
    false
}

/// The matches that lie inside no other one; of equal ones the first.
pub fn keep_longest(mut matches: Vec<Match>) -> Vec<Match> {
    matches.sort_by_key(|m| (m.start, std::cmp::Reverse(m.end)));
    let mut kept: Vec<Match> = Vec::new();
    for m in matches {
        if kept.last().is_none_or(|last| m.end > last.end) {
            kept.push(m);
        }
    }
    kept
}

/// The matches that share no character with one of the others; both are sorted by start.
pub fn drop_overlapping(matches: Vec<Match>, others: &[Match]) -> Vec<Match> {
    let mut farthest = 0;
    let reach: Vec<usize> = others
        .iter()
        .map(|other| {
            farthest = farthest.max(other.end);
            farthest
        })
        .collect();
    let is_free = |m: &Match| {
        let before = others.partition_point(|other| other.start < m.end); // those that start before this one ends
        before == 0 || reach[before - 1] <= m.start
    };
    matches.into_iter().filter(is_free).collect()
}

/// The matches with one of the others close before or after them, in the same paragraph.
pub fn keep_near(matches: Vec<Match>, others: &[Match], within: usize, text: &[char]) -> Vec<Match> {
    let mut ends: Vec<usize> = others.iter().map(|other| other.end).collect();
    ends.sort_unstable();
    let same_paragraph =
        |start: usize, end: usize| start >= end || !text[start..end].windows(2).any(|pair| pair == ['\n', '\n']);
    let is_near = |m: &Match| {
        let after = others.partition_point(|other| other.start + 1 < m.end);
        if let Some(other) = others.get(after) {
            if other.start <= m.end + within && same_paragraph(m.end, other.start) {
                return true;
            }
        }
        let before = ends.partition_point(|end| *end <= m.start + 1);
        before > 0 && m.start <= ends[before - 1] + within && same_paragraph(ends[before - 1], m.start)
    };
    matches.into_iter().filter(is_near).collect()
}
