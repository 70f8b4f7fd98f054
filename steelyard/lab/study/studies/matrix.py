"""`lab protocol matrix`: which component responds to which edit, and how the components are distributed."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from steelyard.components import NAMES
from steelyard.lab.protocol.capture import Capture
from steelyard.lab.protocol.component_values import ComponentValues, TooFewSources, raw, read_component_values
from steelyard.lab.protocol.gates.base import MIN_SOURCES
from steelyard.lab.protocol.variants import INTERVENTIONS, LEVERS, STUFFING
from steelyard.lab.stats.correlation import pearson, spearman
from steelyard.lab.study.findings import Findings, Titled, in_words, make_table, plain, signed
from steelyard.lab.study.material import Material, use_capture
from steelyard.lab.study.paper_comparison import read_grid
from steelyard.lab.study.sources import open_capture, require
from steelyard.lab.study.study import CAPTURE_OPTIONS, Option, Request, Result, Section, Study

CARRIES = 5.0  # points at dose 1: a lever that moves no component by as much has no carrier

PAIR = ("shannon_entropy", "information_density")
PAPER_PAIR = {"pearson": 0.94, "spearman": 0.50}
PAPER_ZEROS = 0.004  # the share of the paper's sources on which every component is 0 (Table tab:dist)


def response_matrix(values: ComponentValues) -> dict[str, dict[str, float]]:
    """Return component → intervention → mean raw response at dose 1 against the filler."""
    responses = values.matrix(raw)
    return {
        name: dict(zip(INTERVENTIONS, column.tolist(), strict=True))
        for name, column in zip(NAMES, responses.T, strict=True)
    }


def find_carriers(matrix: dict[str, dict[str, float]]) -> dict[str, str | None]:
    """Return the component that responds most to each lever (to the control: most negatively).

    None where no component responds enough. Technical terms are left out: no component is made for them, and the
    paper leaves it so.
    """
    carriers: dict[str, str | None] = {}
    for edit in (*LEVERS, STUFFING):
        sign = -1 if edit == STUFFING else 1
        best = max(NAMES, key=lambda name: sign * matrix[name][edit])
        carriers[edit] = best if sign * matrix[best][edit] >= CARRIES else None
    return carriers


def find_disagreements(matrix: dict[str, dict[str, float]]) -> list[str]:
    """Return the entries of at least 5 points in the paper's table whose sign differs from ours."""
    return [
        f"{edit} → {name}: {matrix[name][edit]:+.1f} here, {theirs:+.1f} in the paper"
        for name, row in read_grid("tab:featanchor").items()
        for edit, theirs in zip(INTERVENTIONS, row.values(), strict=True)
        if theirs is not None and abs(theirs) >= CARRIES and matrix[name][edit] * theirs <= 0
    ]


def describe_components(values: ComponentValues) -> dict[str, dict[str, float]]:
    """Return mean, standard deviation and shares at the ends of every component over untouched sources."""
    return {
        name: {
            "mean": float(column.mean()),
            "sd": float(column.std(ddof=1)) if len(column) > 1 else 0.0,
            "share_at_100": float((column >= 100).mean()),
            "share_at_0": float((column <= 0).mean()),
        }
        for name, column in zip(NAMES, values.base.T, strict=True)
    }


def correlate_components(values: ComponentValues) -> dict[str, Any]:
    """Return Spearman's correlation of every pair of components over untouched sources; None where one is constant.

    `pair` has both coefficients of the two entropy components. Their Pearson correlation depends on single pages, so
    it is also given with as large a share of pages at 0 added as the paper's sources have, one page at least.
    """
    columns = dict(zip(NAMES, values.base.T.tolist(), strict=True))
    shannon, density = (columns[name] for name in PAIR)
    zeros = [0.0] * max(1, round(PAPER_ZEROS * len(values)))
    return {
        "sources": len(values),
        "spearman": {a: {b: spearman(columns[a], columns[b]) for b in NAMES} for a in NAMES},
        "constant": [name for name, column in columns.items() if min(column) == max(column)],
        "pair": {
            "pearson": pearson(shannon, density),
            "spearman": spearman(shannon, density),
            "zero_pages": len(zeros),
            "pearson_with_zero_pages": pearson(shannon + zeros, density + zeros),
        },
    }


