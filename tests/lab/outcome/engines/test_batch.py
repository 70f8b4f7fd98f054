"""A run by file: the same journal as a live one, whatever the order, the parts and the damage of the answers."""

from __future__ import annotations

import gzip
import json
import random
import re
from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from steelyard.errors import SteelyardError
from steelyard.lab.outcome.co_occurrences import name_instructions
from steelyard.lab.outcome.engines.base import Question
from steelyard.lab.outcome.engines.batch import PROMPTS, Batch
from steelyard.lab.outcome.engines.batch_answers import MAX_ANSWER_LINE, MAX_LISTED
from steelyard.lab.outcome.engines.prompt import ASPECTS, STYLES
from steelyard.lab.outcome.experiment import ExperimentPlan
from steelyard.lab.outcome.recorded_run import name_run, read_run
from steelyard.lab.outcome.run import Budget, RunSummary, count_calls
from steelyard.support import journal
from tests.lab.outcome.engines.chat import MODEL, completion, engine
from tests.lab.outcome.experiment_fixtures import (
    healthy,
    make_answer,
    make_questions,
    question_of,
    run_experiment,
    steelyard,
    write_questions,
)
from tests.lab.scorers.server import serving

PLAN = ExperimentPlan(arms=("baseline", "quotation", "neutral_filler"))
ASKED = make_questions(2)
CALLS = count_calls(ASKED, PLAN)
Record = dict[str, Any]


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return tmp_path / "batch"


def run_batch(folder: Path, *, plan: ExperimentPlan = PLAN, **options: Any) -> RunSummary:
    return run_experiment(ASKED, Batch(folder, MODEL), folder.parent / "run.jsonl", plan, **options)


def read_prompts(folder: Path) -> list[Record]:
    return [json.loads(line) for line in (folder / PROMPTS).read_text("utf-8").splitlines()]


def in_openai_form(request: Record, **more: Any) -> Record:
    """A line of OpenAI's output file."""
    answer = make_answer(question_of(request["body"]["messages"][1]["content"]))
    response = {"status_code": 200, "request_id": "r1", "body": json.loads(completion(answer))}
    return {"id": "batch_req_1", "custom_id": request["custom_id"], "response": response, "error": None, **more}


def in_anthropic_form(request: Record) -> Record:
    """A line of Anthropic's results."""
    answer = make_answer(question_of(request["body"]["messages"][1]["content"]))
    message = {
        "id": "msg_1", "type": "message", "role": "assistant", "model": MODEL, "stop_reason": "end_turn",
        "content": [{"type": "thinking", "thinking": "[2]"}, {"type": "text", "text": answer}],
        "stop_sequence": None, "usage": {"input_tokens": 50, "output_tokens": 9},
    }  # fmt: skip
    return {"custom_id": request["custom_id"], "result": {"type": "succeeded", "message": message}}


def write_answers(folder: Path, lines: Iterable[Record | bytes | str], name: str = "answers.jsonl") -> None:
    encoded = [
        line if isinstance(line, bytes) else (line if isinstance(line, str) else json.dumps(line)).encode()
        for line in lines
    ]
    (folder / name).write_bytes(b"\n".join(encoded) + b"\n")


def answers_of(path: Path) -> list[str | None]:
    return [o.answer for o in read_run(path).outcomes]


def find(notes: Sequence[str], word: str) -> str:
    """The one line that has the word."""
    (line,) = [line for line in notes if word in line]
    return line


def test_the_journal_is_that_of_a_live_run_but_for_the_engine(tmp_path: Path) -> None:
    for number, answer in enumerate((in_openai_form, in_anthropic_form)):
        folder = tmp_path / str(number) / "batch"
        folder.parent.mkdir()
        with serving(healthy) as server:
            run_experiment(ASKED, engine(server, parallel=1), tmp_path / "live", PLAN, force=True)
        first = run_batch(folder)
        assert (first.postponed, first.stopped) == (CALLS, None)
        assert not journal.read(folder.parent / "run.jsonl").records[2:]  # the questions alone
        prompts = read_prompts(folder)
        random.Random(3).shuffle(prompts)
        write_answers(folder, map(answer, prompts))
        assert run_batch(folder) == RunSummary(None)
        live, batch = journal.read(tmp_path / "live"), journal.read(folder.parent / "run.jsonl")
        kept = [r for r in batch.records if r["kind"] != "question"]
        assert kept == [r for r in live.records if r["kind"] != "question"]
        assert sorted(map(str, batch.records)) == sorted(map(str, live.records))
        described = dict(live.header.parameters["engine"])
        del described["base"]
        assert batch.header.parameters == {**live.header.parameters, "engine": {**described, "engine": "batch"}}
        assert batch.header.inputs == live.header.inputs
        assert answers_of(folder.parent / "run.jsonl") == answers_of(tmp_path / "live")


