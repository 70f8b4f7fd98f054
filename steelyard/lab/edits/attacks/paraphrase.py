"""Paraphrase: the page's own sentences once more, in other words and another order."""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import lru_cache

from steelyard import languages
from steelyard.lab.edits.attacks.base import Job
from steelyard.lab.edits.attacks.placement import AppendingAttack, find_sentences, join_units
from steelyard.lab.edits.phrasebook import capitalise
from steelyard.scoring import editions

CHUNK = 12  # words that replace a sentence on a page that has none
SWAPPED = 0.8  # how often a word that has a synonym is replaced
OPENED = 0.25  # how often a sentence gets an opener although its words have changed
_WORD = re.compile(r"[^\W\d_]+")
_NAME = re.compile(r"[^\W\d_A-Z],? ([^\W\d_a-z][^\W\d_]*)")
_VOWELS = frozenset("aeiouyhàâäéèêëîïôöùûüœæ")


class Paraphrase(AppendingAttack):
    """Synonyms, the clauses before and after a comma exchanged, an opener; appended in the page's order."""

    family = "paraphrase"
    units_per_paragraph = 4

    def write_units(self, job: Job) -> Iterator[str]:
        """Rewrite from a random sentence to the end of the page and round again, each time in other words."""
        sentences = split_page(job)
        at = job.rng.randrange(len(sentences))
        while True:
            yield self.rewrite_sentence(sentences[at % len(sentences)], job)
            at += 1

    def rewrite_sentence(self, sentence: str, job: Job) -> str:
        """Use other words; add an opener when none of the words has a synonym, else now and then."""
        text = _swap_clauses(swap_synonyms(sentence, job, SWAPPED), job)
        if text != sentence and job.rng.random() >= OPENED:
            return text
        opener = job.rng.choice(job.texts.lists["paraphrase"]["openers"])
        return f"{opener} {text if opener.endswith(':') else _uncapitalise(text, job)}"

    def find_fault(self, job: Job, text: str) -> str | None:
        """Require that no sentence of the page is repeated word for word in what was added."""
        same = set(find_sentences(job.target.text)) & set(find_sentences(text[len(job.target.text) :]))
        return f"{min(same)[:40]!r} was added word for word" if same else None


def split_page(job: Job) -> list[str]:
    """Return the page's sentences, or pieces of it when it has none."""
    return find_sentences(job.target.text) or join_units(job.target.text.split(), CHUNK)


def swap_synonyms(sentence: str, job: Job, share: float) -> str:
    """Replace this share of the words that have a synonym."""
    agreeing = job.texts.lists["paraphrase"]["clings"]

    def swap(match: re.Match[str]) -> str:
        word = match[0]
        synonyms = job.texts.synonyms.get(word.lower(), ())
        if not synonyms or job.rng.random() >= share:
            return word
        synonym = job.rng.choice(synonyms)
        before = sentence[: match.start()]
        word_before = (before.split() or [""])[-1].lower()
        depends_on_vowel = before.endswith(("'", "’")) or word_before in agreeing
        if depends_on_vowel and (synonym[0] in _VOWELS) != (word[0].lower() in _VOWELS):
            return word  # "a approach", "l'lieu"
        return capitalise(synonym) if word[0].isupper() else synonym

    return _WORD.sub(swap, sentence)


def _swap_clauses(sentence: str, job: Job) -> str:
    """Begin “When it rains, the gauge rises.” with the gauge, and “It rains, and it rises.” with the rising."""
    first, _, second = sentence.partition(", ")
    are_clauses = len(first.split()) > 1 and len(second.split()) > 2
    if not are_clauses or "," in second or sentence[-1] != ".":
        return sentence
    opening, joint = first.split()[0].lower(), second.split()[0]
    if joint in job.texts.lists["paraphrase"]["joining"]:
        return f"{capitalise(second[len(joint) + 1 : -1])}, {joint} {_uncapitalise(first, job)}."
    if opening in job.texts.lists["paraphrase"]["movable"]:
        return f"{capitalise(second[:-1])}, {_uncapitalise(first, job)}."
    return sentence


def _uncapitalise(text: str, job: Job) -> str:
    """Begin with a small letter, unless the first word looks like a name in this page, or may be a noun in German."""
    first = _WORD.match(text)
    if first is None or not first[0].istitle():
        return text
    word, language = first[0].lower(), job.target.language
    is_function_word = word in editions.find_for(language).load_language(language).stop
    if languages.capitalises_nouns(language):
        return word[:1] + text[1:] if is_function_word else text
    is_common = is_function_word or word in job.texts.synonyms
    is_name = first[0] in _find_names(job.target.text) or text[first.end() :].lstrip()[:1].isupper()
    return word[:1] + text[1:] if is_common or not is_name else text


@lru_cache(maxsize=8)
def _find_names(text: str) -> frozenset[str]:
    """Return the words with a capital after a word without one: no sentence begins with them."""
    return frozenset(_NAME.findall(text))
