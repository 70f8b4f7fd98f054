"""Write steelyard/text/characters.txt: the letters, digits, capitals and accents of one Unicode version.

python -m tools.characters     needs a Python whose `unicodedata` has the version below
"""

from __future__ import annotations

import sys
import unicodedata
from collections.abc import Callable
from pathlib import Path

VERSION = "14.0.0"
TARGET = Path(__file__).resolve().parent.parent / "steelyard" / "text" / "characters.txt"
HEADER = f"""# Unicode {VERSION}. Made by tools/characters.py.
# A class is a list of ranges. `lower` maps one character to one; a range of letters has one distance.
# `compose` lists base+accent=whole, with > for those that only fall apart; `order` the class of each accent."""


def main() -> None:
    if unicodedata.unidata_version != VERSION:
        sys.exit(f"this Python has Unicode {unicodedata.unidata_version}; the tables are those of {VERSION}")
    TARGET.write_text(render(), "utf-8")


def render() -> str:
    """Return the file."""
    classes: dict[str, Callable[[str], bool]] = {
        "alpha": str.isalpha, "decimal": str.isdecimal, "digit": str.isdigit, "numeric": str.isnumeric,
        "upper": str.isupper, "lower": str.islower, "title": str.istitle, "space": str.isspace,
    }  # fmt: skip
    lines = [HEADER, *(f"{name}: {_ranges(belongs)}" for name, belongs in classes.items())]
    lines += [f"to_lower: {_lower()}", f"compose: {_compositions()}", f"order: {_orders()}"]
    return "\n".join(lines) + "\n"


def _characters() -> list[str]:
    return [chr(c) for c in range(0x110000) if not 0xD800 <= c < 0xE000]


def _ranges(belongs: Callable[[str], bool]) -> str:
    found: list[list[int]] = []
    for c in map(ord, filter(belongs, _characters())):
        if found and found[-1][1] == c - 1:
            found[-1][1] = c
        else:
            found.append([c, c])
    return " ".join(f"{a:X}-{b:X}" if b > a else f"{a:X}" for a, b in found)


def _lower() -> str:
    """Ranges of equal distance with a step of one or two; a character whose lower case is two stays as it is."""
    pairs = [(ord(c), ord(c.lower())) for c in _characters() if len(c.lower()) == 1 and c.lower() != c]
    found: list[list[int]] = []  # first, last, step, distance
    for c, small in pairs:
        last = found[-1] if found else None
        if last and last[3] == small - c and c - last[1] in (1, 2) and last[2] in (0, c - last[1]):
            last[1], last[2] = c, c - last[1]
        else:
            found.append([c, c, 0, small - c])
    return " ".join(f"{a:X}-{b:X}/{step or 1}{distance:+d}" for a, b, step, distance in found)


def _compositions() -> str:
    """Canonical decompositions: `base+accent=whole`, with `>` for those that fall apart and are never made."""
    pairs = []
    for c in _characters():
        parts = unicodedata.decomposition(c).split()
        if parts and not parts[0].startswith("<"):
            sign = "=" if unicodedata.normalize("NFC", c) == c else ">"
            pairs.append(f"{'+'.join(parts)}{sign}{ord(c):X}")
    return " ".join(pairs)


def _orders() -> str:
    return " ".join(f"{ord(c):X}:{n}" for c in _characters() if (n := unicodedata.combining(c)))


if __name__ == "__main__":
    main()
