"""Every character is the same to both cores: its kind, its lower case, its compositions, and to every pattern."""

from __future__ import annotations

import os
import re
import unicodedata
from collections.abc import Callable, Iterator

import pytest

from fuzz.mutate.characters import list_other_cases
from steelyard.scoring import editions
from steelyard.text import characters
from steelyard.text.composition import compose
from steelyard.text.language import Pattern
from steelyard.text.regex import ENGINES, PatternSet, Subject
from tests.text.all_characters import choose_characters

native = pytest.importorskip("steelyard_core", reason="the native core is not built here")

EVERY = choose_characters()
ACCENTS = "".join(map(chr, range(0x300, 0x370)))
PAIRS = [(name, code) for name in editions.NAMES for code in editions.load(name).languages]
# The tests of `probe_characters` in its order; those that a Python of another Unicode version takes from the tables.
TESTS: tuple[Callable[[str], object], ...] = (
    characters.is_alpha, characters.is_alnum, re.compile(characters.WORD).match, re.compile(characters.LETTER).match,
    characters.make_test("digit"), characters.is_upper, characters.is_lower, characters.is_title, str.isspace,
)  # fmt: skip
_CLASS = r"\[\^?\]?(?:\\.|[^\]\\])*\]"
_CHARACTER = rf"(?:{_CLASS}|\\[^b]|[^\\()\[\]{{}}|*+?^$.])"
_ONE_CHARACTER = re.compile(rf"\\.|({_CLASS}|\((?:\?:)?{_CHARACTER}(?:\|{_CHARACTER})+\))", re.DOTALL)


def list_patterns(edition: str, code: str, most: int | None = None) -> Iterator[Pattern]:
    for family in editions.load(edition).load_language(code).families.values():
        yield from family.patterns[:most]


def test_every_character_is_of_the_same_kind() -> None:
    wrong = []
    for c, (classes, small) in zip(EVERY, native.probe_characters(EVERY), strict=True):
        if classes != sum(1 << at for at, test in enumerate(TESTS) if test(c)) or small != characters.lower(c):
            wrong.append(c)
    assert wrong == []


def test_every_character_is_lowered_and_split_off_as_in_a_text() -> None:
    lowered = "".join(small for _, small in native.probe_characters(EVERY))
    assert lowered == characters.lower(EVERY)
    assert [c for c in EVERY if bool(re.match(r"\s", c)) != c.isspace() or (c.split() == []) != c.isspace()] == []


def test_every_letter_is_composed_with_its_accents() -> None:
    # Two accents, of which the second may compose where the first does not, and those that are two themselves.
    ends = [*ACCENTS, *(first + "\u0301" for first in ACCENTS), *("\u0323" + second for second in ACCENTS)]
    letters = [
        c for c in EVERY if unicodedata.decomposition(c) or unicodedata.normalize("NFC", c + "\u0301") != c + "\u0301"
    ]
    bases = sorted(
        {*letters, *(unicodedata.normalize("NFD", c)[0] for c in letters), *"kKsSiI1²Ⅷ一\u212a\u017f\u0130\u0131"}
    )
    text = " ".join(c + ends[(at * 31 + step) % len(ends)] for at, c in enumerate(bases) for step in range(8))
    assert native.probe_composition(text) == compose(text).text
    every = "".join(c + "\u0301 " for c in EVERY)
    assert native.probe_composition(every) == compose(every).text
    long = " ".join(c + ACCENTS[at % 90 : at % 90 + 10] for at, c in enumerate(bases[::7]))
    assert native.probe_composition(long) == compose(long).text


def find_spans(engine: str, regex: str, text: str) -> list[tuple[int, int]]:
    return [(hit.start, hit.end) for hit in PatternSet([regex], engine).find_all(Subject(text))]


def list_one_character_parts() -> list[str]:
    """Return what stands for one character in some pattern; what a class leaves out instead of what it holds."""
    patterns = (pattern for pair in PAIRS for pattern in list_patterns(*pair))
    parts = {m[1].replace("[^", "[") for p in patterns for m in _ONE_CHARACTER.finditer(p.regex) if m[1]}
    return sorted(parts)


def test_every_class_of_every_pattern_holds_the_same_characters() -> None:
    """Also groups such as `(?:[Kk]|M)`, of which RE2 makes a class: it took the Kelvin sign for a k."""
    for part in list_one_character_parts():
        in_page, elsewhere = native.probe_pattern(part, EVERY)
        assert in_page == elsewhere, part
        assert all(find_spans(engine, part, EVERY) == in_page for engine in ENGINES), part


@pytest.mark.parametrize(("edition", "code"), PAIRS)
def test_every_pattern_reads_every_case_of_its_letters_alike(edition: str, code: str) -> None:
    """Each letter of each example is replaced by every character that some folding takes for the same.

    With --all, of every pattern; otherwise of some of each family.
    """
    for pattern in list_patterns(edition, code, None if os.environ.get("STEELYARD_TEST_ALL") else 4):
        examples = {e.replace("⟦", "").replace("⟧", "") for e in (*pattern.must_match, *pattern.must_not_match)}
        changed = "\n\n".join(
            example[:at] + other + example[at + 1 :]
            for example in sorted(examples)
            for at, letter in enumerate(example[:300])
            for other in list_other_cases(letter)
        )
        in_page, elsewhere = native.probe_pattern(pattern.regex, changed)
        assert in_page == elsewhere, pattern.id
        assert all(find_spans(engine, pattern.regex, changed) == in_page for engine in ENGINES), pattern.id
