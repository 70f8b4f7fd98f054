"""Committed artifacts and what is printed from them: every tool that measures for the manual keeps one."""

from __future__ import annotations

import argparse
import json
from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass
from typing import Any

from steelyard.lab.study.findings import Findings
from steelyard.support import escape
from steelyard.support.artifacts import envelope, rounded, write_artifact
from tools.distributions import AS_OF, ROOT

SEED = 0
Maker = Callable[[Mapping[str, Any]], Findings]
Measured = Mapping[str, tuple[Mapping[str, Any], Mapping[str, str]]]  # name → (result, inputs)


@dataclass(frozen=True)
class Book:
    """Artifacts in docs/artifacts/<name>/, each with its report; those of `plotted` also as pictures."""

    name: str
    reports: Mapping[str, Maker]
    plotted: Collection[str] = ()

    def write(self, measured: Measured) -> None:
        artifacts = ROOT / "docs" / "artifacts" / self.name
        artifacts.mkdir(parents=True, exist_ok=True)
        for study, (result, inputs) in measured.items():
            parameters = {"as_of": str(AS_OF), "seed": SEED}
            artifact = rounded(envelope(f"steelyard.{study}/1", inputs=inputs, parameters=parameters, result=result))
            write_artifact(artifacts / f"{study}.json", artifact)
        self.draw()

    def draw(self) -> None:
        """The pictures, from the artifacts as they were written."""
        images = ROOT / "docs" / "images" / self.name
        for study in self.plotted:
            for stem, plot in self.findings(study).plots.items():
                images.mkdir(parents=True, exist_ok=True)
                plot.write(images / f"{study}-{stem}")

    def result(self, study: str) -> Any:
        """A study's result as it was written."""
        path = ROOT / "docs" / "artifacts" / self.name / f"{study}.json"
        return json.loads(path.read_text("utf-8"))["result"]

    def findings(self, study: str) -> Findings:
        return self.reports[study](self.result(study))

    def table(self, study: str, only: int | None = None) -> str:
        chosen = [t for i, t in enumerate(self.findings(study).tables) if only is None or i == only]
        return "\n".join(
            f"**{t.title}**\n\n{t.table.to_markdown()}" + (f"\n{t.note}\n" if t.note else "") for t in chosen
        )

    def lines(self, study: str, only: int | None = None) -> str:
        said = self.findings(study).lines
        return "\n".join(f"- {escape.prose(line)}" for i, line in enumerate(said) if only is None or i == only)

    def parser(self, about: str | None) -> argparse.ArgumentParser:
        parser = argparse.ArgumentParser(description=about, formatter_class=argparse.RawDescriptionHelpFormatter)
        parser.add_argument("--table", metavar="NAME", choices=self.reports)
        parser.add_argument("--lines", metavar="NAME", choices=self.reports)
        parser.add_argument("--draw", action="store_true", help="draw the pictures anew from the artifacts")
        parser.add_argument("--only", type=int, metavar="N", help="the N-th table or line alone, from 0")
        return parser

    def printed(self, arguments: argparse.Namespace) -> bool:
        """Print or draw what was asked for; False if nothing was."""
        if arguments.table:
            print(self.table(arguments.table, arguments.only), end="")
        elif arguments.lines:
            print(self.lines(arguments.lines, arguments.only))
        elif arguments.draw:
            self.draw()
        return bool(arguments.table or arguments.lines or arguments.draw)
