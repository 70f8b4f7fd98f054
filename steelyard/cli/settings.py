"""Turn the options of a command into the settings of a run; the date is resolved here, once."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from steelyard.cli.fetching import make_fetch
from steelyard.errors import SteelyardError
from steelyard.inputs.find import find_pages
from steelyard.native.core import choose_core
from steelyard.pipeline import PageResult, analyse
from steelyard.settings import Settings
from steelyard.support.formatting import format_count
from steelyard.text.html import HtmlLimits


def build_settings(options: dict[str, Any], *, keep_text: bool) -> Settings:
    """Build the settings from the options that `scoring_options` adds to a command."""
    names = ("as_of", "weights", "edition", "language", "title", "url", "max_bytes")
    return Settings.resolve(
        **{name: options[name] for name in names},
        keep_text=keep_text,
        detect=options.get("detect", False),
        limits=HtmlLimits(**dict(options.get("limits", ()))),
    )


def analyse_single(target: str, settings: Settings) -> PageResult:
    """Analyse the only page of a target.

    Raises:
        SteelyardError: The target is several pages or none, or its page cannot be scored.
    """
    refs = list(find_pages([target], max_bytes=settings.max_bytes, fetch=make_fetch(settings.max_bytes)))
    if len(refs) != 1:
        pages = format_count(len(refs), "page")
        raise SteelyardError(f"{target}: {pages}, but this command takes exactly one; name a single file")
    return analyse(refs[0], replace(settings, core=choose_core(1)))
