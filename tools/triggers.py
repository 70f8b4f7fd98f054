"""Write what every match of a pattern needs into `languages/xx/EDITION/triggers.json`: `python -m tools.triggers`.

It is read off the expressions alone. Where the file does not fit the patterns, all of them are searched everywhere:
the numbers are the same, more slowly, and a test says that the file is out of date.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator, Sequence
from functools import cache
from itertools import pairwise
from pathlib import Path
from typing import Any, NamedTuple

from steelyard import languages
from steelyard.languages.language import TRIGGERS as FILE
from steelyard.languages.language import hash_patterns
from steelyard.scoring import editions
from steelyard.text.characters import lower
from steelyard.text.triggers import LETTERS, LONGEST

_parser: Any = re._parser  # type: ignore[attr-defined]
_codes: Any = re._constants  # type: ignore[attr-defined]

_MOST_WORDS = 800  # that parts of an expression are joined to
_LARGEST_CLASS = 60  # characters that are listed
_MOST_REPEATED = 30  # words that a repeat stands for
_ROOT = Path(languages.__file__).parent

_ALL_LETTERS = [chr(c) for c in range(0x250) if LETTERS.match(chr(c))]

Words = frozenset[str]


def is_letter(character: str) -> bool:
    """Tell whether a character is one of the letters that words are made of here."""
    return LETTERS.match(character) is not None


EDGE = "\0"  # in a word: here is no letter, whatever else


class Part(NamedTuple):
    """What is known of a part of an expression: all it matches, if that is little, else what it needs; and its length.

    Unless it matches nothing, `begins` says whether its first character is certainly no letter, and `ends` its last.
    """

    words: Words | None
    needs: tuple[tuple[Words, int, int], ...]  # sets of words, with the most characters before and up to the end
    length: tuple[int, int]
    begins: bool = False
    ends: bool = False


def _make_words(words: Words, length: tuple[int, int]) -> Part:
    full = [word for word in words if word]
    begins, ends = (all(not is_letter(word[at]) for word in full) for at in (0, -1))
    return Part(words, (), length, begins, ends)


def read_part(sequence: Iterable[tuple[Any, Any]]) -> Part:
    """Read what is known of parts that follow each other."""
    parts = [_read_one(code, value) for code, value in _open_groups(sequence)]
    needs: list[tuple[Words, int, int]] = []
    open_words, opened = frozenset([""]), 0
    most = 0
    is_whole = True
    for at, part in enumerate(parts):
        size = len(part.words or ()) * len(open_words)
        if part.words is not None and size <= max(_MOST_WORDS, len(part.words), len(open_words)):
            open_words = frozenset(a + b for a in open_words for b in part.words)
            most += part.length[1]
            continue
        is_whole = False
        if "" not in open_words:
            edge = EDGE if _begins(parts[at:]) else ""
            needs.append((frozenset(word + edge for word in open_words), opened, most))
        needs += [(words, most + start, most + end) for words, start, end in part.needs]
        if part.words is None:
            most += part.length[1]
            opened = most
            open_words = frozenset([EDGE if _ends(parts[: at + 1]) else ""])
        else:
            opened = most
            most += part.length[1]
            edge = EDGE if _ends(parts[:at]) else ""
            open_words = frozenset(edge + word for word in part.words)
    length = sum(part.length[0] for part in parts), most
    if is_whole:
        return _make_words(open_words, length)
    if not open_words <= {"", EDGE}:
        needs.append((open_words, opened, most))
    return Part(None, tuple(needs), length, _begins(parts), _ends(parts))


def _open_groups(sequence: Iterable[tuple[Any, Any]]) -> Iterator[tuple[Any, Any]]:
    for code, value in sequence:
        if code is _codes.SUBPATTERN:
            yield from _open_groups(value[3])
        else:
            yield code, value


def _begins(parts: Sequence[Part]) -> bool:
    """Tell whether what these parts match certainly begins with no letter."""
    for part in parts:
        if not part.begins:
            return False
        if part.length[0]:
            return True
    return False


def _ends(parts: Sequence[Part]) -> bool:
    for part in reversed(parts):
        if not part.ends:
            return False
        if part.length[0]:
            return True
    return False


def _read_one(code: Any, value: Any) -> Part:
    if code is _codes.LITERAL:
        return _make_words(frozenset([chr(value)]), (1, 1))
    if code is _codes.IN:
        return _read_class(value)
    if code is _codes.NOT_LITERAL:
        return Part(None, (), (1, 1))
    if code is _codes.AT:
        is_edge = value in (_codes.AT_BEGINNING, _codes.AT_BEGINNING_STRING, _codes.AT_END, _codes.AT_END_STRING)
        return _make_words(frozenset([EDGE if is_edge else ""]), (0, 0))
    if code is _codes.BRANCH:
        return _read_branches([read_part(branch) for branch in value[1]])
    if code in (_codes.MAX_REPEAT, _codes.MIN_REPEAT):
        return _read_repeat(*value)
    raise ValueError(f"{code} is not in the dialect")


def _read_class(items: Sequence[tuple[Any, Any]]) -> Part:
    is_negated = items[0][0] is _codes.NEGATE
    ranges = [(v, v) if code is _codes.LITERAL else v for code, v in items if code is not _codes.NEGATE]
    letters = [any(low <= ord(c) <= high for low, high in ranges) for c in _ALL_LETTERS]
    has_no_letter = all(letters) if is_negated else not any(letters)
    if not is_negated and sum(high - low + 1 for low, high in ranges) <= _LARGEST_CLASS:
        words = frozenset(chr(c) for low, high in ranges for c in range(low, high + 1))
        return _make_words(words, (1, 1))
    return _make_words(frozenset([EDGE]), (1, 1)) if has_no_letter else Part(None, (), (1, 1))


def _read_branches(branches: Sequence[Part]) -> Part:
    length = min(b.length[0] for b in branches), max(b.length[1] for b in branches)
    known = [b.words for b in branches]
    if all(words is not None for words in known):
        words = frozenset(word for words in known if words is not None for word in words)
        if len(words) <= 3 * _MOST_WORDS:
            return _make_words(words, length)
    edges = all(b.begins for b in branches), all(b.ends for b in branches)
    chosen: set[str] = set()
    for branch in branches:
        if branch.words is not None:
            best: Words | None = branch.words
        else:
            best = min((words for words, _, _ in branch.needs), key=_rate, default=None)
        if best is None or "" in best:
            return Part(None, (), length, *edges)
        chosen |= best
    return Part(None, ((frozenset(chosen), 0, length[1]),), length, *edges)


def _read_repeat(least: int, most: int, inner: Any) -> Part:
    part = read_part(inner)
    length = least * part.length[0], most * part.length[1]
    if part.words is not None and (most == 1 or len(part.words) ** most <= _MOST_REPEATED):
        words: set[str] = set()
        times = frozenset([""])
        for number in range(most + 1):
            if number >= least:
                words |= times
            times = frozenset(a + b for a in times for b in part.words)
        return _make_words(frozenset(words), length)
    needs: tuple[tuple[Words, int, int], ...] = part.needs  # in its first pass
    if part.words is not None:
        needs = () if part.words & {"", EDGE} else ((part.words, 0, part.length[1]),)
    return Part(None, needs if least else (), length, part.begins, part.ends)


@cache
def find_trigger(word: str) -> str:
    """Return the rarest trigger that a text with these characters has; "" for a space."""
    runs, start = [], None
    for at, character in enumerate([*word, EDGE]):
        if is_letter(character):
            start = at if start is None else start
        elif start is not None:
            runs.append((start, at))
            start = None
    marked = [f"{'^' if a else ''}{lower(word[a:b])}{'$' if b < len(word) else ''}" for a, b in runs]
    pairs = [f"{a}{b}" for a, b in pairwise(marked) if a[0] == "^" and b[-1] == "$"]
    other = [c for c in word if not is_letter(c) and c not in (" ", EDGE)]
    return min([*pairs, *(m[:LONGEST] for m in marked), *other], key=_rate_one, default="")


def _rate_one(trigger: str) -> float:
    """How likely a text of some length has a trigger, roughly."""
    letters = sum(is_letter(c) for c in trigger)
    if not letters:
        return 0.9 if trigger in ("", ".", ",", "'", "-") else 0.4
    return float(0.75 ** (letters + trigger.count("^") + trigger.count("$") - 1))


def _rate(words: Words) -> float:
    return sum(_rate_one(find_trigger(word)) for word in words)


def derive(regex: str) -> tuple[list[frozenset[str]], int]:
    """Return the sets of triggers of a pattern, and the most characters that they can be apart."""
    part = read_part(_parser.parse(regex, re.ASCII))
    needs = list(part.needs)
    if part.words is not None and not part.words & {"", EDGE}:
        needs = [(part.words, 0, part.length[1])]
    sets, places = [], []
    for words, start, end in needs:
        triggers = frozenset(find_trigger(word) for word in words)
        if "" not in triggers and len(triggers) <= 3 * _MOST_WORDS:
            sets.append(triggers)
            places += [start, end]
    if not sets:
        return [], 0
    return sets, max(places) - min(places)


def describe(code: str, edition: str) -> str:
    """Return the content of a language's file in an edition."""
    families = editions.load(edition).load_language(code).families
    numbers: dict[frozenset[str], int] = {}
    needs = {}
    for name, family in families.items():
        rows = []
        for pattern in family.patterns:
            sets, reach = derive(pattern.regex)
            rows.append([sorted({numbers.setdefault(one, len(numbers)) for one in sets}), reach])
        needs[name] = rows
    content = json.dumps({"sets": [sorted(one) for one in numbers], "needs": needs}, ensure_ascii=False)
    return f"{hash_patterns(families, content)}\n{content}\n"


def list_files() -> list[tuple[str, str, Path]]:
    """Return the language and the edition of each file, and where it is."""
    pairs = [(code, name) for name in editions.NAMES for code in editions.load(name).languages]
    return [(code, name, _ROOT / code / name / FILE) for code, name in pairs]


def main() -> None:
    for code, edition, path in list_files():
        path.write_text(describe(code, edition), "utf-8")
        print(f"written: {path.relative_to(_ROOT.parent)}")


if __name__ == "__main__":
    main()
