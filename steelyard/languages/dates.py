"""The words for dates in all languages together: a page's dates are read before its language is known."""

from __future__ import annotations

from functools import cache

from steelyard.languages.language import CODES, read_settings, read_toml
from steelyard.text.dates import DateWords


@cache
def load_date_words() -> DateWords:
    """Load the names of the months and the labels of dates of every language."""
    months = {
        name: number
        for code in CODES
        for number, names in enumerate(read_settings(code)["months"], start=1)
        for name in names.split()
    }
    lists = [read_toml(code, "dates.toml") for code in CODES]
    published, updated, others, of = (
        tuple(dict.fromkeys(word for words in lists for word in words[key]))
        for key in ("published", "updated", "others", "of")
    )
    english = {word for words in lists[:1] for key in ("published", "updated") for word in words[key]}  # it comes first
    day_first = tuple(word for word in (*published, *updated) if word not in english)
    return DateWords(tuple(months.items()), published, updated, others, of, day_first)
