"""The reports of outcomes and anchors: made from the artifact alone, every figure with its n, no name obeyed."""

from __future__ import annotations

import random
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from steelyard.lab.outcome.arms import list_arms
from steelyard.lab.outcome.experiment import CANARY
from steelyard.lab.outcome.records.b2b import Rewrite
from steelyard.lab.outcome.records.base import GIVEN
from steelyard.lab.outcome.records.load import RecordFile, load_records
from steelyard.lab.outcome.study import analyse_records
from steelyard.lab.protocol.variants import LEVERS, variant_name
from steelyard.lab.study.findings import Findings
from steelyard.lab.study.studies import anchors, outcome
from steelyard.lab.study.studies.anchors import MEANING, NO_ANCHORS, analyse_anchors
from steelyard.lab.study.studies.outcome_observations import list_lines, list_tables
from steelyard.support.artifacts import round_floats
from tests.lab.outcome.records import sample_records as samples
from tests.lab.outcome.records.sample_records import jsonl
from tests.lab.outcome.test_baseline_answers import answer
from tests.lab.outcome.test_baseline_answers import found as observe
from tests.lab.outcome.test_study import AS_OF, answered, asked, file, partial
from tests.lab.protocol.synthetic import component_values
from tests.lab.study.presentation import HOSTILE, check_presentation, rows_of

QUOTATION, STATISTICS, CITE = LEVERS
LONG = "a-very-long-name-of-an-engine-1.5b-instruct-q4_k_m-with-a-date-2026-07-01"
Make = Callable[[Mapping[str, Any]], Findings]


def drawn(effect: float, n: int = 24, seed: int = 0) -> list[float]:
    rng = random.Random(seed)
    return [rng.gauss(effect, 0.05) for _ in range(n)]


def experiment(engine: str, seed: int = 0, **options: Any) -> RecordFile:
    effects = {QUOTATION: drawn(0.08, seed=seed), STATISTICS: drawn(0.0, seed=seed + 1), CITE: drawn(-0.1, seed=seed)}
    return file(asked(effects, engine=engine, queries=24, order=("forward", "reversed")), **options)


def canary() -> RecordFile:
    """Answers in words, with a planted instruction that none of them follows."""
    text = "Salt is sold here [1]. Ice is sold there [2]."
    outcomes = [answered(text, query=f"q{q}", arm=arm) for q in range(9) for arm in (*list_arms("all"), CANARY)]
    outcomes.append(answered("Nobody knows.", query="silent"))
    return file([replace(o, dataset="answers") for o in outcomes], "answers", mode="strict")


def rewritten() -> RecordFile:
    rng = random.Random(1)
    rows = [
        Rewrite(str(q), "which salt", method, rng.random(), (0.11 + q / 50, 0.12 + q / 70), 40 * (q != 3))
        for q in range(10)
        for method in ("add_quotes", "add_facts")
    ]
    return RecordFile("b2b", (), GIVEN, {}, ("1 note",), tuple(rows))


@pytest.fixture(scope="module")
def results(tmp_path_factory: pytest.TempPathFactory) -> dict[str, dict[str, Any]]:
    """Results as they go into their artifacts: several data sets at once, one alone, and anchors."""
    geo = load_records(jsonl(tmp_path_factory.mktemp("geo") / "rows.jsonl", [samples.geo_bench()]))
    runs = [experiment("zeta"), experiment(LONG, 7), file(partial("interrupted", 10))]
    halves = carried(), carried()
    made = {
        "several": analyse_records([*runs, canary(), geo, rewritten()], as_of=AS_OF, draws=50),
        "one": analyse_records([experiment("zeta")], as_of=AS_OF, draws=50),
        "anchors": analyse_anchors(runs, "strict", dated=AS_OF, halves=halves, draws=50),
        "embedded": analyse_anchors([experiment("zeta", embedded=True)], "strict", dated=AS_OF, draws=50),
    }
    return {name: round_floats(result) for name, result in made.items()}


