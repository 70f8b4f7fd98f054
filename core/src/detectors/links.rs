//! links: how much of the page is links and addresses, and whether their words advertise or inform.

use crate::hash::{HashMap, HashSet};

use super::addresses::find_addresses;
use super::page_words::{end_of_word, PageWords};
use super::word_kinds::{SELLING, STOP};
use super::{Measurement, MOST_PLACES};
use crate::buffer::Span;
use crate::chars;
use crate::text::lines::Link;

const PLAIN: f64 = 0.25; // the weight of a link whose words name something
const BARE: f64 = 0.5; // and of an address without words
const OWN: usize = 3; // links to one site that make it the page's own
const FREQUENT: usize = 3; // occurrences that make a content word one of the page's keywords
const LONGEST_ANCHOR: usize = 300; // characters

/// A link to another site: its site and the words of its text, both in lower case.
struct External {
    span: Span,
    site: String,
    words: String, // separated by spaces; none for an address or a picture
}

/// Links to other sites and bare addresses per 100 words; a link whose words name something counts a quarter.
pub fn measure(page: &PageWords) -> Measurement {
    let doc = page.doc;
    let (start, end) = page.source_span;
    let here = doc.source.structure.links.iter().filter(|link| start <= link.start && link.start < end);
    let links = find_external(here, &doc.source.text);
    let mut bare = Vec::new();
    if doc.text.utf8.contains("://") || doc.text.utf8.contains("www.") {
        bare = find_addresses(page.text);
    }
    if !links.is_empty() && !bare.is_empty() {
        bare = keep_outside_links(page, bare, &links);
    }
    if links.is_empty() && bare.is_empty() {
        return Measurement::default();
    }
    let sites = count_sites(&links);
    let is_advertising = |words: &str| !words.is_empty() && (sites[words] > 1 || sells(page, words));
    let advertising = links.iter().filter(|link| is_advertising(&link.words)).count();
    let weight = advertising as f64 + PLAIN * (links.len() - advertising) as f64 + BARE * bare.len() as f64;
    let parts = [("links", links.len()), ("addresses", bare.len()), ("telling_anchors", advertising)];
    bare.truncate(MOST_PLACES);
    let in_source = links.iter().take(MOST_PLACES).map(|link| link.span).collect();
    Measurement { in_source, ..Measurement::new(100.0 * weight / page.len().max(1) as f64, parts, bare) }
}

/// The links to other sites. The site that most links lead to is taken for the page's own when it has three or more:
/// articles link to their own archive.
fn find_external<'l>(links: impl Iterator<Item = &'l Link>, source: &[char]) -> Vec<External> {
    let lead_out = links.filter(|link| leads_out(&link.url));
    let mut found: Vec<(&Link, String)> = lead_out.map(|link| (link, find_site(&link.url))).collect();
    if let Some(own) = find_own_site(&found) {
        found.retain(|(_, site)| *site != own);
    }
    let describe = |(link, site): (&Link, String)| {
        let words = anchor_words(&source[link.start..link.end]);
        External { span: (link.start, link.end), site, words }
    };
    found.into_iter().map(describe).collect()
}

fn leads_out(url: &str) -> bool {
    let begins_with = |start: &str| url.get(..start.len()).is_some_and(|begin| begin.eq_ignore_ascii_case(start));
    ["http://", "https://", "//"].into_iter().any(begins_with)
}

/// The host of an address, in lower case and without `www.`.
fn find_site(url: &str) -> String {
    let rest = url.split_once("//").map_or("", |(_, rest)| rest);
    let host = rest.split('/').next().unwrap_or("");
    let host: String = host.chars().map(chars::lower).collect();
    host.strip_prefix("www.").map(str::to_string).unwrap_or(host)
}

fn find_own_site(links: &[(&Link, String)]) -> Option<String> {
    let mut counts: HashMap<&str, usize> = HashMap::default();
    for (_, site) in links {
        *counts.entry(site).or_default() += 1;
    }
    let most = counts.values().max().copied().filter(|most| *most >= OWN)?;
    // of equal ones, the one that comes first
    links.iter().find(|(_, site)| counts[site.as_str()] == most).map(|(_, site)| site.clone())
}

/// By an anchor's words: the number of sites they lead to.
fn count_sites(links: &[External]) -> HashMap<&str, usize> {
    let different: HashSet<(&str, &str)> = links.iter().map(|link| (&*link.words, &*link.site)).collect();
    let mut sites = HashMap::default();
    for (words, _) in different {
        *sites.entry(words).or_default() += 1;
    }
    sites
}

