"""Homoglyphs: Latin letters of the page's own words replaced by Cyrillic and Greek ones that look the same."""

from __future__ import annotations

import re

from steelyard.lab.edits.attacks.base import FEWEST_WORDS, SHARES, Attack, Job, TooFewWords
from steelyard.lab.edits.attacks.conditions import LEAST, MOST
from steelyard.support.wording import counted

LOOKALIKES = {
    "a": "а", "c": "с", "d": "ԁ", "e": "е", "h": "һ", "i": "і", "j": "ј", "o": "оο", "p": "р", "s": "ѕ", "v": "ν",
    "x": "х", "y": "у", "A": "АΑ", "B": "ВΒ", "C": "С", "E": "ЕΕ", "H": "НΗ", "I": "ІΙ", "J": "Ј", "K": "КΚ",
    "M": "МΜ", "N": "Ν", "O": "ОΟ", "P": "РΡ", "S": "Ѕ", "T": "ТΤ", "X": "ХΧ", "Y": "Υ", "Z": "Ζ",
}  # fmt: skip
_WORD = re.compile(r"(?<!\S)[^\W\d_]+(?:['’-][^\W\d_]+)*(?=[.,;:!?]?(?!\S))")  # no address and no markup


class Homoglyphs(Attack):
    """In a share of the words at least one letter, and each further one half of the time; no word is added."""

    family = "hidden"
    adds = False

    def attacked(self, job: Job) -> str:
        able = self._able(job)
        if len(able) < FEWEST_WORDS:
            raise TooFewWords(len(able))
        chosen = set(job.rng.sample(able, round(SHARES[job.strength] * len(able))))
        return _WORD.sub(lambda m: self._rewritten(m[0], job) if m.start() in chosen else m[0], job.target.text)

    @staticmethod
    def _able(job: Job) -> list[int]:
        """Where the words begin that have a letter to replace."""
        return [m.start() for m in _WORD.finditer(job.target.text) if set(m[0]) & LOOKALIKES.keys()]

    @staticmethod
    def _rewritten(word: str, job: Job) -> str:
        rng = job.rng
        places = [at for at, letter in enumerate(word) if letter in LOOKALIKES]
        certain = rng.choice(places)
        replaced = {at for at in places if at == certain or rng.random() < 0.5}
        return "".join(rng.choice(LOOKALIKES[c]) if at in replaced else c for at, c in enumerate(word))

    def broken(self, job: Job, text: str) -> str | None:
        """Letter for letter the page or its look-alike, in the share of the words that was asked for."""
        before = job.target.text
        if len(text) != len(before):
            return "a letter was added or lost"
        pairs = zip(before, text, strict=True)
        wrong = next((new for old, new in pairs if new != old and new not in LOOKALIKES.get(old, "")), None)
        if wrong is not None:
            return f"{wrong!r} does not look like the letter it replaces"
        share = self._changed(job, text) / len(self._able(job))
        return None if LEAST[job.strength] <= share <= MOST[job.strength] else f"it rewrote {share:.3f} of the words"

    @staticmethod
    def _changed(job: Job, text: str) -> int:
        return sum(a != b for a, b in zip(job.target.text.split(), text.split(), strict=True))

    def noted(self, job: Job, text: str) -> str:
        """How many words are written with letters of other alphabets."""
        return f"{counted(self._changed(job, text), 'word')} rewritten"
