//! Character classes of one Unicode version, from the table that the Python code has too.

use std::sync::LazyLock;

use crate::hash::HashMap;

/// The table, compiled in; its hash is compared with the one of the Python package.
pub const TABLE: &str = include_str!(concat!(env!("CARGO_MANIFEST_DIR"), "/../steelyard/text/characters.txt"));

const CLASSES: [&str; 8] = ["alpha", "decimal", "digit", "numeric", "upper", "lower", "title", "space"];
const ALPHA: u8 = 1;
const DECIMAL: u8 = 1 << 1;
const DIGIT: u8 = 1 << 2;
const NUMERIC: u8 = 1 << 3;
const UPPER: u8 = 1 << 4;
const LOWER: u8 = 1 << 5;
const TITLE: u8 = 1 << 6;
const SPACE: u8 = 1 << 7;

const PAGE: usize = 256;

struct Tables {
    pages: Vec<u16>,       // by the upper bits of a character: the page of its class bits
    bits: Vec<[u8; PAGE]>, // distinct pages
    lower: HashMap<u32, u32>,
    whole: HashMap<(char, char), char>,
    parts: HashMap<char, (char, Option<char>)>,
    order: HashMap<char, u8>,
}

static TABLES: LazyLock<Tables> = LazyLock::new(Tables::parse);

impl Tables {
    fn parse() -> Tables {
        let mut flat = vec![0u8; 0x110000];
        let mut tables = Tables {
            pages: Vec::new(),
            bits: Vec::new(),
            lower: HashMap::default(),
            whole: HashMap::default(),
            parts: HashMap::default(),
            order: HashMap::default(),
        };
        for line in TABLE.lines().filter(|line| !line.starts_with('#')) {
            let (name, items) = line.split_once(": ").unwrap_or((line, ""));
            for item in items.split(' ').filter(|item| !item.is_empty()) {
                match name {
                    "to_lower" => tables.add_lower(item),
                    "compose" => tables.add_composition(item),
                    "order" => tables.add_order(item),
                    _ => add_range(&mut flat, name, item),
                }
            }
        }
        let mut known: HashMap<[u8; PAGE], u16> = HashMap::default();
        for page in flat.chunks_exact(PAGE) {
            let page: [u8; PAGE] = page.try_into().unwrap_or([0; PAGE]);
            let number = *known.entry(page).or_insert_with(|| {
                tables.bits.push(page);
                (tables.bits.len() - 1) as u16
            });
            tables.pages.push(number);
        }
        tables
    }

    fn bits_of(&self, c: u32) -> u8 {
        self.bits[self.pages[c as usize / PAGE] as usize][c as usize % PAGE]
    }

    fn add_lower(&mut self, item: &str) {
        // FIRST-LAST/STEP+DISTANCE
        let (range, rest) = item.split_once('/').unwrap_or((item, "1+0"));
        let (first, last) = parse_range(range);
        let sign = rest.find(['+', '-']).unwrap_or(rest.len());
        let step: usize = rest[..sign].parse().unwrap_or(1);
        let distance: i64 = rest[sign..].parse().unwrap_or(0);
        for c in (first..=last).step_by(step) {
            self.lower.insert(c, (i64::from(c) + distance) as u32);
        }
    }

    fn add_composition(&mut self, item: &str) {
        let Some(sign) = item.find(['=', '>']) else { return };
        let whole = parse_char(&item[sign + 1..]);
        let (base, mark) = match item[..sign].split_once('+') {
            Some((base, mark)) => (parse_char(base), Some(parse_char(mark))),
            None => (parse_char(&item[..sign]), None),
        };
        self.parts.insert(whole, (base, mark));
        if let (b'=', Some(mark)) = (item.as_bytes()[sign], mark) {
            self.whole.insert((base, mark), whole);
        }
    }

    fn add_order(&mut self, item: &str) {
        if let Some((c, class)) = item.split_once(':') {
            self.order.insert(parse_char(c), class.parse().unwrap_or(0));
        }
    }
}

fn parse_range(text: &str) -> (u32, u32) {
    let (first, last) = text.split_once('-').unwrap_or((text, text));
    let parse = |t| u32::from_str_radix(t, 16).unwrap_or(0);
    (parse(first), parse(last))
}

fn parse_char(text: &str) -> char {
    char::from_u32(parse_range(text).0).unwrap_or('\0')
}

