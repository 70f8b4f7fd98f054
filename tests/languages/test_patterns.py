"""The patterns of every language: each matches what it says, with the same spans in every engine."""

from __future__ import annotations

import random
import re
import string

import pytest

from steelyard import languages
from steelyard.errors import InvalidLanguageData
from steelyard.languages import dialect
from steelyard.scoring import editions
from steelyard.text.language import Language, Pattern
from steelyard.text.regex import DEFAULT, ENGINES, PatternSet, Subject

READ = [(name, code) for name in editions.NAMES for code in editions.load(name).languages]


def load(edition: str, code: str, engine: str = DEFAULT) -> Language:
    chosen = editions.load(edition)
    return languages.load(code, edition, chosen.sentences, chosen.tokens, evidence=chosen.evidence, engine=engine)


ODD = ["é", "É", "œ", "\u00a0", "\n", "\t", "“", "»", "%", "İ", "ß", "\u2028", "𝔸", "'", "-", ".", "١", "_"]


def unmark(example: str) -> str:
    """Return an example without the brackets around the span."""
    return example.replace("⟦", "").replace("⟧", "")


def find(pattern: Pattern, text: str, engine: str) -> list[str]:
    """Return the matched texts of one pattern, compiled on its own."""
    refused = {0: pattern.refusal} if pattern.refusal else {}
    hits = PatternSet([pattern.regex], engine, refused).find_all(Subject(text))
    return [text[h.start : h.end] for h in hits]


@pytest.mark.parametrize("engine", ENGINES)
@pytest.mark.parametrize(("edition", "code"), READ)
def test_every_pattern_matches_its_examples_and_none_of_its_counter_examples(edition: str, code: str, engine: str):
    for pattern in (p for family in load(edition, code).families.values() for p in family.patterns):
        assert pattern.must_match, pattern.id
        assert pattern.must_not_match, pattern.id
        assert pattern.why, pattern.id
        for example in pattern.must_match:
            span = re.search("⟦(.*)⟧", example, re.DOTALL)
            assert span, f"{example!r} marks no span"
            assert span[1] in find(pattern, unmark(example), engine), (pattern.id, example)
        for example in pattern.must_not_match:
            assert find(pattern, example, engine) == [], (pattern.id, example)


def stir(rng: random.Random, pieces: list[str]) -> str:
    """Return pieces of examples, cut anywhere and mixed with characters that engines treat differently."""
    mixed = []
    for _ in range(rng.randrange(5, 40)):
        piece = rng.choice(pieces)
        start = rng.randrange(len(piece))
        mixed.append(piece[start : start + rng.randrange(1, 40)])
        mixed.append(rng.choice([" ", " ", "", rng.choice(ODD), rng.choice(string.printable)]))
    return "".join(mixed)


@pytest.mark.skipif(len(ENGINES) < 2, reason="google-re2 is not installed: there is nothing to compare `re` with")
@pytest.mark.parametrize(  # the others of the examples are tested with their own patterns alone, above
    ("step", "texts", "seed"),
    [(4, 12, 20260701), pytest.param(1, 600, 20260702, marks=pytest.mark.full)],
    ids=["few", "many"],
)
@pytest.mark.parametrize(("edition", "code"), READ)
def test_all_engines_find_the_same_spans(edition: str, code: str, step: int, texts: int, seed: int):
    rng = random.Random(seed)
    loaded = [load(edition, code, engine) for engine in ENGINES]
    patterns = [p for family in loaded[0].families.values() for p in family.patterns]
    pieces = [unmark(example) for p in patterns for example in p.must_match]
    for text in [*pieces[::step], *(stir(rng, pieces) for _ in range(texts))]:
        for family in loaded[0].families:
            first, *others = (language.families[family].matcher.find_all(Subject(text)) for language in loaded)
            assert all(hits == first for hits in others), (family, text)


def _counted(language: Language) -> set[str]:
    """Return the families that are counted; those that only policies refer to differ by language."""
    helpers = {name for family in language.families.values() for name in (family.unless, family.needs)}
    return set(language.families) - helpers


@pytest.mark.parametrize(("edition", "code"), READ)
def test_every_language_has_the_same_families_and_word_lists(edition: str, code: str):
    english, language = load(edition, "en"), load(edition, code)
    assert _counted(language) == _counted(english)
    assert set(language.lists) == set(english.lists)


def test_german_nouns_side_by_side_are_no_names():
    entity = load("2026", "de").families["entity"].matcher
    for keywords in ("Wasser Energie", "Garten Pflege Tipps", "Beratung Datenschutz Cloud Sicherheit"):
        for text in (f"Hier geht es um {keywords} und mehr.", f"Das Thema {keywords}, {keywords}."):
            assert entity.find_all(Subject(text)) == [], text


def test_the_families_have_as_many_patterns_as_in_the_paper():
    for code, numbers in {"en": (13, 9), "fr": (19, 20)}.items():
        families = languages.load(code).families
        assert (len(families["quotable"].patterns), len(families["statistic"].patterns)) == numbers, code


def test_the_dialect_refuses_what_engines_read_differently():
    for regex, rule in {
        r"a+": "not in the dialect", r"a*": "not in the dialect", r"(?=a)": "not in the dialect",
        r"(?i)a": "not in the dialect", r"a.b": "not in the dialect", r"\d{2}": "write the characters out",
        r"[\w-]": "must list their characters", r"[a[b]]": "escape the `[`", r"[a-z&&b]": "escape the `[`",
        r"[a-z--b]": "escape the `[`", r"[^~~b]": "escape the `[`", r"\bcaf": "use <B> or <E>", r"a{2,}": "upper bound",
        r"a{2,900}": "end at 400", r"a{2}+": "possessive", r"(a)(b)": "more than one capturing group",
        r"(a)\1": "write the characters out",
    }.items():  # fmt: skip
        with pytest.raises(InvalidLanguageData, match=re.escape(rule)):
            dialect.check(regex, regex)
    with pytest.raises(InvalidLanguageData, match="unknown macro <NOPE>"):
        dialect.expand("<NOPE>", {}, "here")


def test_the_dialect_accepts_plain_patterns():
    dialect.check(r"(?:^|[^a-z])((?:about|over) [0-9]{1,3}%)", "here")
    dialect.check(r"[\[\]a-][]^(&~-]", "here")
