"""Four diagrams of how things stand: two objects, the scoring path, the calibration loop, the roles of the weights."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from steelyard.components import NAMES
from steelyard.lab.edits import EDITS
from steelyard.lab.protocol.anchors import ANCHORS
from steelyard.lab.protocol.families import FAMILIES
from steelyard.lab.protocol.fit import LAMBDAS
from steelyard.lab.protocol.gates import GATES
from steelyard.lab.protocol.gates.base import Gate
from steelyard.lab.protocol.strategies import FLOOR
from steelyard.lab.protocol.variants import DOSES, PAPER
from steelyard.lab.ranking.stack import STACK
from steelyard.lab.study.roles import ROLES, role
from steelyard.lab.study.wording import MINUS, name, plain
from steelyard.scoring.domains import PRIOR, STRENGTH
from steelyard.scoring.freshness import TERMS
from steelyard.scoring.guards import CAPS, NEAR_EMPTY_WORDS
from steelyard.scoring.page import CONTENT_SHARE, FRESHNESS_SHARE
from steelyard.scoring.transform import g
from steelyard.scoring.unvalidated import Unvalidated
from steelyard.support.plots.diagram import ASIDE, STRONG, Arrow, Box, Diagram, chain


def objects() -> Diagram:
    """The score and the ranker, what tries each, and the claim each may make."""
    counted = sum(len(c.features) for c in STACK if not c.models)
    modelled = sum(len(c.features) for c in STACK if c.models)
    rows = [
        [Box("counts", "Counted from the text", ["Patterns and statistics: no engine, no network, nothing random."])],
        [
            Box("score", "The score", [f"{len(NAMES)} components, weighed.", "Sees one page."]),
            Box("ranker", "The ranker", [f"{counted} features,", f"{modelled} more with models.", "Sees rival pages."]),
        ],
        [
            Box("gates", "Tried by", [f"{len(GATES)} gates, {len(ANCHORS)} anchors, attacks made to beat it."], ASIDE),
            Box("folds", "Tried by", ["Queries and engines it was not fitted on; an audit for leaks."], ASIDE),
        ],
        [
            Box("worth", "May claim", ["To be hard to inflate, and to show where each point is from."], STRONG),
            Box(
                "order",
                "May claim",
                ["An order of these pages for this query, as far as unseen queries bear it out."],
                STRONG,
            ),
        ],
        [
            Box("not-cited", "May not", ["Promise that a page will be used in an answer."]),
            Box("not-blind", "May not", ["Say anything of a page where no query is asked."]),
        ],
    ]
    arrows = [
        Arrow("counts", "score", "no query"),
        Arrow("counts", "ranker", "with the query"),
        *chain(("score", "gates", "worth")),
        *chain(("ranker", "folds", "order")),
    ]
    return Diagram("Two objects, and the claim each may make", rows, arrows)


def pipeline() -> Diagram:
    """From a page's text to its score, and to its domain's rank."""
    limits = [(f"under {words} words", f"at most {limit:g}") for words, limit in CAPS]
    terms = ", ".join(f"{term} {share:g}" for term, share in TERMS)
    beside = " and ".join(name(field) for field in Unvalidated._fields)
    rows = [
        [Box("text", "Page text", ["What a reader sees; hidden text is gone before anything is counted."])],
        [Box("components", f"{len(NAMES)} components", ["Each from 0 to 100, with the spans it was counted from."])],
        [Box("transform", "Concave transform", [f"g(u) = {_formula()}", _examples()])],
        [Box("sum", "Weighted sum", ["The shipped weights, which sum to 1: the content score."])],
        [Box("blend", "Freshness blend", [f"{CONTENT_SHARE:g} content + {FRESHNESS_SHARE:g} F", f"F: {terms}"])],
        [Box("caps", "Caps on short pages", limits)],
        [Box("guards", "Guards", [f"Under {NEAR_EMPTY_WORDS} words, gibberish, a salad of words: a low fixed score."])],
        [
            Box("score", "Score", ["0 to 100, the same every time."], STRONG),
            Box("beside", "Unvalidated it", [f"{beside.capitalize()}: shown, never counted."], ASIDE),
        ],
        [Box("domain", "Domain rank", [f"Mean over its pages, pulled towards {PRIOR:g} as if by {STRENGTH} more."])],
    ]
    path = [row[0].key for row in rows]
    return Diagram("From text to score", rows, list(chain(path)))


def _formula() -> str:
    return (g.__doc__ or "").rstrip(".").replace("sqrt", "√")


def _examples() -> str:
    return "so that " + ", ".join(f"{u} counts {g(u):g}" for u in (25, 64, 100))


def calibration() -> Diagram:
    """How weights are fitted, selected and confirmed, and where the anchors enter."""
    edits = ", ".join(name(edit.name) for edit in EDITS)
    doses = ", ".join(str(dose) for dose in DOSES)
    rows = [
        [Box("pages", "Pages in two halves", ["Train to fit and to select, test to confirm."])],
        [Box("edits", f"{len(PAPER)} variants of each page", [f"Edits: {edits}.", f"Doses: {doses}."])],
        [Box("response", "Response", ["Edited page less the same page with as much neutral filler."])],
        [
            Box("anchors", "Anchors", [f"{len(ANCHORS)} published effects. No gate sees them."], ASIDE),
            Box("fit", "Fit on train", [f"Families: {', '.join(FAMILIES)}.", f"{len(LAMBDAS)} strengths of ridge."]),
        ],
        [Box("gates", f"{len(GATES)} gates on train", [(gate.name, _bound(gate)) for gate in GATES], STRONG)],
        [Box("choice", "Selection", [f"Alignment of {FLOOR:g} or more; then the least gain from a single lever."])],
        [
            Box("test", "Held-out half", ["Confirmed, or not: nothing is chosen here."], STRONG),
            Box("french", "French", ["Reported beside, never counted."], ASIDE),
        ],
    ]
    arrows = [
        *chain(("pages", "edits", "response", "fit", "gates", "choice", "test")),
        Arrow("anchors", "fit"),
        Arrow("gates", "fit", "falsified: next family", dashed=True),
        Arrow("test", "french", dashed=True),
    ]
    return Diagram("The calibration loop", rows, arrows)


def _bound(gate: Gate) -> str:
    side = "≤" if gate.upper else "≥"
    return f"{gate.unit} {side} {gate.bound:g}".replace("-", MINUS)


def taxonomy(result: Mapping[str, Any]) -> Diagram:
    """The components under the role that the profile refits of `identify` give their weights."""
    groups: dict[str, list[str]] = {title: [] for title in ROLES}
    for component in NAMES:
        groups[role(result["components"][component]["admissible"])].append(component)
    rows = []
    for title, members in groups.items():
        if members:
            lines: list[str | tuple[str, ...]] = [ROLES[title], *(_member(component, result) for component in members)]
            rows.append([Box(title, f"{title.capitalize()} ({len(members)})", lines)])
    silent = [n for n in NAMES if n in result["plateau"]["silent"]]
    said = f" Moved by no edit at all: {', '.join(silent)}." if silent else ""
    return Diagram("Components by the role of their weight", rows, note=f"{_COLUMNS}{said}")


_COLUMNS = "Unvalidated each name: the released weight, and the weights that the evidence admits."


def _member(component: str, result: Mapping[str, Any]) -> tuple[str, ...]:
    admitted: Sequence[float] | None = result["components"][component]["admissible"]
    span = f"{admitted[0]:.2f} to {admitted[1]:.2f}" if admitted else "none"
    return component, plain(result["released"]["weights"][component], 3), span
