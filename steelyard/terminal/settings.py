"""Turn the options of a command into the settings of a run; the date is resolved here, once."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from steelyard.configuration.file import find_configuration
from steelyard.configuration.settings import resolve_target
from steelyard.errors import SteelyardError
from steelyard.inputs.find import find_pages
from steelyard.native.core import choose_core
from steelyard.pipeline import PageResult, analyse
from steelyard.scoring import weighting
from steelyard.settings import AUTO, Settings
from steelyard.site.fetching import make_fetch
from steelyard.support.formatting import format_count
from steelyard.terminal.inputs import list_configuration_files, note_input
from steelyard.text.html import HtmlLimits


def build_settings(options: Mapping[str, Any], **more: Any) -> Settings:
    """Build settings from the options of `edition_options`, and from further values of `Settings.resolve`."""
    given = {name: options[name] for name in ("as_of", "edition", "weights", "language")}
    return Settings.resolve(**{**given, "language": given["language"] or AUTO, **more})


def build_configured_settings(target: str, options: Mapping[str, Any], *, keep_text: bool) -> Settings:
    """Build settings from the options of `scoring_options` and the configuration above the first target."""
    config = find_configuration(target, {name: options[name] for name in ("edition", "weights", "language")})
    values = resolve_target(target, config, options)
    for path in (*list_configuration_files(config), values["weights"]):
        if path not in (None, *weighting.NAMED):
            note_input(path)
    return Settings.resolve(
        **values,
        title=options["title"],
        max_bytes=options["max_bytes"],
        keep_text=keep_text,
        detect=options.get("detect", False),
        limits=HtmlLimits(**dict(options["limits"])),
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
