"""Accents written as two characters, composed into one, with the way back to the offsets of the text as it was."""

from __future__ import annotations

import re
import unicodedata
from functools import cache
from itertools import groupby

from steelyard.text.characters import IS_OWN, LETTER, read_compositions, read_orders
from steelyard.text.view import View

_CLUSTER = re.compile(rf"{LETTER}[\u0300-\u036f]{{1,8}}")


def compose(text: str) -> View:
    """Compose every letter with the accents that follow it, where there is one character for them."""
    if unicodedata.is_normalized("NFC", text):
        return View(text)
    pieces: list[str] = []
    view_starts, source_starts = [0], [0]
    length = at = 0
    for cluster in _CLUSTER.finditer(text):
        whole = unicodedata.normalize("NFC", cluster[0]) if IS_OWN else compose_cluster(cluster[0])
        if len(whole) == len(cluster[0]):
            continue
        pieces += [text[at : cluster.start()], whole]
        length += cluster.start() - at + len(whole)
        at = cluster.end()
        view_starts.append(length)
        source_starts.append(at)
    return View("".join([*pieces, text[at:]]), view_starts, source_starts)


@cache
def _load() -> tuple[dict[str, tuple[str, str | None]], dict[tuple[str, str], str], dict[str, int]]:
    """Return the parts of each character, the whole of each pair that composes, and the order of the accents."""
    parts: dict[str, tuple[str, str | None]] = {}
    wholes: dict[tuple[str, str], str] = {}
    for base, accent, whole, is_made in read_compositions():
        parts[whole] = base, accent
        if is_made and accent is not None:
            wholes[base, accent] = whole
    return parts, wholes, read_orders()


def compose_cluster(cluster: str) -> str:
    """Compose a letter and its accents by the tables, as NFC does."""
    parts, wholes, orders = _load()

    def decompose(character: str) -> str:
        if character not in parts:
            return character
        base, accent = parts[character]
        return decompose(base) + (decompose(accent) if accent else "")

    whole: list[str] = []
    starter, between = 0, 0  # the place that composes, and the order of the last accent after it that stayed
    for character in _sort_accents("".join(map(decompose, cluster)), orders):
        order = orders.get(character, 0)
        joined = wholes.get((whole[starter], character)) if whole and (not between or between < order) else None
        if joined is not None:
            whole[starter] = joined
            continue
        whole.append(character)
        starter, between = (starter, order) if order else (len(whole) - 1, 0)
    return "".join(whole)


def _sort_accents(text: str, orders: dict[str, int]) -> list[str]:
    """Return the characters with each run of accents in its order."""
    runs = groupby(text, key=lambda c: orders.get(c, 0) > 0)
    return [c for are_accents, run in runs for c in (sorted(run, key=lambda c: orders[c]) if are_accents else run)]
