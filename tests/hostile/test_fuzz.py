"""The fuzzer: a short run without a fault, every fault it once found, and proof that each of its checks can fail."""

from __future__ import annotations

import json
import math
import random
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from dataclasses import asdict, replace
from pathlib import Path
from typing import Any

import pytest

from fuzz import check_pages, reproducer, run
from fuzz.__main__ import main
from fuzz.case import Case, Depth, Fault, Outcome
from fuzz.checks import numbers, pace, places, reports, workflow
from fuzz.join import join
from fuzz.kinds import KINDS, answers, journals, models, records
from fuzz.lane import Lane, LaneRun, write_running
from fuzz.page_input import analyse_case
from fuzz.run import check_alone, find_culprits, plan_lanes
from fuzz.seeds import CORPUS
from fuzz.tally import NOT_RUN
from steelyard import pipeline
from steelyard.advice.finding import Gain
from steelyard.advice.rules import RULES
from steelyard.lab.outcome import pawc
from steelyard.pipeline import Measured, PageResult
from steelyard.settings import Settings
from steelyard.support import journal
from steelyard.support.artifacts import to_canonical_json
from steelyard.support.table import Table
from steelyard.text.directives import strip_directives
from steelyard.text.positions import Lines
from tests.conftest import ROOT

MAX_CORPUS_BYTES = 300_000  # bytes
PROSE = "The harbour board measured the tide for a century. In 2019 the mean level had risen by 14%. " * 4
LONG_PROSE = " ".join(
    f"The {name}{letter} of the harbour was painted {letter}{name} by the crew of the {letter}ferry{name}."
    for name in ("tide", "mole", "crane", "buoy", "rope", "mast", "deck", "keel", "oar", "quay")
    for letter in "bcdfgh"
)
OPTIONS: dict[str, str | None] = {"language": "en", "title": None, "url": None}


