"""Every error a user can cause: one line, what and where and what to do, the right exit code, no traceback."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from tests.conftest import ROOT, SENTENCE, run_here


def error_line(done: subprocess.CompletedProcess[str]) -> str:
    """The one line on standard error."""
    assert "Traceback" not in done.stderr
    lines = [line for line in done.stderr.splitlines() if line]
    assert len(lines) == 1, done.stderr
    return lines[0]


FILES = {
    "page.md": f"# Ships of the north\n\n{SENTENCE * 20}\n",
    "two/a.md": SENTENCE,
    "two/b.md": SENTENCE,
    "pictures/picture.png": "no page",
    "mine.json": '{"shannon": 1}',
    "broken.toml": "= = =",
}
# A command line, and what its error begins with.
ERRORS = {
    "score nowhere.md": "nowhere.md: no such file or directory; check the path",
    "score pictures": "pictures: no pages in this directory; pages are files ending in .md, .markdown, .mdx",
    "score docs/*.md": "docs/*.md: no file matches this pattern; quote it, and use ** to search sub-directories",
    "score page.md --format jsn": "unknown format 'jsn'; did you mean 'json'? (known: human, json, jsonl, csv",
    "scoer page.md": "no such command, file or folder 'scoer'; did you mean 'score'?",
    "score page.md --weights mine.json": "mine.json: unknown component 'shannon'; did you mean 'shannon_entropy'?",
    "score page.md --weights broken.toml": "broken.toml: is not valid TOML",
    "score page.md --weights absent.json": "absent.json: cannot be read (No such file",
    "score page.md --language nl": "unknown language 'nl'",
    "score page.md --max-bytes 100": "page.md: 1,943 bytes is over the limit of 100; raise it with --max-bytes",
    "score page.md --as-of soon": "as_of: 'soon' is not a date; write it as YYYY-MM-DD, for example 2026-07-01",
    "score": "Missing argument",
    "explain two": "two: 2 pages, but this command takes exactly one; name a single file",
}


def test_an_error_is_one_line_that_says_what_and_what_to_do(tmp_path: Path) -> None:
    for name, text in FILES.items():
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_text(text)
    for command, message in ERRORS.items():
        done = run_here(*command.split(), cwd=tmp_path)
        assert done.returncode == 2, command
        assert error_line(done).startswith(f"steelyard: {message}"), command
    without = run_here("lab")  # shows its help
    assert (without.returncode, "Commands:" in without.stderr) == (2, True)


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


def test_permission_denied_as_the_system_reports_it(monkeypatch: pytest.MonkeyPatch, page: Path) -> None:
    from steelyard.errors import PageUnreadable
    from steelyard.inputs.page_ref import read_bytes

    def refuse(*arguments: object, **options: object) -> None:
        raise PermissionError(13, "Permission denied")

    monkeypatch.setattr("builtins.open", refuse)
    with pytest.raises(PageUnreadable, match="permission denied; make the file readable"):
        read_bytes(str(page), 10**6)


# A table for `domains`, and what is wrong with it.
TABLES = [
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
]


def test_domains_refuses_bad_tables(tmp_path: Path) -> None:
    for name, content, message in TABLES:
        (tmp_path / name).write_text(content)
        done = run_here("domains", name, cwd=tmp_path)
        assert done.returncode == 2, content
        assert error_line(done).startswith(f"steelyard: {message}"), content


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
    out, err = process.communicate(timeout=600)
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
    out, err = process.communicate(timeout=600)
    assert process.returncode == 130
    assert 0 < len(json.loads(out)["pages"]) < 3000
    assert "interrupted: " in err
    assert "Traceback" not in err
