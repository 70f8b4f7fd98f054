//! A page as the components read it; everything is computed on demand and once. A mirror of `steelyard/text/document.py`.

use std::cell::{OnceCell, RefCell};

use crate::hash::HashSet;

use crate::buffer::{trim, words, Buffer, Span};
use crate::chars;
use crate::language::Language;
use crate::matches::{drop_overlapping, keep_longest, keep_near, refuses};
use crate::sights::Sights;
use crate::source::{join_words, Source};
use crate::text::prose::{is_running, Prose};
use crate::text::sentences;
use crate::vocabulary::Vocabulary;

const SENTENCE_LONGER_THAN: usize = 10; // characters

/// A pattern's match in the reading text, in characters.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Match {
    pub family: usize,
    pub pattern: usize,
    pub start: usize,
    pub end: usize,
}

/// One token of the reading text.
#[derive(Clone, Copy)]
pub struct Token {
    pub start: usize,
    pub end: usize,
    pub id: u32,
}

/// Tokens as integers, in order of first appearance.
pub struct Tokens {
    pub all: Vec<Token>,
    pub types: usize,       // of the page; ids beyond are pieces of words that a span cuts
    pub bounds: Vec<usize>, // per segment: where its tokens begin in `all`
}

#[derive(Clone, Copy)]
pub struct Section {
    pub level: usize,
    pub title: Span,
    pub body: Span,
}

/// How an edition cuts a text.
#[derive(Clone, Copy)]
pub struct Cutting {
    pub careful: bool,
    pub unicode_tokens: bool,
    pub evidence_in_prose: bool,
}

pub struct Document<'a> {
    pub source: &'a Source,
    pub language: &'a Language,
    pub title: Option<String>,
    pub site: String,
    pub text: Buffer,
    pub lowered: Buffer,
    pub cutting: Cutting,
    pub vocabulary: RefCell<Vocabulary>,
    sights: OnceCell<Sights>,
    matches: Vec<OnceCell<Vec<Match>>>,
    n_words: OnceCell<usize>,
    segments: OnceCell<Vec<Span>>,
    sentences: OnceCell<Vec<usize>>,
    sentence_words: OnceCell<Vec<usize>>,
    tokens: OnceCell<Tokens>,
    kept_counts: OnceCell<Vec<(u32, usize)>>,
    sections: OnceCell<Vec<Section>>,
    running: OnceCell<Vec<bool>>,
    prose: OnceCell<Prose>,
    pub computed: crate::components::Shared,
}

fn unify(c: char) -> char {
    match c {
        '\t' | '\u{a0}' | '\u{2002}' | '\u{2003}' | '\u{2009}' | '\u{200a}' | '\u{202f}' | '\u{3000}' => ' ',
        '\u{2019}' | '\u{2bc}' => '\'',
        '\u{2010}' | '\u{2011}' => '-',
        other => other,
    }
}

