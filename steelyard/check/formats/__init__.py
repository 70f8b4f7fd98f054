"""The formats of `steelyard check`, for `--format` and `--report`: one table from a name to what writes it."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import NamedTuple

from steelyard.check.formats.agent import render_agent
from steelyard.check.formats.github import render_github
from steelyard.check.formats.human import render_human
from steelyard.check.formats.json_document import build_document
from steelyard.check.formats.junit import render_junit
from steelyard.check.formats.markdown import render_markdown
from steelyard.check.formats.sarif import build_sarif
from steelyard.check.result import CheckRun
from steelyard.pages.descriptions import Line
from steelyard.support.artifacts import to_json


class Format(NamedTuple):
    """What writes a run, given the level from which findings are shown; `has_errors` if it lists unreadable pages."""

    render: Callable[[CheckRun, str], str | list[Line]]
    has_errors: bool


FORMATS: Mapping[str, Format] = {
    "human": Format(render_human, has_errors=False),
    "github": Format(render_github, has_errors=True),
    "sarif": Format(lambda run, level: to_json(build_sarif(run)) + "\n", has_errors=True),
    "junit": Format(lambda run, level: render_junit(run), has_errors=True),
    "json": Format(lambda run, level: to_json(build_document(run)) + "\n", has_errors=True),
    "markdown": Format(render_markdown, has_errors=False),
    "agent": Format(render_agent, has_errors=True),
}
