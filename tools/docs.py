"""Documentation that cannot lie: every command shown in a page is run, and its output put there (or compared).

A page marks a generated block like this, and the tool fills it:

    <!-- begin: steelyard score examples/site/shop -->
    <!-- end -->

`$ command` blocks run in the project's root with a fixed date. `<!-- effect: NAME -->` stands before a figure of
docs/effects.toml. `./run docs` writes, `./run docs --check` compares; `--print` serves `steelyard verify`.
"""

from __future__ import annotations

import argparse
import contextlib
import difflib
import io
import json
import os
import re
import runpy
import shlex
import subprocess
import sys
from pathlib import Path

from tools.effects import measured

ROOT = Path(__file__).resolve().parent.parent
AS_OF = "2026-07-01"
PAGES = ("README.md", "docs/*.md")
PICTURE = ROOT / "docs" / "images" / "score.svg"
PICTURED = "steelyard score examples/site/business/warehouse-robots.md"
SCHEMA = ROOT / "docs" / "schema" / "score.schema.json"
_EFFECT = re.compile(r"(<!-- effect: (?P<name>[a-z0-9-]+) -->)(?P<old>[^<]*)(<!-- end -->)")
_BLOCK = re.compile(r"(<!-- begin: (?P<what>[^\n]+?) -->\n)(?P<body>.*?)(<!-- end -->)", re.DOTALL)


def printed(module: str, arguments: list[str]) -> str:
    """What one of our own tools prints, in this process: twenty starts of numpy would take half a minute."""
    out, argv = io.StringIO(), sys.argv
    sys.argv = [module, *arguments]
    try:
        with contextlib.redirect_stdout(out):
            runpy.run_module(module, run_name="__main__")
    except SystemExit as done:  # a tool that ends with sys.exit(0) must not end the whole check with success
        if done.code not in (0, None):
            raise SystemExit(f"docs: {module} {' '.join(arguments)}: {done.code}") from done
    finally:
        sys.argv = argv
    return out.getvalue()


def run(command: str) -> str:
    """The output of one command line, with `steelyard` and `python` taken from this environment."""
    shown, _, lines = command.partition(" | head -")
    program, *arguments = shlex.split(shown)
    if program == "python" and arguments[:1] == ["-m"]:
        return printed(arguments[1], arguments[2:])
    start = {"steelyard": [sys.executable, "-m", "steelyard"], "python": [sys.executable]}[program]
    environment = {**os.environ, "STEELYARD_AS_OF": AS_OF, "NO_COLOR": "1", "PYTHONPATH": str(ROOT), "COLUMNS": "80"}
    done = subprocess.run(
        [*start, *arguments],
        cwd=ROOT,
        env=environment,
        capture_output=True,
        text=True,
        check=False,
        stdin=subprocess.DEVNULL,
    )
    if "Traceback" in done.stderr or done.returncode not in (0, 1, 2):
        raise SystemExit(f"docs: {command}: {done.stderr}")
    out = done.stdout + done.stderr
    if lines:
        out = "".join(line + "\n" for line in [*out.splitlines()[: int(lines)], "…"])
    code = f"(exit {done.returncode})\n" if done.returncode else ""
    return out.rstrip("\n") + "\n" + code


def each(commands: list[str]) -> dict[str, dict[str, str]]:
    """What each command prints, or why it prints nothing."""
    found = {}
    for command in dict.fromkeys(commands):
        try:
            found[command] = {"printed": run(command)}
        except ModuleNotFoundError:
            raise
        except (Exception, SystemExit) as error:  # noqa: BLE001 - a damaged artifact can end its tool in any way
            found[command] = {"failed": f"{type(error).__name__}: {error}"}
    return found


def block(what: str) -> str:
    """What stands between the marks of one block."""
    if what.startswith("table: "):
        return "\n" + run(what.removeprefix("table: ")) + "\n"
    return f"\n```console\n$ {what}\n{run(what)}```\n\n"


def filled(text: str) -> str:
    """A page with its blocks and its measured examples filled in."""
    text = _EFFECT.sub(lambda m: f"{m[1]}{measured(m['name'])}{m[4]}", text)
    return _BLOCK.sub(lambda m: m[1] + block(m["what"]) + m[4], text)


def picture() -> str:
    """The real output of one command, drawn as SVG."""
    from rich.console import Console
    from rich.text import Text

    console = Console(record=True, width=82, file=io.StringIO(), force_terminal=True, color_system="truecolor")
    console.print(Text(f"$ {PICTURED}", style="bold"))
    for number, line in enumerate(run(PICTURED).splitlines()):
        style = (
            "bold" if number == 0 else "green" if line.startswith(" +") else "yellow" if line.startswith("*") else ""
        )
        console.print(Text(line, style=style))
    return console.export_svg(title="steelyard", unique_id="steelyard")


def links(path: Path, text: str) -> list[str]:
    """Relative links of a page that lead nowhere."""
    bare = re.sub(r"```.*?```", "", text, flags=re.DOTALL)
    targets = re.findall(r"\]\(([^)#\s]+)[^)]*\)", bare)
    return [t for t in targets if "://" not in t and not (path.parent / t).exists()]


def wanted() -> dict[Path, str]:
    """Every generated file with the text it should have."""
    pages = {p: filled(p.read_text("utf-8")) for pattern in PAGES for p in sorted(ROOT.glob(pattern))}
    return {**pages, PICTURE: picture(), SCHEMA: schema()}


def schema() -> str:
    from steelyard.report.json_schema import SCHEMA as shape

    return json.dumps(shape, indent=2) + "\n"


def main() -> int:
    parser = argparse.ArgumentParser(prog="./run docs", description=(__doc__ or "").split("\n", maxsplit=1)[0])
    parser.add_argument("--check", action="store_true", help="compare only; exit 1 when a page is out of date")
    parser.add_argument("--print", action="store_true", help="print the commands listed on standard input, as JSON")
    options = parser.parse_args()
    if options.print:
        json.dump(each(json.load(sys.stdin)), sys.stdout)
        return 0
    stale = 0
    for path, text in wanted().items():
        broken = links(path, text) if path.suffix == ".md" else []
        for target in broken:
            print(f"{path.relative_to(ROOT)}: the link to {target} leads nowhere")
        stale += len(broken)
        old = path.read_text("utf-8") if path.exists() else ""
        if old == text:
            continue
        if options.check:
            stale += 1
            diff = difflib.unified_diff(old.splitlines(), text.splitlines(), "is", "should be", lineterm="", n=1)
            print(f"{path.relative_to(ROOT)} is out of date; ./run docs writes it anew")
            print("\n".join(list(diff)[:40]))
        else:
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text, encoding="utf-8")
            print(f"wrote {path.relative_to(ROOT)}")
    if not stale:
        print("docs: up to date")
    return 1 if stale else 0


if __name__ == "__main__":
    sys.exit(main())
