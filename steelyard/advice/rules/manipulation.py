"""manipulation: what the detectors flag."""

from __future__ import annotations

from steelyard.advice.rule import Rule


class Manipulation(Rule):
    topic = "manipulation"
    about = "what the detectors flag"
    what = "A detector flags a place, or the page, as an attempt to raise the score."
    why = "Readers are not served by it, and it does not raise the score by much."
    how = "A detector's statistic is above its threshold. `check` reports it where `detect` is set."
    certain_when = "never: honest pages are flagged too, at the rates that `score --detect` prints."
