"""What must hold of every edited page, checked on every application: a broken edit never reaches a capture."""

from __future__ import annotations

from steelyard.base.errors import SteelyardError
from steelyard.edits import phrasebook
from steelyard.edits.base import Edit, Edited, Target
from steelyard.edits.controls.duplication import Duplication
from steelyard.edits.controls.keyword_stuffing import KeywordStuffing
from steelyard.edits.controls.neutral_filler import NeutralFiller
from steelyard.packs import pack
from steelyard.text.document import Document, Source

# Everything that earns or costs a component or the freshness a point when it is found.
COUNTED = (
    "quotable", "statistic", "citation", "entity", "factual_claim", "subject", "transition", "opener", "register",
    "freshness_date", "freshness_temporal", "freshness_update",
)  # fmt: skip


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
    if isinstance(edit, NeutralFiller):
        for block in dict.fromkeys(edited.blocks):
            _silent(edit, target, block)
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


def _silent(edit: Edit, target: Target, block: str) -> None:
    doc = Document(Source(block), pack.load(target.language))
    for family in COUNTED:
        found = doc.find(family)
        if found:
            shown = doc.text[found[0].start : found[0].end]
            raise EditBroken(edit.name, f"the filler holds a match of {family}: {shown!r}")
