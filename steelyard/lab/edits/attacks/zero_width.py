"""Zero width: characters without a width inside words and beside them, and keywords split by them."""

from __future__ import annotations

import re

from steelyard.lab.edits.attacks.base import Attack, Job
from steelyard.lab.edits.attacks.placing import cycled

# Zero-width space, non-joiner, joiner, word joiner, byte order mark: no reader sees them, and none is white space.
CHARACTERS = "\u200b\u200c\u200d\u2060\ufeff"
_ANY = re.compile(f"[{CHARACTERS}]")
_WORD = re.compile(r"(?<!\S)[^\W\d_]{2,}(?=[.,;:!?]?(?!\S))")  # no address and no markup


class ZeroWidth(Attack):
    """A share of the page's own words is split, and as many keywords follow the page, each of them split."""

    family = "hidden"

    def attacked(self, job: Job) -> str:
        starts = [m.start() for m in _WORD.finditer(job.target.text)]
        chosen = set(job.rng.sample(starts, min(len(starts), job.aim)))
        page = _WORD.sub(lambda m: self._split(m[0], job) if m.start() in chosen else m[0], job.target.text)
        drawn = cycled(job, job.target.keywords)
        block = " ".join(self._split(next(drawn), job) for _ in range(job.aim))
        return f"{page}{job.target.separator}{block}"

    def _split(self, word: str, job: Job) -> str:
        """A character somewhere inside the word, and one after it half of the time."""
        at = job.rng.randrange(1, len(word))
        after = job.rng.choice(CHARACTERS) if job.rng.random() < 0.5 else ""
        return f"{word[:at]}{job.rng.choice(CHARACTERS)}{word[at:]}{after}"

    def plain(self, text: str) -> str:
        """The text without characters that have no width."""
        return _ANY.sub("", text)

    def broken(self, job: Job, text: str) -> str | None:
        """At least one more such character for every keyword, and the page as it was without them."""
        if self._count(text) - self._count(job.target.text) < job.aim:
            return "a keyword was added that nothing splits"
        same = self.plain(text).startswith(self.plain(job.target.text))
        return None if same else "the page differs in more than what has no width"

    def noted(self, job: Job, text: str) -> str:
        """How many characters without width were added."""
        return f"{self._count(text) - self._count(job.target.text)} zero-width characters"

    @staticmethod
    def _count(text: str) -> int:
        return len(_ANY.findall(text))
