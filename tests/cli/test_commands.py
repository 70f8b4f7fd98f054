"""The commands as a user sees them."""

from __future__ import annotations

import csv
import io
import json
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

from steelyard.components import NAMES
from tests.conftest import ROOT, SENTENCE

Run = Callable[..., subprocess.CompletedProcess[str]]
SITE = ROOT / "examples" / "site"


def test_one_page_fits_a_screen_of_80_columns(run: Run) -> None:
    for path in sorted(SITE.rglob("*.md")):
        done = run("score", str(path)) if path.stem in ("index", "coworking", "sommeil", "warehouse-robots") else None
        if done:
            lines = done.stdout.splitlines()
            assert done.returncode == 0
            assert len(lines) <= 30
            assert max(len(line) for line in lines) <= 80
            assert "not a forecast of citations" in lines[0]


def test_the_worst_page_stands_first_and_the_summary_last(run: Run) -> None:
    done = run("score", str(SITE / "shop"))
    lines = done.stdout.splitlines()
    scores = [float(line.split()[3]) for line in lines[1:8]]
    assert scores == sorted(scores)
    assert lines[-1].startswith("7 pages, median ")
    assert "quartiles" in lines[-1]
    assert max(len(line) for line in lines) <= 80


def test_a_threshold_makes_exit_1(run: Run, page: Path) -> None:
    assert run("score", str(page), "--min-score", "0").returncode == 0
    done = run("score", str(page), "--min-score", "99.9")
    assert done.returncode == 1
    assert "1 of 1 page below 99.9" in done.stderr


def test_an_unreadable_page_outranks_a_low_score(run: Run, page: Path) -> None:
    assert run("score", str(page), "absent.md", "--min-score", "99").returncode == 2


def test_quiet_prints_the_summary_only(run: Run) -> None:
    done = run("score", str(SITE / "shop"), "--quiet")
    assert len(done.stdout.splitlines()) == 3


def test_standard_input_is_a_page(run: Run) -> None:
    done = run("score", "-", "--format", "json", stdin=(SENTENCE * 20).encode())
    assert json.loads(done.stdout)["pages"][0]["source"] == "-"


def test_csv_has_a_row_a_page_and_every_component(run: Run, page: Path) -> None:
    done = run("score", str(page), "absent.md", "--format", "csv")
    rows = list(csv.DictReader(io.StringIO(done.stdout)))
    assert [r["source"] for r in rows] == [str(page), "absent.md"]
    assert set(NAMES) <= set(rows[0])
    assert rows[1]["error"].startswith("absent.md: no such file")


def test_jsonl_has_a_line_a_page_errors_included(run: Run, page: Path) -> None:
    lines = [json.loads(line) for line in run("score", str(page), "absent.md", "--format", "jsonl").stdout.splitlines()]
    assert [line["source"] for line in lines] == [str(page), "absent.md"]
    assert "error" in lines[1]


def test_markdown_lists_pages_and_failures(run: Run, page: Path) -> None:
    done = run("score", str(page), "absent.md", "--format", "markdown")
    assert "| page | lang | words | score |" in done.stdout
    assert "## Not scored" in done.stdout


def test_the_html_report_is_one_file_that_asks_for_nothing(run: Run, tmp_path: Path) -> None:
    target = tmp_path / "report.html"
    done = run("score", str(SITE / "science"), "--format", "html", "-o", str(target))
    text = target.read_text("utf-8")
    assert (done.returncode, done.stdout) == (0, "")
    assert "<script" not in text
    assert "src=" not in text
    assert text.count("<section") == 7
    assert '<mark class="m0"' in text


def test_exclude_leaves_pages_out(run: Run) -> None:
    done = run("score", str(SITE), "--exclude", "fr", "--exclude", "*jackets*", "--format", "json")
    sources = [p["source"] for p in json.loads(done.stdout)["pages"]]
    assert sources
    assert not any("/fr/" in s or "jackets" in s for s in sources)


def test_a_french_page_is_scored_as_french(run: Run) -> None:
    data = json.loads(run("score", str(SITE / "fr"), "--format", "json").stdout)
    assert {p["language"] for p in data["pages"]} == {"fr"}
    assert len(data["pages"]) == 12


def test_every_english_example_is_english(run: Run) -> None:
    data = json.loads(run("score", str(SITE), "--exclude", "fr", "--format", "json").stdout)
    assert {p["language"] for p in data["pages"]} == {"en"}
    assert len(data["pages"]) >= 40
    assert data["errors"] == []


def test_explain_shows_formula_numbers_lines_and_one_more(run: Run) -> None:
    done = run("explain", str(SITE / "business" / "warehouse-robots.md"))
    assert done.returncode == 0
    for name in NAMES:
        assert f"{name} = " in done.stdout
    assert "min(100, b(100·S/W) + min(25, 10·D))" in done.stdout
    assert "one more, in one added sentence of 25 words" in done.stdout
    assert "  line " in done.stdout