def test_a_prompt_is_a_request_that_every_provider_takes(folder: Path) -> None:
    run_batch(folder)
    requests = read_prompts(folder)
    assert len({r["custom_id"] for r in requests}) == len(requests) == CALLS
    for request in requests:
        assert list(request) == ["custom_id", "method", "url", "body"]
        assert re.fullmatch(r"[a-zA-Z0-9_-]{1,64}", request["custom_id"])
        assert (request["method"], request["url"]) == ("POST", "/v1/chat/completions")
        body = request["body"]
        assert {k: v for k, v in body.items() if k != "messages"} == {
            "model": MODEL, "max_tokens": 500, "temperature": 0, "seed": 1,
        }  # fmt: skip
        assert [m["role"] for m in body["messages"]] == ["system", "user"]
    warm = Batch(folder, MODEL, temperature=0.7)
    assert warm.make_body(Question("Why?", ("A page.",)))["temperature"] == warm.identity["temperature"] == 0.7
    unnamed = Batch(folder.parent / "any", seed=None)
    run_experiment(ASKED, unnamed, folder.parent / "other.jsonl", PLAN)
    assert list(read_prompts(folder.parent / "any")[0]["body"]) == ["messages", "max_tokens", "temperature"]
    assert unnamed.name == "any"


def test_calls_that_ask_the_same_are_one_prompt(folder: Path) -> None:
    twice = ExperimentPlan(arms=("baseline",), orders="latin")
    (question,) = make_questions(1)
    same = (question, replace(question, query_id="copy"))
    batch = Batch(folder)
    assert run_experiment(same, batch, folder.parent / "run.jsonl", twice).postponed == 6
    assert len(read_prompts(folder)) == 3
    write_answers(folder, map(in_openai_form, read_prompts(folder)))
    run_experiment(same, batch, folder.parent / "run.jsonl", twice)
    assert read_run(folder.parent / "run.jsonl").counts["answered"] == 6


def test_answers_come_in_parts_and_the_prompts_are_those_that_are_left(folder: Path) -> None:
    run_batch(folder)
    prompts = read_prompts(folder)
    write_answers(folder, map(in_openai_form, prompts[4:7]))
    ran = run_batch(folder)
    assert ran.postponed == CALLS - 3
    assert find(ran.notes, "without an answer").startswith(
        f"{CALLS - 3} prompts without an answer (calls: q0|baseline|"
    )
    assert read_prompts(folder) == [*prompts[:4], *prompts[7:]]
    write_answers(folder, map(in_openai_form, prompts[:4]))  # the journal has the others
    packed = gzip.compress(b"\n".join(json.dumps(in_anthropic_form(p)).encode() for p in prompts[7:]))
    (folder / "answers-2.jsonl.gz").write_bytes(packed)
    assert run_batch(folder) == RunSummary(None)
    assert read_prompts(folder) == []
    assert read_run(folder.parent / "run.jsonl").counts["answered"] == CALLS


def test_failures_are_kept_named_and_asked_again_on_demand(folder: Path) -> None:
    run_batch(folder)
    one, two, three, four, five, six, *rest = read_prompts(folder)

    def failed(request: Record, **line: Any) -> Record:
        return {"custom_id": request["custom_id"], **line}

    error = {"type": "error", "error": {"type": "invalid_request_error", "message": "too \x1b[31mlong"}}
    late = {"code": "batch_expired", "message": "out of time"}
    lines = [
        failed(one, response={"status_code": 429, "body": {"error": {"message": "slow down"}}}, error=None),
        failed(two, response=None, error=late),
        failed(three, result={"type": "errored", "error": error}),
        failed(four, result={"type": "expired"}),
        failed(five, result={"type": "canceled"}),
        failed(six, response={"status_code": 200, "body": {"choices": []}}),
    ]
    write_answers(folder, [*lines, *map(in_openai_form, rest)])
    ran = run_batch(folder)
    counts = read_run(folder.parent / "run.jsonl").counts
    assert counts["failed"] == {
        "dropped": 1, "malformed": 1, "rate limited": 1, "server error": 1, "timed out": 2,
    }  # fmt: skip
    note = find(ran.notes, "failed answers")
    assert note.startswith("6 failed answers")
    for said in ("answers.jsonl:1 (rate limited: status 429: slow down)", "(timed out: out of time)", "[31mlong)"):
        assert said in note, note
    assert "\x1b" not in note
    assert run_batch(folder).postponed == 0  # as a live engine, whose failures are kept until --again
    assert run_batch(folder, again=True).postponed == 6
    assert read_prompts(folder) == [one, two, three, four, five, six]
    write_answers(folder, map(in_openai_form, (one, two, three, four, five, six)), "answers-again.jsonl")
    assert run_batch(folder, again=True) == RunSummary(None)
    assert read_run(folder.parent / "run.jsonl").counts["answered"] == CALLS


