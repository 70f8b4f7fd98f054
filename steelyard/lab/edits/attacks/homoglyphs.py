"""Homoglyphs: Latin letters of the page's own words replaced by Cyrillic and Greek ones that look the same."""

from __future__ import annotations

import random
import re

from steelyard.lab.edits.attacks.base import SHARES, Attack, Job, require_words

LOOKALIKES = {
    "a": "а", "c": "с", "d": "ԁ", "e": "е", "h": "һ", "i": "і", "j": "ј", "o": "оο", "p": "р", "s": "ѕ", "v": "ν",
    "x": "х", "y": "у", "A": "АΑ", "B": "ВΒ", "C": "С", "E": "ЕΕ", "H": "НΗ", "I": "ІΙ", "J": "Ј", "K": "КΚ",
    "M": "МΜ", "N": "Ν", "O": "ОΟ", "P": "РΡ", "S": "Ѕ", "T": "ТΤ", "X": "ХΧ", "Y": "Υ", "Z": "Ζ",
}  # fmt: skip
_WORD = re.compile(r"(?<!\S)[^\W\d_]+(?:['’-][^\W\d_]+)*(?=[.,;:!?]?(?!\S))")  # no address and no markup


class Homoglyphs(Attack):
    """In a share of the words at least one letter, and each further one half of the time; no word is added."""

    family = "hidden"
    adds_words = False

    def rewrite(self, job: Job) -> str:
        starts = _find_replaceable(job.target.text)
        require_words(len(starts))
        chosen = set(job.rng.sample(starts, round(SHARES[job.strength] * len(starts))))
        return _WORD.sub(lambda m: _replace_letters(m[0], job.rng) if m.start() in chosen else m[0], job.target.text)

    def find_fault(self, job: Job, text: str) -> str | None:
        """Require the page or its look-alike, letter for letter, in the share of the words that was asked for."""
        before = job.target.text
        if len(text) != len(before):
            return "a letter was added or lost"
        pairs = zip(before, text, strict=True)
        wrong = next((new for old, new in pairs if new != old and new not in LOOKALIKES.get(old, "")), None)
        if wrong is not None:
            return f"{wrong!r} does not look like the letter it replaces"
        changed = sum(a != b for a, b in zip(before.split(), text.split(), strict=True))
        share = changed / len(_find_replaceable(before))
        return None if job.is_within_bounds(share) else f"it rewrote {share:.3f} of the words"


def _find_replaceable(text: str) -> list[int]:
    """Return where the words begin that have a letter to replace."""
    return [m.start() for m in _WORD.finditer(text) if set(m[0]) & LOOKALIKES.keys()]


def _replace_letters(word: str, rng: random.Random) -> str:
    places = [at for at, letter in enumerate(word) if letter in LOOKALIKES]
    certain = rng.choice(places)
    replaced = {at for at in places if at == certain or rng.random() < 0.5}
    return "".join(rng.choice(LOOKALIKES[c]) if at in replaced else c for at, c in enumerate(word))
