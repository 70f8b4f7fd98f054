"""`lab protocol editions`: the editions of the score compared on the same pages, and the rule for the default."""

from __future__ import annotations

import os
from collections import defaultdict
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from steelyard.errors import SteelyardError
from steelyard.lab.corpus import VIEWS, CorpusPage, loading
from steelyard.lab.editions.attackers import count_flagged, measure_attackers
from steelyard.lab.editions.readers import FAMILIES, SETS, count_found, measure_agreement, read_grades
from steelyard.lab.editions.rule import CANDIDATE, REFERENCE, apply_rule
from steelyard.lab.protocol import capture
from steelyard.lab.protocol.capture import CapturePlan
from steelyard.lab.protocol.falsify import falsify, judge_weighting
from steelyard.lab.protocol.gates import GATES
from steelyard.lab.protocol.variants import DOSES, LEVERS
from steelyard.lab.scorers import peers
from steelyard.lab.scorers.base import Scorer
from steelyard.lab.scorers.own import OwnScorer
from steelyard.lab.study.findings import Findings, Titled, format_interval, in_words, make_table
from steelyard.lab.study.material import Material
from steelyard.lab.study.studies.falsify import open_scorer
from steelyard.lab.study.studies.gaming import CLIMBED_LARGE
from steelyard.lab.study.study import SEED, Argument, Option, Request, Result, Section, Study
from steelyard.scoring import editions, weighting
from steelyard.support.artifacts import hash_file
from steelyard.support.plots.plot import Panel, Plot, Series

GRADED = "en"  # the language of the grades
CLIMBED = 1  # pages the adaptive attacker climbs; of a large corpus as many as in `lab gaming run`


def findings(result: Result) -> Findings:
    tables = [
        _show_gates(result), _show_curves(result), _show_attackers(result), _show_marks(result), _show_grades(result),
        _show_false_positives(result),
    ]  # fmt: skip
    return Findings(
        _list_lines(result), [table for table in tables if table.table.rows], {"edition-curves": _plot(result)}
    )


def _list_lines(result: Result) -> list[str]:
    lines = [f"{CANDIDATE}: {'holds' if c['holds'] else 'FAILS'}: {c['text']} ({c['detail']})" for c in result["rule"]]
    verdict = f"by the rule the default is {result['default']}"
    return [*lines, verdict if result["default"] != REFERENCE else f"{verdict}, since not every condition holds"]


def _show_gates(result: Result) -> Titled:
    rows: list[list[Any]] = []
    for code, of_language in result["languages"].items():
        for name, e in _list_editions(of_language):
            rows.append([code, name, of_language["pages"], *_list_gate_cells(e)])
    for peer in result["peers"]:
        rows.append([GRADED, peer["scorer"], peer["pages"], *_list_gate_cells(peer)])
    columns = "pages | score | n > | train > | test > | not passed | strongest lever +.2 | stuffing x8 +.2"
    note = "Gates passed of five. Levers: mean points over the untouched page, over all pages, at the best dose."
    return make_table("Five gates on both halves", columns, rows, note)


def _list_editions(of_language: Mapping[str, Any]) -> list[tuple[str, Mapping[str, Any]]]:
    """Return the editions of a language in their own order; an artifact sorts them by name."""
    return [(name, of_language["editions"][name]) for name in editions.NAMES if name in of_language["editions"]]


def _sort_key(name: str) -> list[tuple[bool, int, str]]:
    """Return what sorts 50 words before 400."""
    return [(part.isdigit(), int(part) if part.isdigit() else 0, part) for part in name.split()]


def _list_gate_cells(entry: Mapping[str, Any]) -> list[Any]:
    passed = [f"{entry['passed'][split]}/{len(GATES)}" for split in ("train", "test")]
    return [*passed, ", ".join(entry["not_passed"]), entry["strongest"], entry["stuffing"]]


def _show_curves(result: Result) -> Titled:
    rows = []
    for code, of_language in result["languages"].items():
        for name, e in _list_editions(of_language):
            for edit, points in e["curves"].items():
                by_dose = {p["dose"]: p["response"] for p in points}
                rows.append([code, name, in_words(edit), *(by_dose.get(dose) for dose in DOSES)])
    columns = ["pages", "edition", "edit", *(f"dose {dose} +.2" for dose in DOSES)]
    return make_table("Dose curves", columns, rows, "Against the same page with as much neutral filler, in points.")


def _plot(result: Result) -> Plot:
    panels = []
    for code, of_language in result["languages"].items():
        for name, e in _list_editions(of_language):
            series = [
                Series(in_words(edit), [p["dose"] for p in points], [p["response"] for p in points])
                for edit, points in e["curves"].items()
                if points
            ]
            panels.append(Panel(f"{code}, {name}", series, x_label="dose", y_label="points over filler"))
    return Plot("Dose curves of the editions", panels)


