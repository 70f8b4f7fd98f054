"""Calls without words: written and read back, damaged lines are named, and a lever is paired with its own control."""

from __future__ import annotations

import gzip
import json
from pathlib import Path

import pytest

from steelyard.errors import InvalidFile
from steelyard.lab.outcome.arms import CONTROL, SHORT_FILLER
from steelyard.lab.outcome.blind import NOISE_LIMIT, REPEAT, average_rotations, measure_blind, order_pairs
from steelyard.lab.outcome.calls import CallShares, read_calls, summarize_call, write_calls
from steelyard.lab.outcome.matched import OWN_CONTROL, measure_levers
from steelyard.lab.outcome.records.base import BASELINE
from steelyard.lab.study.studies import blind, levers

SECRET = "nobody may read this"
ARMS = {BASELINE: 0.2, "gold_lever_1": 0.3, "gold_control_1": 0.25, "gold_lever_2": 0.4, "gold_control_2": 0.25}


def make_call(query: str, arm: str, place: int, share: float) -> CallShares:
    values = tuple(share if i == place else (1 - share) / 4 for i in range(5))
    return CallShares(query, arm, place, "00", values, values, values, (), (2, 1, 1, 0))


def make_experiment() -> list[CallShares]:
    arms = {**ARMS, CONTROL: 0.1}
    return [make_call(f"q{n}", arm, p, s) for n in range(10) for arm, s in arms.items() for p in range(5)]


def test_calls_are_read_back_and_hold_no_word(tmp_path: Path) -> None:
    known = {"forced": [[0.5, 0.5], [0.1, 0.9]], "own": 0, "own_probabilities": [], "willing": 1}
    call = summarize_call("q", BASELINE, 1, sources=[SECRET, "b"], answer="One [1]. Two [2].", known=known)
    assert call.counts == (2, 0, 1, 1)
    assert call.forced == (0.3, 0.7)
    assert call.share("own") is None
    path = tmp_path / "calls.jsonl.gz"
    write_calls(path, {"engine": "e"}, [call])
    assert SECRET not in gzip.decompress(path.read_bytes()).decode()
    head, calls = read_calls(path)
    assert head["engine"] == "e"
    assert calls == [call]
    first = path.read_bytes()
    write_calls(path, {"engine": "e"}, [call])
    assert path.read_bytes() == first


def test_a_citation_whose_willingness_nobody_recorded_stays_unknown() -> None:
    call = summarize_call("q", BASELINE, 0, sources=["a", "b"], answer="One [1].", known={"forced": [[0.9, 0.1]]})
    assert call.counts == (1, 0, None, 0)


@pytest.mark.parametrize(
    ("change", "reason"),
    [
        ({"place": 7}, "no source stands there"),
        ({"counts": [1, 2]}, "four numbers"),
        ({"counts": [1, 2, 3, -1]}, "four numbers"),
        ({"written": [2.0]}, "no share"),
        ({"soft": "x"}, "list of shares"),
        ({"soft": [True]}, "list of shares"),
    ],
)
def test_a_damaged_line_is_named(tmp_path: Path, change: dict[str, object], reason: str) -> None:
    path = tmp_path / "calls.jsonl.gz"
    write_calls(path, {"engine": "e"}, [make_call("q", BASELINE, 0, 0.2)])
    head, line = gzip.decompress(path.read_bytes()).decode().splitlines()
    path.write_bytes(gzip.compress("\n".join([head, json.dumps(json.loads(line) | change)]).encode()))
    with pytest.raises(InvalidFile, match=reason) as error:
        read_calls(path)
    assert ":2" in str(error.value)


def test_another_file_is_no_file_of_calls(tmp_path: Path) -> None:
    path = tmp_path / "other.jsonl"
    path.write_text('{"query": "q"}\n')
    with pytest.raises(InvalidFile, match="not a file of calls"):
        read_calls(path)


def test_a_lever_is_compared_with_the_control_of_its_own_template() -> None:
    result = measure_levers(make_experiment(), draws=100, seed=0)
    gold = result["levers"]["gold"]
    assert gold[OWN_CONTROL]["soft"]["mean"] == pytest.approx(0.1)
    assert gold[OWN_CONTROL]["soft"]["templates"] == pytest.approx([0.05, 0.15])
    assert gold[CONTROL]["soft"]["mean"] == pytest.approx(0.25)
    assert gold[BASELINE]["written"]["mean"] == pytest.approx(0.15)
    assert gold[OWN_CONTROL]["own"] == {"n": 0}
    # Every query is the same, so all that the interval resamples is the templates.
    assert gold[OWN_CONTROL]["soft"]["interval"] == pytest.approx([0.05, 0.15])
    assert len(result["places"]["gold"]) == 5
    assert result["outcomes"]["target_nothing"] == 0
    assert result["outcomes"]["forced"] == pytest.approx(2 / 3)
    assert levers.findings({"order": ["x"], "sets": {"x": result}}).tables


