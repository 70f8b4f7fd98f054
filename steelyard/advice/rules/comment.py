"""comment: a comment to steelyard that cannot be understood."""

from __future__ import annotations

from steelyard.advice.rule import Rule


class Comment(Rule):
    topic = "comment"
    about = "comments to steelyard that cannot be understood"
    what = "A comment to steelyard names a rule that does not exist, or says neither `off` nor `on`."
    why = "What it should silence is reported, or what it should report is silenced."
    how = "`check` reads each comment that begins with `steelyard:`."
    certain_when = "always."
