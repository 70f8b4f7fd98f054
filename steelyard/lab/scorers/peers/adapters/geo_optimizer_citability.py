"""The citability score of a page of paragraphs; runs in the environment of geo-optimizer-skill, outside ours."""

from __future__ import annotations

import html
import os
import re
from datetime import datetime, timezone, tzinfo

from bs4 import BeautifulSoup  # type: ignore[import-not-found, import-untyped, unused-ignore]
from geo_optimizer.core import citability  # type: ignore[import-not-found, import-untyped, unused-ignore]

_BASE = "https://page.example/"  # links to any other host count as sources
_AS_OF = os.environ["STEELYARD_AS_OF"]


class _AsOf(datetime):
    """The clock that the package reads, stopped at one date."""

    @classmethod
    def now(cls, tz: tzinfo | None = None) -> _AsOf:
        return cls.fromisoformat(_AS_OF).replace(tzinfo=tz or timezone.utc)  # noqa: UP017 - Python 3.10 has no UTC


citability.datetime = _AsOf


def render_page(text: str, language: str) -> str:
    """Return a minimal HTML page with one paragraph for each block between blank lines."""
    pieces = [p.strip() for p in re.split(r"\n[ \t]*\n", text) if p.strip()]
    body = "".join(f"<p>{html.escape(p)}</p>\n" for p in pieces)
    return f'<!DOCTYPE html><html lang="{html.escape(language)}"><head></head><body><main>\n{body}</main></body></html>'


def score(text: str, *, language: str) -> float:
    soup = BeautifulSoup(render_page(text, language), "lxml")
    return float(citability.audit_citability(soup, _BASE).total_score)
