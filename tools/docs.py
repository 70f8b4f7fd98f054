"""Write the generated parts of the documentation, or check them.

    ./run docs           writes every generated part again
    ./run docs --check   compares only, and exits 1 on any difference or typed number
    ./run docs --site    makes a static site of the documents, in .cache/site or the folder that is named

A block between `<!-- begin: WHAT -->` and `<!-- end -->` is made from WHAT:

    steelyard ARGUMENTS [| head -N]   the command and its real output, with a fixed date
    markdown: steelyard ARGUMENTS     the output alone, which is Markdown
    study SECTION [| head -N]         the verdict of a section of docs/study, as a list, or its first N lines
    study SECTION: TITLE              the section's table of that title
    paper headlines                   the figures that the README compares with the paper's
    tool NAME [ARGUMENT]              the table that tools/NAME.py prints from a file of docs/study/checks

A value between `<!-- = WHERE -->` and `<!-- end -->` inside a sentence is read again from WHERE:

    study SECTION#/json/pointer [FORMAT]   a figure of a committed artifact, for example `study gates#/sources`
    check NAME#/json/pointer [FORMAT]      a figure of docs/study/checks/NAME.json
    code MODULE:NAME[.NAME...] [FORMAT]    a constant of the code; `|len` counts its items
    effect NAME                            a measured example of docs/effects.toml

Every other number in the prose of a page fails the check, apart from the phrases of docs/structural-numbers.toml.
"""

from __future__ import annotations

import argparse
import contextlib
import difflib
import importlib
import io
import json
import os
import re
import shlex
import signal
import sys
import tomllib
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Any

from tools.effects import measure_effect

ROOT = Path(__file__).resolve().parent.parent
STUDY = ROOT / "docs" / "study"
AS_OF = "2026-07-01"
PAGES = ("README.md", "CONTRIBUTING.md", "SECURITY.md", "CHANGELOG.md", "docs/*.md", "docs/decisions/*.md")
# These record what was measured at a time; their figures are history and cannot be made again.
RECORDS = ("CHANGELOG.md", "docs/audit-log.md", "docs/decisions/")
GENERATED = "docs/rules/"  # whole pages, each from the file of its rule
PICTURE = ROOT / "docs" / "images" / "score.svg"
PICTURED = "steelyard score examples/site/business/warehouse-robots.md"
SCHEMAS = ROOT / "docs" / "schema"
STRUCTURAL = ROOT / "docs" / "structural-numbers.toml"
_BLOCK = re.compile(r"(<!-- begin: (?P<what>[^\n]+?) -->\n)(?P<body>.*?)(<!-- end -->)", re.DOTALL)
_VALUE = re.compile(r"(<!-- = (?P<where>[^\n>]+?) -->)(?P<old>[^<]*)(<!-- end -->)")
_FENCE = re.compile(r"^[ \t]*(?P<fence>`{3,}|~{3,})[^\n]*\n.*?^[ \t]*(?P=fence)[`~]*[ \t]*$", re.DOTALL | re.MULTILINE)
# What holds digits and is no figure: code, link targets, comments, dates, versions, names with digits, list numbers.
_NO_FIGURES = tuple(
    re.compile(pattern, re.MULTILINE | re.DOTALL)
    for pattern in (
        r"<!--.*?-->",
        r"(?P<ticks>`+)(?!`).+?(?<!`)(?P=ticks)(?!`)",
        r"\]\([^()\n]*(?:\([^()\n]*\)[^()\n]*)*\)",
        r"(?:https?://|www\.)[^\s<>)]+",
        r"\b[0-9]{4}-[0-9]{2}-[0-9]{2}\b",
        r"\b[0-9]+\.[0-9]+\.[0-9]+[\w.-]*",
        r"\b(?:Python|CC BY-SA|Apache|version|licence|license) [0-9]+(?:\.[0-9]+)*\+?",
        r"\b[^\W\d_][\w.]*[-_]?[0-9][\w.-]*\b",
        r"^[ \t>]*[0-9]+[.)](?=[ \t])",
    )
)
_LARGE = "twenty thirty forty fifty sixty seventy eighty ninety hundreds? thousands? millions? billions? percent"
_NUMBER = re.compile(rf"(?<!\w)[+−-]?[0-9][0-9.,]*|\b(?:{'|'.join(_LARGE.split())})\b", re.IGNORECASE)