/// The words of a link's text in lower case; none for an address or a picture.
fn anchor_words(link: &[char]) -> String {
    let text: Vec<char> = find_anchor(link).iter().map(|c| chars::lower(*c)).collect();
    let mut words = String::new();
    if !find_addresses(&text).is_empty() {
        return words;
    }
    let mut at = 0;
    while at < text.len() {
        if !chars::is_letter(text[at]) {
            at += 1;
            continue;
        }
        let end = end_of_word(&text, at);
        if !words.is_empty() {
            words.push(' ');
        }
        words.extend(&text[at..end]);
        at = end;
    }
    words
}

/// The text of a link in brackets or between tags: `\[([^\[\]]{1,300})\]|>([^<>]{1,300})<`.
fn find_anchor(link: &[char]) -> &[char] {
    for (at, c) in link.iter().enumerate() {
        let marks = match c {
            '[' => ['[', ']'],
            '>' => ['>', '<'],
            _ => continue,
        };
        let rest = &link[at + 1..];
        let length = rest.iter().take(LONGEST_ANCHOR).take_while(|c| !marks.contains(c)).count();
        if length > 0 && rest.get(length) == Some(&marks[1]) {
            return &rest[..length];
        }
    }
    &[]
}

/// Whether an anchor contains a word of commerce, or only keywords of the page.
fn sells(page: &PageWords, words: &str) -> bool {
    let kinds = &page.doc.language.word_kinds;
    let content: Vec<&str> = words.split(' ').filter(|word| kinds.find(word) & STOP == 0).collect();
    content.iter().any(|word| kinds.find(word) & SELLING != 0)
        || (content.len() > 1 && content.iter().all(|word| page.count(word) >= FREQUENT))
}

/// The addresses that are not the text of a link: `[https://…](https://…)` is one link.
fn keep_outside_links(page: &PageWords, bare: Vec<Span>, links: &[External]) -> Vec<Span> {
    let mut linked: Vec<Span> = links.iter().map(|link| link.span).collect();
    linked.sort_unstable();
    let view = &page.doc.source.structure.view;
    let is_outside = |span: &Span| {
        let at = view.source_offset(span.0 + page.offset);
        let before = linked.partition_point(|link| link.0 <= at);
        before == 0 || at >= linked[before - 1].1
    };
    bare.into_iter().filter(is_outside).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn link(url: &str) -> Link {
        Link { url: url.to_string(), start: 0, end: 0 }
    }

    fn words(text: &str) -> String {
        anchor_words(&text.chars().collect::<Vec<char>>())
    }

    #[test]
    fn a_site_is_the_host_in_lower_case() {
        assert_eq!(find_site("HTTP://WWW.Example.org/a//b"), "example.org");
        assert_eq!(find_site("//a.b?c"), "a.b?c");
        assert!(leads_out("HTTPS://a") && leads_out("//a") && !leads_out("/a") && !leads_out("mailto:a"));
    }

    #[test]
    fn links_to_the_most_frequent_site_are_left_out_from_three_on() {
        let site = |urls: &[&str]| -> Vec<String> {
            let links: Vec<Link> = urls.iter().map(|url| link(url)).collect();
            find_external(links.iter(), &[]).into_iter().map(|link| link.site).collect()
        };
        assert_eq!(site(&["//a/1", "//b", "//a/2", "//www.a/3"]), ["b"]);
        assert_eq!(site(&["//a/1", "//b", "//a/2"]), ["a", "b", "a"]);
        assert_eq!(site(&["//b", "//a", "//b", "//a", "//a", "//b"]), ["a", "a", "a"]);
    }

    #[test]
    fn the_words_of_an_anchor_are_those_in_brackets_or_between_tags() {
        assert_eq!(words("[Best  l'eau-forte 5 Price](https://a.b)"), "best l'eau-forte price");
        assert_eq!(words("<a href='x'>Read this</a>"), "read this");
        assert_eq!(words("[![](a.png)](b)"), "");
        assert_eq!(words("[https://a.b/c](https://a.b/c)"), "");
        assert_eq!(words("[[one] two](b)"), "one");
        assert_eq!(words("[-one 2-three 'four](b)"), "one three four");
        assert_eq!(words(&format!("[{}]", "a".repeat(301))), "");
    }
}
