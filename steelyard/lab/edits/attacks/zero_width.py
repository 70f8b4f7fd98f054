"""Zero width: characters without a width inside words and next to them, and keywords split by them."""

from __future__ import annotations

import random
import re
from itertools import islice

from steelyard.lab.edits.attacks.base import Attack, Job

# Zero-width space, non-joiner, joiner, word joiner, byte order mark: no reader sees them, and none is white space.
CHARACTERS = "\u200b\u200c\u200d\u2060\ufeff"
_ANY = re.compile(f"[{CHARACTERS}]")
_WORD = re.compile(r"(?<!\S)[^\W\d_]{2,}(?=[.,;:!?]?(?!\S))")  # no address and no markup


class ZeroWidth(Attack):
    """A share of the page's own words is split, and as many keywords follow the page, each of them split."""

    family = "hidden"

    def rewrite(self, job: Job) -> str:
        starts = [m.start() for m in _WORD.finditer(job.target.text)]
        chosen = set(job.rng.sample(starts, min(len(starts), job.wanted_words)))
        page = _WORD.sub(lambda m: self._split(m[0], job.rng) if m.start() in chosen else m[0], job.target.text)
        keywords = islice(job.draw_endlessly(job.target.keywords), job.wanted_words)
        return f"{page}{job.target.separator}{' '.join(self._split(word, job.rng) for word in keywords)}"

    def _split(self, word: str, rng: random.Random) -> str:
        """Put a character somewhere inside the word, and one after it half of the time."""
        at = rng.randrange(1, len(word))
        after = rng.choice(CHARACTERS) if rng.random() < 0.5 else ""
        return f"{word[:at]}{rng.choice(CHARACTERS)}{word[at:]}{after}"

    def remove_disguise(self, text: str) -> str:
        """Remove all characters without a width."""
        return _ANY.sub("", text)

    def find_fault(self, job: Job, text: str) -> str | None:
        """Require one more such character for every keyword, and the same page without them."""
        if len(_ANY.findall(text)) - len(_ANY.findall(job.target.text)) < job.wanted_words:
            return "a keyword was added that nothing splits"
        is_same = self.remove_disguise(text).startswith(self.remove_disguise(job.target.text))
        return None if is_same else "the page differs in more than what has no width"
