"""The ranker's two figures: where the signal lives, and what is left of it on an engine that was left out."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from steelyard.lab.ranking.features import FIXED, POSITION
from steelyard.lab.ranking.prepare import CONTENT_ONLY
from steelyard.lab.ranking.transfer import ENGINE_ONLY, STRICT
from steelyard.support.plots.plot import Panel, Plot, Series

NAMES = {
    FIXED: "fixed score (query-blind)",
    "q_bm25": "BM25",
    "regex_blend": "regex blend, nothing fitted",
    "e_cosine": "embedding cosine",
    "x_logit": "cross-encoder or given relevance",
    POSITION: "position (LEAK)",
}
REGIMES = {ENGINE_ONLY: "the engine left out", STRICT: "the engine and its queries left out"}
WHISKERS = "Whiskers are 95% intervals."


def label(name: str) -> str:
    return NAMES.get(name, name)


def make_plots(result: Mapping[str, Any]) -> dict[str, Plot]:
    """Return the plot of the signal, and that of the transfer where at least one engine could be left out."""
    found = {"signal": plot_signal(result)}
    transfer = plot_transfer(result)
    return found if transfer is None else found | {"transfer": transfer}


def plot_signal(result: Mapping[str, Any]) -> Plot:
    """Every named signal and every model by its Spearman; those that see no query are empty bars."""
    known = [n for n in result["baselines_order"] if n in NAMES]
    models = result["models"]
    blind = {label(FIXED), label(POSITION), *(n for n in models if models[n]["arm"] == CONTENT_ONLY)}
    bars = [(label(n), result["baselines"][n]["spearman"]) for n in known]
    bars += [(n, models[n]["metrics"]["spearman"]) for n in result["models_order"]]
    series = _bars("sees the query", bars, filled=[n not in blind for n, _ in bars], open_label="sees no query")
    fair = [e["mean"] for n, e in bars if n in blind - {label(POSITION)} and e["mean"] is not None]
    vertical_lines = [(max(fair), "best without the query")] if fair else [(0.0, "chance")]
    panel = Panel("", [series], x_label="Spearman within queries, unseen queries", vertical_lines=vertical_lines)
    note = f"{result['data']['queries']:,} queries. {WHISKERS} A leak is never the best."
    return Plot("Where the citation signal lives", [panel], note=note)


def plot_transfer(result: Mapping[str, Any]) -> Plot | None:
    """Both regimes for every engine that was left out; None where nothing is defined."""
    found = result["transfer"]["without_position"]
    if not found:
        return None
    engines = {e: found["engines"][e] for e in found["order"] if "undefined" not in found["engines"][e]}
    drawn = {e: entry for e, entry in engines.items() if any(entry[r]["spearman"]["mean"] is not None for r in REGIMES)}
    if not drawn:
        return None
    series = [
        _bars(said, [(e, entry[regime]["spearman"]) for e, entry in drawn.items()]) for regime, said in REGIMES.items()
    ]
    missing = [e for e in found["order"] if e not in drawn]
    left = f" Undefined: {', '.join(missing)}." if missing else ""
    note = (
        f"Features: {result['transfer']['arm']}. Where only the engine is left out, the others' answers to the same "
        f"queries were in training; the second bar is the one to go by. {WHISKERS}{left}"
    )
    panel = Panel("", series, x_label="Spearman within queries of the engine left out")
    return Plot("One engine left out", [panel], note=note)


def _bars(
    name: str,
    bars: Sequence[tuple[str, Mapping[str, Any]]],
    *,
    filled: Sequence[bool] | None = None,
    open_label: str = "",
) -> Series:
    low, high = ([e["interval"][end] if e["interval"] else None for _, e in bars] for end in (0, 1))
    return Series(
        name, [e["mean"] for _, e in bars], [n for n, _ in bars], low, high, filled, style="bars", open_label=open_label
    )
