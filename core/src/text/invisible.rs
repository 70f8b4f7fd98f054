//! Characters that no reader sees, and the entities that stand for them.

use super::scan::{pass, skip_most};

/// Masked characters, carriage returns and characters without width: a word made of them is no word.
pub const fn is_invisible(c: char) -> bool {
    matches!(c,
        '\0'..='\x08' | '\r' | '\x0e'..='\x1f' | '\x7f'..='\u{84}' | '\u{86}'..='\u{9f}' | '\u{ad}' | '\u{34f}'
        | '\u{61c}' | '\u{115f}' | '\u{1160}' | '\u{17b4}' | '\u{17b5}' | '\u{180b}'..='\u{180e}'
        | '\u{200b}'..='\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2060}'..='\u{206f}' | '\u{2800}' | '\u{3164}'
        | '\u{fe00}'..='\u{fe0f}' | '\u{feff}' | '\u{ffa0}' | '\u{e0000}'..='\u{e01ef}')
}

/// Characters that need a look: some of ASCII, and all that are invisible.
pub struct Suspects([bool; 128]);

impl Suspects {
    pub const fn new(marks: &str) -> Suspects {
        let mut table = [false; 128];
        let mut at = 0;
        while at < 128 {
            table[at] = is_invisible(at as u8 as char);
            at += 1;
        }
        at = 0;
        while at < marks.len() {
            table[marks.as_bytes()[at] as usize] = true;
            at += 1;
        }
        Suspects(table)
    }

    #[inline]
    pub fn contains(&self, c: char) -> bool {
        if c.is_ascii() {
            self.0[c as usize]
        } else {
            is_invisible(c)
        }
    }
}

/// `&(?:zwnj|zwj|shy|lrm|rlm|NoBreak|ZeroWidthSpace|#(?:173|820[3-7]|8288|65279|[xX]0{0,4}(?:ad|200[b-f]|2060|feff)));`
pub fn match_invisible_entity(text: &[char], at: usize) -> Option<usize> {
    const NAMES: [&str; 7] = ["zwnj;", "zwj;", "shy;", "lrm;", "rlm;", "NoBreak;", "ZeroWidthSpace;"];
    const NUMBERS: [&str; 8] = ["#173;", "#8203;", "#8204;", "#8205;", "#8206;", "#8207;", "#8288;", "#65279;"];
    NAMES.iter().chain(&NUMBERS).find_map(|name| pass(text, at + 1, name)).or_else(|| {
        let (number, end) = match_hexadecimal(text, at + 1)?;
        matches!(number, 0xad | 0x200b..=0x200f | 0x2060 | 0xfeff).then_some(end)
    })
}

/// `&(?:nbsp|ensp|emsp|thinsp|#160|#[xX]0{0,4}[aA]0);`
pub fn match_space_entity(text: &[char], at: usize) -> Option<usize> {
    const NAMES: [&str; 5] = ["nbsp;", "ensp;", "emsp;", "thinsp;", "#160;"];
    NAMES.iter().find_map(|name| pass(text, at + 1, name)).or_else(|| {
        let (number, end) = match_hexadecimal(text, at + 1)?;
        (number == 0xa0).then_some(end)
    })
}

/// `#[xX]0{0,4}`, a number of at most four digits that does not begin with 0, and `;`.
fn match_hexadecimal(text: &[char], at: usize) -> Option<(u32, usize)> {
    let zeros = pass(text, at, "#x").or_else(|| pass(text, at, "#X"))?;
    let start = skip_most(text, zeros, 4, |c| c == '0');
    let end = skip_most(text, start, 4, |c| c.is_ascii_hexdigit());
    if text.get(start) == Some(&'0') {
        return None;
    }
    let number = text[start..end].iter().filter_map(|c| c.to_digit(16)).fold(0, |number, digit| number * 16 + digit);
    Some((number, pass(text, end, ";")?))
}
