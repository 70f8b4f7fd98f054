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

    `adapters/<adapter>.py` calls the package by `function`; `adapters/<adapter>.txt` pins it and everything it needs.
    A filter keeps or drops pages: its number is 1 or 0, or the share of several filters that keep the page.
    """

    name: str
    about: str
    range: Range = field(default_factory=Range)
    measure: Callable[[str], float] | None = None
    adapter: str = ""
    function: str = "score"
    is_filter: bool = False


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
            target=f"{peer.adapter}:{peer.function}",
            folder=ADAPTERS,
            range=peer.range,
            timeout=self.timeout,
            python=str(environments.prepare_environment(peer.adapter, lock)),
            environment=((AS_OF, self.as_of.isoformat()),),
        ).open()


def count_words(text: str) -> float:
    """Count whitespace words up to 1000: longer texts all get the same."""
    return float(min(_MAX_WORDS, len(text.split())))


def measure_compression(text: str) -> float:
    """Return the gzip ratio, at most 1, and 0 for an empty text: gzip's header makes very short texts longer."""
    return min(1.0, gzip_ratio(text)) if text else 0.0


def _filter(name: str, about: str, function: str, adapter: str = "datatrove_filters") -> Peer:
    return Peer(name, about, Range(0.0, 1.0), adapter=adapter, function=function, is_filter=True)


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
    *(
        _filter(f"datatrove-{name}", f"whether datatrove 0.10.1 keeps the page by its filter {title}", function)
        for name, title, function in (
            ("gopher", "GopherQualityFilter", "gopher_quality"),
            ("repetition", "GopherRepetitionFilter", "gopher_repetition"),
            ("c4", "C4QualityFilter", "c4"),
            ("fineweb", "FineWebQualityFilter", "fineweb"),
        )
    ),
    _filter("datatrove", "the share of these four filters of datatrove 0.10.1 that keep the page", "share"),
    # data-juicer's pins are cut to what its eight filters import: without its web interface, with a later emoji than it
    # asks for (no wheel of that one exists), and without wget, which it imports to download models.
    _filter(
        "data-juicer",
        "the share of eight text filters of data-juicer 1.6.1 that keep the page",
        "share",
        adapter="data_juicer_filters",
    ),
)
PEERS = {peer.name: peer for peer in _PEERS}
NAMES = tuple(PEERS)
SCORERS = tuple(name for name, peer in PEERS.items() if not peer.is_filter)
