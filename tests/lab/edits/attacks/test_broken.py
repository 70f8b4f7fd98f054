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


class TooMuch(Stuffing):
    def rewrite(self, job: Job) -> str:
        return append_blocks(job, [write_keyword_block(job, job.page_words // 5)])


class TooLittle(Stuffing):
    def rewrite(self, job: Job) -> str:
        return append_blocks(job, [write_keyword_block(job, job.page_words // 20)])


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
    ("attack", "condition"),
    [
        (TooMuch(), "not light"),
        (TooLittle(), "not light"),
        (Loses(), "lost, changed or moved"),
        (Swaps(), "lost, changed or moved"),
        (Truncates(), "neither a word of the pages"),
        (AddsOne(), "a letter was added"),
        (NoLookalike(), "does not look like"),
        (AllOfThem(), "it rewrote"),
        (Unsplit(), "nothing splits"),
        (WordForWord(), "word for word"),
    ],
    ids=lambda value: getattr(value, "name", None),
)
def test_a_broken_attack_never_reaches_the_benchmark(attack: Attack, condition: str):
    with pytest.raises(EditBroken, match=condition):
        attack.apply(targets("en")[0], LIGHT)


def test_a_heavy_attack_that_is_light_is_broken():
    class Weak(Stuffing):
        def rewrite(self, job: Job) -> str:
            return append_blocks(job, [write_keyword_block(job, job.page_words // 3)])

    with pytest.raises(EditBroken, match="not heavy"):
        Weak().apply(targets("en")[0], HEAVY)


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


def test_sentences_end_in_prose_and_nowhere_else():
    assert [PAGE[:end].rsplit(maxsplit=1)[-1] for end in find_sentence_ends(PAGE)] == [
        "gauge.",
        "down.",
        "here.",
        "words.",
        "them.",
    ]


def test_gaps_are_between_words_of_prose():
    lines = [PAGE[a:b] for a, b in find_prose(PAGE)]
    assert len(lines) == 3
    gaps = find_word_gaps(PAGE)
    assert all(PAGE[gap] == " " for gap in gaps)
    assert all(any(a < gap < b for a, b in find_prose(PAGE)) for gap in gaps)


def test_sentences_come_without_markup_bullets_and_numbers():
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
