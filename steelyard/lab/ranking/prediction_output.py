"""Pages ranked for a query, as text for people and as a record for programs."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import date
from typing import TYPE_CHECKING, Any

from steelyard.lab.ranking.predict import RankedPage
from steelyard.support.escape import make_visible
from steelyard.support.formatting import format_signed
from steelyard.support.table import Column, Table

if TYPE_CHECKING:  # it needs the laboratory's packages, and a ranking without a model does not
    from steelyard.lab.ranking.store import TrainedModel

SCHEMA_VERSION = 1
SHOWN = 2  # reasons in a line


def render_text(scope: str, query: str, ranked: Sequence[RankedPage]) -> str:
    """Return the scope of the claim, the query and a table of the pages."""
    rows = [[page.place, page.name, format_signed(page.score), _format_reasons(page)] for page in ranked]
    columns = [Column("place", right=True), Column("page"), Column("score", right=True), Column("why")]
    lines = [scope, f"query: {make_visible(query)}", "", *Table(columns, rows).to_terminal()]
    if len({p.score for p in ranked}) == 1 and len(ranked) > 1:
        lines.append("no page fits better than another: all have the same score")
    return "\n".join(lines)


def _format_reasons(page: RankedPage) -> str:
    """Name what a page has, or else what it is missing; the record holds both."""
    if page.strengths:
        return f"has {', '.join(page.strengths[:SHOWN])}"
    return f"missing {', '.join(page.weaknesses[:SHOWN])}" if page.weaknesses else "no clear difference"


def build_record(
    scope: str, query: str, ranked: Sequence[RankedPage], as_of: date, trained: TrainedModel | None
) -> dict[str, Any]:
    """Return the JSON of `steelyard predict`."""
    described = ("model_sha256", "features_hash", "data")
    return {
        "schema_version": SCHEMA_VERSION,
        "scope": scope,
        "query": query,
        "as_of": as_of.isoformat(),
        "model": None if trained is None else {key: trained.manifest[key] for key in described},
        "pages": [
            {
                "place": p.place, "source": p.name, "score": p.score, "for": list(p.strengths),
                "against": list(p.weaknesses), "features": dict(p.features),
            }
            for p in ranked
        ],
    }  # fmt: skip
