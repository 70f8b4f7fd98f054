"""Checking pages: places, levels, thresholds, exit codes, and the cache."""

from __future__ import annotations

import json
import os
from dataclasses import fields, replace
from datetime import date
from pathlib import Path
from typing import Any

import pytest

from steelyard.advice.prose import make_sentences
from steelyard.check import run as check
from steelyard.check.cache import _seal, describe_settings, open_cache
from steelyard.check.measure import Task
from steelyard.check.result import CheckedPage
from steelyard.check.run import Checker
from steelyard.configuration.file import forget_files
from steelyard.pipeline import PageError
from steelyard.scoring import editions, weighting
from steelyard.settings import Settings
from steelyard.text.html import HtmlLimits
from tests.check.shared import GOOD, OPENER, VAGUE, WEAK, write
from tests.conftest import run_here

DAY = date(2026, 7, 1)


@pytest.fixture(autouse=True)
def fresh() -> None:
    forget_files()


def check_one(text: str, path: str = "page.md", **options: object) -> CheckedPage:
    return Checker({"uncertain": True, **options}, as_of=DAY, use_baseline=False).check_text(text, path)


def test_a_finding_has_the_place_of_its_sentence() -> None:
    page = check_one(WEAK)
    found = {f.rule: f for f in page.reported}
    vague = found["statistic_density"]
    assert WEAK[vague.start : vague.end] == VAGUE.rstrip(".")
    assert (vague.line, vague.column) == (3, 35)
    assert (vague.end_line, vague.end_column) == (3, 35 + len(VAGUE) - 1)
    opening = found["self_containment"]
    assert (opening.line, opening.column) == (5, 1)
    assert WEAK[opening.start :].startswith(OPENER[:40])


def test_offsets_are_those_of_the_file() -> None:
    """Accents in two characters, astral characters, front matter and Windows line ends move nothing."""
    text = f"---\r\ntitle: Cafe\u0301\r\n---\r\n# 🛥 Cafe\u0301s\r\n\r\n🛥 Le\u0301o waits. {VAGUE}\r\n\r\n{OPENER}\r\n"
    for edition in editions.NAMES:
        page = check_one(text, edition=edition, language="en")
        (vague,) = [f for f in page.reported if f.rule == "statistic_density"]
        assert VAGUE.rstrip(".") in text[vague.start : vague.end]
        assert vague.line == 6
        assert text.split("\n")[5][vague.column - 1 :].startswith(text[vague.start : vague.start + 10])


def test_in_html_the_words_are_found_in_the_source() -> None:
    body = f"<p>{VAGUE.replace('increased', '<b>increased</b>')}</p>"
    story = f"<p>{' '.join(make_sentences(12))}</p>"
    head = "<!doctype html>\n<html><head><title>Boats</title></head>"
    html = f"{head}\n<body><article>{story}\n\n{body}\n</article></body></html>"
    found = [f for f in check_one(html, "page.html").reported if f.rule == "statistic_density"]
    assert [f.line for f in found] == [5]
    assert html[found[0].start :].startswith("The traffic in the old harbour")


def test_thresholds_and_levels_of_the_configuration(tmp_path: Path) -> None:
    text = 'min_score = 60\n[components]\nstatistic_density = "error"\nself_containment = "off"\n'
    write(tmp_path, {"steelyard.toml": text + "cap = {level = 'note'}\ncitation_f1 = {min = 90}", "weak.md": WEAK})
    run, _ = Checker({"uncertain": True}, as_of=DAY).run([str(tmp_path)])
    (page,) = run.pages
    levels = {f.rule: f.level for f in page.findings}
    assert levels["statistic_density"] == "error"
    assert levels["cap"] == "note"
    assert "self_containment" not in levels
    assert page.margin == pytest.approx(page.score - 60)
    component, below, errors = page.failures
    assert "is below 60" in below
    assert "citation_f1" in component
    assert errors == "1 finding of level error"
    assert run.exit_code == 1


def test_each_page_has_the_configuration_above_it(tmp_path: Path) -> None:
    write(tmp_path, {"a/steelyard.toml": "min_score = 99", "a/x.md": GOOD, "b/x.md": GOOD})
    run, _ = Checker(as_of=DAY).run([str(tmp_path)])
    assert [bool(page.failures) for page in run.pages] == [True, False]


def test_a_page_that_cannot_be_read_is_an_error_and_the_others_are_checked(tmp_path: Path) -> None:
    write(tmp_path, {"a.md": GOOD, "b.md": ""})
    (tmp_path / "c.md").write_bytes(b"\x00\xff" * 500)
    named = [str(tmp_path / name) for name in ("a.md", "missing.md")]  # the first is in the directory, too
    run, _ = Checker(as_of=DAY).run([str(tmp_path), *named, "records.jsonl"])
    assert [Path(page.path).name for page in run.pages] == ["a.md", "b.md"]
    assert len(run.errors) == 3
    assert run.exit_code == 2
    (guard,) = [f for f in run.pages[1].reported if f.rule == "guard"]
    assert "near-empty" in guard.text


