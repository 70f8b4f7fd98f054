"""The run: nothing is lost, nothing paid is sent twice, the budget holds, and the journal alone tells it all."""

from __future__ import annotations

import signal
import threading
import time
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from steelyard.errors import SteelyardError
from steelyard.lab.edits.base import Target
from steelyard.lab.outcome import run as runs
from steelyard.lab.outcome.arms import ARMS
from steelyard.lab.outcome.engines.base import DROPPED, MALFORMED, REFUSED, TIMED_OUT, Answer, EngineFailed, Question
from steelyard.lab.outcome.experiment import ExperimentPlan
from steelyard.lab.outcome.recorded_run import read_run
from steelyard.lab.outcome.records import questions as sets
from steelyard.lab.outcome.records.base import SourceRecord
from steelyard.lab.outcome.records.load import load_records
from steelyard.lab.outcome.run import MAX_FAILING_QUERIES, Budget, count_calls
from steelyard.support import journal
from steelyard.support.formatting import format_count
from steelyard.support.journal import Header, Journal
from tests.lab.outcome.experiment_fixtures import Stub, list_calls, make_answer, make_questions, run_experiment

SHORT = ExperimentPlan(arms=("baseline", "quotation", "neutral_filler"))
ASKED = make_questions(2)
CALLS = 2 * 3 * 2


def names(plan: ExperimentPlan = SHORT, n: int = 2) -> dict[Question, str]:
    """What is asked, and the name of the call that asks it; no two calls ask the same."""
    found = {call.question: call.name for call in list_calls(make_questions(n), plan)}
    assert len(found) == count_calls(make_questions(n), plan)
    return found


