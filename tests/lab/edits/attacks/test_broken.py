"""An attack that does not do what it says is refused, with the condition that does not hold."""

from __future__ import annotations

import random

import pytest

from steelyard.lab.edits.attacks.base import HEAVY, LIGHT, Attack, Job
from steelyard.lab.edits.attacks.homoglyphs import Homoglyphs
from steelyard.lab.edits.attacks.paraphrase import Paraphrase
from steelyard.lab.edits.attacks.placement import (
    append_blocks,
    cut_unit,
    find_prose,
    find_sentence_ends,
    find_sentences,
    find_word_gaps,
    insert_pieces,
)
from steelyard.lab.edits.attacks.stuffing import Stuffing, write_keyword_block
from steelyard.lab.edits.attacks.zero_width import ZeroWidth
from steelyard.lab.edits.postconditions import EditBroken
from tests.lab.edits.pages import targets


class Share(Stuffing):
    """A block of this share of the page, whatever the strength."""

    def __init__(self, share: float) -> None:
        self.share = share

    def rewrite(self, job: Job) -> str:
        return append_blocks(job, [write_keyword_block(job, round(self.share * job.page_words))])


class Loses(Stuffing):
    def rewrite(self, job: Job) -> str:
        return " ".join(super().rewrite(job).split()[1:])


class Swaps(Stuffing):
    def rewrite(self, job: Job) -> str:
        first, second, *rest = super().rewrite(job).split()
        return " ".join((second, first, *rest))


class Truncates(Stuffing):
    def rewrite(self, job: Job) -> str:
        return append_blocks(job, [" ".join(job.target.keywords[0][:-1] + "qz" for _ in range(job.wanted_words))])


class AddsOne(Homoglyphs):
    def rewrite(self, job: Job) -> str:
        return super().rewrite(job) + " x"


class NoLookalike(Homoglyphs):
    def rewrite(self, job: Job) -> str:
        return job.target.text.replace("e", "ж")


class AllOfThem(Homoglyphs):
    def rewrite(self, job: Job) -> str:
        return job.target.text.replace("e", "е").replace("o", "о").replace("a", "а")


class Unsplit(ZeroWidth):
    def _split(self, word: str, rng: random.Random) -> str:
        return word


class WordForWord(Paraphrase):
    def rewrite_sentence(self, sentence: str, job: Job) -> str:
        return sentence


@pytest.mark.parametrize(
    ("attack", "strength", "condition"),
    [
        (Share(0.2), LIGHT, "not light"),
        (Share(0.05), LIGHT, "not light"),
        (Share(0.33), HEAVY, "not heavy"),
        (Loses(), LIGHT, "lost, changed or moved"),
        (Swaps(), LIGHT, "lost, changed or moved"),
        (Truncates(), LIGHT, "neither a word of the pages"),
        (AddsOne(), LIGHT, "a letter was added"),
        (NoLookalike(), LIGHT, "does not look like"),
        (AllOfThem(), LIGHT, "it rewrote"),
        (Unsplit(), LIGHT, "nothing splits"),
        (WordForWord(), LIGHT, "word for word"),
    ],
    ids=lambda value: getattr(value, "name", None),
)
def test_a_broken_attack_never_reaches_the_benchmark(attack: Attack, strength: str, condition: str):
    with pytest.raises(EditBroken, match=condition):
        attack.apply(targets("en")[0], strength)


PAGE = """---
title: The tide. The ledger.
---

# A heading. With stops.

The keeper reads the gauge. He writes, e.g. at noon, the level 4.5 down.

| a table. | Of cells. |

```
code. With stops.
```

1. An item of a list that ends here.
- **Bold** words. And these plain ones stand after them.

    indented code. Here.
"""


def test_sentences_and_gaps_are_found_in_prose_and_nowhere_else():
    ends = [PAGE[:end].rsplit(maxsplit=1)[-1] for end in find_sentence_ends(PAGE)]
    assert ends == ["gauge.", "down.", "here.", "words.", "them."]
    prose, gaps = list(find_prose(PAGE)), find_word_gaps(PAGE)
    assert len(prose) == 3
    assert all(PAGE[gap] == " " and any(a < gap < b for a, b in prose) for gap in gaps)
    assert find_sentences(PAGE) == [
        "The keeper reads the gauge.",
        "He writes, e.g. at noon, the level 4.5 down.",
        "An item of a list that ends here.",
        "And these plain ones stand after them.",
    ]


def test_pieces_stand_at_their_places_in_their_order():
    assert insert_pieces("a b c", [(1, "x"), (3, "y"), (1, "z")]) == "a x z b y c"
    assert insert_pieces("a", [(1, "x")]) == "a x"


def test_a_unit_that_is_cut_loses_its_tags_and_ends_as_a_sentence():
    assert cut_unit('<span style="display:none">one two, three</span>', 2) == "one two."
    assert cut_unit("<!-- one two three -->", 2) == "one two."
