"""A run against real servers that misbehave in its middle, against kill -9, and with a key that nobody may see."""

from __future__ import annotations

import os
import random
import signal
import subprocess
import sys
import threading
import time
from collections import Counter
from collections.abc import Callable, Mapping
from pathlib import Path

import pytest

from steelyard.lab.outcome.arms import CONTROL
from steelyard.lab.outcome.engines.base import (
    DROPPED,
    MALFORMED,
    RATE_LIMITED,
    REFUSED,
    SERVER_ERROR,
    TIMED_OUT,
    TOO_LARGE,
    WRONG_MODEL,
)
from steelyard.lab.outcome.engines.openai import KEY_VARIABLE
from steelyard.lab.outcome.experiment import ExperimentPlan
from steelyard.lab.outcome.recorded_run import read_run
from steelyard.lab.outcome.records.base import BASELINE, Outcome
from steelyard.lab.protocol.variants import LEVERS
from tests.conftest import ROOT
from tests.lab.outcome.engines.chat import MODEL, completion, replies
from tests.lab.outcome.engines.test_openai import half_an_answer, hang_up, refuses
from tests.lab.outcome.engines.test_secrets import KEY, PARTS, SCENES
from tests.lab.outcome.experiment_fixtures import (
    Done,
    Stub,
    healthy,
    list_calls,
    make_questions,
    prompt_of,
    question_of,
    run_experiment,
    steelyard,
    write_questions,
)
from tests.lab.scorers.server import Answer, Handler, Server, serving

ASKED = make_questions(2)
THREE = ExperimentPlan((BASELINE, *LEVERS, CONTROL))
CALLS = 2 * len(THREE.arms) * 2


class Moody:
    """Healthy, but for the calls in certain places, whose every try meets with the fault there."""

    def __init__(self, faults: Mapping[int, Answer]) -> None:
        self.faults = faults
        self.places: dict[str, int] = {}
        self.tries: Counter[str] = Counter()
        self.lock = threading.Lock()

    def __call__(self, handler: Handler, number: int) -> None:
        prompt = prompt_of(handler, number)
        with self.lock:
            place = self.places.setdefault(prompt, len(self.places))
            self.tries[prompt] += 1
            tried = self.tries[prompt]
        self.faults.get(place, lambda handler, _: healthy(handler, number))(handler, tried)


def hang(handler: Handler, _: int) -> None:
    time.sleep(15)
    hang_up(handler, 0)


def half_without_a_length(handler: Handler, _: int) -> None:
    handler.send_response(200)
    handler.end_headers()
    handler.wfile.write(completion()[:40])
    handler.close_connection = True


FAULTS: dict[str, tuple[Answer, str]] = {
    "busy for ever": (replies(b'{"error": {"message": "slow down"}}', 429), RATE_LIMITED),
    "broken": (replies(b"", 500), SERVER_ERROR),
    "an error in a good answer": (replies(b'{"error": {"message": "overloaded"}}'), SERVER_ERROR),
    "hanging": (hang, TIMED_OUT),
    "half an answer": (half_an_answer, DROPPED),
    "half an answer without a length": (half_without_a_length, MALFORMED),
    "no JSON": (replies(b"<html>Bad gateway</html>"), MALFORMED),
    "JSON of something else": (replies(b'[{"answer": 42}]'), MALFORMED),
    "an answer without words": (replies(completion("  ")), MALFORMED),
    "another model": (replies(completion(model="other-2")), WRONG_MODEL),
    "too much": (replies(completion("x" * 2_100_000)), TOO_LARGE),
    "declined": (replies(completion(None, message={"refusal": "I cannot."})), REFUSED),
    "hung up": (hang_up, DROPPED),
}


@pytest.fixture(autouse=True)
def impatient(monkeypatch: pytest.MonkeyPatch, retry_waits: list[float]) -> None:
    """No key, and no waiting between the tries of a call."""
    monkeypatch.delenv(KEY_VARIABLE, raising=False)


@pytest.fixture(scope="module")
def undisturbed(tmp_path_factory: pytest.TempPathFactory) -> tuple[Outcome, ...]:
    path = tmp_path_factory.mktemp("undisturbed") / "run.jsonl"
    run_experiment(ASKED, Stub(name=MODEL), path, THREE)
    return read_run(path).outcomes


Ask = Callable[..., Done]


@pytest.fixture
def ask(tmp_path: Path) -> Ask:
    """`outcome run` on the questions, with a server, into run.jsonl."""
    file = write_questions(tmp_path / "questions.jsonl", ASKED)

    def call(server: Server, *options: str) -> Done:
        plan = ("--levers", "three", "--engine", f"openai:{MODEL}@{server.url}/v1", "--quiet")
        return steelyard("outcome", "run", file, "-o", tmp_path / "run.jsonl", *plan, *options)

    return call


# Faults in the middle


