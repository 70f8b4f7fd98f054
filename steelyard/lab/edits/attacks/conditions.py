"""What must hold of every attacked page: how much was added, that the page is still in it, that no word is broken."""

from __future__ import annotations

import unicodedata
from typing import TYPE_CHECKING

from steelyard.lab.edits.attacks import material
from steelyard.lab.edits.phrasebook import words
from steelyard.lab.edits.postconditions import EditBroken

if TYPE_CHECKING:
    from steelyard.lab.edits.attacks.base import Attack, Job

LEAST = {"light": 0.10, "heavy": 0.50}
MOST = {"light": 0.15, "heavy": float("inf")}


def check(attack: Attack, job: Job, text: str) -> None:
    """Nothing, when all conditions hold; EditBroken otherwise."""
    broken = attack.broken(job, text)
    if broken:
        raise EditBroken(attack.name, broken)
    added = len(text.split()) - job.words
    if not attack.adds:
        if added:
            raise EditBroken(attack.name, f"it says that it adds nothing and added {added} words")
        return
    share = added / job.words
    if not LEAST[job.strength] <= share <= MOST[job.strength]:
        raise EditBroken(attack.name, f"it added {share:.3f} of the page's words, which is not {job.strength}")
    before, after = attack.plain(job.target.text), attack.plain(text)
    if not in_order(before.split(), after.split()):
        raise EditBroken(attack.name, "a word of the page is lost, changed or moved")
    strange = sorted(set(words(after)) - known(attack, job) - set(words(before)))
    if strange:
        raise EditBroken(attack.name, f"{strange[0]!r} is neither a word of the pages nor of the attacks' own texts")


def in_order(kept: list[str], among: list[str]) -> bool:
    """Whether all of the first stand in the second, in their order, with anything between them."""
    rest = iter(among)
    return all(word in rest for word in kept)


def composed(text: str) -> str:
    """As the keywords and topics are read: an accent or a place to break is part of its word."""
    return unicodedata.normalize("NFC", text.replace("\u00ad", ""))


def known(attack: Attack, job: Job) -> set[str]:
    """The words that an attack may add to a page."""
    pages = (composed(job.target.text), *(job.donors if attack.needs_donors else ()))
    return {word for page in pages for word in words(page)} | material.vocabulary(job.target.language)
