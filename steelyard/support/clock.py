"""Resolve the date of a run, once: the argument, else STEELYARD_AS_OF, else today's UTC date."""

from __future__ import annotations

import os
from datetime import UTC, date, datetime

from steelyard.errors import InvalidDate

VARIABLE = "STEELYARD_AS_OF"


def resolve_as_of(value: date | str | None) -> date:
    """Return the date from which a page's age is counted back.

    Raises:
        InvalidDate: The argument or the variable is no ISO date.
    """
    if isinstance(value, datetime):
        return value.date()
    if isinstance(value, date):
        return value
    if value is None and not os.environ.get(VARIABLE):
        return datetime.now(UTC).date()
    text, where = (os.environ[VARIABLE], VARIABLE) if value is None else (value, "as_of")
    try:
        return date.fromisoformat(text)
    except (ValueError, TypeError) as error:
        raise InvalidDate(text, where) from error
