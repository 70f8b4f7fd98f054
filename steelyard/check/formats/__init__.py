"""The formats of `steelyard check`, for `--format` and `--report`: one table from a name to what writes it.

Each function loads its own module, since a run writes few formats.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import NamedTuple

from steelyard.check.result import CheckRun
from steelyard.pages.descriptions import Line
from steelyard.support.artifacts import to_json


class Format(NamedTuple):
    """What writes a run, given the level from which findings are shown; `has_errors` if it lists unreadable pages."""

    render: Callable[[CheckRun, str], str | list[Line]]
    has_errors: bool


def _render_human(run: CheckRun, level: str) -> list[Line]:
    from steelyard.check.formats.human import render_human

    return render_human(run, level)


def _render_github(run: CheckRun, level: str) -> str:
    from steelyard.check.formats.github import render_github

    return render_github(run, level)


def _render_sarif(run: CheckRun, level: str) -> str:
    from steelyard.check.formats.sarif import build_sarif

    return to_json(build_sarif(run)) + "\n"


def _render_junit(run: CheckRun, level: str) -> str:
    from steelyard.check.formats.junit import render_junit

    return render_junit(run)


def _render_json(run: CheckRun, level: str) -> str:
    from steelyard.check.formats.json_document import build_document

    return to_json(build_document(run)) + "\n"


def _render_markdown(run: CheckRun, level: str) -> str:
    from steelyard.check.formats.markdown import render_markdown

    return render_markdown(run, level)


FORMATS: Mapping[str, Format] = {
    "human": Format(_render_human, has_errors=False),
    "github": Format(_render_github, has_errors=True),
    "sarif": Format(_render_sarif, has_errors=True),
    "junit": Format(_render_junit, has_errors=True),
    "json": Format(_render_json, has_errors=True),
    "markdown": Format(_render_markdown, has_errors=False),
}