def carried() -> Any:
    carriers = ("quotable_density", "statistic_density", "citation_f1")
    return component_values({(variant_name(lever, 1), c): 60.0 for lever, c in zip(LEVERS, carriers, strict=True)})


PRESENT: Mapping[str, Make] = {
    "several": outcome.findings,
    "one": outcome.findings,
    "anchors": anchors.findings,
    "embedded": anchors.findings,
}


def lines_with(findings: Findings, words: str) -> list[str]:
    return [line for line in findings.lines if words in line]


def test_a_study_is_presented_from_its_artifact_alone_and_every_figure_has_its_n(results: dict[str, Any]) -> None:
    for name, present in PRESENT.items():
        findings = check_presentation(present, results[name])
        for titled in findings.tables:
            heads = {column.name for column in titled.table.columns}
            if not heads & {"component", "gate"}:  # weights and verdicts are no figures of a sample
                assert heads & {"n", "answers", "queries", "rest (n)"}, titled.title
        for line in findings.lines:
            if re.search(r"percentage points|noise floor|Spearman", line) and "undefined" not in line:
                assert re.search(r"\bn = \d", line), line


def test_an_engine_that_is_not_pooled_is_named_with_the_reason(results: dict[str, Any]) -> None:
    reason = "interrupted: not in the effects, since 10 of 20 queries have every arm in every order answered"
    several = outcome.findings(results["several"])
    assert f"outcome run: {reason}" in several.lines
    assert reason in anchors.findings(results["anchors"]).lines
    pooled = {row[0]: row[-1] for row in rows_of(several, "outcome run: Which engines are pooled")}
    assert pooled == {"zeta": "yes", LONG: "yes", "interrupted": "no"}
    assert not lines_with(outcome.findings(results["one"]), "not in the effects")


def test_what_has_no_filler_is_called_not_volume_controlled(results: dict[str, Any]) -> None:
    several = outcome.findings(results["several"])
    assert "geo-bench: effects against the page before its edit: NOT volume-controlled" in several.lines
    (note,) = (t.note for t in several.tables if t.title == "geo-bench: Effect on the target's share")
    assert "NOT volume-controlled" in note
    assert lines_with(several, "b2b: 20 rewrites of 10 queries; NOT volume-controlled")
    for line in several.lines:
        assert not (line.startswith("outcome run: ") and "NOT volume-controlled" in line)
    (note,) = (t.note for t in several.tables if t.title == "outcome run: Effect on the target's share")
    assert "as much neutral filler" in note


# Anchors


def test_every_verdict_is_printed_with_its_meaning(results: dict[str, Any]) -> None:
    findings = anchors.findings(results["anchors"])
    verdicts = {row[0]: row[-1] for row in rows_of(findings, "Anchors measured 2026-07-01")}
    assert verdicts == {"quotation": "smaller", "statistics": "unconfirmed", "cite sources": "reversed"}
    for lever, verdict in verdicts.items():
        assert f"{lever}: {verdict} ({MEANING[verdict]})" in findings.lines


def test_where_there_is_no_verdict_the_reason_is_said(results: dict[str, Any]) -> None:
    findings = anchors.findings(results["embedded"])
    assert lines_with(findings, "no verdict: an embedded reference answered")
    assert {row[-1] for row in rows_of(findings, "Anchors measured")} == {"undefined"}
    assert not any(word in line for line in findings.lines for word in MEANING)
    few = analyse_anchors([file(asked(queries=5))], "strict", dated=AS_OF, draws=20)
    assert "quotation, statistics, cite sources: undefined, too few queries" in anchors.findings(few).lines
    halves = component_values({}), component_values({})
    flat = analyse_anchors([file(asked())], "strict", dated=AS_OF, halves=halves, draws=20)
    assert f"recalibration: undefined, {NO_ANCHORS}" in anchors.findings(flat).lines


# Names are shown, not obeyed


