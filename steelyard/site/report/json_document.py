"""An audit as JSON: the document of `steelyard score`, written page by page, with what the audit adds."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import Any

from steelyard.pages.json_document import DocumentStream
from steelyard.pipeline import PageError
from steelyard.settings import Settings
from steelyard.site.summary import Outcome


def write_document(
    write: Callable[[str], None], settings: Settings, visits: Iterable[Outcome], audit: Mapping[str, Any]
) -> None:
    """Write the whole document; pages without a score are its errors, and `audit` stands at its end."""
    stream = DocumentStream(write, settings)
    errors: list[PageError] = []
    for visit in visits:
        if visit.page is not None:
            stream.add({**visit.page, "state": visit.state, "status": visit.status, "depth": max(0, visit.link.depth)})
        else:
            errors.append(PageError(visit.link.url, f"{visit.state}: {visit.reason}" if visit.reason else visit.state))
    stream.finish(errors, {"audit": dict(audit)})
