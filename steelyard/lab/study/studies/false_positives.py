"""`lab gaming false-positives`: how many honest pages the shipped limits flag, by length."""

from __future__ import annotations

from steelyard.detectors.false_positives import LENGTHS
from steelyard.detectors.layered_filter import load_thresholds
from steelyard.errors import SteelyardError
from steelyard.lab.corpus.loading import DEMO, demo_folder
from steelyard.lab.gaming.whole_pages import ALL, HONEST, SOURCES, count_flagged_pages, load_whole_pages
from steelyard.lab.study.findings import Findings, Titled, format_interval, in_words, make_table
from steelyard.lab.study.material import Material
from steelyard.lab.study.study import Request, Result, Section, Study
from steelyard.scoring import editions
from steelyard.support.formatting import format_count

_NOTE = (
    "Whole pages, each counted once, flagged by the shipped limits of the edition; 95% Wilson interval over pages. "
    "Honest: all sources but the last two. Pages that set the limits are cut at 400 words; pages that people would "
    "drop are not honest pages for certain."
)


def findings(result: Result) -> Findings:
    if not result["pages"]:
        return Findings([f"undefined: the corpus has none of {', '.join(result['absent'])}"], [])
    return Findings(_list_lines(result), [_show_rates(result), _show_detectors(result)])


def _list_editions(result: Result) -> list[tuple[str, Result]]:
    """Return the editions in their order; an artifact keeps its keys in another."""
    return [(name, result["editions"][name]) for name in editions.NAMES if name in result["editions"]]


def _list_lines(result: Result) -> list[str]:
    lines = []
    for edition, counted in _list_editions(result):
        shares = [
            f"{row['flagged']} of {row['of']} of {label} ({row['rate']:.1%}, {format_interval(row['interval'], 3)})"
            for label in (*LENGTHS, ALL)
            if (row := counted["honest"].get(label)) is not None
        ]
        stated = result["cut"][edition]
        lines.append(
            f"honest pages flagged, edition {edition}: {'; '.join(shares)}; on cut pages of an origin left out "
            f"{stated['rate']:.1%} ({format_interval(stated['interval'], 3)})"
        )
    reasons = [f"{format_count(n, 'page')} {reason}" for reason, n in sorted(result["left_out"].items())]
    for edition, counted in _list_editions(result):
        reasons += [
            f"{format_count(n, 'page')} {why} (edition {edition})" for why, n in sorted(counted["left_out"].items())
        ]
    if reasons:
        lines.append(f"left out: {'; '.join(reasons)}")
    if result["absent"]:
        lines.append(f"not in this corpus: {', '.join(result['absent'])}")
    return lines


def _show_rates(result: Result) -> Titled:
    rows = []
    for edition, counted in _list_editions(result):
        of_sources = {"honest": counted["honest"], **{s: counted["sources"].get(s, {}) for s in SOURCES}}
        for source, by_length in of_sources.items():
            for label in (*LENGTHS, ALL):
                if (row := by_length.get(label)) is not None:
                    rows.append(
                        [edition, source, label, row["flagged"], row["of"], f"{row['rate']:.1%}", row["interval"]]
                    )
    columns = "edition | pages | length | flagged > | of > | rate > | interval to.3"
    return make_table("Pages flagged, by length", columns, rows, _NOTE)


def _show_detectors(result: Result) -> Titled:
    rows = [
        [edition, label, in_words(detector), flagged, counted["honest"][label]["of"]]
        for edition, counted in _list_editions(result)
        for label in LENGTHS
        for detector, flagged in sorted(counted["detectors"].get(label, {}).items(), key=lambda kv: (-kv[1], kv[0]))
    ]
    columns = "edition | length | detector | flagged > | of >"
    return make_table("Detectors that flag honest pages", columns, rows, "A page may be flagged by several.")


def _compute(request: Request) -> Result:
    spec = request.arguments[0]
    pages = load_whole_pages(str(demo_folder()) if spec == DEMO else spec)
    if not pages.by_source:
        raise SteelyardError("undefined: no page could be read; give whole pages")
    request.inputs["whole pages"] = pages.digest
    request.parameters.update(as_of=str(request.as_of))
    honest = sum(len(of_source) for source, of_source in pages.by_source.items() if source in HONEST)
    counted = count_flagged_pages(pages, request.as_of) if honest else {}
    cut = {name: {key: load_thresholds(name)[key] for key in ("rate", "interval")} for name in counted}
    return {
        "pages": honest,
        "editions": counted,
        "cut": cut,
        "left_out": dict(pages.left_out),
        "absent": list(pages.absent),
    }


def _sections(material: Material) -> list[Section]:
    """Return the section of a corpus folder, or of the demo pages; a file of pages has no whole ones."""
    if material.folder is not None:
        return [Section(lambda: ([str(material.folder)], {}))]
    return [Section(lambda: ([DEMO], {}))] if material.is_demo else []


STUDY = Study(
    "false-positives",
    "False positives by the length of a page",
    _compute,
    findings,
    group="gaming",
    help="""Count the honest pages that the shipped limits flag, by their length and in every edition.

    SOURCE is a folder of pages, a JSONL file, the demo pages, or a corpus folder with html/, html_truth/truth.json and
    human/dclm.jsonl (pages that people would keep or drop), beside the web_LANGUAGE.jsonl that the limits were set on.
    """,
    sample=lambda result, _: f"{result['pages']} honest pages, each once; Wilson intervals over pages",
    sections=_sections,
)
