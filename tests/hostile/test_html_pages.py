"""Hostile HTML: an extraction or a stated error, in bounded time."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

from tests.contract.shared import run_steelyard
from tests.hostile.pages import SENTENCE

pytest.importorskip("trafilatura", reason="HTML needs the extra `html`")

SECONDS = 60.0  # for all of them together
PAGES: Mapping[str, str] = {
    "nothing": "",
    "a tag": "<html>",
    "paragraphs that never close": "<html><body>" + "<p>" * 5_000,
    "nested elements": "<html>" + "<div>" * 5_000,
    "nested inline elements": "<html><body><p>" + "<b>x" * 5_000,
    "table cells that never close": "<html><body><table>" + "<tr><td>x" * 5_000,
    "line breaks": "<html><body><p>" + "x<br>" * 5_000,
    "ampersands": "<html><body><p>" + "&" * 100_000,
    "angles": "<html>" + "<" * 100_000,
    "comments that never close": "<html>" + "<!--" * 25_000,
    "hidden elements": "<html><body><p>" + "<i hidden></i>the level " * 4_000,
    "scripts": "<html><body>" + "<script></script>the level " * 4_000,
    "JSON-LD of brackets": '<html><script type="application/ld+json">' + "[" * 100_000 + "</script><p>" + SENTENCE * 9,
    "JSON-LD of odd graphs": '<html><script type="application/ld+json">{"@graph": [[[]], {"@graph": 7}]}</script>',
    "entities that are none": f"<html><body><p>&#0;&#xD800;&#1114112;&#x110000;&bogus; {SENTENCE * 9}</p></body>",
    "a charset that is none": f'<html><head><meta charset="utf-99"></head><body><p>{SENTENCE * 9}</p></body></html>',
    "a document in a document": f"<html><body><html><body><p>{SENTENCE * 9}</body></html></body></html>",
    "text outside": f"{SENTENCE}<html></html>{SENTENCE}",
    "a hidden body": f"<html hidden><body style='display:none'><p>{SENTENCE * 9}</p></body></html>",
    "comments that never close in a style": f'<html><body><p style="{"/* " * 66_000}">{SENTENCE}</p>',
    # The parser compares every attribute of an element with every other.
    "attributes": f"<html><body><p {' '.join(f'a{n}=b' for n in range(6_000))}>{SENTENCE}</p>",
    "a title of a megabyte": f"<html><title>{'tide ' * 20_000}</title><body><p>{SENTENCE * 9}</p></body></html>",
}


def answers(path: Path) -> dict[str, dict[str, Any]]:
    """The page or the error of every file, by its name without suffix."""
    done = run_steelyard("score", str(path), "--format", "json", seconds=SECONDS)
    result = json.loads(done.stdout)
    assert done.returncode == (2 if result["errors"] else 0)
    for page in result["pages"]:
        assert 0 <= page["score"] <= 100
        assert page["offsets"] == "extracted"
    return {Path(entry["source"]).stem: entry for entry in (*result["pages"], *result["errors"])}


def test_every_hostile_html_page_is_answered(tmp_path: Path):
    for name, text in PAGES.items():
        (tmp_path / f"{name}.html").write_text(text, encoding="utf-8")
    assert set(answers(tmp_path)) == set(PAGES)


def test_a_limit_can_be_changed_for_a_run(tmp_path: Path):
    path = tmp_path / "page.html"
    path.write_text(f"<html><body><p>{SENTENCE * 9}</p><p a b c>{SENTENCE}</p></body></html>")
    done = run_steelyard("score", str(path), "--format", "json", "--limit", "tag-attributes=2", "--limit", "tags=9")
    assert done.returncode == 2
    assert "more than 2 attributes in one tag" in json.loads(done.stdout)["errors"][0]["error"]
    for command in (("score",), ("explain",), ("compare", str(path))):
        assert run_steelyard(*command, str(path), "--limit", "tag-attributes=3", "--limit", "tags=9").returncode == 0
    unknown = run_steelyard("score", str(path), "--limit", "cell=3")
    assert unknown.returncode == 2
    assert b"did you mean 'cells'" in unknown.stderr
