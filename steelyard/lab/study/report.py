"""The whole study as one report: Markdown next to its pictures, one self-contained HTML file, and their check."""

from __future__ import annotations

import base64
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from importlib import resources
from itertools import zip_longest
from pathlib import Path
from typing import Any

from steelyard.errors import SteelyardError
from steelyard.lab.study import paper_comparison
from steelyard.lab.study.findings import Findings, Titled
from steelyard.lab.study.registry import BY_NAME
from steelyard.lab.study.reproduce import ADVICE, Computed, Entry, read_study
from steelyard.support import escape
from steelyard.support.artifacts import make_output_folder, write_text
from steelyard.support.plots.plot import Plot
from steelyard.support.regular_file import open_regular_file

TITLE = "Steelyard: the whole study"
PAPER_TITLE = "Compared with the paper"
CAUTIONS = (
    "The prior weighting is reconstructed: the paper does not print it.",
    "GEO-Bench, the paper's engines and its cross-encoder are not here: its figures and ours are two studies.",
    "What the embedded reference engine answered is labelled, and says nothing about answer engines.",
    "A figure that cannot be computed is called undefined, which is never a pass.",
)
REPORT, PAGE = "report.md", "report.html"
_POLICY = "default-src 'none'; style-src 'unsafe-inline'; img-src data:"


@dataclass(frozen=True, slots=True)
class PresentedSection:
    """A section with its findings, or the reason why there are none."""

    entry: Entry
    findings: Findings | None
    undefined: str = ""

    def pictures(self) -> Iterator[tuple[str, Plot]]:
        """Yield the pictures of the section, each with the name of its files."""
        for stem, picture in self.findings.plots.items() if self.findings else ():
            yield f"{self.entry.name}-{stem}", picture


@dataclass(frozen=True, slots=True)
class Report:
    """All that is printed, made from the artifacts alone."""

    corpus: str  # its name, and how much there is of everything
    inputs: Mapping[str, str]
    paper_tables: Sequence[Titled]
    sections: Sequence[PresentedSection]
    illustrated: bool = True


def make_report(computed: Sequence[Computed], *, illustrated: bool = True) -> Report:
    """Make the report from the artifacts."""
    results = {c.entry.name: c.artifact["result"] for c in computed}
    sections = [_present(c, results) for c in computed]
    first = computed[0].artifact
    ranked = [s.entry.name for s in sections if s.entry.study == "ranking" and s.findings]
    compared = paper_comparison.list_tables(results.get, ranked)
    return Report(_describe_corpus(first["parameters"]), first["inputs"], compared, sections, illustrated)


def _present(computed: Computed, results: Mapping[str, Any]) -> PresentedSection:
    if computed.undefined:
        return PresentedSection(computed.entry, None, computed.undefined)
    study = BY_NAME[computed.entry.study]
    quoted = (results.get,) if study.quotes_others else ()
    return PresentedSection(computed.entry, study.findings(computed.artifact["result"], *quoted))


def _describe_corpus(parameters: Mapping[str, Any]) -> str:
    """Return `demo: 41 English pages, 12 French pages, 30 questions; ages on 2026-07-01`."""
    sizes = [f"{number} {noun}" for noun, number in parameters["sizes"].items() if number]
    embedder = f"; embedding {parameters['embedder']}" if parameters["embedder"] else ""
    return f"{parameters['corpus']}: {', '.join(sizes)}; ages on {parameters['as_of']}{embedder}"


def write(out: Path, report: Report) -> list[Path]:
    """Write report.md with images/ next to it, and report.html with the pictures inside."""
    svgs: dict[str, bytes] = {}
    if report.illustrated:
        make_output_folder(out / "images")
        for name, picture in (pair for section in report.sections for pair in section.pictures()):
            _, svg = picture.write(out / "images" / name)
            svgs[name] = svg.read_bytes()
    paths = [out / REPORT, out / PAGE]
    write_text(paths[0], render_markdown(report))
    write_text(paths[1], render_html(report, svgs))
    return paths


def render_markdown(report: Report) -> str:
    """Return report.md."""
    parts = [f"# {TITLE}", f"Corpus: {escape.markdown(report.corpus)}.", "\n".join(f"- {line}" for line in CAUTIONS)]
    parts += [f"## {PAPER_TITLE}", *(table.to_markdown().rstrip() for table in report.paper_tables)]
    for section in report.sections:
        parts.append(f"## {section.entry.title}")
        if section.entry.about:
            parts.append(f"*{section.entry.about}*")
        if section.findings is None:
            parts.append(f"Undefined: {escape.markdown(section.undefined)}.")
            continue
        parts.append(section.findings.to_markdown().rstrip())
        if report.illustrated:
            parts += [f"![{escape.markdown(p.title)}](images/{name}.png)" for name, p in section.pictures()]
    inputs = "\n".join(f"- {escape.markdown(name)}: `{digest}`" for name, digest in report.inputs.items())
    return "\n\n".join([*parts, "## Inputs", inputs]) + "\n"


