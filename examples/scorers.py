"""Two home-made scorers to try `steelyard falsify` on: plausible, and both wrong.

steelyard falsify examples.scorers:evidence
"""

from __future__ import annotations

import re


def evidence(text: str) -> float:
    """Two points for every figure, quotation mark and year, up to 100: counts everything, however often."""
    found = re.findall(r"[0-9]+%|\b(?:19|20)[0-9]{2}\b|[\"“«]", text)
    return min(100.0, 2.0 * len(found))


def thorough(text: str) -> float:
    """A point for every ten words, up to 100: long pages look thorough."""
    return min(100.0, len(text.split()) / 10)