def test_manipulation_is_found_when_asked_for(tmp_path: Path) -> None:
    stuffed = GOOD + "\n" + "cheap boats cheap boats cheap boats " * 80
    page = check_one(stuffed, detect=True)
    assert any(f.rule == "manipulation" for f in page.reported)
    assert not any(f.rule == "manipulation" for f in check_one(stuffed).reported)


def test_fingerprints_do_not_depend_on_the_line() -> None:
    before, after = check_one(WEAK), check_one("An opening line.\n\n" + WEAK)
    own = {f.fingerprint for f in before.findings if f.quote}
    assert own <= {f.fingerprint for f in after.findings}
    twice = check_one(f"{WEAK}\n{VAGUE}\n")
    same = [f.fingerprint for f in twice.findings if f.rule == "statistic_density"]
    assert len(set(same)) == len(same) == 2


def test_unchanged_pages_are_not_measured_again(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    pages, kept = write(tmp_path / "pages", {"a.md": GOOD, "b.md": WEAK}), str(tmp_path / "cache")

    def checked(**options: object) -> list[CheckedPage | PageError]:
        run, _ = Checker(options, as_of=DAY, cache=open_cache(kept)).run([str(pages)])
        return [*run.pages, *run.errors]

    first = checked()
    measured: list[str] = []

    def fail(task: Task, core: str) -> PageError:
        measured.append(task.path)
        return PageError(task.path, "new")

    monkeypatch.setattr(check, "measure_task", fail)
    assert checked() == first
    assert measured == []
    checked(edition="2026")
    assert len(measured) == 2
    (pages / "a.md").write_text(GOOD + "\nMore.\n", "utf-8")
    measured.clear()
    checked()
    assert [Path(path).name for path in measured] == ["a.md"]


def test_every_setting_that_changes_a_number_changes_the_key_of_the_cache() -> None:
    usual = Settings.resolve(as_of=DAY)
    others: dict[str, Any] = {
        "as_of": date(2025, 7, 1), "weights": weighting.load("equal"), "edition": editions.load("2026"),
        "language": "fr", "title": "Boats", "url": "https://boats.example/", "max_bytes": 10, "keep_text": True,
        "detect": True, "limits": HtmlLimits(text=10), "uncertain": True, "sections": False, "kind": "news",
        "selector": "main", "core": "python",
    }  # fmt: skip
    assert others.keys() == {field.name for field in fields(Settings)}
    hashes = {name: describe_settings(replace(usual, **{name: value})) for name, value in others.items()}
    assert hashes.pop("core") == describe_settings(usual)  # the numbers are the same with either
    assert len({describe_settings(usual), *hashes.values()}) == len(others)


def test_a_damaged_or_unwritable_cache_costs_nothing_but_time(tmp_path: Path) -> None:
    pages, kept = write(tmp_path / "pages", {"a.md": GOOD}), tmp_path / "cache"
    first, _ = Checker(as_of=DAY, cache=open_cache(str(kept))).run([str(pages)])
    (entry,) = [p for p in kept.rglob("*") if p.is_file()]
    for damage in (b"", b"{}", entry.read_bytes()[:-5], entry.read_bytes().replace(b"score", b"scorf")):
        entry.write_bytes(damage)
        again, _ = Checker(as_of=DAY, cache=open_cache(str(kept))).run([str(pages)])
        assert again.pages == first.pages
    for body in (b"[" * 100_000, b"[]"):  # whole, but nothing that was written here
        entry.write_bytes(_seal(entry.name, body).encode("ascii") + b"\n" + body)
        assert open_cache(str(kept)).read(entry.name, "a.md") is None
    if hasattr(os, "mkfifo"):
        entry.unlink()
        os.mkfifo(entry)
        again, _ = Checker(as_of=DAY, cache=open_cache(str(kept))).run([str(pages)])
        assert again.pages == first.pages
    blocked = tmp_path / "file"
    blocked.write_text("")
    other, _ = Checker(as_of=DAY, cache=open_cache(str(blocked))).run([str(pages)])
    assert other.pages == first.pages


def test_the_command_line(tmp_path: Path) -> None:
    write(tmp_path, {"steelyard.toml": "min_score = 80", "docs/weak.md": WEAK})
    cache = str(tmp_path / "cache")
    done = run_here("check", "docs", "--cache-dir", cache, cwd=tmp_path)
    assert done.returncode == 1
    assert "docs/weak.md:3:35: warning: statistic_density: “increased dramatically” without a figure" in done.stdout
    assert VAGUE[:60] in done.stdout
    assert "failing page" in done.stdout
    assert run_here("check", "docs", "--exit-zero", "--cache-dir", cache, cwd=tmp_path).returncode == 0
    assert run_here("check", "docs", "--min-score", "5", "--cache-dir", cache, cwd=tmp_path).returncode == 0
    assert run_here("check", "nowhere", "--cache-dir", cache, cwd=tmp_path).returncode == 2
    wrong = run_here("check", "docs", "--report", "sarf:x", cwd=tmp_path)
    assert (wrong.returncode, "did you mean 'sarif'" in wrong.stderr) == (2, True)
    data = json.loads(run_here("check", "--format", "json", "--cache-dir", cache, cwd=tmp_path).stdout)
    assert data["summary"]["failed"] == 1
    assert data["pages"][0]["source"] == os.path.join("docs", "weak.md")
