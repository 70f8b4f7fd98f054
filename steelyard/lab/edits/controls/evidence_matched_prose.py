"""Evidence-matched prose: as many names, figures, quotations and sources per word as the page has, and no more."""

from __future__ import annotations

import random
from collections.abc import Iterator, Mapping
from functools import lru_cache
from itertools import cycle

from steelyard.components import BY_NAME
from steelyard.lab.edits import phrasebook
from steelyard.lab.edits.base import REPEAT, EditedPage, Target
from steelyard.lab.edits.controls import book
from steelyard.lab.edits.controls.base import Control
from steelyard.lab.edits.phrasebook import TOPICS
from steelyard.lab.edits.topics import open_text

# What is counted of a page, by the component that counts it and its name in the formula.
COUNTS = {
    "quotation": ("quotable_density", "q"),
    "citation": ("citation_f1", "C"),
    "statistic": ("statistic_density", "S"),
    "name": ("entity_density", "E"),
}
PERCENTAGES = range(3, 98)


class EvidenceMatchedProse(Control):
    """Sentences of twelve words with new evidence in each block, at the page's own density of every kind.

    A block has room for six pieces, of which two in a sentence can be names; denser pages are not matched in full.
    """

    def write_block(self, target: Target, rng: random.Random) -> str:
        return self.write_fresh_blocks(target, 1, rng)[0]

    def apply(self, target: Target, *, dose: int = 1, seed: int = 0, arm: str = REPEAT) -> EditedPage:
        """Add `dose` blocks, all of them new: repeated evidence counts once, so its density would fall."""
        blocks = self.write_fresh_blocks(target, dose, self.seed_rng(target, seed))
        return EditedPage(self.join(target.text, blocks, target.separator), blocks)

    def write_fresh_blocks(self, target: Target, dose: int, rng: random.Random) -> tuple[str, ...]:
        control, counts = book.load(target.language), count_evidence(target.text, target.language)
        words = phrasebook.load(target.language).block_words
        # Each value once; a page that is full of figures needs all of them, and then the first ones again.
        values = {
            slot: cycle(reversed(rng.sample(listed, len(listed))))
            for slot, listed in (
                ("person", control.persons),
                ("body", control.bodies),
                ("percent", tuple(map(str, PERCENTAGES))),
            )
        }
        sentences = {kind: rng.sample(found, len(found)) for kind, found in control.evidence.items()}
        used = dict.fromkeys(sentences, 0)
        owed, blocks = dict.fromkeys(COUNTS, 0.0), []
        for _ in range(dose):
            for kind in COUNTS:
                owed[kind] += counts[kind] * words / counts["words"]
            lines = []
            for kind in plan_block(owed):
                template = sentences[kind][used[kind] % len(sentences[kind])]
                shift = used[kind] // len(sentences[kind])  # the same sentence returns about another topic
                topics = {slot: target.topics[(i + shift) % len(target.topics)] for i, slot in enumerate(TOPICS)}
                used[kind] += 1
                lines.append(_fill(template, topics, values))
            rng.shuffle(lines)
            blocks.append(" ".join(lines))
        return tuple(blocks)


def plan_block(owed: dict[str, float]) -> list[str]:
    """Return the kinds of the sentences of a block, and take what they hold from what is owed."""
    kinds: list[str] = []
    for kind in ("quotation", "citation", "statistic"):
        number = min(round(owed[kind]), book.SENTENCES - len(kinds))
        kinds += [kind] * number
        owed[kind] -= number
        if kind != "statistic":  # a speaker and an institute are names, too
            owed["name"] -= number
    while len(kinds) < book.SENTENCES:
        left = book.SENTENCES - len(kinds)
        names = max(0, round(owed["name"]))
        kind = "names" if names > left else "name" if names else "plain"
        owed["name"] -= {"names": 2, "name": 1, "plain": 0}[kind]
        kinds.append(kind)
    return kinds


@lru_cache(maxsize=64)
def count_evidence(text: str, language: str) -> Mapping[str, float]:
    """Return how many different pieces of evidence of each kind a text has, and its words."""
    doc = open_text(text, language)
    counts = {kind: float(BY_NAME[component].count(doc).parts[symbol]) for kind, (component, symbol) in COUNTS.items()}
    return {**counts, "words": float(max(1, len(text.split())))}


def _fill(template: str, topics: Mapping[str, str], values: Mapping[str, Iterator[str]]) -> str:
    return phrasebook.SLOT.sub(lambda m: topics.get(m[1]) or next(values[m[1]]), template)
