"""Paraphrase: the page's own sentences once more, in other words and another order."""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import lru_cache

from steelyard import languages
from steelyard.lab.edits.attacks.base import Attack, Job
from steelyard.lab.edits.attacks.placing import appended, capital, fitted, paragraphs, sentences

SENTENCES = 4  # to a paragraph
CHUNK = 12  # words of what stands in for a sentence on a page that has none
SWAPPED = 0.8  # how often a word that has a synonym is replaced
OPENED = 0.25  # how often a sentence gets an opener although its words have changed
_WORD = re.compile(r"[^\W\d_]+")
_NAME = re.compile(r"[^\W\d_A-Z],? ([^\W\d_a-z][^\W\d_]*)")
_VOWELS = frozenset("aeiouyhàâäéèêëîïôöùûüœæ")


class Paraphrase(Attack):
    """Synonyms, the clauses before and after a comma exchanged, an opener; appended in the page's order."""

    family = "paraphrase"

    def attacked(self, job: Job) -> str:
        return appended(job, paragraphs(fitted(job, self._said_again(job)), SENTENCES))

    def _said_again(self, job: Job) -> Iterator[str]:
        """From a sentence that is drawn on to the end of the page and round again, each time in other words."""
        pool = sentences(job.target.text) or _chunks(job.target.text)
        at = job.rng.randrange(len(pool))
        while True:
            yield self.rewritten(pool[at % len(pool)], job)
            at += 1

    def rewritten(self, sentence: str, job: Job) -> str:
        """The sentence in other words; with an opener when none of its words has a synonym, else now and then."""
        text = self._reordered(self._swapped(sentence, job), job)
        return self._opened(text, job) if text == sentence or job.rng.random() < OPENED else text

    def _swapped(self, sentence: str, job: Job) -> str:
        book, rng = job.material, job.rng
        clings = book.list("paraphrase", "clings")

        def swap(match: re.Match[str]) -> str:
            word = match[0]
            others = book.synonyms.get(word.lower(), ())
            if not others or rng.random() >= SWAPPED:
                return word
            other = rng.choice(others)
            before = sentence[: match.start()].rsplit(maxsplit=1)[-1:] or [""]
            elided = sentence[: match.start()].endswith(("'", "’"))
            bound = elided or before[0].lower() in clings
            if bound and (other[0] in _VOWELS) != (word[0].lower() in _VOWELS):
                return word  # "a approach", "l'lieu"
            return capital(other) if word[0].isupper() else other

        return _WORD.sub(swap, sentence)

    @staticmethod
    def _reordered(sentence: str, job: Job) -> str:
        """“When it rains, the gauge rises.” begins with the gauge; “It rains, and it rises.” with the rising."""
        first, _, second = sentence.partition(", ")
        clauses = len(first.split()) > 1 and len(second.split()) > 2
        if not clauses or "," in second or sentence[-1] != ".":
            return sentence
        opening, joint = first.split()[0].lower(), second.split()[0]
        if joint in job.material.list("paraphrase", "joining"):
            return f"{capital(second[len(joint) + 1 : -1])}, {joint} {_small(first, job)}."
        if opening in job.material.list("paraphrase", "movable"):
            return f"{capital(second[:-1])}, {_small(first, job)}."
        return sentence

    @staticmethod
    def _opened(sentence: str, job: Job) -> str:
        return f"{job.rng.choice(job.material.list('paraphrase', 'openers'))} {_small(sentence, job)}"

    def broken(self, job: Job, text: str) -> str | None:
        """No sentence of the page stands word for word in what was added."""
        same = set(sentences(job.target.text)) & set(sentences(text[len(job.target.text) :]))
        return f"{min(same)[:40]!r} was added word for word" if same else None


def _small(text: str, job: Job) -> str:
    """The text with a small letter first, unless it begins with what looks like a name in this page."""
    first = _WORD.match(text)
    if first is None or not first[0].istitle():
        return text
    word = first[0].lower()
    if word in languages.load(job.target.language).stop or word in job.material.synonyms:
        return word[:1] + text[1:]
    named = first[0] in _names(job.target.text) or text[first.end() :].lstrip()[:1].isupper()
    return text if named else word[:1] + text[1:]


@lru_cache(maxsize=8)
def _names(text: str) -> frozenset[str]:
    """Words with a capital after a word without one: not because a sentence begins with them."""
    return frozenset(_NAME.findall(text))


def _chunks(text: str) -> list[str]:
    words = text.split()
    return [" ".join(words[at : at + CHUNK]) for at in range(0, len(words), CHUNK)]
