"""`steelyard falsify` as a user sees it: five lines, a verdict, an exit code; and the same from Python."""

from __future__ import annotations

import hashlib
import json
import re
import shlex
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from importlib.util import module_from_spec, spec_from_file_location
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

import steelyard
from steelyard.errors import SteelyardError
from steelyard.lab.protocol.gates import NAMES as GATES
from steelyard.lab.study.studies import falsify as report
from tests.conftest import ROOT, run_here

Run = Callable[..., subprocess.CompletedProcess[str]]
SITE = ROOT / "examples" / "site"
PAGES = 12
NOWHERE = "http://127.0.0.1:9"  # the discard port, where nothing listens
FIGURE = (
    r"[+−]?\d+\.\d\d (?:points|ratio|\|r\|), at (?:most|least) −?[\d.]+ \(margin −?\d+\.\d\d; 95% interval .+ to .+\)"
)
LINE = re.compile(
    r"(?P<gate>negative-control|dose-response|saturation|duplication|length-bias): "
    rf"(?:(?P<status>pass|fail)  {FIGURE}(?:  .+)?|(?P<undefined>undefined|fail)  \S.+)"
)
UNDEFINED = "{} sources; a verdict needs 10 or more"

SCORERS = '''
"""Scorers that are sound, biased or broken; the package is not imported."""
import hashlib, itertools, os, signal, sys, time

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

def crashes(text):
    return 1 / 0

def leaves(text):
    sys.exit(3)

def nan(text):
    return float("nan")

def nothing(text):
    return None

def words(text):
    return "42"

def truth(text):
    return True

def huge(text):
    return 101

def negative(text):
    return -0.5

def hangs(text):
    time.sleep(60)

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

value = 3
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


def statuses(output: str) -> dict[str, str]:
    """Gate by gate, from the first five lines; every one of them must have the form of the contract."""
    found = {}
    for line in output.splitlines()[:5]:
        match = LINE.fullmatch(line)
        assert match, line
        found[match["gate"]] = match["status"] or match["undefined"]
    return found


def tried(scorer: Any, place: Path, **options: Any) -> tuple[dict[str, Any], list[str]]:
    """The record and the printed lines of a scorer, without a process for each."""
    found = steelyard.falsify(scorer, str(place / "pages"), draws=20, jobs=1, **options)
    record = found.record()
    assert report.findings(record).complaint is not found.survives
    return record, report.lines(record)


# The contract


def test_a_sound_scorer_gives_five_passes_and_exit_0(run: Run, place: Path) -> None:
    done = run("falsify", "lab_scorers:sound", "--corpus", "pages", cwd=place)
    assert list(statuses(done.stdout).items()) == [(gate, "pass") for gate in GATES]
    assert done.returncode == 0
    assert done.stderr == ""
    assert done.stdout.splitlines()[5] == (
        f"lab_scorers:sound survives: all five gates pass on {PAGES} pages. "
        "That is not proof; it has not been falsified."
    )


def test_a_biased_scorer_fails_by_name_and_exits_with_1(here: Run) -> None:
    done = here("falsify", "lab_scorers:length", "--corpus", "pages", "--quiet")
    assert done.returncode == 1
    assert statuses(done.stdout) == {
        "negative-control": "pass",
        "dose-response": "pass",
        "saturation": "undefined",
        "duplication": "fail",
        "length-bias": "fail",
    }
    assert done.stdout.splitlines()[5] == (
        f"lab_scorers:length is falsified on {PAGES} pages: it fails duplication, length-bias; "
        "it leaves saturation undefined, which is not a pass."
    )


def test_undefined_alone_is_no_pass(place: Path) -> None:
    record, lines = tried(lambda text: 50, place)
    assert {g: record["verdicts"]["all"][g]["status"] for g in GATES} == {
        "negative-control": "pass",
        "dose-response": "pass",
        "saturation": "undefined",
        "duplication": "pass",
        "length-bias": "undefined",
    }
    assert record["survives"] is False
    assert lines[-1].endswith("it leaves saturation, length-bias undefined, which is not a pass.")
    assert "is not cleared" in lines[-1]


def test_too_few_pages_leave_every_gate_undefined_with_the_reason(here: Run) -> None:
    done = here("falsify", "lab_scorers:sound", "--corpus", "few")
    assert done.returncode == 1
    assert done.stdout.splitlines() == [
        *(f"{gate}: undefined  {UNDEFINED.format(3)}" for gate in GATES),
        "lab_scorers:sound is not cleared on 3 pages: it leaves all five gates undefined, which is not a pass.",
    ]


# Failures


@pytest.mark.parametrize(
    ("name", "kind", "words"),
    [
        ("crashes", "crashed", "ZeroDivisionError: division by zero"),
        ("leaves", "crashed", "SystemExit: 3"),
        ("nan", "not a number", "the scorer returned nan"),
        ("nothing", "not a number", "the scorer returned None"),
        ("words", "not a number", "the scorer returned '42' (str)"),
        ("truth", "not a number", "the scorer returned True (bool)"),
        ("huge", "out of range", "the scorer returned 101.0, outside 0 to 100; see --range"),
        ("negative", "out of range", "the scorer returned -0.5, outside 0 to 100; see --range"),
        ("hangs", "timed out", "no answer within 0.2 s"),
    ],
)
def test_a_failure_is_reported_as_what_it_is(
    scorers: ModuleType, place: Path, name: str, kind: str, words: str
) -> None:
    record, lines = tried(getattr(scorers, name), place, timeout=0.2 if name == "hangs" else 60)
    assert set(record["failures"]) == {kind}
    assert record["survives"] is False
    assert record["passed"] == 0
    assert lines[:5] == [f"{gate}: undefined  {UNDEFINED.format(0)}" for gate in GATES]
    did = {"not a number": "returned no number", "out of range": "left its range"}.get(kind, kind)
    assert re.fullmatch(rf"the scorer {did} on \d+ calls, for example \S+\.md \(base\): .*", lines[5])
    assert words in lines[5]
    assert any(line.startswith("stopped early: the scorer failed on 3 pages in a row") for line in lines)
    assert lines[-1] == f"{name} is not cleared: it scored no page under every edit, so no gate could be judged."


def test_all_failures_side_by_side_exit_with_1(here: Run) -> None:
    names = ("crashes", "nan", "huge", "sound")
    done = here("falsify", *(f"lab_scorers:{n}" for n in names), "--corpus", "pages", "--quiet")
    assert done.returncode == 1
    rows = {line.split()[0]: line for line in done.stdout.splitlines() if re.search(r" \d/5 ", line)}
    assert [rows[f"lab_scorers:{n}"].split()[1] for n in names] == ["0/5", "0/5", "0/5", "5/5"]
    for name, fault in zip(names, ("crashed", "not a number", "out of range", "none"), strict=True):
        assert rows[f"lab_scorers:{name}"].endswith(fault)


def test_a_scorer_that_fails_on_one_page_does_not_survive_on_the_others(scorers: ModuleType, place: Path) -> None:
    record, lines = tried(scorers.once, place)
    assert record["sources"] == PAGES - 1
    assert record["passed"] == 5
    assert record["survives"] is False
    assert "for example coffee-extraction.md (base): ValueError: no coffee" in lines[5]
    assert "\n" not in lines[5]
    assert lines[-1] == f"once is falsified on {PAGES - 1} pages: it did not score every page."


def test_a_scorer_with_two_answers_to_one_page_does_not_survive(scorers: ModuleType, place: Path) -> None:
    record, lines = tried(scorers.unstable, place)
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
    assert "the scorer crashed on 1 call, for example coffee-extraction.md" in report.lines(dies)[5]
    # After a page has timed out its other variants are not asked for.
    assert set(sleeps["failures"]) == {"timed out"}
    assert "coffee-extraction.md (duplication-1): no answer within 4 s" in sleeps["failures"]["timed out"]["examples"]
    for record in (dies, sleeps):
        assert (record["sources"], record["survives"]) == (2, False)


def test_what_a_scorer_prints_never_reaches_standard_output(here: Run) -> None:
    done = here("falsify", "lab_scorers:printing", "--corpus", "pages", "--format", "json")
    assert json.loads(done.stdout)["result"]["survives"] is True
    assert "noise on standard output" in done.stderr


# What cannot run


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("absent_module:f",), "absent_module:f: no module 'absent_module' in "),
        (("needs_absent:f",), "needs_absent:f: importing 'needs_absent' failed: ModuleNotFoundError: No module named"),
        (("lab_scorers:sond",), "lab_scorers:sond: module 'lab_scorers' has no 'sond'; did you mean 'sound'?"),
        (("lab_scorers:value",), "lab_scorers:value: 'value' is of type int, and a function is needed"),
        (("shiped",), "no scorer 'shiped'; did you mean 'shipped'?"),
        (
            ("lab_scorers.py:sound",),
            "lab_scorers.py:sound: names a file, and a module is needed; write lab_scorers:sound",
        ),
        (
            ("unread:f",),
            "unread:f: importing 'unread' failed: SyntaxError: invalid syntax at unread.py:2; fix the module",
        ),
        (
            (f"{NOWHERE}/score", "--corpus", "few", "--timeout", "1"),
            f"{NOWHERE}/score: no page could be scored, of 3 tried: cannot be reached (",
        ),
        (
            (f"{shlex.quote(sys.executable)} -S absent.py", "--corpus", "few"),
            f"{shlex.quote(sys.executable)} -S absent.py: no page could be scored, of 3 tried: exit status 2;",
        ),
        (("./absent-program",), "./absent-program: cannot be run (no such program)"),
        (("lab_scorers:sound", "--corpus", "absent"), "absent: no such file or directory; check the path"),
        (("lab_scorers:sound", "--corpus", "empty"), "empty: no pages in this directory; pages are files ending in"),
        (("lab_scorers:sound", "--corpus", "bad.jsonl"), "bad.jsonl:1: not JSON (Expecting value at column 9)"),
        (("lab_scorers:sound", "--corpus", "pages", "--language", "fr"), "pages: no page in 'fr' (there are: en)"),
        (("lab_scorers:sound", "--range", "1,0"), "the range 1 to 0 is empty; give the lower bound first"),
        (("lab_scorers:sound", "--range", "one"), "Invalid value for '--range': 'one' is not a range; give the lowest"),
        (("lab_scorers:sound", "--format", "xml"), "unknown format 'xml' (known: human, json, markdown)"),
        ((), "Missing argument 'SCORER...'."),
    ],
)
def test_what_cannot_run_is_one_line_and_exit_2(
    here: Run, place: Path, arguments: tuple[str, ...], message: str
) -> None:
    (place / "empty").mkdir(exist_ok=True)
    (place / "bad.jsonl").write_text('{"text": \n')
    (place / "needs_absent.py").write_text("import a_package_nobody_has\n")
    (place / "unread.py").write_text("def f(text):\n    return 1 +\n")
    done = here("falsify", *arguments)
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr.startswith(f"steelyard: {message}")
    assert len(done.stderr.splitlines()) == 1


def test_an_absent_scorer_next_to_one_that_is_there_is_reported_and_compared(here: Run) -> None:
    options = ("--corpus", "few", "--quiet", "--jobs", "1", "--timeout", "1")
    done = here("falsify", f"{NOWHERE}/score", "lab_scorers:sound", *options)
    assert done.returncode == 1
    assert f"{NOWHERE}/score is not cleared: it scored no page" in done.stdout
    assert done.stderr.startswith(f"steelyard: {NOWHERE}/score: no page could be scored, of 3 tried: cannot be reached")
    none = here("falsify", f"{NOWHERE}/score", f"{NOWHERE}/other", *options)
    assert (none.returncode, none.stdout, len(none.stderr.splitlines())) == (2, "", 2)


def test_a_program_that_answers_once_is_there(here: Run, place: Path) -> None:
    (place / "moody.py").write_text("import sys\nprint(50) if 'offee' in sys.stdin.read()[:200] else sys.exit(4)\n")
    done = here("falsify", f"{shlex.quote(sys.executable)} -S moody.py", "--corpus", "few", "--quiet")
    assert done.returncode == 1
    assert set(statuses(done.stdout).values()) == {"undefined"}
    assert "exit status 4" in done.stdout.splitlines()[5]


def test_an_unusable_out_is_reported_before_the_scorer_runs(here: Run, place: Path) -> None:
    (place / "a-file").write_text("")
    done = here("falsify", "lab_scorers:printing", "--corpus", "pages", "--out", "a-file/deeper")
    assert (done.returncode, done.stdout) == (2, "")
    assert re.fullmatch(
        r"steelyard: a-file/deeper: cannot write here \(.*a-file is not a folder\); choose another folder with --out\n",
        done.stderr,
    )


# Forms of a scorer


def test_a_scale_of_0_to_1_is_noticed_and_honoured(scorers: ModuleType, place: Path) -> None:
    plain, _ = tried(scorers.sound, place)
    small, lines = tried(scorers.unit, place)
    assert "all points are between 0 and 1: if that is the scorer's scale, give --range 0,1" in lines
    scaled, lines = tried(scorers.unit, place, scale=(0, 1))
    assert not any("--range" in line for line in lines)
    for gate in GATES:
        expected = plain["verdicts"]["all"][gate]["statistic"]
        assert scaled["verdicts"]["all"][gate]["statistic"] == pytest.approx(expected, abs=1e-9)
    assert small["gains"][0]["mean"] == pytest.approx(scaled["gains"][0]["mean"] / 100)


def test_a_command_and_a_function_come_out_alike(here: Run, place: Path) -> None:
    (place / "counts.py").write_text("def words(text):\n    return len(text.split())\n")
    options = ("--range", "0,4000", "--corpus", "few", "--format", "json", "--quiet")
    found = [json.loads(here("falsify", s, *options).stdout) for s in ("wc -w", "counts:words")]
    assert found[0]["parameters"]["scorers"] == ["wc -w"]
    assert found[0]["parameters"]["range"] == [0.0, 4000.0]
    command, function = (f["result"] for f in found)
    assert command["failures"] == function["failures"] == {}
    assert {k: v for k, v in command.items() if k != "scorer"} == {k: v for k, v in function.items() if k != "scorer"}


@pytest.fixture
def address() -> Iterator[str]:
    """An endpoint that counts words, at most a thousand of them."""

    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"
        disable_nagle_algorithm = True

        def do_POST(self) -> None:
            text = json.loads(self.rfile.read(int(self.headers["content-length"])))["text"]
            body = json.dumps({"score": min(100.0, len(text.split()) / 10)}).encode()
            self.send_response(200 if self.path == "/score" else 404)
            self.send_header("content-length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, format: str, *args: Any) -> None:
            pass

    with ThreadingHTTPServer(("127.0.0.1", 0), Handler) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        yield f"http://127.0.0.1:{server.server_port}"
        server.shutdown()


def test_an_endpoint_is_a_scorer_and_one_that_is_down_is_no_pass(here: Run, address: str) -> None:
    targets = (f"{address}/score", f"{address}/down", "lab_scorers:length")
    done = here("falsify", *targets, "--corpus", "pages", "--format", "json", "--quiet", "--jobs", "1")
    endpoint, down, function = json.loads(done.stdout)["result"]["scorers"]
    assert endpoint["verdicts"] == function["verdicts"]
    assert endpoint["failures"] == {}
    assert down["passed"] == 0
    assert down["survives"] is False
    assert "status 404" in down["failures"]["crashed"]["examples"][0]


def test_language_view_and_arm_are_the_users(here: Run) -> None:
    done = here(
        "falsify", "length", "--language", "fr", "--view", "structured", "--arm", "fresh", "--seed", "4", "--format",
        "json", "--quiet", "--jobs", "1",
    )  # fmt: skip
    data = json.loads(done.stdout)
    assert (
        data["parameters"] | {"language": "fr", "view": "structured", "arm": "fresh", "seed": 4} == data["parameters"]
    )
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


def check_record(record: dict[str, Any]) -> None:
    """One scorer's result has everything that is printed of it."""
    assert set(record) == {
        "scorer", "survives", "passed", "sources", "long_sources", "verdicts", "curves", "gains", "failures",
        "not_deterministic", "gave_up", "scale", "exploratory",
    }  # fmt: skip
    assert set(record["verdicts"]) == {"all", "train", "test"}
    for verdicts in record["verdicts"].values():
        assert set(verdicts) == {"passed", *GATES}
        assert verdicts["passed"] == sum(verdicts[g]["status"] == "pass" for g in GATES)
        for gate in GATES:
            found = verdicts[gate]
            assert set(found) == {"status", "statistic", "bound", "margin", "interval", "parts", "reason"}
            assert found["status"] in ("pass", "fail", "undefined")
            if found["status"] == "pass":
                assert found["margin"] >= 0
            if found["statistic"] is None:
                assert found["reason"]


def test_the_artifact_is_an_envelope_with_everything_that_was_printed(here: Run) -> None:
    done = here("falsify", "lab_scorers:sound", "--corpus", "pages", "--format", "json", "--quiet")
    assert (done.returncode, done.stderr) == (0, "")
    data = json.loads(done.stdout, parse_constant=lambda c: pytest.fail(f"{c} in the artifact"))
    assert list(data) == sorted(data)
    assert data["schema"] == "steelyard.falsify/1"
    assert data["tool"] == {"name": "steelyard", "version": steelyard.__version__}
    assert re.fullmatch(r"[0-9a-f]{64}", data["inputs"]["pages"])
    assert data["parameters"] == {
        "scorers": ["lab_scorers:sound"], "language": "en", "view": "flattened", "arm": "repeat", "seed": 0,
        "as_of": "2026-07-01", "pages": PAGES, "range": None, "timeout": 10.0, "isolate": False,
    }  # fmt: skip
    check_record(data["result"])


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
    assert (place / "out-1" / "dose-curves.png").read_bytes().startswith(b"\x89PNG\r\n")
    assert "<svg" in (place / "out-1" / "dose-curves.svg").read_text("utf-8")


@pytest.mark.full
def test_several_scorers_are_in_one_artifact_with_a_plot_each(here: Run, place: Path) -> None:
    arguments = ("lab_scorers:sound", "lab_scorers:length", "lab_scorers:sound")
    done = here("falsify", *arguments, "--corpus", "pages", "--out", "many")
    assert done.returncode == 1
    assert done.stdout.splitlines()[:3] == [
        f"lab_scorers:sound survives: all five gates pass on {PAGES} pages. "
        "That is not proof; it has not been falsified.",
        f"lab_scorers:length is falsified on {PAGES} pages: it fails duplication, length-bias; "
        "it leaves saturation undefined, which is not a pass.",
        f"lab_scorers:sound survives: all five gates pass on {PAGES} pages. "
        "That is not proof; it has not been falsified.",
    ]
    assert f"lab_scorers:length on {PAGES} pages" in done.stderr
    for record in json.loads((place / "many" / "falsify.json").read_text("utf-8"))["result"]["scorers"]:
        check_record(record)
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


def test_markdown_holds_the_lines_and_the_tables(here: Run) -> None:
    done = here("falsify", "lab_scorers:sound", "--corpus", "pages", "--format", "markdown", "--quiet")
    lines = done.stdout.splitlines()
    assert [LINE.fullmatch(line.removeprefix("- ")) is not None for line in lines[:5]] == [True] * 5
    assert "**Response by dose, in points**" in lines
    assert "| edit | dose 1 | dose 2 | dose 3 | dose 8 |" in lines


# From Python


def test_a_function_and_its_name_come_out_alike(
    scorers: ModuleType, place: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(place)
    given = steelyard.falsify(scorers.sound, "pages", draws=20)
    named = steelyard.falsify("lab_scorers:sound", "pages", draws=20)
    sys.modules.pop("lab_scorers", None)
    assert (given.scorer, named.scorer) == ("sound", "lab_scorers:sound")
    assert given.survives
    assert named.survives
    assert given.gates == named.gates
    assert list(given.gates) == list(GATES)
    assert {v.status for v in given.gates.values()} == {"pass"}


def test_from_python_our_own_scorer_is_named(place: Path) -> None:
    found = steelyard.falsify("prior", str(place / "few"), as_of="2026-07-01", jobs=1)
    assert found.scorer == "prior"
    assert found.survives is False
    assert {v.reason for v in found.gates.values()} == {UNDEFINED.format(3)}


def test_from_python_a_mistake_is_an_error_of_ours(place: Path) -> None:
    with pytest.raises(SteelyardError, match="no scorer 'shiped'"):
        steelyard.falsify("shiped", str(place / "few"))
    with pytest.raises(SteelyardError, match="no such file"):
        steelyard.falsify(len, str(place / "absent"))
