"""`steelyard outcome` as a user sees it: the demo from the first call to the last figure, and what is wrongly typed."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest

import steelyard as package
from steelyard.lab.outcome import run as runs
from steelyard.lab.outcome.experiment import ExperimentPlan
from steelyard.lab.outcome.recorded_run import read_run
from steelyard.lab.protocol.variants import FRESHNESS, INTERVENTIONS, OPEN, STRUCTURE
from steelyard.support import journal
from steelyard.support.journal import Journal
from tests.cli.driver import DRIVER
from tests.conftest import ROOT
from tests.lab.outcome.experiment_fixtures import Done, Stub, make_questions, run_experiment, steelyard, write_questions

STUDIES = {
    "stats": ["outcome.json", "running-1.png", "running-1.svg"],
    "anchors": ["anchors.json"],
    "ceiling": ["ceiling.json", "ceiling.png", "ceiling.svg"],
}


@pytest.fixture(scope="module")
def lab(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("outcome")


@pytest.fixture(scope="module")
def demo(lab: Path) -> tuple[dict[str, Done], dict[str, Done]]:
    """The whole experiment on the demo, in two folders and by two processes that hash strings differently."""

    def commands(seed: str) -> list[list[str]]:
        less = {"stats": ["--draws", "200"], "anchors": ["--draws", "200"]}
        plain = ["--no-plots"] * (seed == "2")  # drawn once, to save the time
        studies = ([name, "run.jsonl", "--out", "out", *less.get(name, []), *plain] for name in STUDIES)
        return [["run", "-o", "run.jsonl", "--canary"], *studies]

    def all_of_them(seed: str) -> dict[str, Done]:
        folder = lab / seed
        folder.mkdir()
        done = subprocess.run(
            [sys.executable, "-c", DRIVER],
            input=json.dumps([["outcome", *command] for command in commands(seed)]),
            cwd=folder,
            capture_output=True,
            encoding="utf-8",
            env={**os.environ, "STEELYARD_AS_OF": "2026-07-01", "PYTHONPATH": str(ROOT), "PYTHONHASHSEED": seed},
            timeout=300,
            check=False,
        )
        assert done.returncode == 0, done.stderr
        ended = zip(commands(seed), json.loads(done.stdout), strict=True)
        return {command[0]: subprocess.CompletedProcess(command, *end) for command, end in ended}

    with ThreadPoolExecutor(2) as pool:
        one, two = pool.map(all_of_them, ("1", "2"))
    return one, two


def artifact(lab: Path, name: str) -> dict[str, Any]:
    text = (lab / "1" / "out" / name).read_text("utf-8")
    found: dict[str, Any] = json.loads(text, parse_constant=lambda c: pytest.fail(f"{c} in {name}"))
    return found


Demo = tuple[dict[str, Done], dict[str, Done]]


# The demo


def test_the_demo_goes_from_the_questions_to_the_figures(demo: Demo) -> None:
    done = demo[0]
    assert {name: d.returncode for name, d in done.items()} == dict.fromkeys(("run", *STUDIES), 0)
    assert done["run"].stderr == "extractive reference (embedded reference): 30 queries, 480 calls\n"
    assert done["run"].stdout == (
        "extractive reference (embedded reference): 480 answers of 30 queries\n"
        "next: steelyard lab outcome stats run.jsonl\n"
    )
    for name, files in STUDIES.items():
        assert done[name].stderr == f"wrote {', '.join(f'out/{f}' for f in files)}\n"


def test_two_runs_write_and_print_the_same_bytes(demo: Demo, lab: Path) -> None:
    one, two = demo
    assert {name: d.stdout for name, d in one.items()} == {name: d.stdout for name, d in two.items()}
    files = sorted(p.relative_to(lab / "1") for p in (lab / "1").rglob("*") if p.is_file())
    assert [str(f) for f in files] == sorted(["run.jsonl", *(f"out/{f}" for names in STUDIES.values() for f in names)])
    for file in (f for f in files if f.suffix in (".json", ".jsonl")):
        assert (lab / "1" / file).read_bytes() == (lab / "2" / file).read_bytes()


def test_the_record_of_the_demo_holds_every_answer(demo: Demo, lab: Path) -> None:
    assert demo
    found = read_run(lab / "1" / "run.jsonl")
    assert (found.counts["answered"], found.counts["skipped"], found.counts["failed"]) == (480, 0, {})
    assert found.counts["engine"] == "extractive reference"
    assert len({(o.query_id, o.arm, o.order) for o in found.outcomes}) == 480


@pytest.mark.parametrize("name", STUDIES)
def test_every_artifact_says_what_it_was_made_from(demo: Demo, lab: Path, name: str) -> None:
    assert demo
    data = artifact(lab, STUDIES[name][0])
    assert data["schema"] == f"steelyard.{STUDIES[name][0].removesuffix('.json')}/1"
    assert data["tool"] == {"name": "steelyard", "version": package.__version__}
    assert list(data["inputs"]) == ["run.jsonl"]
    assert re.fullmatch(r"[0-9a-f]{64}", data["inputs"]["run.jsonl"])


def test_what_the_embedded_reference_says_is_plausible_and_says_what_it_is(demo: Demo, lab: Path) -> None:
    told = demo[0]["stats"].stdout
    assert told.startswith("engine: extractive reference, an embedded reference that matches words: its figures say ")
    assert "480 answers to 30 queries, shares read as strict; 240 kept\n" in told
    assert "\na planted instruction was followed in 0 of 60 answers (" in told
    section = artifact(lab, "outcome.json")["result"]["sets"]["outcome run"]
    assert section["excluded"] == {}
    for lever in ("quotation", "statistics", "cite_sources"):
        e = section["effects"]["pooled"][lever]["averaged"]
        assert e["n"] == 30
        assert e["interval"][0] <= e["mean"] <= e["interval"][1]
        assert abs(e["mean"]) < 0.1  # it looks for words of the query, not for evidence
    between = section["observed"]["groups"]["extractive reference"]["position"]["between_orders"]
    assert between["mean"] == pytest.approx(1.0)  # the order changes nothing for it


def test_an_embedded_reference_passes_no_verdict_on_the_anchors(demo: Demo, lab: Path) -> None:
    assert "no verdict: an embedded reference answered" in demo[0]["anchors"].stdout
    found = artifact(lab, "anchors.json")["result"]["anchors"]
    assert (found["judged"], found["dated"]) == (False, None)
    assert {e["verdict"] for e in found["levers"].values()} == {None}


def test_a_finished_run_is_read_and_not_made_again(demo: Demo, lab: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    assert demo
    monkeypatch.chdir(lab / "2")
    before = (lab / "2" / "run.jsonl").read_bytes()
    done = steelyard("outcome", "run", "-o", "run.jsonl", "--canary", "--quiet")
    assert (done.returncode, done.stderr, done.stdout) == (0, "", demo[1]["run"].stdout)
    assert (lab / "2" / "run.jsonl").read_bytes() == before


# Options


def test_the_first_queries_alone_the_orders_and_the_budget_are_the_users(tmp_path: Path) -> None:
    path = tmp_path / "run.jsonl"
    command = ("outcome", "run", "-o", path, "--queries", "2", "--orders", "latin", "--words", "60", "--seed", "4",
               "--levers", "three")  # fmt: skip
    done = steelyard(*command, "--max-calls", "7")
    assert done.returncode == 1
    assert done.stderr == "extractive reference (embedded reference): 2 queries, 50 calls\n"
    assert "\nstopped at the budget of 7 calls; a larger one continues from here\n" in done.stdout
    done = steelyard(*command, "--quiet")
    assert (done.returncode, done.stderr) == (0, "")
    parameters = journal.read(path).header.parameters
    assert {"queries": 2, "orders": "latin", "words": 60, "seed": 4, "canary": False}.items() <= parameters.items()
    assert read_run(path).counts["answered"] == 50


@pytest.mark.parametrize(("levers", "named"), [("structure", STRUCTURE), ("freshness", FRESHNESS)])
def test_levers_without_a_published_effect_are_measured_and_have_no_anchor(
    tmp_path: Path, levers: str, named: tuple[str, ...]
) -> None:
    path, out = tmp_path / "run.jsonl", tmp_path / "out"
    assert steelyard("outcome", "run", "-o", path, "--queries", "9", "--levers", levers, "--quiet").returncode == 0
    done = steelyard("outcome", "stats", path, "--out", out, "--no-plots", "--draws", "100")
    assert done.returncode == 0, done.stderr
    effects = json.loads((out / "outcome.json").read_text("utf-8"))["result"]["sets"]["outcome run"]["effects"]
    assert effects["order"] == list(named)
    assert all(effects["pooled"][lever]["averaged"]["n"] == 9 for lever in named)
    assert f"\n{named[0].replace('_', ' ')}: " in done.stdout
    done = steelyard("outcome", "anchors", path, "--out", out)
    assert done.returncode == 2
    assert "no answers for cite_sources, quotation, statistics; anchors need" in done.stderr


def test_all_levers_in_one_run_and_anchors_for_those_that_have_them(tmp_path: Path) -> None:
    path, out = tmp_path / "run.jsonl", tmp_path / "out"
    assert steelyard("outcome", "run", "-o", path, "--queries", "2", "--levers", "all", "--quiet").returncode == 0
    assert read_run(path).counts["answered"] == 2 * (len(INTERVENTIONS) + len(OPEN) + 2) * 2
    done = steelyard("outcome", "anchors", path, "--out", out, "--draws", "100")
    assert done.returncode == 0, done.stderr
    found = json.loads((out / "anchors.json").read_text("utf-8"))["result"]["anchors"]
    assert found["order"] == list(INTERVENTIONS)
    assert set(found["levers"]) == set(INTERVENTIONS)


def test_a_journal_is_a_source_of_questions(tmp_path: Path) -> None:
    first, second = tmp_path / "first.jsonl", tmp_path / "second.jsonl"
    assert steelyard("outcome", "run", "-o", first, "--queries", "1", "--orders", "single", "--quiet").returncode == 0
    assert steelyard("outcome", "run", first, "-o", second, "--orders", "single", "--quiet").returncode == 0
    assert read_run(first).outcomes == read_run(second).outcomes


def test_two_files_of_one_name_are_two_inputs_of_the_anchors(tmp_path: Path) -> None:
    for folder, name in (("a", "one"), ("b", "two")):
        (tmp_path / folder).mkdir()
        run_experiment(make_questions(2), Stub(name=name), tmp_path / folder / "run.jsonl")
    done = steelyard(
        "outcome", "anchors", tmp_path / "a" / "run.jsonl", tmp_path / "b" / "run.jsonl", "--out", tmp_path / "out",
        "--format", "json",
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    assert list(json.loads(done.stdout)["inputs"]) == ["run.jsonl", "run.jsonl#2"]


# A file that is there already


def test_a_torn_journal_is_refused_by_its_readers_and_mended_by_the_run(tmp_path: Path) -> None:
    path = tmp_path / "run.jsonl"
    command = ("outcome", "run", "-o", path, "--queries", "1", "--quiet")
    assert steelyard(*command).returncode == 0
    whole = path.read_bytes()
    path.write_bytes(whole[:-9])
    done = steelyard("outcome", "stats", path, "--out", tmp_path / "out")
    assert (done.returncode, done.stdout) == (2, "")
    assert "the last line is torn; the run was interrupted: start it again" in done.stderr
    assert steelyard(*command).returncode == 0
    assert read_run(path).counts["answered"] == 14
    assert path.read_bytes().startswith(whole[: whole.rfind(b"\n", 0, -1) + 1])


def test_a_locked_journal_is_refused_kindly(tmp_path: Path) -> None:
    path, asked, plan = tmp_path / "run.jsonl", make_questions(1), ExperimentPlan()
    with Journal.open(path, runs.make_header(asked, {}, Stub(), plan), runs._record_key):
        for force in ((), ("--force",)):
            done = steelyard("outcome", "run", "-o", path, "--queries", "1", "--quiet", *force)
            assert (done.returncode, done.stdout, len(done.stderr.splitlines())) == (2, "", 1)
            assert re.search(r"run\.jsonl: in use by process \d+ on .*; wait until it ends", done.stderr)


def test_somebody_elses_file_is_overwritten_only_when_that_is_asked_for(tmp_path: Path) -> None:
    path = tmp_path / "thesis.txt"
    path.write_text("All that I know of harbours.\n")
    command = ("outcome", "run", "-o", path, "--queries", "1", "--quiet")
    done = steelyard(*command)
    assert (done.returncode, done.stdout, len(done.stderr.splitlines())) == (2, "", 1)
    assert "not a journal; choose another file, or overwrite this one with --force" in done.stderr
    assert path.read_text() == "All that I know of harbours.\n"
    assert steelyard(*command, "--force").returncode == 0
    assert read_run(path).counts["answered"] == 14


def test_a_model_that_cannot_be_read_costs_no_journal(tmp_path: Path) -> None:
    path, model = tmp_path / "run.jsonl", tmp_path / "model.gguf"
    assert steelyard("outcome", "run", "-o", path, "--queries", "1", "--quiet").returncode == 0
    before = path.read_bytes()
    model.write_bytes(b"no model")
    done = steelyard("outcome", "run", "-o", path, "--engine", f"llama:{model}", "--queries", "1", "--force", "--quiet")
    assert (done.returncode, done.stdout, len(done.stderr.splitlines())) == (2, "", 1)
    assert "bug" not in done.stderr
    assert path.read_bytes() == before


# Mistakes


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("run", "absent.jsonl"), "absent.jsonl: no such file or directory; check the path"),
        (("run", "binary.bin"), "binary.bin: a binary file; give records as UTF-8 text"),
        (("run", "empty.jsonl"), "empty.jsonl: holds no records"),
        (("run", "folder"), "folder: a directory, and a file is needed here"),
        (("run", "broken.jsonl"), "broken.jsonl:1: not JSON ("),
        (("run", "sourceless.jsonl"), "sourceless.jsonl:1: no question (keys seen: query); give GEO-Bench's"),
        (("run", "single.jsonl"), "single.jsonl:1: fewer than two sources; an engine must have a choice"),
        (("run", "nowhere.jsonl"), "nowhere.jsonl:1: `target` is 7, and the sources go from 0 to 1"),
        (("run", "--engine", "gpt"), "no engine 'gpt' (an engine is one of: extractive; openai:MODEL@ADDRESS"),
        (("run", "--engine", "extractiv"), "no engine 'extractiv'; did you mean 'extractive'?"),
        (("run", "--engine", "openai:m"), "no address for the model; write openai:MODEL@https://host/v1"),
        (("run", "--engine", "llama:none.gguf"), "none.gguf: no such file; give the path of a .gguf file"),
        (("run", "--orders", "lattin"), "unknown orders 'lattin'; did you mean 'latin'?"),
        (("run", "--queries", "0"), "Invalid value for '--queries': 0 is not in the range x>=1."),
        (("run", "--max-calls", "0"), "Invalid value for '--max-calls': 0 is not in the range x>=1."),
        (("run", "--timeout", "nan"), "the time limit is nan s; give a number of seconds above 0"),
        (("run", "--key-variable", "sk-1"), "give the name of the environment variable that holds the key"),
        (("run", "-o", "missing/run.jsonl"), "missing/run.jsonl: cannot write here (No such file or directory)"),
        (("run", "-o", "folder"), "folder: cannot write here (a directory); choose another file with -o"),
        (("stats", "absent.jsonl"), "absent.jsonl: no such file or directory; check the path"),
        (("stats", "binary.bin"), "binary.bin: a binary file"),
        (("stats", "asked.jsonl"), "asked.jsonl:1: not a record of outcomes (known: "),
        (("stats", "asked.jsonl", "--mode", "strickt"), "unknown mode 'strickt'; did you mean 'strict'?"),
        (("stats",), "Missing argument 'RECORDS...'."),
        (("anchors", "absent.jsonl"), "absent.jsonl: no such file or directory; check the path"),
        (("anchors", "asked.jsonl"), "asked.jsonl:1: not a record of outcomes (known: "),
        (("anchors",), "Missing argument 'RUNS...'."),
    ],
)
def test_a_mistake_is_one_line_and_exit_2(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, arguments: tuple[str, ...], message: str
) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("OPENAI_BASE_URL", raising=False)
    (tmp_path / "folder").mkdir()
    (tmp_path / "binary.bin").write_bytes(bytes(range(256)))
    write_questions(tmp_path / "asked.jsonl", make_questions(2))
    for name, text in {
        "empty": "",
        "broken": '{"query": "Where?", ',
        "sourceless": '{"query": "Where?"}',
        "single": '{"query": "Where?", "sources": ["Here."]}',
        "nowhere": '{"query": "Where?", "sources": ["Here.", "There."], "target": 7}',
    }.items():
        (tmp_path / f"{name}.jsonl").write_text(text + "\n" * bool(text))
    command, *rest = arguments
    output = ("-o", "run.jsonl", "--quiet") if command == "run" else ()
    done = steelyard("outcome", command, *output, *rest)
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr.startswith(f"steelyard: {message.format(f'{tmp_path.resolve()}/')}")
    assert len(done.stderr.splitlines()) == 1
    assert "bug" not in done.stderr
    assert "Traceback" not in done.stderr
    assert not (tmp_path / "run.jsonl").exists()


def test_a_run_needs_a_file_for_its_journal() -> None:
    done = steelyard("outcome", "run")
    assert (done.returncode, done.stderr) == (2, "steelyard: Missing option '-o' / '--output'.\n")


def test_questions_none_of_which_can_be_edited_are_exit_2_and_say_why(tmp_path: Path) -> None:
    file = tmp_path / "short.jsonl"
    file.write_text('{"query": "Where?", "sources": ["It is here.", "It is there."]}\n')
    done = steelyard("outcome", "run", file, "-o", tmp_path / "run.jsonl", "--quiet")
    assert done.returncode == 2
    assert "1 query left out: its target has too little text, or no language of the edits\n" in done.stdout
    assert "next:" not in done.stdout
    for study in ("stats", "anchors"):
        told = steelyard("outcome", study, tmp_path / "run.jsonl", "--out", tmp_path / "out")
        assert (told.returncode, told.stdout, len(told.stderr.splitlines())) == (2, "", 1)
        assert "no answers" in told.stderr


def test_a_run_that_lacks_an_arm_gives_no_anchors(tmp_path: Path) -> None:
    run_experiment(
        make_questions(2),
        Stub(),
        tmp_path / "run.jsonl",
        ExperimentPlan(arms=("baseline", "quotation", "neutral_filler")),
    )
    done = steelyard("outcome", "anchors", tmp_path / "run.jsonl", "--out", tmp_path / "out")
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr.startswith(
        "steelyard: undefined: no answers for cite_sources, statistics; anchors need a complete"
    )
    assert not (tmp_path / "out").exists()
