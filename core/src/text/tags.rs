//! HTML tags inside Markdown: where they begin and end, and what they hide from a reader.

use super::scan::{find, pass, skip, skip_most, trim};
use crate::buffer::Span;
use crate::chars::{self, is_space};

const LONGEST_NAME: usize = 60; // characters behind the first
const MOST_SPACES: usize = 9; // on each side of the equals sign of an attribute

#[derive(Clone, Copy, PartialEq)]
enum Element {
    Unknown,
    Inline,
    Block,
    Void,
    Break,  // void, and begins a line
    Silent, // its content is not text for a reader
}

#[rustfmt::skip]
fn element(name: &str) -> Element {
    match name {
        "a" | "abbr" | "b" | "bdi" | "bdo" | "cite" | "code" | "data" | "del" | "dfn" | "em" | "i" | "ins" | "kbd"
        | "mark" | "q" | "s" | "samp" | "small" | "span" | "strong" | "sub" | "sup" | "time" | "u" | "var" | "label"
        | "button" | "font" => Element::Inline,
        "address" | "article" | "aside" | "blockquote" | "body" | "caption" | "center" | "dd" | "details" | "dialog"
        | "div" | "dl" | "dt" | "fieldset" | "figcaption" | "figure" | "footer" | "form" | "h1" | "h2" | "h3" | "h4"
        | "h5" | "h6" | "header" | "html" | "li" | "main" | "nav" | "ol" | "p" | "pre" | "section" | "select"
        | "option" | "summary" | "table" | "tbody" | "td" | "textarea" | "tfoot" | "th" | "thead" | "title" | "tr"
        | "ul" | "video" | "audio" | "picture" => Element::Block,
        "img" | "input" | "link" | "meta" | "area" | "base" | "col" | "embed" | "source" | "track"
        | "wbr" => Element::Void,
        "br" | "hr" => Element::Break,
        "script" | "style" | "template" | "noscript" | "head" | "iframe" | "object" | "svg" | "math" => Element::Silent,
        _ => Element::Unknown,
    }
}

/// A tag: its element's name in lower case, whether it closes one, its attributes as written.
pub struct Tag<'a> {
    pub name: String,
    pub closes: bool,
    pub attributes: &'a [char],
    element: Element,
}

