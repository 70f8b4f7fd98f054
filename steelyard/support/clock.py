"""The date of a run, resolved once: the argument, else STEELYARD_AS_OF, else today's UTC date."""

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
    if value is not None:
        return _parse_date(value, "as_of")
    if os.environ.get(VARIABLE):
        return _parse_date(os.environ[VARIABLE], VARIABLE)
    return datetime.now(UTC).date()


def _parse_date(value: str, where: str) -> date:
    try:
        return date.fromisoformat(value)
    except (ValueError, TypeError) as error:
        raise InvalidDate(value, where) from error
