"""A page measured and checked with the settings that `steelyard check` has for it."""

from __future__ import annotations

from dataclasses import replace

from steelyard.check.judge import judge
from steelyard.check.mcp.arguments import Choices
from steelyard.check.mcp.roots import MAX_PAGE, Page
from steelyard.check.measure import describe_result
from steelyard.check.result import CheckedPage
from steelyard.check.run import Checker
from steelyard.configuration.file import PageSettings
from steelyard.configuration.settings import forget_settings
from steelyard.inputs.page_ref import PageRef
from steelyard.pipeline import PageResult, analyse
from steelyard.settings import Settings
from steelyard.text.html import is_html


def find_settings(page: Page, choices: Choices, *, detect: bool = False) -> tuple[Settings, PageSettings]:
    """Return how a page is measured and judged: by the choices, else by the configuration around its file.

    Raises:
        SteelyardError: The configuration or the baseline cannot be used.
    """
    forget_settings()  # the server lives longer than a configuration
    options = {"language": choices.language, "edition": choices.edition, "detect": detect or None}
    # A baseline fixes the date, unless the call asks for another.
    checker = Checker(options, as_of=choices.as_of, use_baseline=choices.as_of is None, max_bytes=MAX_PAGE)
    settings, own = checker.find_settings(page.place)
    return replace(settings, title=choices.title), own


def analyse_page(page: Page, settings: Settings) -> PageResult:
    """Return the result of a page, with the text that its offsets point into.

    Raises:
        PageUnreadable: It cannot be scored.
        MissingExtra: It is HTML, and the extra that reads HTML is not installed.
    """
    return analyse(PageRef(page.name, text=page.text, html=is_html(page.text, name=page.name)), settings)


def check_page(page: Page, result: PageResult, own: PageSettings) -> CheckedPage:
    """Return the page with its findings, as `Checker.check_text` does."""
    return judge(describe_result(result, page.text), own)
