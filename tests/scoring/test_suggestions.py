"""Suggestions: given only where the page's own words make it certain that something is missing."""

from __future__ import annotations

import ast
import inspect
from datetime import date

import pytest

from steelyard import languages
from steelyard.configuration.rules import RULES
from steelyard.pipeline import score_text
from steelyard.scoring import editions, missing_evidence, suggestions
from steelyard.scoring.finding import WORDING, Finding
from steelyard.scoring.missing_evidence import find_unquoted, load_words
from steelyard.scoring.suggestions import find_improvements, suggest

AS_OF = date(2026, 7, 1)
SENTENCE = "The harbour master of a small northern town keeps a careful record of every ship and its cargo. "
# So many different words that no cap hides a gain.
WORDS = """
anchor apple barrel basket beacon bench bottle bread bridge brush bucket butter cabin candle canvas carpet castle cellar
chain chair cheese chimney clock cloth copper corner cotton crane curtain diary drawer engine fabric feather fence ferry
fiddle flour forest garden garlic ginger glove grain gravel hammer handle harvest honey hotel island jacket kettle
kitchen ladder lantern leather lemon letter linen lobster marble market meadow mirror mortar museum mustard needle
onion orchard oven paddle paper pebble pencil pepper pillow planet pocket potato prison quarry ribbon river saddle
salmon school shelf shovel silver spoon stable statue sugar summer temple thread timber tower tunnel valley vessel
village violin wagon walnut weather wheel window winter woollen
""".split()
BARE = "\n\n".join(
    f"Beside the {a} stands a {b}, and behind the {c} the {d} waits with the {e} until evening."
    for a, b, c, d, e in zip(*[iter(WORDS)] * 5, strict=False)
)
SHIPS = f"{BARE}\n\nBehind the quay (which Anna Weir has drawn) the stairs lead down over 40 steps to the water."


def suggested(text: str, language: str = "en", edition: str = "2026") -> dict[str, Finding]:
    scored = score_text(text, as_of=AS_OF, language=language, edition=editions.load(edition))
    found = suggest(find_improvements(scored, editions.load(edition).open(text, language)))
    assert len({s.topic for s in found}) == len(found), "one of each kind"
    return {s.topic: s for s in found}


@pytest.mark.parametrize("edition", editions.NAMES)
def test_a_page_that_quotes_is_not_asked_to_quote(edition: str) -> None:
    reported = f"{SHIPS}\n\nThen Anna Weir said that the boats would come back before the night."
    asked = suggested(reported, edition=edition)["quote"]
    assert asked.quote.startswith("Then Anna Weir said")
    assert "said" in asked.why
    quoted = f'{SHIPS}\n\nThen Anna Weir said: "The boats will all come back before the night."'
    assert "quote" not in suggested(quoted, edition=edition)
    unknown = f"{SHIPS}\n\nThen Anna Weir said that “boats” would come back before the night."
    assert "quote" not in suggested(unknown, edition=edition), "a mark that no pattern knows is reason enough"


def test_a_page_without_any_evidence_is_asked_for_all_of_it() -> None:
    asked = suggested(BARE)
    assert asked["quote"].why == "nothing on the page stands in quotation marks"
    assert asked["quote"].action == "quote somebody who knows the subject"
    assert asked["figure"].why == "the page has no figure"
    assert asked["source"].why == "the page names no source"


def test_an_amount_without_a_figure_unless_one_may_be_there() -> None:
    asked = suggested(f"{SHIPS}\n\nHere many sailors spend the winter months on land.")["figure"]
    assert (asked.quote, asked.why) == ("Here many sailors spend the winter months on land", "“many” without a figure")
    assert asked.counted
    for sentence in (
        "Here many of the 40 sailors spend the winter on land.",
        "Here many of the forty sailors spend the winter on land.",
        "Do many of the sailors spend the winter on land?",
        "How many sailors spend the winter on land is not known.",
        "“Many of our sailors spend the winter on land” is what they say.",
        "The report found that three ships had many broken windows along the whole of the western quay.",
        f"## What the many new rules mean for all the small shops here\n\n{SENTENCE}",
    ):
        assert "figure" not in suggested(f"{SHIPS}\n\n{sentence}"), sentence


