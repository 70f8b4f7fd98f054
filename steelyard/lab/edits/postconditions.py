"""What must hold of every edited page, checked on every application: a broken edit never reaches a capture."""

from __future__ import annotations

from steelyard.errors import SteelyardError
from steelyard.lab.edits import counted, phrasebook
from steelyard.lab.edits.base import Edit, Edited, Target
from steelyard.lab.edits.controls.duplication import Duplication
from steelyard.lab.edits.controls.keyword_stuffing import KeywordStuffing

# What a block must hold for its edit to be what its name says, and what it must not.
EVIDENCE = {"quotation": ("quotable", 3), "statistics": ("statistic", 6), "cite_sources": ("citation", 3)}
SILENT = {"technical_terms": tuple(family for family, _ in EVIDENCE.values()), "neutral_filler": counted.COUNTED}


class EditBroken(SteelyardError):
    """An edit did not do what it says; the message names the edit and the condition."""

    def __init__(self, edit: str, condition: str) -> None:
        super().__init__(f"the edit {edit} is broken: {condition}; this is a bug of the edit, not of the page")


def check(edit: Edit, target: Target, edited: Edited, *, dose: int) -> Edited:
    """The edited page itself, when all conditions hold; EditBroken otherwise."""
    _kept(edit, target, edited)
    if isinstance(edit, Duplication):
        if edited.blocks != (target.text,):
            raise EditBroken(edit.name, "what was added is not the page itself")
        return edited
    _volume(edit, target, edited, dose)
    _words(edit, target, edited)
    for block in dict.fromkeys(edited.blocks):
        _holds(edit, target, block)
    return edited


def _kept(edit: Edit, target: Target, edited: Edited) -> None:
    expected = target.separator.join((target.text, *edited.blocks))
    if edited.text != expected:
        raise EditBroken(edit.name, "the original is not kept as it was, followed by the blocks and nothing else")


def _volume(edit: Edit, target: Target, edited: Edited, dose: int) -> None:
    each = phrasebook.load(target.language).block_words
    added = len(edited.text.split()) - len(target.text.split())
    if len(edited.blocks) != dose or added != dose * each:
        raise EditBroken(edit.name, f"it added {added} words at dose {dose}, not {dose} x {each}")


def _words(edit: Edit, target: Target, edited: Edited) -> None:
    """Whole words only: of the page's keywords for stuffing, of the phrase book or the page's topics otherwise."""
    if isinstance(edit, KeywordStuffing):
        allowed = frozenset(target.keywords)
    else:
        allowed = phrasebook.vocabulary(target.language) | frozenset(target.topics)
    for block in dict.fromkeys(edited.blocks):
        strange = [w for w in phrasebook.words(block) if w not in allowed]
        if strange:
            raise EditBroken(edit.name, f"{strange[0]!r} is neither a word of the page nor of the phrase book")


def _holds(edit: Edit, target: Target, block: str) -> None:
    """A lever holds the evidence it is named after; the filler, and jargon as far as evidence goes, hold nothing."""
    if edit.name in EVIDENCE:
        family, least = EVIDENCE[edit.name]
        held = counted.number(block, target.language, family)
        if held < least:
            raise EditBroken(edit.name, f"a block holds {held} different matches of {family}, not {least}")
    if edit.name in SILENT:
        found = counted.first(block, target.language, SILENT[edit.name])
        if found:
            raise EditBroken(edit.name, f"a block holds a match of {found[0]}: {found[1]!r}")
