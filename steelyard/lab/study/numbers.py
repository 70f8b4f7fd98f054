"""The numbers a reader of a Markdown page sees: digits and number words, outside code, addresses, dates and names."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

BLOCK = re.compile(r"<!-- begin: (?P<what>[^\n]+?) -->\n(?P<body>.*?)<!-- end -->", re.DOTALL)
EFFECT = re.compile(r"<!-- effect: [a-z0-9-]+ -->(?P<body>[^<]*)<!-- end -->")
_FENCE = re.compile(r"^[ \t]*(?P<fence>`{3,}|~{3,})[^\n]*\n.*?^[ \t]*(?P=fence)[`~]*[ \t]*$", re.DOTALL | re.MULTILINE)
_COMMENT = re.compile(r"<!--.*?-->", re.DOTALL)
_MONTH = (
    r"(?:Jan(?:uary)?|Feb(?:ruary)?|Mar(?:ch)?|Apr(?:il)?|May|June?|July?|Aug(?:ust)?|Sept?(?:ember)?|Oct(?:ober)?"
    r"|Nov(?:ember)?|Dec(?:ember)?)"
)
_FILE = r"(?:md|py|toml|jsonl?|csv|html|txt|svg|png|gz|gguf|ya?ml)"
# What holds digits and is no number. Only capitals make "Table 3" a place in a text: "figure 8.00" is a figure.
_EXEMPT = tuple(
    re.compile(pattern, re.MULTILINE)
    for pattern in (
        r"(?P<ticks>`+)(?!`).+?(?<!`)(?P=ticks)(?!`)",
        r"\]\([^()\n]*(?:\([^()\n]*\)[^()\n]*)*\)",
        r"^[ \t]*\[[^\]\n]+\]:[^\n]*",
        r"(?:https?://|www\.)[^\s<>)]+",
        r"</?[A-Za-z][^<>]*>",
        r"\b[0-9]{4}-[0-9]{2}-[0-9]{2}(?:T[0-9:.]+Z?)?\b",
        rf"\b(?:[0-9]{{1,2}} )?{_MONTH}\.? (?:[0-9]{{1,2}}, )?[0-9]{{4}}\b|\b[0-9]{{1,2}} {_MONTH}\b",
        r"\b[0-9]+\.[0-9]+\.[0-9]+[\w.-]*",
        r"\b(?:Python|[Vv]ersion|CC BY(?:-SA)?|Apache) [0-9]+(?:\.[0-9]+)*\b",
        r"(?:§|\b(?:Section|Sec\.|Table|Figure|Fig\.|Equation|Eq\.|Appendix|Lemma)) ?\(?[0-9]+(?:\.[0-9]+)*\)?",
        r"^[ \t>]*[0-9]+[.)](?=[ \t])",
        r"^#+[ \t]+[0-9]+(?:\.[0-9]+)*\.?(?=[ \t])",
        rf"[\w./*-]+\.{_FILE}\b",
    )
)
_SMALL = (
    "zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen seventeen "
    "eighteen nineteen twenty"
)
_TENS = "twenty thirty forty fifty sixty seventy eighty ninety"
_WORDS = {word: value for value, word in enumerate(_SMALL.split())}
_WORDS |= {word: 10 * value for value, word in enumerate(_TENS.split(), start=2)}
_POWERS = {"hundred": 100, "thousand": 1_000, "million": 1_000_000}
_PARTS = {"thirds": 3, "quarters": 4, "fifths": 5, "sixths": 6, "eighths": 8, "tenths": 10}
_WORD = "|".join(sorted((*_WORDS, *_POWERS), key=len, reverse=True))
# A sign belongs to the number when nothing it could be subtracted from stands before it.
_NUMBER = re.compile(
    r"(?<![^\W_])(?<![^\W\d_][-_])(?<!\d[.,])"
    r"(?P<digits>(?:(?<![\w)\]])[+−-])?(?:[0-9]{1,3}(?:,[0-9]{3})+|[0-9]+)(?:\.[0-9]+)?(?:e[-−+]?[0-9]+)?)"
    rf"|\b(?P<words>(?:{_WORD})(?:[ -](?:{_WORD}))*)(?: (?P<part>{'|'.join(_PARTS)}))?\b",
    re.IGNORECASE,
)


@dataclass(frozen=True, slots=True)
class Number:
    """A number as it is printed, and what it says; `decimals` may be negative, for 2e3."""

    start: int
    text: str
    value: float
    decimals: int = 0

    @property
    def end(self) -> int:
        return self.start + len(self.text)


def blanked(text: str, *patterns: re.Pattern[str]) -> str:
    """The text with every match turned into spaces: all offsets and line breaks stay where they were."""
    for pattern in patterns:
        text = pattern.sub(lambda m: re.sub(r"[^\n]", " ", m[0]), text)
    return text


def prose(text: str) -> str:
    """A page without its generated blocks, code blocks and comments."""
    return blanked(text, BLOCK, EFFECT, _FENCE, _COMMENT)


def numbers(text: str) -> Iterator[Number]:
    """The numbers of a page's prose, in order.

    A word is a number from two on and zero; a lone "one" is a pronoun as often as not. Ordinal words, "half" and
    "twice" are none. Digits behind a letter, with or without a hyphen, belong to a name: p95, RE2, GPT-4o.
    """
    for found in _NUMBER.finditer(blanked(prose(text), *_EXEMPT)):
        if found["digits"]:
            yield _digits(found)
        elif found["words"].lower() != "one":
            yield _spelled(found)


def _digits(found: re.Match[str]) -> Number:
    plain = found[0].replace("−", "-").replace(",", "").lower()
    mantissa, _, exponent = plain.partition("e")
    decimals = len(mantissa.partition(".")[2]) - int(exponent or 0)
    return Number(found.start(), found[0], float(plain), decimals)


def _spelled(found: re.Match[str]) -> Number:
    total = current = 0
    for word in re.split(r"[ -]", found["words"].lower()):
        if word in _POWERS:
            current = (current or 1) * _POWERS[word]
            if _POWERS[word] > 100:
                total, current = total + current, 0
        else:
            current += _WORDS[word]
    if not found["part"]:
        return Number(found.start(), found[0], total + current)
    return Number(found.start(), found[0], round((total + current) / _PARTS[found["part"].lower()], 2), decimals=2)
