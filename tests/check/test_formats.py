"""Every format of `check`, read back by its own reader, on names and texts that try to break it."""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
from dataclasses import replace
from datetime import date
from pathlib import Path
from urllib.parse import unquote

import jsonschema
import junitparser
import pytest
from markdown_it import MarkdownIt

from steelyard.check import formats
from steelyard.check.formats import FORMATS
from steelyard.check.formats.github import render_github
from steelyard.check.formats.human import render_human
from steelyard.check.formats.json_document import SCHEMA, build_document
from steelyard.check.formats.junit import render_junit
from steelyard.check.formats.markdown import MAX_LENGTH, render_markdown
from steelyard.check.formats.sarif import build_sarif
from steelyard.check.result import CheckedFinding, CheckedPage, CheckRun, Failure, Previous
from steelyard.pipeline import PageError
from steelyard.support.artifacts import to_json
from steelyard.support.escape import make_visible
from tests.conftest import ROOT, run_here

HOSTILE = (
    "plain",
    "new\nline\r\n::error::owned",
    "::set-output name=x::y",
    "a ##[error]b",
    "]]> <!-- --> &amp; <b>'\"",
    "\u202eright to left\u2066",
    "\x1b[31mred\x07\x00",
    "| pipe ` tick ``` [link](javascript:alert(1)) <script>alert(1)</script>",
    "100%0A%3A, key=value,file=other",
    "\ud800 lone \ufffe\uffff \U000e0041",
    "é" * 300,
)


def finding(text: str, **changes: object) -> CheckedFinding:
    values: dict[str, object] = {
        "rule": "statistic_density", "component": "statistic_density", "topic": "figure", "level": "warning",
        "why": text, "action": text, "counted": text,
        "gain": 1.5, "uncapped": 1.5, "quote": text, "start": 0, "end": 5, "line": 2, "column": 3, "end_line": 2,
        "end_column": 8, "fingerprint": "0123456789abcdef", "is_new": True, "is_changed": True,
    }  # fmt: skip
    return CheckedFinding(**{**values, **changes})  # type: ignore[arg-type]


def make_page(text: str) -> CheckedPage:
    findings = (
        finding(text, level="error"),
        finding(text, end_line=4, rule="manipulation"),
        finding(text, level="note", is_new=False),
        finding(text, is_silenced=True),
    )
    parts = {name: {"value": 50.0, "points": 4.0} for name in json_names()}
    before = Previous(f"old {text}", 70.0)
    return CheckedPage(
        text, 61.0, 62.0, 100, "en", "paper", "h", parts, findings, (Failure(f"below {text}"),), 75.0, before
    )


def json_names() -> list[str]:
    return list(SCHEMA["properties"]["pages"]["items"]["properties"]["components"]["properties"])


def make_run(text: str) -> CheckRun:
    error = PageError(text, f"bad {text}")
    return CheckRun([make_page(text)], [error], date(2026, 7, 1), (f"note {text}",), "main", ".")


def test_every_format_shows_a_finding_its_page_and_what_it_promises_about_errors() -> None:
    page = replace(make_page("page.md"), findings=(finding("many people", level="error"),))
    run = CheckRun([page], [PageError("lost.md", "lost.md: no such file")], date(2026, 7, 1))
    for name, form in FORMATS.items():
        shown = form.render(run, "note")
        written = shown if isinstance(shown, str) else "\n".join(line for line, _ in shown)
        assert all(words in written for words in ("statistic_density", "page.md", "many people")), name
        assert "no such file" in written or not form.has_errors, name


def test_every_module_of_a_format_is_in_the_table_and_every_format_is_documented() -> None:
    modules = {path.stem for path in Path(formats.__file__).parent.glob("*.py")}
    assert {name if name != "json" else "json_document" for name in FORMATS} == modules - {"__init__"}
    assert set(re.findall(r"^\| `(\w+)` \|", section(ROOT / "docs" / "check.md", "## Formats"), re.MULTILINE)) == set(
        FORMATS
    )


def section(page: Path, heading: str) -> str:
    return page.read_text("utf-8").partition(f"\n{heading}\n")[2].partition("\n## ")[0]


