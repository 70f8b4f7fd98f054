//! The words of a page's reading text, and what several detectors need to know about them.

use crate::hash::HashMap;

use super::word_kinds::{ABBREVIATION, ALPHABETIC, FUNCTION, POLITE};
use crate::buffer::Span;
use crate::chars;
use crate::document::{Document, Match};

/// A word in lower case, however often it occurs on the page.
pub struct Word<'d> {
    pub text: &'d str,
    pub kinds: u32,
    pub length: usize, // characters
    pub count: usize,
}

impl Word<'_> {
    /// Whether it begins with a letter, has at least this many characters and is no function word.
    pub fn is_content(&self, shortest: usize) -> bool {
        self.length >= shortest && self.kinds & (ALPHABETIC | FUNCTION) == ALPHABETIC
    }
}

/// An occurrence of a word is referred to by its number in the piece, from 0. Spans are offsets into `text`.
pub struct PageWords<'d> {
    pub doc: &'d Document<'d>,
    pub text: &'d [char],  // the reading text or a piece of it
    pub offset: usize,     // where it begins in the reading text
    pub source_span: Span, // where it comes from; all pieces together stand for all of the source
    pub spans: Vec<Span>,
    pub ids: Vec<u32>, // of the different words, which are numbered by first appearance
    pub vocabulary: Vec<Word<'d>>,
    pub sentences: Vec<Span>, // half-open ranges of numbers
    pub is_name: Vec<bool>,
    pub evidence: Vec<usize>, // numbers of the words at which a quotation, statistic or citation begins, sorted
    numbers: HashMap<&'d str, u32>,
}

