"""`steelyard components`: what is measured, from the classes themselves."""

from __future__ import annotations

import click

from steelyard.cli.options import format_option, output_option
from steelyard.cli.output import emit
from steelyard.report.component_list import catalogue, markdown
from steelyard.support.artifacts import to_json


@click.command("components")
@format_option("human", "json", "markdown")
@output_option
def command(form: str, output: str | None) -> int:
    """The eleven components: weight, formula, symbols, degenerate values."""
    entries = catalogue()
    if form == "json":
        emit(to_json({"components": entries}) + "\n", output)
        return 0
    if form == "markdown":
        emit(markdown(entries), output)
        return 0
    out: list[str] = []
    for entry in entries:
        out.append(f"{entry['name']}   weight {entry['weight']:.4f}   ({entry['spec']})")
        out.append(f"  {entry['about']}")
        out.append(f"  {entry['formula']}")
        out += [f"  {d['value']:g} when {d['reason']}" for d in entry["degenerate"]]
        out.append("")
    emit("\n".join(out), output)
    return 0