def run(command: str) -> str:
    """Return the output of one of our own commands, run in this process as a user would run it."""
    from steelyard.cli.main import main

    shown, _, lines = command.partition(" | head -")
    program, *arguments = shlex.split(shown)
    if program != "steelyard":
        raise SystemExit(f"docs: {command}: only steelyard's own commands are run")
    raw = io.BytesIO()
    stream = io.TextIOWrapper(raw, encoding="utf-8")
    argv, folder, handler = sys.argv, os.getcwd(), signal.getsignal(signal.SIGTERM)
    code: Any = 0
    try:
        os.chdir(ROOT)
        sys.argv = ["steelyard", *arguments]
        with contextlib.redirect_stdout(stream), contextlib.redirect_stderr(stream):
            main()
    except SystemExit as done:
        code = done.code or 0
    finally:
        sys.argv = argv
        os.chdir(folder)
        signal.signal(signal.SIGTERM, handler)
    stream.flush()
    out = raw.getvalue().decode("utf-8")
    if "Traceback" in out or "this is a bug" in out:
        raise SystemExit(f"docs: {command}: {out}")
    if lines:
        out = "".join(line + "\n" for line in [*out.splitlines()[: int(lines)], "…"])
    return out.rstrip("\n") + "\n" + (f"(exit {code})\n" if code else "")


@cache
def study_sections() -> dict[str, Any]:
    """Return every section of the committed study as the report presents it, by name."""
    from steelyard.lab.study import report
    from steelyard.lab.study.reproduce import read_study

    computed, illustrated = read_study(STUDY)
    made = report.make_report(computed, illustrated=illustrated)
    return {section.entry.name: section for section in made.sections}


def study_block(what: str) -> str:
    """Return a section's verdict as a list with its sample, or one of its tables."""
    what, _, lines = what.partition(" | head -")
    name, _, title = what.partition(": ")
    section = study_sections()[name]
    findings = section.findings
    if not title:
        listed = [f"- {line}" for line in findings.lines[: int(lines) if lines else None]]
        return "\n".join([*listed, "", f"Sample: {section.sample}."]) + "\n"
    found = [t for t in findings.tables if t.title.startswith(title)]
    if not found:
        raise SystemExit(f"docs: study {name} has no table {title!r}; it has: {[t.title for t in findings.tables]}")
    return str(found[0].to_markdown().rstrip()) + "\n"


def block(what: str) -> str:
    """Return what stands between the marks of one block."""
    if what.startswith("study "):
        return "\n" + study_block(what.removeprefix("study ")) + "\n"
    if what == "paper headlines":
        from steelyard.lab.study.paper_comparison import compare_headlines

        return "\n" + compare_headlines(artifact_result).table.to_markdown() + "\n"
    if what.startswith("tool "):
        name, *arguments = what.removeprefix("tool ").split()
        table: str = importlib.import_module(f"tools.{name}").render_table(*arguments)
        return f"\n{table}\n"
    if what.startswith("markdown: "):
        return "\n" + run(what.removeprefix("markdown: ")) + "\n"
    return f"\n```console\n$ {what}\n{run(what)}```\n\n"


def artifact_result(section: str) -> Any:
    """Return the result of a committed artifact, or None where there is none."""
    path = STUDY / "artifacts" / f"{section}.json"
    return json.loads(path.read_text("utf-8"))["result"] if path.is_file() else None


def check_result(name: str) -> Any:
    """Return what a measurement beside the study wrote."""
    return json.loads((STUDY / "checks" / f"{name}.json").read_text("utf-8"))


def value(where: str) -> str:
    """Return what an inline value should say."""
    kind, _, rest = where.partition(" ")
    address, _, style = rest.partition(" ")
    if kind == "effect":
        return measure_effect(address)
    address, *steps = address.split("|")
    if kind in ("study", "check"):
        section, _, pointer = address.partition("#/")
        found = artifact_result(section) if kind == "study" else check_result(section)
        for part in pointer.split("/"):
            found = found[int(part)] if isinstance(found, list) else found[part]
    elif kind == "code":
        module, _, path = address.partition(":")
        found = importlib.import_module(module)
        for part in path.split("."):
            found = found[part] if isinstance(found, dict) else getattr(found, part)
    else:
        raise SystemExit(f"docs: unknown kind of value {kind!r} in {where!r}")
    if "len" in steps:
        found = len(found)
    return format(found, style).replace("-", "−") if style else f"{found:,}" if isinstance(found, int) else str(found)


def fill(text: str) -> str:
    """Return a page with its blocks and values made again."""
    text = _VALUE.sub(lambda m: m[1] + value(m["where"]) + m[4], text)
    return _BLOCK.sub(lambda m: m[1] + block(m["what"]) + m[4], text)


def prose(text: str) -> str:
    """Return a page without its generated parts and code; offsets and line breaks stay."""
    for pattern in (_BLOCK, _VALUE, _FENCE, *_NO_FIGURES):
        text = pattern.sub(lambda m: re.sub(r"[^\n]", " ", m[0]), text)
    return text


@cache
def structural() -> tuple[str, ...]:
    """Return the phrases whose numbers are part of the language of the project."""
    return tuple(tomllib.loads(STRUCTURAL.read_text("utf-8"))["phrases"])


