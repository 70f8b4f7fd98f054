"""The commands as a user sees them."""

from __future__ import annotations

import csv
import io
import json
import math
import re
import stat
import tempfile
import webbrowser
from pathlib import Path

import pytest

from steelyard.advice.rules import RULES
from steelyard.components import NAMES
from tests.conftest import ROOT, SENTENCE, run_here

SITE = ROOT / "examples" / "site"


def test_the_worst_page_stands_first_and_the_summary_last() -> None:
    done = run_here("score", str(SITE / "shop"))
    lines = done.stdout.splitlines()
    scores = [float(line.split()[3]) for line in lines[1:8]]
    assert scores == sorted(scores)
    assert lines[-1].startswith("7 pages, median ")
    assert "quartiles" in lines[-1]
    assert len(run_here("score", str(SITE / "shop"), "--quiet").stdout.splitlines()) == 5


def test_a_threshold_makes_exit_1_and_an_unreadable_page_2(page: Path) -> None:
    assert run_here("score", str(page), "--min-score", "0").returncode == 0
    done = run_here("score", str(page), "--min-score", "99.9")
    assert done.returncode == 1
    assert "1 of 1 page below 99.9" in done.stderr
    assert run_here("score", str(page), "absent.md", "--min-score", "99").returncode == 2


def test_csv_has_a_row_a_page_and_every_component(page: Path) -> None:
    done = run_here("score", str(page), "absent.md", "--format", "csv")
    rows = list(csv.DictReader(io.StringIO(done.stdout)))
    assert [r["source"] for r in rows] == [str(page), "absent.md"]
    assert set(NAMES) <= set(rows[0])
    assert rows[1]["error"].startswith("absent.md: no such file")


def test_jsonl_has_a_line_a_page_errors_included(page: Path) -> None:
    lines = [
        json.loads(line) for line in run_here("score", str(page), "absent.md", "--format", "jsonl").stdout.splitlines()
    ]
    assert [line["source"] for line in lines] == [str(page), "absent.md"]
    assert "error" in lines[1]


def test_every_line_of_an_explanation_can_be_recomputed_by_hand() -> None:
    text = run_here("explain", str(SITE / "business" / "warehouse-robots.md")).stdout
    points = re.findall(r"points = weight ([\d.]+) × 100 × √\(([\d.]+) / 100\) = ([\d.]+)", text)
    assert len(points) == len(NAMES)
    for weight, value, result in points:
        assert float(weight) * 100 * math.sqrt(float(value) / 100) == pytest.approx(float(result), abs=2e-4)
    (content,) = re.findall(r"content = sum of the points = ([\d.]+)", text)
    assert sum(float(result) for *_, result in points) == pytest.approx(float(content), abs=1e-3)
    assert max(len(line) for line in text.splitlines()[4:]) <= 80


def test_explain_shows_the_components_asked_for_alone(page: Path) -> None:
    done = run_here("explain", str(page), "--component", "mmr_score", "--component", "citation_f1")
    assert done.returncode == 0
    shown = [line.split(" = ")[0] for line in done.stdout.splitlines() if " = " in line and not line.startswith(" ")]
    assert shown == ["mmr_score", "citation_f1"]
    assert "content = " not in done.stdout
    unknown = run_here("explain", str(page), "--component", "mmr")
    assert unknown.returncode == 2
    assert f"unknown component 'mmr'; did you mean 'mmr_score'? (known: {', '.join(NAMES)})" in unknown.stderr
    assert run_here("explain", str(page), "--component", "mmr_score", "--format", "json").returncode == 2


def test_compare_names_what_was_gained(page: Path) -> None:
    better = page.with_name("better.md")
    evidence = '"We lost two harvests to that frost," said Mara Lindqvist. In 2024, 38% of ships were late.'
    better.write_text(f"{page.read_text()}\n\n{evidence}\n")
    done = run_here("compare", str(page), str(better))
    assert done.returncode == 0
    assert "+ quotable_density line " in done.stdout
    assert "no change" in run_here("compare", str(page), str(page)).stdout
    worse = run_here("compare", str(better), str(page), "--max-drop", "1")
    assert worse.returncode == 1
    table = [line.split() for line in worse.stdout.splitlines() if line.startswith(NAMES)]
    assert any(row[-1].startswith("−") for row in table)
    assert not any(cell.startswith("-") for row in table for cell in row)


