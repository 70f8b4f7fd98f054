"""Mutations by what characters are to each other: other cases, foldings, compositions, forms, and the same digit.

Programs that each have their own tables of characters, or each their own way to use them, come to different results on
such characters first.
"""

from __future__ import annotations

import random
import unicodedata
from collections import defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import cache
from itertools import chain

SURROGATES = range(0xD800, 0xE000)
# Each of these is special to some table: a case that is no pair, a lower case of two characters, a capital that depends
# on its place, a letter that is a number, an accent that is two.
SPECIAL = (
    "\u212a\u017f\u0130\u0131\u03a3\u03c2\u03c3\u00df\u1e9e\u2126\u212b\u01c4\u01c5\u01c6\ufb01\ufb05\ufb06\u0149\u1f80\u1fb3"
    "\u13a0\uab70\u13f8\u1c80\u10a0\u10d0\u1c90\u2d00\ua64a\u1c88\uff21\uff41\uff10\u2160\u2170\u24b6\u24d0\u00b5\u03bc\u0345"
    "\u0344\u0340\u0341\u0343\u0387\u00aa\u00b2\u00bd\u0bf0\u3007\u4e00\u5341\u2185\U00010140\u0660\u06f0\u0966\u0e50\u0f33\U0001d7ce"
)
_FORMS: tuple[Callable[[str], str], ...] = (
    str.casefold, str.lower, str.upper, str.title,
    *(lambda c, form=form: unicodedata.normalize(form, c) for form in ("NFC", "NFD", "NFKC", "NFKD")),
)  # fmt: skip


def list_characters() -> Iterator[str]:
    """Yield every character, without the halves of others."""
    return map(chr, chain(range(SURROGATES.start), range(SURROGATES.stop, 0x110000)))


@cache
def _sort() -> tuple[Mapping[str, Sequence[str]], Mapping[str, Sequence[str]]]:
    """Return the relatives of each text of up to three characters, and the characters of some kinds."""
    relatives: defaultdict[str, set[str]] = defaultdict(set)
    kinds: defaultdict[str, list[str]] = defaultdict(list)
    for c in list_characters():
        kind = unicodedata.category(c)
        if kind in ("Cn", "Co"):  # nine in ten
            continue
        forms = {form(c) for form in _FORMS} - {c}
        number = unicodedata.numeric(c, None)
        if number is not None and number == int(number) and c not in "0123456789":
            forms.add(str(int(number)))
        if forms and len(unicodedata.decomposition(c)) < 60:  # one stands for a sentence
            for form in forms:
                relatives[c].add(form)
                relatives[form].add(c)
        if c.lower() != c or c.upper() != c or c.casefold() != c:
            kinds["cased"].append(c)
        if kind[0] == "N":
            kinds["number"].append(c)
        if kind[0] == "M":
            kinds["mark"].append(c)
        if unicodedata.decomposition(c):
            kinds["composed"].append(c)
        if c.isspace() or kind in ("Cf", "Cc", "Pc", "Pd"):
            kinds["space"].append(c)
    kinds["special"] += SPECIAL
    kinds["accent"] += map(chr, range(0x300, 0x370))
    return {one: sorted(others) for one, others in relatives.items()}, kinds


@cache
def _list_cases() -> Mapping[str, frozenset[str]]:
    """Return the characters by each of their cases that is one character."""
    cases: defaultdict[str, set[str]] = defaultdict(set)
    for c in list_characters():
        if c.lower() != c or c.upper() != c or c.casefold() != c:
            for form in (c.lower()[0], c.upper(), c.title(), c.casefold()):  # that of \u0130 is an i with a dot
                cases[form].add(c)
    return {form: frozenset(found) for form, found in cases.items() if len(form) == 1}


def list_other_cases(letter: str) -> list[str]:
    """Return every character that has a case, in any sense, in common with a letter."""
    cases = _list_cases()
    forms = {letter, letter.lower()[0], letter.upper(), letter.title(), letter.casefold()}
    near = {c for form in forms for c in (form, *cases.get(form, ())) if len(c) == 1}
    return sorted({c for one in near for c in (one, *cases.get(one, ()))} - {letter})


def mutate_relations(rng: random.Random, text: str) -> str:
    """Return the text after one change that puts in characters which fold, compose or are digits."""
    relatives, kinds = _sort()
    pool = kinds[rng.choice(sorted(kinds))]
    share = rng.choice((0.01, 0.05, 0.2, 0.6))
    match rng.randrange(5):
        case 0:  # some characters by relatives of theirs
            return "".join(rng.choice(relatives[c]) if c in relatives and rng.random() < share else c for c in text)
        case 1:  # all of one character by the same relative
            known = sorted({c for c in text if c in relatives})
            if not known:
                return text + rng.choice(pool)
            one = rng.choice(known)
            return text.replace(one, rng.choice(relatives[one]))
        case 2:  # behind some letters and digits
            return "".join(c + rng.choice(pool) if c.isalnum() and rng.random() < share else c for c in text)
        case 3:  # a run in one place
            at = rng.randrange(len(text) + 1)
            run = "".join(rng.choices(pool, k=rng.choice((1, 2, 3, 9, 12))))
            return text[:at] + run * rng.choice((1, 1, 2, 5)) + text[at:]
        case _:  # a word that repeats and overlaps itself, with and without edges
            unit = rng.choice(pool) + rng.choice("lsk1_ éK")
            word = unit * rng.choice((1, 2, 3)) + rng.choice(("", unit[0], "1"))
            return text + " " + "".join(rng.choice((word, word + " ", unit, word + "\n\n")) for _ in range(12))