def test_a_fault_costs_the_calls_it_fell_on_and_again_makes_up_for_them(
    ask: Ask, tmp_path: Path, undisturbed: tuple[Outcome, ...]
) -> None:
    path, first, number = tmp_path / "run.jsonl", 3, len(FAULTS)
    kinds = Counter(kind for _, kind in FAULTS.values())
    with serving(Moody({first + i: fault for i, (fault, _) in enumerate(FAULTS.values())})) as server:
        done = ask(server, "--timeout", "5")
        assert (done.returncode, done.stderr) == (1, "")
        listed = ", ".join(f"{kind} {n}" for kind, n in sorted(kinds.items()))
        assert f"\n{number} calls failed ({listed}); --again repeats them\n" in done.stdout
        counts = read_run(path).counts
        assert (counts["failed"], counts["answered"], counts["calls"]) == (kinds, CALLS - number, CALLS)
        assert (counts["lost_in_flight"], counts["sent"]) == (0, CALLS)  # a call that the client tries again is one

        before, seen = path.read_bytes(), len(server.seen)
        server.answer = healthy
        assert ask(server, "--timeout", "5").stdout == done.stdout  # what failed is not repeated unasked
        assert (path.read_bytes(), len(server.seen)) == (before, seen)

        done = ask(server, "--again")
        assert (done.returncode, done.stderr) == (0, "")
        assert "failed" not in done.stdout
        assert len(server.seen) == seen + number
    assert path.read_bytes().startswith(before)
    assert read_run(path).outcomes == undisturbed


def test_an_engine_that_never_cites_leaves_every_figure_undefined(ask: Ask, tmp_path: Path) -> None:
    path = tmp_path / "run.jsonl"
    with serving(replies(completion("Nobody knows where it is traded."))) as server:
        assert ask(server).returncode == 0
    for command in ("stats", "anchors", "ceiling"):
        done = steelyard("outcome", command, path, "--out", tmp_path / "out", "--no-plots")
        assert done.returncode == 0
        assert any(said in done.stdout for said in ("undefined", "nothing is observed"))
        assert "bug" not in done.stderr
        assert "nan" not in (done.stdout + done.stderr).lower().split()


def test_a_server_that_is_not_there_is_one_line_and_exit_2(ask: Ask, tmp_path: Path) -> None:
    with serving(healthy) as server:
        pass
    done = ask(server)
    assert (done.returncode, done.stdout) == (2, "")
    assert len(done.stderr.splitlines()) == 1
    assert done.stderr.startswith("steelyard: no call was answered; the last one failed: dropped: http://127.0.0.1:")
    assert "check the address and that the server runs" in done.stderr


def test_nothing_answered_of_a_few_calls_is_exit_2_with_the_reason(ask: Ask, tmp_path: Path) -> None:
    with serving(replies(b'{"error": {"message": "no such model"}}', 404)) as server:
        done = ask(server)
    assert done.returncode == 2
    assert f"\n{CALLS} calls failed (refused {CALLS}); --again repeats them\n" in done.stdout
    assert "\n  refused: status 404: no such model; check the model" in done.stdout
    assert "next:" not in done.stdout


def test_parameters_that_a_server_does_not_take_are_told(ask: Ask) -> None:
    with serving(refuses("temperature", "seed")) as server:
        done = ask(server)
    assert done.returncode == 0
    assert "\nthe server takes no seed, temperature: answers may differ from run to run\n" in done.stdout


def test_the_budget_in_tokens_stops_and_a_larger_one_goes_on(ask: Ask) -> None:
    with serving(healthy) as server:
        answer_tokens = ("--answer-tokens", "9")
        done = ask(server, "--parallel", "1", "--max-tokens", "200", *answer_tokens)  # each call takes 59
        assert (done.returncode, len(server.seen)) == (1, 4)
        assert {sent["max_tokens"] for _, _, sent in server.seen} == {9}
        assert f"4 answers of 2 queries, {4 * 59} tokens\nstopped at the budget of 200 tokens" in done.stdout
        assert ask(server, "--max-tokens", "100000", *answer_tokens).returncode == 0
        assert len(server.seen) == CALLS


# kill -9


# An address on this machine costs nothing; the child is made to think otherwise.
PAYING = """
from steelyard.cli.main import main
from steelyard.lab.outcome.engines.openai import OpenAI

OpenAI.paid = property(lambda self: True)
main()
"""
NAMES = {call.question: call.name for call in list_calls(ASKED, THREE)}


class Counted:
    """Answers after a while, counts what came by the name of the call, and keeps it waiting from the `hold`-th on."""

    def __init__(self) -> None:
        self.calls: Counter[str] = Counter()
        self.hold: int | None = None
        self.released = threading.Event()

    def __call__(self, handler: Handler, number: int) -> None:
        with handler.server.noting:
            self.calls[NAMES[question_of(prompt_of(handler, number))]] += 1
            held = self.hold is not None and len(self) >= self.hold
        if held:
            self.released.wait(60)
        time.sleep(0.03)
        healthy(handler, number)

    def __len__(self) -> int:
        return self.calls.total()


