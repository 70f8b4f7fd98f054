"""Rank displacement: the binary search agrees with ranking everything again, and the edges behave."""

from __future__ import annotations

import json
import random
from pathlib import Path
from typing import Any

import pytest

from steelyard.errors import InvalidRecords
from steelyard.lab.gaming.displacement import (
    GAINS,
    GROUPS,
    INFLATIONS,
    Leaderboard,
    Snapshot,
    measure_displacement,
    read_snapshot,
)
from steelyard.lab.study.studies.displacement import findings
from steelyard.scoring.domains import rank_domains
from steelyard.support.artifacts import round_floats
from steelyard.support.plots.plot import Plot
from tests.conftest import ROOT
from tools.leaderboard import made

SNAPSHOT = ROOT / "examples" / "leaderboard.csv"
# Frozen: another snapshot is another study, and every published position changes with it.
SHA256 = "5366844c2d021b27bf6a2c4f9e78322633d82cd7363dc48c98e0f2308840f481"


def board_of(**scores: list[float]) -> Snapshot:
    return Snapshot(tuple(rows(**scores)))


def rows(**scores: list[float]) -> list[dict[str, Any]]:
    return [{"domain": d, "score": s} for d, values in scores.items() for s in values]


def small(seed: int, *, coarse: bool) -> dict[str, list[float]]:
    """A few domains; coarse scores tie often, and some stand near 0 and 100."""
    rng = random.Random(seed)
    draw = (lambda: float(rng.choice((0, 50, 60, 98, 100)))) if coarse else (lambda: round(rng.uniform(0, 100), 2))
    return {f"d{i}": [draw() for _ in range(rng.choice((1, 1, 2, 5, 12)))] for i in range(rng.randint(1, 12))}


def ranked_again(pages: dict[str, list[float]], attacker: str, attack: str, gain: float) -> int:
    """Positions gained when the changed records go through the product's ranking."""
    changed = list(pages[attacker])
    lowest = changed.index(min(changed))
    for i in [lowest] if attack == "single_page" else range(len(changed)):
        changed[i] = min(100.0, max(0.0, changed[i] + gain))
    before, after = (
        next(r.rank for r in rank_domains(rows(**each)) if r.domain == attacker)
        for each in (pages, {**pages, attacker: changed})
    )
    return before - after


def positions(records: list[dict[str, Any]], gain: float, attack: str) -> dict[str, int]:
    result = measure_displacement(Snapshot(tuple(records)), [gain])
    (measured,) = result["gains"].values()
    gained = measured["attacks"][attack]["positions"]
    return dict(zip((d["domain"] for d in result["domains"]), gained, strict=True))


@pytest.mark.parametrize("coarse", [True, False])
@pytest.mark.parametrize("attack", list(INFLATIONS))
def test_positions_are_those_of_ranking_everything_again(attack: str, *, coarse: bool) -> None:
    for seed in range(25):
        pages = small(seed, coarse=coarse)
        for gain in (-3.0, 0.0, 0.01, 1.0, 6.1, 100.0):
            found = positions(rows(**pages), gain, attack)
            assert found == {d: ranked_again(pages, d, attack, gain) for d in pages}, (seed, gain)


def test_one_page_moves_its_domain_by_gain_over_k_plus_n_and_all_pages_by_n_times_that() -> None:
    for n in (1, 2, 7, 120):
        board = Leaderboard.rank(rows(a=[60.0 + i / 100 for i in range(n)], b=[50.0]))
        attacked = next(r for r in board.rows if r.domain == "a")
        shifts = {
            name: board.move_domain(attacked, inflate(board.pages["a"], 6.0)).shift
            for name, inflate in INFLATIONS.items()
        }
        assert shifts["single_page"] == pytest.approx(6 / (5 + n))
        assert shifts["whole_domain"] == pytest.approx(6 * n / (5 + n))


def test_a_page_at_100_gains_nothing_and_the_lowest_page_is_attacked() -> None:
    board = Leaderboard.rank(rows(full=[100.0], mixed=[100.0, 90.0]))
    shift = {
        r.domain: board.move_domain(r, INFLATIONS["single_page"](board.pages[r.domain], 7.0)).shift for r in board.rows
    }
    assert shift["full"] == 0
    assert shift["mixed"] == pytest.approx(7 / 7)


@pytest.mark.parametrize(
    ("scores", "gain", "gained"),
    [
        ({"a": [10.0, 20.0]}, 80.0, {"a": 0}),  # nobody to overtake
        ({"a": [60.0], "b": [60.0], "c": [60.0]}, 5.0, {"a": 0, "b": 0, "c": 0}),  # the first rank is shared
        ({"a": [60.0], "b": [60.0], "c": [58.0]}, 2.0, {"a": 0, "b": 0, "c": 2}),  # a tie gains the shared rank
        ({"a": [60.0], "b": [60.0], "c": [58.0]}, 1.0, {"a": 0, "b": 0, "c": 0}),
        ({"a": [60.0], "b": [59.0], "c": [58.0]}, -5.0, {"a": -2, "b": -1, "c": 0}),
    ],
)
def test_positions_gained_on_small_boards(scores: dict[str, list[float]], gain: float, gained: dict[str, int]) -> None:
    assert positions(rows(**scores), gain, "whole_domain") == gained


