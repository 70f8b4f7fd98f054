"""Captures of the measuring pages with our own scorer."""

from __future__ import annotations

from steelyard.lab.corpus import loading as candidates
from steelyard.lab.protocol import capture
from steelyard.lab.protocol.capture import Capture, Plan
from steelyard.lab.scorers.ours import Ours
from tools.book import SEED
from tools.distributions import AS_OF, data


def taken(name: str, language: str, *, view: str = "flattened", arm: str = "repeat") -> Capture:
    """A capture of one of the measuring files."""
    corpus = candidates.load(str(data() / name))
    pages, scorer, plan = corpus.of(language), Ours(as_of=AS_OF), Plan(view, arm, SEED)
    return capture.capture(pages, scorer, capture.header(pages, corpus.digest, corpus.name, scorer, plan), plan)
