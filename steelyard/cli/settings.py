"""From the options of a command to the settings of a run: the date is resolved here, once."""

from __future__ import annotations

from typing import Any

from steelyard.errors import SteelyardError
from steelyard.inputs.find import find
from steelyard.pipeline import PageResult, Settings, analyse
from steelyard.support.clock import resolve_as_of
from steelyard.support.wording import counted


def settings_of(options: dict[str, Any], *, keep_text: bool) -> Settings:
    return Settings(
        as_of=options["as_of"] or resolve_as_of(None),
        weights=options["weights"],
        language=options["language"],
        title=options["title"],
        max_bytes=options["max_bytes"],
        keep_text=keep_text,
        detect=options.get("detect", False),
    )


def one_page(target: str, settings: Settings) -> PageResult:
    """The page's score with its text, or an error that says why there is none."""
    refs = list(find([target], max_bytes=settings.max_bytes))
    if len(refs) != 1:
        raise SteelyardError(f"{target}: {counted(len(refs), 'page')}, and this command takes one; name a single file")
    return analyse(refs[0], settings)
