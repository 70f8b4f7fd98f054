"""Every rule is whole: its texts, its examples, its page."""

from __future__ import annotations

import sys
from datetime import date
from pathlib import Path

import pytest

from steelyard.advice import rules
from steelyard.advice.context import Context
from steelyard.advice.kinds import PageKind
from steelyard.advice.rule import LEVELS, Example, Rule
from steelyard.advice.rules import ORDER, RULES
from steelyard.check.rule_page import render_rule
from steelyard.components import NAMES
from steelyard.pipeline import Page, measure_sections, score_text
from steelyard.scoring import editions
from steelyard.settings import Settings
from tests.conftest import ROOT

AS_OF = date(2026, 7, 1)
MAX_PAGE = 300  # words of a rule's page


def find(rule: Rule, example: Example) -> list[str]:
    edition = editions.load("2026")
    score = score_text(example.text, as_of=AS_OF, language=example.language, edition=edition)
    kind = PageKind(example.kind, certain=True) if example.kind else None
    doc, settings = edition.open(example.text, example.language), Settings.resolve(as_of=AS_OF, edition=edition)
    sections = measure_sections(Page("page", example.text), doc.source, score, settings)
    context = Context(score, doc, kind=kind, sections=sections)
    if not rule.suits(context.kind_name):
        return []
    is_never_certain = rule.certain_when.startswith("never")
    return [finding.quote for finding in rule.find(context) if finding.certain or is_never_certain]


@pytest.mark.parametrize("rule", ORDER, ids=lambda rule: rule.name)
def test_a_rule_finds_its_bad_examples_and_is_silent_on_its_good_ones(rule: Rule) -> None:
    for example in rule.bad:
        found = find(rule, example)
        assert found, example.text[:300]
        assert found[0].startswith(example.quote), example.text[:300]
    for example in rule.good:
        assert find(rule, example) == [], example.text[:300]


def test_a_rule_has_its_file_and_is_registered_once() -> None:
    folder = Path(rules.__file__).parent
    classes = {name: sys.modules[type(rule).__module__] for name, rule in RULES.items()}
    files = {name: Path(str(module.__file__)) for name, module in classes.items()}
    assert {p.stem for p in folder.glob("*.py")} - {"__init__"} == {n for n, p in files.items() if p.stem == n}
    assert set(NAMES) <= set(RULES)
    assert len(set(ORDER)) == len(ORDER) == len({rule.name for rule in ORDER})


@pytest.mark.parametrize("rule", RULES.values(), ids=lambda rule: rule.name)
def test_every_rule_says_all_that_its_page_needs(rule: Rule) -> None:
    assert rule.level in LEVELS
    assert rule.topic
    assert rule.about
    assert all(text.endswith((".", "!")) for text in (rule.what, rule.why)), rule.name
    assert not (rule.not_for and rule.only_for)
    page = render_rule(rule)
    assert len(page.split()) <= MAX_PAGE
    assert page == (ROOT / "docs" / "rules" / f"{rule.name}.md").read_text("utf-8")


def test_no_page_of_a_rule_is_left_over() -> None:
    assert {p.stem for p in (ROOT / "docs" / "rules").glob("*.md")} == set(RULES)
