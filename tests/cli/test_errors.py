"""Every error a user can cause: one line, what and where and what to do, the right exit code, no traceback."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.conftest import ROOT, SENTENCE, run_here

Run = Callable[..., subprocess.CompletedProcess[str]]


def error_line(done: subprocess.CompletedProcess[str]) -> str:
    """The one line on standard error."""
    assert "Traceback" not in done.stderr
    lines = [line for line in done.stderr.splitlines() if line]
    assert len(lines) == 1, done.stderr
    return lines[0]


def test_no_such_file() -> None:
    done = run_here("score", "nowhere.md")
    assert done.returncode == 2
    assert error_line(done) == "steelyard: nowhere.md: no such file or directory; check the path"


def test_a_directory_without_pages(tmp_path: Path) -> None:
    (tmp_path / "picture.png").write_bytes(b"\x89PNG")
    done = run_here("score", ".", cwd=tmp_path)
    assert done.returncode == 2
    assert error_line(done) == (
        "steelyard: .: no pages in this directory; "
        "pages are files ending in .md, .markdown, .mdx, .txt, .html, .htm, .xhtml"
    )


def test_a_glob_without_match(tmp_path: Path) -> None:
    done = run_here("score", "docs/*.md", cwd=tmp_path)
    assert done.returncode == 2
    assert error_line(done) == (
        "steelyard: docs/*.md: no file matches this pattern; quote it, and use ** to search sub-directories"
    )


def test_an_unknown_format_is_answered_with_the_nearest(page: Path) -> None:
    done = run_here("score", str(page), "--format", "jsn")
    assert done.returncode == 2
    assert error_line(done) == (
        "steelyard: unknown format 'jsn'; did you mean 'json'? (known: human, json, jsonl, csv, markdown, html)"
    )


def test_an_unknown_command_is_answered_with_the_nearest() -> None:
    done = run_here("scoer", "x.md")
    assert done.returncode == 2
    assert error_line(done).startswith("steelyard: no such command 'scoer'; did you mean 'score'?")


def test_a_jsonl_line_without_text_names_its_line_and_keys(tmp_path: Path) -> None:
    path = tmp_path / "pages.jsonl"
    path.write_text(
        json.dumps({"text": SENTENCE * 20}) + "\n" + json.dumps({"body": "x", "url": "y"}) + "\nnot json\n[1]\n"
    )
    done = run_here("score", "pages.jsonl", "--format", "json", cwd=tmp_path)
    assert done.returncode == 2
    data = json.loads(done.stdout)
    assert len(data["pages"]) == 1
    first, second, third = (e["error"] for e in data["errors"])
    assert first == ("pages.jsonl:2: the record has no `text`; give the page under that key (keys seen: body, url)")
    assert second.startswith("pages.jsonl:3: not JSON (")
    assert third == "pages.jsonl:4: a JSON list, not an object; write one object per line"


def test_invalid_weights_name_the_key(page: Path, tmp_path: Path) -> None:
    weights = tmp_path / "mine.json"
    weights.write_text('{"shannon": 1}')
    done = run_here("score", str(page), "--weights", str(weights))
    assert done.returncode == 2
    assert error_line(done) == f"steelyard: {weights}: unknown component 'shannon'; did you mean 'shannon_entropy'?"


def test_weights_that_cannot_be_read(page: Path, tmp_path: Path) -> None:
    broken = tmp_path / "broken.toml"
    broken.write_text("= = =")
    assert "is not valid TOML" in error_line(run_here("score", str(page), "--weights", str(broken)))
    assert "cannot be read (No such file" in error_line(run_here("score", str(page), "--weights", "absent.json"))


def test_an_unsupported_language_is_named_and_can_be_asked_for(tmp_path: Path) -> None:
    path = tmp_path / "es.md"
    path.write_text(
        "El puerto de la ciudad es muy antiguo y los barcos que llegan por la noche no tienen donde ir. " * 20
    )
    done = run_here("score", "es.md", "--edition", "paper", cwd=tmp_path)
    assert done.returncode == 2
    assert error_line(done) == (
        "steelyard: es.md: the text looks like 'es', and only en, fr are supported; --edition 2026 has 'es', and "
        "--language en (or fr) scores it anyway, and says so"
    )
    asked = run_here("score", "es.md", "--language", "en", cwd=tmp_path)
    assert asked.returncode == 0
    assert "looks like 'es', scored as 'en' as requested" in asked.stdout


def test_an_unknown_language(page: Path) -> None:
    assert error_line(run_here("score", str(page), "--language", "nl")).startswith("steelyard: unknown language 'nl'")


def test_a_file_over_the_limit(page: Path) -> None:
    done = run_here("score", str(page), "--max-bytes", "100")
    assert done.returncode == 2
    assert error_line(done) == (
        f"steelyard: {page}: {page.stat().st_size:,} bytes is over the limit of 100; raise it with --max-bytes"
    )


def test_permission_denied_as_the_system_reports_it(monkeypatch: pytest.MonkeyPatch, page: Path) -> None:
    from steelyard.errors import PageUnreadable
    from steelyard.inputs.page_ref import read_bytes

    def refuse(*arguments: object, **options: object) -> None:
        raise PermissionError(13, "Permission denied")

    monkeypatch.setattr("builtins.open", refuse)
    with pytest.raises(PageUnreadable, match="permission denied; make the file readable"):
        read_bytes(str(page), 10**6)


def test_a_binary_file_is_an_error_and_the_others_are_scored(page: Path) -> None:
    (page.parent / "binary.txt").write_bytes(bytes(range(256)) * 40)
    done = run_here("score", ".", "--format", "json", cwd=page.parent)
    data = json.loads(done.stdout)
    assert done.returncode == 2
    assert [p["source"] for p in data["pages"]] == ["./page.md"]
    assert "./binary.txt: not text (" in data["errors"][0]["error"]


def test_a_bad_date(page: Path) -> None:
    assert error_line(run_here("score", str(page), "--as-of", "soon")) == (
        "steelyard: as_of: 'soon' is not a date; write it as YYYY-MM-DD, for example 2026-07-01"
    )


def test_nothing_to_score() -> None:
    done = run_here("score")
    assert done.returncode == 2
    assert "Missing argument" in error_line(done)


def test_a_command_for_one_page_refuses_a_folder_of_them(page: Path) -> None:
    (page.parent / "other.md").write_text(SENTENCE)
    assert error_line(run_here("explain", ".", cwd=page.parent)) == (
        "steelyard: .: 2 pages, but this command takes exactly one; name a single file"
    )


def test_a_missing_extra_says_what_to_install() -> None:
    from steelyard.errors import MissingExtra

    assert str(MissingExtra(extra="html", package="trafilatura")) == (
        "this needs the package 'trafilatura'; install it with: pip install 'steelyard[html]'"
    )


@pytest.mark.parametrize(
    ("name", "content", "message"),
    [
        ("a.csv", "domain,score\na.org,much\n", "a.csv: record 1: `score` is 'much'; give a number from 0 to 100"),
        ("a.csv", "site,score\na.org,5\n", "a.csv: record 1: has no `domain` or `url` (keys seen: site, score)"),
        ("a.json", "{", "a.json: not JSON (Expecting property name enclosed in double quotes at column 2)"),
        (
            "a.jsonl",
            '{"domain": "a.org", "score": 5}\n{"domain":\n',
            "a.jsonl:2: not JSON (Expecting value at column 11)",
        ),
        ("a.jsonl", "[1]\n", "a.jsonl:1: a JSON list, not an object"),
        ("a.jsonl", '\n{"score": 5}\n', "a.jsonl:2: has no `domain` or `url` (keys seen: score); add one of them to"),
        (
            "a.csv",
            "source,score,error\na.md,,no such file\n",
            "a.csv: holds errors and no score; score the pages again",
        ),
        ("a.json", "[]", "a.json: holds no records; give rows with `domain` and `score`"),
        ("a.txt", "x", "a.txt: unknown kind of file; give .csv, .json or .jsonl"),
    ],
)
def test_domains_refuses_bad_tables(tmp_path: Path, name: str, content: str, message: str) -> None:
    (tmp_path / name).write_text(content)
    done = run_here("domains", name, cwd=tmp_path)
    assert done.returncode == 2
    assert error_line(done).startswith(f"steelyard: {message}")


def test_debug_shows_the_traceback() -> None:
    done = run_here("--debug", "score", "x.md", "--as-of", "soon")
    assert done.returncode == 2
    assert "Traceback" in done.stderr


def test_a_reader_that_goes_away_is_reported_once(page: Path) -> None:
    records = page.parent / "many.jsonl"
    records.write_text((json.dumps({"text": SENTENCE * 30}) + "\n") * 300)
    command = f"'{sys.executable}' -m steelyard score '{records}' --format jsonl --jobs 1 | head -c 10"
    done = subprocess.run(
        ["bash", "-c", f"set -o pipefail; {command}"],
        capture_output=True,
        text=True,
        env={**os.environ, "PYTHONPATH": str(ROOT)},
        check=False,
        timeout=120,
    )
    assert done.returncode == 2
    assert done.stderr.splitlines() == [
        "steelyard: the reader of the output went away before it was all written; write to a file with -o instead"
    ]


def start_scoring(folder: Path, form: str) -> subprocess.Popen[str]:
    records = folder / "many.jsonl"
    records.write_text((json.dumps({"text": SENTENCE * 200}) + "\n") * 3000)
    command = [sys.executable, "-m", "steelyard", "score", str(records), "--format", form, "--jobs", "1"]
    environment = {**os.environ, "PYTHONPATH": str(ROOT)}
    return subprocess.Popen(
        command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, env=environment, bufsize=1
    )


def test_ctrl_c_keeps_the_lines_that_were_printed_and_exits_130(tmp_path: Path) -> None:
    process = start_scoring(tmp_path, "jsonl")
    assert process.stdout is not None
    first = process.stdout.readline()
    process.send_signal(signal.SIGINT)
    out, err = process.communicate(timeout=60)
    assert process.returncode == 130
    lines = [json.loads(line) for line in (first, *out.splitlines())]
    assert 0 < len(lines) < 3000
    assert "interrupted: " in err
    assert "Traceback" not in err


@pytest.mark.full
def test_ctrl_c_closes_the_json_document_and_exits_130(tmp_path: Path) -> None:
    process = start_scoring(tmp_path, "json")
    time.sleep(4)
    process.send_signal(signal.SIGINT)
    out, err = process.communicate(timeout=60)
    assert process.returncode == 130
    assert 0 < len(json.loads(out)["pages"]) < 3000
    assert "interrupted: " in err
    assert "Traceback" not in err
