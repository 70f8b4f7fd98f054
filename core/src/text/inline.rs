//! The pass over a Markdown text that removes inline marks and collects links.

use super::invisible::{is_invisible, match_invisible_entity, match_space_entity, Suspects};
use super::lines::{Definitions, Link};
use super::links::{self, find_href, LinkMatch};
use super::scan::{find, is_blank, pass, skip, skip_most};
use super::tags::{self, Tag};
use super::view::ViewBuilder;
use crate::buffer::Span;
use crate::chars::{self, is_space};

const LONGEST_CODE: usize = 1000;
const LONGEST_LABEL: usize = 200;

static OPENING: Suspects = Suspects::new("\\`![<*_~&");

/// What a match shows of itself.
enum Shown<'a> {
    Nothing,
    Space,
    Literal(Span), // the characters as they are
    Words(Span),   // without marks
    Link(LinkMatch),
    Tag(Tag<'a>),
    All, // `Vec<String>` in prose names no element: it is text
}

type Match<'a> = (usize, Shown<'a>);

/// Return the definitions that something visible refers to; the others are shown to nobody.
pub fn find_used(masked: &[char], start: usize, definitions: Definitions) -> Vec<Link> {
    if definitions.links.is_empty() {
        return Vec::new();
    }
    let mut used = vec![false; definitions.links.len()];
    let mut label = String::new();
    let mut position = start;
    while let Some(at) = find(masked, position, '[') {
        position = at + 1;
        let Some(end) = links::match_bracketed(masked, at, LONGEST_LABEL) else { continue };
        label.clear();
        label.extend(masked[at + 1..end - 1].iter().map(|c| chars::lower(*c)));
        if let Some(place) = definitions.find(&label) {
            used[place] = true;
        }
        position = end;
    }
    definitions.links.into_iter().zip(used).filter_map(|(link, used)| used.then_some(link)).collect()
}

/// Copy a span of the masked text to the view without its inline marks; collect the links that have words.
pub fn copy_inline(masked: &[char], (start, end): Span, builder: &mut ViewBuilder, links: &mut Vec<Link>) {
    let text = &masked[..end];
    let mut position = start; // up to here it is copied
    let mut at = start;
    let mut anchor: Option<(Link, usize)> = None; // an open <a href>, and where its words would begin in the view
    while at < end {
        if !OPENING.contains(text[at]) {
            at += 1;
            continue;
        }
        let Some((after, shown)) = match_inline(text, at) else {
            at += 1;
            continue;
        };
        let begin = at;
        at = after;
        if matches!(shown, Shown::All) {
            continue;
        }
        copy_visible(text, (position, begin), builder);
        position = after;
        match shown {
            Shown::Nothing | Shown::All => {}
            Shown::Space => builder.put(' ', begin),
            Shown::Literal(span) => copy_visible(text, span, builder),
            Shown::Words(span) => copy_words(text, span, builder),
            Shown::Link(LinkMatch { words, address, end }) => {
                copy_words(text, words, builder);
                if has_words(&text[words.0..words.1]) {
                    links.push(Link { url: text[address.0..address.1].iter().collect(), start: begin, end });
                }
            }
            Shown::Tag(tag) => {
                if tag.name == "a" {
                    links.extend(anchor.take().filter(|open| has_words(builder.text_since(open.1))).map(|open| open.0));
                    let address = if tag.opens() { find_href(&text[begin..after]) } else { None };
                    anchor = address.map(|url| (Link { url, start: begin, end: after }, builder.len()));
                }
                if tag.breaks_line() {
                    builder.put('\n', begin);
                }
            }
        }
    }
    copy_visible(text, (position, end), builder);
}

/// Copy a span to the view without invisible characters.
pub fn copy_visible(masked: &[char], span: Span, builder: &mut ViewBuilder) {
    copy_without(masked, span, builder, is_invisible);
}

/// Copy the words of a link without invisible characters and marks.
fn copy_words(masked: &[char], span: Span, builder: &mut ViewBuilder) {
    copy_without(masked, span, builder, |c| c == '*' || c == '`' || is_invisible(c));
}

fn copy_without(masked: &[char], (start, end): Span, builder: &mut ViewBuilder, dropped: impl Fn(char) -> bool) {
    let text = &masked[..end.max(start)];
    let mut position = start;
    while position < end {
        let stop = skip(text, position, |c| !dropped(c));
        builder.keep(position, stop);
        position = skip(text, stop, &dropped);
    }
}

fn has_words(text: &[char]) -> bool {
    text.iter().any(|c| chars::is_alnum(*c))
}

