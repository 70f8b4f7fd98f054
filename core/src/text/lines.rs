//! The pass over the lines of a Markdown file that finds headings, paragraphs, blocks, code and their marks.

use std::collections::btree_map::{BTreeMap, Entry};

use super::line_ends::{continues, read_end, LineEnd};
use super::line_marks::{
    find_heading_end, is_rule, is_table_rule, is_underline, match_definition, match_fence, match_heading, match_list,
    match_quote,
};
use super::scan::{find, is_blank, pass, trim};
use crate::buffer::Span;
use crate::chars;

/// A heading: its level and the span of its words.
#[derive(Clone, Copy)]
pub struct Heading {
    pub level: usize,
    pub start: usize,
    pub end: usize,
}

/// The address of a link, which a reader does not see, and the span of the link in the source.
#[derive(Clone)]
pub struct Link {
    pub url: String,
    pub start: usize,
    pub end: usize,
}

/// The addresses that a page defines by label; of two with one label the first counts.
#[derive(Default)]
pub struct Definitions {
    pub links: Vec<Link>,
    // A tree: a page can choose its labels so that they collide in a hash table.
    by_label: BTreeMap<String, usize>,
}

impl Definitions {
    fn add(&mut self, label: String, link: Link) {
        if let Entry::Vacant(place) = self.by_label.entry(label) {
            place.insert(self.links.len());
            self.links.push(link);
        }
    }

    /// Return the place in `links` of the definition of a label in lower case.
    pub fn find(&self, label: &str) -> Option<usize> {
        self.by_label.get(label).copied()
    }
}

#[derive(Clone, Copy, PartialEq)]
enum Kind {
    None,
    Text,
    List,
    Table,
    Code,
}

/// Reads every line from an offset on; all spans are offsets into the source.
///
/// Lines of text join to a paragraph, up to a blank line; with `by_lines` only where the next line continues the one
/// before, on a page with lines of a `width`, if it is wrapped. `ends` are then the line ends between lines of text.
pub struct LineParser<'a> {
    text: &'a [char],
    pub headings: Vec<Heading>,
    pub paragraphs: Vec<Span>,
    pub blocks: Vec<Span>,
    pub fences: Vec<Span>,
    pub marks: Vec<Span>,
    pub soft_breaks: Vec<usize>,
    pub definitions: Definitions,
    pub ends: Vec<LineEnd>,
    block: Option<Span>,
    paragraph: Option<Span>,
    kind: Kind,
    after_list: bool,
    by_lines: bool,
    width: usize,
    line: Span, // the last one of a paragraph, quotation, list or table
}