def parse_commands(output: str) -> list[tuple[str, dict[str, str], str]]:
    """Read workflow commands as GitHub's runner does; any other line must not be one."""
    found = []
    for line in output.split("\n"):
        assert "##[" not in line
        if not line.strip().startswith("::"):
            continue
        command = re.fullmatch(r"::([a-z]+) ([^:]*(?:%3A[^:]*)*)::(.*)", line)
        assert command, line
        pairs = (pair.split("=", 1) for pair in command[2].split(","))
        properties = {key: unescape(value, ":,") for key, value in pairs}
        found.append((command[1], properties, unescape(command[3], "")))
    return found


def unescape(text: str, more: str) -> str:
    for code, character in (("%0D", "\r"), ("%0A", "\n"), *((f"%{ord(c):02X}", c) for c in more), ("%25", "%")):
        text = text.replace(code, character)
    return text


def test_github() -> None:
    for text in HOSTILE:
        commands = parse_commands(render_github(make_run(text), "note"))
        assert [name for name, _, _ in commands] == ["error", "error", "error", "warning", "notice"]
        for _, properties, _ in commands:
            assert set(properties) <= {"file", "line", "endLine", "col", "endColumn", "title"}
            if "##[" not in text:
                assert properties["file"] == make_visible(os.path.normpath(text))
        assert commands[2][1]["col"] == "3"
        assert "col" not in commands[3][1]  # columns are refused over several lines


def test_sarif() -> None:
    for text in HOSTILE:
        (run,) = json.loads(to_json(build_sarif(make_run(text))))["runs"]
        rules = [rule["id"] for rule in run["tool"]["driver"]["rules"]]
        for result in run["results"]:
            assert rules[result["ruleIndex"]] == result["ruleId"]
            uri = result["locations"][0]["physicalLocation"]["artifactLocation"]["uri"]
            assert re.fullmatch(r"[A-Za-z0-9%._~/-]+", uri)
            assert unquote(uri, errors="surrogateescape") == text.replace("\\", "/") or "\ud800" in text
        region = run["results"][1]["locations"][0]["physicalLocation"]["region"]
        assert (region["startLine"], region["startColumn"], region["endColumn"]) == (2, 3, 8)
        assert [bool(r.get("suppressions")) for r in run["results"]] == [False, False, False, False, True]
        assert [r.get("baselineState") for r in run["results"][1:4]] == ["new", "new", "unchanged"]


def test_junit() -> None:
    for text in HOSTILE:
        (suite,) = junitparser.JUnitXml.fromstring(render_junit(make_run(text)).encode("utf-8"))
        assert (suite.tests, suite.failures, suite.errors) == (2, 1, 1)
        failed, unread = list(suite)
        assert isinstance(failed.result[0], junitparser.Failure)
        assert isinstance(unread.result[0], junitparser.Error)


def test_json() -> None:
    for text in HOSTILE:
        document = json.loads(to_json(build_document(make_run(text))))
        jsonschema.validate(document, SCHEMA)
        assert document["summary"]["findings"] == {"note": 1, "warning": 1, "error": 1}
    committed = json.loads((ROOT / "docs" / "schema" / "check.schema.json").read_text("utf-8"))
    assert committed == json.loads(json.dumps(SCHEMA))


def test_markdown() -> None:
    for text in HOSTILE:
        rendered = render_markdown(make_run(text), "note")
        own = rendered.replace("<details open>", "").replace("</details>", "").replace("<!-- steelyard check -->", "")
        tokens = MarkdownIt("commonmark").enable("table").parse(own)
        inline = [child for token in tokens for child in token.children or ()]
        assert not [t for t in inline if t.type in ("link_open", "image")]
        for raw in [t.content for t in (*tokens, *inline) if t.type in ("html_block", "html_inline")]:
            assert not re.search(r"<(?!/?(summary|code)\b)", raw), raw
        assert not re.search("[\x00-\x09\x0b-\x1f\u202e\u2066]", rendered)


def test_human() -> None:
    for text in HOSTILE:
        for line, _ in render_human(make_run(text), "note"):
            assert not re.search("[\x00-\x1f\x7f-\x9f\u202e\u2066]", line)
            assert not line.lstrip().startswith("::")


