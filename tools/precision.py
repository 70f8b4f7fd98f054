"""Draw a seeded sample of a family's matches on the measuring pages, to be read by eye.

    python -m tools.precision sample quotable          50 matches, numbered, with their surroundings
    python -m tools.precision sample statistic de      of the edition 2026, in German
    python -m tools.precision table paper              the table of docs/score.md from the verdicts
    python -m tools.precision table 2026               that of docs/editions.md

The verdicts are in docs/study/checks/precision-*.json: how many were read, which were wrong, the digest of the
family they were read with, and that of the pages. A family that has changed since is marked.
"""

from __future__ import annotations

import hashlib
import json
import os
import random
import sys
from pathlib import Path

from steelyard.components.base import select_distinct, select_longest
from steelyard.components.entity_density import find_names
from steelyard.scoring import editions
from steelyard.support.table import Column, Table
from steelyard.text.language import Family, Language
from steelyard.text.regex import Subject

ROOT = Path(__file__).resolve().parent.parent
CHECKS = ROOT / "docs" / "study" / "checks"
SIZE = 50
SEED = 7
AROUND = 45


def family_digest(family: Family) -> str:
    """Changes when a pattern of the family does, or the words it refuses."""
    lines = [f"{p.regex} {sorted(p.attributes.items())}" for p in family.patterns]
    return hashlib.sha256("\n".join(lines).encode()).hexdigest()[:12]


def open_language(code: str) -> Language:
    """English as the paper's edition reads it, or a language with the name of the edition 2026: `2026-de`."""
    edition, _, short = code.rpartition("-")
    return editions.load(edition or editions.PAPER).load_language(short)


def matches(name: str, language: Language) -> list[str]:
    """Every counted match on the flattened pages of a language, with its surroundings."""
    folder = Path(os.environ.get("STEELYARD_DATA") or ROOT.parent / "shared" / "data")
    found = []
    for line in (folder / f"web_{language.code}.jsonl").read_text("utf-8").splitlines():
        text = " ".join(json.loads(line)["text"].split()[:400])
        doc = editions.load(language.edition).open(text, language.code)
        if name in ("opener", "subject"):
            hits = language.families[name].matcher.find_all(Subject(doc.text[:400]))[:1]
            spans = [(language.families[name].patterns[h.pattern].id, h.start, h.end) for h in hits]
        else:
            raw = doc.find(name)
            if name == "entity":
                raw = find_names(doc)
            if name in ("entity", "statistic", "citation", "factual_claim"):
                raw = select_distinct(doc, select_longest(raw))
            spans = [(doc.pattern_id(m), m.start, m.end) for m in raw]
        for pattern, a, b in spans:
            found.append(f"{pattern}: {doc.text[max(0, a - AROUND) : a]}⟦{doc.text[a:b]}⟧{doc.text[b : b + AROUND]}")
    return found


def sample(name: str, code: str = "en") -> None:
    language = open_language(code)
    every = matches(name, language)
    chosen = random.Random(SEED).sample(every, min(SIZE, len(every)))
    print(f"{name}: {len(every)} matches, {len(chosen)} shown, digest {family_digest(language.families[name])}")
    for number, match in enumerate(chosen):
        print(f"{number:2d} {match}")


def render_table(edition: str) -> str:
    """Return how many matches of each family were right, of those that were read, in each language of an edition.

    A star marks a family whose patterns have changed since they were read.
    """
    codes = [f"{edition}-{code}" for code in editions.load(edition).languages]
    codes = ["en"] if edition == editions.PAPER else codes
    rows: dict[str, list[str]] = {}
    for place, code in enumerate(codes):
        verdicts = json.loads((CHECKS / f"precision-{code}.json").read_text("utf-8"))["result"]
        language = open_language(code)
        for name, verdict in verdicts.items():
            star = "" if verdict["digest"] == family_digest(language.families[name]) else "*"
            row = rows.setdefault(name, ["–"] * len(codes))
            row[place] = f"{verdict['read'] - len(verdict['wrong'])} of {verdict['read']}{star}"
    columns = [Column("family", code=True), *(Column(f"right, {code[-2:]}", right=True) for code in codes)]
    return Table(columns, [[name, *row] for name, row in sorted(rows.items())]).to_markdown()


if __name__ == "__main__":
    if sys.argv[1:2] == ["sample"] and len(sys.argv) in (3, 4):
        sample(sys.argv[2], *(f"2026-{code}" for code in sys.argv[3:]))
    elif sys.argv[1:2] == ["table"] and len(sys.argv) == 3:
        print(render_table(*sys.argv[2:]), end="")
    else:
        sys.exit((__doc__ or "").strip())
