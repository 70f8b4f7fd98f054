"""What must hold for every page. Each check yields pairs of its name and what it saw."""

from __future__ import annotations

from collections.abc import Iterator

Problems = Iterator[tuple[str, str]]