def test_a_claim_without_a_source_and_its_other_places() -> None:
    claim = "Research shows that calm water makes every crew sleep longer."
    asked = suggested(f"{SHIPS}\n\n{SENTENCE}\n\n{claim}\n\n{SENTENCE}\n\n{claim.replace('calm', 'warm')}")["source"]
    assert asked.quote.startswith("Research shows")
    assert asked.more == (asked.line + 4,)
    for near in (
        "Weir describes it [4].",
        "See [the report](https://example.org/calm).",
        "According to the NHS, it does.",
    ):
        assert "source" not in suggested(f"{SHIPS}\n\n{claim} {near}")


def test_in_german_a_speaker_needs_a_name() -> None:
    german = editions.load("2026")
    (nobody,) = find_unquoted(german.open("Der Gärtner meint es gut mit den Rosen in seinem Garten.", "de"))
    assert nobody.quote == ""
    (named,) = find_unquoted(german.open("Frau Anna Weber sagte gestern, dass die Rosen früh blühen.", "de"))
    assert named.quote


def test_a_paragraph_without_a_name_is_pointed_at_where_capitals_tell_names() -> None:
    plain = "the crew mends nets and waits for better weather while the smaller boats are pulled up on the beach " * 2
    assert suggested(f"{SHIPS}\n\n{SENTENCE}\n\nHere {plain}.")["name"].quote
    german = (
        "Hier flickt die Mannschaft Netze und wartet auf besseres Wetter, während die kleinen Boote am Strand liegen. "
    )
    assert "name" not in suggested(german * 6, language="de")


def test_an_opening_that_refers_back_but_not_inside_quoted_speech() -> None:
    asked = suggested(f"{SHIPS}\n\nIt was late when the last of the smaller boats came in with its crew.")["opening"]
    assert asked.why.startswith("“It was late”")
    speech = '"It was late when the last of the smaller boats came in with its crew," said Anna Weir.'
    assert "opening" not in suggested(f"{SHIPS}\n\n{speech}")


def test_a_year_at_the_edge_may_be_the_date() -> None:
    assert "date" in suggested(SHIPS)
    assert "date" not in suggested(f"Harbour notes, spring 2024\n\n{SHIPS}")
    assert "date" not in suggested(f"---\ndate: 2019-03-01\n---\n\n{BARE}"), "an old date is one"


def test_every_language_says_which_words_show_a_missing_piece() -> None:
    for code in languages.CODES:
        words = load_words(code)
        assert set(words) == {"vague", "not_after", "shares", "reporting", "numbers"}, code
        assert all(word == word.lower() for listed in words.values() for word in listed), code
    assert all(wording.counted and wording.action for wording in WORDING.values())


MAKERS = ("make_finding", "_make_findings", "_find_page", "_find_passage")  # of findings; the rule is written out


def find_rules(call: ast.Call) -> set[str]:
    """Return the rule that a call gives to a function that makes findings: its first or second argument."""
    if not (isinstance(call.func, ast.Name) and call.func.id in MAKERS):
        return set()
    return {str(a.value) for a in call.args[:2] if isinstance(a, ast.Constant)}


def test_every_rule_of_a_finding_has_its_wording_and_its_level() -> None:
    trees = [ast.parse(inspect.getsource(module)) for module in (missing_evidence, suggestions)]
    calls = [node for tree in trees for node in ast.walk(tree) if isinstance(node, ast.Call)]
    assert {rule for call in calls for rule in find_rules(call)} == set(WORDING)
    assert set(WORDING) <= set(RULES)
