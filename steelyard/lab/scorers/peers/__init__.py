"""Scorers by other people, and the simplest ones possible, whose figures are compared with ours."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import AbstractContextManager
from dataclasses import dataclass, field
from datetime import date
from pathlib import Path

from steelyard.components.arithmetic.information import gzip_ratio
from steelyard.lab.scorers.base import Range, Session
from steelyard.lab.scorers.function import CallableScorer, IsolatedScorer
from steelyard.lab.scorers.peers import environments
from steelyard.lab.scorers.peers.gopher_rules import measure_share_passed
from steelyard.support.clock import VARIABLE as AS_OF

ADAPTERS = Path(__file__).parent / "adapters"
_MAX_WORDS = 1000


@dataclass(frozen=True, slots=True)
class Peer:
    """A registry entry: `measure` for a function of ours, `adapter` for someone else's package.

    `adapters/<adapter>.py` calls the package; `adapters/<adapter>.txt` pins it and everything it needs.
    """

    name: str
    about: str
    range: Range = field(default_factory=Range)
    measure: Callable[[str], float] | None = None
    adapter: str = ""


@dataclass(frozen=True, slots=True)
class PeerScorer:
    """A peer as a scorer; opening it makes the virtual environment of a package if that is missing."""

    peer: Peer
    timeout: float
    as_of: date
    parallel = True

    @property
    def name(self) -> str:
        return self.peer.name

    def open(self) -> AbstractContextManager[Session]:
        peer = self.peer
        if peer.measure is not None:
            return CallableScorer(peer.measure, peer.range, self.timeout).open()
        lock = (ADAPTERS / f"{peer.adapter}.txt").read_text("utf-8")
        return IsolatedScorer(
            target=f"{peer.adapter}:score",
            folder=ADAPTERS,
            range=peer.range,
            timeout=self.timeout,
            python=str(environments.prepare_environment(peer.name, lock)),
            environment=((AS_OF, self.as_of.isoformat()),),
        ).open()


def count_words(text: str) -> float:
    """Count whitespace words up to 1000: longer texts all get the same."""
    return float(min(_MAX_WORDS, len(text.split())))


def measure_compression(text: str) -> float:
    """Return the gzip ratio, at most 1, and 0 for an empty text: gzip's header makes very short texts longer."""
    return min(1.0, gzip_ratio(text)) if text else 0.0


_PEERS = (
    # Nothing but length: what any score must differ from.
    Peer("length", "the number of words, clipped at 1000", Range(0.0, _MAX_WORDS), count_words),
    Peer("compression", "the size after gzip over the size before, clipped at 1", Range(0.0, 1.0), measure_compression),
    Peer(
        "gopher-rules",
        "the share of Gopher's 21 quality and repetition rules that the text passes",
        Range(0.0, 1.0),
        measure_share_passed,
    ),
    # The formula is not bounded: a text of one-syllable words is over 100, a long-winded one below 0, and an empty
    # one gets 206.84; all of these are clipped. Later releases of textstat fetch word data from the network on
    # first use; 0.7.4 brings what it needs, and needs a setuptools that still has `pkg_resources`.
    Peer("textstat-flesch", "Flesch reading ease by textstat 0.7.4, clipped to 0 to 100", adapter="textstat_flesch"),
    # The 47 methods of geo-optimizer-skill look at an HTML page. The adapter gives them paragraphs alone, so those
    # that look for markup, metadata, images or links find nothing, and plain text stays in the lower part of the
    # scale. Three of them read the clock; the adapter stops it at `as_of`, so that a score is the same tomorrow.
    Peer(
        "geo-optimizer",
        "the citability score of geo-optimizer-skill 4.19.8, on a page of paragraphs",
        adapter="geo_optimizer_citability",
    ),
)
PEERS = {peer.name: peer for peer in _PEERS}
NAMES = tuple(PEERS)
