"""The sentences of the controls: data beside the phrase book, whose slots they use, checked when they are loaded."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from itertools import chain, product

from steelyard import languages
from steelyard.errors import InvalidFile
from steelyard.lab.edits import phrasebook
from steelyard.lab.edits.base import NothingToChange
from steelyard.lab.edits.phrasebook import LANGUAGES, Phrasebook, Positions, collect_vocabulary, count_words

FILE = "controls.toml"
KINDS = ("plain", "name", "names", "statistic", "quotation", "citation")
SENTENCES = 6  # of evidence-matched prose in a block
TEMPLATES = 4  # of each matched block
ACTIVE, INERT = 0, 1  # of a pair: the sentence of the lever, and the same one without what the lever is named after

Pair = tuple[str, str]


@dataclass(frozen=True, slots=True)
class ControlBook:
    """Prose by the name of its control, sentences by the evidence they hold, and pairs of sentences by lever."""

    prose: Phrasebook
    evidence: Mapping[str, tuple[str, ...]]
    persons: tuple[str, ...]
    bodies: tuple[str, ...]
    pairs: Mapping[str, tuple[tuple[Pair, ...], ...]]  # by lever, then by place in the block, then by template


def list_languages() -> tuple[str, ...]:
    """Return the languages that have controls."""
    return tuple(code for code in LANGUAGES if languages.has_file(code, "edits", FILE))


@cache
def load(language: str) -> ControlBook:
    """Read and check the controls of a language, once per process.

    Raises:
        NothingToChange: The language has none.
        InvalidFile: A sentence has another number of words than the others in its place, or a slot is unknown.
    """
    if language not in list_languages():
        raise NothingToChange(f"there are no controls in {language!r}, only in {', '.join(list_languages())}")
    data = languages.read_toml(language, "edits", FILE)
    blocks = languages.read_toml(language, "edits", "blocks.toml")
    shared = {key: blocks[key] for key in ("block_words", "slots", "numbers")}
    prose = phrasebook.parse(language, shared | {name: data[name] for name in ("off_topic_prose", "on_topic_prose")})
    names = data["evidence_matched_prose"]["people"]
    book = ControlBook(
        prose,
        {kind: tuple(data["evidence_matched_prose"][kind]) for kind in KINDS},
        tuple(f"{first} {last}" for first, last in product(names["first"], names["last"])),
        tuple(names["last"]),
        {
            lever: tuple(tuple((active, inert) for active, inert in place) for place in entry["pairs"])
            for lever, entry in data["matched"].items()
        },
    )
    _check(language, book)
    return book


@cache
def load_vocabulary(language: str) -> frozenset[str]:
    """Return every word, in lower case, that a control can write without its being the page's own."""
    book = load(language)
    prose: Positions = tuple(place for edit in book.prose.sentences.values() for place in edit)
    pairs = (sentence for places in book.pairs.values() for place in places for pair in place for sentence in pair)
    templates = [*chain.from_iterable(prose), *chain.from_iterable(book.evidence.values()), *pairs, *book.persons]
    return collect_vocabulary(templates, book.prose.slots)


def _check(language: str, book: ControlBook) -> None:
    """Check the words of every sentence: blocks must be as long as those of every other edit."""
    each = book.prose.block_words // SENTENCES
    for kind, sentences in book.evidence.items():
        for sentence in sentences:
            if _count(book, sentence) != each:
                raise InvalidFile(f"{language}: {kind}", f"{sentence!r} has {_count(book, sentence)} words, not {each}")
    for lever, places in book.pairs.items():
        where = f"{language}: matched.{lever}"
        for template in range(TEMPLATES):
            pairs = [place[template] for place in places]
            total = sum(_count(book, active) for active, _ in pairs)
            if total != book.prose.block_words:
                raise InvalidFile(where, f"block {template + 1} has {total} words, not {book.prose.block_words}")
            for active, inert in pairs:
                if _count(book, active) != _count(book, inert):
                    raise InvalidFile(where, f"{inert!r} has not as many words as its lever's sentence")


def _count(book: ControlBook, sentence: str) -> int:
    slots = book.prose.slots
    fixed = {**dict.fromkeys((*phrasebook.TOPICS, *slots.ranges), "1"), **{s: v[0] for s, v in slots.values.items()}}
    return count_words(phrasebook.SLOT.sub(lambda match: fixed[match[1]], sentence))
