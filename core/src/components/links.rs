//! Links to other sites: readers do not see their addresses, but they are sources all the same.

use crate::hash::HashSet;

use super::Found;
use crate::chars;
use crate::document::{Document, Match};
use crate::text::lines::Link;

const LONGEST_NAME: usize = 4; // words of a site's name
const SHORT_NAME: usize = 4; // letters, below which a name is an acronym
const SUFFIXES: [&str; 9] = ["co", "com", "org", "net", "gov", "ac", "edu", "or", "go"]; // before a country's

fn lower(text: &str) -> String {
    text.chars().map(chars::lower).collect()
}

/// An address in the form in which addresses are compared.
fn normalise_address(url: &str) -> String {
    lower(url.trim_matches(chars::is_space)).trim_end_matches('/').to_string()
}

/// The host of an address, without user and port; empty where there is none.
pub fn parse_host(url: &str) -> String {
    let rest = match url.split_once("//") {
        Some((scheme, rest)) if is_scheme(scheme) => rest,
        _ => return String::new(),
    };
    let authority = rest.split(['/', '?', '#']).next().unwrap_or("");
    let host = authority.rsplit('@').next().unwrap_or("");
    let host = match host.strip_prefix('[') {
        Some(inner) => inner.split(']').next().unwrap_or(""),
        None => host.split(':').next().unwrap_or(""),
    };
    lower(host)
}

fn is_scheme(text: &str) -> bool {
    let Some(name) = text.strip_suffix(':') else { return text.is_empty() };
    name.starts_with(|c: char| c.is_ascii_alphabetic())
        && name.chars().all(|c| c.is_ascii_alphanumeric() || matches!(c, '+' | '.' | '-'))
}

fn is_same_site(host: &str, site: &str) -> bool {
    let one = host.strip_prefix("www.").unwrap_or(host);
    let other = site.strip_prefix("www.").unwrap_or(site);
    let below = |a: &str, b: &str| a.strip_suffix(b).is_some_and(|front| front.ends_with('.'));
    one == other || below(one, other) || below(other, one)
}

/// Whether a text names the site: "the Guardian" for theguardian.com, "BBC" for bbc.co.uk.
pub fn names_site(text: &[char], site: &str) -> bool {
    let labels: Vec<&str> = site.split('.').collect();
    let Some(name) = labels[..labels.len() - 1].iter().rfind(|part| !SUFFIXES.contains(part)) else { return false };
    let name: Vec<char> = name.chars().collect();
    let words: Vec<&[char]> = text.split(|c| !chars::is_alnum(*c)).filter(|word| !word.is_empty()).collect();
    (0..words.len()).any(|i| {
        (1..=LONGEST_NAME).any(|n| {
            let candidate = &words[i..words.len().min(i + n)];
            let joined = || candidate.iter().flat_map(|word| word.iter());
            joined().map(|c| chars::lower(*c)).eq(name.iter().copied()) && is_name(candidate)
        })
    })
}

/// Whether words are written as a name: with a capital, and a short one in capitals.
fn is_name(words: &[&[char]]) -> bool {
    if words.iter().map(|word| word.len()).sum::<usize>() < SHORT_NAME {
        return words.last().is_some_and(|word| is_upper_word(word));
    }
    words.iter().any(|word| chars::is_upper(word[0]))
}

/// Python's `str.isupper` of a word.
fn is_upper_word(word: &[char]) -> bool {
    let is_small = |c: &char| chars::is_lower(*c) || (chars::is_title(*c) && !chars::is_upper(*c));
    word.iter().any(|c| chars::is_upper(*c)) && !word.iter().any(is_small)
}

/// The first link to each web address that none of the matches shows already, apart from the page's site.
pub fn find_external<'d>(doc: &'d Document, matches: &[Match]) -> Vec<&'d Link> {
    let links = &doc.source.structure.links;
    if links.is_empty() {
        return Vec::new();
    }
    let shown: HashSet<String> = matches.iter().map(|m| normalise_address(&doc.normalised(m.start, m.end))).collect();
    let mut seen: HashSet<String> = HashSet::default();
    links
        .iter()
        .filter(|link| {
            let address = normalise_address(&link.url);
            let is_web = address.starts_with("http://") || address.starts_with("https://");
            let host = if is_web { parse_host(&address) } else { String::new() };
            let is_other = doc.site.is_empty() || !is_same_site(&host, &doc.site);
            !host.is_empty() && !shown.contains(&address) && is_other && seen.insert(address)
        })
        .collect()
}

/// The first link to each site.
pub fn first_per_site(links: Vec<&Link>) -> Vec<&Link> {
    let mut seen = HashSet::default();
    links.into_iter().filter(|link| seen.insert(parse_host(&link.url))).collect()
}

pub fn locate(links: Vec<&Link>, pattern: &'static str, family: &'static str) -> Vec<Found> {
    links.into_iter().map(|link| Found::Source { pattern, family, span: (link.start, link.end) }).collect()
}