def _show_attackers(result: Result) -> Titled:
    rows = []
    for code, of_language in result["languages"].items():
        names = [name for name in editions.NAMES if name in of_language["editions"]]
        for attacker in sorted(of_language["editions"][names[0]]["attackers"], key=_sort_key):
            cells: list[Any] = []
            for name in editions.NAMES:
                gain = of_language["editions"][name]["attackers"][attacker] if name in names else None
                e = gain if isinstance(gain, Mapping) else {"mean": gain}  # older artifacts have the mean alone
                cells += [e.get("n"), e.get("mean"), e.get("interval")]
            rows.append([code, in_words(attacker), *cells])
    columns = ["pages", "attacker", *(h for n in editions.NAMES for h in (f"{n}: n .0", "gain +.2", "interval to.2"))]
    note = (
        "Mean gain of `content` over the untouched page, over n pages, with the 95% interval over resampled pages. A "
        "lever at its best dose, over all pages. Three levers: quotation, statistics and sources together. Adaptive: "
        "with so many words, not knowing the filter, and knowing it, over pages that no edition flags untouched, those "
        "of the test half first. Trigger phrase: the best of the short sentences that satisfy a pattern and say "
        "nothing. Structure and dates: the gain of the final `score`."
    )
    return make_table("What attackers gain", columns, rows, note)


def _show_marks(result: Result) -> Titled:
    rows = []
    for code, of_language in result["languages"].items():
        for name, e in _list_editions(of_language):
            for family in FAMILIES:
                cells: list[Any] = []
                for which in SETS:
                    row = e["marks"].get(which, {}).get(family)
                    cells += [
                        _format_share(row, "found", "marks", "recall"),
                        _format_share(row, "right", "spans", "precision"),
                    ]
                if any(cells):
                    rows.append([code, name, family, *cells])
    heads = [f"{which}: {figure} >" for which in SETS for figure in ("recall", "precision")]
    note = (
        "Writing: the half of the given marks that the patterns were written from. Confirming: the other half. Read: "
        "marks of our own readers on pages used to widen the patterns. Unread: on pages that were only counted. "
        "In brackets, found of marked and right of found, and the 95% interval over pages, which are resampled."
    )
    return make_table("Evidence that readers marked", ["pages", "edition", "family", *heads], rows, note)


def _format_share(row: Mapping[str, Any] | None, part: str, whole: str, interval: str) -> str:
    if not row or not row[whole]:
        return ""
    spread = f"; {format_interval(row[interval])}" if row[interval] else ""
    return f"{row[part] / row[whole]:.2f} ({row[part]}/{row[whole]}{spread})"


def _show_grades(result: Result) -> Titled:
    rows = [
        [view, name, e["pages"], e["spearman"], e["interval"]]
        for view, scorers in result["grades"].items()
        for name, e in scorers.items()
    ]
    note = "Spearman's rank correlation with readers' mean grade of substance; nothing was fitted to the grades."
    return make_table(
        "Agreement with readers' grades", "view | score | n > | Spearman .3 | interval to.2", rows, note, is_main=True
    )


def _show_false_positives(result: Result) -> Titled:
    rows = [
        [code, name, e["false_positives"]["flagged"], e["false_positives"]["of"], e["false_positives"]["interval"]]
        for code, of_language in result["languages"].items()
        for name, e in _list_editions(of_language)
    ]
    note = (
        "Clean pages with their line breaks that the shipped limits of the edition flag; many of them set the limits."
    )
    return make_table(
        "Clean pages flagged", "pages | edition | flagged > | of > | interval to.3", rows, note, is_main=True
    )


def _compute(request: Request) -> Result:
    folder = Path(request.options["marks"]) if request.options["marks"] else None
    if folder is not None and not folder.is_dir():
        raise SteelyardError(f"{folder}: no such folder; --marks names one with en.jsonl and grades_en.jsonl")
    pages = _open_languages(request)
    request.parameters.update(as_of=str(request.as_of), seed=request.seed, climbed=request.options["climbed"])
    languages = {
        code: {
            "pages": len(of_language),
            "editions": {
                name: _measure(request, name, code, of_language, _find_marks(request, folder, code))
                for name in editions.NAMES
                if code in editions.load(name).languages
            },
        }
        for code, of_language in pages.items()
    }
    others = [open_scorer(name, request) for name in peers.SCORERS] if request.options["peers"] else []
    result: dict[str, Any] = {
        "languages": languages,
        "peers": [_falsify(request, scorer, pages[GRADED]) for scorer in others if GRADED in pages],
        "grades": _measure_grades(request, folder, pages.get(GRADED, ()), others),
    }
    rule = [condition._asdict() for condition in apply_rule(result)]
    return {**result, "rule": rule, "default": CANDIDATE if all(c["holds"] for c in rule) else REFERENCE}


