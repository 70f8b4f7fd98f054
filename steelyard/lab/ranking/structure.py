"""Does a source hold the kind of thing that the query asks for: a year, a number, a name, a place, a reason, steps?

It must stand in a sentence with a term of the query or in the one after, where a pronoun may stand for it: some name
or number is on every page. English and French are read alike; no word of one asks something else in the other.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from steelyard.lab.ranking.lexical import Passage, Query, words

YEAR, NUMBER, NAME, PLACE = "year", "number", "name", "place"
REASON, STEPS, DEFINITION = "reason", "steps", "definition"

# The first that matches the wording of the query (no case, no accents, no marks) is what it asks for.
_ASKED: tuple[tuple[str, re.Pattern[str]], ...] = tuple(
    (kind, re.compile(pattern))
    for kind, pattern in (
        (NUMBER, r"\bhow (?:many|much|long|old|far|tall|high|big|large|fast|quickly|often|deep|heavy|wide)\b"),
        (NUMBER, r"^(?:what is the |what |the )?(?:average|cost|price|salary|number|percentage|population)\b"),
        (NUMBER, r"\bcombien\b|^quel(?:le)? (?:est )?(?:la |le |l )?(?:prix|cout|nombre|taille|population|age)\b"),
        (YEAR, r"^(?:since |until )?when\b|\b(?:what|which) (?:year|date)\b"),
        (YEAR, r"^(?:depuis )?quand\b|\bquelle (?:annee|date)\b"),
        (PLACE, r"^(?:from )?where\b|\b(?:what|which) (?:city|town|country|state|county|place|continent)\b"),
        (PLACE, r"^(?:d )?ou (?:est|sont|se|trouver|aller|etait|vit|a)\b|\bquel(?:le)? (?:ville|pays|region)\b"),
        (NAME, r"^(?:by |to |for |with )?who(?:m|se)?\b|^(?:a |de |par |avec )?qui\b"),
        (REASON, r"^(?:why|pourquoi)\b|\b(?:reasons? (?:for|why)|causes? of|raisons? (?:de|du|des))\b"),
        (STEPS, r"^(?:how|comment)\b"),
        (DEFINITION, r"\b(?:define|definition|meaning of|stand for|signification)\b|^what (?:does|do) .{1,200} mean\b"),
        (DEFINITION, r"^what (?:is|are|was|were|s) (?!the\b)\w+(?: \w+){0,3}$"),
        (DEFINITION, r"^(?:qu est ce que?|c est quoi|que signifie)\b"),
    )
)
_YEAR = re.compile(r"(?<![0-9.,])(?:1[0-9]{3}|20[0-9]{2})(?![0-9%]|[.,][0-9])")
_DIGITS = re.compile(r"[0-9]+")
_NUMBER_WORDS = frozenset(
    "two three four five six seven eight nine ten eleven twelve twenty thirty forty fifty hundred thousand million "
    "billion dozen deux trois quatre cinq sept huit neuf dix onze douze vingt trente quarante cinquante cent mille "
    "millions milliard milliards douzaine".split()
)
_AT = re.compile(
    r"\b(?:[Ii]n|[Aa]t|[Nn]ear|[Ff]rom|[Àà]|[Aa]u|[Ee]n|[Dd]ans) (?:the |la |le |les |l')?([A-ZÀ-ÖØ-Þ][^\W_]+)"
)
_MONTHS = frozenset("january february march april may june july august september october november december".split())
_PLACE_WORDS = frozenset(
    "located situated city town village capital country county province district region island coast river street "
    "ville village capitale pays departement region situe situee situes situees fleuve riviere rue ile cote".split()
)
_REASON_WORDS = frozenset("because reason reasons cause caused causes due therefore parce raison raisons grace".split())
_STEP_WORDS = frozenset(
    "first second then next afterwards finally lastly step steps abord ensuite puis enfin etape etapes".split()
)
_IS_A = re.compile(
    r"\b(?:(?:is|are|was|were) (?:an?|the|one|any)|refers? to|means|is defined as|stands for"
    r"|(?:est|sont|était|étaient) (?:une?|des|les?|la|l')|désigne|signifie)\b"
)
_LONGEST_SUBJECT = 12  # words before "is a"
_LEAD_SENTENCES = 3  # a heading and two sentences


def asked(query: Query) -> str | None:
    """The kind of answer the query asks for; None where its words do not say."""
    return next((kind for kind, pattern in _ASKED if pattern.search(query.wording)), None)


def structure(query: Query, passages: Sequence[Passage]) -> list[dict[str, float]]:
    """One row per source: which kinds it holds, whether the one asked for is among them, whether its lead defines."""
    wanted = asked(query)
    rows = []
    for passage in passages:
        held = kinds(query, passage)
        if defines(query, passage):
            held.add(DEFINITION)
        row = {f"a_{kind}": float(kind in held) for kind in (YEAR, NUMBER, NAME, PLACE, DEFINITION)}
        rows.append({**row, "a_match": float(wanted in held)})
    return rows


def kinds(query: Query, passage: Passage) -> set[str]:
    """The kinds near a term of the query. What the query itself says is no answer to it."""
    shares = [not query.terms.isdisjoint(of) for of in passage.by_sentence]
    near = [i for i, here in enumerate(shares) if here or (i and shares[i - 1])]
    said = frozenset(query.words)
    text = "\n".join(passage.sentences[i] for i in near)
    there = {w for i in near for w in passage.by_sentence[i]} - said
    years = set(_YEAR.findall(text))
    numbers = set(_DIGITS.findall(text)) - years
    places = {w for name in _AT.findall(text) for w in words(name)} - _MONTHS
    found = {
        YEAR: bool(years - said),
        NUMBER: bool(numbers - said or there & _NUMBER_WORDS),
        NAME: any(w not in said for i in near for w in passage.names[i]),
        PLACE: bool(places - said or there & _PLACE_WORDS),
        REASON: bool(there & _REASON_WORDS),
        STEPS: len(there & _STEP_WORDS) > 1,
    }
    return {kind for kind, is_there in found.items() if is_there}


def defines(query: Query, passage: Passage) -> bool:
    """Whether one of the first sentences says what something is, and names it with a term of the query."""
    for sentence in passage.sentences[:_LEAD_SENTENCES]:
        found = _IS_A.search(sentence)
        if found and not query.terms.isdisjoint(words(sentence[: found.start()])[-_LONGEST_SUBJECT:]):
            return True
    return False
