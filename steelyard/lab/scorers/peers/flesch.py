"""textstat-flesch: Flesch reading ease as the package textstat 0.7.4 computes it. Range 0 to 100, clipped.

The formula itself is not bounded: a text of one-syllable words is over 100, a long-winded one below 0, and an
empty one gets 206.84; all of these are clipped. Later releases of textstat fetch word data from the network on
first use; 0.7.4 brings what it needs, and needs a setuptools that still has `pkg_resources`.
"""

from __future__ import annotations

from steelyard.lab.scorers.base import Range
from steelyard.lab.scorers.peers.base import InEnvironment

FLESCH = InEnvironment(
    name="textstat-flesch",
    version="0.7.4",
    range=Range(0.0, 100.0),
    about="Flesch reading ease by textstat 0.7.4, clipped to 0 to 100",
    file="flesch",
)
