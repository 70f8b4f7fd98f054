"""`steelyard config`: the effective settings for a page, and where each comes from."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import click

from steelyard.support.artifacts import to_json
from steelyard.support.escape import make_visible
from steelyard.support.table import Column, Table
from steelyard.terminal.inputs import check_output
from steelyard.terminal.options import format_option, output_option
from steelyard.terminal.output import emit


@click.command("config")
@click.argument("page", default=".")
@click.option("--config", metavar="FILE", help="Read this configuration instead of the one found upward from the page.")
@click.option("--schema", is_flag=True, help="Print the JSON schema of the configuration, for editors.")
@format_option("human", "json")
@output_option
def command(page: str, config: str | None, schema: bool, form: str, output: str | None) -> int:
    """Print the effective settings for PAGE, a file or directory, and where each comes from."""
    from steelyard.check.run import Checker
    from steelyard.configuration.keys import KEYS, make_schema

    check_output(output, _list_inputs(page, config))
    if schema:
        emit(to_json(make_schema()) + "\n", output)
        return 0
    configuration = Checker(config=config).find_configuration(page)
    settings = configuration.for_page(page)
    rows: list[list[Any]] = []
    for name in KEYS:
        if name not in ("components", "overrides"):
            value, origin = settings.settings.get(name) or configuration.get(name)
            rows.append([name, value, origin])
    rows += [[f"components.{rule}.level", *setting] for rule, setting in settings.levels.items()]
    rows += [[f"components.{rule}.min", *setting] for rule, setting in settings.minimums.items()]
    file = str(configuration.path) if configuration.path else None
    is_checked = configuration.covers(page, is_named=True)
    if form == "json":
        entries = {name: {"value": value, "origin": origin} for name, value, origin in rows}
        emit(to_json({"page": page, "file": file, "checked": is_checked, "settings": entries}) + "\n", output)
        return 0
    lines = [f"{make_visible(page)}: {'checked' if is_checked else 'not checked, since it is excluded'}"]
    lines.append(f"configuration: {make_visible(file) if file else 'none found; these are the defaults'}")
    cells = [[name, _show(value), origin] for name, value, origin in rows]
    lines += ["", *Table([Column("setting"), Column("value"), Column("from")], cells).to_terminal()]
    emit("\n".join(lines) + "\n", output)
    return 0


def _list_inputs(page: str, config: str | None) -> Iterator[str]:
    """Yield the page, and the files that belong to its configuration, the baseline among them."""
    from steelyard.check.run import Checker

    yield page
    checker = Checker(config=config)
    yield from checker.find_configuration(page).list_files()
    yield str(checker.locate_baseline(page))


def _show(value: Any) -> str | None:
    if value is None or value == []:
        return None
    if isinstance(value, list):
        return ", ".join(map(str, value))
    return str(value).lower() if isinstance(value, bool) else str(value)