def test_foreign_and_second_answers_are_named_and_never_used(folder: Path) -> None:
    run_batch(folder)
    prompts = read_prompts(folder)
    stranger = in_openai_form({**prompts[0], "custom_id": "request-1"})
    other = in_openai_form(prompts[0])
    other["response"]["body"]["choices"][0]["message"]["content"] = "Something else [2]."
    answers = [in_openai_form(p) for p in prompts]
    write_answers(folder, [*answers, stranger, answers[1], other])
    ran = run_batch(folder)
    assert (
        find(ran.notes, "foreign")
        == f"1 foreign answer, to no prompt of this run: answers.jsonl:{CALLS + 1} (request-1)"
    )
    assert f"answers.jsonl:{CALLS + 3} (first: answers.jsonl:1)" in find(ran.notes, "second")
    assert len(ran.notes) == 2  # an answer that is there twice is no trouble
    assert "Something else [2]." not in answers_of(folder.parent / "run.jsonl")


def test_an_answer_to_another_prompt_is_foreign(folder: Path) -> None:
    run_batch(folder)
    write_answers(folder, map(in_openai_form, read_prompts(folder)))
    folder.joinpath("answers.jsonl").rename(folder / "answers-old.jsonl")
    ran = run_experiment(ASKED, Batch(folder, MODEL, max_tokens=20), folder.parent / "short.jsonl", PLAN)
    assert ran.postponed == CALLS
    assert find(ran.notes, "foreign").startswith(f"{CALLS} foreign answers")
    assert f"and {CALLS - MAX_LISTED} more" in find(ran.notes, "foreign") or CALLS <= MAX_LISTED


DAMAGE: dict[str, Callable[[Record], bytes]] = {
    "not JSON (Unterminated": lambda line: json.dumps(line).encode()[:40],
    "not UTF-8 at byte": lambda line: json.dumps(line).encode().replace(b"batch_req_1", b"\xff\xfe"),
    "NaN is not a JSON number": lambda line: json.dumps({**line, "probabilities": [[float("nan"), 0.5]]}).encode(),
    "a JSON list, not an object": lambda line: json.dumps([line]).encode(),
    "`custom_id` is missing": lambda line: json.dumps({"response": line["response"]}).encode(),
    "`custom_id` is a int": lambda line: json.dumps({**line, "custom_id": 3}).encode(),
    "`custom_id` has 300 characters": lambda line: json.dumps({**line, "custom_id": "x" * 300}).encode(),
    "`response` is a str": lambda line: json.dumps({**line, "response": "yes"}).encode(),
    "neither `response` nor `error` nor `result`": lambda line: json.dumps({**line, "response": None}).encode(),
    "`status_code` is 200.5": lambda line: json.dumps({**line, "response": {"status_code": 200.5}}).encode(),
    "`type` is 'maybe'": lambda line: json.dumps({**line, "result": {"type": "maybe"}}).encode(),
    "no probability": lambda line: json.dumps({**line, "probabilities": [[0.2, 1.5, 0.1]]}).encode(),
    "`forced` needs a number for each of the 3 sources": lambda line: json.dumps(
        {**line, "probabilities": [[0.5, 0.5]]}
    ).encode(),
    "`own` is -1": lambda line: json.dumps({**line, "citations": {"own": -1}}).encode(),
    "longer than": lambda line: json.dumps({**line, "pad": "x" * MAX_ANSWER_LINE}).encode(),
    "nested too deep": lambda line: b'{"a":' + b"[" * 200_000 + b"]" * 200_000 + b"}",
}


def test_every_damage_is_named_by_its_line_and_costs_that_line_alone(tmp_path: Path) -> None:
    for number, (said, damage) in enumerate(DAMAGE.items()):
        folder = tmp_path / str(number) / "batch"
        folder.parent.mkdir()
        run_batch(folder)
        lines: list[Record | bytes] = [in_openai_form(p) for p in read_prompts(folder)]
        third = lines[2]
        assert isinstance(third, dict)
        lines[2] = damage(third)
        write_answers(folder, lines)
        ran = run_batch(folder)
        assert ran.postponed == 1, said
        note = find(ran.notes, "damaged")
        assert note.startswith("1 damaged line, not used: answers.jsonl:3"), note
        assert said in note, note
        assert len(note) < 1500, said
        assert read_run(folder.parent / "run.jsonl").counts["answered"] == CALLS - 1, said