def render_html(report: Report, svgs: Mapping[str, bytes]) -> str:
    """Return report.html: no script, no request, all text escaped."""
    style = resources.files("steelyard.pages.html").joinpath("base.css").read_text("utf-8")
    style += resources.files("steelyard.lab.study").joinpath("report.css").read_text("utf-8")
    entries = [section.entry for section in report.sections]
    parts = [
        '<!doctype html>\n<html lang="en"><head><meta charset="utf-8">',
        '<meta name="viewport" content="width=device-width, initial-scale=1">',
        f'<meta http-equiv="Content-Security-Policy" content="{_POLICY}">',
        f"<title>{TITLE}</title><style>{style}</style></head><body><main>",
        f"<h1>{TITLE}</h1><p>Corpus: {escape.html(report.corpus)}.</p>",
        _list(CAUTIONS),
        f'<nav><ol><li><a href="#paper">{PAPER_TITLE}</a></li>',
        *(f'<li><a href="#{entry.name}">{escape.html(entry.title)}</a></li>' for entry in entries),
        "</ol></nav>",
        f'<section id="paper"><h2>{PAPER_TITLE}</h2>{_tables(report.paper_tables)}</section>',
        *(_section(section, svgs) for section in report.sections),
        "<section><h2>Inputs</h2>",
        _list([f"{name}: {digest}" for name, digest in report.inputs.items()]),
        "</section></main></body></html>\n",
    ]
    return "\n".join(parts)


def _section(section: PresentedSection, svgs: Mapping[str, bytes]) -> str:
    entry = section.entry
    parts = [f'<section id="{entry.name}"><h2>{escape.html(entry.title)}</h2>']
    if entry.about:
        parts.append(f"<p><em>{escape.html(entry.about)}</em></p>")
    if section.findings is None:
        parts.append(f'<p class="undefined">Undefined: {escape.html(section.undefined)}.</p>')
    else:
        parts += [_list(section.findings.lines), _tables(section.findings.tables)]
        for name, picture in section.pictures():
            if name in svgs:
                data = base64.b64encode(svgs[name]).decode("ascii")
                parts.append(f'<p><img alt="{escape.html(picture.title)}" src="data:image/svg+xml;base64,{data}"></p>')
    return "\n".join([*parts, "</section>"])


def _tables(tables: Sequence[Titled]) -> str:
    parts = []
    for titled in tables:
        note = f'<p class="dim">{escape.html(titled.note)}</p>' if titled.note else ""
        parts.append(f'<h3>{escape.html(titled.title)}</h3><div class="wide">{titled.table.to_html()}</div>{note}')
    return "\n".join(parts)


def _list(lines: Sequence[str]) -> str:
    return "<ul>" + "".join(f"<li>{escape.html(line)}</li>" for line in lines) + "</ul>" if lines else ""


def verify(place: Path) -> Iterator[str]:
    """Yield what is wrong with a folder that `steelyard lab reproduce` wrote; nothing when all is well.

    Every artifact must still have the hash of the result that was computed. report.md is printed again from the
    artifacts and compared letter for letter; so is report.html where it is kept, and every picture must be there.
    """
    try:
        computed, illustrated = read_study(place)
    except SteelyardError as error:
        yield str(error)
        return
    try:
        report = make_report(computed, illustrated=illustrated)
        text = render_markdown(report)
    except (LookupError, TypeError, ValueError, AttributeError) as error:
        reason = f"this version cannot present its artifacts ({type(error).__name__}: {error})"
        yield f"{place}: {reason}; {ADVICE}"
        return
    names = [name for section in report.sections for name, _ in section.pictures()] if illustrated else []
    images = place / "images"
    for path in (images / f"{name}.png" for name in names):
        if not path.is_file():
            yield f"{path} is missing; {ADVICE}"
    yield from _compare(place / REPORT, text)
    if (place / PAGE).is_file():
        svgs = {name: path.read_bytes() for name in names if (path := images / f"{name}.svg").is_file()}
        yield from _compare(place / PAGE, render_html(report, svgs))


def _compare(path: Path, expected: str) -> Iterator[str]:
    try:
        with open_regular_file(path) as file:
            actual = file.read().decode("utf-8")
    except (OSError, UnicodeDecodeError) as error:
        yield f"{path}: cannot be read ({error}); {ADVICE}"
        return
    pairs = zip_longest(actual.splitlines(), expected.splitlines(), fillvalue="")
    for line, (old, new) in enumerate(pairs, start=1):
        if old != new:
            same = next((i for i, (a, b) in enumerate(zip(old, new, strict=False)) if a != b), min(len(old), len(new)))
            around = slice(max(0, same - 30), same + 40)
            is_, should = old[around].strip(), new[around].strip()
            yield f"{path}:{line}: says {is_!r}, but its artifacts say {should!r}; {ADVICE}"
            return