def typed_numbers(text: str) -> Iterator[tuple[int, str]]:
    """Yield (line, words around it) of every number that was typed into a page's prose."""
    text = prose(text)
    for phrase in structural():
        pattern = r"(?<![\w.])" + r"\s+".join(map(re.escape, phrase.split())) + r"(?!\w)"
        text = re.sub(pattern, lambda m: re.sub(r"[^\n]", " ", m[0]), text, flags=re.IGNORECASE)
    for found in _NUMBER.finditer(text):
        around = " ".join(text[max(0, found.start() - 30) : found.end() + 30].split())
        yield text.count("\n", 0, found.start()) + 1, around


def broken_links(path: Path, text: str) -> Iterator[str]:
    """Yield the relative links of a page that lead to no file, or to no heading of a page."""
    for target in re.findall(r"\]\(([^)\s]+)\)", _FENCE.sub("", text)):
        name, _, heading = target.partition("#")
        linked = path.parent / name if name else path
        if "://" in target:
            continue
        if not linked.exists() or (heading and linked.suffix == ".md" and heading not in headings(linked)):
            yield target


@cache
def headings(path: Path) -> frozenset[str]:
    """Return the anchors that a reader of Markdown makes of a page's headings."""
    found = re.findall(r"^#+ (.+)$", _FENCE.sub("", path.read_text("utf-8")), re.MULTILINE)
    return frozenset(re.sub(r"[^\w\- ]", "", title.strip().lower()).replace(" ", "-") for title in found)


def picture() -> str:
    """Draw the real output of one command as SVG."""
    from rich.console import Console
    from rich.text import Text

    console = Console(record=True, width=82, file=io.StringIO(), force_terminal=True, color_system="truecolor")
    console.print(Text(f"$ {PICTURED}", style="bold"))
    for number, line in enumerate(run(PICTURED).splitlines()):
        style = "bold" if number == 0 else "green" if line.startswith(" +") else "yellow" if line[:1] == "*" else ""
        console.print(Text(line, style=style))
    return console.export_svg(title="steelyard", unique_id="steelyard")


def pages() -> Iterator[Path]:
    """Yield the documents that are generated and checked."""
    return (path for pattern in PAGES for path in sorted(ROOT.glob(pattern)))


def generate() -> Iterator[tuple[Path, str]]:
    """Yield every generated file with the text it should have."""
    from steelyard.advice.rules import RULES
    from steelyard.check.formats.json_document import SCHEMA as checked
    from steelyard.check.rule_page import render_rule
    from steelyard.configuration.keys import make_schema
    from steelyard.pages.compare import SCHEMA as compared
    from steelyard.pages.json_document import SCHEMA as scored

    yield from ((path, fill(path.read_text("utf-8"))) for path in pages())
    yield from ((ROOT / "docs" / "rules" / f"{rule.name}.md", render_rule(rule)) for rule in RULES.values())
    yield PICTURE, picture()
    schemas = {"score": scored, "compare": compared, "check": checked, "config": make_schema()}
    for name, schema in schemas.items():
        yield SCHEMAS / f"{name}.schema.json", json.dumps(schema, indent=2) + "\n"


def main() -> int:
    parser = argparse.ArgumentParser(prog="./run docs", description=(__doc__ or "").split("\n", maxsplit=1)[0])
    parser.add_argument("--check", action="store_true", help="compare only; exit 1 when a page is out of date")
    parser.add_argument("--site", nargs="?", const=ROOT / ".cache" / "site", type=Path, help="make a site in a folder")
    options = parser.parse_args()
    if options.site:
        from tools import docs_site

        print(f"docs: {docs_site.build(options.site)} pages in {options.site}")
        return 0
    check = options.check
    os.environ.update({"STEELYARD_AS_OF": AS_OF, "NO_COLOR": "1", "COLUMNS": "80"})
    (ROOT / ".cache" / "docs").mkdir(parents=True, exist_ok=True)  # where the commands write
    problems = 0
    for path, text in generate():
        name = path.relative_to(ROOT).as_posix()
        if path.suffix == ".md":
            wrong = [f"the link to {target} leads nowhere" for target in broken_links(path, text)]
            if not name.startswith((*RECORDS, GENERATED)):
                wrong += [f"line {line}: a typed number: {around!r}" for line, around in typed_numbers(text)]
            problems += len(wrong)
            print("".join(f"{name}: {each}\n" for each in wrong), end="")
        old = path.read_text("utf-8") if path.exists() else ""
        if old != text and check:
            problems += 1
            diff = difflib.unified_diff(old.splitlines(), text.splitlines(), "is", "should be", lineterm="", n=1)
            print(f"{name} is out of date; ./run docs writes it again\n" + "\n".join(list(diff)[:40]))
        elif old != text:
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text, encoding="utf-8")
            print(f"wrote {name}")
    print(f"docs: {problems} problems" if problems else "docs: up to date")
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