def study_matrix(capture: Capture, split: str) -> dict[str, Any]:
    """Return matrix, carriers and distribution over one split, or over all sources, and correlations over all."""
    everything = read_component_values(capture)
    values = everything if split == "all" else read_component_values(capture, split=split)
    if not len(values):
        raise TooFewSources(0, 0)
    matrix = response_matrix(values)
    return {
        "split": split,
        "sources": len(values),
        "matrix": matrix,
        "carriers": find_carriers(matrix),
        "disagreements": find_disagreements(matrix),
        "distribution": describe_components(values),
        "correlations": correlate_components(everything),
    }


def findings(result: Result) -> Findings:
    lines = _list_lines(result)
    tables = [_show_matrix(result), _show_distribution(result), _show_correlations(result)]
    return Findings(lines, tables, main_lines=lines[len(result["carriers"]) :])


def _list_lines(result: Result) -> list[str]:
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
    return [*lines, *_describe_pair(result["correlations"])]


def _describe_pair(correlations: Result) -> list[str]:
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


def _show_matrix(result: Result) -> Titled:
    ours, paper = result["matrix"], read_grid("tab:featanchor")
    rows = [
        [n, *(f"{signed(ours[n][e], 1)} ({signed(paper[n][in_words(e)], 1)})" for e in INTERVENTIONS)] for n in NAMES
    ]
    title = f"Raw response at dose 1, points ({result['sources']} {result['split']} sources)"
    columns = ["component", *(f"{in_words(e)} >" for e in INTERVENTIONS)]
    return make_table(title, columns, rows, "Ours, and in brackets the paper's on its 250 GEO-Bench sources.")


def _show_distribution(result: Result) -> Titled:
    rows = []
    for name in NAMES:
        e = result["distribution"][name]
        rows.append([name, e["mean"], e["sd"], 100 * e["share_at_100"], 100 * e["share_at_0"]])
    columns = "component | mean .1 | sd .1 | % at 100 .1 | % at 0 .1"
    return make_table("Distribution over untouched sources", columns, rows)


def _show_correlations(result: Result) -> Titled:
    """Present ours under the diagonal and the paper's over it."""
    ours, paper = result["correlations"]["spearman"], read_grid("tab:corr")
    rows = []
    for i, a in enumerate(NAMES):
        below = [ours[a][b] for b in NAMES[: i + 1]]
        rows.append([f"{i + 1} {a}", *below, *list(paper[a].values())[1:]])
    columns = ["component", *(f"{i} +.2" for i in range(1, len(NAMES) + 1))]
    title = f"Spearman correlation over {result['correlations']['sources']} untouched sources"
    note = "Ours up to the diagonal, the paper's after it (500 sources). A dash: undefined, the component never varies."
    return make_table(title, columns, rows, note)


def _compute(request: Request) -> Result:
    result = study_matrix(open_capture(request), request.options["split"])
    require(result["sources"], MIN_SOURCES, "source", f" ({request.options['split']})")
    return result


def _sections(material: Material) -> Iterator[Section]:
    yield from use_capture(material, "English")
    if "fr" in material.languages:
        title = f"{STUDY.title}, French"
        yield Section(lambda: ([material.capture("fr")], {"split": "all"}), "matrix-french", title, view="French")


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
    sample=lambda result, _: (
        f"{result['sources']} pages ({result['split']}), correlations {result['correlations']['sources']}; "
        "nothing resampled"
    ),
    sections=_sections,
    exit_code=lambda result, options: int(options["check"] and None in result["carriers"].values()),
)
