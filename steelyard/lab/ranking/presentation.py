"""Pages ranked for a query, for people and for machines."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from datetime import date
from typing import Any

from steelyard import languages
from steelyard.lab.ranking.dataset import Candidate
from steelyard.lab.ranking.predict import Ranked
from steelyard.lab.study.wording import signed
from steelyard.support.escape import visible
from steelyard.support.table import Column, Table
from steelyard.text.document import Source

SCHEMA_VERSION = 1
SHOWN = 2  # reasons in a line
_SAMPLE = 2_000  # characters of a page by which its language is told
_MANIFEST = ("model_sha256", "features_hash", "data")


def language_of(pages: Sequence[Candidate]) -> str:
    """The language of most pages, English where that is neither of the two."""
    found = Counter(_language(page.text[:_SAMPLE]) for page in pages)
    best = max(sorted(found), key=lambda name: found[name])
    return best if best in languages.CODES else "en"


def _language(text: str) -> str:
    source = Source(text)
    return languages.detect(source.structure.view.text, source.word_counts)


def human(scope: str, query: str, ranked: Sequence[Ranked]) -> str:
    """What it is and is not first, then the pages."""
    rows = []
    for page in ranked:
        rows.append([page.place, page.name, signed(page.score), _why(page)])
    columns = [Column("place", right=True), Column("page"), Column("score", right=True), Column("why")]
    lines = [scope, f"query: {visible(query)}", "", *Table(columns, rows).to_terminal()]
    if len({p.score for p in ranked}) == 1 and len(ranked) > 1:
        lines.append("no page fits better than another: none of them shares a word with the query that others lack")
    return "\n".join(lines)


def _why(page: Ranked) -> str:
    """What speaks for a page, or what it lacks; the JSON holds both."""
    if page.speaks_for:
        return ", ".join(page.speaks_for[:SHOWN])
    return f"lacks {', '.join(page.speaks_against[:SHOWN])}" if page.speaks_against else "nothing stands out"


def record(scope: str, query: str, ranked: Sequence[Ranked], as_of: date, trained: Any | None) -> dict[str, Any]:
    return {
        "schema_version": SCHEMA_VERSION,
        "scope": scope,
        "query": query,
        "as_of": as_of.isoformat(),
        "model": None if trained is None else {k: trained.manifest[k] for k in _MANIFEST},
        "pages": [
            {
                "place": p.place, "source": p.name, "score": p.score, "for": list(p.speaks_for),
                "against": list(p.speaks_against), "features": dict(p.features),
            }
            for p in ranked
        ],
    }  # fmt: skip
