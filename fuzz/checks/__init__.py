"""Checks of what must hold for every page. Each yields pairs of its name and what it saw."""

from __future__ import annotations

from collections.abc import Iterator

Problems = Iterator[tuple[str, str]]
