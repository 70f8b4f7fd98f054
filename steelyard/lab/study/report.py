"""The whole study as one report: Markdown next to its pictures, one self-contained HTML file, and their check."""

from __future__ import annotations

import base64
import hashlib
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from importlib import resources
from itertools import zip_longest
from pathlib import Path
from typing import Any

from steelyard.errors import SteelyardError
from steelyard.lab.study.claims import compare_claims, count_verdicts
from steelyard.lab.study.findings import Titled
from steelyard.lab.study.report_sections import (
    PresentedSection,
    PresentedStudy,
    group_sections,
    list_paper_tables,
    present_section,
)
from steelyard.lab.study.reproduce import ADVICE, Computed, read_study
from steelyard.lab.study.studies.outcome import EMBEDDED
from steelyard.support import escape
from steelyard.support.artifacts import make_output_folder, write_text
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
APPENDIX, PAPER_APPENDIX = "appendix", "paper"  # a folder of one file for each study, and the name of one more
MOST_LISTED = 5  # files of one folder whose hashes report.md prints one by one
_POLICY = "default-src 'none'; style-src 'unsafe-inline'; img-src data:"


@dataclass(frozen=True, slots=True)
class Report:
    """All that is printed, made from the artifacts alone."""

    corpus: str  # its name, and how much there is of everything
    inputs: Mapping[str, str]
    claims: Titled
    paper_tables: Sequence[Titled]
    sections: Sequence[PresentedSection]
    illustrated: bool = True


def make_report(computed: Sequence[Computed], *, illustrated: bool = True) -> Report:
    """Make the report from the artifacts."""
    results = {c.entry.name: c.artifact["result"] for c in computed}
    sections = [present_section(c, results) for c in computed]
    first = computed[0].artifact
    ranked = [s.entry.name for s in sections if s.entry.study == "ranking" and s.findings]
    claims = compare_claims(results.get)
    compared = list_paper_tables(computed, results, ranked)
    return Report(_describe_corpus(first["parameters"]), first["inputs"], claims, compared, sections, illustrated)


def _describe_corpus(parameters: Mapping[str, Any]) -> str:
    """Return `demo: 41 English pages, 12 French pages, 30 questions; ages on 2026-07-01`."""
    sizes = [f"{number} {noun}" for noun, number in parameters["sizes"].items() if number]
    embedder = f"; embedding {parameters['embedder']}" if parameters["embedder"] else ""
    return f"{parameters['corpus']}: {', '.join(sizes)}; ages on {parameters['as_of']}{embedder}"


def write(out: Path, report: Report) -> list[Path]:
    """Write report.md with appendix/ and images/ next to it, and report.html with everything inside."""
    svgs: dict[str, bytes] = {}
    if report.illustrated:
        make_output_folder(out / "images")
        for name, picture in (pair for section in report.sections for pair in section.pictures()):
            _, svg = picture.write(out / "images" / name)
            svgs[name] = svg.read_bytes()
    paths = [out / REPORT, out / PAGE]
    write_text(paths[0], render_markdown(report))
    write_text(paths[1], render_html(report, svgs))
    make_output_folder(out / APPENDIX)
    for name, text in render_appendices(report).items():
        write_text(out / APPENDIX / name, text)
    return paths


def render_markdown(report: Report) -> str:
    """Return report.md: the claims, the paper's tables, what every study adds, and links to the appendices."""
    parts = [f"# {TITLE}", f"Corpus: {escape.markdown(report.corpus)}.", "\n".join(f"- {line}" for line in CAUTIONS)]
    parts += [
        f"## {report.claims.title}",
        _count_claims(report),
        report.claims.table.to_markdown().rstrip(),
        report.claims.note,
    ]
    parts += [f"## {PAPER_TITLE}", *(t.to_markdown().rstrip() for t in report.paper_tables if t.is_main)]
    parts += ["## What this study adds", "Sentences and main tables of every study; the appendices have the rest."]
    studies = group_sections(report.sections)
    for study in studies:
        parts += _summarise(study)
    if embedded := [s for s in report.sections if s.is_embedded and s.findings]:
        parts += ["### The embedded reference engine", _describe_embedded(embedded)]
    appendices = [
        (PAPER_APPENDIX, f"{PAPER_TITLE}: the other tables"),
        *((s.study.name, s.study.title) for s in studies),
    ]
    links = "\n".join(f"- [{escape.markdown(title)}]({APPENDIX}/{name}.md)" for name, title in appendices)
    inputs = "\n".join(f"- {escape.markdown(name)}: `{digest}`" for name, digest in join_folders(report.inputs))
    return (
        "\n\n".join([*parts, "## Appendices", "Every table in full, and the pictures.", links, "## Inputs", inputs])
        + "\n"
    )