/// Match the first of the inline forms that fits; the order is part of the definition.
fn match_inline(text: &[char], at: usize) -> Option<Match<'_>> {
    let nothing = |end: usize| (end, Shown::Nothing);
    let words = |(words, end): (Span, usize)| (end, Shown::Words(words));
    match text[at] {
        '\\' => match_escape(text, at),
        '`' => match match_code(text, at) {
            Some((code, end)) => Some((end, Shown::Literal(code))),
            None => Some(nothing(skip_most(text, at, 3, |c| c == '`'))),
        },
        '!' => links::match_image(text, at).map(nothing),
        '[' => match_brackets(text, at),
        '<' => links::match_address(text, at).map(words).or_else(|| match_tag(text, at)),
        '*' => match_stars(text, at).map(nothing),
        '_' => match_underscores(text, at).map(nothing),
        '~' => pass(text, at, "~~").map(nothing),
        '&' => match_invisible_entity(text, at)
            .map(nothing)
            .or_else(|| match_space_entity(text, at).map(|end| (end, Shown::Space))),
        _ => Some(nothing(skip(text, at, is_invisible))),
    }
}

fn match_escape(text: &[char], at: usize) -> Option<Match<'_>> {
    let escaped = *text.get(at + 1)?;
    let fits = matches!(
        escaped,
        '\\' | '`' | '*' | '_' | '{' | '}' | '[' | ']' | '(' | ')' | '#' | '+' | '.' | '!' | '>' | '-'
    );
    fits.then_some((at + 2, Shown::Literal((at + 1, at + 2))))
}

/// Match a code span of one to three ticks: its inside and its end. It may run over a line break, not over a blank line.
///
/// ``(`{1,3})((?:[^`\n]|\n(?![ \t]*\n)){1,1000})\1(?!`)``: the inside has no tick, so both runs of ticks are whole.
pub fn match_code(text: &[char], at: usize) -> Option<(Span, usize)> {
    let start = skip_most(text, at, 4, |c| c == '`');
    let ticks = start - at;
    let last = text.len().min(start + LONGEST_CODE);
    let mut end = start;
    while end < last && text[end] != '`' {
        if text[end] == '\n' && text.get(skip(text, end + 1, is_blank)) == Some(&'\n') {
            return None;
        }
        end += 1;
    }
    let after = skip_most(text, end, 4, |c| c == '`');
    (ticks <= 3 && end > start && after - end == ticks).then_some(((start, end), after))
}

fn match_brackets(text: &[char], at: usize) -> Option<Match<'_>> {
    if let Some(end) = links::match_linked_image(text, at) {
        return Some((end, Shown::Nothing));
    }
    if let Some(link) = links::match_link(text, at) {
        return Some((link.end, Shown::Link(link)));
    }
    links::match_reference(text, at).map(|(words, end)| (end, Shown::Words(words)))
}

fn match_tag(text: &[char], at: usize) -> Option<Match<'_>> {
    let end = tags::find_end(text, at)?;
    Some((end, Tag::parse(&text[at..end]).map_or(Shown::All, Shown::Tag)))
}

/// `\*{1,3}(?=\S)|(?<=\S)\*{1,3}`: where the stars end.
fn match_stars(text: &[char], at: usize) -> Option<usize> {
    let end = skip_most(text, at, 3, |c| c == '*');
    before_space(text, at, end).or_else(|| is_shown_before(text, at).then_some(end))
}

/// `(?<![A-Za-z0-9])_{1,3}(?=\S)|(?<=\S)_{1,3}(?![A-Za-z0-9])`: where the underscores end.
fn match_underscores(text: &[char], at: usize) -> Option<usize> {
    let end = skip_most(text, at, 3, |c| c == '_');
    let in_word = at > 0 && text[at - 1].is_ascii_alphanumeric();
    if let Some(end) = before_space(text, at, end).filter(|_| !in_word) {
        return Some(end);
    }
    let last = if text.get(end).is_some_and(char::is_ascii_alphanumeric) { end - 1 } else { end };
    (is_shown_before(text, at) && last > at).then_some(last)
}

/// Return the end of the longest run of marks that no space follows: where one follows, the last mark is left out.
fn before_space(text: &[char], at: usize, end: usize) -> Option<usize> {
    let last = if text.get(end).is_some_and(|c| !is_space(*c)) { end } else { end - 1 };
    (last > at).then_some(last)
}

fn is_shown_before(text: &[char], at: usize) -> bool {
    at > 0 && !is_space(text[at - 1])
}
