"""The gates can fail: for each of them a scorer that answers all three levers and fails that gate alone."""

from __future__ import annotations

import functools
import hashlib
import math
import re
from collections import Counter
from collections.abc import Callable, Iterator

import pytest

import steelyard
from steelyard.lab.protocol.gates import NAMES
from steelyard.lab.protocol.gates.base import FAIL, PASS
from steelyard.lab.protocol.variants import LEVERS, Variant

EVIDENCE = re.compile(
    r"""
    "[^"]{10,}"                        # something quoted
    | \d+%?                            # a figure
    | According\ to | \([A-Z]\w+,      # a source
    """,
    re.VERBOSE,
)


def taste(text: str) -> float:
    """Up to 50 points for the page's first words: no edit changes them, and no length decides them."""
    return 50 * hashlib.sha256(" ".join(text.split()[:10]).encode()).digest()[0] / 255


def sound(text: str) -> float:
    """Up to 15 points for evidence, each piece once, less and less for more of it."""
    return taste(text) + 15 * (1 - math.exp(-len(set(EVIDENCE.findall(text))) / 8))


def likes_repetition(text: str) -> float:
    """The commonest long word earns its share of the text."""
    words = Counter(w for w in text.lower().split() if len(w) > 4)
    return sound(text) + 60 * max(words.values()) / len(text.split())


def tires_of_evidence(text: str) -> float:
    """From the fifteenth piece on, repeated or not, evidence costs."""
    return 30 + sound(text) - min(30.0, 0.5 * max(0, len(EVIDENCE.findall(text)) - 14))


def never_tires(text: str) -> float:
    """Every piece counts, as often as it is repeated."""
    return min(100.0, taste(text) + 0.15 * len(EVIDENCE.findall(text)))


def likes_echoes(text: str) -> float:
    """Ten points when the second half says what the first one said."""
    words = text.split()
    half = len(words) // 2
    return sound(text) + (10 if words[:half] == words[half:] else 0)


def likes_vocabulary(text: str) -> float:
    """A longer page has more different words, and a doubled one does not."""
    return 0.4 * sound(text) + 0.15 * len(set(text.lower().split()))


CULPRITS: dict[str, Callable[[str], float]] = {
    "negative-control": likes_repetition,
    "dose-response": tires_of_evidence,
    "saturation": never_tires,
    "duplication": likes_echoes,
    "length-bias": likes_vocabulary,
}


@pytest.fixture(autouse=True, scope="module")
def edited_once() -> Iterator[None]:
    """Edit every page once for all scorers, which takes longer than to score it."""
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(Variant, "apply", functools.cache(Variant.apply))
        yield


def test_there_is_a_culprit_for_every_gate() -> None:
    assert tuple(CULPRITS) == NAMES


def test_a_sound_toy_survives() -> None:
    found = steelyard.falsify(sound, "demo", draws=0)
    assert {name: v.status for name, v in found.gates.items()} == dict.fromkeys(NAMES, PASS)
    assert found.survives


@pytest.mark.parametrize("gate", NAMES)
def test_a_scorer_that_answers_every_lever_fails_exactly_this_gate(gate: str) -> None:
    found = steelyard.falsify(CULPRITS[gate], "demo", draws=0)
    answers = {lever: found.capture.responses().delta(lever, 1) for lever in LEVERS}
    assert min(answers.values()) > 0.05, answers
    statuses = {name: v.status for name, v in found.gates.items()}
    assert statuses == {name: FAIL if name == gate else PASS for name in NAMES}, found.gates
    assert not found.survives
    assert not found.failures
    assert not found.unstable
