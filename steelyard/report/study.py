"""The whole study as one report: Markdown beside its pictures, and one self-contained HTML file."""

from __future__ import annotations

import base64
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import Any, NamedTuple

from steelyard.base.artifacts import write_text
from steelyard.render import escape
from steelyard.render.findings import Findings
from steelyard.render.table import Table
from steelyard.report.beside import beside_the_paper
from steelyard.report.studies import (
    compare,
    constants,
    displacement,
    gaming,
    gates,
    identify,
    matrix,
    outcome,
    outcome_anchors,
    outcome_ceiling,
    pipeline,
    ranking,
    robustness,
)
from steelyard.report.style import CSS
from steelyard.study.reproduce import Made

Teller = Callable[[Mapping[str, Any]], Findings]
TELLERS: Mapping[str, Teller] = {
    "constants": constants.findings,
    "matrix": matrix.findings,
    "gates": gates.findings,
    "compare": compare.findings,
    "identify": identify.findings,
    "robustness": robustness.findings,
    "pipeline": pipeline.findings,
    "gaming": gaming.findings,
    "displacement": displacement.findings,
    "outcome": outcome.findings,
    "anchors": outcome_anchors.findings,
    "ceiling": outcome_ceiling.findings,
    "ranking": ranking.findings,
}
TITLE = "Steelyard: the whole study"
HONEST = (
    "The prior weighting is reconstructed: the paper does not print it.",
    "GEO-Bench, the paper's engines and cross-encoder are not here: figures beside the paper's compare two studies.",
    "What an embedded reference answered is labelled, and says nothing about answer engines.",
    "Undefined is said where a figure cannot be had, and is never a pass.",
)
_WIDE = "main{max-width:70rem}.wide{overflow-x:auto}img{max-width:100%;height:auto}.undefined{font-style:italic}"
_NARROW = "nav ol{columns:2}@media (max-width:40rem){nav ol{columns:1}main{padding:.8rem}}"


def write(out: Path, corpus: str, inputs: Mapping[str, str], made: Sequence[Made], *, plots: bool = True) -> list[Path]:
    """report.md with images/ beside it, and report.html with the pictures inside; from the artifacts alone."""
    results = {m.stage.name: m.artifact["result"] for m in made}
    tellers: dict[str, Teller] = {**TELLERS, "constants": partial(constants.findings, result_of=results.get)}
    told = [(m, None if m.undefined else tellers[m.stage.kind](m.artifact["result"])) for m in made]
    pictures: dict[str, list[Drawn]] = {m.stage.name: [] for m in made}
    if plots:
        (out / "images").mkdir(parents=True, exist_ok=True)
        for m, findings in told:
            for stem, plot in findings.plots.items() if findings else ():
                png, svg = plot.write(out / "images" / f"{m.stage.name}-{stem}")
                pictures[m.stage.name].append(Drawn(plot.title, f"images/{png.name}", svg.read_bytes()))
    beside = beside_the_paper(results.get)
    paths = [out / "report.md", out / "report.html"]
    write_text(paths[0], markdown(corpus, inputs, told, beside, pictures))
    write_text(paths[1], html(corpus, inputs, told, beside, pictures))
    return paths


class Drawn(NamedTuple):
    """A picture of a stage: what it is called, where its PNG lies, and its SVG."""

    title: str
    png: str
    svg: bytes


Told = Sequence[tuple[Made, Findings | None]]
Pictures = Mapping[str, Sequence[Drawn]]


def markdown(corpus: str, inputs: Mapping[str, str], told: Told, beside: Table, pictures: Pictures) -> str:
    parts = [f"# {TITLE}", f"Corpus: {escape.markdown(corpus)}.", "\n".join(f"- {line}" for line in HONEST)]
    parts += ["## Beside the paper", beside.to_markdown().rstrip()]
    for m, findings in told:
        parts.append(f"## {m.stage.title}")
        if m.stage.about:
            parts.append(f"*{m.stage.about}*")
        if findings is None:
            parts.append(f"Undefined: {escape.markdown(m.undefined or '')}.")
            continue
        if findings.lines:
            parts.append("\n".join(f"- {escape.prose(line)}" for line in findings.lines))
        for titled in findings.tables:
            parts += [f"**{titled.title}**", titled.table.to_markdown().rstrip()]
            parts += [titled.note] if titled.note else []
        parts += [f"![{escape.markdown(drawn.title)}]({drawn.png})" for drawn in pictures[m.stage.name]]
    parts += ["## Inputs", "\n".join(f"- {escape.markdown(name)}: `{digest}`" for name, digest in inputs.items())]
    return "\n\n".join(parts) + "\n"


def html(corpus: str, inputs: Mapping[str, str], told: Told, beside: Table, pictures: Pictures) -> str:
    policy = "default-src 'none'; style-src 'unsafe-inline'; img-src data:"
    parts = [
        '<!doctype html>\n<html lang="en"><head><meta charset="utf-8">',
        '<meta name="viewport" content="width=device-width, initial-scale=1">',
        f'<meta http-equiv="Content-Security-Policy" content="{policy}">',
        f"<title>{TITLE}</title><style>{CSS}{_WIDE}{_NARROW}</style></head><body><main>",
        f"<h1>{TITLE}</h1><p>Corpus: {escape.html(corpus)}.</p>",
        _list(HONEST),
        '<nav><ol><li><a href="#paper">Beside the paper</a></li>',
        *(f'<li><a href="#{m.stage.name}">{escape.html(m.stage.title)}</a></li>' for m, _ in told),
        "</ol></nav>",
        f'<section id="paper"><h2>Beside the paper</h2>{_table(beside)}</section>',
        *(_section(m, findings, pictures) for m, findings in told),
        "<section><h2>Inputs</h2>",
        _list([f"{name}: {digest}" for name, digest in inputs.items()]),
        "</section></main></body></html>\n",
    ]
    return "\n".join(parts)


def _section(m: Made, findings: Findings | None, pictures: Pictures) -> str:
    parts = [f'<section id="{m.stage.name}"><h2>{escape.html(m.stage.title)}</h2>']
    if m.stage.about:
        parts.append(f"<p><em>{escape.html(m.stage.about)}</em></p>")
    if findings is None:
        parts.append(f'<p class="undefined">Undefined: {escape.html(m.undefined or "")}.</p>')
    else:
        parts.append(_list(findings.lines))
        for titled in findings.tables:
            note = f'<p class="dim">{escape.html(titled.note)}</p>' if titled.note else ""
            parts.append(f"<h3>{escape.html(titled.title)}</h3>{_table(titled.table)}{note}")
        for drawn in pictures[m.stage.name]:
            data = base64.b64encode(drawn.svg).decode("ascii")
            parts.append(f'<p><img alt="{escape.html(drawn.title)}" src="data:image/svg+xml;base64,{data}"></p>')
    return "\n".join([*parts, "</section>"])


def _table(table: Table) -> str:
    return f'<div class="wide">{table.to_html()}</div>'


def _list(lines: Sequence[str]) -> str:
    return "<ul>" + "".join(f"<li>{escape.html(line)}</li>" for line in lines) + "</ul>" if lines else ""