impl<'a> Document<'a> {
    pub fn new(
        source: &'a Source,
        language: &'a Language,
        cutting: Cutting,
        title: Option<String>,
        site: String,
    ) -> Document<'a> {
        let text = Buffer::new(source.structure.view.text.iter().map(|c| unify(*c)).collect());
        let lowered = text.lowered();
        Document {
            source,
            language,
            title,
            site,
            text,
            lowered,
            cutting,
            vocabulary: RefCell::default(),
            sights: OnceCell::new(),
            matches: (0..language.families.len()).map(|_| OnceCell::new()).collect(),
            n_words: OnceCell::new(),
            segments: OnceCell::new(),
            sentences: OnceCell::new(),
            sentence_words: OnceCell::new(),
            tokens: OnceCell::new(),
            kept_counts: OnceCell::new(),
            sections: OnceCell::new(),
            running: OnceCell::new(),
            prose: OnceCell::new(),
            computed: crate::components::Shared::default(),
        }
    }

    pub fn chars(&self) -> &[char] {
        &self.text.chars
    }

    // Words, sentences, tokens

    pub fn n_words(&self) -> usize {
        *self.n_words.get_or_init(|| words(self.chars()).count())
    }

    pub fn segments(&self) -> &[Span] {
        self.segments.get_or_init(|| {
            let text = self.chars();
            let spans = if self.cutting.careful {
                sentences::split(text, self.list("abbreviations"), self.list("after_ordinals"))
            } else {
                split_at_stops(text)
            };
            spans.into_iter().map(|span| trim(text, span)).collect()
        })
    }

    fn list(&self, name: &str) -> &HashSet<String> {
        &self.language.lists[name]
    }

    pub fn sentences(&self) -> &[usize] {
        self.sentences.get_or_init(|| {
            let long = |span: &Span| span.1 - span.0 > SENTENCE_LONGER_THAN;
            self.segments().iter().enumerate().filter(|(_, span)| long(span)).map(|(at, _)| at).collect()
        })
    }

    /// For each segment whether evidence counts in it: in running text, or in all, as the edition says.
    pub fn running(&self) -> &[bool] {
        self.running.get_or_init(|| {
            let segments = self.segments();
            if !self.cutting.evidence_in_prose {
                return vec![true; segments.len()];
            }
            let tokens = self.tokens();
            let vocabulary = self.vocabulary.borrow();
            let judge = |(at, span): (usize, &Span)| {
                let all = &tokens.all[tokens.bounds[at]..tokens.bounds[at + 1]];
                let little = all.iter().filter(|token| vocabulary.stop[token.id as usize]).count();
                is_running(self.chars(), *span, (all.len(), little), self.language.capitalises_nouns)
            };
            segments.iter().enumerate().map(judge).collect()
        })
    }

    /// How much of the page is running text, where the edition tells it from the rest.
    pub fn prose(&self) -> &Prose {
        self.prose.get_or_init(|| {
            let tokens = self.tokens();
            let vocabulary = self.vocabulary.borrow();
            let mut seen = vec![false; tokens.types];
            let (mut count, mut content_words) = (0, 0);
            for (at, (start, end)) in self.segments().iter().enumerate().filter(|(at, _)| self.running()[*at]) {
                count += words(&self.chars()[*start..*end]).count();
                for token in &tokens.all[tokens.bounds[at]..tokens.bounds[at + 1]] {
                    let id = token.id as usize;
                    content_words += usize::from(!seen[id] && vocabulary.kept[id]);
                    seen[id] = true;
                }
            }
            let share = if count > 0 { count as f64 / self.n_words() as f64 } else { 0.0 };
            Prose { words: count, share, content_words }
        })
    }

    /// W of the densities: the words of the page, or those of its running text where evidence counts only there.
    pub fn evidence_words(&self) -> usize {
        if self.cutting.evidence_in_prose {
            self.prose().words
        } else {
            self.n_words()
        }
    }

    /// How many sentences there are in which evidence counts.
    pub fn evidence_sentences(&self) -> usize {
        self.sentences().iter().filter(|at| self.running()[**at]).count()
    }

    /// The index of the segment at an offset, or of the last one before it; None before the first.
    pub fn segment_at(&self, offset: usize) -> Option<usize> {
        self.segments().partition_point(|segment| segment.0 <= offset).checked_sub(1)
    }

    pub fn sentence_words(&self) -> &[usize] {
        self.sentence_words.get_or_init(|| {
            let count = |(start, end): Span| words(&self.chars()[start..end]).count();
            self.sentences().iter().map(|at| count(self.segments()[*at])).collect()
        })
    }

    pub fn tokens(&self) -> &Tokens {
        self.tokens.get_or_init(|| {
            let mut all = Vec::with_capacity(self.text.len() / 5);
            let mut bounds = vec![0];
            for (start, end) in self.segments() {
                self.tokens_in(*start, *end, &mut all);
                bounds.push(all.len());
            }
            Tokens { types: self.vocabulary.borrow().len(), all, bounds }
        })
    }

    /// Add the tokens of a span, as Python's `findall(text, start, end)` returns them.
    fn tokens_in(&self, start: usize, end: usize, tokens: &mut Vec<Token>) {
        let text = &self.lowered.chars;
        let mut vocabulary = self.vocabulary.borrow_mut();
        let unicode = self.cutting.unicode_tokens;
        let belongs = |c: char| if unicode { chars::is_letter(c) } else { c.is_ascii_lowercase() };
        let is_word = |c: char| c.is_ascii_alphanumeric() || c == '_';
        let mut at = start;
        while at < end {
            if !belongs(text[at]) {
                at += 1;
                continue;
            }
            let first = at;
            while at < end && belongs(text[at]) {
                at += 1;
            }
            let bounded = unicode || (!(first > 0 && is_word(text[first - 1])) && !(at < end && is_word(text[at])));
            if bounded {
                let id = vocabulary.number(self.lowered.slice(first, at), at - first, self.language);
                tokens.push(Token { start: first, end: at, id });
            }
        }
    }

    /// The ids of all tokens of a span.
    pub fn token_ids(&self, start: usize, end: usize) -> Vec<u32> {
        let known = &self.tokens().all;
        let (start, end) = (start.min(self.text.len()), end.min(self.text.len()));
        if self.cuts_word(start) || self.cuts_word(end) {
            let mut found = Vec::new();
            self.tokens_in(start, end, &mut found);
            return found.into_iter().map(|token| token.id).collect();
        }
        let first = known.partition_point(|token| token.start < start);
        let last = known.partition_point(|token| token.start < end);
        known[first.min(last)..last].iter().map(|token| token.id).collect()
    }

    /// Whether an offset lies within a word or number, so that a span that ends there has other tokens than the page.
    fn cuts_word(&self, offset: usize) -> bool {
        let text = &self.lowered.chars;
        offset > 0 && offset < text.len() && chars::is_word(text[offset - 1]) && chars::is_word(text[offset])
    }

    pub fn keeps(&self, id: u32) -> bool {
        self.vocabulary.borrow().kept[id as usize]
    }

    /// How often each kept token occurs, in order of first appearance.
    pub fn kept_counts(&self) -> &[(u32, usize)] {
        self.kept_counts.get_or_init(|| {
            let tokens = self.tokens();
            let mut counts = vec![0usize; tokens.types];
            for token in &tokens.all {
                counts[token.id as usize] += 1;
            }
            let vocabulary = self.vocabulary.borrow();
            let kept = (0..tokens.types).filter(|id| vocabulary.kept[*id]);
            kept.map(|id| (id as u32, counts[id])).collect()
        })
    }

    pub fn n_kept(&self) -> usize {
        self.kept_counts().iter().map(|(_, n)| n).sum()
    }

    /// The kept tokens of each sentence, sorted, each once.
    pub fn sentence_tokens(&self) -> Vec<Vec<u32>> {
        let tokens = self.tokens();
        let vocabulary = self.vocabulary.borrow();
        let collect = |segment: usize| {
            let all = &tokens.all[tokens.bounds[segment]..tokens.bounds[segment + 1]];
            let mut ids: Vec<u32> = all.iter().map(|t| t.id).filter(|id| vocabulary.kept[*id as usize]).collect();
            ids.sort_unstable();
            ids.dedup();
            ids
        };
        self.sentences().iter().map(|segment| collect(*segment)).collect()
    }

    // Structure

    /// How many sentences begin in a span.
    pub fn sentences_between(&self, start: usize, end: usize) -> usize {
        let segments = self.segments();
        let first = segments.partition_point(|segment| segment.0 < start);
        let last = segments.partition_point(|segment| segment.0 < end);
        let sentences = self.sentences();
        let low = sentences.partition_point(|at| *at < first);
        let high = sentences.partition_point(|at| *at < last);
        high.saturating_sub(low)
    }

    pub fn sections(&self) -> &[Section] {
        self.sections.get_or_init(|| {
            let headings = &self.source.structure.headings;
            let next = |at: usize| headings.get(at + 1).map_or(self.text.len(), |h| h.start);
            let section = |(at, h): (usize, &crate::text::lines::Heading)| Section {
                level: h.level,
                title: (h.start, h.end),
                body: (h.end, next(at)),
            };
            headings.iter().enumerate().map(section).collect()
        })
    }

    // Patterns

    /// All matches of a family of patterns, by position.
    pub fn find(&self, family: Option<usize>) -> &[Match] {
        family.map_or(&[], |family| self.matches[family].get_or_init(|| self.search(family)))
    }

    fn search(&self, number: usize) -> Vec<Match> {
        let family = &self.language.families[number];
        let sights = self.sights.get_or_init(|| self.language.matcher.look(&self.text.utf8));
        let mut matches = Vec::new();
        for pattern in 0..family.patterns.len() {
            self.language.matcher.find(family.first + pattern, &self.text, sights, |start, end| {
                matches.push(Match { family: number, pattern, start, end });
            });
        }
        matches.retain(|m| !self.is_refused(m));
        matches.sort_unstable_by_key(|m| (m.start, m.end, m.pattern));
        if family.unless.is_some() && !matches.is_empty() {
            matches = drop_overlapping(matches, self.find(family.unless));
        }
        if family.needs.is_some() && !matches.is_empty() {
            matches = keep_near(matches, self.find(family.needs), family.within, self.chars());
        }
        if family.longest {
            matches = keep_longest(matches);
        }
        if self.cutting.evidence_in_prose && family.is_evidence {
            matches.retain(|m| self.is_in_prose(m));
        }
        matches
    }

    /// The matches of all families that were searched: pattern, start, end.
    pub fn all_matches(&self) -> Vec<(String, Vec<(usize, usize, usize)>)> {
        let triples = |found: &Vec<Match>| found.iter().map(|m| (m.pattern, m.start, m.end)).collect();
        let families = self.language.families.iter().zip(&self.matches);
        families.filter_map(|(family, cell)| Some((family.name.clone(), triples(cell.get()?)))).collect()
    }

    fn is_refused(&self, m: &Match) -> bool {
        let data = &self.language.families[m.family].patterns[m.pattern];
        if data.first_word_not.is_empty() && data.words_not.is_empty() {
            return false;
        }
        refuses(&self.lowered.chars[m.start..m.end], &data.first_word_not, &data.words_not)
    }

    /// Whether a family matches anywhere in another text, such as the opening of a paragraph.
    pub fn matches_in(&self, family: Option<usize>, text: &str) -> bool {
        let Some(family) = family.map(|number| &self.language.families[number]) else { return false };
        family.patterns.iter().enumerate().any(|(at, data)| {
            let spans = self.language.matcher.find_in(family.first + at, text);
            if data.first_word_not.is_empty() && data.words_not.is_empty() {
                return !spans.is_empty();
            }
            let lowered =
                |(start, end): (usize, usize)| -> Vec<char> { text[start..end].chars().map(chars::lower).collect() };
            spans.into_iter().any(|span| !refuses(&lowered(span), &data.first_word_not, &data.words_not))
        })
    }

    /// Whether a match is part of running text; a quotation may begin or end with a fragment.
    fn is_in_prose(&self, m: &Match) -> bool {
        let Some(last) = self.segment_at(m.end.max(1) - 1) else { return false };
        let first = self.segment_at(m.start).unwrap_or(0);
        self.running()[first..=last].iter().any(|runs| *runs)
    }

    pub fn pattern(&self, m: &Match) -> &crate::language::PatternData {
        &self.language.families[m.family].patterns[m.pattern]
    }

    /// The text of a span in lower case with single spaces.
    pub fn normalised(&self, start: usize, end: usize) -> String {
        join_words(&self.lowered.chars[start..end])
    }
}

fn split_at_stops(text: &[char]) -> Vec<Span> {
    let mut spans = Vec::new();
    let mut start = 0;
    for (at, c) in text.iter().enumerate() {
        if matches!(c, '.' | '!' | '?') {
            if at > start {
                spans.push((start, at));
            }
            start = at + 1;
        }
    }
    if text.len() > start {
        spans.push((start, text.len()));
    }
    spans
}
