"""The summary of a run: as JSON, and as lines for a terminal."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from steelyard import __version__
from steelyard.corpora.plan import Plan
from steelyard.corpora.run import Outcome
from steelyard.corpora.tally import find_quartiles
from steelyard.support.formatting import format_count
from steelyard.support.table import Column, Table

SCHEMA_VERSION = 1
Summary = dict[str, Any]


def summarise(plan: Plan, outcome: Outcome) -> Summary:
    """Return the summary as JSON values."""
    tally = outcome.tally
    low, middle, high = find_quartiles(tally.scores) or (None, None, None)
    return {
        "schema_version": SCHEMA_VERSION,
        "tool": {"name": "steelyard", "version": __version__},
        "scoring": {
            "edition": plan.settings.edition.name,
            "weights": plan.settings.weights.name,
            "as_of": outcome.as_of.isoformat(),
        },
        "inputs": [file.path for file in plan.files],
        "output": plan.output,
        "rows": tally.rows,
        "kept": tally.kept,
        "rejected": tally.rows - tally.kept,
        "scored": tally.scores.total(),
        "flagged": tally.flagged,
        "score": {"lower_quartile": low, "median": middle, "upper_quartile": high},
        "rejected_by_reason": _sort(tally.rejected),
        "unscored_by_reason": _sort(tally.unscored),
        "examples": {reason: tally.examples[reason] for reason in sorted(tally.examples)},
        "languages": _sort(tally.languages),
        "score_histogram": _bin(tally.scores),
        "kept_score_histogram": _bin(tally.kept_scores),
        "percentile_histogram": [sum(tally.percentiles[5 * i + j] for j in range(5)) for i in range(20)],
        "throughput": {
            "rows": outcome.rows,
            "seconds": round(outcome.seconds, 3),
            "rows_per_second": round(outcome.rows / outcome.seconds, 1) if outcome.seconds else None,
        },
    }


def _sort(counts: Mapping[str, int]) -> dict[str, int]:
    """Return the counts, the largest first."""
    return dict(sorted(counts.items(), key=lambda item: (-item[1], item[0])))


def _bin(tenths: Mapping[int, int]) -> list[int]:
    """Return the scores in twenty bins of five points."""
    bins = [0] * 20
    for tenth, count in tenths.items():
        bins[min(19, tenth // 50)] += count
    return bins


def render_lines(summary: Summary) -> list[str]:
    """Return the summary for a terminal; the speed, which differs from run to run, comes last."""
    rows = summary["rows"]
    lines = [f"{summary['output']}: {summary['kept']:,} of {format_count(rows, 'row')} kept"]
    score = summary["score"]
    if score["median"] is not None:
        quartiles = f"quartiles {score['lower_quartile']:.1f} to {score['upper_quartile']:.1f}"
        lines.append(f"score: median {score['median']:.1f}, {quartiles}; flagged: {summary['flagged']:,}")
    for title, counts in list_counts(summary):
        lines += ["", *make_table(title, counts, rows, summary["examples"]).to_terminal()]
    scoring = summary["scoring"]
    lines += ["", f"as of {scoring['as_of']}, edition {scoring['edition']}, weights {scoring['weights']}"]
    speed = summary["throughput"]
    if speed["rows_per_second"] is not None:
        lines.append(f"{speed['rows']:,} rows in {speed['seconds']:,.1f} s, {speed['rows_per_second']:,.0f} per second")
    return lines


def list_counts(summary: Summary) -> list[tuple[str, dict[str, int]]]:
    """Return the tables of counts that are not empty, with their titles."""
    named = (("rejected", "rejected_by_reason"), ("not scored", "unscored_by_reason"), ("languages", "languages"))
    return [(title, summary[key]) for title, key in named if summary[key]]


def make_table(title: str, counts: Mapping[str, int], rows: int, examples: Mapping[str, list[str]]) -> Table:
    """Return counts with their share of all rows, and the first row of each kind where it is known."""
    columns = [Column(title), Column("rows", ",", right=True), Column("share", ".1%", right=True)]
    lines: list[list[Any]] = [[name, count, count / max(1, rows)] for name, count in counts.items()]
    if any(name in examples for name in counts):
        columns.append(Column("first", keep="end", width=40))
        lines = [[*line, next(iter(examples.get(line[0], ())), "")] for line in lines]
    return Table(columns, lines)
