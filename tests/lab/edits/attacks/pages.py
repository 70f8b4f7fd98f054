"""Pages to attack, and the pages that an attack may take sentences from."""

from __future__ import annotations

from functools import cache

from steelyard.lab.edits.attacks.base import Attack
from steelyard.lab.edits.base import Target
from tests.lab.edits.pages import demo, targets


@cache
def donors(language: str) -> tuple[str, ...]:
    """Pages that are not among the attacked ones."""
    attacked = {target.text for target in targets(language)}
    return tuple(page.text for page in demo(language) if page.text not in attacked)[:5]


@cache
def attacked(attack: Attack, target: Target, strength: str, seed: int = 0) -> str:
    """Made once for all tests that look at it."""
    return attack.apply(target, strength, seed=seed, donors=donors(target.language))


def added(attack: Attack, target: Target, strength: str, seed: int = 0) -> str:
    """What stands after the page, for an attack that appends."""
    text = attacked(attack, target, strength, seed)
    assert text.startswith(target.text)
    return text[len(target.text) :]
