//! Reads patterns from their text, in the dialect of `steelyard/languages/dialect.py`.
//!
//! What stands in brackets more than once, in one pattern or in several, is read and kept once.

use std::sync::Arc;

use crate::expressions::{Class, Node, Repeat};
use crate::hash::HashMap;

/// Reads patterns; what was read in brackets is known.
#[derive(Default)]
pub struct Reader<'a> {
    known: HashMap<&'a str, Node>,
    classes: HashMap<&'a str, Arc<Class>>,
}

impl<'a> Reader<'a> {
    pub fn read(&mut self, pattern: &'a str) -> Result<Node, String> {
        let mut rest = pattern;
        let node = self.read_branches(&mut rest)?;
        if rest.is_empty() {
            Ok(node)
        } else {
            Err(format!("a bracket too many: {rest}"))
        }
    }

    fn read_branches(&mut self, rest: &mut &'a str) -> Result<Node, String> {
        let mut branches = vec![self.read_sequence(rest)?];
        while let Some(behind) = rest.strip_prefix('|') {
            *rest = behind;
            branches.push(self.read_sequence(rest)?);
        }
        Ok(Node::any(branches))
    }

    fn read_sequence(&mut self, rest: &mut &'a str) -> Result<Node, String> {
        let mut parts = Vec::new();
        let mut text = String::new(); // characters one after the other
        while let Some(c) = rest.chars().next().filter(|c| !matches!(c, '|' | ')')) {
            *rest = &rest[c.len_utf8()..];
            let node = match c {
                '(' => self.read_brackets(rest)?,
                '[' => Node::One(self.read_class(rest)?),
                '^' => Node::Start,
                '$' => Node::End,
                '\\' if rest.starts_with('b') => {
                    *rest = &rest[1..];
                    Node::Boundary
                }
                '*' | '+' | '?' | '{' | '.' => return Err(format!("{c} is not in the dialect here")),
                _ => {
                    let c = if c == '\\' { read_escaped(rest)? } else { c };
                    if !rest.starts_with(['?', '{']) {
                        text.push(c);
                        continue;
                    }
                    Node::One(Arc::new(Class::of(c)))
                }
            };
            close(&mut text, &mut parts);
            parts.push(read_repeat(node, rest)?);
        }
        close(&mut text, &mut parts);
        Ok(Node::all(parts))
    }

    /// Read what stands behind an opening bracket, and the bracket that closes it.
    fn read_brackets(&mut self, rest: &mut &'a str) -> Result<Node, String> {
        let end = find_end(rest).ok_or("a bracket is not closed")?;
        let (inside, behind) = (&rest[..end], &rest[end + 1..]);
        *rest = behind;
        let Some(inside) = inside.strip_prefix("?:") else {
            return Ok(Node::Group(Arc::new(self.read(inside)?)));
        };
        if let Some(node) = self.known.get(inside) {
            return Ok(node.clone());
        }
        let node = self.read(inside)?;
        self.known.insert(inside, node.clone());
        Ok(node)
    }

    fn read_class(&mut self, rest: &mut &'a str) -> Result<Arc<Class>, String> {
        let mut end = 0;
        let bytes = rest.as_bytes();
        while *bytes.get(end).ok_or("a class is not closed")? != b']' {
            end += if bytes[end] == b'\\' { 2 } else { 1 };
        }
        let listed = &rest[..end];
        *rest = &rest[end + 1..];
        if let Some(class) = self.classes.get(listed) {
            return Ok(class.clone());
        }
        let (mut inside, negated) = listed.strip_prefix('^').map_or((listed, false), |inside| (inside, true));
        let mut ranges = Vec::new();
        while !inside.is_empty() {
            let low = read_character(&mut inside)?;
            let is_range = inside.len() > 1 && inside.starts_with('-');
            let high = if is_range {
                inside = &inside[1..];
                read_character(&mut inside)?
            } else {
                low
            };
            ranges.push((low, high));
        }
        let class = Arc::new(Class::new(ranges, negated));
        self.classes.insert(listed, class.clone());
        Ok(class)
    }
}

/// Add the characters that were read as one part.
fn close(text: &mut String, parts: &mut Vec<Node>) {
    if !text.is_empty() {
        parts.push(Node::Text(text.as_bytes().into()));
        text.clear();
    }
}

/// Where the bracket is that closes one.
fn find_end(rest: &str) -> Option<usize> {
    let bytes = rest.as_bytes();
    let (mut at, mut depth, mut in_class) = (0, 1, false);
    loop {
        match bytes.get(at)? {
            b'\\' => at += 1,
            b'[' => in_class = true,
            b']' => in_class = false,
            b'(' if !in_class => depth += 1,
            b')' if !in_class => depth -= 1,
            _ => {}
        }
        if depth == 0 {
            return Some(at);
        }
        at += 1;
    }
}

fn read_character(rest: &mut &str) -> Result<char, String> {
    let c = rest.chars().next().ok_or("a character is missing")?;
    *rest = &rest[c.len_utf8()..];
    if c == '\\' {
        read_escaped(rest)
    } else {
        Ok(c)
    }
}

/// Read the character behind a backslash.
fn read_escaped(rest: &mut &str) -> Result<char, String> {
    let c = rest.chars().next().ok_or("nothing behind a backslash")?;
    *rest = &rest[c.len_utf8()..];
    match c {
        'n' => Ok('\n'),
        't' => Ok('\t'),
        _ if c.is_ascii_alphanumeric() => Err(format!("\\{c} is not in the dialect")),
        _ => Ok(c),
    }
}

/// Read how often a part is repeated, if it is.
fn read_repeat(part: Node, rest: &mut &str) -> Result<Node, String> {
    let (least, most) = if let Some(behind) = rest.strip_prefix('?') {
        *rest = behind;
        (0, 1)
    } else if let Some(behind) = rest.strip_prefix('{') {
        let (numbers, behind) = behind.split_once('}').ok_or("a repeat is not closed")?;
        *rest = behind;
        let (least, most) = numbers.split_once(',').unwrap_or((numbers, numbers));
        let number = |digits: &str| digits.parse::<u16>().map_err(|_| format!("{{{numbers}}} is no repeat"));
        (usize::from(number(least)?), usize::from(number(most)?))
    } else {
        return Ok(part);
    };
    let greedy = !rest.starts_with('?');
    *rest = rest.strip_prefix('?').unwrap_or(rest);
    Ok(Node::Repeat(Arc::new(Repeat { part, least, most, greedy })))
}