def _open_languages(request: Request) -> dict[str, list[CorpusPage]]:
    """Return the pages of all corpora by language."""
    pages: defaultdict[str, list[CorpusPage]] = defaultdict(list)
    for spec in request.arguments:
        corpus = loading.load_corpus(spec)
        request.inputs[corpus.name] = corpus.digest
        for page in corpus.pages:
            pages[page.language].append(page)
    return dict(pages)


def _find_marks(request: Request, folder: Path | None, name: str) -> Path | None:
    """Return a file of marks or grades, which becomes an input, or None where there is none."""
    path = folder / f"{name}.jsonl" if folder else None
    if path is None or not path.is_file():
        return None
    request.inputs[f"marks: {path.name}"] = hash_file(path)
    return path


def _measure(request: Request, name: str, code: str, pages: Sequence[CorpusPage], marks: Path | None) -> dict[str, Any]:
    """Return everything about one edition in one language."""
    edition, plan = editions.load(name), CapturePlan(seed=request.seed)
    marks_found = count_found(edition, code, pages, marks)
    scorer = OwnScorer.of_edition(name, request.as_of)
    header = capture.build_header(pages, "", code, scorer, plan)
    captured = capture.capture(pages, scorer, header, plan, jobs=request.jobs, quiet=request.quiet)
    judged = judge_weighting(captured, weighting.load(edition.weights), seed=request.seed)
    return {
        **_summarise(judged["verdicts"], judged["all_pages"]["gains"]),
        "curves": judged["curves"],
        "attackers": measure_attackers(
            edition,
            pages,
            judged,
            climbed=request.options["climbed"],
            as_of=request.as_of,
            seed=request.seed,
            jobs=request.jobs or os.cpu_count() or 1,
            quiet=request.quiet,
        ),
        "marks": marks_found,
        "false_positives": count_flagged(edition, code, pages),
    }


def _summarise(verdicts: Mapping[str, Any], gains: Sequence[Mapping[str, Any]]) -> dict[str, Any]:
    levers = [row["mean"] for row in gains if row["edit"] in LEVERS]
    stuffing = {row["dose"]: row["mean"] for row in gains if row["edit"] == "keyword_stuffing"}
    return {
        "passed": {split: verdicts[split]["passed_by_estimate"] for split in ("train", "test")},
        "not_passed": [g.name for g in GATES if any(not verdicts[s][g.name]["by_estimate"] for s in ("train", "test"))],
        "strongest": max(levers, default=None),
        "stuffing": stuffing.get(8),
        "duplication": verdicts["all"]["duplication"]["statistic"],
    }


def _falsify(request: Request, scorer: Scorer, pages: Sequence[CorpusPage]) -> dict[str, Any]:
    record = falsify(pages, scorer, corpus=GRADED, digest="", jobs=request.jobs, quiet=request.quiet).record()
    return {"scorer": scorer.name, "pages": record["sources"], **_summarise(record["verdicts"], record["gains"])}


def _measure_grades(
    request: Request, folder: Path | None, pages: Sequence[CorpusPage], others: Sequence[Scorer]
) -> dict[str, Any]:
    path = _find_marks(request, folder, f"grades_{GRADED}") if pages else None
    if path is None:
        return {}
    grades = read_grades(path)
    own: dict[str, Scorer] = {n: OwnScorer.of_edition(n, request.as_of) for n in editions.NAMES}
    scorers = own | {s.name: s for s in others}
    return {
        view: {name: measure_agreement(s, pages, grades, view, seed=request.seed) for name, s in scorers.items()}
        for view in VIEWS
    }


def _describe_sample(result: Result, _: object = None) -> str:
    counted = ", ".join(f"{of_language['pages']} {code}" for code, of_language in result["languages"].items())
    return f"pages: {counted}; intervals resample pages"


def _sections(material: Material) -> list[Section]:
    def call() -> tuple[list[str], dict[str, Any]]:
        sources = [material.corpus(code) for code in material.languages]
        marks = str(material.marks) if material.marks else None
        climbed = CLIMBED_LARGE if material.is_large else CLIMBED
        return sources, {"marks": marks, "peers": material.peers, "climbed": climbed}

    return [Section(call)]


STUDY = Study(
    "editions",
    "The editions compared, and the rule for the default",
    _compute,
    findings,
    group="protocol",
    help="""Compare the editions of the score on the pages of every SOURCE: gates, attackers, marks, grades, flags.

    A written rule picks the default of `score`: 2026 only if it passes all five gates on both halves in English and
    French, gives no attacker more than the paper edition does, and agrees better with the readers' grades.
    """,
    argument=Argument("SOURCE", several=True),
    options=(
        Option("--marks", "Folder of readers' marks (en.jsonl …) and grades (grades_en.jsonl).", metavar="FOLDER"),
        Option("--climbed", "Pages of each language that the adaptive attacker climbs.", int, 40, minimum=0),
        Option("--peers", "Put other scorers through the same; makes their environments on first use.", bool, False),
        SEED,
    ),
    sample=_describe_sample,
    sections=_sections,
)