def test_what_is_known_of_citations_is_in_the_journal(folder: Path) -> None:
    run_batch(folder)
    prompts = read_prompts(folder)
    known = {"forced": [[0.5, 0.3, 0.2]], "own": 1, "own_probabilities": [[1, 0, 0]], "willing": 1}
    lines = [in_openai_form(p) for p in prompts]
    lines[0]["citations"] = known
    lines[1]["probabilities"] = [[0.1, 0.2, 0.7], [0.4, 0.4, 0.2]]
    write_answers(folder, lines)
    run_batch(folder)
    records = [r for r in journal.read(folder.parent / "run.jsonl").records if r["kind"] == "answer"]
    assert [r.get("citations") for r in records[:3]] == [known, {"forced": lines[1]["probabilities"]}, None]
    first, second = read_run(folder.parent / "run.jsonl").forced.values()
    assert (first.probabilities, first.own) == (((0.5, 0.3, 0.2),), 1)
    assert (second.probabilities, second.own) == (((0.1, 0.2, 0.7), (0.4, 0.4, 0.2)), 0)


def test_the_budget_limits_the_prompts(folder: Path) -> None:
    ran = run_batch(folder, budget=Budget(calls=5))
    assert (ran.postponed, ran.stopped, len(read_prompts(folder))) == (5, "5 calls", 5)
    write_answers(folder, map(in_openai_form, read_prompts(folder)))
    assert run_batch(folder, budget=Budget(calls=5)).postponed == 0
    assert run_batch(folder, budget=Budget(calls=8)).postponed == 3
    assert read_run(folder.parent / "run.jsonl").counts["answered"] == 5


def test_a_run_that_breaks_off_leaves_the_prompts_as_they_were(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    run_batch(folder)
    before = (folder / PROMPTS).read_bytes()
    write_answers(folder, map(in_openai_form, read_prompts(folder)[:3]))

    def stop(*_: object) -> None:
        raise KeyboardInterrupt

    with monkeypatch.context() as patched:
        patched.setattr("steelyard.lab.outcome.engines.batch.BatchSession.ask", stop)
        with pytest.raises(KeyboardInterrupt):
            run_batch(folder)
    assert (folder / PROMPTS).read_bytes() == before
    assert {p.name for p in folder.iterdir()} == {PROMPTS, "answers.jsonl"}
    assert run_batch(folder).postponed == CALLS - 3  # what was cut off is read again
    assert read_run(folder.parent / "run.jsonl").counts["answered"] == 3


def test_the_command_says_what_to_do_and_its_code_says_how_far_it_came(tmp_path: Path) -> None:
    questions, folder = write_questions(tmp_path / "q.jsonl", ASKED), tmp_path / "batch"
    command = ("lab", "outcome", "run", questions, "--engine", f"batch:{folder}", "--model", MODEL, "--levers", "three",
               "-o", tmp_path / "run.jsonl", "--quiet")  # fmt: skip
    done = steelyard(*command)
    prompts = read_prompts(folder)
    assert done.returncode == 0
    assert f"{len(prompts)} prompts without an answer: {folder / PROMPTS}; answer them into" in done.stdout
    write_answers(folder, [*map(in_openai_form, prompts[1:]), b"{"])
    done = steelyard(*command)
    assert done.returncode == 1
    assert "1 damaged line, not used: answers.jsonl:" in done.stdout
    assert "1 prompt without an answer (calls: q0|baseline|forward)" in done.stdout
    write_answers(folder, map(in_openai_form, prompts))
    done = steelyard(*command)
    assert (done.returncode, done.stdout.count("\n")) == (0, 2)
    assert done.stdout.endswith(f"next: steelyard lab outcome stats {tmp_path / 'run.jsonl'}\n")


def test_a_folder_that_is_a_file_is_refused(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    done = steelyard("lab", "outcome", "run", "--engine", f"batch:{tmp_path / 'file'}", "-o", tmp_path / "run.jsonl")
    assert done.returncode == 2
    assert "not a folder" in done.stderr


def test_a_damaged_packed_file_is_refused_by_name(folder: Path) -> None:
    run_batch(folder)
    (folder / "answers.jsonl.gz").write_bytes(gzip.compress(b"{}\n" * 99)[:-9])
    with pytest.raises(SteelyardError, match=r"answers\.jsonl\.gz: the gzip file is damaged"):
        run_batch(folder)


def test_a_run_is_named_by_its_instructions_and_by_its_seed_where_answers_are_drawn() -> None:
    """`lab outcome ceiling` takes answers to other instructions for no repeats, and drawn ones for repeats."""
    folder = Path("x")
    plain, aspects = Batch(folder), Batch(folder, style=ASPECTS)
    drawn = [Batch(folder, style=style, temperature=0.7, seed=2) for style in STYLES]
    names = [name_run(engine.identity) for engine in (plain, aspects, *drawn)]
    assert names == ["", "aspects", "2", "aspects-2"]
    assert [name_instructions(name) for name in names] == ["", "aspects", "", "aspects"]
    assert name_run({"engine": "extractive"}) == ""