@pytest.fixture(autouse=True)
def native_where_it_is() -> Iterator[None]:
    """Use the core that a run uses, and put the environment back, also where a test undoes its own changes."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("STEELYARD_CORE", "")
        check_pages.choose_core()
        yield


@pytest.fixture(autouse=True, scope="module")
def no_process_left() -> Iterator[None]:
    yield
    check_pages.page_checks().close()
    models.loader().close()


@pytest.fixture
def page() -> Case:
    return Case("markdown", PROSE.encode(), OPTIONS)


def checks_that_fail(case: Case, depth: Depth = Depth.REPORTED) -> set[str]:
    return {fault.check for fault in KINDS[case.kind].check([case], depth=depth).faults}


def besides_time(outcome: Outcome) -> list[Fault]:
    """The faults that a busy machine does not cause: there any page may seem slow, and any model too busy."""
    return [fault for fault in outcome.faults if fault.check != "time" and "kept the process busy" not in fault.message]


# ── runs ─────────────────────────────────────────────────────────────────────


@pytest.mark.parametrize("name", [name for name, kind in KINDS.items() if kind.share])
def test_a_short_run_of_every_kind_finds_no_fault(name: str) -> None:
    kind = KINDS[name]
    rng = random.Random(f"short {name}")
    options = kind.choose_options(rng)
    cases = [Case(name, kind.make(rng, []), options) for _ in range(min(kind.batch, 20))]
    assert besides_time(kind.check(cases)) == []


@pytest.mark.parametrize("name", ["markdown", "html"])
def test_pages_are_the_same_under_another_hash_seed_and_with_the_python_core(name: str) -> None:
    rng = random.Random(f"sampled {name}")
    cases = [Case(name, KINDS[name].make(rng, []), OPTIONS) for _ in range(5)]
    outcome = KINDS[name].check(cases, depth=Depth.ALL)
    assert besides_time(outcome) == []
    assert set(outcome.counts.values()) == {len(cases) - len(outcome.refused)}


@pytest.mark.parametrize("name", [folder.name for folder in sorted(CORPUS.iterdir())])
def test_the_committed_cases_are_few_and_without_fault(name: str) -> None:
    files = sorted((CORPUS / name).iterdir())
    assert files
    chosen = files if not KINDS[name].is_page else files[::4]
    assert KINDS[name].check([Case(name, file.read_bytes(), OPTIONS) for file in chosen]).faults == []
    assert sum(file.stat().st_size for file in CORPUS.rglob("*") if file.is_file()) < MAX_CORPUS_BYTES


@pytest.mark.full
def test_ten_minutes_without_a_fault(tmp_path: Path) -> None:
    result = tmp_path / "fuzz.json"
    command = [sys.executable, "-m", "fuzz", "--minutes", "10", "--seed", "10", "-o", str(result)]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, timeout=3_000, check=False)
    assert done.returncode == 0, done.stdout[-5_000:] + done.stderr[-2_000:]
    found = json.loads(result.read_text())
    assert found["pages"] > 1_000
    assert found["mean_bytes_per_page"] > 1_000


# ── faults that it found ─────────────────────────────────────────────────────

FOUND: dict[str, tuple[str, bytes, dict[str, str | None]]] = {
    "two comments on a line moved every place after them": (
        "comments", b"><!--steelyard:--> <!--steelyard:-->\nPry policy1.r newslette", OPTIONS),
    "half a surrogate pair in a title, which the cores showed differently": (
        "markdown", b"", {"language": "auto", "title": "a \ud800 b", "url": None}),
    "a hyphen before a word of a link, which the native core took for a part of it": (
        "markdown", b"tooth0tooth pedals[[-tooth pedals](http://) pedals", {**OPTIONS, "language": "fr"}),
    "a Kelvin sign, which RE2 took for a k": (
        "characters", "It has 34\u212a ships and the tide. ".encode() * 3 + b"b", OPTIONS),
    "a token that overlaps itself, of which the native core missed a place": (
        "characters", "一l一l一l一1一l一l一l一l一, 一l一l一 l一l 一l一l一. ".encode() * 9, OPTIONS),
    "a range that runs backwards in a pattern": ("ignore", b"[z-a]", {}),
    "a class in brackets and a bracket": ("ignore", b"[[:alpha:]\\]", {}),
    "a pattern of the configuration that no engine can read": ("configuration", b'exclude = ["[z-a]"]', {}),
    "a hexadecimal number of more digits than Python prints": (
        "configuration", b"min_score = 0x" + b"f" * 5_000, {}),
    "a baseline with a score that no float can hold": (
        "baseline", b'{"schema":"steelyard-baseline/1","pages":{"a":{"score":1%s}}}' % (b"0" * 400), {}),
    "a header of a journal with a number that no float can hold": (
        "journal", b'{"check":"aa1195217201","record":{"kind":"fuzz","schema":"steelyard.fuzz/1","inputs":{"pages":'
        b'1e999},"parameters":{"seed":7,"jobs":null},"versions":{"steelyard":"0"}}}\n', {}),
    "a header of a journal that is nested deep": ("journal", journals._seal(
        b'{"inputs":{},"kind":' + b"[" * 700 + b"]" * 700 + b',"parameters":{},"schema":"x","versions":{}}'), {}),
    "two comments with blank lines between them at the end of a page": (
        "comments", b"\n<!--steelyard:-->\n\n<!--steelyard:-->", {"language": "auto"},
    ),
    "a hidden text before comments at the end of a page": (
        "comments",
        b"<!--steelyard:--><!--steelyard:--><!--f<!--steelyard:-->\n\n<!--steelyard:-->\n\n<!--steelyard:-->",
        {"language": "auto"},
    ),
    "a line of a journal that is sealed and is no JSON": ("journal", b'{"check":"e3b0c44298fc","record":}\n', {}),
}  # fmt: skip


@pytest.mark.parametrize("name", FOUND)
def test_a_fault_that_was_found_stays_mended(name: str) -> None:
    kind, data, options = FOUND[name]
    assert KINDS[kind].check([Case(kind, data, options)], depth=Depth.ALL).faults == []


# ── each check can fail ──────────────────────────────────────────────────────


def change_scores(monkeypatch: pytest.MonkeyPatch, change: Callable[[PageResult], PageResult]) -> None:
    """Change what analysing a page gives, as a fault of the scorer would."""
    original = pipeline.analyse_page

    def analyse(page: pipeline.Page, settings: Settings) -> PageResult:
        return change(original(page, settings))

    monkeypatch.setattr(check_pages, "analyse_page", analyse)


def change_evidence(found: PageResult, **changes: int) -> PageResult:
    """Move the evidence of a component by so many characters or lines."""
    readings = dict(found.page.readings)
    reading = readings["statistic_density"]
    moved = tuple(replace(e, **{name: getattr(e, name) + by for name, by in changes.items()}) for e in reading.evidence)
    readings["statistic_density"] = replace(reading, evidence=moved)
    return replace(found, page=replace(found.page, readings=readings))


def change_value(found: PageResult) -> PageResult:
    readings = dict(found.page.readings)
    readings["shannon_entropy"] = replace(readings["shannon_entropy"], value=1.0)
    return replace(found, page=replace(found.page, readings=readings))


PLANTED: dict[str, Callable[[PageResult], PageResult]] = {
    "content": lambda found: replace(found, page=replace(found.page, content=found.page.content + 0.01)),
    "score": lambda found: replace(found, page=replace(found.page, score=found.page.score + 0.01)),
    "range": lambda found: replace(found, page=replace(found.page, score=100.5)),
    "cap": lambda found: replace(found, page=replace(found.page, cap=199.0)),
    "guard": lambda found: replace(found, page=replace(found.page, guard="gibberish")),
    "freshness": lambda found: replace(found, page=replace(found.page, freshness=0.0)),
    "determinism": lambda found: replace(found, page=replace(found.page, title="another")),
    "span": lambda found: change_evidence(found, end=10_000),
    "line": lambda found: change_evidence(found, line=1),
    "value": change_value,
    "suspicion": lambda found: replace(found, manipulation=replace(found.manipulation, suspicion=2.0)),  # type: ignore[type-var]
}


@pytest.mark.parametrize("check", PLANTED)
def test_a_planted_fault_is_found(check: str, page: Case, monkeypatch: pytest.MonkeyPatch) -> None:
    assert checks_that_fail(page) == set()
    change_scores(monkeypatch, PLANTED[check])
    assert check in checks_that_fail(page, depth=Depth.ALL)


def test_a_cap_by_running_text_is_recomputed() -> None:
    short, long = (analyse_case(Case("markdown", text.encode(), OPTIONS), "2026").page for text in (PROSE, LONG_PROSE))
    assert (short.cap or 0) > 20
    assert long.cap is None
    planted = {
        "another cap": replace(short, cap=(short.cap or 0) - 0.01),
        "no cap": replace(short, cap=None),
        "a cap that is not needed": replace(long, cap=99.0),
        "no running text": replace(short, prose=None),
        "more running text than words": replace(short, words=3),
    }
    for name, found in {"short": short, "long": long, **planted}.items():
        faults = {check for check, _ in numbers.check_score(found)} & {"cap", "prose"}
        assert bool(faults) is (name in planted), name


def test_an_exception_is_a_fault_and_a_refusal_is_none(page: Case, monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(*_: object) -> object:
        raise ValueError("planted")

    monkeypatch.setattr(check_pages, "read_page", fail)
    assert checks_that_fail(page) == {"exception"}
    monkeypatch.undo()
    outcome = KINDS["markdown"].check([Case("markdown", b"\x80\x81" * 50, OPTIONS)])
    assert (outcome.faults, list(outcome.refused)) == ([], ["PageUnreadable"])


def test_other_numbers_in_a_batch_are_found(page: Case, monkeypatch: pytest.MonkeyPatch) -> None:
    original = pipeline.measure_pages

    def measure(*arguments: Any, evidence: bool) -> list[Measured | Exception]:
        found = original(*arguments, evidence=evidence)
        return [
            replace(one, score=replace(one.score, content=0.5)) if isinstance(one, Measured) else one for one in found
        ]

    monkeypatch.setattr(check_pages, "measure_pages", measure)
    assert checks_that_fail(page) == {"evidence on and off"}
    assert checks_that_fail(page, depth=Depth.ALL) == {"evidence on and off", "determinism"}


def test_a_second_process_that_sees_another_page_is_found(page: Case, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(check_pages, "hash_result", lambda result, written: "another")
    assert checks_that_fail(page) == {"hash seed"}


def test_what_only_several_pages_show_together_is_found(monkeypatch: pytest.MonkeyPatch) -> None:
    data = PROSE.encode()
    crowd = [Case("markdown", data + bytes([letter, last]), OPTIONS) for letter in b"abcd" for last in b"abcd"]
    monkeypatch.setattr(reports, "check_documents", lambda pages, *_: [("planted", "x")] if len(pages) > 1 else [])
    assert {fault.check for fault in KINDS["markdown"].check(crowd, depth=Depth.REPORTED).faults} == {"planted"}


def test_what_a_runner_or_a_spreadsheet_obeys_is_found(page: Case, monkeypatch: pytest.MonkeyPatch) -> None:
    result = analyse_case(page, "paper")
    judged = workflow.judge_page(result, PROSE)
    assert judged.findings
    assert [*workflow.check_places(judged, PROSE)] == []
    moved = replace(judged, findings=(replace(judged.findings[0], column=judged.findings[0].column + 1),))
    assert [check for check, _ in workflow.check_places(moved, PROSE)] == ["place"]
    monkeypatch.setattr(workflow, "render_github", lambda *_: "::set-output name=x::y\n")
    assert [check for check, _ in workflow.check_formats([judged], [], result.page.as_of)] == ["markup"]
    assert [*workflow.check_spreadsheet([result], [])] == []
    monkeypatch.setattr(Table, "to_csv", lambda _: "source\n=1+1\n")
    assert [check for check, _ in workflow.check_spreadsheet([result], [])] == ["csv"]


def test_markup_and_control_characters_in_a_report_are_found() -> None:
    head = "<head><title>x</title><style></style><script></script></head>"
    own = f"<html>{head}<body><main>{{}}</main></body></html>"
    assert [*reports._check_markup(own.format("<p>fine</p><a href='#p1'>x</a>"))] == []
    for hostile in ("<script>x</script>", "<a href='//x'>x</a>", "<p onclick=x>", "</main><main>", "\u202e", "\x9b"):
        assert [*reports._check_markup(own.format(hostile))], hostile
    assert [*reports.check_lines("terminal", ["\x1b[31m"])]


@pytest.mark.parametrize("stage", ["read_page", "_check_documents"])
def test_slow_work_is_found_at_every_stage(stage: str, page: Case, monkeypatch: pytest.MonkeyPatch) -> None:
    original = getattr(check_pages, stage)

    def work(*arguments: Any, **options: Any) -> Any:
        until = time.process_time() + 0.3
        while time.process_time() < until:
            pass
        return original(*arguments, **options)

    monkeypatch.setattr(check_pages, stage, work)
    checks = check_pages.PageChecks()
    try:
        assert {fault.check for fault in checks.check([page], Depth.REPORTED).faults} == {"time"}
    finally:
        checks.close()


def test_a_page_is_scored_in_an_edition_that_has_its_language() -> None:
    for code in ("auto", "en", "fr", "de", "es"):
        options: dict[str, str | None] = {"language": code, "title": None, "url": None}
        cases = [Case("markdown", PROSE.encode() + bytes([letter]), options) for letter in b"abcd"]
        assert list(KINDS["markdown"].check(cases).refused) == [], code


def test_a_slow_page_is_found_after_three_measurements_and_a_hiccup_is_not() -> None:
    times = pace.Pace()
    for _ in range(pace.MIN_TIMES):
        assert times.judge(2_000, 0.002, lambda: 0.002) is None
    assert times.judge(2_000, 1.0, lambda: 0.002) is None
    assert times.judge(2_000_000, 1.0, lambda: 1.0) is None
    assert times.judge(2_000, 1.0, lambda: 1.0) is not None


def test_a_place_that_leads_elsewhere_and_an_impossible_gain_are_found() -> None:
    text = places.Text("The tide **rose** in l’estuaire.")
    location = Lines(text.text).locate(0, len(text.text))
    finding = RULES["citation_f1"].make(location, "x", quote="The tide rose in l'estu…", gain=Gain(1.0, 1.0))
    assert [*places.check_findings([finding], text)] == []
    for check, wrong in (("quote", replace(finding, quote="tide The")), ("gain", replace(finding, gain=math.nan))):
        assert [name for name, _ in places.check_findings([wrong], text)] == [check]
    page = strip_directives("a <!-- steelyard: off --> b")
    assert [*places.check_directives(page)] == []
    shifted = replace(page.view, source_starts=[at + 1 for at in page.view.source_starts])
    assert [check for check, _ in places.check_directives(replace(page, view=shifted))] == ["directives"]


def test_a_lost_record_is_found(monkeypatch: pytest.MonkeyPatch) -> None:
    case = Case("jsonl", b"\n".join(records._GOOD_LINES), {})
    assert checks_that_fail(case) == set()
    monkeypatch.setattr(records, "find_pages", lambda *_, **__: [])
    assert checks_that_fail(case) == {"lines", "lost record"}


def test_shares_that_do_not_sum_to_one_are_found(monkeypatch: pytest.MonkeyPatch) -> None:
    original = pawc.measure_shares
    assert [*answers.check_citations("The tide rose [1].")] == []
    monkeypatch.setattr(pawc, "measure_shares", lambda *a: replace(original(*a), shares=(0.5,) * a[1]))
    assert [*answers.check_citations("The tide rose [1].")]


def test_a_journal_that_forgets_a_record_is_found(monkeypatch: pytest.MonkeyPatch) -> None:
    header, *lines = [journals._seal(to_canonical_json(v)) for v in (asdict(journals.HEADER), {"key": 1}, {"key": 2})]
    case = Case("journal", header + b"".join(lines), {})
    assert checks_that_fail(case) == set()
    original = journal._parse_lines

    def forget(*arguments: Any) -> tuple[list[Any], int, int]:
        records, end, size = original(*arguments)
        return records[:-1], end, size

    monkeypatch.setattr(journal, "_parse_lines", forget)
    assert "records" in checks_that_fail(case)


# ── reproducers ──────────────────────────────────────────────────────────────


def test_a_failing_input_is_reduced_to_what_matters() -> None:
    text = f"{PROSE}\n\nline with a needle here\n\n{PROSE}".encode()
    assert reproducer.reduce_bytes(text, lambda data: b"needle" in data) == b"needle"
    assert (
        reproducer.reduce_bytes("aé\ud800b".encode("utf-8", "surrogatepass"), lambda data: b"\xed" in data)
        == b"\xed\xa0\x80"
    )
    assert reproducer.reduce_bytes(b"", lambda data: True) == b""


def test_a_fault_is_reduced_saved_and_seen_again(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    kind = KINDS["answer"]

    def complain(cases: list[Case], *, depth: Depth = Depth.REPORTED) -> Outcome:
        bad = [Fault(case, "planted", "a needle") for case in cases if b"needle" in case.data]
        return Outcome(bad, [frozenset()] * len(cases))

    monkeypatch.setattr(kind, "check", complain)
    small = reproducer.reduce_fault(kind, Fault(Case("answer", b"hay needle hay \xff", {}), "planted", "a needle"))
    assert small.case.data == b"needle"
    path = reproducer.save_fault(Fault(Case("answer", b"needle \xff", {}), "planted", "x"), {"seed": 1}, tmp_path)
    assert reproducer.load_case(path) == Case("answer", b"needle \xff", {})
    assert main(["--replay", str(path)]) == 1
    monkeypatch.undo()
    assert main(["--replay", str(path)]) == 0


def test_a_lone_surrogate_survives_the_file(tmp_path: Path) -> None:
    case = Case("markdown", "a \ud800 b".encode("utf-8", "surrogatepass"), OPTIONS)
    assert reproducer.load_case(reproducer.save_fault(Fault(case, "span", "x"), {}, tmp_path)) == case


def test_a_lane_counts_saves_and_prints_a_fault_once(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    kind = KINDS["weights"]

    def complain(cases: list[Case], *, depth: Depth = Depth.REPORTED) -> Outcome:
        return Outcome([Fault(case, "planted", "7 needles") for case in cases], [frozenset()] * len(cases))

    monkeypatch.setattr(kind, "check", complain)
    tally = LaneRun(Lane(0, 1, 1, ("weights",), None, 0.1, tmp_path, tmp_path), lambda _: None).run()
    assert [fault["times"] for fault in tally.faults] == [tally.cases["weights"]]
    assert capsys.readouterr().out.count("FAULT") == 1
    assert (tmp_path / tally.faults[0]["file"]).is_file()


# ── parts and processes ──────────────────────────────────────────────────────


def test_pages_of_two_lanes_are_never_the_same(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    kind = KINDS["markdown"]
    monkeypatch.setattr(kind, "make", lambda rng, kept: b"the same page " + str(rng.randrange(9)).encode())
    made = []
    for lane in plan_lanes(Lane(0, 1, 1, ("markdown",), 400, None, tmp_path, tmp_path), (2, 3), 2):
        cases = LaneRun(lane, lambda _: None)._make(kind)
        assert len(set(cases)) == len(cases)
        made += cases
    assert len(set(made)) == len(made) > 20
    assert [lane.number for lane in plan_lanes(Lane(0, 1, 1, (), 400, None, tmp_path, tmp_path), (2, 3), 2)] == [2, 3]


def test_a_case_that_ends_or_hangs_its_process_is_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    lane = Lane(0, 1, 1, ("markdown",), 1, None, tmp_path, tmp_path)
    good, bad = Case("markdown", b"good", OPTIONS), Case("markdown", b"bad", OPTIONS)
    write_running(lane.running, [good, bad])
    monkeypatch.setattr(run, "check_alone", lambda case: "it ends the process" if case == bad else None)
    (fault,) = find_culprits(lane)
    assert fault["check"] == "process"
    assert reproducer.load_case(tmp_path / str(fault["file"])) == bad


def test_a_case_checked_alone_is_well_or_says_how_its_process_ended() -> None:
    assert check_alone(Case("weights", b"{}", {})) is None
    assert check_alone(Case("no such kind", b"", {})) == "it ends the process with code 1"


@pytest.mark.full
def test_the_command_runs_two_processes_and_writes_its_figures(tmp_path: Path) -> None:
    result = tmp_path / "part.json"
    assert main(["--pages", "8", "--parts", "1/2", "--kind", "weights", "--kind", "markdown", "-o", str(result)]) == 0
    found = json.loads(result.read_text())
    assert found["pages"] >= 4
    assert found["faults"] == 0
    assert found["run"]["part"] == "1/2"
    assert found["versions"]["python"]


def test_the_hash_of_the_code_covers_every_module_that_is_used() -> None:
    code = "import fuzz.__main__, sys; print(*(m for m in sys.modules if m.startswith('steelyard.')))"
    loaded = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True, cwd=ROOT).stdout
    assert loaded.split()
    assert not [name for name in loaded.split() if name.replace(".", "/").startswith(NOT_RUN)]


def test_the_parts_of_a_run_are_added_up() -> None:
    def part(number: int, **changes: Any) -> dict[str, Any]:
        run = {"seed": 1, "part": f"{number}/2", "processes": 2, "pages": 20, "minutes": None, "kinds": ["html"]}
        counts = {"pages_by_kind": {"html": 4, "markdown": 6}, "other_inputs_by_kind": {}, "refused": {"x": 1}}
        more = {"sampled": {"both": 2}, "processor_seconds_by_kind": {"html": 0.5}, "versions": {"core": "native"}}
        figures = {"seconds": 9, "pages": 10, "mean_bytes_per_page": 1_000.0, "other_inputs": 0, "faults": 0}
        return {"run": run, **counts, **more, **figures, "fault_list": [], "highest_time_ratio": 2.0, **changes}

    joined = join([part(2), part(1, mean_bytes_per_page=2_000.0)])
    assert (joined["pages"], joined["html_pages"], joined["refused"], joined["faults"]) == (20, 8, {"x": 2}, 0)
    assert joined["mean_bytes_per_page"] == 1_500.0
    assert joined["run"]["part"] == "all 2"
    assert join([part(2)])["run"]["part"] == "2 of 2"
    changed = [part(1, versions={"source": "a"}), part(2, versions={"source": "b"})]
    assert join(changed, "a comment")["versions"]["source"] == {"a": ["1/2"], "b": ["2/2"]}
    assert join(changed, "a comment")["added_up_although_the_code_changed"] == "a comment"
    for wrong in (changed, [part(1), part(1)], [part(1), part(2, versions={"core": "python"})]):
        with pytest.raises(ValueError, match="each part"):
            join(wrong)
