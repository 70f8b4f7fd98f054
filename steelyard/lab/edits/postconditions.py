"""What must hold for every edited page, checked on every application: a broken edit never reaches a capture."""

from __future__ import annotations

import re
from collections import Counter

from steelyard.components.quotable_density import FAMILIES as QUOTABLE
from steelyard.errors import SteelyardError
from steelyard.lab.edits import phrasebook
from steelyard.lab.edits.base import Edit, EditedPage, Target
from steelyard.lab.edits.controls import book
from steelyard.lab.edits.controls.base import Control
from steelyard.lab.edits.controls.matched import MatchedBlock
from steelyard.lab.edits.controls.own_words import Duplication, KeywordStuffing, OwnSentences
from steelyard.lab.edits.controls.short_block import PART, SENTENCES, ShortBlock
from steelyard.lab.edits.phrasebook import capitalise, count_words, split_words
from steelyard.lab.edits.rearrangements import FORM, HEADINGS, MovedSentence, OwnHeadings, Rearrangement
from steelyard.lab.edits.topics import COUNTED, count_matches, find_counted

# Blocks stand after the page, like another of its paragraphs, except for these: after a blank line, before the page.
BLANK_LINE = "\n\n"
PARTED = ("filler_paragraph", "sub_headings", "bullet_list", "table", "summary_first")
LEADING = ("summary_first",)

# What a block must contain for its edit to be what its name says, by the names that editions have for it.
EVIDENCE = {
    "quotation": (("quotable", "quotation"), 3),
    "statistics": (("statistic",), 6),
    "cite_sources": (("citation",), 3),
    "visible_date": (("freshness_date",), 1),
    "update_note": (("freshness_update",), 1),
}
SHAPES = {
    "sub_headings": (re.compile(r"^## \w.*\n\n\w", re.MULTILINE), 3),
    "bullet_list": (re.compile(r"^- \w", re.MULTILINE), 3),
    "table": (re.compile(r"^\| .* \|$|^\|(?:---\|)+$", re.MULTILINE), 5),
}
DATED = {"visible_date": ("freshness_date",), "update_note": ("freshness_date", "freshness_update")}
# And what it must not.
SILENT = {
    "technical_terms": (*QUOTABLE, "statistic", "citation"),
    **dict.fromkeys(("neutral_filler", "off_topic_prose", "on_topic_prose", *PARTED), COUNTED),
    # A date is an entity too: those inside a match of freshness_date are allowed, and no others.
    **{name: tuple(f for f in COUNTED if f not in ("entity", *held)) for name, held in DATED.items()},
}


class EditBroken(SteelyardError):
    """An edit did not do what it promises; the message names the edit and the condition."""

    def __init__(self, edit: str, condition: str) -> None:
        super().__init__(f"the edit {edit} is broken: {condition}; this is a bug of the edit, not of the page")


def check_edit(edit: Edit, target: Target, edited: EditedPage, *, dose: int) -> EditedPage:
    """Return the edited page itself when all conditions hold.

    Raises:
        EditBroken: A condition does not hold.
    """
    separator = BLANK_LINE if edit.name in PARTED else target.separator
    before, after = (edited.blocks, ()) if edit.name in LEADING else ((), edited.blocks)
    if edited.text != separator.join((*before, target.text, *after)):
        side = "after" if before else "followed by"
        raise EditBroken(edit.name, f"the original is not kept as it was, {side} the blocks and nothing else")
    if isinstance(edit, Duplication):
        if edited.blocks != (target.text,):
            raise EditBroken(edit.name, "what was added is not the page itself")
        return edited
    _check_volume(edit, target, edited, dose)
    for block in dict.fromkeys(edited.blocks):
        _check_words(edit, target, block)
        _check_evidence(edit, target, block)
    return edited


def _check_volume(edit: Edit, target: Target, edited: EditedPage, dose: int) -> None:
    if isinstance(edit, ShortBlock):
        added, page = count_words(edited.text) - count_words(target.text), count_words(target.text)
        if dose != 1 or not 0 < PART * added <= page:
            raise EditBroken(edit.name, f"it added {added} words to {page}, more than a third")
        return
    each = phrasebook.load(target.language).block_words
    added = count_words(edited.text) - count_words(target.text)
    if len(edited.blocks) != dose or added != dose * each:
        raise EditBroken(edit.name, f"it added {added} words at dose {dose}, not {dose} x {each}")


