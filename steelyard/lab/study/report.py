"""The whole study as one report: Markdown beside its pictures, and one self-contained HTML file."""

from __future__ import annotations

import base64
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

from steelyard.lab.study import (
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
from steelyard.lab.study import paper_comparison as beside
from steelyard.lab.study.findings import Findings, Titled
from steelyard.lab.study.reproduce import Made
from steelyard.lab.study.stages import Chapter
from steelyard.report.html_style import CSS
from steelyard.support import escape
from steelyard.support.artifacts import write_text
from steelyard.support.plots.picture import Picture

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
    "GEO-Bench as a whole, the paper's engines and cross-encoder are not here: its figures and ours are two studies.",
    "What an embedded reference answered is labelled, and says nothing about answer engines.",
    "Undefined is said where a figure cannot be had, and is never a pass.",
)
_WIDE = "main{max-width:70rem}.wide{overflow-x:auto}img{max-width:100%;height:auto}.undefined{font-style:italic}"
_LONG = "p,li,h1,h2,h3{overflow-wrap:anywhere}"  # a hash has no place to break
_NARROW = "nav ol{columns:2}@media (max-width:40rem){nav ol{columns:1}main{padding:.8rem}}"


@dataclass(frozen=True, slots=True)
class Section:
    """A chapter with what was found, or why nothing could be."""

    chapter: Chapter
    findings: Findings | None
    undefined: str = ""

    def pictures(self) -> Iterator[tuple[str, Picture]]:
        """The pictures of the chapter, each with the name of its files."""
        for stem, picture in self.findings.plots.items() if self.findings else ():
            yield f"{self.chapter.name}-{stem}", picture


@dataclass(frozen=True, slots=True)
class Report:
    """All that is printed, made from the artifacts alone."""

    corpus: str  # its name, and how much there is of everything
    inputs: Mapping[str, str]
    beside: Sequence[Titled]
    sections: Sequence[Section]
    illustrated: bool = True


def report_of(made: Sequence[Made], *, illustrated: bool = True) -> Report:
    results = {m.chapter.name: m.artifact["result"] for m in made}
    tellers: dict[str, Teller] = {**TELLERS, "constants": partial(constants.findings, result_of=results.get)}
    sections = [
        Section(m.chapter, None, m.undefined)
        if m.undefined
        else Section(m.chapter, tellers[m.chapter.kind](m.artifact["result"]))
        for m in made
    ]
    first = made[0].artifact
    ranked = [s.chapter.name for s in sections if s.chapter.kind == "ranking" and s.findings]
    compared = [
        Titled("Single figures", beside.beside_the_paper(results.get)),
        *beside.tables(results.get, ranked),
    ]
    return Report(_corpus(first["parameters"]), first["inputs"], compared, sections, illustrated)


def _corpus(parameters: Mapping[str, Any]) -> str:
    """`demo: 41 English pages, 12 French pages, 30 questions; ages on 2026-07-01`."""
    sizes = [f"{number} {what}" for what, number in parameters["sizes"].items() if number]
    embedder = f"; embedding {parameters['embedder']}" if parameters["embedder"] else ""
    return f"{parameters['corpus']}: {', '.join(sizes)}; ages on {parameters['as_of']}{embedder}"


def write(out: Path, report: Report) -> list[Path]:
    """report.md with images/ beside it, and report.html with the pictures inside."""
    svgs: dict[str, bytes] = {}
    if report.illustrated:
        (out / "images").mkdir(parents=True, exist_ok=True)
        for name, picture in (pair for section in report.sections for pair in section.pictures()):
            _, svg = picture.write(out / "images" / name)
            svgs[name] = svg.read_bytes()
    paths = [out / "report.md", out / "report.html"]
    write_text(paths[0], markdown(report))
    write_text(paths[1], html(report, svgs))
    return paths


