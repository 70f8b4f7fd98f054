"""What a failing page says first: the component that is too low, its margin and its places, in every format."""

from __future__ import annotations

import json
from datetime import date
from pathlib import Path

import pytest

from steelyard.check.formats import FORMATS
from steelyard.check.result import CheckedPage, CheckRun
from steelyard.check.run import Checker
from steelyard.configuration.file import forget_files
from steelyard.support.artifacts import to_json
from steelyard.support.formatting import format_count
from steelyard.terminal.output import apply_styles
from tests.check.shared import GOOD, OPENER, VAGUE, WEAK, write

DAY = date(2026, 7, 1)
NAME = "entity_density"  # its findings are notes, which are not shown otherwise
BARE = f"""{WEAK}
The ropes are dry in the summer, and the nets hang over the rail until somebody mends them. A narrow plank leads from
one deck to another, and people carry baskets of fish across it while it sways. Nobody hurries there. When the wind
turns, the awnings are rolled up, the hatches are closed, and the younger men sit below and play cards.
"""  # with a long paragraph that names nothing


@pytest.fixture(autouse=True)
def fresh() -> None:
    forget_files()


def check_page(folder: Path, text: str, settings: str) -> tuple[CheckRun, CheckedPage]:
    write(folder, {"steelyard.toml": f"uncertain = true\n{settings}", "page.md": text})
    run, _ = Checker(as_of=DAY).run([str(folder)])
    (page,) = run.pages
    return run, page


def render(run: CheckRun, name: str, level: str = "warning") -> str:
    shown = FORMATS[name].render(run, level)
    return shown if isinstance(shown, str) else "\n".join(line for line, _ in shown)


def test_a_component_that_is_too_low_comes_first_with_its_places_and_its_margin(tmp_path: Path) -> None:
    run, page = check_page(tmp_path, BARE, f"min_score = 60\n[components]\n{NAME} = {{min = 90}}\n")
    low = [f for f in page.reported if f.rule == NAME]
    assert low
    assert all(f.level == "note" and f.failure == 0 for f in low)
    first, second = page.causes
    assert first.subject == NAME
    assert first.margin is not None
    assert first.margin == pytest.approx(page.components[NAME]["value"] - 90)
    assert second.margin == page.margin
    assert run.select(page, "error") == [*low, *(f for f in page.reported if f.rule == "cap")]
    assert page.worst == sorted(low, key=lambda f: (-(f.cost or 0.0), f.start))[:3]
    lines = render(run, "human", "error").split("\n")
    (summary,) = (line for line in reversed(lines) if "1 page checked" in line)
    assert f", 1 warning, {format_count(len(low), 'note')}, " in summary  # only those that are shown
    assert f"{NAME} is" in lines[0]
    assert NAME in lines[1]
    table = next(line for line in lines if line.endswith(f"line {low[0].line} {NAME} {low[0].cost:+.1f}"))
    assert f"{NAME}  {first.margin:+8.1f}".split() == table.split()[2:4]


def test_every_format_says_which_component_is_too_low_and_where(tmp_path: Path) -> None:
    run, page = check_page(tmp_path, BARE, f"[components]\n{NAME} = {{min = 90}}\n")
    reason = f"{NAME} is {page.components[NAME]['value']:.1f}, below 90"
    place = page.worst[0]
    for name in FORMATS:
        assert reason.replace("_", r"\_" if name == "markdown" else "_") in render(run, name), name
    (command, *_) = render(run, "github").split("\n")
    assert f"line={place.line},".encode() in command.encode()
    failure, *_ = json.loads(render(run, "sarif"))["runs"][0]["results"]
    assert failure["locations"][0]["physicalLocation"]["region"]["startLine"] == place.line
    assert failure["properties"]["causes"] == [{"subject": NAME, "margin": page.causes[0].margin}]
    assert f"begin with line {place.line}" in render(run, "junit")
    document = json.loads(to_json(json.loads(render(run, "json"))))
    (entry,) = document["pages"]
    assert entry["causes"] == failure["properties"]["causes"]
    assert {f["failure"] for f in entry["findings"] if f["rule"] == NAME} == {0}


def test_what_has_no_place_has_an_action(tmp_path: Path) -> None:
    settings = "[components]\ncitation_f1 = {min = 90}\nmmr_score = {min = 100}\n"
    run, page = check_page(tmp_path, WEAK, settings)
    assert sorted(cause.subject for cause in page.causes) == ["citation_f1", "mmr_score"]
    assert sorted(cause.action for cause in page.causes) == [
        "`steelyard explain` shows how it is computed",
        "name who says so",
    ]
    for name in ("human", "github", "junit", "sarif", "markdown"):
        assert "name who says so" in render(run, name), name


def test_a_page_under_the_lowest_score_because_of_its_length_says_so(tmp_path: Path) -> None:
    run, page = check_page(tmp_path, WEAK, "min_score = 60\n")
    assert page.held.endswith(f"held at {page.score:.0f} by its length")
    assert page.failures == (f"the score {page.held}, is below 60 by {60 - page.score:.2f}",)
    assert [f.rule for f in page.worst] == ["cap"]
    for name in FORMATS:
        assert page.held in render(run, name), name
    passing, page = check_page(tmp_path, WEAK, "")
    assert page.held in render(passing, "human", "note").split("\n")[0]


def test_a_page_that_a_cap_does_not_hold_says_nothing_of_it(tmp_path: Path) -> None:
    run, page = check_page(tmp_path, GOOD + "\n" + f"{VAGUE} {OPENER}\n\n" * 9, "min_score = 99\n")
    assert page.held == ""
    assert "held" not in render(run, "human")
    assert json.loads(render(run, "json"))["pages"][0]["held"] is None


def test_errors_and_failing_pages_are_red_on_a_terminal_only(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    run, _ = check_page(tmp_path, WEAK, "min_score = 60\n[components]\nstatistic_density = 'error'\n")
    lines = FORMATS["human"].render(run, "warning")
    assert not isinstance(lines, str)
    red = [text for text, style in lines if style == "error"]
    assert any(": error: statistic_density" in text for text in red)
    assert any("is below 60" in text for text in red)
    monkeypatch.setattr("sys.stdout.isatty", lambda: True, raising=False)
    monkeypatch.delenv("NO_COLOR", raising=False)
    assert "\x1b[31m" in apply_styles(lines, None)
    monkeypatch.setenv("NO_COLOR", "1")
    assert "\x1b" not in apply_styles(lines, None)
