"""Drift: what a release froze is compared with what the present version gives, and named with its size."""

from __future__ import annotations

import copy
import json
from functools import cache
from pathlib import Path
from typing import Any

import pytest

from steelyard.errors import InvalidFile
from steelyard.lab.study.drift import compare, declared_numbers, demo_pages, freeze_scores, read_release
from tests.conftest import ROOT

TEXTS = dict(list(demo_pages().items())[:3])


@cache
def release_now() -> dict[str, Any]:
    frozen: dict[str, Any] = json.loads(json.dumps(freeze_scores(TEXTS)))
    return frozen


def move_scores(by: float) -> dict[str, Any]:
    """Return the release as if every score and content had been lower by so much."""
    release: dict[str, Any] = copy.deepcopy(release_now())
    for page in release["pages"].values():
        page["score"], page["content"] = page["score"] - by, page["content"] - by
    return release


def test_what_did_not_change_does_not_move() -> None:
    found = compare(release_now(), TEXTS)
    assert (found.pages, found.changes, found.changed_pages, found.summary()) == (3, (), (), "")
    assert list(found.lines()) == [f"compared with {release_now()['version']}: none of 3 pages moved"]


def test_every_page_that_moved_is_named_with_its_size() -> None:
    found = compare(move_scores(0.25), TEXTS)
    assert {change.page: change.size for change in found.changes} == dict.fromkeys(TEXTS, pytest.approx(0.25))
    assert found.summary() == "3 of 3 demo pages moved, largest +0.250, mean +0.250"
    head, *rest = found.lines()
    assert head.endswith(found.summary())
    assert len(rest) == 3


def test_a_change_under_a_cap_shows_in_the_content() -> None:
    release = copy.deepcopy(release_now())
    release["pages"][next(iter(TEXTS))]["content"] -= 0.25
    found = compare(release, TEXTS)
    (change,) = found.changes
    assert change.size == 0
    assert change.content == pytest.approx(0.25)
    assert ", content +0.250000" in list(found.lines())[1]


def test_a_page_with_another_text_is_named_and_not_compared() -> None:
    first, second, _ = TEXTS
    changed = {**TEXTS, first: TEXTS[first] + "\nAnd more.\n"}
    del changed[second]
    found = compare(release_now(), changed)
    assert found.changed_pages == (first, second)
    assert found.pages == 1


def test_another_zlib_is_said_only_where_something_moved() -> None:
    for release, is_said in ((release_now(), False), (move_scores(0.25), True)):
        assert any("zlib" in line for line in compare({**release, "zlib": "0.0"}, TEXTS).lines()) is is_said


def test_only_numbers_of_unreleased_are_declared() -> None:
    for changelog, declared in {
        "## Unreleased\n\n- a\n\n**Numbers**: quotable_density\n  +0.3.\n\n## 0.1.0\n": ": quotable_density +0.3.",
        "## Unreleased\n\n**Numbers**\n\n- x −0.2\n\n**Fixed**\n\n- y\n": "- x −0.2",
        "## Unreleased\n\n- a\n\n## 0.1.0\n\n**Numbers**: entity_density −0.2\n": "",
        "# Changelog\n": "",
    }.items():
        assert declared_numbers(changelog) == declared, changelog


def test_a_folder_means_its_newest_release(tmp_path: Path) -> None:
    for version in ("0.2.0", "0.10.0", "0.9.1"):
        (tmp_path / f"{version}.json").write_text(json.dumps({**release_now(), "version": version}))
    assert read_release(tmp_path)["version"] == "0.10.0"


def test_what_is_no_release_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "x.json"
    for text in ("{", "[]", '{"schema": "steelyard.release/1", "pages": {}}', '{"schema": "other"}'):
        path.write_text(text)
        with pytest.raises(InvalidFile):
            read_release(path)
    with pytest.raises(InvalidFile, match="no release in this folder; write one with --freeze FILE"):
        read_release(ROOT / "docs" / "images")
    with pytest.raises(InvalidFile, match="cannot be read"):
        read_release(tmp_path / "gone.json")
