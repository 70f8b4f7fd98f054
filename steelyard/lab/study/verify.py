"""No printed number is unaudited: documents against artifacts, the code and the claims file."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import zip_longest
from pathlib import Path

from steelyard.lab.study.claims import ARTIFACT, CLAIMS, CODE, FIXED, PAPER, Address, Claim, NothingThere, Shelf, load
from steelyard.lab.study.numbers import BLOCK, EFFECT, Number, numbers, prose

MARK = "<!-- verified -->"
DOCUMENTS = ("README.md", "docs/*.md")  # the pages whose blocks `./run docs` makes
ARTIFACTS = ("docs/artifacts/**/*.json", "docs/study/artifacts/*.json")
ALL_TESTS = "docs/artifacts/all-tests.json"  # left by `./run test --all`
PRINTED, ELSEWHERE = "printed", "elsewhere"
COUNTED = {
    PRINTED: "in tables and lines, which were printed again from their artifacts",
    ARTIFACT: "in sentences, read again in an artifact or a data file",
    CODE: "in sentences, read again in the code",
    PAPER: "quoted from the paper, which cannot be read here",
    FIXED: "fixed by definition, with the reason in the claims file",
    ELSEWHERE: "in the output of commands, which `./run docs --check` runs",
}
_TOOL = re.compile(r"table: (?P<command>python -m tools\.[a-z_]+(?: .*)?)$")
_HASH = re.compile(r"[0-9a-f]{64}")

Printed = Mapping[str, str | NothingThere]  # command → what it prints, or why it prints nothing
Render = Callable[[Sequence[str]], Printed]


@dataclass(frozen=True, slots=True)
class Problem:
    """One thing that is not as it is printed, or cannot be looked up."""

    place: str
    line: int | None
    message: str

    def __str__(self) -> str:
        return f"{self.place}{'' if self.line is None else f':{self.line}'}: {self.message}"


@dataclass
class Verified:
    """What was looked at, and what is wrong."""

    documents: int = 0
    artifacts: int = 0
    counts: Counter[str] = field(default_factory=Counter)
    problems: list[Problem] = field(default_factory=list)
    tested: str = ""  # what the last run of all tests came to

    def lines(self) -> Iterator[str]:
        """How many numbers were verified, by kind."""
        total = sum(self.counts.values())
        yield f"{total:,} numbers in {self.documents} marked documents"
        yield from (f"{self.counts[kind]:>8,}  {text}" for kind, text in COUNTED.items())
        yield f"{self.artifacts} artifacts: valid JSON, the hashes of their inputs recorded"
        if self.tested:
            yield self.tested


@dataclass(frozen=True, slots=True)
class _Page:
    """A document with the claims about it; in a marked one every number needs a claim."""

    place: str
    text: str
    claims: Sequence[Claim]
    marked: bool


def verify(root: Path, render: Render) -> Verified:
    """Every marked document of a project, every claim and every artifact."""
    claims, shelf, found = load(root), Shelf(root), Verified()
    for path in sorted(path for pattern in ARTIFACTS for path in root.glob(pattern)):
        found.artifacts += 1
        found.problems += _artifact(shelf, path.relative_to(root).as_posix())
    if (root / ALL_TESTS).is_file():
        _tested(shelf, found)
    texts = dict(_documents(root))
    marked = [place for place, text in texts.items() if MARK in text.splitlines()]
    found.documents = len(marked)
    commands = [m["command"] for p in marked for b in BLOCK.finditer(texts[p]) if (m := _TOOL.match(b["what"]))]
    printed = render(commands) if commands else {}
    for place in dict.fromkeys([*marked, *(claim.place for claim in claims)]):
        try:
            text = texts.get(place) or (root / place).read_text("utf-8")
        except OSError as error:
            found.problems.append(Problem(CLAIMS, None, f"{place} cannot be read ({error.strerror}); correct `place`"))
            continue
        page = _Page(place, text, [claim for claim in claims if claim.place == place], place in marked)
        wrong = [*_sentences(page, shelf, found.counts)]
        if page.marked:
            wrong += _blocks(page, printed, found.counts)
        found.problems += sorted(wrong, key=lambda problem: problem.line or 0)
    return found


def _documents(root: Path) -> Iterator[tuple[str, str]]:
    for pattern in DOCUMENTS:
        for path in sorted(root.glob(pattern)):
            yield path.relative_to(root).as_posix(), path.read_text("utf-8")


def _artifact(shelf: Shelf, name: str) -> Iterator[Problem]:
    """Valid JSON without NaN, that says what it was made from."""
    try:
        value = shelf.artifact(name)
    except NothingThere as error:
        yield Problem(name, None, str(error).removeprefix(f"{name} "))
        return
    inputs = value.get("inputs") if isinstance(value, dict) else None
    if not isinstance(inputs, dict) or not inputs:
        yield Problem(name, None, "does not say what it was made from; its tool must record `inputs`, name → SHA-256")
        return
    for key, digest in inputs.items():
        if not isinstance(digest, str) or not _HASH.fullmatch(digest):
            yield Problem(name, None, f"the hash of its input {key} is {str(digest)[:20]!r}, not 64 hex digits")


def _tested(shelf: Shelf, found: Verified) -> None:
    """The dated run of all tests, the slow ones included: a failure in it is a problem, its age is told."""
    try:
        result = shelf.artifact(ALL_TESTS)["result"]
        counts = {name: int(number) for name, number in result["counts"].items()}
        slow = sum(number for each in result["slow"].values() for number in each.values())
        when = str(result["date"])
    except (NothingThere, KeyError, TypeError, ValueError, AttributeError) as error:
        found.problems.append(Problem(ALL_TESTS, None, f"cannot be read ({error}); run `./run test --all` again"))
        return
    wrong = counts.get("failed", 0) + counts.get("error", 0)
    if wrong:
        found.problems.append(Problem(ALL_TESTS, None, f"{wrong} tests failed on {when}; mend them, run it again"))
    passed = counts.get("passed", 0)
    found.tested = f"all tests, {slow:,} slow ones among them: {passed:,} passed, {wrong} failed, on {when}"


def _blocks(page: _Page, printed: Printed, counts: Counter[str]) -> Iterator[Problem]:
    """Tables and lines against what their command prints now; outputs of commands are only counted."""
    for block in BLOCK.finditer(page.text):
        tool = _TOOL.match(block["what"])
        if tool is None:
            counts[ELSEWHERE] += _count(block["body"])
            continue
        start, made = page.text.count("\n", 0, block.start("body")) + 1, printed[tool["command"]]
        if isinstance(made, NothingThere):
            yield Problem(page.place, start, f"`{tool['command']}` prints nothing: {made}")
            continue
        wrong = first_difference(block["body"].splitlines(), ["", *made.splitlines(), ""])
        if wrong is None:
            counts[PRINTED] += _count(block["body"])
        else:
            line, is_, should = wrong
            message = f"prints {is_!r}, but `{tool['command']}` says {should!r}; `./run docs` writes the block anew"
            yield Problem(page.place, start + line, message)
    for effect in EFFECT.finditer(page.text):
        counts[ELSEWHERE] += _count(effect["body"])


def _count(body: str) -> int:
    """Numbers in what a command printed; the fence around a console block is no code to be left out here."""
    return sum(1 for _ in numbers(re.sub(r"^```.*$", "", body, flags=re.MULTILINE).replace("\\", "")))


def first_difference(old: Sequence[str], new: Sequence[str]) -> tuple[int, str, str] | None:
    """(line, what is there, what should be) where two blocks part, from shortly before it in a long line."""
    for line, (a, b) in enumerate(zip_longest(old, new, fillvalue="")):
        if a != b:
            same = next((i for i, (x, y) in enumerate(zip(a, b, strict=False)) if x != y), min(len(a), len(b)))
            start = max(0, same - 30)
            return line, a[start : same + 40].strip(), b[start : same + 40].strip()
    return None


def _sentences(page: _Page, shelf: Shelf, counts: Counter[str]) -> Iterator[Problem]:
    """Claims against their addresses, and the numbers that no claim speaks of."""
    shown, listed = prose(page.text), list(numbers(page.text))
    addressed: set[Number] = set()
    for claim in page.claims:
        spans = claim.spans(shown)
        if len(spans) != 1:
            why = (
                f"stands there {len(spans)} times; make the text longer" if spans else "is not there; remove the claim"
            )
            yield Problem(page.place, None, f"{claim.text!r} {why} in {CLAIMS}")
            continue
        (start, end), line = spans[0], shown.count("\n", 0, spans[0][0]) + 1
        held = [n for n in listed if start <= n.start and n.end <= end]
        if len(held) != len(claim.addresses):
            message = f"{claim.text!r} holds {len(held)} numbers, its claim {len(claim.addresses)} addresses"
            yield Problem(page.place, line, f"{message}; each number needs its own, in order")
        elif addressed & set(held):
            yield Problem(page.place, line, f"{claim.text!r} shares a number with another claim; one of them is enough")
        else:
            for number, address in zip(held, claim.addresses, strict=True):
                counts[address.kind] += 1
                yield from _lies(page.place, shown, number, address, shelf)
        addressed |= set(held)
    for number in listed if page.marked else ():
        if number not in addressed:
            message = f"{number.text} has no address: {_around(shown, number)!r}; give it a claim in {CLAIMS}"
            yield Problem(page.place, _line(shown, number), message)


def _lies(place: str, shown: str, number: Number, address: Address, shelf: Shelf) -> Iterator[Problem]:
    if address.kind not in (ARTIFACT, CODE):
        return
    line, around = _line(shown, number), _around(shown, number)
    try:
        right = address.printed(shelf.value(address), number)
    except NothingThere as error:
        yield Problem(place, line, f"{around!r}: {error}")
        return
    if right is not None:
        message = f"prints {number.text} in {around!r}, but {address.where} says {right}"
        yield Problem(place, line, f"{message}; write that, or correct the address in {CLAIMS}")


def _line(text: str, number: Number) -> int:
    return text.count("\n", 0, number.start) + 1


def _around(text: str, number: Number) -> str:
    """The number with a few words on both sides."""
    return " ".join(text[max(0, number.start - 30) : number.end + 30].split())