fn add_range(flat: &mut [u8], name: &str, item: &str) {
    let Some(class) = CLASSES.iter().position(|known| *known == name) else { return };
    let (first, last) = parse_range(item);
    for bits in &mut flat[first as usize..=last as usize] {
        *bits |= 1 << class;
    }
}

/// The class bits of a character beyond ASCII.
fn bits(c: char) -> u8 {
    TABLES.bits_of(c as u32)
}

/// Python's `str.isalpha`.
#[inline]
pub fn is_alpha(c: char) -> bool {
    if c.is_ascii() {
        c.is_ascii_alphabetic()
    } else {
        bits(c) & ALPHA != 0
    }
}

/// Python's `str.isalnum`; with the underscore, `\w`.
#[inline]
pub fn is_alnum(c: char) -> bool {
    if c.is_ascii() {
        c.is_ascii_alphanumeric()
    } else {
        bits(c) & (ALPHA | DECIMAL | DIGIT | NUMERIC) != 0
    }
}

/// `\w` of Python's `re`.
#[inline]
pub fn is_word(c: char) -> bool {
    c == '_' || is_alnum(c)
}

/// `[^\W\d_]` of Python's `re`: letters, and numbers that are no decimal digits.
#[inline]
pub fn is_letter(c: char) -> bool {
    if c.is_ascii() {
        return c.is_ascii_alphabetic();
    }
    let found = bits(c);
    found & (ALPHA | DIGIT | NUMERIC) != 0 && found & DECIMAL == 0
}

/// Python's `str.isdigit`.
#[inline]
pub fn is_digit(c: char) -> bool {
    if c.is_ascii() {
        c.is_ascii_digit()
    } else {
        bits(c) & DIGIT != 0
    }
}

/// Python's `str.isupper` of one character.
#[inline]
pub fn is_upper(c: char) -> bool {
    if c.is_ascii() {
        c.is_ascii_uppercase()
    } else {
        bits(c) & UPPER != 0
    }
}

/// Python's `str.islower` of one character.
#[inline]
pub fn is_lower(c: char) -> bool {
    if c.is_ascii() {
        c.is_ascii_lowercase()
    } else {
        bits(c) & LOWER != 0
    }
}

/// Python's `str.istitle` of one character: a capital, or a letter that has a form of its own at the start of a word.
#[inline]
pub fn is_title(c: char) -> bool {
    if c.is_ascii() {
        c.is_ascii_uppercase()
    } else {
        bits(c) & TITLE != 0
    }
}

/// Python's `str.isspace`, and `\s` of its `re`.
#[inline]
pub fn is_space(c: char) -> bool {
    if c.is_ascii() {
        matches!(c, '\t'..='\r' | '\x1c'..=' ')
    } else {
        bits(c) & SPACE != 0
    }
}

/// The lower case of a character where it is one character; the same character otherwise.
#[inline]
pub fn lower(c: char) -> char {
    if c.is_ascii() {
        return c.to_ascii_lowercase();
    }
    TABLES.lower.get(&(c as u32)).and_then(|small| char::from_u32(*small)).unwrap_or(c)
}

/// The combining class of an accent; 0 for any other character.
pub fn order(c: char) -> u8 {
    TABLES.order.get(&c).copied().unwrap_or(0)
}

/// The one character for a base and an accent, if there is one.
pub fn compose(base: char, mark: char) -> Option<char> {
    TABLES.whole.get(&(base, mark)).copied()
}

/// What a character falls apart into.
pub fn decompose(c: char) -> Option<(char, Option<char>)> {
    TABLES.parts.get(&c).copied()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ascii_is_as_the_table_says() {
        for c in (0..128u8).map(char::from) {
            let bits = TABLES.bits_of(c as u32);
            assert_eq!(is_alpha(c), bits & ALPHA != 0, "{c:?}");
            assert_eq!(is_alnum(c), bits & (ALPHA | DECIMAL | DIGIT | NUMERIC) != 0, "{c:?}");
            assert_eq!(is_digit(c), bits & DIGIT != 0, "{c:?}");
            assert_eq!(is_upper(c), bits & UPPER != 0, "{c:?}");
            assert_eq!(is_lower(c), bits & LOWER != 0, "{c:?}");
            assert_eq!(is_title(c), bits & TITLE != 0, "{c:?}");
            assert_eq!(is_space(c), bits & SPACE != 0, "{c:?}");
            assert_eq!(lower(c) as u32, TABLES.lower.get(&(c as u32)).copied().unwrap_or(c as u32), "{c:?}");
        }
    }
}