@pytest.mark.parametrize("form", ["csv", "jsonl", "json"])
def test_domains_takes_what_score_wrote_of_records_with_an_address(tmp_path: Path, form: str) -> None:
    pages = [{"url": f"https://{host}/page", "text": SENTENCE * 20} for host in ("a.org", "a.org", "b.net")]
    lines = [json.dumps(page) for page in (*pages, {"url": "https://c.org/no-text"})]
    (tmp_path / "crawl.jsonl").write_text("\n".join(lines) + "\n")
    run_here("score", "crawl.jsonl", "--format", form, "-o", f"scores.{form}", cwd=tmp_path)
    done = run_here("domains", f"scores.{form}", "--format", "json", cwd=tmp_path)
    assert done.returncode == 0
    assert [(d["domain"], d["n"]) for d in json.loads(done.stdout)["domains"]] == [("a.org", 2), ("b.net", 1)]
    assert done.stderr == f"steelyard: scores.{form}: skipped 1 page without a score\n"


def test_score_takes_a_corpus_and_passes_over_its_header(page: Path) -> None:
    run_here("corpus", "build", "pages", ".", "-o", "made.jsonl", cwd=page.parent)
    done = run_here("score", "made.jsonl", "--format", "json", cwd=page.parent)
    assert done.returncode == 0
    data = json.loads(done.stdout)
    assert data["errors"] == []
    assert [p["source"] for p in data["pages"]] == ["made.jsonl:2 (page.md)"]


def test_the_version_carries_the_scoring_hash() -> None:
    shown = run_here("--version").stdout
    first, second, *_ = shown.splitlines()
    assert re.fullmatch(r"steelyard 0\.1\.0 \(formulas 2\), core: (python|native 0\.1\.0, data [0-9a-f]{16})", first)
    assert second.startswith("edition paper: weights shipped, scoring en ")
    assert "\nedition 2026: weights 2026, scoring en " in shown


def test_a_page_in_the_place_of_a_command_is_scored(page: Path) -> None:
    assert run_here(str(page), "--format", "json").stdout == run_here("score", str(page), "--format", "json").stdout
    assert run_here("-", stdin=b"# A page\n").stdout == run_here("score", "-", stdin=b"# A page\n").stdout != ""


def test_rules_shows_those_named() -> None:
    shown = json.loads(run_here("rules", "cap", "citation_f1", "--format", "json").stdout)["rules"]
    assert [rule["name"] for rule in shown] == ["cap", "citation_f1"]
    assert shown[0]["component"] is None
    assert shown[1]["component"]["formula"]
    assert len(json.loads(run_here("rules", "--format", "json").stdout)["rules"]) == len(RULES)
    entries = json.loads(run_here("components", "--format", "json").stdout)["components"]
    assert tuple(entry["name"] for entry in entries) == NAMES


def test_a_page_is_scored_without_naming_the_command_also_after_an_option(page: Path) -> None:
    option, name = "--language=en", str(page)
    expected = run_here("score", option, name).stdout
    for arguments in (("--language", "en", name), (option, name), (name, option)):
        assert run_here(*arguments).stdout == expected, arguments
    assert "1 page, score " in run_here("--quiet", "-", stdin=page.read_bytes()).stdout
    assert "Did you mean '--version'?" in run_here("--versio").stderr
    assert run_here(option).returncode == 2


def test_view_writes_the_report_where_only_its_user_reads_it_and_opens_it(
    page: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    opened: list[str] = []

    def open_browser(url: str) -> bool:
        opened.append(url)
        return len(opened) < 2

    monkeypatch.setattr(webbrowser, "open", open_browser)
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path / "temporary"))
    (tmp_path / "temporary").mkdir()
    done = run_here("--view", str(page), "--min-score", "99")
    assert done.returncode == 1
    report = Path(done.stdout.strip())
    assert report.parent == tmp_path / "temporary"
    assert stat.S_IMODE(report.stat().st_mode) == 0o600
    assert report.read_text("utf-8").startswith("<!doctype html>")
    assert opened == [report.as_uri()]
    named = tmp_path / "a report.html"
    done = run_here("score", str(page), "--view", "-o", str(named))
    assert (done.stdout, opened[1]) == (f"{named}\n", named.as_uri())
    assert "no browser could be started" in done.stderr
    assert run_here("score", str(page), "--view", "--format", "json").returncode == 2
    assert run_here("score", str(page), "--view", "--weights", "absent.toml").returncode == 2
    assert list((tmp_path / "temporary").iterdir()) == [report]
