"""The native core and the Python code give the same results, to the last bit, span and word."""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from dataclasses import replace
from datetime import date

import pytest

from steelyard import pipeline
from steelyard.detectors.base import MAX_PIECE
from steelyard.pipeline import Page, measure_pages
from steelyard.scoring import editions
from steelyard.settings import Settings
from tests.native.mutations import list_examples, list_own_examples, make_long_lines, make_pages
from tests.native.process import NativeProcess, describe

pytest.importorskip("steelyard_core", reason="the native core is not built here")

AS_OF = date(2026, 7, 1)
PAIRS = [(name, code) for name in editions.NAMES for code in ("auto", *editions.load(name).languages)]
FULL = pytest.mark.full


def settings(edition: str, language: str) -> Settings:
    chosen = editions.load(edition)
    return Settings.resolve(as_of=AS_OF, edition=chosen, language=language, detect=True)


@pytest.fixture(scope="module")
def native() -> Iterator[NativeProcess]:
    process = NativeProcess()
    yield process
    process.close()


def assert_equal(texts: Sequence[str], chosen: Settings, native: NativeProcess, *, evidence: bool) -> None:
    """Compare the cores."""
    pages = [Page("page", text, url="https://www.example.org/a") for text in texts]
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("STEELYARD_CORE", "python")
        expected = [describe(found) for found in measure_pages(pages, chosen, evidence=evidence)]
    for text, found, wanted in zip(texts, native.measure(pages, chosen, evidence=evidence), expected, strict=True):
        assert found == wanted, f"{chosen.edition.name}, {chosen.language}: {text[:2000]!r}"


@pytest.mark.parametrize(("edition", "language"), PAIRS)
def test_every_example_of_every_pattern(edition: str, language: str, native: NativeProcess) -> None:
    examples: Sequence[str] = list_examples()
    if not os.environ.get("STEELYARD_TEST_ALL"):  # some of those of the language itself, and of all of them a few
        examples = [*(list_own_examples(edition, language)[::3] if language != "auto" else ()), *examples[::90]]
    assert_equal(examples, settings(edition, language), native, evidence=True)


# Two thousand pages by default, two hundred thousand in all: in parts, so that the processes share them.
@pytest.mark.parametrize(
    ("number", "part"),
    [*((125, part) for part in range(16)), *(pytest.param(1_000, part, marks=FULL) for part in range(100, 298))],
)
def test_mutated_pages(number: int, part: int, native: NativeProcess) -> None:
    edition, language = PAIRS[part % len(PAIRS)]
    # Nine and the number of pairs have no divisor in common: every pair has its turns with evidence and without.
    assert_equal(list(make_pages(number, part)), settings(edition, language), native, evidence=part % 9 != 0)


@pytest.mark.parametrize("edition", editions.NAMES)
def test_lines_of_a_megabyte(edition: str, native: NativeProcess) -> None:
    lines = make_long_lines()
    texts = lines if os.environ.get("STEELYARD_TEST_ALL") else [line[:20_000] for line in lines]
    assert_equal(texts, settings(edition, "en"), native, evidence=False)


SOME_PROSE = "The harbour board measured the tide for a century and wrote it down each day. " * 6


@pytest.mark.parametrize("edition", editions.NAMES)
@pytest.mark.parametrize(
    "text",
    [
        "It has 34\u212a followers and 12\u212a ships, of 34K and 12k. " * 3,  # RE2 took the Kelvin sign for a k
        "一l一l一l一1一l一l一l一l一, 一l一l一 l一l 一l一l一. "
        * 9,  # a place of a token that overlaps one without edges
        f"{'l一二' * 70} " * 4 + "l一二" * 5_000,  # a token too long to be shown
    ],
)
def test_pages_on_which_the_cores_once_differed(text: str, edition: str, native: NativeProcess) -> None:
    assert_equal([SOME_PROSE + text, text], settings(edition, "en"), native, evidence=True)


def test_what_a_page_says_about_itself(native: NativeProcess) -> None:
    text = list_examples()[0]
    chosen = settings("2026", "en")
    for title in (None, "", "Ports of the (north) sea: 12 harbours", "ΟΔΟΣ İ"):
        assert_equal([text], replace(chosen, title=title), native, evidence=True)
    for url in ("https://harbour.example/x", "no address", "//h:80", "http://user@[::1]:8/"):
        assert_equal([text], replace(chosen, url=url), native, evidence=True)


def test_suggestions_are_the_same(monkeypatch: pytest.MonkeyPatch) -> None:
    from steelyard.inputs.page_ref import PageRef

    for text in (page for page in make_pages(25, 7) if page.strip()):
        found = []
        for core in ("python", "native"):
            monkeypatch.setenv("STEELYARD_CORE", core)
            found.append(repr(pipeline.analyse_or_error(PageRef("page", text=text), settings("2026", "en"))))
        assert found[0] == found[1]


@pytest.mark.parametrize(("edition", "language"), [("paper", "en"), ("2026", "de")])
def test_pages_that_are_examined_in_pieces(edition: str, language: str, native: NativeProcess) -> None:
    pages = ["\n\n".join(make_pages(200, seed)) for seed in (7, 8)]
    lengths = (2 * MAX_PIECE + 1, MAX_PIECE + 1)  # three pieces, and two
    long = [(page * (1 + length // len(page)))[:length] for page, length in zip(pages, lengths, strict=True)]
    assert_equal(long, settings(edition, language), native, evidence=False)
