"""The ranker's inputs by category: what is said of each feature is tried on pages."""

from __future__ import annotations

from datetime import date

from steelyard.lab.ranking.dataset import Candidate
from steelyard.lab.ranking.features import FEATURES, ContentCache, compute_features
from steelyard.lab.ranking.prepare import STACK, describe_stack
from steelyard.lab.ranking.signals.base import compute_cross_features, compute_embedding_features

TEXTS = (
    "Harbour towns. The Harbour of Marseille was founded in 600 and holds 16 docks. It lies in France near the sea. "
    "A dock is a basin in which ships are unloaded. " * 3,
    "Ships need water. A tide is the rise of the sea, which Newton explained in 1687 for 12 tides in Bristol. " * 4,
    "Bread is baked at 220 degrees. The baker Anna Rossi in Turin uses 3 flours and was taught in 1990. " * 2,
)
QUERIES = ("what is the harbour of marseille", "who explained a tide in 1687", "how many flours does a baker use")


def changing() -> set[str]:
    """The features that differ between two queries over the same sources."""
    candidates = [Candidate(str(i), text) for i, text in enumerate(TEXTS)]
    contents = ContentCache(as_of=date(2026, 7, 1), language="en")
    asked = [compute_features(query, candidates, contents) for query in QUERIES]
    found = {name for name in asked[0][0] if len({tuple(row[name] for row in rows) for rows in asked}) > 1}
    sources = [[1.0, 0.2, 0.0], [0.1, 1.0, 0.3], [0.0, 0.4, 1.0]]
    vectors = [compute_embedding_features(query, sources) for query in ([1.0, 0.0, 0.1], [0.0, 0.1, 1.0])]
    logits = [compute_cross_features(values) for values in ([2.0, 0.5, -1.0], [-1.0, 3.0, 0.0])]
    for one, other in (vectors, logits):
        found |= {name for name in one[0] if [row[name] for row in one] != [row[name] for row in other]}
    return found


def test_what_is_said_to_be_blind_is_the_same_for_every_query_and_nothing_else_is() -> None:
    blind = {name for category in STACK for name in category.blind}
    every = {name for category in STACK for name in category.features}
    assert blind <= every
    assert changing() == every - blind


def test_categories_share_no_feature_and_leave_none_out() -> None:
    listed = [name for category in STACK for name in category.features]
    assert len(set(listed)) == len(listed)
    assert {f.name for f in FEATURES} <= set(listed)


def test_the_record_says_what_runs_without_a_model() -> None:
    found = describe_stack()
    assert [c["name"] for c in found["categories"] if c["regex_only"]] == [c.name for c in STACK if not c.models]
    assert found["leak"] == "leak_position"
    assert not {found["leak"], found["baseline"]} & {n for c in STACK for n in c.features}
