"""geo-optimizer: the citability score of the package geo-optimizer-skill 4.19.8. Range 0 to 100, whole numbers.

Its 47 methods look at an HTML page; it gets one of paragraphs alone, so those that look for markup, metadata,
images or links find nothing, and real pages of plain text stay in the lower part of the scale. Three of them ask for
the time; they are told `as_of` instead, so that a score is the same tomorrow.
"""

from __future__ import annotations

from steelyard.lab.scorers.base import Range
from steelyard.lab.scorers.peers.base import InEnvironment

GEO_OPTIMIZER = InEnvironment(
    name="geo-optimizer",
    version="4.19.8",
    range=Range(0.0, 100.0),
    about="the citability score of geo-optimizer-skill 4.19.8, on a page of paragraphs",
    file="geo_optimizer",
)