@pytest.fixture(scope="module")
def whole(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The journal of a run that nothing disturbed."""
    path = tmp_path_factory.mktemp("whole") / "run.jsonl"
    run_experiment(ASKED, Stub(), path, SHORT)
    return path


# Asking


def test_every_call_of_the_plan_is_asked_once_and_every_answer_kept(tmp_path: Path) -> None:
    engine = Stub()
    assert run_experiment(ASKED, engine, tmp_path / "run", SHORT) == runs.RunSummary(None)
    assert Counter(engine.asked) == Counter(names().keys())
    found = read_run(tmp_path / "run")
    assert [o.answer for o in found.outcomes] == [make_answer(call.question) for call in list_calls(ASKED, SHORT)]
    assert {(o.engine, o.run, o.dataset) for o in found.outcomes} == {("stub", "", "outcome run")}
    assert found.counts == {
        "engine": "stub", "engine_kind": "served model", "queries": 2, "skipped": 0, "calls": CALLS,
        "answered": CALLS, "cut": 0, "failed": {}, "reasons": {}, "lost_in_flight": 0, "sent": CALLS,
        "tokens": 12 * CALLS,
    }  # fmt: skip


def test_a_call_is_in_the_journal_before_it_is_sent(tmp_path: Path) -> None:
    path, by_question = tmp_path / "run", names()

    def look(question: Question) -> str:
        last = journal.read(path).records[-1]
        assert (last["kind"], last["call"], last["try"]) == ("sent", by_question[question], 1)
        return make_answer(question)

    run_experiment(ASKED, Stub(look), path, SHORT)
    assert read_run(path).counts["answered"] == CALLS


def test_what_a_source_or_an_answer_holds_comes_back_as_it_was(tmp_path: Path) -> None:
    odd = "“Brød” \x1b[31m  [1]\n\x00 🙂 half \ud83d a smile [2]."
    run_experiment(make_questions(1), Stub(lambda _: odd), tmp_path / "run", SHORT)
    assert {o.answer for o in read_run(tmp_path / "run").outcomes} == {odd}


def test_answers_that_were_cut_are_counted(tmp_path: Path) -> None:
    def say(question: Question) -> Answer:
        return Answer(make_answer(question), finish="length" if question.query == ASKED[0].query else "stop")

    run_experiment(ASKED, Stub(say), tmp_path / "run", SHORT)
    counts = read_run(tmp_path / "run").counts
    assert (counts["cut"], counts["answered"]) == (CALLS // 2, CALLS)
    assert counts["tokens"] == 0  # the engine did not count them


def test_queries_that_cannot_be_edited_are_left_out_and_counted(tmp_path: Path) -> None:
    short = sets.ExperimentQuestion("short", "What?", tuple(SourceRecord(str(i), "Yes, it is.") for i in range(2)), 0)
    dutch = sets.ExperimentQuestion("dutch", "Wat?", ASKED[0].sources, 0, language="nl")
    engine = Stub()
    run_experiment((short, ASKED[0], dutch), engine, tmp_path / "run", SHORT)
    assert len(engine.asked) == CALLS // 2
    found = read_run(tmp_path / "run")
    assert {o.query_id for o in found.outcomes} == {"q0"}
    assert (found.counts["skipped"], found.counts["answered"]) == (2, CALLS // 2)
    reasons = {r["query_id"]: r["reason"] for r in journal.read(tmp_path / "run").records if r["kind"] == "skipped"}
    assert "topic words" in reasons["short"]
    assert reasons["dutch"] == "there are no edits in 'nl', only in en, de, es, fr"
    run_experiment((short, ASKED[0], dutch), engine, tmp_path / "run", SHORT)
    assert len(engine.asked) == CALLS // 2


# Failures


def failing(*numbers: int, kind: str = MALFORMED) -> Callable[[Question], str | EngineFailed]:
    """Fails on these calls, counted from 1 as they come."""
    count, lock = [0], threading.Lock()

    def say(question: Question) -> str | EngineFailed:
        with lock:
            count[0] += 1
            number = count[0]
        return EngineFailed(kind, f"number {number}") if number in numbers else make_answer(question)

    return say


@pytest.mark.parametrize("parallel", [1, 4])
def test_failed_calls_are_counted_kept_and_repeated_only_when_asked_for(tmp_path: Path, parallel: int) -> None:
    path = tmp_path / "run"
    run_experiment(ASKED, Stub(failing(3, 4, 9), parallel=parallel), path, SHORT)
    counts = read_run(path).counts
    assert (counts["failed"], counts["answered"], counts["lost_in_flight"]) == ({MALFORMED: 3}, CALLS - 3, 0)
    assert counts["reasons"][MALFORMED].startswith("number ")
    before, engine = path.read_bytes(), Stub()
    run_experiment(ASKED, engine, path, SHORT)
    assert (engine.asked, path.read_bytes()) == ([], before)
    run_experiment(ASKED, engine, path, SHORT, again=True)
    assert len(engine.asked) == 3
    counts = read_run(path).counts
    assert (counts["failed"], counts["reasons"], counts["answered"], counts["sent"]) == ({}, {}, CALLS, CALLS + 3)
    assert path.read_bytes().startswith(before)


def test_a_call_may_fail_again_and_again_and_is_one_failed_call(tmp_path: Path) -> None:
    path = tmp_path / "run"
    run_experiment(ASKED, Stub(failing(2)), path, SHORT)
    for tries in (2, 3):
        run_experiment(ASKED, Stub(failing(1, kind=TIMED_OUT)), path, SHORT, again=True)
        counts = read_run(path).counts
        assert (counts["failed"], counts["calls"], counts["sent"]) == ({TIMED_OUT: 1}, CALLS, CALLS - 1 + tries)


@pytest.mark.parametrize("parallel", [1, 4])
def test_an_engine_that_is_not_there_is_given_up_at_once_and_kindly(tmp_path: Path, parallel: int) -> None:
    path = tmp_path / "run"
    engine = Stub(lambda _: EngineFailed(DROPPED, "nobody home"), parallel=parallel)
    with pytest.raises(SteelyardError, match=r"no call was answered.*dropped: nobody home; .* --again"):
        run_experiment(ASKED, engine, path, SHORT)
    assert 1 <= len(engine.asked) <= parallel
    run_experiment(ASKED, Stub(), path, SHORT, again=True)
    assert read_run(path).counts["answered"] == CALLS


def test_an_engine_that_takes_no_query_is_given_up_after_a_few_of_them(tmp_path: Path) -> None:
    engine = Stub(lambda _: EngineFailed(REFUSED, "status 401"))
    with pytest.raises(SteelyardError, match="refused: status 401"):
        run_experiment(make_questions(MAX_FAILING_QUERIES + 2), engine, tmp_path / "run", SHORT)
    assert len(engine.asked) == (MAX_FAILING_QUERIES - 1) * CALLS // 2 + 1
    bad = {
        call.question for call in list_calls(make_questions(MAX_FAILING_QUERIES + 1)[: MAX_FAILING_QUERIES - 1], SHORT)
    }
    wary = Stub(lambda q: EngineFailed(REFUSED, "not this one") if q in bad else make_answer(q))
    run_experiment(make_questions(MAX_FAILING_QUERIES + 1), wary, tmp_path / "other", SHORT)
    counts = read_run(tmp_path / "other").counts
    assert (counts["failed"], counts["answered"]) == ({REFUSED: len(bad)}, CALLS)


@pytest.mark.parametrize("parallel", [1, 4])
def test_an_engine_that_has_answered_before_is_asked_to_the_end(tmp_path: Path, parallel: int) -> None:
    """An outage in the middle costs the calls that it fell on; --again makes up for them."""
    path = tmp_path / "run"
    run_experiment(ASKED, Stub(), path, SHORT, budget=Budget(calls=2))
    engine = Stub(lambda _: EngineFailed(DROPPED, "nobody home"), parallel=parallel)
    run_experiment(ASKED, engine, path, SHORT)
    assert len(engine.asked) == CALLS - 2
    assert read_run(path).counts["failed"] == {DROPPED: CALLS - 2}


@pytest.mark.parametrize("parallel", [1, 4])
def test_a_fault_of_the_engine_ends_the_run_and_keeps_what_was_answered(tmp_path: Path, parallel: int) -> None:
    path, count, lock = tmp_path / "run", [0], threading.Lock()

    def faulty(question: Question) -> str:
        with lock:
            count[0] += 1
            fifth = count[0] == 5
        if fifth:
            raise ZeroDivisionError("ours")
        return make_answer(question)

    with pytest.raises(ZeroDivisionError):
        run_experiment(ASKED, Stub(faulty, parallel=parallel), path, SHORT)
    counts = read_run(path).counts
    assert counts["lost_in_flight"] == 1
    assert counts["answered"] == count[0] - 1
    run_experiment(ASKED, Stub(), path, SHORT)
    assert read_run(path).counts["answered"] == CALLS


def test_an_interruption_waits_for_what_is_in_flight_and_loses_no_answer(tmp_path: Path) -> None:
    path, interrupted = tmp_path / "run", threading.Event()

    def slow(question: Question) -> str:
        interrupted.wait(10)
        time.sleep(0.05)
        return make_answer(question)

    def interrupt() -> None:
        while len(engine.asked) < 4:
            time.sleep(0.005)
        signal.raise_signal(signal.SIGINT)
        interrupted.set()

    engine = Stub(slow, parallel=4)
    thread = threading.Thread(target=interrupt)
    thread.start()
    with pytest.raises(KeyboardInterrupt):
        run_experiment(ASKED, engine, path, SHORT)
    thread.join()
    counts = read_run(path).counts
    assert counts["lost_in_flight"] == 0
    assert 4 <= counts["answered"] == len(engine.asked) < CALLS


# Stopped at any line, and started again


def copied(whole: Path, folder: Path, lines: int | None = None, torn: bytes = b"") -> Path:
    path = folder / "run.jsonl"
    path.write_bytes(b"".join(whole.read_bytes().splitlines(keepends=True)[:lines]) + torn)
    return path


def in_flight(path: Path) -> set[str]:
    records = journal.read(path).records
    return {r["call"] for r in records if r["kind"] == "sent"} - {r["call"] for r in records if r["kind"] == "answer"}


LINES = 1 + 2 + 2 * CALLS  # the header, two questions, every call and every answer


def test_a_paid_run_cut_at_any_line_sends_nothing_twice(tmp_path: Path, whole: Path) -> None:
    by_question = names()
    for lines in range(1, LINES + 1):
        path = copied(whole, tmp_path, lines)
        sent = {r["call"] for r in journal.read(path).records if r["kind"] == "sent"}
        lost = in_flight(path)
        assert len(lost) <= 1
        engine = Stub(paid=True)
        run_experiment(ASKED, engine, path, SHORT)
        assert sorted(by_question[q] for q in engine.asked) == sorted(set(by_question.values()) - sent)
        counts = read_run(path).counts
        assert (counts["lost_in_flight"], counts["answered"]) == (len(lost), CALLS - len(lost))
        engine.asked.clear()
        run_experiment(ASKED, engine, path, SHORT, again=True)
        assert {by_question[q] for q in engine.asked} == lost
        assert read_run(path).outcomes == read_run(whole).outcomes


@pytest.mark.parametrize("torn", [b"", b'{"check":"0123', b'{"check":"0123456789ab","record":{"kind":"sent"}}\n'])
def test_a_free_run_cut_at_any_line_ends_as_if_nothing_had_happened(tmp_path: Path, whole: Path, torn: bytes) -> None:
    undisturbed = read_run(whole)
    for lines in range(1, LINES + 1, 1 if torn == b"" else 5):
        path = copied(whole, tmp_path, lines, torn)
        engine = Stub()
        run_experiment(ASKED, engine, path, SHORT)
        after = read_run(path)
        assert after.outcomes == undisturbed.outcomes
        lost = after.counts["sent"] - CALLS
        assert lost in (0, 1)
        assert after.counts == {**undisturbed.counts, "sent": CALLS + lost}


# The budget


@pytest.mark.parametrize("paid", [True, False])
@pytest.mark.parametrize("parallel", [1, 8])
def test_no_more_calls_are_sent_than_the_budget_over_all_sessions(tmp_path: Path, parallel: int, paid: bool) -> None:
    path = tmp_path / "run"
    engine = Stub(parallel=parallel, paid=paid, slowest=0.01)
    for limit, sent in ((1, 1), (5, 5), (5, 5), (3, 5), (11, 11)):
        ran = run_experiment(ASKED, engine, path, SHORT, budget=Budget(calls=limit))
        assert ran.stopped == format_count(limit, "call")
        assert len(engine.asked) == sent
        assert read_run(path).counts["answered"] == sent
    assert run_experiment(ASKED, engine, path, SHORT, budget=Budget(calls=CALLS)).stopped is None
    assert Counter(engine.asked) == Counter(names().keys())


def test_failed_and_repeated_calls_count_for_the_budget_too(tmp_path: Path) -> None:
    path = tmp_path / "run"
    run_experiment(ASKED, Stub(failing(2, 3)), path, SHORT)
    engine = Stub()
    ran = run_experiment(ASKED, engine, path, SHORT, again=True, budget=Budget(calls=CALLS + 1))
    assert (ran.stopped, len(engine.asked)) == (f"{CALLS + 1} calls", 1)
    assert read_run(path).counts["failed"] == {MALFORMED: 1}


def test_tokens_stop_a_run_and_a_larger_budget_goes_on(tmp_path: Path) -> None:
    path, engine = tmp_path / "run", Stub()
    for limit, sent in ((1, 1), (50, 5), (60, 5), (61, 6)):  # each call takes twelve
        ran = run_experiment(ASKED, engine, path, SHORT, budget=Budget(tokens=limit))
        assert (ran.stopped, len(engine.asked)) == (format_count(limit, "token"), sent)
        assert read_run(path).counts["tokens"] == 12 * sent
    assert run_experiment(ASKED, engine, path, SHORT, budget=Budget(calls=1000, tokens=12 * CALLS)).stopped is None
    assert len(engine.asked) == CALLS


def test_of_tokens_no_more_are_overdrawn_than_calls_run_at_a_time(tmp_path: Path) -> None:
    engine = Stub(parallel=4, slowest=0.01)
    ran = run_experiment(ASKED, engine, tmp_path / "run", SHORT, budget=Budget(tokens=36))
    assert ran.stopped == "36 tokens"
    assert 3 <= len(engine.asked) <= 3 + 3


# Several at a time


@pytest.mark.parametrize("scheme", ["counterbalanced", "latin"])
def test_answers_that_come_out_of_order_are_told_in_the_order_of_the_plan(tmp_path: Path, scheme: str) -> None:
    asked, plan = (
        make_questions(3, sizes=(12, 3)),
        ExperimentPlan(arms=("baseline", "statistics"), orders=scheme, canary=True),
    )
    run_experiment(asked, Stub(), tmp_path / "one", plan)
    engine = Stub(parallel=8, slowest=0.03)
    run_experiment(asked, engine, tmp_path / "many", plan)
    one, many = read_run(tmp_path / "one"), read_run(tmp_path / "many")
    assert (one.outcomes, one.counts) == (many.outcomes, many.counts)
    came = [
        [r["call"] for r in journal.read(tmp_path / name).records if r["kind"] == "answer"] for name in ("one", "many")
    ]
    assert came[0] == [f"{o.query_id}|{o.arm}|{o.order}" for o in one.outcomes]
    assert came[0] == [call.name for call in list_calls(asked, plan)]
    assert came[1] != came[0]


def test_as_many_calls_run_at_a_time_as_the_engine_allows_and_no_more(tmp_path: Path) -> None:
    running, most, lock = [0], [0], threading.Lock()

    def counted(question: Question) -> str:
        with lock:
            running[0] += 1
            most[0] = max(most[0], running[0])
        time.sleep(0.01)
        with lock:
            running[0] -= 1
        return make_answer(question)

    run_experiment(ASKED, Stub(counted, parallel=3), tmp_path / "run", SHORT)
    assert most == [3]


# What is refused


@pytest.mark.parametrize(
    ("change", "shown"),
    [
        ({"plan": ExperimentPlan(arms=SHORT.arms, seed=1)}, "parameters.seed: 0 → 1"),
        ({"plan": ExperimentPlan(arms=SHORT.arms, orders="latin")}, 'parameters.orders: "counterbalanced" → "latin"'),
        ({"plan": ExperimentPlan(arms=SHORT.arms, canary=True)}, "parameters.canary: false → true"),
        ({"plan": ExperimentPlan(arms=SHORT.arms, words=50)}, "parameters.words: 400 → 50"),
        ({"plan": ExperimentPlan(arms=SHORT.arms[:2])}, 'parameters.arms[2]: "neutral_filler" → absent'),
        ({"asked": make_questions(1)}, "parameters.queries: 2 → 1"),
        ({"asked": make_questions(2, sources=4)}, "inputs.questions asked: "),
        ({"engine": Stub(name="other")}, 'parameters.name: "stub" → "other"'),
        ({"engine": Stub(identity={"engine": "stub", "seed": 2})}, "parameters.engine.seed: "),
    ],
    ids=lambda value: next(iter(value)) if isinstance(value, dict) else "",
)
def test_a_journal_made_under_other_conditions_is_refused_with_the_difference(
    tmp_path: Path, whole: Path, change: dict[str, Any], shown: str
) -> None:
    path = copied(whole, tmp_path)
    engine = change.get("engine") or Stub()
    with pytest.raises(SteelyardError) as caught:
        run_experiment(change.get("asked", ASKED), engine, path, change.get("plan", SHORT))
    assert shown in str(caught.value)
    assert "--force" in str(caught.value)
    assert (engine.asked, path.read_bytes()) == ([], whole.read_bytes())
    run_experiment(change.get("asked", ASKED), engine, path, change.get("plan", SHORT), force=True)
    assert read_run(path).counts["answered"] == len(engine.asked) > 0


def test_how_fast_and_for_how_much_is_no_other_condition(tmp_path: Path, whole: Path) -> None:
    path = copied(whole, tmp_path, 12)
    run_experiment(ASKED, Stub(parallel=4, paid=True), path, SHORT, budget=Budget(calls=99), again=True)
    assert read_run(path).outcomes == read_run(whole).outcomes


def test_a_call_that_would_ask_something_else_under_the_same_name_is_refused(
    tmp_path: Path, whole: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def other(target: Target, seed: int) -> str:
        return f"{target.text} Another block."

    monkeypatch.setattr("steelyard.lab.outcome.experiment.ARMS", {**ARMS, "quotation": other})
    engine = Stub()
    with pytest.raises(SteelyardError, match=r"q0\|quotation\|forward asked for something else then; .*--force"):
        run_experiment(ASKED, engine, copied(whole, tmp_path), SHORT)
    assert engine.asked == []


def test_another_journal_is_no_run(tmp_path: Path) -> None:
    with Journal.open(tmp_path / "other", Header("capture", "other/1"), key=str):
        pass
    with pytest.raises(SteelyardError, match="a journal of 'capture', not of an outcome run"):
        read_run(tmp_path / "other")


# Reading


def test_records_are_read_without_any_engine(whole: Path) -> None:
    found = load_records(whole)
    assert (found.dataset, found.mode, found.embedded) == ("outcome run", "strict", False)
    assert found.outcomes == read_run(whole).outcomes
    assert found.notes == (
        "engine: stub, served model",
        f"{CALLS} calls: {CALLS} answered, 0 failed, 0 lost in flight; 0 queries could not be edited",
    )


def test_estimates_are_those_of_the_plan() -> None:
    asked, plan = make_questions(2, sizes=(3, 4)), ExperimentPlan(orders="latin", canary=True)
    assert count_calls(asked, plan) == 8 * (3 + 4) == len(list_calls(asked, plan))
    characters = sum(len(s) for call in list_calls(asked, plan) for s in call.question.sources)
    assert 0.5 * characters < 4 * runs.estimate_tokens(asked, plan) <= characters
    assert runs.estimate_tokens(asked, ExperimentPlan(words=20)) < runs.estimate_tokens(asked, ExperimentPlan())
