//! Markdown structure: headings, paragraphs, blocks and links, and the reading view without the marks.
//!
//! Two passes, both linear: one over the lines (`lines`), which finds structure and the marks that make it, and one
//! over the text (`inline`), which removes inline marks. Every result is a span of offsets.

use super::inline::{copy_inline, copy_visible, find_used, match_code};
use super::invisible::Suspects;
use super::line_ends::{continues, find_width, read_end, LineEnd};
use super::lines::{Heading, LineParser, Link};
use super::scan::{find, is_blank, skip, skip_most};
use super::tags::find_hidden;
use super::view::{View, ViewBuilder};
use crate::buffer::Span;
use crate::chars::is_space;

// A text without any of these is its own reading view, unless there is a mark at the start of a line.
static MARKS: Suspects = Suspects::new("`*_[<|~\0\r\\&");

/// The reading view and its parts; `hidden` and links are spans of the source, the others of the view.
pub struct Structure {
    pub view: View,
    pub headings: Vec<Heading>,
    pub paragraphs: Vec<Span>,
    pub blocks: Vec<Span>,
    pub links: Vec<Link>,
    pub hidden: Vec<Span>,
}

/// Parse `text` from `start` on; front matter is before it.
///
/// Paragraphs end at blank lines; with `by_lines` also at any line end behind which the paragraph does not go on.
pub fn parse(text: &[char], start: usize, by_lines: bool) -> Structure {
    let start = start.min(text.len());
    if !has_marks(&text[start..]) {
        return parse_plain(&text[start..], start, by_lines);
    }
    let lines = read_lines(text, start, by_lines);
    let hidden = find_hidden(text, start, &find_code(text, start, &lines.fences));
    if hidden.is_empty() {
        return copy_shown(text, start, lines, hidden);
    }
    // What is hidden can hold lines that look like structure: read again without it.
    let seen = mask(text, hidden.clone());
    copy_shown(text, start, read_lines(&seen, start, by_lines), hidden)
}

/// Read the lines, and again with their width if the page is wrapped.
fn read_lines(text: &[char], start: usize, by_lines: bool) -> LineParser<'_> {
    let lines = LineParser::read(text, start, by_lines, 0);
    match find_width(&lines.ends) {
        0 => lines,
        width => LineParser::read(text, start, by_lines, width),
    }
}

/// Copy what a reader sees to the view, and place the lines' structure there.
fn copy_shown(text: &[char], start: usize, lines: LineParser, hidden: Vec<Span>) -> Structure {
    let mut drops = hidden.clone();
    drops.extend(lines.marks);
    drops.extend(lines.soft_breaks.iter().map(|at| (*at, at + 1)));
    let masked = mask(text, drops);
    let mut builder = ViewBuilder::new(&masked);
    let mut links = find_used(&masked, start, lines.definitions);
    let mut position = start;
    for (begin, end) in lines.fences.into_iter().chain([(text.len(), text.len())]) {
        copy_inline(&masked, (position, begin), &mut builder, &mut links);
        copy_visible(&masked, (begin, end), &mut builder);
        position = end;
    }
    let view = builder.build();
    let place = |(start, end): Span| (view.view_offset(start), view.view_offset(end));
    let headings = lines.headings.iter().map(|heading| {
        let (start, end) = place((heading.start, heading.end));
        Heading { level: heading.level, start, end }
    });
    Structure {
        headings: headings.collect(),
        paragraphs: lines.paragraphs.into_iter().map(place).collect(),
        blocks: lines.blocks.into_iter().map(place).collect(),
        links,
        hidden,
        view,
    }
}

/// Return the fences and the code spans, sorted, without those that overlap an earlier one.
fn find_code(text: &[char], start: usize, fences: &[Span]) -> Vec<Span> {
    let mut spans = fences.to_vec();
    let mut position = start;
    while let Some(at) = find(text, position, '`') {
        position = match match_code(text, at) {
            Some((_, end)) => {
                spans.push((at, end));
                end
            }
            None => at + 1,
        };
    }
    spans.sort();
    let mut last = 0;
    spans.retain(|span| {
        let kept = span.0 >= last;
        if kept {
            last = span.1;
        }
        kept
    });
    spans
}

fn has_marks(body: &[char]) -> bool {
    if body.iter().any(|c| MARKS.contains(*c)) {
        return true;
    }
    let mut position = 0;
    while position < body.len() {
        if has_line_mark(body, position) {
            return true;
        }
        match find(body, position, '\n') {
            Some(newline) => position = newline + 1,
            None => return false,
        }
    }
    false
}

