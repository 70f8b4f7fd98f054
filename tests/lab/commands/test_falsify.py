"""`steelyard falsify` as a user sees it: five lines, a verdict, an exit code; and the same from Python."""

from __future__ import annotations

import hashlib
import itertools
import json
import math
import re
import shlex
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from importlib.util import module_from_spec, spec_from_file_location
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

import steelyard
from steelyard.errors import SteelyardError
from steelyard.lab.protocol.gates import NAMES as GATES
from steelyard.lab.study.studies import falsify as report
from steelyard.support.http.messages import TIMED_OUT, UNREACHABLE, FetchError
from tests.conftest import ROOT, run_here
from tests.lab.commands.command_line import assert_refused

Run = Callable[..., subprocess.CompletedProcess[str]]
SITE = ROOT / "examples" / "site"
PAGES = 12
NOWHERE = "http://127.0.0.1:9"  # the discard port, where nothing listens
UNDEFINED = "{} sources; a verdict needs 10 or more"

SCORERS = '''
"""Scorers that are sound, biased or broken; the package is not imported."""
import hashlib, itertools, os, signal, time

calls = itertools.count()

def sound(text):
    """Evidence counts once, whatever its amount; the rest is drawn from how the page begins."""
    drawn = int(hashlib.sha256(("88" + text[:60]).encode()).hexdigest(), 16) % 1000 / 20
    return 20 + drawn + 3 * ('"' in text) + 2 * ("%" in text)

def length(text):
    return min(100.0, len(text.split()) / 10)

def unit(text):
    return sound(text) / 100

def printing(text):
    print("noise on standard output")
    return sound(text)

def unstable(text):
    return sound(text) + 1e-4 * (next(calls) % 7)

def once(text):
    if "coffee" in text[:200].lower():
        raise ValueError("no coffee,\\nplease")
    return sound(text)

def doubled(text):
    """Whether this is the coffee page, given twice over."""
    return "coffee" in text[:200].lower() and text.count(text[:200]) > 1

def dies(text):
    if doubled(text):
        os.kill(os.getpid(), signal.SIGSEGV)
    return sound(text)

def sleeps(text):
    if doubled(text):
        time.sleep(60)
    return sound(text)
'''


