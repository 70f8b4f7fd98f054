"""Where each component lies on real pages, next to the paper's table."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from steelyard.components import NAMES
from steelyard.components.arithmetic.numbers import mean
from steelyard.lab.corpus.corpus import CorpusPage
from steelyard.lab.stats.intervals import standard_deviation
from steelyard.lab.study.findings import Findings, Titled, make_table
from steelyard.lab.study.material import use_pages
from steelyard.lab.study.sources import open_pages
from steelyard.lab.study.study import Option, Request, Result, Study
from steelyard.pipeline import score_text
from steelyard.scoring.page import PageScore
from steelyard.support.quantile import quantile

# The paper's table tab:dist (500 GEO-Bench sources), in the order of COMPARED; shares in per cent.
PAPER = {
    "shannon_entropy": (99.3, 6.4, 84.0, 0.4, 97.9, 100.0, 100.0, 36),
    "information_density": (87.3, 6.0, 0.0, 0.4, 83.5, 87.9, 90.9, 376),
    "quotable_density": (48.9, 43.3, 28.6, 40.4, 0.0, 55.6, 100.0, 24),
    "entity_density": (86.6, 21.2, 57.4, 0.8, 42.6, 100.0, 100.0, 164),
    "semantic_coherence": (52.0, 4.3, 0.0, 0.4, 48.8, 52.0, 56.7, 364),
    "self_containment": (70.1, 16.7, 19.0, 0.4, 65.0, 65.0, 100.0, 4),
    "statistic_density": (17.4, 29.5, 6.6, 60.6, 0.0, 0.0, 100.0, 84),
    "mmr_score": (19.9, 1.3, 0.0, 0.4, 20.0, 20.0, 20.0, 2),
    "citation_f1": (10.6, 29.6, 0.0, 88.6, 0.0, 0.0, 94.0, 7),
    "ndcg_score": (19.9, 1.3, 0.0, 0.4, 20.0, 20.0, 20.0, 2),
    "semantic_redundancy": (19.9, 1.3, 0.0, 0.4, 20.0, 20.0, 20.0, 2),
}
COMPARED = ("mean", "sd", "percent_at_100", "percent_at_0", "p5", "p50", "p95", "unique")
DECIMALS = 2  # to which values are rounded before different ones are counted
FLAT, TITLED, FRENCH = "English, flattened, no title", "English, structured, titled", "French, flattened, no title"
_KEYS = ("mean", "sd", "p5", "p50", "p95", "percent_at_100", "percent_at_0")


def findings(result: Result) -> Findings:
    views = result["views"]
    note = f"Unique: after rounding to {DECIMALS} decimals. Paper: 500 sources; its rounding is not stated."
    title = f"{FLAT}, n = {views[FLAT]['n']}"
    tables = [
        _compare(title, views[FLAT], COMPARED[:4]),
        _compare(f"Quantiles: {title}", views[FLAT], COMPARED[4:], note),
    ]
    for name in (n for n in (TITLED, FRENCH) if n in views):
        rows = [[n, *(views[name]["components"][n][k] for k in _KEYS)] for n in NAMES]
        columns = ["component", *(f"{key.replace('percent_at_', '% at ')} .1" for key in _KEYS)]
        tables.append(make_table(f"{name}, n = {views[name]['n']}", columns, rows))
    guarded = ", ".join(f"{number} {name} pages" for name, number in result["guards"].items())
    return Findings([f"a guard fires on {guarded}"], tables)


def _compare(title: str, view: Result, keys: Sequence[str], note: str = "") -> Titled:
    """Compare some columns with the paper's."""
    places = [COMPARED.index(key) for key in keys]
    rows = [[n, *(view["components"][n][key] for key in keys), *(PAPER[n][i] for i in places)] for n in NAMES]
    heads = [f"{key.replace('percent_at_', '% at ')} {'>' if key == 'unique' else '.1'}" for key in keys]
    columns = ["component", *(f"{side} {head}" for side in ("ours", "paper") for head in heads)]
    return make_table(title, columns, rows, note)


def _summary(pages: Sequence[PageScore]) -> dict[str, Any]:
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

    def score(page: CorpusPage, text: str, title: str | None) -> PageScore:
        return score_text(text, as_of=request.as_of, title=title, language=page.language, evidence=False)

    views = {
        FLAT: [score(p, p.flattened, "") for p in english],
        TITLED: [score(p, p.text, p.title or None) for p in english],
    }
    if request.options["french"]:
        french, _ = open_pages(request, request.options["french"], language="fr", prefix="french: ")
        views[FRENCH] = [score(p, p.flattened, "") for p in french]
    guards = {"English": views[FLAT], **({"French": views[FRENCH]} if FRENCH in views else {})}
    return {
        "views": {name: {"n": len(pages), "components": _summary(pages)} for name, pages in views.items()},
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
    sections=use_pages,
)
