"""The report is short enough to be read: claims first, the rest in appendices that it links."""

from __future__ import annotations

import re
from dataclasses import replace
from typing import Any

import pytest

from steelyard.lab.study import claims, report
from steelyard.lab.study.findings import make_table
from steelyard.lab.study.paper_comparison import split_form
from steelyard.lab.study.registry import STUDIES
from steelyard.lab.study.report_sections import join_samples, merge_views
from steelyard.lab.study.reproduce import read_study
from steelyard.lab.study.study import Study
from tests.conftest import ROOT
from tests.lab.study.presentation import COMMITTED, committed_result
from tests.lab.study.test_report import compute

MOST_WORDS = 12_000
RESULTS = {path.stem: committed_result(path.stem) for path in COMMITTED.glob("*.json")}

NOTHING: dict[str, Any] = {}


def make_committed_report() -> report.Report:
    computed, illustrated = read_study(ROOT / "docs" / "study")
    return report.make_report(computed, illustrated=illustrated)


def test_the_committed_report_has_at_most_twelve_thousand_words() -> None:
    assert len(report.render_markdown(make_committed_report()).split()) <= MOST_WORDS


def test_every_table_of_the_committed_report_names_its_sample() -> None:
    made = make_committed_report()
    text = report.render_markdown(made)
    _, after = text.split(f"## {report.PAPER_TITLE}")
    for part in re.split(r"^\*\*(?=\S.*\*\*$)", after, flags=re.MULTILINE)[1:]:
        sample = re.search(r"^Sample: (.*)\.$", part, re.MULTILINE)
        assert sample, part.split("\n")[0]
        assert re.search(r"resampled?\b|shuffles|Wilson|nothing measured", sample[1]), sample[1]
        assert re.search(r"[0-9]|nothing measured", sample[1]), sample[1]


def test_every_chapter_with_sentences_names_its_sample() -> None:
    _, studies = report.render_markdown(make_committed_report()).split("## What this study adds")
    chapters = [part for part in studies.split("\n### ")[1:] if re.search(r"^- ", part.split("\n## ")[0], re.MULTILINE)]
    assert len(chapters) > 10
    for chapter in chapters:
        assert re.search(r"^Sample: .*[0-9]", chapter, re.MULTILINE), chapter.split("\n")[0]


def test_the_inputs_of_a_large_folder_are_one_line() -> None:
    inputs = {"a.jsonl": "0", **{f"html/{i}.html": str(i) for i in range(6)}, "x/b.json": "1"}
    listed = list(report.join_folders(inputs))
    assert [name for name, _ in listed] == ["a.jsonl", "html/, list of 6 files", "x/b.json"]
    changed = list(report.join_folders({**inputs, "html/3.html": "other"}))
    assert [new for old, new in zip(listed, changed, strict=True) if old != new] == [changed[1]]


def test_every_study_of_the_report_says_what_its_sample_is() -> None:
    default = Study.__dataclass_fields__["sample"].default
    without = {study.name for study in STUDIES if study.sample is default}
    assert without == {"duplicates", "ranking-audit"}, "studies that `reproduce` does not include"


def test_every_appendix_is_linked_and_leads_back() -> None:
    gates = committed_result("gates")
    made = report.make_report([compute("gates", "gates", gates), compute("gates-french", "gates", gates)])
    text, appendices = report.render_markdown(made), report.render_appendices(made)
    assert (
        set(re.findall(r"^- \[.*\]\(appendix/(.*)\)$", text, re.MULTILINE))
        == set(appendices)
        == {"paper.md", "gates.md"}
    )
    assert all("(../report.md)" in appendix for appendix in appendices.values())
    assert "Gain over the untouched page" in appendices["gates.md"]
    assert "Gain over the untouched page" not in text


def test_sections_of_one_study_share_a_table_with_the_view_as_a_column() -> None:
    gates = committed_result("gates")
    made = report.make_report([compute("gates", "gates", gates), compute("gates-french", "gates", gates)])
    text = report.render_markdown(made)
    assert text.count("**The five gates on all pages**") == 1
    assert len(re.findall(r"^\| french \| [\w-]+ \| pass", text, re.MULTILINE)) == 5


def test_a_merged_table_keeps_the_sample_of_every_view() -> None:
    tables = []
    for view, number in (("a", 3), ("b", 4)):
        titled = make_table("t", "x >", [[number]], "note", is_main=True)
        tables.append((view, replace(titled, sample=f"{number} pages")))
    merged = merge_views(tables)
    assert merged.table.rows == [["a", 3], ["b", 4]]
    assert merged.sample == "a: 3 pages. b: 4 pages"
    assert join_samples({"3 pages": ["a", "b"]}) == "3 pages"
    shared = {"3 pages; nothing resampled": ["a"], "4 pages; nothing resampled": ["b", "c"]}
    assert join_samples(shared) == "a: 3 pages; b, c: 4 pages; nothing resampled"
    assert merged.note == "note"


# The claims