/// `[ \t]*(?:#{1,6}[ \t]|[-+•][ \t]|[0-9]{1,9}[.)][ \t]|>|=+[ \t]*(?:\n|$)|-[ \t-]*(?:\n|$))` at the start of a line.
fn has_line_mark(body: &[char], start: usize) -> bool {
    let at = skip(body, start, is_blank);
    let blank_at = |at: usize| body.get(at).is_some_and(|c| is_blank(*c));
    let ends_at = |at: usize| body.get(at).is_none_or(|c| *c == '\n');
    match body.get(at) {
        Some('>') => true,
        Some('#') => blank_at(skip_most(body, at, 6, |c| c == '#')),
        Some('+' | '•') => blank_at(at + 1),
        Some('-') => blank_at(at + 1) || ends_at(skip(body, at, |c| c == '-' || is_blank(c))),
        Some('=') => ends_at(skip(body, skip(body, at, |c| c == '='), is_blank)),
        Some('0'..='9') => {
            let end = skip_most(body, at, 9, |c| c.is_ascii_digit());
            matches!(body.get(end), Some('.' | ')')) && blank_at(end + 1)
        }
        _ => false,
    }
}

/// Parse a text without marks: blocks between gaps, line breaks inside of them shown as spaces.
fn parse_plain(body: &[char], start: usize, by_lines: bool) -> Structure {
    let mut shown = body.to_vec();
    let mut spans = Vec::new();
    let mut position = 0; // where the block begins
    for (first, last) in find_paragraph_ends(body, by_lines) {
        show_block(&mut shown, (position, first), &mut spans);
        position = last;
    }
    let end = body.iter().rposition(|c| *c != '\n').map_or(0, |last| last + 1);
    show_block(&mut shown, (position, end.max(position)), &mut spans);
    let view = View { text: shown, view_starts: vec![0], source_starts: vec![start] };
    Structure { view, headings: vec![], paragraphs: spans.clone(), blocks: spans, links: vec![], hidden: vec![] }
}

/// Return the blank lines, and with `by_lines` the line ends behind which a paragraph does not go on.
fn find_paragraph_ends(body: &[char], by_lines: bool) -> Vec<Span> {
    let mut gaps = find_gaps(body);
    if !by_lines {
        gaps.retain(|gap| !is_single(body, *gap));
        return gaps;
    }
    let mut ends = Vec::new();
    let mut position = 0;
    for (at, gap) in gaps.iter().enumerate() {
        let following = gaps.get(at + 1).map_or(body.len(), |next| next.0);
        ends.push(is_single(body, *gap).then(|| read_end(&body[position..gap.0], &body[gap.1..following])));
        position = gap.1;
    }
    let width = find_width(&ends.iter().flatten().copied().collect::<Vec<LineEnd>>());
    let mut end = ends.into_iter();
    gaps.retain(|_| !end.next().flatten().is_some_and(|end| continues(end, width)));
    gaps
}

/// `(?:\n[ \t]*)+`, wherever it is.
fn find_gaps(body: &[char]) -> Vec<Span> {
    let mut gaps = Vec::new();
    let mut at = 0;
    while let Some(newline) = find(body, at, '\n') {
        at = newline;
        while body.get(at) == Some(&'\n') {
            at = skip(body, at + 1, is_blank);
        }
        gaps.push((newline, at));
    }
    gaps
}

fn is_single(body: &[char], (first, last): Span) -> bool {
    !body[first + 1..last].contains(&'\n')
}

/// Show the line breaks of a block as spaces, but for those before its first word; note the block if it has words.
fn show_block(shown: &mut [char], (start, end): Span, spans: &mut Vec<Span>) {
    let block = &mut shown[start..end];
    if block.iter().any(|c| !is_space(*c)) {
        spans.push((start, end));
    }
    for c in block.iter_mut().skip_while(|c| **c == '\n').filter(|c| **c == '\n') {
        *c = ' ';
    }
}

/// Replace spans by NUL and single line breaks by a space; other line breaks and the length stay.
fn mask(text: &[char], mut drops: Vec<Span>) -> Vec<char> {
    let mut masked = text.to_vec();
    drops.sort();
    let mut position = 0;
    for (begin, end) in drops {
        if end <= position {
            continue;
        }
        match &mut masked[begin.max(position)..end] {
            [c] if *c == '\n' => *c = ' ',
            gone => gone.iter_mut().filter(|c| **c != '\n').for_each(|c| *c = '\0'),
        }
        position = end;
    }
    masked
}
