"""`falsify` for scorers that are elsewhere, noisy, or watched by CI."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from xml.etree import ElementTree as ET

import pytest

from steelyard.lab.protocol.gates import NAMES
from tests.conftest import SENTENCE, run_here

SCORERS = """
import random

_random = random.Random(1)

def steady(text):
    return 100 * len(set(text.lower().split())) / len(text.split())

def noisy(text):
    return min(100.0, max(0.0, steady(text) - 5 + _random.gauss(0, 1)))
"""


@pytest.fixture
def place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder with scorers and a dozen pages, as the working directory."""
    (tmp_path / "scorers_here.py").write_text(SCORERS)
    monkeypatch.delitem(sys.modules, "scorers_here", raising=False)
    words = "harbour lantern rope barge tide anchor keel sail mast crane quay ferry".split()
    rows = [
        {"text": " ".join(f"The {word} number {n} {w} stood near the {word}. {SENTENCE}" for n, w in enumerate(words))}
        for word in words
    ]
    (tmp_path / "pages.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
    monkeypatch.chdir(tmp_path)
    return tmp_path


def falsify(*arguments: str) -> tuple[int, str, str]:
    done = run_here("falsify", *arguments, "--corpus", "pages.jsonl", "--jobs", "1", "--quiet")
    return done.returncode, done.stdout, done.stderr


def score_exported(place: Path, exported: str, scores: str, *, leave_out: int = 0) -> None:
    rows = [json.loads(line) for line in (place / exported).read_text().splitlines()]
    scored = [{"id": r["id"], "score": 100 * len({*r["text"].lower().split()}) / len(r["text"].split())} for r in rows]
    (place / scores).write_text("".join(json.dumps(row) + "\n" for row in scored[leave_out:]))


def test_scores_made_elsewhere_give_the_verdicts_of_the_scorer_itself(place: Path) -> None:
    assert falsify("--export", "texts.jsonl")[0] == 0
    score_exported(place, "texts.jsonl", "scores.jsonl")
    here, there = (falsify(*arguments) for arguments in (["scorers_here:steady"], ["--scores", "scores.jsonl"]))
    assert here[0] == there[0]
    lines = [[line for line in out.splitlines() if line.split(":")[0] in NAMES] for _, out, _ in (here, there)]
    assert lines[0] == lines[1]
    assert len(lines[0]) == len(NAMES)


def test_missing_scores_are_named_and_can_be_written_alone(place: Path) -> None:
    falsify("--export", "texts.jsonl")
    score_exported(place, "texts.jsonl", "part.jsonl", leave_out=3)
    code, _, complaint = falsify("--scores", "part.jsonl")
    assert code == 2
    assert "3 texts of" in complaint
    code, said, _ = falsify("--export", "rest.jsonl", "--scores", "part.jsonl")
    assert code == 0
    assert "add id and score to part.jsonl, and run falsify --scores part.jsonl" in said
    assert len((place / "rest.jsonl").read_text().splitlines()) == 3


def test_scores_of_other_texts_are_counted(place: Path) -> None:
    falsify("--export", "texts.jsonl")
    score_exported(place, "texts.jsonl", "scores.jsonl")
    with (place / "scores.jsonl").open("a") as file:
        file.write('{"id": "of another corpus", "score": 1}\n')
    assert "1 score of other texts" in falsify("--scores", "scores.jsonl")[2]


def test_a_noisy_scorer_is_judged_with_its_noise(place: Path) -> None:
    without, repeated = falsify("scorers_here:noisy"), falsify("scorers_here:noisy", "--repeat", "4")
    assert "not deterministic" in without[1]
    assert "not deterministic" not in repeated[1]
    assert "repeatability: 12 pages scored 4 times, 12 of them differently; noise" in repeated[1]
    steady = falsify("scorers_here:steady", "--repeat", "3")[1]
    assert ["own noise is in them" in out for out in (without[1], repeated[1], steady)] == [True, True, False]
    assert "12 pages scored 3 times, the same score every time" in steady


def test_changes_of_form_are_shown_and_count_for_nothing(place: Path) -> None:
    code, out, complaint = falsify("scorers_here:steady", "--format", "json")
    assert code in (0, 1), complaint
    result = json.loads(out)["result"]
    moved = {row["form"]: row for row in result["invariances"]}
    assert moved["letter case"] == {"form": "letter case", "pages": 12, "moved": 0, "mean": 0.0, "largest": 0.0}
    assert moved["date format"]["pages"] == 0
    assert result["passed"] == sum(
        verdict["status"] == "pass" for verdict in result["verdicts"]["all"].values() if isinstance(verdict, dict)
    )


def test_a_plan_names_scorers_pages_and_bounds(place: Path) -> None:
    (place / "plan.toml").write_text(
        'scorers = ["scorers_here:steady"]\ncorpus = "pages.jsonl"\nrange = [0, 200]\n[bounds]\nduplication = -99\n'
    )
    done = run_here("falsify", "--plan", "plan.toml", "--jobs", "1", "--quiet", "--format", "json")
    assert done.returncode == 1, done.stderr
    artifact = json.loads(done.stdout)
    assert artifact["parameters"]["range"] == [0, 200]
    verdict = artifact["result"]["verdicts"]["all"]["duplication"]
    assert (verdict["bound"], verdict["status"]) == (-99, "fail")


@pytest.mark.parametrize(
    ("plan", "reason"),
    [
        ("", "scorers"),
        ("scorers = []", "scorers"),
        ('scorers = ["a:b"]\nscorer = 1', "scorer"),
        ('scorers = ["a:b"]\n[bounds]\nsaturatio = 3', "saturation"),
        ('scorers = ["a:b"]\nrepeat = 1', "repeat"),
        ("scorers = [", "not TOML"),
        ("\x00", "not TOML"),
    ],
)
def test_a_wrong_plan_is_refused(place: Path, plan: str, reason: str) -> None:
    (place / "plan.toml").write_text(plan)
    code, _, complaint = falsify("--plan", "plan.toml")
    assert code == 2
    assert "plan.toml" in complaint
    assert reason in complaint


def test_the_report_is_one_page_that_shows_the_edits_and_asks_nobody(place: Path) -> None:
    (place / "pages.jsonl").write_text(
        "".join(
            json.dumps({"text": json.loads(line)["text"] + " <script>alert(1)</script>"}) + "\n"
            for line in (place / "pages.jsonl").read_text().splitlines()
        )
    )
    falsify("length", "-o", "report.html", "--badge", "badge.svg")
    page = (place / "report.html").read_text()
    assert page.startswith("<!doctype html>")
    assert "<script" not in page
    assert "https://" not in page
    assert all(f"{name}: " in page for name in NAMES)
    assert "Pages that gained most" in page
    badge = ET.fromstring((place / "badge.svg").read_text())  # noqa: S314 - our own
    assert "of 5" in "".join(badge.itertext())


def test_no_output_replaces_what_a_scorer_is_read_from(place: Path) -> None:
    (place / "plan.toml").write_text('scorers = ["scorers_here:steady"]')
    for arguments, written in (
        (("scorers_here:steady",), "scorers_here.py"),
        (("cat scorers_here.py",), "scorers_here.py"),
        (("--plan", "plan.toml"), "plan.toml"),
        (("--plan", "plan.toml"), "pages.jsonl"),
    ):
        before = (place / written).read_text()
        for option in ("-o", "--badge", "--export"):
            code, _, complaint = falsify(*arguments, option, written)
            assert (code, "would be overwritten" in complaint) == (2, True), (arguments, option, complaint)
        assert (place / written).read_text() == before
    assert "two outputs" in falsify("length", "-o", "one.svg", "--badge", "one.svg")[2]


def test_junit_has_a_test_for_each_gate(place: Path) -> None:
    code, _, _ = falsify("length", "-o", "falsify.xml")
    suites = ET.parse(place / "falsify.xml").getroot()  # noqa: S314 - our own
    cases = suites.findall(".//testcase")
    assert code == 1
    assert [case.get("name") for case in cases] == list(NAMES)
    assert int(suites.get("failures", 0)) == len(suites.findall(".//failure")) > 0


def test_without_a_scorer_it_says_what_to_name() -> None:
    done = run_here("falsify")
    assert done.returncode == 2
    assert "--export" in done.stderr


def test_the_parts_have_names() -> None:
    listed = run_here("falsify", "--list").stdout
    assert all(f"  {name}: " in listed for name in (*NAMES, "quotation", "evidence_matched_prose", "letter case"))