def hostile() -> list[Findings]:
    """Engines, methods and notes with markup, escapes, a bidi override, a line break and a formula."""
    renamed = [replace(o, engine=HOSTILE) for o in asked(queries=12)]
    edited = [replace(o, arm=HOSTILE) if o.arm == QUOTATION else o for o in asked(queries=12)]
    rows = tuple(Rewrite(str(q), HOSTILE, HOSTILE, q / 20, (0.1, 0.3), 9) for q in range(9))
    half = partial(HOSTILE, 3)
    sets: Sequence[RecordFile] = [
        file([replace(o, dataset="a") for o in renamed], "a", notes=(HOSTILE,)),
        file([replace(o, dataset="b") for o in edited], "b"),
        file([replace(o, dataset="c") for o in half], "c"),
        RecordFile("d", (), GIVEN, {}, (HOSTILE,), rows),
    ]
    measured = analyse_anchors([file(asked()), file(half, notes=(HOSTILE,))], "strict", dated=AS_OF, draws=20)
    return [outcome.findings(analyse_records(sets, as_of=AS_OF, draws=20)), anchors.findings(measured)]


def test_names_with_markup_or_control_characters_are_escaped(tmp_path: Path) -> None:
    control = re.compile(r"[\x00-\x09\x0b-\x1f\x7f-\x9f\u200b-\u200f\u2028-\u202e]")
    seen = 0
    for findings in hostile():
        for text in (findings.to_terminal(), findings.to_markdown()):
            assert not control.search(text)
            assert "␛[31m" in text or "␛\\[31m" in text
        for titled in findings.tables:
            page, cells = titled.table.to_html(), titled.table.to_markdown()
            assert "<script" not in page
            assert not re.search(r"(?<!\\)[<`*]", cells)
            seen += "&lt;script&gt;" in page and r"\<script\>" in cells
            widths = {len(re.findall(r"(?<!\\)\|", line)) for line in cells.splitlines()}
            assert widths == {len(titled.table.columns) + 1}
            assert len(titled.table.to_terminal()) == len(titled.table.rows) + 1
        for stem, plot in findings.plots.items():
            plot.write(tmp_path / stem)
    assert seen >= 4


# Observations of the untouched answers


@pytest.fixture(scope="module")
def observed() -> dict[str, Any]:
    names = ("a-very-long-name-of-an-engine-1.5b-instruct-q4_k_m, greedy-zero-shot", "two")
    answers = [answer(q, name, orders=o) for name, o in zip(names, (1, 2), strict=True) for q in range(40)]
    made: dict[str, Any] = round_floats(observe(*answers, *(answer(q, "short", words=20) for q in range(40, 50))))
    return made


def present_observations(result: Mapping[str, Any]) -> Findings:
    return Findings(list_lines(result), list_tables(result))


def test_the_observations_are_presented_from_the_artifact_alone(observed: dict[str, Any]):
    check_presentation(present_observations, observed)


def test_undefined_blocks_are_named_with_their_reason_and_have_no_rows(observed: dict[str, Any]):
    lines = [line for line in list_lines(observed) if line.startswith("short: ")]
    assert len(lines) == 2
    assert re.search(r"undefined \(snippets: median source has \S+ words, 150 are needed\)", lines[1])
    assert not any("short" in row for t in list_tables(observed)[2:] for row in t.table.rows)


def test_one_group_has_no_row_for_the_pool():
    alone = observe(*(answer(q) for q in range(10)))
    assert "pooled" not in present_observations(alone).to_terminal()
    assert (
        "quartiles of dispersion are undefined (10 queries, 32 are needed)" in present_observations(alone).to_terminal()
    )


def test_nothing_observed_is_one_line():
    nothing = observe()
    assert list_lines(nothing) == ["no baseline answer allocates anything: nothing is observed"]
    assert list_tables(nothing) == []


def test_one_answer_is_printed_without_what_it_lacks():
    text = present_observations(observe(answer(0))).to_terminal()
    assert "–%" not in text
    assert "p = –" not in text
