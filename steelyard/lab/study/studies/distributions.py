"""Where each component lies on real pages, next to the paper's table."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from typing import Any

from steelyard.components import NAMES
from steelyard.components.arithmetic.numbers import mean
from steelyard.lab.corpus import CorpusPage
from steelyard.lab.stats.intervals import standard_deviation
from steelyard.lab.study.findings import Findings, Titled, make_table
from steelyard.lab.study.material import use_both
from steelyard.lab.study.paper_comparison import read_grid
from steelyard.lab.study.sources import open_pages
from steelyard.lab.study.study import Option, Request, Result, Study
from steelyard.pipeline import score_text
from steelyard.scoring import editions
from steelyard.scoring.page import PageScore
from steelyard.support.quantile import quantile

# Our figures, and what the paper's table tab:dist (500 GEO-Bench sources) calls them.
COMPARED = {
    "mean": "mean", "sd": "sd", "percent_at_100": "% at 100", "percent_at_0": "% at 0",
    "p5": "p5", "p50": "p50", "p95": "p95", "unique": "distinct",
}  # fmt: skip
DECIMALS = 2  # to which values are rounded before different ones are counted
FLAT, TITLED, FRENCH = "English, flattened, no title", "English, structured, titled", "French, flattened, no title"
_SHORT = {FLAT: "flattened", TITLED: "structured", FRENCH: "French"}
_KEYS = ("mean", "sd", "p5", "p50", "p95", "percent_at_100", "percent_at_0")


def findings(result: Result) -> Findings:
    views = result["views"]
    note = f"Unique: after rounding to {DECIMALS} decimals. Paper: 500 sources; its rounding is not stated."
    title = f"{FLAT}, n = {views[FLAT]['n']}"
    tables = [
        _show_next_to_paper(title, views[FLAT], list(COMPARED)[:4]),
        _show_next_to_paper(f"Quantiles: {title}", views[FLAT], list(COMPARED)[4:], note),
    ]
    for name in (n for n in (TITLED, FRENCH) if n in views):
        rows = [[n, *(views[name]["components"][n][k] for k in _KEYS)] for n in NAMES]
        columns = ["component", *(f"{key.replace('percent_at_', '% at ')} .1" for key in _KEYS)]
        tables.append(make_table(f"{name}, n = {views[name]['n']}", columns, rows))
    tables.insert(0, _show_views(views))
    guarded = ", ".join(f"{number} {name} pages" for name, number in result["guards"].items())
    return Findings([f"a guard fires on {guarded}"], tables)


def _show_views(views: Result) -> Titled:
    """Show mean and standard deviation of all views in one table."""
    named = [name for name in (FLAT, TITLED, FRENCH) if name in views]
    keys = ("mean", "sd")
    rows = [[n, *(views[name]["components"][n][key] for name in named for key in keys)] for n in NAMES]
    columns = ["component", *(f"{_SHORT[name]}: {key} .1" for name in named for key in keys)]
    return make_table("Components by view", columns, rows, is_main=True)


def _show_next_to_paper(title: str, view: Result, keys: Sequence[str], note: str = "") -> Titled:
    """Compare some columns with the paper's."""
    paper = read_grid("tab:dist")
    rows = [[n, *(view["components"][n][k] for k in keys), *(paper[n][COMPARED[k]] for k in keys)] for n in NAMES]
    heads = [f"{key.replace('percent_at_', '% at ')} {'>' if key == 'unique' else '.1'}" for key in keys]
    columns = ["component", *(f"{side} {head}" for side in ("ours", "paper") for head in heads)]
    return make_table(title, columns, rows, note)


def _summarise(pages: Sequence[PageScore]) -> dict[str, Any]:
    result = {}
    for name in NAMES:
        values = [p.readings[name].value for p in pages]
        result[name] = {
            "mean": mean(values),
            "sd": standard_deviation(values),
            **{f"p{q}": quantile(values, q / 100) for q in (5, 50, 95)},
            **{f"percent_at_{v}": 100 * sum(x == v for x in values) / len(values) for v in (0, 20, 100)},
            "unique": len({round(x, DECIMALS) for x in values}),
        }
    return result


def _compute(request: Request) -> Result:
    english, _ = open_pages(request, request.arguments[0], language="en")

    measure = partial(score_text, as_of=request.as_of, edition=editions.load(editions.PAPER), evidence=False)

    def score(page: CorpusPage, text: str, title: str | None) -> PageScore:
        return measure(text, title=title, language=page.language)

    views = {
        FLAT: [score(p, p.flattened, "") for p in english],
        TITLED: [score(p, p.text, p.title or None) for p in english],
    }
    if request.options["french"]:
        french, _ = open_pages(request, request.options["french"], language="fr", prefix="french: ")
        views[FRENCH] = [score(p, p.flattened, "") for p in french]
    guards = {"English": views[FLAT], **({"French": views[FRENCH]} if FRENCH in views else {})}
    return {
        "views": {name: {"n": len(pages), "components": _summarise(pages)} for name, pages in views.items()},
        "guards": {name: sum(p.guard is not None for p in pages) for name, pages in guards.items()},
    }


STUDY = Study(
    "distributions",
    "Where the components lie on real pages",
    _compute,
    findings,
    group="protocol",
    help="Show the distribution of every component over the pages of SOURCE, next to the paper's.",
    options=(Option("--french", "French pages, for a table of their own.", metavar="SOURCE"),),
    sample=lambda result, _: (
        f"{', '.join(str(v['n']) + ' pages (' + n + ')' for n, v in result['views'].items())}; nothing resampled"
    ),
    sections=lambda material: use_both(material, material.corpus),
)