@pytest.mark.parametrize(
    ("test", "values", "interval", "verdict"),
    [
        ({"at_least": 0.94}, [0.95], [0.941, 0.96], claims.REPLICATED),
        ({"at_least": 0.94}, [0.95], [0.939, 0.96], claims.UNDECIDED),
        ({"at_least": 0.94}, [0.9], [0.88, 0.92], claims.NOT_REPLICATED),
        ({"at_most": 6}, [6.1], None, claims.NOT_REPLICATED),
        ({"at_most": 6}, [6], None, claims.REPLICATED),
        ({"equals": "sqrt"}, ["raw"], None, claims.NOT_REPLICATED),
        ({"falls": True}, [6.9, 3.0], None, claims.REPLICATED),
        ({"rises": True}, [6.9, 3.0], None, claims.NOT_REPLICATED),
        ({"falls": True}, [6.9, 3.0], [-4.4, -3.4], claims.REPLICATED),  # the interval of the difference
        ({"falls": True}, [6.9, 6.5], [-0.9, 0.1], claims.UNDECIDED),
        ({"rises": True}, [6.9, 6.5], [-0.9, -0.1], claims.NOT_REPLICATED),
        ({"covers": 0}, [0.1], [-0.1, 0.3], claims.REPLICATED),
        ({"covers": 0}, [0.2], [0.1, 0.3], claims.NOT_REPLICATED),
    ],
)
def test_a_verdict_is_never_stronger_than_its_interval(
    test: dict[str, Any], values: list[Any], interval: list[float] | None, verdict: str
) -> None:
    assert claims.judge_claim(test, values, interval) == verdict


def test_every_claim_has_a_verdict_and_an_n_or_says_why_not() -> None:
    for titled in (claims.compare_claims(RESULTS.get), claims.compare_claims(NOTHING.get)):
        for claim, verdict, paper, _, counted, _, why in titled.table.rows:
            assert verdict in claims.VERDICTS, claim
            assert paper, claim
            assert re.match(r"[0-9]", counted) or (verdict == claims.UNTESTED and why), claim


GAINS = ("One lever gains", "Eight blocks", "All levers together", "Amplifying the levers", "Keyword stuffing is")


def test_every_claim_of_a_gain_has_an_interval_over_pages() -> None:
    of_gains = [c for c in claims.list_claims() if c["claim"].startswith(GAINS)]
    assert len(of_gains) == len(GAINS)
    assert all(c["interval"].startswith("gates#/") for c in of_gains)


def test_the_interval_of_two_figures_is_that_of_their_difference() -> None:
    gains = [{"edit": "quotation", "dose": dose, "mean": mean} for dose, mean in ((1, 6.9), (8, 3.0))]
    all_pages = {"gains": gains, "changes": [{"edit": "quotation", "interval": [-4.4, -3.4]}]}
    results = {"gates": {"sources": 300, "all_pages": all_pages}}
    row = next(row for row in claims.compare_claims(results.get).table.rows if row[0].startswith("Eight blocks"))
    assert (row[1], row[5]) == (claims.REPLICATED, "difference −4.4 to −3.4")


def test_a_gate_that_nothing_decides_refutes_no_claim() -> None:
    for statuses, verdict in (
        (("pass", "pass"), claims.REPLICATED),
        (("pass", "undecided"), claims.UNDECIDED),
        (("undefined", "pass"), claims.UNDECIDED),
        (("fail", "undecided"), claims.NOT_REPLICATED),
    ):
        assert claims.judge_gates({"passed": 1, **{str(n): {"status": s} for n, s in enumerate(statuses)}}) == verdict


def test_without_a_study_no_claim_is_tested() -> None:
    titled = claims.compare_claims(NOTHING.get)
    assert claims.count_verdicts(titled) == f"{len(titled.table.rows)} cannot be tested here"


def test_a_cause_quotes_a_computation_and_types_no_number() -> None:
    for claim in claims.list_claims():
        for cause in claim.get("causes", [claim] if "why" in claim else []):
            assert cause["why"].count("{}") == len(cause.get("support", ())), claim["claim"]
            assert not re.search(r"[0-9]", cause["why"]), claim["claim"]


def test_every_claim_has_a_test_with_an_address_or_a_reason() -> None:
    for claim in claims.list_claims():
        if "untestable" in claim:
            assert not {"test", "here"} & claim.keys()
            continue
        test = claim.get("test", {})
        assert len(test) == (0 if "gates" in claim else 1)
        assert claim["n"]
        here = [claim["here"]] if isinstance(claim["here"], str) else claim["here"]
        assert all("#/" in split_form(address)[0] for address in here)
        assert len(here) == (2 if test.keys() & {"falls", "rises"} else 1)


def test_the_cause_of_the_selection_is_the_control_where_it_was_computed() -> None:
    def control(selected: str, step: float) -> dict[str, Any]:
        verdict = {"bound": -0.5, "status": "pass", "statistic": step}
        strategies = {"raw": {"gates": {"dose-response": step}}}
        return {"selected": selected, "strategies": strategies, "shipped": {"dose-response": verdict}}

    controls = {
        "costs": {"neutral_filler": {"doses": {"8": {"points": -4.76}}}},
        "controls": {"neutral_filler": control("raw", -0.24), "neutral_filler x 0.75": control("sqrt", -0.58)},
    }
    results = {"compare": {"selected": "raw", "sources": {"train": 150}}, "controls": controls}
    row = next(row for row in claims.compare_claims(results.get).table.rows if "selects" in row[0])
    assert row[1] == claims.NOT_REPLICATED
    assert "costs −4.76 points" in row[6]
    assert "selects sqrt" in row[6]
    assert "not known" not in row[6]