def rotate(query: str, shares: tuple[float, ...]) -> list[CallShares]:
    """Return the calls of a question whose sources keep their shares wherever they stand."""
    n = len(shares)
    shown = [tuple(shares[(i - place) % n] for i in range(n)) for place in range(n)]
    return [CallShares(query, BASELINE, p, "00", s, s, (), (), (1, 0, 0, 0)) for p, s in enumerate(shown)]


def test_a_short_block_is_compared_with_filler_of_its_own_length() -> None:
    arms = {BASELINE: 0.2, "gold_short_lever_1": 0.3, "gold_short_control_1": 0.25, SHORT_FILLER: 0.22, CONTROL: 0.1}
    calls = [make_call(f"q{n}", arm, p, s) for n in range(10) for arm, s in arms.items() for p in range(5)]
    measured = measure_levers(calls, draws=20, seed=0)["levers"]["gold_short"]
    assert [round(measured[k]["soft"]["mean"], 3) for k in (OWN_CONTROL, CONTROL, BASELINE)] == [0.05, 0.08, 0.1]


def test_an_order_that_serves_every_question_is_found_and_bounds_what_can_be_reached() -> None:
    shares = (0.5, 0.2, 0.15, 0.1, 0.05)
    calls = [c for s in range(10) for q in range(8) for c in rotate(f"s{s}.q{q}", shares)]
    by_set = average_rotations(calls, "soft")
    assert by_set["s0"]["s0.q0"] == pytest.approx(shares)
    scores = {"shipped": dict.fromkeys(by_set, (1.0, 2.0, 3.0, 4.0, 5.0))}
    result = measure_blind(by_set, {REPEAT: by_set}, scores, draws=100, seed=0)
    assert result["figures"]["crossed"]["spearman"]["value"] == pytest.approx(1)
    assert result["figures"]["shipped"]["pairs"]["value"] == 0
    assert result["limit"]["value"] == result[NOISE_LIMIT]["value"] == pytest.approx(1)
    assert result["queries"] == 10
    assert "80 questions" in blind.findings({"soft": result, "written": result}).lines[0]


def test_a_question_that_lacks_a_rotation_is_left_out() -> None:
    calls = rotate("s.q1", (0.5, 0.3, 0.2)) + rotate("s.q2", (0.5, 0.3, 0.2))[:2]
    calls.append(CallShares("s.q3", BASELINE, 0, "00", (), (), (), (), (0, 0, 0, 0)))  # it cites nothing
    assert list(average_rotations(calls, "soft")["s"]) == ["s.q1"]


def test_questions_that_contradict_each_other_have_no_limit() -> None:
    calls = [c for s in range(10) for c in rotate(f"s{s}.q1", (0.5, 0.3, 0.2)) + rotate(f"s{s}.q2", (0.2, 0.3, 0.5))]
    by_set = average_rotations(calls, "soft")
    assert "undefined" in measure_blind(by_set, {}, {}, draws=100, seed=0)["limit"]


def test_sets_of_one_query_are_resampled_together() -> None:
    shares = {"a": (0.5, 0.3, 0.2), "b": (0.2, 0.3, 0.5)}
    calls = [c for name in shares for s in range(10) for q in "12" for c in rotate(f"{name}.{s}.q{q}", shares[name])]
    result = measure_blind(average_rotations(calls, "soft"), {}, {}, draws=100, seed=0)
    assert (result["sets"], result["queries"]) == (20, 2)
    assert result["limit"]["interval"] is None, "two queries are too few, however many sets they have"


def test_equal_guesses_are_half_right_and_equal_shares_are_left_out() -> None:
    assert order_pairs((1, 1), (0.6, 0.4)) == 0.5
    assert order_pairs((1, 2), (0.5, 0.5)) is None


def test_a_file_of_calls_without_an_engine_is_refused(tmp_path: Path) -> None:
    for head in ({}, {"engine": None}, {"engine": " "}):
        write_calls(tmp_path / "calls.jsonl.gz", head, [make_call("q", BASELINE, 0, 0.2)])
        with pytest.raises(InvalidFile, match="engine"):
            read_calls(tmp_path / "calls.jsonl.gz")
