"""The sections of the report: each with its findings, and the sections of one study together."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import groupby
from typing import Any

from steelyard.lab.study import paper_comparison
from steelyard.lab.study.findings import Findings, Titled
from steelyard.lab.study.registry import BY_NAME
from steelyard.lab.study.reproduce import Computed, Entry
from steelyard.lab.study.studies.outcome import EMBEDDED
from steelyard.lab.study.study import Study
from steelyard.support.plots.plot import Plot
from steelyard.support.table import Column, Table

Results = Mapping[str, Any]  # by section; an undefined one has its reason under `undefined`


@dataclass(frozen=True, slots=True)
class PresentedSection:
    """A section with its findings, or the reason why there are none."""

    entry: Entry
    findings: Findings | None
    undefined: str = ""
    sample: str = ""  # what its figures were measured on, and what its intervals resample

    @property
    def view(self) -> str:
        """What tells the section from the others of its study."""
        return self.entry.view or self.entry.name.removeprefix(f"{self.entry.study}-")

    @property
    def is_embedded(self) -> bool:
        """Whether the embedded reference engine answered, whose figures say nothing about answer engines."""
        return self.entry.about == EMBEDDED

    def pictures(self) -> Iterator[tuple[str, Plot]]:
        """Yield the pictures of the section, each with the name of its files."""
        for stem, picture in self.findings.plots.items() if self.findings else ():
            yield f"{self.entry.name}-{stem}", picture


@dataclass(frozen=True, slots=True)
class PresentedStudy:
    """All sections of one study: a chapter of the report and an appendix."""

    study: Study
    sections: Sequence[PresentedSection]

    @property
    def summarised(self) -> list[PresentedSection]:
        """The sections with figures that the report itself prints."""
        return [s for s in self.sections if s.findings and not s.is_embedded]

    def list_lines(self) -> list[str]:
        """Return the sentences of the report itself, each with its view where there are several."""
        lines = []
        for section in self.summarised:
            own = section.findings.list_main_lines() if section.findings else ()
            lines += [f"{section.view}: {line}" if len(self.summarised) > 1 else line for line in own]
        return lines

    def describe_sample(self) -> str:
        """Return what the sentences of the report itself were measured on."""
        samples: dict[str, list[str]] = {}
        for section in self.summarised:
            samples.setdefault(section.sample, []).append(section.view)
        return join_samples(samples) if samples else ""

    def list_tables(self) -> list[Titled]:
        """Return the main tables, those of all sections under one title as one table with the view as a column."""
        found: dict[str, list[tuple[str, Titled]]] = {}
        for section in self.summarised:
            for titled in section.findings.tables if section.findings else ():
                if titled.is_main:
                    found.setdefault(titled.title, []).append((section.view, titled))
        several = len(self.summarised) > 1
        return [merge_views(tables) if several else tables[0][1] for tables in found.values()]


def merge_views(tables: Sequence[tuple[str, Titled]]) -> Titled:
    """Make one table of those of several views; one with other columns than the first is left to the appendix."""
    first = tables[0][1]
    alike = [
        (view, t) for view, t in tables if [c.name for c in t.table.columns] == [c.name for c in first.table.columns]
    ]
    rows = [[view, *row] for view, titled in alike for row in titled.table.rows]
    notes = list(dict.fromkeys(titled.note for _, titled in alike))
    samples: dict[str, list[str]] = {}
    for view, titled in alike:
        samples.setdefault(titled.sample, []).append(view)
    sample = join_samples(samples)
    note = notes[0] if len(notes) == 1 else ""
    return replace(first, table=Table([Column("view"), *first.table.columns], rows), note=note, sample=sample)


def present_section(computed: Computed, results: Results) -> PresentedSection:
    """Return a section with its findings; every table says what it was measured on."""
    if computed.undefined:
        return PresentedSection(computed.entry, None, computed.undefined)
    study, result = BY_NAME[computed.entry.study], computed.artifact["result"]
    quoted = (results.get,) if study.quotes_others else ()
    found = study.findings(result, *quoted)
    sample = study.sample(result, results.get)
    tables = [replace(titled, sample=titled.sample or sample) for titled in found.tables]
    return PresentedSection(computed.entry, replace(found, tables=tables), sample=sample)


def group_sections(sections: Sequence[PresentedSection]) -> list[PresentedStudy]:
    """Return the sections by study, in their order."""
    names = list(dict.fromkeys(s.entry.study for s in sections))
    ordered = sorted(sections, key=lambda s: names.index(s.entry.study))
    return [PresentedStudy(BY_NAME[name], list(of)) for name, of in groupby(ordered, key=lambda s: s.entry.study)]


def list_paper_tables(computed: Sequence[Computed], results: Results, ranked: Sequence[str]) -> list[Titled]:
    """Return the paper's tables with our figures, each with the samples of the sections that it quotes."""
    study_of = {c.entry.name: BY_NAME[c.entry.study] for c in computed if not c.undefined}
    tables = []
    for titled in paper_comparison.list_tables(results.get, ranked):
        samples: dict[str, list[str]] = {}
        for section in paper_comparison.list_sections(titled.title, ranked):
            if section in study_of:
                result = results[section]
                samples.setdefault(study_of[section].sample(result, results.get), []).append(section)
        tables.append(replace(titled, sample=join_samples(samples)))
    return tables


def join_samples(samples: Mapping[str, Sequence[str]]) -> str:
    """Return `a: 3 pages; b, c: 4 pages; nothing resampled`: what all have in common is said once.

    Args:
        samples: What each of the samples is, with the names of the views or sections that have it.
    """
    if len(samples) == 1:
        return next(iter(samples))
    counted = [text.rpartition("; ") for text in samples]
    tails = {tail for _, _, tail in counted}
    if len(tails) > 1 or not all(head for head, _, _ in counted):
        return ". ".join(f"{', '.join(names)}: {text}" for text, names in samples.items())
    heads = [f"{', '.join(names)}: {head}" for (head, _, _), names in zip(counted, samples.values(), strict=True)]
    return "; ".join([*heads, *tails])
