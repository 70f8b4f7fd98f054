"""entity_density: how many distinct names, dates, amounts and linked sites the page has per 100 words."""

from __future__ import annotations

from steelyard.components import links
from steelyard.components.base import Component, Counts, DegenerateCase, Parts, select_distinct, select_longest
from steelyard.text.characters import LETTERS, is_capitals, is_lower, is_upper, lower
from steelyard.text.document import Document, Match, once_per_page

_BEFORE_START = ".!?:;…•|–—-"  # what a sentence, a cell or an item ends with, or is marked by
_OPENING = " \"'“‘«„(*_"
_AROUND = 24  # characters before and behind a name that are looked at
_SHOUTED = 4  # letters: a longer word in capitals is no acronym, but a word that is shouted


class EntityDensity(Component):
    """b(e) for e unique entities per 100 words, plus 2 per factual claim (at most 15) and a bonus for long pages."""

    label = "names, dates and amounts"
    spec = "app:entity"
    formula = "min(100, b(100·E/W) + min(15, 2F) + B_len)"
    symbols = ("E", "W", "F")
    degenerate = (DegenerateCase("fewer than 50 words", lambda doc: doc.evidence_words < 50, 0.0),)

    def count(self, doc: Document) -> Counts:
        entities = select_distinct(doc, select_longest(find_names(doc)))
        linked = links.first_per_site(links.find_external(doc, entities))  # ten links to a site name one thing
        claims = select_longest(doc.find("factual_claim"))
        parts = {"E": len(entities) + len(linked), "W": doc.evidence_words, "F": len(claims)}
        return Counts(parts, [*entities, *links.locate_links(doc, linked, "linked-site", "entity")])

    def value(self, parts: Parts) -> float:
        entities, words, claims = int(parts["E"]), int(parts["W"]), int(parts["F"])
        bonus = min(15.0, 1.5 * (entities - 20)) if words >= 800 and entities >= 20 else 0.0
        return min(100.0, density_points(100 * entities / words) + min(15.0, 2.0 * claims) + bonus)


def density_points(e: float) -> float:
    """Compute b(e), the paper's piecewise line."""
    if e >= 3.5:
        return 100.0
    if e >= 2:
        return 65 + 23.3 * (e - 2)
    if e >= 1:
        return 35 + 30 * (e - 1)
    return 35 * e


def find_names(doc: Document) -> list[Match]:
    """Return the matches of the family, without those that are capitalised for another reason than being a name."""
    stripped = (strip_stop_words(doc, match) for match in doc.find("entity"))
    checked = (check_name(doc, match) if doc.attributes(match).get("check") else match for match in stripped if match)
    return [match for match in checked if match]


def check_name(doc: Document, match: Match) -> Match | None:
    """Cut ordinary words off a name that begins a sentence; return None when nothing shows that the rest is a name.

    A capital says little of an ordinary word, and nothing among words in capitals.
    """
    words = doc.text[match.start : match.end].split(" ")
    ordinary = [_is_ordinary(doc, word) for word in words]
    if all(ordinary) or _is_shouted(doc, match, words):
        return None
    if not ordinary[0] or not _begins_sentence(doc, match):
        return match
    first = ordinary.index(False)
    return match._replace(start=match.start + sum(len(word) + 1 for word in words[:first]))


def _is_ordinary(doc: Document, word: str) -> bool:
    """Tell whether a word is common, is in small letters elsewhere on the page, or has no capital itself."""
    small = lower(word)
    return (
        small == word
        or small in doc.language.stop
        or small in doc.language.lists["common"]
        or small in find_small_words(doc)
    )


@once_per_page
def find_small_words(doc: Document) -> frozenset[str]:
    """Return the words that the page writes in small letters."""
    lowered = doc.lowered
    words = (match.span() for match in LETTERS.finditer(doc.text))
    return frozenset(lowered[a:b] for a, b in words if is_lower(doc.text[a]) and doc.text[a:b] == lowered[a:b])


def _begins_sentence(doc: Document, match: Match) -> bool:
    before = doc.text[max(0, match.start - _AROUND) : match.start].rstrip(_OPENING)
    return not before or before[-1] in _BEFORE_START or before[-1] == "\n"


def _is_shouted(doc: Document, match: Match, words: list[str]) -> bool:
    """Tell whether words in capitals, other than an acronym among words that are not, are all there is."""
    if not all(is_capitals(word) for word in words):
        return False
    before = LETTERS.findall(doc.text[max(0, match.start - _AROUND) : match.start])[-1:]
    after = LETTERS.findall(doc.text[match.end : match.end + _AROUND])[:1]
    loud = [len(word) >= _SHOUTED and is_capitals(word) for word in before + after]
    return any(loud) or (len(words) > 1 and all(is_upper(word[0]) for word in before + after))


def strip_stop_words(doc: Document, match: Match) -> Match | None:
    """Cut stop words off both ends of a name; return None when too few words are left."""
    attributes = doc.attributes(match)
    if not attributes.get("strip"):
        return match
    start, end = match.start, match.end
    while start < end:
        word, gap, _ = doc.text[start:end].partition(" ")
        if lower(word) not in doc.language.stop:
            break
        start += len(word) + len(gap)
    while start < end:
        _, gap, word = doc.text[start:end].rpartition(" ")
        if lower(word) not in doc.language.stop:
            break
        end -= len(gap) + len(word)
    words = len(doc.text[start:end].split())
    return Match(match.family, match.pattern, start, end) if words >= attributes.get("min_words", 1) else None