impl<'a> Tag<'a> {
    /// Parse what `find_end` delimits; None for `<String>`, which names no element and has no attributes.
    pub fn parse(text: &'a [char]) -> Option<Tag<'a>> {
        let slash = pass(text, 0, "<")?;
        let start = pass(text, slash, "/").unwrap_or(slash);
        let end = find_name_end(text, start)?;
        let attributes = text.get(end..text.len() - 1)?;
        let name: String = text[start..end].iter().map(|c| chars::lower(*c)).collect();
        let element = element(&name);
        let is_text =
            element == Element::Unknown && !name.contains('-') && attributes.iter().all(|c| *c == ' ' || *c == '/');
        (!is_text).then_some(Tag { name, closes: start > slash, attributes, element })
    }

    /// Whether content follows. HTML ignores the slash of `<div/>`; only unknown elements heed it.
    pub fn opens(&self) -> bool {
        let stands_alone = match self.element {
            Element::Void | Element::Break => true,
            Element::Unknown => self.attributes.last() == Some(&'/'),
            _ => false,
        };
        !self.closes && !stands_alone
    }

    /// Whether no reader sees the element's content.
    pub fn hides(&self) -> bool {
        self.opens() && (self.element == Element::Silent || any_attribute_hides(self.attributes))
    }

    /// Whether a reader sees a new line where the tag is.
    pub fn breaks_line(&self) -> bool {
        matches!(self.element, Element::Block | Element::Break)
    }
}

/// Return where the tag at an offset ends; None if there is no tag.
///
/// `<(?:/?[A-Za-z][^\s<>/]{0,60})(?:[\s/](?:"[^"<]*"|'[^'<]*'|[^<>])*+)?>`: a `>` is allowed inside quotes. No `<` is
/// allowed anywhere in a tag, so a scan never runs over the next tag.
pub fn find_end(text: &[char], at: usize) -> Option<usize> {
    let slash = pass(text, at, "<")?;
    let name_end = find_name_end(text, pass(text, slash, "/").unwrap_or(slash))?;
    let mut position = name_end;
    match *text.get(position)? {
        '>' => return Some(position + 1),
        c if c != '/' && !is_space(c) => return None,
        _ => position += 1,
    }
    loop {
        match *text.get(position)? {
            '>' => return Some(position + 1),
            '<' => return None,
            quote @ ('"' | '\'') => {
                let close = skip(text, position + 1, |c| c != quote && c != '<');
                // A quotation mark that nothing closes is a character like others.
                position = if text.get(close) == Some(&quote) { close + 1 } else { position + 1 };
            }
            _ => position += 1,
        }
    }
}

/// `[A-Za-z][^\s<>/]{0,60}`
fn find_name_end(text: &[char], start: usize) -> Option<usize> {
    text.get(start).filter(|c| c.is_ascii_alphabetic())?;
    Some(skip_most(text, start + 1, LONGEST_NAME, |c| !matches!(c, '<' | '>' | '/') && !is_space(c)))
}

/// Find each `([^\s"'<>/=]+)(?:\s{0,9}=\s{0,9}("[^"]*"|'[^']*'|[^\s"'=<>`]+))?`: a name and its value.
fn any_attribute_hides(text: &[char]) -> bool {
    let in_name = |c: char| !matches!(c, '"' | '\'' | '<' | '>' | '/' | '=') && !is_space(c);
    let mut at = 0;
    loop {
        let start = skip(text, at, |c| !in_name(c));
        if start == text.len() {
            return false;
        }
        let end = skip(text, start, in_name);
        let value = match_value(text, end);
        if attribute_hides(&text[start..end], value.map_or(&[], |(first, last)| &text[first..last])) {
            return true;
        }
        at = value.map_or(end, |(_, last)| last);
    }
}

fn match_value(text: &[char], name_end: usize) -> Option<Span> {
    let equals = pass(text, skip_most(text, name_end, MOST_SPACES, is_space), "=")?;
    let start = skip_most(text, equals, MOST_SPACES, is_space);
    let end = match *text.get(start)? {
        quote @ ('"' | '\'') => find(text, start + 1, quote)? + 1,
        _ => skip(text, start, |c| !matches!(c, '"' | '\'' | '=' | '<' | '>' | '`') && !is_space(c)),
    };
    (end > start).then_some((start, end))
}

fn attribute_hides(name: &[char], value: &[char]) -> bool {
    let value = trim(value, |c| c == '"' || c == '\'');
    if equals(name, "hidden") {
        return true;
    }
    (equals(name, "aria-hidden") && equals(value, "true")) || (equals(name, "style") && style_hides(value))
}

/// Whether a text in lower case is this one.
fn equals(text: &[char], lowered: &str) -> bool {
    text.iter().map(|c| chars::lower(*c)).eq(lowered.chars())
}

/// Whether a `style` attribute makes its element invisible; position and colour are not examined.
pub fn style_hides(style: &[char]) -> bool {
    let style: Vec<char> = drop_comments(style).iter().map(|c| chars::lower(*c)).collect();
    style.split(|c| *c == ';').any(|declaration| {
        let colon = declaration.iter().position(|c| *c == ':').unwrap_or(declaration.len());
        let name = trim(&declaration[..colon], is_space);
        let value = trim(declaration.get(colon + 1..).unwrap_or_default(), is_space);
        declaration_hides(&name.iter().collect::<String>(), &value.iter().collect::<String>())
    })
}

fn declaration_hides(name: &str, value: &str) -> bool {
    let value = value.strip_suffix("!important").unwrap_or(value).trim_end_matches(is_space);
    match name {
        "display" => value == "none",
        "visibility" => value == "hidden" || value == "collapse",
        "content-visibility" => value == "hidden",
        "opacity" | "font-size" => is_zero(value),
        _ => false,
    }
}

/// `[+-]?0*\.?0*(?:%|[a-z]{1,4})?`, and not empty.
fn is_zero(value: &str) -> bool {
    let digits = value.strip_prefix(['+', '-']).unwrap_or(value).trim_start_matches('0');
    let unit = digits.strip_prefix('.').unwrap_or(digits).trim_start_matches('0');
    !value.is_empty() && (unit == "%" || (unit.len() <= 4 && unit.bytes().all(|b| b.is_ascii_lowercase())))
}

/// Return a style without its comments; an open comment runs to the end, as in CSS.
fn drop_comments(style: &[char]) -> Vec<char> {
    let mut kept = Vec::with_capacity(style.len());
    let mut at = 0;
    while at < style.len() {
        match pass(style, at, "/*") {
            Some(inside) => at = find_after(style, inside, "*/").unwrap_or(style.len()),
            None => {
                kept.push(style[at]);
                at += 1;
            }
        }
    }
    kept
}

/// Find the spans from `start` on that no reader sees, in order and without overlap: comments and hidden elements.
///
/// `code` are the spans of code, sorted: a tag shown there as an example hides nothing. An element
/// left open hides the rest of the file, as it does in a browser.
pub fn find_hidden(text: &[char], start: usize, code: &[Span]) -> Vec<Span> {
    let mut spans = Vec::new();
    let mut position = start;
    while let Some(at) = find(text, position, '<') {
        let before = &code[..code.partition_point(|span| span.0 <= at)];
        if let Some(inside) = before.last().filter(|span| at < span.1) {
            position = inside.1;
            continue;
        }
        if pass(text, at, "<!--").is_some() {
            position = find_comment_end(text, at);
            spans.push((at, position));
            continue;
        }
        position = at + 1;
        let Some(end) = find_end(text, at) else { continue };
        let Some(tag) = Tag::parse(&text[at..end]) else { continue };
        position = end;
        if tag.hides() {
            position = find_element_end(text, end, &tag.name);
            spans.push((at, position));
        }
    }
    spans
}

/// Return where the comment at an offset ends; `<!-->` and `<!--->` are whole comments, as in HTML.
fn find_comment_end(text: &[char], at: usize) -> usize {
    let whole = pass(text, at, "<!-->").or_else(|| pass(text, at, "<!--->"));
    whole.or_else(|| find_after(text, at + 4, "-->")).unwrap_or(text.len())
}

/// Return where the next occurrence of a word ends.
fn find_after(text: &[char], at: usize, word: &str) -> Option<usize> {
    let first = word.chars().next()?;
    let mut position = at;
    loop {
        let found = find(text, position, first)?;
        if let Some(end) = pass(text, found, word) {
            return Some(end);
        }
        position = found + 1;
    }
}

/// Return the end of the element `name` that was opened before `position`, counting those nested in it.
fn find_element_end(text: &[char], mut position: usize, name: &str) -> usize {
    let mut depth = 1usize;
    while let Some(at) = find(text, position, '<') {
        position = at + 1;
        let Some(end) = find_end(text, at) else { continue };
        position = end;
        let Some(tag) = Tag::parse(&text[at..end]).filter(|tag| tag.name == name) else { continue };
        if tag.closes {
            depth -= 1;
        } else if tag.opens() {
            depth += 1;
        }
        if depth == 0 {
            return end;
        }
    }
    text.len()
}