impl<'d> PageWords<'d> {
    pub fn new(doc: &'d Document<'d>, (offset, end): Span) -> PageWords<'d> {
        let text = &doc.chars()[offset..end];
        let spans = find_words(text);
        let mut ids = Vec::with_capacity(spans.len());
        let mut vocabulary: Vec<Word> = Vec::with_capacity(spans.len() / 2);
        let mut numbers: HashMap<&str, u32> = HashMap::default();
        numbers.reserve(spans.len() / 2);
        for (start, end) in &spans {
            let text = doc.lowered.slice(offset + *start, offset + *end);
            let id = *numbers.entry(text).or_insert_with(|| {
                let kinds = doc.language.word_kinds.classify(text);
                vocabulary.push(Word { text, kinds, length: end - start, count: 0 });
                (vocabulary.len() - 1) as u32
            });
            vocabulary[id as usize].count += 1;
            ids.push(id);
        }
        let mut page = PageWords {
            doc,
            text,
            offset,
            source_span: find_source(doc, offset, end),
            spans,
            ids,
            vocabulary,
            sentences: Vec::new(),
            is_name: Vec::new(),
            evidence: Vec::new(),
            numbers,
        };
        page.sentences = page.find_sentences();
        page.is_name = page.find_names();
        page.evidence = page.find_evidence();
        page
    }

    pub fn len(&self) -> usize {
        self.ids.len()
    }

    pub fn word(&self, at: usize) -> &Word<'d> {
        &self.vocabulary[self.ids[at] as usize]
    }

    pub fn kinds(&self, at: usize) -> u32 {
        self.word(at).kinds
    }

    pub fn is_function_word(&self, at: usize) -> bool {
        self.kinds(at) & FUNCTION != 0
    }

    /// Whether a word addresses the reader: one that does so only with a capital.
    pub fn is_polite(&self, at: usize) -> bool {
        let (start, end) = (self.offset + self.spans[at].0, self.offset + self.spans[at].1);
        self.kinds(at) & POLITE != 0 && self.doc.language.word_kinds.polite.contains(self.doc.text.slice(start, end))
    }

    /// The first character of a word as written.
    pub fn initial(&self, at: usize) -> char {
        self.text[self.spans[at].0]
    }

    /// How often a word in lower case occurs on the page.
    pub fn count(&self, word: &str) -> usize {
        self.numbers.get(word).map_or(0, |id| self.vocabulary[*id as usize].count)
    }

    /// What is between a word and the next one.
    pub fn gap_after(&self, at: usize) -> &'d [char] {
        &self.text[self.spans[at].1..self.spans[at + 1].0]
    }

    /// Whether only a space separates a word from the next one.
    pub fn is_joined(&self, at: usize) -> bool {
        let end = self.spans[at].1;
        self.spans.get(at + 1).is_some_and(|next| next.0 == end + 1) && self.text[end] == ' '
    }

    /// The span of the text from the start of one word to the end of another.
    pub fn span(&self, first: usize, last: usize) -> Span {
        (self.spans[first].0, self.spans[last].1)
    }

    /// How many words start before an offset.
    pub fn count_before(&self, offset: usize) -> usize {
        self.spans.partition_point(|span| span.0 < offset)
    }

    /// How many words start before an offset or at it.
    pub fn count_up_to(&self, offset: usize) -> usize {
        self.spans.partition_point(|span| span.0 <= offset)
    }

    fn find_sentences(&self) -> Vec<Span> {
        let mut sentences = Vec::new();
        let (mut first, mut next) = (0, 0);
        for end in find_ends(self.text) {
            let before = next;
            while next < self.len() && self.spans[next].0 <= end {
                next += 1;
            }
            if next > before && next < self.len() && self.can_end(next - 1) {
                sentences.push((first, next));
                first = next;
            }
        }
        if first < self.len() {
            sentences.push((first, self.len()));
        }
        sentences
    }

    /// Whether a sentence may end after this word.
    ///
    /// None ends after an abbreviation ("Tay et al.", "Dr."), an initial, or before a word in lower case: a survey of
    /// the literature would fall apart into hollow pieces.
    fn can_end(&self, at: usize) -> bool {
        let between = self.gap_after(at);
        if between.iter().any(|c| matches!(c, '!' | '?')) || between.windows(2).any(|pair| pair == ['\n', '\n']) {
            return true;
        }
        let word = self.word(at);
        word.length > 1 && word.kinds & ABBREVIATION == 0 && !chars::is_lower(self.initial(at + 1))
    }

    /// For each word, whether it begins with a capital; where every noun does, whether it is part of a name.
    fn find_names(&self) -> Vec<bool> {
        if !self.doc.language.capitalises_nouns {
            return self.spans.iter().map(|span| chars::is_upper(self.text[span.0])).collect();
        }
        let mut names = vec![false; self.len()];
        for found in self.find(self.doc.language.numbers.entity) {
            let first = self.count_before(found.start - self.offset);
            let last = self.count_before(found.end - self.offset);
            names[first..last].fill(true);
        }
        names
    }

    /// The matches of a family that begin in the piece.
    fn find(&self, family: Option<usize>) -> &'d [Match] {
        let matches = self.doc.find(family);
        let before = |offset: usize| matches.partition_point(|found| found.start < offset);
        &matches[before(self.offset)..before(self.offset + self.text.len())]
    }

    /// The spans of the source that no reader sees and that begin in the piece.
    pub fn hidden(&self) -> &'d [Span] {
        let hidden = &self.doc.source.structure.hidden;
        let before = |offset: usize| hidden.partition_point(|span| span.0 < offset);
        &hidden[before(self.source_span.0)..before(self.source_span.1)]
    }

    fn find_evidence(&self) -> Vec<usize> {
        let numbers = &self.doc.language.numbers;
        let quotable = numbers.quotable.iter().map(|family| Some(*family));
        let mut after: Vec<usize> = quotable
            .chain([numbers.statistic, numbers.citation])
            .flat_map(|family| self.find(family))
            .map(|found| self.count_up_to(found.start - self.offset))
            .collect();
        after.sort_unstable();
        after.dedup();
        if self.ids.is_empty() {
            return Vec::new();
        }
        // What begins before the first word counts beside what begins at it, as in Python.
        after.into_iter().map(|number| number.saturating_sub(1)).collect()
    }
}

