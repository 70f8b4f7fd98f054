"""Turn the options of a command into the settings of a run; the date is resolved here, once."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from steelyard.configuration.file import find_configuration
from steelyard.configuration.settings import resolve_target
from steelyard.scoring import weighting
from steelyard.settings import AUTO, Settings
from steelyard.terminal.inputs import note_input
from steelyard.text.html import HtmlLimits


def build_settings(options: Mapping[str, Any], **more: Any) -> Settings:
    """Build settings from the options of `edition_options`, and from further values of `Settings.resolve`."""
    given = {name: options[name] for name in ("as_of", "edition", "weights", "language")}
    return Settings.resolve(**{**given, "language": given["language"] or AUTO, **more})


def build_configured_settings(target: str, options: Mapping[str, Any], *, keep_text: bool) -> Settings:
    """Build settings from the options of `scoring_options` and the configuration above the first target."""
    config = find_configuration(target, {name: options[name] for name in ("edition", "weights", "language")})
    values = resolve_target(target, config, options)
    for path in (*config.list_files(), values["weights"]):
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
