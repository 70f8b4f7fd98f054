"""Invariances: changes of form after which a page says the same. Rows beside the gates, which count for no verdict."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass

from steelyard import languages
from steelyard.lab.edits.base import NothingToChange, Target
from steelyard.lab.edits.topics import open_text

CAPITAL_MONTHS = ("en", "de")
_DOUBLE = re.compile(r'"([^"\n]{1,400})"')
_SENTENCE_END = re.compile(r"(?<=[.!?])\s+")
_ISO_DATE = re.compile(r"\b((?:19|20)[0-9]{2})-(0[1-9]|1[0-2])-(0[1-9]|[12][0-9]|3[01])\b")


def lower_case(target: Target) -> str:
    """Return the text in lower case."""
    return target.text.lower()


def turn_quotes(target: Target) -> str:
    """Return the text with typographic quotation marks and apostrophes for straight ones, or the reverse."""
    if '"' in target.text or "'" in target.text:
        return _DOUBLE.sub("“\\1”", target.text).replace("'", "’")
    return target.text.translate({ord("“"): '"', ord("”"): '"', ord("’"): "'", ord("‘"): "'"})


def double_spaces(target: Target) -> str:
    """Return the text with two spaces after each sentence, and one at the end of each line."""
    return re.sub(r"(?<=[.!?]) (?=\S)", "  ", target.text).replace("\n", " \n") + "\n"


def reverse_paragraphs(target: Target) -> str:
    """Return the paragraphs from last to first; where there is one alone, its sentences."""
    paragraphs = target.text.strip().split("\n\n")
    if len(paragraphs) > 1:
        return "\n\n".join(reversed(paragraphs))
    return " ".join(reversed(_SENTENCE_END.split(target.text.strip())))


def strip_marks(target: Target) -> str:
    """Return what a reader of the Markdown sees."""
    return open_text(target.text, target.language).text


def write_dates_out(target: Target) -> str:
    """Return the text with dates such as 2026-03-01 as 1 March 2026."""
    months = [max(names.split(), key=len) for names in languages.read_settings(target.language)["months"]]
    if target.language in CAPITAL_MONTHS:
        months = [month.capitalize() for month in months]
    return _ISO_DATE.sub(lambda date: f"{int(date[3])} {months[int(date[2]) - 1]} {date[1]}", target.text)


CHANGES: Mapping[str, Callable[[Target], str]] = {
    "letter case": lower_case,
    "quotation marks": turn_quotes,
    "white space": double_spaces,
    "paragraph order": reverse_paragraphs,
    "Markdown or plain text": strip_marks,
    "date format": write_dates_out,
}


@dataclass(frozen=True, slots=True)
class Invariance:
    """A variant of a page that says the same in another form."""

    form: str

    @property
    def name(self) -> str:
        return f"same: {self.form}"

    def apply(self, target: Target, *, seed: int, arm: str) -> str:
        """Return the changed text.

        Raises:
            NothingToChange: The page says it in this form only.
        """
        text = CHANGES[self.form](target)
        if text == target.text:
            raise NothingToChange(f"nothing to change: {self.form}")
        return text


INVARIANCES = tuple(map(Invariance, CHANGES))
NAMES = frozenset(change.name for change in INVARIANCES)
