"""`protocol matrix`: which component responds to which edit, and how the components are distributed."""

from __future__ import annotations

from collections.abc import Iterator

from steelyard.components import NAMES
from steelyard.lab.protocol.gates.base import FEWEST_SOURCES
from steelyard.lab.protocol.matrix import PAIR, PAPER, PAPER_PAIR, PAPER_SPEARMAN, study_matrix
from steelyard.lab.protocol.variants import INTERVENTIONS, LEVERS, STUFFING
from steelyard.lab.study.findings import Findings, Titled, in_words, make_table, plain, signed
from steelyard.lab.study.material import Material, use_capture
from steelyard.lab.study.sources import open_capture, require
from steelyard.lab.study.study import CAPTURE_OPTIONS, Option, Request, Result, Section, Study


def findings(result: Result) -> Findings:
    return Findings(_lines(result), [_matrix(result), _distribution(result), _correlations(result)])


def _lines(result: Result) -> list[str]:
    lines = []
    for edit in (*LEVERS, STUFFING):
        carrier = result["carriers"][edit]
        if carrier is None:
            lines.append(f"{in_words(edit)}: no carrier: no component responds to it by 5 points or more")
        else:
            lines.append(f"{in_words(edit)}: carried by {carrier} ({signed(result['matrix'][carrier][edit], 1)})")
    lines += [f"sign differs from the paper: {text}" for text in result["disagreements"]]
    missing = sum(carrier is None for carrier in result["carriers"].values())
    lines.append(f"{missing} lever(s) without a carrier" if missing else "every lever has its carrier")
    return [*lines, *_pair(result["correlations"])]


def _pair(correlations: Result) -> list[str]:
    pair = correlations["pair"]
    if pair["pearson"] is None:
        return []
    pages = f"{pair['zero_pages']} page{'' if pair['zero_pages'] == 1 else 's'}"
    return [
        f"{' and '.join(PAIR)} over {correlations['sources']} untouched sources: Pearson {plain(pair['pearson'])}, "
        f"Spearman {plain(pair['spearman'])} (paper: {plain(PAPER_PAIR['pearson'])} and "
        f"{plain(PAPER_PAIR['spearman'])}); with {pages} at 0 added (the paper's sources have some), Pearson is "
        f"{plain(pair['pearson_with_zero_pages'])}"
    ]


def _matrix(result: Result) -> Titled:
    rows = [
        [n, *(f"{signed(result['matrix'][n][e], 1)} ({signed(PAPER[n][i], 1)})" for i, e in enumerate(INTERVENTIONS))]
        for n in NAMES
    ]
    title = f"Raw response at dose 1, points ({result['sources']} {result['split']} sources)"
    columns = ["component", *(f"{in_words(e)} >" for e in INTERVENTIONS)]
    return make_table(title, columns, rows, "Ours, and in brackets the paper's on its 250 GEO-Bench sources.")


def _distribution(result: Result) -> Titled:
    rows = []
    for name in NAMES:
        e = result["distribution"][name]
        rows.append([name, e["mean"], e["sd"], 100 * e["share_at_100"], 100 * e["share_at_0"]])
    columns = "component | mean .1 | sd .1 | % at 100 .1 | % at 0 .1"
    return make_table("Distribution over untouched sources", columns, rows)


def _correlations(result: Result) -> Titled:
    """Present ours under the diagonal and the paper's over it."""
    ours = result["correlations"]["spearman"]
    rows = []
    for i, a in enumerate(NAMES):
        below = [ours[a][b] for b in NAMES[: i + 1]]
        rows.append([f"{i + 1} {a}", *below, *PAPER_SPEARMAN[a][1:]])
    columns = ["component", *(f"{i} +.2" for i in range(1, len(NAMES) + 1))]
    title = f"Spearman correlation over {result['correlations']['sources']} untouched sources"
    note = "Ours up to the diagonal, the paper's after it (500 sources). A dash: undefined, the component never varies."
    return make_table(title, columns, rows, note)


def _compute(request: Request) -> Result:
    result = study_matrix(open_capture(request), request.options["split"])
    require(result["sources"], FEWEST_SOURCES, "source", f" ({request.options['split']})")
    return result


def _sections(material: Material) -> Iterator[Section]:
    yield from use_capture(material)
    if material.french:
        yield Section(lambda: ([material.capture("fr")], {"split": "all"}), "matrix-french", f"{STUDY.title}, French")


STUDY: Study = Study(
    "matrix",
    "Components: distribution, correlation, response to edits",
    _compute,
    findings,
    group="protocol",
    help="Show which component responds to which edit, next to the paper's matrix.",
    options=(
        Option("--check", "Exit 1 when a lever has no carrier.", bool, False),
        Option("--split", "Which sources.", ("test", "train", "all"), "test"),
        *CAPTURE_OPTIONS,
    ),
    sections=_sections,
    exit_code=lambda result, options: int(options["check"] and None in result["carriers"].values()),
)
