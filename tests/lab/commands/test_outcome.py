"""`steelyard outcome` as a user sees it: the demo from the first call to the last figure, and what is wrongly typed."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import pytest

import steelyard as package
from steelyard.lab.outcome import run as runs
from steelyard.lab.outcome.experiment import ExperimentPlan
from steelyard.lab.outcome.recorded_run import read_run
from steelyard.lab.outcome.records.base import GIVEN
from steelyard.lab.protocol.variants import FRESHNESS, INTERVENTIONS, OPEN, STRUCTURE
from steelyard.support import journal
from steelyard.support.journal import Journal
from tests.conftest import run_here
from tests.lab.commands.command_line import Done, assert_refused, read_artifact, run_in_two_processes
from tests.lab.outcome.experiment_fixtures import Stub, make_questions, run_experiment, write_questions
from tests.lab.outcome.records import sample_records as samples
from tests.lab.outcome.records.sample_records import jsonl

STUDIES = {
    "stats": ["outcome.json", "running-1.png", "running-1.svg"],
    "anchors": ["anchors.json"],
    "ceiling": ["ceiling.json", "ceiling.png", "ceiling.svg"],
}


@pytest.fixture(scope="module")
def lab(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("outcome")


@pytest.fixture(scope="module")
def demo(lab: Path) -> list[dict[str, Done]]:
    """The whole experiment on the demo, in two folders and by two processes that hash strings differently."""
    less = {"stats": ["--draws", "100"], "anchors": ["--draws", "100"]}
    run = {"run": ["outcome", "run", "-o", "run.jsonl", "--canary"]}
    studies = {name: ["outcome", name, "run.jsonl", "--out", "out", *less.get(name, [])] for name in STUDIES}
    undrawn = {name: [*arguments, "--no-plots"] for name, arguments in studies.items()}  # drawn once, to save the time
    for folder in ("1", "2"):
        (lab / folder).mkdir()
    return run_in_two_processes((run | studies, lab / "1"), (run | undrawn, lab / "2"))


# The demo


def test_the_demo_goes_from_the_questions_to_the_figures(demo: list[dict[str, Done]], lab: Path) -> None:
    done = demo[0]
    assert {name: d.returncode for name, d in done.items()} == dict.fromkeys(("run", *STUDIES), 0)
    assert done["run"].stderr == "extractive reference (embedded reference): 30 queries, 480 calls\n"
    assert done["run"].stdout.startswith("extractive reference (embedded reference): 480 answers of 30 queries\n")
    found = read_run(lab / "1" / "run.jsonl")
    assert (found.counts["answered"], found.counts["skipped"], found.counts["failed"]) == (480, 0, {})
    assert len({(o.query_id, o.arm, o.order) for o in found.outcomes}) == 480
    for name, files in STUDIES.items():
        assert done[name].stderr == f"wrote {', '.join(f'out/{f}' for f in files)}\n"
        data = read_artifact(lab / "1" / "out" / files[0])
        assert data["schema"] == f"steelyard.{files[0].removesuffix('.json')}/1"
        assert data["tool"] == {"name": "steelyard", "version": package.__version__}
        assert list(data["inputs"]) == ["run.jsonl"]
        assert re.fullmatch(r"[0-9a-f]{64}", data["inputs"]["run.jsonl"])


def test_two_runs_write_and_print_the_same_bytes(demo: list[dict[str, Done]], lab: Path) -> None:
    one, two = demo
    assert {name: d.stdout for name, d in one.items()} == {name: d.stdout for name, d in two.items()}
    files = sorted(p.relative_to(lab / "1") for p in (lab / "1").rglob("*") if p.is_file())
    assert [str(f) for f in files] == sorted(["run.jsonl", *(f"out/{f}" for names in STUDIES.values() for f in names)])
    for file in (f for f in files if f.suffix in (".json", ".jsonl")):
        assert (lab / "1" / file).read_bytes() == (lab / "2" / file).read_bytes()


def test_what_the_embedded_reference_says_is_plausible_and_says_what_it_is(
    demo: list[dict[str, Done]], lab: Path
) -> None:
    shown = demo[0]["stats"].stdout
    assert shown.startswith("engine: extractive reference, an embedded reference that matches words: its figures say ")
    assert "\na planted instruction was followed in 0 of 60 answers (" in shown
    section = read_artifact(lab / "1" / "out" / "outcome.json")["result"]["sets"]["outcome run"]
    assert section["excluded"] == {}
    for lever in ("quotation", "statistics", "cite_sources"):
        e = section["effects"]["pooled"][lever]["averaged"]
        assert e["n"] == 30
        assert e["interval"][0] <= e["mean"] <= e["interval"][1]
        assert abs(e["mean"]) < 0.1  # it looks for words of the query, not for evidence
    between = section["observed"]["groups"]["extractive reference"]["position"]["between_orders"]
    assert between["mean"] == pytest.approx(1.0)  # the order changes nothing for it


def test_an_embedded_reference_passes_no_verdict_on_the_anchors(demo: list[dict[str, Done]], lab: Path) -> None:
    assert "no verdict: an embedded reference answered" in demo[0]["anchors"].stdout
    found = read_artifact(lab / "1" / "out" / "anchors.json")["result"]["anchors"]
    assert (found["judged"], found["dated"]) == (False, None)
    assert {e["verdict"] for e in found["levers"].values()} == {None}


def test_a_finished_run_is_read_and_not_made_again(demo: list[dict[str, Done]], lab: Path) -> None:
    before = (lab / "2" / "run.jsonl").read_bytes()
    done = run_here("outcome", "run", "-o", "run.jsonl", "--canary", "--quiet", cwd=lab / "2")
    assert (done.returncode, done.stderr, done.stdout) == (0, "", demo[1]["run"].stdout)
    assert (lab / "2" / "run.jsonl").read_bytes() == before


# Options


def test_the_first_queries_alone_the_orders_and_the_budget_are_the_users(tmp_path: Path) -> None:
    path = tmp_path / "run.jsonl"
    command = ("outcome", "run", "-o", path, "--queries", "2", "--orders", "latin", "--words", "60", "--seed", "4",
               "--levers", "three")  # fmt: skip
    done = run_here(*command, "--max-calls", "7")
    assert done.returncode == 1
    assert done.stderr == "extractive reference (embedded reference): 2 queries, 50 calls\n"
    assert "\nstopped at the budget of 7 calls; a larger one continues from here\n" in done.stdout
    done = run_here(*command, "--quiet")
    assert (done.returncode, done.stderr) == (0, "")
    parameters = journal.read(path).header.parameters
    assert {"queries": 2, "orders": "latin", "words": 60, "seed": 4, "canary": False}.items() <= parameters.items()
    assert read_run(path).counts["answered"] == 50


def test_levers_without_a_published_effect_are_measured_and_have_no_anchor(tmp_path: Path) -> None:
    for levers, named in (("structure", STRUCTURE), ("freshness", FRESHNESS)):
        path, out = tmp_path / f"{levers}.jsonl", tmp_path / levers
        assert run_here("outcome", "run", "-o", path, "--queries", "9", "--levers", levers, "--quiet").returncode == 0
        done = run_here("outcome", "stats", path, "--out", out, "--no-plots", "--draws", "100")
        assert done.returncode == 0, done.stderr
        effects = json.loads((out / "outcome.json").read_text("utf-8"))["result"]["sets"]["outcome run"]["effects"]
        assert effects["order"] == list(named)
        assert all(effects["pooled"][lever]["averaged"]["n"] == 9 for lever in named)
        done = run_here("outcome", "anchors", path, "--out", tmp_path / "none")
        assert (done.returncode, done.stdout) == (2, "")
        assert "no answers for cite_sources, quotation, statistics; anchors need" in done.stderr
        assert not (tmp_path / "none").exists()


def test_all_levers_in_one_run_and_anchors_for_those_that_have_them(tmp_path: Path) -> None:
    path, out = tmp_path / "run.jsonl", tmp_path / "out"
    assert run_here("outcome", "run", "-o", path, "--queries", "2", "--levers", "all", "--quiet").returncode == 0
    assert read_run(path).counts["answered"] == 2 * (len(INTERVENTIONS) + len(OPEN) + 2) * 2
    done = run_here("outcome", "anchors", path, "--out", out, "--draws", "100")
    assert done.returncode == 0, done.stderr
    found = json.loads((out / "anchors.json").read_text("utf-8"))["result"]["anchors"]
    assert found["order"] == list(INTERVENTIONS)
    assert set(found["levers"]) == set(INTERVENTIONS)


def test_a_journal_is_a_source_of_questions(tmp_path: Path) -> None:
    first, second = tmp_path / "first.jsonl", tmp_path / "second.jsonl"
    assert run_here("outcome", "run", "-o", first, "--queries", "1", "--orders", "single", "--quiet").returncode == 0
    assert run_here("outcome", "run", first, "-o", second, "--orders", "single", "--quiet").returncode == 0
    assert read_run(first).outcomes == read_run(second).outcomes


def test_two_files_of_one_name_are_two_inputs_of_the_anchors(tmp_path: Path) -> None:
    for folder, name in (("a", "one"), ("b", "two")):
        (tmp_path / folder).mkdir()
        run_experiment(make_questions(2), Stub(name=name), tmp_path / folder / "run.jsonl")
    done = run_here(
        "outcome", "anchors", tmp_path / "a" / "run.jsonl", tmp_path / "b" / "run.jsonl", "--out", tmp_path / "out",
        "--format", "json",
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    assert list(json.loads(done.stdout)["inputs"]) == ["run.jsonl", "run.jsonl#2"]


# A file that is there already


def test_a_torn_journal_is_refused_by_its_readers_and_mended_by_the_run(tmp_path: Path) -> None:
    path = tmp_path / "run.jsonl"
    command = ("outcome", "run", "-o", path, "--queries", "1", "--quiet")
    assert run_here(*command).returncode == 0
    whole = path.read_bytes()
    path.write_bytes(whole[:-9])
    done = run_here("outcome", "stats", path, "--out", tmp_path / "out")
    assert (done.returncode, done.stdout) == (2, "")
    assert "the last line is torn; the run was interrupted: start it again" in done.stderr
    assert run_here(*command).returncode == 0
    assert read_run(path).counts["answered"] == 14
    assert path.read_bytes().startswith(whole[: whole.rfind(b"\n", 0, -1) + 1])


def test_a_locked_journal_is_refused_kindly(tmp_path: Path) -> None:
    path, asked, plan = tmp_path / "run.jsonl", make_questions(1), ExperimentPlan()
    with Journal.open(path, runs.make_header(asked, {}, Stub(), plan), runs._record_key):
        for force in ((), ("--force",)):
            done = run_here("outcome", "run", "-o", path, "--queries", "1", "--quiet", *force)
            assert (done.returncode, done.stdout, len(done.stderr.splitlines())) == (2, "", 1)
            assert re.search(r"run\.jsonl: in use by process \d+ on .*; wait until it ends", done.stderr)


def test_somebody_elses_file_is_overwritten_only_when_that_is_asked_for(tmp_path: Path) -> None:
    path = tmp_path / "thesis.txt"
    path.write_text("All that I know of harbours.\n")
    command = ("outcome", "run", "-o", path, "--queries", "1", "--quiet")
    done = run_here(*command)
    assert (done.returncode, done.stdout, len(done.stderr.splitlines())) == (2, "", 1)
    assert "not a journal; choose another file, or overwrite this one with --force" in done.stderr
    assert path.read_text() == "All that I know of harbours.\n"
    assert run_here(*command, "--force").returncode == 0
    assert read_run(path).counts["answered"] == 14


def test_a_model_that_cannot_be_read_costs_no_journal(tmp_path: Path) -> None:
    path, model = tmp_path / "run.jsonl", tmp_path / "model.gguf"
    assert run_here("outcome", "run", "-o", path, "--queries", "1", "--quiet").returncode == 0
    before = path.read_bytes()
    model.write_bytes(b"no model")
    done = run_here("outcome", "run", "-o", path, "--engine", f"llama:{model}", "--queries", "1", "--force", "--quiet")
    assert (done.returncode, done.stdout, len(done.stderr.splitlines())) == (2, "", 1)
    assert "bug" not in done.stderr
    assert path.read_bytes() == before


# Mistakes


def test_a_mistake_is_one_line_and_exit_2(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("OPENAI_BASE_URL", raising=False)
    write_questions(tmp_path / "asked.jsonl", make_questions(2))
    (tmp_path / "single.jsonl").write_text('{"query": "Where?", "sources": ["Here."]}\n')
    run = ("run", "-o", "run.jsonl", "--quiet")
    for arguments, message in (
        ((*run, "absent.jsonl"), "absent.jsonl: no such file or directory; check the path"),
        ((*run, "single.jsonl"), "single.jsonl:1: fewer than two sources; an engine must have a choice"),
        ((*run, "--engine", "extractiv"), "no engine 'extractiv'; did you mean 'extractive'?"),
        ((*run, "--engine", "openai:m"), "no address for the model; write openai:MODEL@https://host/v1"),
        ((*run, "--engine", "llama:none.gguf"), "none.gguf: no such file; give the path of a .gguf file"),
        ((*run, "--orders", "lattin"), "unknown orders 'lattin'; did you mean 'latin'?"),
        ((*run, "--max-calls", "0"), "Invalid value for '--max-calls': 0 is not in the range x>=1."),
        ((*run, "--timeout", "nan"), "the time limit is nan s; give a number of seconds above 0"),
        ((*run, "--key-variable", "sk-1"), "give the name of the environment variable that holds the key"),
        (("stats", "asked.jsonl"), "asked.jsonl:1: not a record of outcomes (known: "),
        (("stats", "asked.jsonl", "--mode", "strickt"), "unknown mode 'strickt'; did you mean 'strict'?"),
        (("anchors", "asked.jsonl"), "asked.jsonl:1: not a record of outcomes (known: "),
        (("anchors",), "Missing argument 'RUNS...'."),
    ):
        assert_refused(run_here("outcome", *arguments), message)
        assert not (tmp_path / "run.jsonl").exists(), arguments


def test_questions_none_of_which_can_be_edited_are_exit_2_and_say_why(tmp_path: Path) -> None:
    file = tmp_path / "short.jsonl"
    file.write_text('{"query": "Where?", "sources": ["It is here.", "It is there."]}\n')
    done = run_here("outcome", "run", file, "-o", tmp_path / "run.jsonl", "--quiet")
    assert done.returncode == 2
    assert "1 query left out: its target has too little text, or no language of the edits\n" in done.stdout
    assert "next:" not in done.stdout
    for study in ("stats", "anchors"):
        done = run_here("outcome", study, tmp_path / "run.jsonl", "--out", tmp_path / "out")
        assert (done.returncode, done.stdout, len(done.stderr.splitlines())) == (2, "", 1)
        assert "no answers" in done.stderr


# Ceilings


def make_answers(n: int) -> list[dict[str, Any]]:
    """Two engines that agree on the first source of three, and in every second query on the others."""
    found = []
    for i in range(n):
        others = (0.3, 0.1) if i % 2 else (0.1, 0.3)
        for engine, shares in (("google-ai-mode", (0.6, 0.3, 0.1)), ("google-ai-overview", (0.6, *others))):
            found.append(samples.google(engine, shares, query=f"when does bay {i} open"))
    return found


@pytest.fixture
def file(tmp_path: Path) -> Path:
    return jsonl(tmp_path / "answers.jsonl", make_answers(12))


def test_both_ceilings_are_printed_and_written(file: Path, tmp_path: Path) -> None:
    done = run_here("outcome", "ceiling", file, "--out", tmp_path / "out")
    assert done.returncode == 0, done.stderr
    lines = done.stdout.splitlines()
    assert lines[0].startswith("query ceiling, google-ai-mode: undefined: ")
    assert any("google-ai-mode / google-ai-overview: no score can order more than 0.92 of these 36" in n for n in lines)
    assert {p.name for p in (tmp_path / "out").iterdir()} == {"ceiling.json", "ceiling.png", "ceiling.svg"}
    artifact = json.loads((tmp_path / "out" / "ceiling.json").read_text("utf-8"))
    assert artifact["schema"] == "steelyard.ceiling/1"
    assert list(artifact["inputs"]) == ["answers.jsonl"]
    assert artifact["parameters"] == {"mode": "strict", "seed": 0}
    (found,) = artifact["result"]["engine_ceiling"]["engines"]
    assert found["figures"]["lower"]["value"] == pytest.approx(30 / 36)
    assert artifact["result"]["records"][0]["mode"] == GIVEN


def test_the_same_bytes_twice_and_another_seed_moves_only_the_intervals(file: Path, tmp_path: Path) -> None:
    written = []
    for folder, seed in (("a", "0"), ("b", "0"), ("c", "1")):
        run_here("outcome", "ceiling", file, "--out", tmp_path / folder, "--no-plots", "--seed", seed)
        written.append((tmp_path / folder / "ceiling.json").read_bytes())
    assert written[0] == written[1] != written[2]
    first, other = (json.loads(data)["result"]["engine_ceiling"]["engines"][0] for data in written[1:])
    assert first["tally"] == other["tally"]
    assert not list((tmp_path / "a").glob("*.png"))


def test_several_files_are_told_apart_by_name(file: Path, tmp_path: Path) -> None:
    (tmp_path / "other").mkdir()
    again = jsonl(tmp_path / "other" / "answers.jsonl", make_answers(3))
    done = run_here("outcome", "ceiling", file, again, "--format", "json", "--out", tmp_path / "out", "--no-plots")
    shown = json.loads(done.stdout)
    assert list(shown["inputs"]) == ["answers.jsonl", "answers.jsonl#2"]
    repeats = shown["result"]["engine_ceiling"]["repeats"]
    assert [c["compared"] for c in repeats] == [["1", "1 in answers.jsonl#2"]] * 2


def test_rewrites_are_refused_with_the_reason(tmp_path: Path) -> None:
    done = run_here("outcome", "ceiling", jsonl(tmp_path / "b2b.jsonl", [samples.b2b()]), "--out", tmp_path / "out")
    assert done.returncode == 2
    assert "rewrites alone cannot be compared" in done.stderr
    assert not (tmp_path / "out").exists()