class Killed:
    """A run in a process of its own, killed when the server has seen so many calls, and started again."""

    def __init__(self, server: Server, counted: Counted, folder: Path) -> None:
        self.counted, self.folder = counted, folder
        write_questions(folder / "questions.jsonl", ASKED)
        self.command = [
            sys.executable, "-c", PAYING, "outcome", "run", "questions.jsonl", "-o", "run.jsonl", "--quiet",
            "--levers", "three",
            "--engine", f"openai:{MODEL}@{server.url}/v1",
        ]  # fmt: skip
        self.environment = {**os.environ, "PYTHONPATH": str(ROOT)}

    def kill(self, calls: int) -> bool:
        """Whether it was killed: it cannot end before, because the server keeps the last calls waiting."""
        self.counted.hold = calls
        self.counted.released.clear()
        process = subprocess.Popen(
            self.command, cwd=self.folder, env=self.environment, stdout=subprocess.PIPE, stderr=subprocess.PIPE
        )
        deadline = time.monotonic() + 60
        while len(self.counted) < calls and process.poll() is None and time.monotonic() < deadline:
            time.sleep(0.001)
        process.send_signal(signal.SIGKILL)
        process.communicate(timeout=600)
        self.counted.hold = None
        self.counted.released.set()
        return process.returncode == -signal.SIGKILL

    def end(self, *options: str) -> Done:
        return subprocess.run(
            [*self.command, *options],
            cwd=self.folder, env=self.environment, capture_output=True, encoding="utf-8", timeout=120, check=False,
        )  # fmt: skip


def moments(seed: int) -> list[int]:
    return sorted(random.Random(seed).sample(range(1, CALLS - 1), 3))


@pytest.mark.parametrize("seed", [1, *(pytest.param(seed, marks=pytest.mark.full) for seed in range(2, 7))])
def test_a_paid_run_killed_again_and_again_sends_no_call_twice(
    seed: int, tmp_path: Path, undisturbed: tuple[Outcome, ...]
) -> None:
    counted = Counted()
    with serving(counted) as server:
        run, before, killed = Killed(server, counted, tmp_path), b"", 0
        for moment in moments(seed):
            killed += run.kill(moment)
            after = (tmp_path / "run.jsonl").read_bytes()
            assert after.startswith(before)
            before = after[: after.rfind(b"\n") + 1]
        assert killed == 3
        done = run.end()
        assert set(counted.calls.values()) == {1}
        counts = read_run(tmp_path / "run.jsonl").counts
        lost = counts["lost_in_flight"]
        assert 0 < lost <= 3 * 4  # four run at a time
        assert counts["answered"] == CALLS - lost
        assert done.returncode == 1
        sent = "call was" if lost == 1 else "calls were"
        assert f"\n{lost} {sent} sent and never answered, perhaps paid for; --again repeats " in done.stdout
        assert counted.calls.total() >= CALLS - lost
        once = Counter(counted.calls)
        assert run.end("--again").returncode == 0
        assert (counted.calls - once).total() == lost
    found = read_run(tmp_path / "run.jsonl")
    assert (found.counts["lost_in_flight"], found.outcomes) == (0, undisturbed)


# The key

ECHOES = (
    "error", "unauthorised", "forbidden", "busy", "broken", "answer with the key", "model with the key",
    "wrong model with the key", "finish with the key", "refusal with the key", "a key at the cut", "cut",
)  # fmt: skip


def test_a_planted_key_is_in_no_output_and_no_file(
    run: Callable[..., Done], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PLANTED_KEY", KEY)
    write_questions(tmp_path / "questions.jsonl", ASKED)
    with serving(Moody({3 + i: SCENES[name] for i, name in enumerate(ECHOES)})) as server:
        base = f"{server.url}/v1?key={KEY}"
        command = (
            "--debug", "outcome", "run", "questions.jsonl", "--engine", f"openai:{MODEL}@{base}", "-o", "run.jsonl",
            "--levers", "three",
            "--key-variable", "PLANTED_KEY", "--timeout", "5", "--parallel", "8",
        )  # fmt: skip
        first = run(*command, cwd=tmp_path)
        sent = [{name.lower(): value for name, value in headers.items()} for _, headers, _ in server.seen]
        assert {headers["authorization"] for headers in sent} == {f"Bearer {KEY}"}
        server.answer = replies(b"KEY", 401)
        refused = run(*command, "--force", "-o", "other.jsonl", cwd=tmp_path)
    assert first.returncode == 1
    assert f"answers of 2 queries, {(CALLS - 9) * 59} tokens" in first.stdout
    assert refused.returncode == 2
    outputs = [first, refused]
    for study in ("stats", "anchors", "ceiling"):
        outputs.append(steelyard("outcome", study, tmp_path / "run.jsonl", "--out", tmp_path / "out", "--no-plots"))
    files = {path: path.read_bytes().decode("latin-1") for path in tmp_path.rglob("*") if path.is_file()}
    assert {path.name for path in files} >= {"run.jsonl", "other.jsonl", "outcome.json", "ceiling.json"}
    assert "[secret]" in files[tmp_path / "run.jsonl"]
    for text in (*files.values(), *(done.stdout + done.stderr for done in outputs)):
        for part in PARTS:
            assert part not in text