def test_explain_shows_the_components_asked_for_alone(run: Run, page: Path) -> None:
    done = run("explain", str(page), "--component", "mmr_score", "--component", "citation_f1")
    assert done.returncode == 0
    shown = [line.split(" = ")[0] for line in done.stdout.splitlines() if "   weight " in line]
    assert shown == ["mmr_score", "citation_f1"]
    assert "content = " not in done.stdout
    unknown = run("explain", str(page), "--component", "mmr")
    assert unknown.returncode == 2
    assert f"unknown component 'mmr'; did you mean 'mmr_score'? (known: {', '.join(NAMES)})" in unknown.stderr
    assert run("explain", str(page), "--component", "mmr_score", "--format", "json").returncode == 2


def test_compare_names_what_was_gained(run: Run, page: Path) -> None:
    better = page.with_name("better.md")
    better.write_text(
        page.read_text()
        + '\n\n"We lost two harvests to that frost," said Mara Lindqvist. In 2024, 38% of ships were late.\n'
    )
    done = run("compare", str(page), str(better))
    assert done.returncode == 0
    assert "+ quotable_density line " in done.stdout
    assert "+ statistic_density line " in done.stdout
    same = run("compare", str(page), str(page))
    assert "no change" in same.stdout
    worse = run("compare", str(better), str(page), "--max-drop", "1")
    assert worse.returncode == 1
    assert " (−" in worse.stdout.splitlines()[0]
    table = [line.split() for line in worse.stdout.splitlines() if line.startswith(NAMES)]
    assert any(row[-1].startswith("−") for row in table)
    assert not any(cell.startswith("-") for row in table for cell in row)


@pytest.mark.parametrize("form", ["csv", "jsonl", "json"])
def test_domains_takes_what_score_wrote_of_records_with_an_address(run: Run, tmp_path: Path, form: str) -> None:
    pages = [{"url": f"https://{host}/page", "text": SENTENCE * 20} for host in ("a.org", "a.org", "b.net")]
    lines = [json.dumps(page) for page in (*pages, {"url": "https://c.org/no-text"})]
    (tmp_path / "crawl.jsonl").write_text("\n".join(lines) + "\n")
    run("score", "crawl.jsonl", "--format", form, "-o", f"scores.{form}", cwd=tmp_path)
    done = run("domains", f"scores.{form}", "--format", "json", cwd=tmp_path)
    assert done.returncode == 0
    assert [(d["domain"], d["n"]) for d in json.loads(done.stdout)["domains"]] == [("a.org", 2), ("b.net", 1)]
    # In the JSON document errors stand apart from the pages.
    told = "" if form == "json" else f"steelyard: scores.{form}: 1 page without a score left out\n"
    assert done.stderr == told


def test_scores_of_files_have_no_address_column_and_domains_says_what_to_add(run: Run, page: Path) -> None:
    run("score", page.name, "--format", "csv", "-o", "scores.csv", cwd=page.parent)
    assert ",url," not in (page.parent / "scores.csv").read_text()
    done = run("domains", "scores.csv", cwd=page.parent)
    assert done.returncode == 2
    assert done.stderr.startswith(
        "steelyard: scores.csv: record 1: has no `domain` or `url` (keys seen: source, language,"
    )
    assert "add one of them to every row" in done.stderr


def test_score_takes_a_corpus_and_passes_over_its_header(run: Run, page: Path) -> None:
    run("corpus", "build", "pages", ".", "-o", "made.jsonl", cwd=page.parent)
    done = run("score", "made.jsonl", "--format", "json", cwd=page.parent)
    assert done.returncode == 0
    data = json.loads(done.stdout)
    assert data["errors"] == []
    assert [p["source"] for p in data["pages"]] == ["made.jsonl:2 (page.md)"]


def test_domains_ranks_a_csv(run: Run, tmp_path: Path) -> None:
    (tmp_path / "scores.csv").write_text("url,score\nhttps://a.org/x,85\nhttps://b.org/1,70\nhttps://b.org/2,72\n")
    done = run("domains", "scores.csv", "--format", "json", cwd=tmp_path)
    rows = json.loads(done.stdout)["domains"]
    assert [(r["rank"], r["domain"], r["n"]) for r in rows] == [(1, "b.org", 2), (2, "a.org", 1)]


def test_components_lists_all_eleven(run: Run) -> None:
    entries = json.loads(run("components", "--format", "json").stdout)["components"]
    assert tuple(e["name"] for e in entries) == NAMES
    assert all(e["about"] and e["formula"] for e in entries)


def test_the_version_carries_the_scoring_hash(run: Run) -> None:
    assert run("--version").stdout.startswith("steelyard 0.1.0 (scoring ")


@pytest.mark.parametrize("command", ["score", "explain", "compare", "domains", "components"])
def test_every_command_has_help(run: Run, command: str) -> None:
    done = run(command, "--help")
    assert done.returncode == 0
    assert "Usage: steelyard " in done.stdout


def test_no_colour_codes_reach_a_pipe(run: Run, page: Path) -> None:
    assert "\x1b" not in run("score", str(page)).stdout


def test_two_processes_write_the_same_bytes(run: Run) -> None:
    one, two = (run("score", str(SITE / "places"), "--format", "json", "--jobs", n).stdout for n in ("1", "2"))
    assert one == two
