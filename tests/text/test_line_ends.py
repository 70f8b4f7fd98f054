"""Line ends that end a paragraph, those inside of one, and what a blank line, list, table or heading changes."""

from __future__ import annotations

import importlib.util
import textwrap
from collections.abc import Sequence
from itertools import pairwise

import pytest

import steelyard
from steelyard.scoring import editions
from steelyard.text.line_ends import find_width, read_end

LINES = (
    "The ferries of Port Ellis",
    "By the harbour desk",
    "Port Ellis has had a ferry since the spring of 1921, when two brothers bought an old coal boat and began to carry "
    "mail and sheep to the islands. The service now takes 48,000 people a year, according to the harbour office.",
    "“We sail when the bread is out of the oven,” said Marta Quill, who runs the morning boat. “Nobody here trusts a "
    "timetable more than the smell of it.”",
    "A boat for every tide",
    "The bay falls dry twice a day, and that is why the company keeps three hulls. The smallest draws 40 centimetres.",
    "It can land on sand, but it cannot carry a car.",
    "Photo: the crane at dusk",
    "The largest was built in Lund in 2009 and burns 30% less oil than the one that it replaced. A keel is the beam "
    "that runs along the bottom of a hull and keeps it upright in a cross wind.",
    "Winter is another matter. The crossing to Ull takes an hour in January, because ice drifts down from the river, "
    "and the pilots wait until the lamp on the mole can be seen.",
    "In 2023 the council asked the islanders what they wanted most. They did not ask for speed; they wanted a roof "
    "over the queue, and a place where a bicycle can be left for a week without being stolen.",
    "How to get there",
    "Trains from the capital stop at the quay. The last bus meets the evening boat, even when it is late.",
)
PAGE = "\n".join(LINES)
ENDED = [at for at, line in enumerate(LINES[:-1]) if line.endswith((".", ".”"))]
ADDED = {
    "list": "- warm socks\n- a map of the bay\n- two apples\n- rope",
    "table": "| boat | metres |\n| --- | --- |\n| Ell | 12 |\n| Ull | 20 |",
    "heading": "## The boats of the harbour",
}
CORES = ["python"]
if importlib.util.find_spec("steelyard_core"):
    CORES.append("native")


@pytest.fixture(params=CORES)
def core(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> str:
    monkeypatch.setenv("STEELYARD_CORE", request.param)
    return str(request.param)


def score(texts: Sequence[str]) -> list[float]:
    found = steelyard.score_many(texts, evidence=False, edition="2026", language="en", as_of="2026-07-01")
    return [page.score for page in found]


def add(at: int, more: str) -> str:
    """Return the page with something between two lines, set off by blank lines; with nothing, one blank line."""
    between = f"\n\n{more}\n\n" if more else "\n\n"
    return "\n".join(LINES[: at + 1]) + between + "\n".join(LINES[at + 1 :])


def read_paragraphs(text: str, edition: str = "2026") -> list[str]:
    doc = editions.load(edition).open(text, "en")
    return [doc.text[a:b] for a, b in doc.structure.paragraphs]


def test_one_blank_line_between_two_paragraphs_changes_next_to_nothing(core: str) -> None:
    before, *after = score([PAGE, *(add(at, "") for at in ENDED), "\n\n".join(LINES)])
    assert len(after) == len(ENDED) + 1
    assert all(abs(found - before) <= 0.1 for found in after), (core, before, after)


@pytest.mark.parametrize("what", ADDED)
def test_a_list_a_table_or_a_heading_costs_next_to_nothing(what: str, core: str) -> None:
    more = ADDED[what]
    ends = [f"{PAGE}\n\n{more}", f"{PAGE}\n{more}", f"{more}\n\n{PAGE}"]
    before, *after = score([PAGE, *ends, *(add(at, more) for at in ENDED)])
    assert all(found >= before - 0.5 for found in after), (core, before, after)


@pytest.mark.parametrize("cut", ["It can land on sand, but it cannot carry", "Trains from the capital stop at"])
def test_what_is_added_behind_a_sentence_that_was_cut_off_costs_nothing_either(cut: str, core: str) -> None:
    page = f"{PAGE}\n{cut}"
    before, *after = score([page, *(f"{page}\n\n{more}" for more in ADDED.values())])
    assert all(found >= before - 0.5 for found in after), (core, before, after)


def test_a_page_wrapped_to_a_width_scores_like_the_same_page_with_whole_lines(core: str) -> None:
    for width in (60, 72, 100):
        wrapped = [textwrap.fill(line, width) for line in LINES]
        before, after, dense = score(["\n\n".join(LINES), "\n\n".join(wrapped), "\n".join(wrapped)])
        assert abs(after - before) <= 0.1, (core, width)
        assert abs(dense - before) <= 2, (core, width)


def test_a_paragraph_goes_on_where_its_sentence_does() -> None:
    for text, paragraphs in (
        ("The boats come back\nin the evening.", 1),
        ("The boats come back.\nIn the evening they rest.", 2),
        ("The boats come back.\nin the evening they rest.", 2),
        ("The ferry\nIt goes to three islands.", 2),
        ("The ferry\n“it goes,” she says, “to three islands.”", 1),
        ("**The ferry goes**\n*to three* islands.", 1),
        ("“The ferry goes.”\nand comes", 2),
        ("> The ferry goes\n> to three islands.", 1),
        ("The ferry goes\n\nto three islands.", 2),
    ):
        assert len(read_paragraphs(text)) == paragraphs, text
    assert len(read_paragraphs("The ferry\nIt goes to three islands.", "paper")) == 1


def test_a_stretch_of_lines_is_read_alike_with_and_without_blank_lines_elsewhere() -> None:
    for rest in ("", "One more.\n\n", "# Heading\n\n", "- a\n- b\n\n"):
        assert read_paragraphs(rest + PAGE)[-len(LINES) :] == list(LINES), rest


def test_a_sentence_goes_on_in_an_item_of_a_list() -> None:
    doc = editions.load("2026").open(
        "- The boats come back to the harbour in the\n  evening, and they rest.\n- Two", "en"
    )
    assert len(doc.segments) == 2
    assert doc.prose.words == 13


def test_the_width_of_a_page_is_that_of_the_lines_inside_of_sentences() -> None:
    def read(lines: Sequence[str]) -> int:
        return find_width([read_end(*pair) for pair in pairwise(lines)])

    wrapped = [line for paragraph in LINES for line in textwrap.wrap(paragraph, 72)]
    assert 60 <= read(wrapped) <= 72
    assert read(LINES) == 0
    assert read(["flour", "sugar", "brown butter", "salt", "Mix it all"]) == 0  # narrower than any page
    assert read(["a " * 20, "b", *(f"Headline number {n} of the day and the week" for n in range(9))]) == 0
    assert read([]) == 0


def test_hidden_text_and_odd_white_space_at_line_ends_are_no_letters() -> None:
    for text in (
        "The boats <!-- c -->\ncome back.",
        "The boats \t\r\n come back.",
        "The boats\u2003\n\u2003come back.",
    ):
        assert len(read_paragraphs(text)) == 1, text
    assert len(read_paragraphs("The boats. <!-- c -->\ncome back.")) == 2