def _check_words(edit: Edit, target: Target, block: str) -> None:
    """Refuse other words than the page's keywords for stuffing, else than those of the phrase book and the topics."""
    edit = edit.whole if isinstance(edit, ShortBlock) else edit
    if isinstance(edit, KeywordStuffing):
        allowed = frozenset(map(str.lower, target.keywords))
    elif isinstance(edit, OwnSentences):
        allowed = frozenset(split_words(target.text))
    elif isinstance(edit, Control | MatchedBlock):
        allowed = book.load_vocabulary(target.language) | frozenset(map(str.lower, target.topics))
    else:
        allowed = phrasebook.load_vocabulary(target.language) | frozenset(map(str.lower, target.topics))
    unknown = [word for word in split_words(block) if word not in allowed]
    if unknown:
        raise EditBroken(edit.name, f"{unknown[0]!r} is neither a word of the page nor of the phrase book")


def _check_evidence(edit: Edit, target: Target, block: str) -> None:
    """Refuse a lever without what it is named after, and filler, structure and jargon that the score would count."""
    if isinstance(edit, ShortBlock):
        _check_short(edit, target, block)
        return
    if isinstance(edit, MatchedBlock):
        _check_matched(edit, target, block)
    if edit.name in EVIDENCE:
        families, least = EVIDENCE[edit.name]
        held = count_matches(block, target.language, families)
        if held < least:
            raise EditBroken(edit.name, f"a block holds {held} different matches of {families[0]}, not {least}")
    if edit.name in SHAPES:
        pattern, least = SHAPES[edit.name]
        held = len(pattern.findall(block))
        if held < least:
            raise EditBroken(edit.name, f"a block holds {held} lines of its shape, not {least}")
    if edit.name in SILENT:
        match = find_counted(block, target.language, SILENT[edit.name])
        if edit.name in DATED and not match:
            match = find_counted(block, target.language, ("entity",), outside="freshness_date")
        if match:
            raise EditBroken(edit.name, f"a block holds a match of {match[0]}: {match[1]!r}")


def _check_matched(edit: MatchedBlock, target: Target, block: str) -> None:
    """A lever's wording holds what the lever is named after, and its control none of it."""
    families, least = EVIDENCE.get(edit.lever, ((), 0))
    held = count_matches(block, target.language, families)
    if edit.inert and held:
        raise EditBroken(edit.name, f"a block without {edit.lever} holds {held} matches of {families[0]}")
    if not edit.inert and held < least:
        raise EditBroken(edit.name, f"a block holds {held} different matches of {families[0]}, not {least}")


def _check_short(edit: ShortBlock, target: Target, block: str) -> None:
    """A short block is the beginning of the whole one, with its part of the evidence, or a control's lack of it."""
    whole = edit.whole.apply(target).blocks[0]
    if not whole.startswith(block):
        raise EditBroken(edit.name, "it is not the beginning of the whole block")
    if isinstance(edit.whole, MatchedBlock):
        families, least = EVIDENCE.get(edit.whole.lever, ((), 0))
        held, least = count_matches(block, target.language, families), least * edit.count(target) // SENTENCES
        if held if edit.whole.inert else held < least:
            raise EditBroken(edit.name, f"a block holds {held} different matches of {families[0]}")


def check_rearrangement(edit: Rearrangement, target: Target, text: str) -> str:
    """Return the rearranged page itself when it has the page's words and no others, and the form that its name says.

    Raises:
        EditBroken: A condition does not hold.
    """
    lines = text.split("\n")
    marks = [line for line in lines if FORM.match(line)]
    body = lines
    if isinstance(edit, OwnHeadings):
        terms = {capitalise(topic) for topic in target.topics}
        headings = [line for line in lines if line.strip("#* ") in terms]
        if not 2 <= len(headings) <= HEADINGS:
            raise EditBroken(edit.name, f"{len(headings)} headings are terms of the page")
        body = [line for line in lines if line not in headings]
    page, held = split_words(target.text), split_words("\n".join(body))
    if isinstance(edit, MovedSentence):
        first = split_words(lines[0])
        at = next((i for i in range(1, len(page)) if page[i : i + len(first)] == first), len(page))
        page = [*first, *page[:at], *page[at + len(first) :]]  # the first place where its words stand
        if Counter(held) == Counter(page) and held[: len(first)] == first:
            page = held  # a sentence that the page has twice was moved from the second place
    if held != page:
        raise EditBroken(edit.name, "its words are not those of the page")
    marked = edit.template > 0 if isinstance(edit, MovedSentence) else not edit.inert
    if bool(marks) != marked:
        raise EditBroken(edit.name, f"{len(marks)} lines have a mark")
    return text