def _summarise(study: PresentedStudy) -> list[str]:
    """Return the chapter of a study; nothing where all that it has is in the appendix."""
    lines, tables = study.list_lines(), study.list_tables()
    undefined = [s for s in study.sections if s.findings is None]
    if not (lines or tables or undefined):
        return []
    parts = [f"### {escape.markdown(study.study.title)}"]
    parts += [f"*{about}*" for about in dict.fromkeys(s.entry.about for s in study.summarised) if about]
    if lines:
        parts.append("\n".join(f"- {escape.prose(line)}" for line in lines))
    if lines and not tables:  # every table says what it was measured on
        parts.append(f"Sample: {escape.prose(study.describe_sample())}.")
    parts += [table.to_markdown().rstrip() for table in tables]
    parts += [f"Undefined: {escape.markdown(f'{s.view}: {s.undefined}')}." for s in undefined]
    return [*parts, f"All tables: [{study.study.name}]({APPENDIX}/{study.study.name}.md)."]


def join_folders(inputs: Mapping[str, str]) -> Iterator[tuple[str, str]]:
    """Yield the inputs with their hashes; of a folder with many the hash of its list, as `sha256sum` prints it.

    The artifacts and report.html have every one.
    """
    by_folder: dict[str, list[str]] = {}
    for name in inputs:
        by_folder.setdefault(name.rpartition("/")[0], []).append(name)
    for name, digest in inputs.items():
        folder = name.rpartition("/")[0]
        names = by_folder[folder]
        if not folder or len(names) <= MOST_LISTED:
            yield name, digest
        elif name == names[0]:
            listed = "".join(f"{inputs[each]}  {each}\n" for each in names)
            yield f"{folder}/, list of {len(names)} files", hashlib.sha256(listed.encode()).hexdigest()


def _describe_embedded(sections: Sequence[PresentedSection]) -> str:
    """Return one paragraph for all that the embedded engine answered."""
    links = ", ".join(f"[{s.entry.study}]({APPENDIX}/{s.entry.study}.md)" for s in sections)
    shown = [line for s in sections if s.findings for line in s.findings.list_main_lines()]
    return f"{EMBEDDED} {escape.prose('; '.join(shown))}. The figures: {links}."


def render_appendices(report: Report) -> dict[str, str]:
    """Return the appendices by file name: one with the paper's other tables, and one for each study."""
    rest = [table.to_markdown().rstrip() for table in report.paper_tables if not table.is_main]
    texts = {PAPER_APPENDIX: [f"# {PAPER_TITLE}: the other tables", *rest]}
    for study in group_sections(report.sections):
        parts = [f"# {escape.markdown(study.study.title)}"]
        for section in study.sections:
            parts += _render_section(section, illustrated=report.illustrated)
        texts[study.study.name] = parts
    back = f"[Back to the report](../{REPORT})"
    return {f"{name}.md": "\n\n".join([parts[0], back, *parts[1:]]) + "\n" for name, parts in texts.items()}


def _render_section(section: PresentedSection, *, illustrated: bool) -> list[str]:
    """Return everything that a section presents."""
    parts = [f"## {escape.markdown(section.entry.title)}"]
    if section.entry.about:
        parts.append(f"*{section.entry.about}*")
    if section.findings is None:
        return [*parts, f"Undefined: {escape.markdown(section.undefined)}."]
    parts.append(section.findings.to_markdown().rstrip())
    if illustrated:
        parts += [f"![{escape.markdown(p.title)}](../images/{name}.png)" for name, p in section.pictures()]
    return parts


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
        f'<nav><ol><li><a href="#claims">{report.claims.title}</a></li><li><a href="#paper">{PAPER_TITLE}</a></li>',
        *(f'<li><a href="#{entry.name}">{escape.html(entry.title)}</a></li>' for entry in entries),
        "</ol></nav>",
        f'<section id="claims"><h2>{report.claims.title}</h2><p>{_count_claims(report)}</p>'
        f"{_tables([report.claims])}</section>",
        f'<section id="paper"><h2>{PAPER_TITLE}</h2>{_tables(report.paper_tables)}</section>',
        *(_section(section, svgs) for section in report.sections),
        "<section><h2>Inputs</h2>",
        _list([f"{name}: {digest}" for name, digest in report.inputs.items()]),
        "</section></main></body></html>\n",
    ]
    return "\n".join(parts)


def _count_claims(report: Report) -> str:
    return f"{len(report.claims.table.rows)} claims: {count_verdicts(report.claims)}."


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
        sample = f"Sample: {titled.sample}." if titled.sample else ""
        said = [f'<p class="dim">{escape.html(text)}</p>' for text in (titled.note, sample) if text]
        parts.append(
            f'<h3>{escape.html(titled.title)}</h3><div class="wide">{titled.table.to_html()}</div>{"".join(said)}'
        )
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
        text, appendices = render_markdown(report), render_appendices(report)
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
    for name, appendix in appendices.items():
        yield from _compare(place / APPENDIX / name, appendix)
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