@pytest.fixture(scope="module")
def place(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with twelve pages in `pages`, three in `few`, and the scorers in lab_scorers.py."""
    folder = tmp_path_factory.mktemp("falsify")
    chosen = sorted(p for p in SITE.glob("*/*.md") if p.parent.name in ("guides", "science"))[:PAGES]
    for name, paths in (("pages", chosen), ("few", chosen[:3])):
        (folder / name).mkdir()
        for path in paths:
            (folder / name / path.name).write_bytes(path.read_bytes())
    (folder / "lab_scorers.py").write_text(SCORERS, "utf-8")
    return folder


@pytest.fixture(scope="module")
def scorers(place: Path) -> ModuleType:
    """The same scorers as functions of this process."""
    spec = spec_from_file_location("lab_scorers_here", place / "lab_scorers.py")
    assert spec
    assert spec.loader
    module = module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@pytest.fixture
def here(place: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Run]:
    """The command line in that folder."""
    monkeypatch.chdir(place)
    yield run_here
    sys.modules.pop("lab_scorers", None)


def read_statuses(output: str) -> list[tuple[str, str]]:
    """Return every gate with its status, from the first five lines."""
    parts = (line.split("  ")[0].split(": ") for line in output.splitlines()[:5])
    return [(gate, status) for gate, status in parts]


def try_scorer(scorer: Any, place: Path, **options: Any) -> tuple[dict[str, Any], list[str]]:
    """Return the record and the printed lines of a scorer, without a process for each."""
    found = steelyard.falsify(scorer, str(place / "pages"), draws=20, jobs=1, **options)
    record = found.record()
    assert record["survives"] is found.survives
    return record, report.list_lines(record)


# Verdicts


def test_a_sound_scorer_gives_five_passes_and_exit_0(run: Run, place: Path) -> None:
    done = run("falsify", "lab_scorers:sound", cwd=place)
    assert (done.returncode, done.stderr) == (0, "")
    assert read_statuses(done.stdout) == [(gate, "pass") for gate in GATES]
    assert re.match(r"lab_scorers:sound survives: all five gates pass on \d+ pages\. ", done.stdout.splitlines()[5])


def test_twelve_pages_leave_it_undecided_and_it_says_how_many_would_decide(here: Run) -> None:
    done = here("falsify", "lab_scorers:sound", "--corpus", "pages", "--quiet")
    assert done.returncode == 1
    assert read_statuses(done.stdout) == list(zip(GATES, [*["pass"] * 4, "undecided"], strict=True))
    lines = done.stdout.splitlines()
    needed = re.search(r"about (\d+) pages would decide it$", lines[4])
    assert needed
    assert int(needed[1]) > PAGES
    assert lines[5] == (
        f"lab_scorers:sound is not cleared on {PAGES} pages: it leaves length-bias undecided "
        f"(about {needed[1]} pages would decide), which is not a pass."
    )


def test_a_biased_scorer_fails_by_name_and_exits_with_1(here: Run) -> None:
    done = here("falsify", "lab_scorers:length", "--corpus", "pages", "--quiet")
    assert done.returncode == 1
    assert read_statuses(done.stdout) == list(
        zip(GATES, ("pass", "undecided", "undefined", "fail", "fail"), strict=True)
    )
    assert "it fails duplication, length-bias" in done.stdout.splitlines()[5]


def test_undefined_alone_is_no_pass(place: Path) -> None:
    record, lines = try_scorer(lambda text: 50, place)
    statuses = [record["verdicts"]["all"][g]["status"] for g in GATES]
    assert statuses == ["pass", "undecided", "undefined", "pass", "undefined"]
    assert record["survives"] is False
    assert lines[-1] == (
        f"{record['scorer']} is not cleared on {PAGES} pages: it leaves dose-response undecided, which is not a pass; "
        "it leaves saturation, length-bias undefined, which is not a pass."
    )


# Failures


def test_a_failure_is_reported_as_what_it_is(place: Path) -> None:
    for scorer, kind, words in (
        (lambda text: 1 / 0, "crashed", "crashed on {} calls, for example {}: ZeroDivisionError: division by zero"),
        (lambda text: math.nan, "not a number", "returned no number on {} calls, for example {}: the scorer returned"),
        (lambda text: 101, "out of range", "left its range on {} calls, for example {}: the scorer returned 101.0"),
        (lambda text: time.sleep(60), "timed out", "timed out on {} calls, for example {}: no answer within 0.5 s"),
    ):
        record, lines = try_scorer(scorer, place, timeout=0.5)
        assert (set(record["failures"]), record["survives"], record["passed"]) == ({kind}, False, 0), kind
        assert lines[:5] == [f"{gate}: undefined  {UNDEFINED.format(0)}" for gate in GATES], kind
        assert re.match("the scorer " + words.format(r"\d+", r"\S+\.md \(base\)"), lines[5]), kind
        assert any(line.startswith("stopped early: the scorer failed on 3 pages in a row") for line in lines), kind


def test_a_scorer_that_fails_on_one_page_does_not_survive_on_the_others(scorers: ModuleType, place: Path) -> None:
    record, lines = try_scorer(scorers.once, place)
    assert (record["sources"], record["passed"], record["survives"]) == (PAGES - 1, 4, False)
    assert "for example coffee-extraction.md (base): ValueError: no coffee" in lines[5]
    assert "\n" not in lines[5]
    assert lines[-1].startswith(f"once is not cleared on {PAGES - 1} pages: it leaves length-bias undecided (about ")
    assert lines[-1].endswith("; it did not score every page.")


def test_a_scorer_with_two_answers_to_one_page_does_not_survive(scorers: ModuleType, place: Path) -> None:
    record, lines = try_scorer(scorers.unstable, place)
    assert record["not_deterministic"]["sources"] > 0
    assert record["survives"] is False
    assert lines[5].startswith("the scorer is not deterministic: ")
    assert "does not give the same page the same score" in lines[-1]


def test_a_child_process_may_die_or_hang(here: Run) -> None:
    done = here(
        "falsify", "lab_scorers:dies", "lab_scorers:sleeps", "--isolate", "--timeout", "4", "--corpus", "few",
        "--format", "json", "--jobs", "1",
    )  # fmt: skip
    dies, sleeps = json.loads(done.stdout)["result"]["scorers"]
    assert done.returncode == 1
    assert dies["failures"] == {
        "crashed": {"calls": 1, "examples": ["coffee-extraction.md (duplication-1): killed by SIGSEGV"]}
    }
    # After a page has timed out its other variants are not asked for.
    assert set(sleeps["failures"]) == {"timed out"}
    assert "coffee-extraction.md (duplication-1): no answer within 4 s" in sleeps["failures"]["timed out"]["examples"]
    for record in (dies, sleeps):
        assert (record["sources"], record["survives"]) == (2, False)


def test_what_a_scorer_prints_never_reaches_standard_output(here: Run) -> None:
    done = here("falsify", "lab_scorers:printing", "--corpus", "pages", "--format", "json")
    assert json.loads(done.stdout)["result"]["passed"] == 4
    assert "noise on standard output" in done.stderr


# What cannot run


def test_what_cannot_run_is_one_line_and_exit_2(here: Run, place: Path) -> None:
    (place / "a-file").write_text("")
    absent = f"{shlex.quote(sys.executable)} -S absent.py"
    for arguments, message in (
        (("absent_module:f",), "absent_module:f: no module 'absent_module' in "),
        (("lab_scorers:sond",), "lab_scorers:sond: module 'lab_scorers' has no 'sond'; did you mean 'sound'?"),
        (("shiped",), "no scorer 'shiped'; did you mean 'shipped'?"),
        (
            (f"{NOWHERE}/score", "--corpus", "few"),
            f"{NOWHERE}/score: no page could be scored, of 3 tried: cannot be reached (",
        ),
        ((absent, "--corpus", "few"), f"{absent}: no page could be scored, of 3 tried: exit status 2;"),
        (("lab_scorers:sound", "--corpus", "pages", "--language", "fr"), "pages: no page in 'fr' (there are: en)"),
        (("lab_scorers:sound", "--range", "one"), "Invalid value for '--range': 'one' is not a range; give the lowest"),
        (("lab_scorers:printing", "--out", "a-file/deeper"), "a-file/deeper: cannot write here ("),
    ):
        assert_refused(here("falsify", *arguments), message)


def test_an_absent_scorer_next_to_one_that_is_there_is_reported_and_compared(here: Run) -> None:
    options = ("--corpus", "few", "--quiet", "--jobs", "1")
    done = here("falsify", f"{NOWHERE}/score", "lab_scorers:sound", *options)
    assert done.returncode == 1
    assert f"{NOWHERE}/score is not cleared: it scored no page" in done.stdout
    assert done.stderr.startswith(f"steelyard: {NOWHERE}/score: no page could be scored, of 3 tried: cannot be reached")
    none = here("falsify", f"{NOWHERE}/score", f"{NOWHERE}/other", *options)
    assert (none.returncode, none.stdout, len(none.stderr.splitlines())) == (2, "", 2)


@pytest.mark.parametrize(("late", "reason"), [((2,), "cannot be reached"), ((1, 2, 3), "no whole answer")])
def test_an_endpoint_too_slow_to_refuse_is_no_more_there(
    here: Run, monkeypatch: pytest.MonkeyPatch, late: tuple[int, ...], reason: str
) -> None:
    calls = itertools.count(1)

    def fail(*_: Any, **__: Any) -> None:
        is_late = next(calls) in late
        raise FetchError(*(("no whole answer", TIMED_OUT) if is_late else ("cannot be reached", UNREACHABLE)))

    monkeypatch.setattr("steelyard.support.http.json_client.JsonClient.post", fail)
    done = here("falsify", f"{NOWHERE}/score", "--corpus", "few", "--quiet", "--jobs", "1")
    assert_refused(done, f"{NOWHERE}/score: no page could be scored, of 3 tried: {reason}; check the address")


def test_a_program_that_answers_once_is_there(here: Run, place: Path) -> None:
    (place / "moody.py").write_text("import sys\nprint(50) if 'offee' in sys.stdin.read()[:200] else sys.exit(4)\n")
    done = here("falsify", f"{shlex.quote(sys.executable)} -S moody.py", "--corpus", "few", "--quiet")
    assert done.returncode == 1
    assert "exit status 4" in done.stdout.splitlines()[5]


# Forms of a scorer


def test_a_scale_of_0_to_1_is_noticed_and_honoured(scorers: ModuleType, place: Path) -> None:
    plain, _ = try_scorer(scorers.sound, place)
    small, lines = try_scorer(scorers.unit, place)
    assert "all points are between 0 and 1: if that is the scorer's scale, give --range 0,1" in lines
    scaled, lines = try_scorer(scorers.unit, place, scale=(0, 1))
    assert not any("--range" in line for line in lines)
    for gate in GATES:
        expected = plain["verdicts"]["all"][gate]["statistic"]
        assert scaled["verdicts"]["all"][gate]["statistic"] == pytest.approx(expected, abs=1e-9)
    assert small["gains"][0]["mean"] == pytest.approx(scaled["gains"][0]["mean"] / 100)


def test_a_command_and_a_function_come_out_alike(here: Run, place: Path) -> None:
    (place / "counts.py").write_text("def words(text):\n    return len(text.split())\n")
    options = ("--range", "0,4000", "--corpus", "few", "--format", "json", "--quiet")
    found = [json.loads(here("falsify", s, *options).stdout) for s in ("wc -w", "counts:words")]
    assert found[0]["parameters"]["range"] == [0.0, 4000.0]
    command, function = (f["result"] for f in found)
    assert (command.pop("scorer"), function.pop("scorer")) == ("wc -w", "counts:words")
    assert command == function


def test_language_view_and_arm_are_the_users(here: Run) -> None:
    done = here(
        "falsify", "length", "--language", "fr", "--view", "structured", "--arm", "fresh", "--seed", "4", "--format",
        "json", "--quiet", "--jobs", "1",
    )  # fmt: skip
    data = json.loads(done.stdout)
    chosen = {"language": "fr", "view": "structured", "arm": "fresh", "seed": 4}
    assert chosen.items() <= data["parameters"].items()
    assert data["result"]["sources"] == data["parameters"]["pages"] == 12
    assert data["inputs"].keys() == {"demo"}


def test_pages_that_are_left_out_are_reported(here: Run, place: Path, tmp_path: Path) -> None:
    for path in (place / "few").iterdir():
        (tmp_path / path.name).write_bytes(path.read_bytes())
    (tmp_path / "stub.md").write_text("Too short.\n")
    arguments = ("falsify", "lab_scorers:sound", "--corpus", str(tmp_path))
    assert here(*arguments).stderr == "steelyard: 1 left out: fewer than 200 words\n"
    assert here(*arguments, "--quiet").stderr == ""


# Artifacts


def test_the_artifact_is_an_envelope_with_everything_that_was_printed(here: Run) -> None:
    done = here("falsify", "lab_scorers:sound", "--corpus", "pages", "--format", "json", "--quiet")
    assert (done.returncode, done.stderr) == (1, "")
    data = json.loads(done.stdout, parse_constant=lambda c: pytest.fail(f"{c} in the artifact"))
    assert list(data) == sorted(data)
    assert data["schema"] == "steelyard.falsify/1"
    assert data["tool"] == {"name": "steelyard", "version": steelyard.__version__}
    assert re.fullmatch(r"[0-9a-f]{64}", data["inputs"]["pages"])
    assert data["parameters"] == {
        "scorers": ["lab_scorers:sound"], "language": "en", "view": "flattened", "arm": "repeat", "seed": 0,
        "as_of": "2026-07-01", "pages": PAGES, "range": None, "timeout": 10.0, "isolate": False,
        "repeat": None, "bounds": {},
    }  # fmt: skip
    assert set(data["result"]) == {
        "scorer", "survives", "passed", "sources", "long_sources", "verdicts", "curves", "gains", "failures",
        "not_deterministic", "gave_up", "scale", "exploratory", "invariances", "repeatability",
    }  # fmt: skip
    assert set(data["result"]["verdicts"]) == {"all", "train", "test"}
    for verdicts in data["result"]["verdicts"].values():
        assert verdicts["passed"] == sum(verdicts[g]["status"] == "pass" for g in GATES)
        for verdict in (verdicts[gate] for gate in GATES):
            assert set(verdict) == {
                "status", "statistic", "bound", "margin", "interval", "parts", "reason", "by_estimate", "needed",
            }  # fmt: skip
            assert verdict["status"] != "pass" or verdict["margin"] >= 0
            assert verdict["statistic"] is not None or verdict["reason"]


@pytest.mark.full
def test_two_runs_write_the_same_bytes_with_their_plots(run: Run, place: Path) -> None:
    outputs = []
    for name, seed in (("out-1", "1"), ("out-2", "2")):
        done = run(
            "falsify", "lab_scorers:sound", "--corpus", "pages", "--out", name, "--format", "json", "--quiet",
            cwd=place, PYTHONHASHSEED=seed,
        )  # fmt: skip
        assert done.returncode == 0
        assert done.stderr == f"wrote {name}/falsify.json, {name}/dose-curves.png, {name}/dose-curves.svg\n"
        outputs.append(done.stdout)
    for name in ("falsify.json", "dose-curves.png", "dose-curves.svg"):
        assert (place / "out-1" / name).read_bytes() == (place / "out-2" / name).read_bytes()
    written = (place / "out-1" / "falsify.json").read_text("utf-8")
    assert outputs == [written, written]


@pytest.mark.full
def test_several_scorers_are_in_one_artifact_with_a_plot_each(here: Run, place: Path) -> None:
    names = [f"lab_scorers:{name}" for name in ("sound", "length", "sound")]
    assert here("falsify", *names, "--corpus", "pages", "--out", "many").returncode == 1
    records = json.loads((place / "many" / "falsify.json").read_text("utf-8"))["result"]["scorers"]
    assert [record["scorer"] for record in records] == names
    assert sorted(p.name for p in (place / "many").glob("*.png")) == [
        "dose-curves-lab_scorers-length.png",
        "dose-curves-lab_scorers-sound-3.png",
        "dose-curves-lab_scorers-sound.png",
    ]


def test_a_weighting_of_ones_own_is_named_with_its_hash(here: Run, place: Path) -> None:
    weights = (ROOT / "steelyard" / "scoring" / "weights" / "prior.toml").read_bytes()
    (place / "mine").mkdir()
    (place / "mine" / "own.toml").write_bytes(weights)
    arguments = ("falsify", "mine/own.toml", "--corpus", "few", "--format", "json", "--jobs", "1", "--quiet")
    data = json.loads(here(*arguments).stdout)
    assert data["result"]["scorer"] == "own.toml"
    assert data["inputs"]["own.toml"] == hashlib.sha256(weights).hexdigest()


# From Python


def test_a_function_and_its_name_come_out_alike(
    scorers: ModuleType, place: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(place)
    given = steelyard.falsify(scorers.sound, "pages", draws=20)
    named = steelyard.falsify("lab_scorers:sound", "pages", draws=20)
    sys.modules.pop("lab_scorers", None)
    assert (given.scorer, named.scorer) == ("sound", "lab_scorers:sound")
    assert given.survives is named.survives is False  # twelve pages decide nothing about length
    assert given.gates == named.gates
    assert list(given.gates) == list(GATES)


def test_from_python_our_own_scorer_is_named_and_a_mistake_is_an_error_of_ours(place: Path) -> None:
    found = steelyard.falsify("prior", str(place / "few"), as_of="2026-07-01", jobs=1)
    assert (found.scorer, found.survives) == ("prior", False)
    assert {v.reason for v in found.gates.values()} == {UNDEFINED.format(3)}
    with pytest.raises(SteelyardError, match="no scorer 'shiped'"):
        steelyard.falsify("shiped", str(place / "few"))
    with pytest.raises(SteelyardError, match="no such file"):
        steelyard.falsify(len, str(place / "absent"))
