"""What a tool is, and what several of them do: measure and check a page, and describe the result."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from steelyard.check.judge import judge
from steelyard.check.mcp.arguments import Arguments, Choices
from steelyard.check.mcp.roots import MAX_PAGE, Page, Roots
from steelyard.check.measure import describe_result
from steelyard.check.result import CheckedFinding, CheckedPage, sort_by_weight
from steelyard.check.run import Checker
from steelyard.configuration.file import PageSettings
from steelyard.configuration.resolve import forget_settings
from steelyard.inputs.page_ref import PageRef
from steelyard.pages.descriptions import SCOPE
from steelyard.pipeline import PageResult, analyse
from steelyard.settings import Settings
from steelyard.support.escape import make_visible
from steelyard.support.formatting import format_count
from steelyard.support.schema import Schema

MAX_LISTED = 200  # findings in a result, and pieces of evidence of a component
MAX_SHOWN = 20  # findings in its text
MAX_QUOTE = 160  # characters
_NOT_COMPARED = ("is_silenced", "is_new", "is_changed")  # the same for all findings of a text


@dataclass(frozen=True, slots=True)
class ToolResult:
    """A result as data that fit the tool's schema, and as lines for a reader."""

    data: dict[str, Any]
    lines: Sequence[str]


@dataclass(frozen=True, slots=True)
class Tool:
    """A tool: what it is for, the schemas of its arguments and its results, and what it does."""

    name: str
    title: str
    about: str
    inputs: Schema
    outputs: Schema
    run: Callable[[Arguments], ToolResult]

    def answer(self, values: Mapping[str, Any], roots: Roots) -> ToolResult:
        """Run the tool; page text in the answer is visible text, whatever characters it has.

        Raises:
            SteelyardError: An argument is wrong, or a page cannot be scored.
        """
        result = self.run(Arguments(values, roots, self.inputs))
        return ToolResult(make_data_visible(result.data), [make_visible(line) for line in result.lines])


def make_data_visible(value: Any) -> Any:
    """Return the data with every control, bidi and invisible character in their strings shown."""
    if isinstance(value, str):
        return make_visible(value)
    if isinstance(value, Mapping):
        return {key: make_data_visible(each) for key, each in value.items()}
    if isinstance(value, list | tuple):
        return [make_data_visible(each) for each in value]
    return value


def describe_page(result: PageResult) -> dict[str, Any]:
    """Return the fields that every result about one page begins with."""
    page = result.page
    return {
        "scope": SCOPE,
        "source": result.source,
        "edition": page.scoring.edition,
        "language": page.language,
        "kind": {"name": result.kind.name, "certain": result.kind.certain},
        "as_of": page.as_of.isoformat(),
        "hash": page.scoring.hash,
    }


def list_findings(findings: Sequence[CheckedFinding]) -> dict[str, Any]:
    """Return the findings, and how many there are; of too many those that weigh most, in the order of the file."""
    shown = sorted(sort_by_weight(findings)[:MAX_LISTED], key=lambda f: (f.start, f.rule))
    entries = [{key: value for key, value in f.to_dict().items() if key not in _NOT_COMPARED} for f in shown]
    return {"findings": entries, "findings_total": len(findings)}


def render_findings(findings: Sequence[CheckedFinding]) -> list[str]:
    """Return the findings that weigh most as lines, in the order of the file."""
    shown = sorted(sort_by_weight(findings)[:MAX_SHOWN], key=lambda f: (f.start, f.rule))
    lines = [f"{format_count(len(findings), 'finding')}"]
    for f in shown:
        words = f": “{f.quote}”" if f.quote else ""
        lines.append(f"  {f.line}:{f.column} {f.level} {f.rule} [{f.fingerprint}] {f.text}{words}")
    if len(shown) < len(findings):
        lines.append(f"  … and {len(findings) - len(shown)} that weigh less")
    return lines


def quote(text: str, start: int, end: int) -> str:
    """Return the beginning of a part of a text in one line."""
    return " ".join(text[start : min(end, start + MAX_QUOTE)].split())


def find_settings(page: Page, choices: Choices, *, detect: bool = False) -> tuple[Settings, PageSettings]:
    """Return how a page is measured and judged: by the choices, else by the configuration around its file.

    Raises:
        SteelyardError: The configuration or the baseline cannot be used.
    """
    forget_settings()  # the server lives longer than a configuration
    options = {"language": choices.language, "edition": choices.edition, "detect": detect or None}
    # A baseline fixes the date, unless the call asks for another.
    checker = Checker(options, as_of=choices.as_of, use_baseline=choices.as_of is None, max_bytes=MAX_PAGE)
    settings, page_settings = checker.find_settings(page.place)
    return replace(settings, title=choices.title), page_settings


def analyse_page(page: Page, settings: Settings) -> PageResult:
    """Return the result of a page, with the text that its offsets point into.

    Raises:
        PageUnreadable: It cannot be scored.
        MissingExtra: It is HTML, and the extra that reads HTML is not installed.
    """
    return analyse(PageRef.from_text(page.name, page.text), settings)


def check_page(page: Page, result: PageResult, page_settings: PageSettings) -> CheckedPage:
    """Return the page with its findings, as `Checker.check_text` does."""
    return judge(describe_result(result, page.text), page_settings)