impl<'a> LineParser<'a> {
    pub fn read(text: &'a [char], start: usize, by_lines: bool, width: usize) -> LineParser<'a> {
        let mut parser = LineParser {
            text,
            headings: Vec::new(),
            paragraphs: Vec::new(),
            blocks: Vec::new(),
            fences: Vec::new(),
            marks: Vec::new(),
            soft_breaks: Vec::new(),
            definitions: Definitions::default(),
            ends: Vec::new(),
            block: None,
            paragraph: None,
            kind: Kind::None,
            after_list: false,
            by_lines,
            width,
            line: (0, 0),
        };
        let mut position = start;
        while position < text.len() {
            position = parser.read_line(position, find(text, position, '\n').unwrap_or(text.len()));
        }
        parser.close_block();
        parser
    }

    /// Read one line, or all lines of a fenced block; return the offset of the next line.
    fn read_line(&mut self, start: usize, end: usize) -> usize {
        let line = &self.text[start..end];
        let bare = trim(line, |c| matches!(c, ' ' | '\t' | '\r' | '\0'));
        let Some(&first) = bare.first() else {
            // A line with nothing but a comment is ignored; an empty line ends the block.
            if !line.contains(&'\0') {
                self.close_block();
            }
            return end + 1;
        };
        if matches!(first, '`' | '~' | '>') {
            if let Some((mark, after)) = match_fence(line) {
                if !line[after..].contains(&'`') {
                    return self.read_fence(start, end, line[mark], after - mark);
                }
            }
        }
        if self.block.is_none() && !self.after_list && (line[0] == '\t' || pass(line, 0, "    ").is_some()) {
            self.fences.push((start, end)); // an indented block of code, line by line
        }
        if first == '#' {
            if let Some((level, words)) = match_heading(line) {
                self.close_block();
                let (words, last) = (start + words, start + find_heading_end(line));
                self.headings.push(Heading { level, start: words, end: last });
                self.marks.extend([(start, words), (last, end)]);
                return end + 1;
            }
        }
        match self.paragraph {
            // The paragraph above was a heading.
            Some(paragraph) if self.block == self.paragraph && is_underline(line, first) => {
                let level = if first == '=' { 1 } else { 2 };
                self.headings.push(Heading { level, start: paragraph.0, end: paragraph.1 });
                self.marks.push((start, end));
                self.paragraph = None;
                self.block = None;
                self.kind = Kind::None;
                return end + 1;
            }
            _ => {}
        }
        if self.kind == Kind::Text && is_table_rule(bare) && bare.contains(&'|') && bare.contains(&'-') {
            self.open_table(start, end);
        } else if matches!(first, '-' | '*' | '_') && is_rule(line, first) {
            self.close_block();
            self.marks.push((start, end));
        } else if let Some((label, address, last)) = match_definition(line, first) {
            let link = Link { url: line[address.0..address.1].iter().collect(), start, end: start + last };
            self.definitions.add(line[label.0..label.1].iter().map(|c| chars::lower(*c)).collect(), link);
            self.marks.push((start, end));
        } else {
            self.read_content(line, start, end, first);
        }
        end + 1
    }

    /// Read a line of a paragraph, quotation, list or table.
    fn read_content(&mut self, line: &[char], start: usize, end: usize, first: char) {
        let mut kind = Kind::Text;
        let mut words = line;
        let mut is_item = false;
        if let Some(mark) = match_quote(line, first) {
            self.marks.push((start, start + mark));
            words = &line[mark..];
        } else if let Some(mark) = match_list(line, first) {
            kind = Kind::List;
            is_item = true;
            if !chars::is_digit(first) {
                self.marks.push((start, start + mark));
            }
        } else if first == '|' || (self.kind == Kind::Table && line.contains(&'|')) {
            kind = Kind::Table;
            self.mark_row(line, start, end);
        } else if self.kind == Kind::List && is_blank(line[0]) {
            kind = Kind::List; // a continuation line of the item above
        }
        if self.by_lines {
            if !is_item {
                kind = self.join(kind, words);
            } else if self.kind == Kind::Text {
                self.close_block();
            }
            self.line = (start, end);
        }
        match &mut self.paragraph {
            Some(paragraph) if kind == Kind::Text && self.kind == Kind::Text => {
                self.soft_breaks.push(paragraph.1);
                paragraph.1 = end;
            }
            _ => {
                self.close_paragraph();
                self.kind = kind;
                self.paragraph = (kind == Kind::Text).then_some((start, end));
            }
        }
        self.block = Some((self.block.map_or(start, |block| block.0), end));
    }

    /// Close the block that a line does not continue; return the kind of the line.
    fn join(&mut self, kind: Kind, words: &[char]) -> Kind {
        let is_text = kind == Kind::Text;
        if kind == Kind::Table || !matches!(self.kind, Kind::Text | Kind::List) {
            if is_text || self.kind == Kind::Text {
                self.close_block();
            }
            return kind;
        }
        let end = read_end(&self.text[self.line.0..self.line.1], words);
        if is_text && self.kind == Kind::Text {
            self.ends.push(end);
            if !continues(end, self.width) {
                self.close_block();
            }
        } else if end.goes_on || (kind == Kind::List && continues(end, self.width)) {
            self.soft_breaks.push(self.block.map_or(0, |block| block.1)); // a sentence of the item above goes on
            return Kind::List;
        } else if is_text {
            self.close_block();
        }
        kind
    }

    /// Read a rule under a line with pipes: that line was the head of a table.
    fn open_table(&mut self, start: usize, end: usize) {
        let last = start.saturating_sub(1);
        let head = self.text[..last].iter().rposition(|c| *c == '\n').map_or(0, |at| at + 1);
        self.marks.push((start, end));
        let line = &self.text[head..last];
        let Some(paragraph) = self.paragraph.filter(|_| line.contains(&'|')) else { return };
        self.mark_row(line, head, last);
        if head > 0 && self.soft_breaks.last() == Some(&(head - 1)) {
            self.soft_breaks.pop();
        }
        self.paragraph = (paragraph.0 < head).then(|| (paragraph.0, head - 1));
        self.close_paragraph();
        self.kind = Kind::Table;
    }

    /// Mark the pipes of a table row, or all of the rule below its head.
    fn mark_row(&mut self, line: &[char], start: usize, end: usize) {
        if is_table_rule(trim(line, |c| c == '\r')) && line.contains(&'-') {
            self.marks.push((start, end));
            return;
        }
        let pipes = line.iter().enumerate().filter(|(_, c)| **c == '|');
        self.marks.extend(pipes.map(|(at, _)| (start + at, start + at + 1)));
    }

    /// Read a fenced block up to its closing line, or to the end of the file.
    fn read_fence(&mut self, start: usize, end: usize, mark: char, length: usize) -> usize {
        let text = self.text;
        self.close_paragraph();
        self.marks.push((start, end));
        let mut position = end + 1;
        while position < text.len() {
            let stop = find(text, position, '\n').unwrap_or(text.len());
            let line = &text[position..stop];
            let closes = match_fence(line).is_some_and(|(first, after)| {
                line[first] == mark && after - first >= length && line[after..].iter().all(|c| chars::is_space(*c))
            });
            if closes {
                self.marks.push((position, stop));
            }
            position = stop + 1;
            if closes {
                break;
            }
        }
        let last = position.min(text.len());
        self.fences.push((start, last));
        self.block = Some((self.block.map_or(start, |block| block.0), last));
        self.kind = Kind::Code;
        position
    }

    fn close_paragraph(&mut self) {
        self.paragraphs.extend(self.paragraph.take());
        self.kind = Kind::None;
    }

    fn close_block(&mut self) {
        if let Some(block) = self.block.take() {
            self.after_list = self.kind == Kind::List;
            self.blocks.push(block);
        }
        self.close_paragraph();
    }
}
