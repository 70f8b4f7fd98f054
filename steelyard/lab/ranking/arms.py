"""Which features a model may see: the arms of the study."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from steelyard.lab.ranking.features import CONTENT, LENGTH, LEXICAL, NAMES_OF, STRUCTURE
from steelyard.lab.ranking.prepare import POSITION, Prepared

CONTENT_ONLY, QUERY_ONLY, REGEX_ONLY = "content only", "query only", "regex only"
EMBEDDING, CROSS, FULL = "+ embedding", "+ cross-encoder", "full"


@dataclass(frozen=True, slots=True)
class Arms:
    """Name → features, and why an arm of the paper is missing here."""

    features: Mapping[str, tuple[str, ...]]
    undefined: Mapping[str, str]


def arms(prepared: Prepared) -> Arms:
    """The paper's ablation, as far as the data has what it needs. Content enters only where it says something."""
    there = set(prepared.names)
    content = tuple(n for n in NAMES_OF[CONTENT] if n in there)
    query = (*NAMES_OF[LEXICAL], *NAMES_OF[STRUCTURE])
    embedding = tuple(n for n in prepared.names if n.startswith("e_"))
    cross = tuple(n for n in prepared.names if n.startswith("x_"))
    snippets = prepared.data.snippets
    regex = (*(() if snippets else content), *query, *NAMES_OF[LENGTH])
    found: dict[str, tuple[str, ...]] = {}
    undefined: dict[str, str] = {}
    if snippets:
        undefined[CONTENT_ONLY] = snippets
    else:
        found[CONTENT_ONLY] = content
    found[QUERY_ONLY] = query
    found[REGEX_ONLY] = regex
    for name, more in ((EMBEDDING, embedding), (CROSS, cross)):
        if more:
            found[name] = (*regex, *more)
        else:
            undefined[name] = "no model was given"
    if embedding and cross:
        found[FULL] = (*regex, *embedding, *cross)
    else:
        undefined[FULL] = "it needs an embedding and a cross-encoder"
    return Arms(found, undefined)


def with_position(features: tuple[str, ...]) -> tuple[str, ...]:
    """The same features and the leak: for the row that shows what it would buy."""
    return (*features, POSITION)
