"""The packs: every pattern does what it says, in both engines, on examples and on fuzzed text."""

from __future__ import annotations

import random
import re
import string

import pytest

from steelyard.errors import PackInvalid, UnknownName
from steelyard.languages import dialect
from steelyard.languages.language import CODES as LANGUAGES
from steelyard.languages.language import Family, Pattern, digest, load
from steelyard.text.regex import ENGINES, PatternSet, Subject

CASES = [
    pytest.param(language, family, pattern, id=f"{language}-{family.name}-{pattern.id}")
    for language in LANGUAGES
    for family in load(language).families.values()
    for pattern in family.patterns
]


def spans(pattern: Pattern, text: str, engine: str) -> list[str]:
    refused = {0: pattern.refusal} if pattern.refusal else {}
    hits = PatternSet([pattern.regex], engine, refused).find_all(Subject(text))
    return [text[h.start : h.end] for h in hits]


@pytest.mark.parametrize("engine", ENGINES)
@pytest.mark.parametrize(("language", "family", "pattern"), CASES)
def test_a_pattern_matches_its_examples_and_nothing_of_its_counter_examples(
    language: str, family: Family, pattern: Pattern, engine: str
) -> None:
    assert len(pattern.must_match) >= 1
    assert len(pattern.must_not_match) >= 1
    assert pattern.why
    for example in pattern.must_match:
        wanted = re.search("⟦(.*)⟧", example)
        assert wanted, f"{example!r} marks no span"
        assert wanted[1] in spans(pattern, example.replace("⟦", "").replace("⟧", ""), engine), example
    for example in pattern.must_not_match:
        assert spans(pattern, example, engine) == [], example


def fuzzed(rng: random.Random, pieces: list[str]) -> str:
    """Pieces of examples cut anywhere and stirred with characters that engines treat differently."""
    odd = ["é", "É", "œ", "\u00a0", "\n", "\t", "“", "»", "%", "İ", "ß", "\u2028", "𝔸", "'", "-", ".", "١", "_"]
    out = []
    for _ in range(rng.randrange(5, 40)):
        piece = rng.choice(pieces)
        start = rng.randrange(len(piece))
        out.append(piece[start : start + rng.randrange(1, 40)])
        out.append(rng.choice([" ", " ", "", rng.choice(odd), rng.choice(string.printable)]))
    return "".join(out)


@pytest.mark.skipif(len(ENGINES) < 2, reason="google-re2 is not installed: there is nothing to compare `re` with")
@pytest.mark.parametrize("language", LANGUAGES)
def test_both_engines_find_the_same_spans_on_fuzzed_text(language: str) -> None:
    rng = random.Random(20260701)
    both = [load(language, engine) for engine in ENGINES]
    pieces = [
        e.replace("⟦", "").replace("⟧", "") for f in both[0].families.values() for p in f.patterns for e in p.must_match
    ]
    for _ in range(150):
        text = fuzzed(rng, pieces)
        for name in both[0].families:
            first, second = (pack.families[name].matcher.find_all(Subject(text)) for pack in both)
            assert first == second, (name, text)


@pytest.mark.parametrize("language", LANGUAGES)
def test_the_families_have_the_papers_numbers(language: str) -> None:
    families = load(language).families
    assert (len(families["quotable"].patterns), len(families["statistic"].patterns)) == {"en": (13, 9), "fr": (19, 20)}[
        language
    ]
    assert set(families) == set(load("en").families)
    assert set(load(language).lists) == set(load("en").lists)


def test_the_stop_list_holds_about_180_words() -> None:
    assert 170 <= len(load("en").stop) <= 190
    assert load("en").stop == load("fr").stop


def test_the_digest_names_the_pack_and_is_stable() -> None:
    assert digest("en") == digest("en") != digest("fr")


def test_an_unknown_language_is_refused_by_name() -> None:
    with pytest.raises(UnknownName, match="unknown language 'de'"):
        load("de")


@pytest.mark.parametrize(
    ("regex", "rule"),
    [
        (r"a+", "not in the dialect"),
        (r"a*", "not in the dialect"),
        (r"(?=a)", "not in the dialect"),
        (r"(?i)a", "not in the dialect"),
        (r"a.b", "not in the dialect"),
        (r"\d{2}", "write the characters out"),
        (r"[\w-]", "must list their characters"),
        (r"\bcaf", "use <B> or <E>"),
        (r"a{2,}", "upper bound"),
        (r"a{2,900}", "end at 400"),
        (r"(a)(b)", "more than one capturing group"),
        (r"(a)\1", "write the characters out"),
    ],
)
def test_the_dialect_check_refuses_what_engines_read_differently(regex: str, rule: str) -> None:
    with pytest.raises(PackInvalid, match=re.escape(rule)):
        dialect.check(regex, "here")


def test_the_dialect_check_lets_plain_patterns_pass() -> None:
    dialect.check(r"(?:^|[^a-z])((?:about|over) [0-9]{1,3}%)", "here")


def test_an_unknown_macro_is_refused_with_its_name() -> None:
    with pytest.raises(PackInvalid, match="unknown macro <NOPE>"):
        dialect.expand("<NOPE>", {}, "here")