fn find_source(doc: &Document, offset: usize, end: usize) -> Span {
    let view = &doc.source.structure.view;
    let start = if offset == 0 { 0 } else { view.source_offset(offset) };
    (start, if end < doc.chars().len() { view.source_offset(end) } else { doc.source.text.len() })
}

fn is_number_part(c: char) -> bool {
    matches!(c, '0'..='9' | '.' | ',' | ':' | '/')
}

/// The end of the word that starts at an offset with a letter: letters, with single apostrophes and hyphens inside.
pub fn end_of_word(text: &[char], start: usize) -> usize {
    let is_letter = |at: usize| text.get(at).is_some_and(|c| chars::is_letter(*c));
    let mut at = start;
    loop {
        while is_letter(at) {
            at += 1;
        }
        if matches!(text.get(at), Some('\'' | '-')) && is_letter(at + 1) {
            at += 1;
        } else {
            return at;
        }
    }
}

/// The spans of the words: `[^\W\d_]+(?:['-][^\W\d_]+)*|[$€£]?[0-9][0-9.,:/]*%?` of Python's `re`.
fn find_words(text: &[char]) -> Vec<Span> {
    let mut spans = Vec::with_capacity(text.len() / 5);
    let mut at = 0;
    while at < text.len() {
        let c = text[at];
        if chars::is_letter(c) {
            let end = end_of_word(text, at);
            spans.push((at, end));
            at = end;
            continue;
        }
        let digit = at + usize::from(matches!(c, '$' | '€' | '£'));
        if !text.get(digit).is_some_and(char::is_ascii_digit) {
            at += 1;
            continue;
        }
        let mut end = digit + 1;
        while text.get(end).is_some_and(|c| is_number_part(*c)) {
            end += 1;
        }
        end += usize::from(text.get(end) == Some(&'%'));
        spans.push((at, end));
        at = end;
    }
    spans
}

/// Where sentences may end: `[.!?…]["”’')\]»*_]{0,3}\s|\n[ ]{0,9}\n` of Python's `re`, the start of each match.
///
/// A mark ends a sentence when white space follows: not inside "5.44%". A blank line ends one too.
fn find_ends(text: &[char]) -> Vec<usize> {
    let skip = |mut at: usize, most: usize, skipped: fn(char) -> bool| {
        let limit = text.len().min(at + most);
        while at < limit && skipped(text[at]) {
            at += 1;
        }
        at
    };
    let mut ends = Vec::new();
    let mut at = 0;
    while at < text.len() {
        let end = match text[at] {
            '.' | '!' | '?' | '…' => {
                let after = skip(at + 1, 3, |c| matches!(c, '"' | '”' | '’' | '\'' | ')' | ']' | '»' | '*' | '_'));
                text.get(after).is_some_and(|c| chars::is_space(*c)).then_some(after + 1)
            }
            '\n' => {
                let after = skip(at + 1, 9, |c| c == ' ');
                (text.get(after) == Some(&'\n')).then_some(after + 1)
            }
            _ => None,
        };
        if end.is_some() {
            ends.push(at);
        }
        at = end.unwrap_or(at + 1);
    }
    ends
}

#[cfg(test)]
mod tests {
    use super::*;

    fn chars(text: &str) -> Vec<char> {
        text.chars().collect()
    }

    #[test]
    fn words_are_those_of_the_pattern() {
        let text = chars("L'été--x y'-z $5.44% €1:2/3, 4th _a_b £ x9 ٣a Ⅷ");
        let words: Vec<String> = find_words(&text).iter().map(|(a, b)| text[*a..*b].iter().collect()).collect();
        assert_eq!(words, ["L'été", "x", "y", "z", "$5.44%", "€1:2/3,", "4", "th", "a", "b", "x", "9", "a", "Ⅷ"]);
    }

    #[test]
    fn sentences_can_end_at_marks_before_white_space_and_at_blank_lines() {
        assert_eq!(find_ends(&chars("a 5.4 b.\" c!)]'\n d…”’')e \n  \n f.\n\n\n")), [7, 11, 25, 31, 33]);
        assert_eq!(find_ends(&chars("a?)))) b\n          \nc")), Vec::<usize>::new());
    }
}