def markdown(report: Report) -> str:
    parts = [f"# {TITLE}", f"Corpus: {escape.markdown(report.corpus)}.", "\n".join(f"- {line}" for line in HONEST)]
    parts += ["## Beside the paper", *_tables(report.beside)]
    for section in report.sections:
        parts.append(f"## {section.chapter.title}")
        if section.chapter.about:
            parts.append(f"*{section.chapter.about}*")
        if section.findings is None:
            parts.append(f"Undefined: {escape.markdown(section.undefined)}.")
            continue
        if section.findings.lines:
            parts.append("\n".join(f"- {escape.prose(line)}" for line in section.findings.lines))
        parts += _tables(section.findings.tables)
        if report.illustrated:
            parts += [f"![{escape.markdown(p.title)}](images/{name}.png)" for name, p in section.pictures()]
    inputs = "\n".join(f"- {escape.markdown(name)}: `{digest}`" for name, digest in report.inputs.items())
    return "\n\n".join([*parts, "## Inputs", inputs]) + "\n"


def _tables(listed: Sequence[Titled]) -> Iterator[str]:
    for titled in listed:
        yield f"**{titled.title}**"
        yield titled.table.to_markdown().rstrip()
        if titled.note:
            yield titled.note


def html(report: Report, svgs: Mapping[str, bytes]) -> str:
    policy = "default-src 'none'; style-src 'unsafe-inline'; img-src data:"
    chapters = [section.chapter for section in report.sections]
    parts = [
        '<!doctype html>\n<html lang="en"><head><meta charset="utf-8">',
        '<meta name="viewport" content="width=device-width, initial-scale=1">',
        f'<meta http-equiv="Content-Security-Policy" content="{policy}">',
        f"<title>{TITLE}</title><style>{CSS}{_WIDE}{_LONG}{_NARROW}</style></head><body><main>",
        f"<h1>{TITLE}</h1><p>Corpus: {escape.html(report.corpus)}.</p>",
        _list(HONEST),
        '<nav><ol><li><a href="#paper">Beside the paper</a></li>',
        *(f'<li><a href="#{chapter.name}">{escape.html(chapter.title)}</a></li>' for chapter in chapters),
        "</ol></nav>",
        f'<section id="paper"><h2>Beside the paper</h2>{_titled(report.beside)}</section>',
        *(_section(section, svgs) for section in report.sections),
        "<section><h2>Inputs</h2>",
        _list([f"{name}: {digest}" for name, digest in report.inputs.items()]),
        "</section></main></body></html>\n",
    ]
    return "\n".join(parts)


def _section(section: Section, svgs: Mapping[str, bytes]) -> str:
    chapter = section.chapter
    parts = [f'<section id="{chapter.name}"><h2>{escape.html(chapter.title)}</h2>']
    if chapter.about:
        parts.append(f"<p><em>{escape.html(chapter.about)}</em></p>")
    if section.findings is None:
        parts.append(f'<p class="undefined">Undefined: {escape.html(section.undefined)}.</p>')
    else:
        parts.append(_list(section.findings.lines))
        parts.append(_titled(section.findings.tables))
        for name, picture in section.pictures():
            if name in svgs:
                data = base64.b64encode(svgs[name]).decode("ascii")
                parts.append(f'<p><img alt="{escape.html(picture.title)}" src="data:image/svg+xml;base64,{data}"></p>')
    return "\n".join([*parts, "</section>"])


def _titled(listed: Sequence[Titled]) -> str:
    parts = []
    for titled in listed:
        note = f'<p class="dim">{escape.html(titled.note)}</p>' if titled.note else ""
        parts.append(f'<h3>{escape.html(titled.title)}</h3><div class="wide">{titled.table.to_html()}</div>{note}')
    return "\n".join(parts)


def _list(lines: Sequence[str]) -> str:
    return "<ul>" + "".join(f"<li>{escape.html(line)}</li>" for line in lines) + "</ul>" if lines else ""
