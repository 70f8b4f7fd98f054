"""From the options of a command to the settings of a run: the date is resolved here, once."""

from __future__ import annotations

from typing import Any

from steelyard.base.clock import resolve_as_of
from steelyard.base.errors import PageUnreadable, SteelyardError
from steelyard.base.words import counted
from steelyard.report.result import Scored, Settings, Unscored, score_ref
from steelyard.sources.find import find


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


def one_page(target: str, settings: Settings) -> Scored:
    """The page's score with its text, or an error that says why there is none."""
    refs = list(find([target], max_bytes=settings.max_bytes))
    if len(refs) != 1:
        raise SteelyardError(f"{target}: {counted(len(refs), 'page')}, and this command takes one; name a single file")
    result = score_ref(refs[0], settings)
    if isinstance(result, Unscored):
        raise PageUnreadable(result.message)
    return result
