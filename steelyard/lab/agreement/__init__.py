"""How well scorers agree with people's labels: sets of labelled documents, and figures with their intervals.

What this module holds needs no package of the laboratory: the command is listed where these are not installed.
"""

from __future__ import annotations

from steelyard.scoring import editions

AUC, SPEARMAN = "AUC", "Spearman"
CHANCE = {AUC: 0.5, SPEARMAN: 0.0}  # what a score without any agreement gets

WORDS = "words"  # the scorer that every other one is compared with
FIGURES = ("score", "content")  # of our own editions
NEWER = "2026"


def name_figure(edition: str, figure: str) -> str:
    """Return the name of a scorer of our own: `2026 score`."""
    return f"{edition} {figure}"


OWN = tuple(name_figure(edition, figure) for edition in editions.NAMES for figure in FIGURES)
# The same figure of both editions, by its name.
EDITION_PAIRS = {figure: (name_figure(NEWER, figure), name_figure(editions.PAPER, figure)) for figure in FIGURES}
