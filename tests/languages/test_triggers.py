"""Patterns that are searched only where a page has what they need find what plain search finds."""

from __future__ import annotations

import os
import random
from pathlib import Path

import pytest

from steelyard.languages import language as loading
from steelyard.scoring import editions
from steelyard.text.document import Document
from steelyard.text.source import Source
from tests.native.mutations import list_own_examples, make_pages
from tools.triggers import EDGE, derive, find_trigger, list_files

PAIRS = [(name, code) for name in editions.NAMES for code in editions.load(name).languages]


def make_texts(edition: str, code: str) -> list[str]:
    """Examples of every pattern, pieces of several joined, mutated pages, and noise from their characters."""
    source = random.Random(f"{edition} {code}")
    examples = list_own_examples(edition, code)
    pieces = [example[source.randrange(len(example)) :][: source.randint(1, 60)] for example in examples if example]
    joined = ["".join(source.choices(pieces, k=12)) for _ in range(60)]
    characters = "".join(source.sample(examples, 40)) + "½²ªÿŸ\u212a\u017fİßéΑα_'’-–“”0123456789 \n"
    noise = ["".join(source.choices(characters, k=300)) for _ in range(40)]
    return [*examples[:: 1 if os.environ.get("STEELYARD_TEST_ALL") else 3], *joined, *noise, *make_pages(20, 7)]


@pytest.mark.parametrize(("edition", "code"), PAIRS)
def test_no_match_is_lost(edition: str, code: str) -> None:
    chosen = editions.load(edition)
    language = chosen.load_language(code)
    assert language.triggers is not None, "out of date: python -m tools.triggers"
    for text in make_texts(edition, code):
        doc = Document(Source(text, repaired=chosen.repairs), language)
        found = language.triggers.look(doc.text)
        for name, family in language.families.items():
            possible = language.triggers.find_possible(name, found)
            plain = family.matcher.find_all(doc._subject)
            assert family.matcher.find_all(doc._subject, possible) == plain, f"{name}: {text[:300]!r}"


@pytest.mark.parametrize(("code", "edition", "path"), list_files())
def test_a_damaged_file_is_not_used(code: str, edition: str, path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    content = path.read_text("utf-8")
    families = editions.load(edition).load_language(code).families
    assert loading._load_triggers(code, edition, families) is not None
    for changed in (content.replace('"sets"', '"sets" '), content[:-9], "", content.replace("0", "1", 1)):
        monkeypatch.setattr(loading, "_read_triggers", lambda *_, text=changed: text)
        assert loading._load_triggers(code, edition, families) is None


def test_what_is_read_off_an_expression() -> None:
    edge = "(?:^|[^A-Za-zÀ-ÖØ-öø-ÿŒœŠšŽž0-9_])"
    sets, reach = derive(edge + r"((?:an?|the) [A-Za-zÀ-ÖØ-öø-ÿŒœŠšŽž]{1,9} of) [0-9]{1,3}")
    assert sets == [{"^a$", "^an$", "^the$"}, {"^of$"}, set("0123456789")], (sets, reach)
    assert reach == 19
    assert find_trigger(" is a ") == "^is$^a$"
    assert find_trigger(f"{EDGE}Study") == "^study"
    assert derive("[^.]{1,5}") == ([], 0)
