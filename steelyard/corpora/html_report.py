"""The summary of a run as one self-contained HTML file: no script, no request, everything from the corpus escaped."""

from __future__ import annotations

from collections.abc import Sequence

from steelyard.corpora.summary import Summary, list_counts, make_table
from steelyard.support import escape
from steelyard.support.formatting import format_count

_CSS = """
body { margin: 0; background: #fafaf8; color: #1d1d1b; font: 16px/1.5 system-ui, sans-serif; }
main { max-width: 46rem; margin: 0 auto; padding: 2rem 1rem 4rem; }
h1 { font-size: 1.5rem; margin: 0; overflow-wrap: anywhere; } h2 { font-size: 1.1rem; margin: 2.2rem 0 0.4rem; }
p { margin: 0.3rem 0; } .dim { color: #63635e; font-size: 0.9rem; }
dl { display: grid; grid-template-columns: repeat(auto-fit, minmax(12rem, 1fr)); gap: 1rem; margin: 1.5rem 0; }
dt { color: #63635e; font-size: 0.85rem; } dd { margin: 0; font-size: 1.4rem; font-variant-numeric: tabular-nums; }
svg { width: 100%; height: auto; display: block; }
table { border-collapse: collapse; width: 100%; font-size: 0.95rem; }
th, td { text-align: left; padding: 0.3rem 0.8rem 0.3rem 0; border-bottom: 1px solid #e3e3de; overflow-wrap: anywhere; }
th { color: #63635e; font-weight: 500; } .n { text-align: right; font-variant-numeric: tabular-nums; }
.key { display: inline-block; width: 0.8em; height: 0.8em; margin: 0 0.3em 0 0.8em; }
"""
_KEPT, _OTHER = "#2f6f9f", "#c9c9c2"
_WIDTH, _HEIGHT, _LEFT, _BOTTOM, _TOP = 720, 220, 56, 28, 12
_BINS = 20


def render_report(summary: Summary) -> str:
    """Return the whole file."""
    scoring = summary["scoring"]
    settings = f"as of {scoring['as_of']}, edition {scoring['edition']}, weights {scoring['weights']}"
    inputs = summary["inputs"]
    source = inputs[0] + (f" and {format_count(len(inputs) - 1, 'other file')}" if len(inputs) > 1 else "")
    parts = [
        '<!doctype html>\n<html lang="en"><head><meta charset="utf-8">',
        '<meta name="viewport" content="width=device-width, initial-scale=1">',
        "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; style-src 'unsafe-inline'\">",
        f"<title>Steelyard: {escape.html(summary['output'])}</title>\n<style>{_CSS}</style></head><body><main>",
        f"<h1>{escape.html(summary['output'])}</h1>",
        f'<p class="dim">filtered from {escape.html(source)}; {escape.html(settings)}</p>',
        _render_figures(summary),
        _render_scores(summary),
        _render_percentiles(summary),
        *(
            f"<h2>{title.capitalize()}</h2>" + make_table(title, counts, summary["rows"], summary["examples"]).to_html()
            for title, counts in list_counts(summary)
        ),
        "</main></body></html>\n",
    ]
    return "\n".join(part for part in parts if part)


def _render_figures(summary: Summary) -> str:
    score = summary["score"]
    quartiles = "–" if score["median"] is None else f"{score['lower_quartile']:.1f} – {score['upper_quartile']:.1f}"
    figures = {
        "rows": f"{summary['rows']:,}",
        "kept": f"{summary['kept']:,} ({summary['kept'] / max(1, summary['rows']):.1%})",
        "median score": "–" if score["median"] is None else f"{score['median']:.1f}",
        "quartiles": quartiles,
        "flagged": f"{summary['flagged']:,}",
        "not scored": f"{summary['rows'] - summary['scored']:,}",
    }
    return "<dl>" + "".join(f"<div><dt>{name}</dt><dd>{value}</dd></div>" for name, value in figures.items()) + "</dl>"


def _render_scores(summary: Summary) -> str:
    everything, kept = summary["score_histogram"], summary["kept_score_histogram"]
    if not any(everything):
        return ""
    keys = f'<span class="key" style="background:{_KEPT}"></span>kept'
    keys += f'<span class="key" style="background:{_OTHER}"></span>rejected'
    chart = draw_histogram(everything, kept, "score")
    return f'<h2>Scores</h2><p class="dim">Rows by score, in steps of five points.{keys}</p>{chart}'


def _render_percentiles(summary: Summary) -> str:
    bins = summary["percentile_histogram"]
    if not any(bins):
        return ""
    note = "Rows by the percentile of their content among the reference pages of their language."
    return f'<h2>Percentiles</h2><p class="dim">{note}</p>{draw_histogram(bins, bins, "percentile")}'


def draw_histogram(bins: Sequence[int], filled: Sequence[int], label: str) -> str:
    """Return a histogram of twenty bins from 0 to 100 as SVG; `filled` is the part of each bin in the strong colour."""
    highest = _round_up(max(bins))
    floor = _HEIGHT - _BOTTOM
    scale = (floor - _TOP) / highest
    step = (_WIDTH - _LEFT) / _BINS
    marks = []
    for value in (0, highest // 2, highest) if highest % 2 == 0 else (0, highest):
        y = floor - value * scale
        marks.append(f'<line x1="{_LEFT}" y1="{y:.1f}" x2="{_WIDTH}" y2="{y:.1f}" stroke="#e3e3de"/>')
        marks.append(f'<text x="{_LEFT - 8}" y="{y + 4:.1f}" text-anchor="end">{value:,}</text>')
    for value in range(0, 101, 20):
        x = _LEFT + value / 100 * (_WIDTH - _LEFT)
        anchor = "end" if value == 100 else "middle"
        marks.append(f'<text x="{x:.1f}" y="{_HEIGHT - 8}" text-anchor="{anchor}">{value}</text>')
    for index, (count, part) in enumerate(zip(bins, filled, strict=True)):
        x = _LEFT + index * step + 1
        title = f"<title>{label} {5 * index} to {5 * index + 5}: {format_count(count, 'row')}</title>"
        bars = "".join(
            f'<rect x="{x:.1f}" y="{floor - value * scale:.1f}" width="{step - 2:.1f}" height="{value * scale:.1f}" '
            f'fill="{colour}"/>'
            for value, colour in ((count, _OTHER), (part, _KEPT))
            if value
        )
        marks.append(f"<g>{title}{bars}</g>")
    frame = f'viewBox="0 0 {_WIDTH} {_HEIGHT}" role="img" aria-label="histogram of {label}s"'
    return f'<svg {frame} font-size="12" fill="#63635e">{"".join(marks)}</svg>'


def _round_up(count: int) -> int:
    """Return the next number that reads well on an axis: 1, 2 or 5 with zeros."""
    size = 1
    while True:
        for first in (1, 2, 5):
            if first * size >= count:
                return first * size
        size *= 10
