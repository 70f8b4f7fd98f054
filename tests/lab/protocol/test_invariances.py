"""Changes of form say the same in another form, and only that."""

from __future__ import annotations

import pytest

from steelyard.lab.edits.base import Target
from steelyard.lab.protocol.invariances import CHANGES, INVARIANCES
from tests.lab.edits.pages import targets

CASES = [
    ("letter case", "The Harbour.", "the harbour."),
    ("quotation marks", '"Yes," it\'s so.', "“Yes,” it’s so."),
    ("quotation marks", "“Yes,” it’s so.", '"Yes," it\'s so.'),
    ("white space", "One. Two.", "One.  Two.\n"),
    ("paragraph order", "One. Two! Three?", "Three? Two! One."),
    ("paragraph order", "# A\n\nB\n\nC", "C\n\nB\n\n# A"),
    ("Markdown or plain text", "A **bold** [link](https://a.org).", "A bold link."),
    ("date format", "On 2026-03-01 and 2025-12-31.", "On 1 March 2026 and 31 December 2025."),
    ("date format", "No date, 12026-03-01.", "No date, 12026-03-01."),
]


@pytest.mark.parametrize(("form", "before", "after"), CASES)
def test_a_change_does_what_it_is_called(form: str, before: str, after: str):
    assert CHANGES[form](Target(before)) == after


@pytest.mark.parametrize("language", ["en", "fr", "de", "es"])
def test_changes_keep_the_words(language: str):
    for target in targets(language):
        for change in INVARIANCES:
            text = CHANGES[change.form](target)
            if change.form not in ("Markdown or plain text", "date format"):
                plain = str.maketrans("“”’", '""\'')
                marks = [sorted(t.lower().translate(plain).split()) for t in (target.text, text)]
                assert marks[0] == marks[1], (change.form, target.text[:60])


def test_a_date_is_written_in_the_language_of_the_page():
    assert CHANGES["date format"](Target("Le 2026-08-15.", "fr")) == "Le 15 août 2026."
