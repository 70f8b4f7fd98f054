"""Concepts that have one owner: nobody else translates positions, or decides whether a page is HTML."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path

import steelyard

PACKAGE = Path(steelyard.__file__).parent
# The steps from the measured text to the file, which only `Source` takes.
STEPS = {"original", "to_written"}
# Others may ask where a word of the reading view is in the measured text, to compare it with spans of that text.
VIEW = {"source_offset", "source_span", "view_offset"}
VIEW_READERS = {"detectors/base.py", "detectors/links.py", "detectors/hidden_text.py", "advice/passages.py"}
HTML_MARKS = {".html", ".htm", ".xhtml", "text/html", "application/xhtml+xml"}
# What a crawl asks for, which is no decision about a page.
HTML_NAMES = {"HTML_SUFFIXES": {"inputs/find.py"}, "HTML_TYPES": {"site/model.py"}, "looks_like_html": set[str]()}


def parse(folder: Path = PACKAGE) -> Iterator[tuple[str, ast.Module]]:
    for path in sorted(folder.rglob("*.py")):
        yield path.relative_to(folder).as_posix(), ast.parse(path.read_text("utf-8"))


def find_translations(name: str, tree: ast.Module) -> Iterator[str]:
    """Yield where a module outside of `text` maps offsets to the file, or counts lines or the units of an editor."""
    steps = STEPS if name in VIEW_READERS else STEPS | VIEW
    for node in ast.walk(tree):
        if isinstance(node, ast.Attribute) and node.attr in steps:
            yield f"{name}:{node.lineno}: .{node.attr}"
        if isinstance(node, ast.Call) and _counts_lines(node):
            yield f"{name}:{node.lineno}: counts lines"


def _counts_lines(call: ast.Call) -> bool:
    if not isinstance(call.func, ast.Attribute) or call.func.attr not in ("count", "finditer") or len(call.args) < 2:
        return False
    return isinstance(call.args[0], ast.Constant) and call.args[0].value == "\n"


def find_decisions(name: str, tree: ast.Module) -> Iterator[str]:
    """Yield where a module other than the one that decides compares a suffix, a type or an opening with HTML."""
    for node in ast.walk(tree):
        if isinstance(node, ast.alias) and name not in HTML_NAMES.get(node.name, {name}):
            yield f"{name}: imports {node.name}"
        if isinstance(node, ast.Compare | ast.Call):
            tested = node.comparators if isinstance(node, ast.Compare) else _suffixes(node)
            marks = {c.value for t in tested for c in ast.walk(t) if isinstance(c, ast.Constant)}
            if marks & HTML_MARKS:
                yield f"{name}:{node.lineno}: decides by {marks & HTML_MARKS}"


def _suffixes(call: ast.Call) -> list[ast.expr]:
    return call.args if isinstance(call.func, ast.Attribute) and call.func.attr in ("endswith", "startswith") else []


def test_only_text_translates_positions_and_decides_what_is_html() -> None:
    modules = 0
    wrong: list[str] = []
    for name, tree in parse():
        modules += 1
        if not name.startswith(("text/", "lab/", "support/plots/")):
            wrong += find_translations(name, tree)
        if not name.startswith("text/html/"):
            wrong += find_decisions(name, tree)
    assert modules > 250
    assert wrong == []


def test_the_walk_would_notice_both() -> None:
    tree = ast.parse(
        "from steelyard.text.html.recognition import looks_like_html\n"
        "html = path.lower().endswith(('.html', '.md')) or kind == 'text/html'\n"
        "at = composition.original(3), view.view_offset(4), text.count('\\n', 0, 5)\n"
    )
    assert len([*find_decisions("x.py", tree)]) == 3
    assert len([*find_translations("x.py", tree)]) == 3


def find_unnamed_editions(name: str, tree: ast.Module) -> Iterator[str]:
    """Yield where something is scored, or an edition loaded, without naming which: that is the user's default."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Attribute) and ast.unparse(node) == "editions.DEFAULT":
            yield f"{name}:{node.lineno}: the default of users"
        if isinstance(node, ast.Call):
            called = ast.unparse(node.args[0] if ast.unparse(node.func) == "partial" else node.func)
            passed = {keyword.arg for keyword in node.keywords}
            if called in {"score_text", "Settings.resolve"} and "edition" not in passed:
                yield f"{name}:{node.lineno}: {called} without an edition"
            if called == "editions.load" and not node.args:
                yield f"{name}:{node.lineno}: {called} without a name"


def test_the_laboratory_names_its_edition() -> None:
    """Its figures are the paper's, whatever the default of users is."""
    assert [f for name, tree in parse(PACKAGE / "lab") for f in find_unnamed_editions(name, tree)] == []
    written = "score_text('', as_of=d)\npartial(score_text, as_of=d)\neditions.load()\nx = editions.DEFAULT\n"
    assert len(list(find_unnamed_editions("x", ast.parse(written)))) == 4
    assert not list(find_unnamed_editions("x", ast.parse("partial(score_text, edition=e)\neditions.load('paper')")))