def test_the_sizes_divide_the_domains_and_a_size_nobody_has_is_empty_not_zero() -> None:
    with pytest.raises(InvalidRecords, match="holds no records"):
        measure_displacement(Snapshot(()))
    alike = ({"domain": " A.org", "score": 60}, {"domain": "a.org ", "score": 70.0})
    assert [d["n"] for d in measure_displacement(Snapshot(alike))["domains"]] == [2]
    result = measure_displacement(board_of(a=[60.0], b=[50.0] * 4, c=[40.0] * 49, d=[30.0] * 50), [2.0])
    assert result["snapshot"]["sizes"] == {"all": 4, "1": 1, "2-4": 1, "5-9": 0, "10-49": 1, "50+": 1}
    empty = result["gains"]["2"]["attacks"]["single_page"]["groups"]["5-9"]
    assert empty.pop("attacks") == 0
    assert set(empty.values()) == {None}


def test_the_committed_snapshot_is_the_one_its_script_makes_and_is_known_as_synthetic() -> None:
    assert SNAPSHOT.read_text("utf-8") == made()
    read = read_snapshot(SNAPSHOT)
    assert (read.sha256, read.is_synthetic) == (SHA256, True)
    sizes = {r.n for r in rank_domains(read.records)}
    assert (min(sizes), max(sizes)) == (1, 120)
    assert all(5 <= r["score"] <= 95 for r in read.records)


@pytest.mark.parametrize(
    ("domain", "synthetic"),
    [("a.example", True), ("example.org", True), ("A.TEST ", True), ("a.org", False), ("myexample.org", False)],
)
def test_a_reserved_name_makes_a_snapshot_synthetic(domain: str, *, synthetic: bool) -> None:
    assert Snapshot(({"domain": domain, "score": 1},)).is_synthetic is synthetic


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("site,score\na.org,1\n", "no `domain`"),
        ("domain,score\na.org,high\n", "'high'"),
        ("domain\na.org\n", "None"),
        ("domain,score\na.org,101\n", "'101'"),
    ],
)
def test_a_snapshot_has_addresses_or_domains_and_a_bad_row_is_refused_with_its_number(
    tmp_path: Path, text: str, reason: str
) -> None:
    path = tmp_path / "board.csv"
    path.write_text("url,score\nhttps://a.org/x,61.5\n")
    assert read_snapshot(path).records == ({"domain": "a.org", "score": 61.5},)
    path.write_text(text)
    with pytest.raises(InvalidRecords, match=rf"record 1.*{reason}"):
        read_snapshot(path)


def test_a_snapshot_is_read_like_the_scores_of_a_leaderboard(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "board.jsonl"
    path.write_text('{"url": "https://a.org/x", "score": 61.5}\n{"source": "page.md", "score": 50}\n')
    assert read_snapshot(path).records == ({"domain": "a.org", "score": 61.5},)
    assert "skipped 1 page without a `domain` or `url`" in capsys.readouterr().err
    path.write_text("")
    with pytest.raises(InvalidRecords, match="holds no records"):
        read_snapshot(path)


def test_findings_need_only_the_artifact_and_not_the_order_of_its_keys() -> None:
    result = round_floats(measure_displacement(read_snapshot(SNAPSHOT), [7.0, 1.0]))
    stored = json.loads(json.dumps(result, sort_keys=True))
    straight, again = findings(result), findings(stored)
    assert straight.tables == again.tables
    assert straight.lines == again.lines
    assert straight.plots == again.plots
    plot = straight.plots["displacement"]
    assert isinstance(plot, Plot)
    assert plot.panels[0].series[0].x == [1.0, 7.0]


def test_everything_shown_of_the_synthetic_snapshot_says_so() -> None:
    shown = findings(measure_displacement(read_snapshot(SNAPSHOT), GAINS))
    assert all("SYNTHETIC" in t.title for t in shown.tables)
    assert all("SYNTHETIC" in p.title for p in shown.plots.values())
    assert shown.lines[0].startswith("SYNTHETIC")
    real = findings(measure_displacement(board_of(**{"a.org": [60.0], "b.org": [50.0]}), GAINS))
    assert not any("SYNTHETIC" in text for text in (*real.lines, *(t.title for t in real.tables)))


def test_findings_hold_for_the_smallest_snapshot() -> None:
    shown = findings(measure_displacement(board_of(a=[60.0]), [2.0]))
    assert len(shown.tables) == 1 + 2 * len(INFLATIONS)
    assert len(shown.tables[1].table.columns) == 1 + len(GROUPS)
