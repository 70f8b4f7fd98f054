"""Drift: what a release froze is what the present version gives, or the changelog says by how much it is not."""

from __future__ import annotations

import json
import zlib
from pathlib import Path

import pytest

from steelyard.lab.study.drift import ReleaseInvalid, against, declared, freeze, pages, read
from steelyard.scoring import weighting
from tests.conftest import ROOT

TEXTS = dict(list(pages().items())[:3])


def other_weights(tmp_path: Path) -> weighting.Weighting:
    """The shipped weights with one of them a thousandth higher."""
    printed = dict(weighting.load("shipped").printed)
    printed["quotable_density"] += 0.001
    path = tmp_path / "other.toml"
    path.write_text("".join(f"{name} = {value}\n" for name, value in printed.items()))
    return weighting.load(str(path))


def test_what_did_not_change_does_not_move() -> None:
    release = json.loads(json.dumps(freeze(TEXTS)))
    found = against(release, TEXTS)
    assert (found.pages, found.moves, found.not_frozen) == (3, (), ())
    assert found.same_scoring
    assert list(found.lines()) == [f"against {release['version']} (the same scoring hash): 0 of 3 pages moved"]


def test_a_changed_weight_moves_every_page_by_its_size(tmp_path: Path) -> None:
    release, weights = freeze(TEXTS), other_weights(tmp_path)
    found = against(release, TEXTS, weights=weights)
    assert {m.page for m in found.moves} == set(TEXTS)
    assert not found.same_scoring
    moved = freeze(TEXTS, weights=weights)["pages"]
    for move in found.moves:
        assert move.by == pytest.approx(moved[move.page]["score"] - release["pages"][move.page]["score"], abs=1e-12)
    head, *rest = found.lines()
    largest = max(abs(m.by) for m in found.moves)
    assert f"3 of 3 pages moved, at most {largest:.6f}" in head
    assert len(rest) == 3


def test_a_move_under_a_cap_shows_in_the_content(tmp_path: Path) -> None:
    capped = {"short.md": " ".join(next(iter(TEXTS.values())).split()[:90])}
    (move,) = against(freeze(capped), capped, weights=other_weights(tmp_path)).moves
    assert move.by == 0
    assert move.content != 0


def test_a_page_with_another_text_is_named_and_not_compared() -> None:
    release, (first, second, _) = freeze(TEXTS), TEXTS
    changed = {**TEXTS, first: TEXTS[first] + "\nAnd more.\n"}
    del changed[second]
    found = against(release, changed)
    assert found.not_frozen == (first, second)
    assert found.pages == 1


@pytest.mark.parametrize(
    ("changelog", "said"),
    [
        ("## Unreleased\n\n**Numbers**: none yet; the first.\n", ""),
        ("## Unreleased\n\n- a\n\n**Numbers**: quotable_density +0.3.\n\n## 0.1.0\n", "quotable_density +0.3."),
        ("## Unreleased\n\n### Numbers\n\n- entity_density −0.2\n- x\n", "- entity_density −0.2 - x"),
        ("## Unreleased\n\n### Numbers\n\n- none yet\n", ""),
        ("## Unreleased\n\n- a\n\n## 0.1.0\n\n**Numbers**: entity_density −0.2\n", ""),
        ("## Unreleased\n\n**Numbers**:\n", ""),
        ("# Changelog\n", ""),
    ],
)
def test_only_a_line_under_numbers_of_unreleased_declares_a_move(changelog: str, said: str) -> None:
    assert declared(changelog) == said


def test_a_folder_stands_for_its_newest_release(tmp_path: Path) -> None:
    for version in ("0.2.0", "0.10.0", "0.9.1"):
        (tmp_path / f"{version}.json").write_text(json.dumps({**freeze(TEXTS), "version": version}))
    assert read(tmp_path)["version"] == "0.10.0"


@pytest.mark.parametrize("text", ["{", "[]", '{"schema": "steelyard.release/1", "pages": {}}', '{"schema": "other"}'])
def test_what_is_no_release_is_refused(tmp_path: Path, text: str) -> None:
    path = tmp_path / "x.json"
    path.write_text(text)
    with pytest.raises(ReleaseInvalid):
        read(path)
    with pytest.raises(ReleaseInvalid, match="no release in this folder"):
        read(ROOT / "docs" / "images")
    with pytest.raises(ReleaseInvalid, match="cannot be read"):
        read(tmp_path / "gone.json")


def test_the_committed_release_is_what_this_version_gives() -> None:
    release = read(ROOT / "docs" / "releases")
    found = against(release, pages())
    assert found.pages == len(pages())
    assert not found.not_frozen
    said = declared((ROOT / "CHANGELOG.md").read_text("utf-8"))
    # gzip's length may differ by a few bytes between zlib builds: half a point of one fifth of a component.
    allowed = 0.0 if release["zlib"] == zlib.ZLIB_RUNTIME_VERSION else 0.5
    assert said or all(max(abs(m.by), abs(m.content)) <= allowed for m in found.moves)