def test_a_comment_has_a_limit() -> None:
    pages = [make_page(f"{'long ' * 30}{n}") for n in range(400)]
    text = render_markdown(CheckRun(pages, [], date(2026, 7, 1)), "note")
    assert len(text) < MAX_LENGTH + 2_000
    assert "left out" in text


def test_annotations_have_a_limit_and_the_weightiest_come_first() -> None:
    many = [
        finding("x", gain=float(n), uncapped=float(n), is_new=None, is_changed=None, line=n + 1, end_line=n + 1)
        for n in range(40)
    ]
    page = CheckedPage("a.md", 61.0, 62.0, 100, "en", "paper", "h", {}, tuple(many))
    commands = parse_commands(render_github(CheckRun([page], [], date(2026, 7, 1)), "note"))
    assert [properties["line"] for _, properties, _ in commands] == [str(n) for n in range(40, 30, -1)]


def test_hostile_file_names_through_the_command(tmp_path: Path) -> None:
    names = ["a\nb.md", "::error::x.md", "]]>.md", "\u202egpj.md", "per%0Acent, colon: .md", "\x1b[31m.md"]
    for name in names:
        (tmp_path / name).write_text("Many boats lie in the old harbour on most days of the week.\n", "utf-8")
    reports = [f"{form}:{form}.out" for form in ("sarif", "junit", "json", "markdown", "github")]
    options = [part for report in reports for part in ("--report", report)]
    done = run_here("check", ".", "--min-score", "90", "--no-cache", *options, cwd=tmp_path)
    assert done.returncode == 1
    log = json.loads((tmp_path / "sarif.out").read_text("utf-8"))
    uris = {r["locations"][0]["physicalLocation"]["artifactLocation"]["uri"] for r in log["runs"][0]["results"]}
    assert {unquote(uri) for uri in uris} == set(names)
    junitparser.JUnitXml.fromfile(str(tmp_path / "junit.out"))
    jsonschema.validate(json.loads((tmp_path / "json.out").read_text("utf-8")), SCHEMA)
    files = {properties["file"] for _, properties, _ in parse_commands((tmp_path / "github.out").read_text("utf-8"))}
    assert files == set(map(make_visible, names))


def test_the_summary_of_a_job(tmp_path: Path) -> None:
    (tmp_path / "a.md").write_text("Many boats lie in the old harbour.\n", "utf-8")
    summary = tmp_path / "summary.md"
    summary.write_text("before\n", "utf-8")
    done = run_here("check", ".", "--format", "github", "--no-cache", cwd=tmp_path, GITHUB_STEP_SUMMARY=str(summary))
    assert done.returncode == 0
    assert summary.read_text("utf-8").startswith("before\n<!-- steelyard check -->")


@pytest.mark.full
def test_the_published_validator_accepts_the_sarif(tmp_path: Path) -> None:
    """Microsoft's Multitool validates against the published schema and further rules, without a network."""
    if shutil.which("npm") is None:
        pytest.fail("this needs npm, to install the validator")
    package, kept = "@microsoft/sarif-multitool-linux@5.7.0", ROOT / ".cache" / "sarif-multitool"
    tool = kept / "node_modules" / "@microsoft" / "sarif-multitool-linux" / "Sarif.Multitool"
    if not tool.is_file():
        subprocess.run(["npm", "install", "--silent", "--prefix", kept, package], check=True, timeout=600)
    tool.chmod(0o755)
    pages = [make_page(text) for text in HOSTILE if "\ud800" not in text]
    log = build_sarif(CheckRun(pages, [PageError("x", "bad")], date(2026, 7, 1)))
    file, report = tmp_path / "log.sarif", tmp_path / "report.sarif"
    file.write_text(to_json(log), "utf-8")
    subprocess.run(
        [tool, "validate", file, "-o", report],
        env={**os.environ, "DOTNET_SYSTEM_GLOBALIZATION_INVARIANT": "1", "HOME": str(tmp_path)},
        stdout=subprocess.DEVNULL,
        check=False,
        timeout=600,
    )
    found = json.loads(report.read_text("utf-8-sig"))["runs"][0].get("results", [])
    assert {result["ruleId"] for result in found} <= {"SARIF2005"}  # there is no address to name
