"""Visibility of sources in an answer: shares of its words, of its positions, and of both together (PAWC).

A sentence i of N gives W_i words (tokens of more than two characters), weighted exp(-i/(N - 1)), in equal parts to its
citations; what the sources have got is divided by the total. Three modes, and every figure names its own:

- `geo`, as the original GEO code counts, mistakes included. Only `[1]` is a citation; `[1, 2]`, `[Source 1]` and 【1】
  earn nothing. `[0]` credits the last source, a number above n credits none but takes its part of the sentence,
  repeats count, and a marker after the full stop belongs to the sentence that follows. Where nothing is earned, every
  source gets 1/n.
- `zero_based`: the same, with `[0]` for the first source, as another published harness has it.
- `strict`: every form of marker (see `citations`), markers are no words, a source counts once in a sentence, a line
  ends a sentence, a marker after the full stop belongs to the sentence before it, numbers out of range are left out
  and counted, and if nothing is earned there are no shares.
"""

from __future__ import annotations

import math
import re
from bisect import bisect_right
from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import pairwise

from steelyard.errors import UnknownName
from steelyard.lab.outcome.citations import Marker, blanked, covered, geo_numbers, unmarked

GEO, ZERO_BASED, STRICT = MODES = ("geo", "zero_based", "strict")

Shares = tuple[float, ...]


@dataclass(frozen=True, slots=True)
class Visibility:
    """Shares of n sources, each sum 1; None in strict mode where nothing is earned: no citation, or no words with it.

    `citations` are those that credit a source: every marker in geo and zero_based, each source once a sentence in
    strict. `out_of_range` are the others; a range such as `[3-99]` that leaves the list is one of them, and its part
    inside the list counts.
    """

    words: Shares | None
    position: Shares | None
    adjusted: Shares | None  # words weighted by position: PAWC
    sentences: int
    citations: int
    out_of_range: int

    fallback: bool  # `adjusted` is the 1/n of an answer that earned nothing, no measurement; never so in strict

    @property
    def uncited(self) -> bool:
        """No source is cited."""
        return self.citations == 0


@dataclass(frozen=True, slots=True)
class _Sentence:
    words: int
    cited: Sequence[int]  # indices of sources
    parts: int  # into how many its credit is divided
    out_of_range: int


def shares(answer: str, n: int, mode: str = GEO) -> list[float] | None:
    """The position-adjusted word share of each of n sources; None in strict mode if nothing is cited, or no words."""
    found = visibility(answer, n, mode).adjusted
    return None if found is None else list(found)


def visibility(answer: str, n: int, mode: str = GEO) -> Visibility:
    """The three shares of each of n sources, and what they were counted from."""
    if mode not in MODES:
        raise UnknownName("PAWC mode", mode, MODES)
    if n < 1:
        raise ValueError(f"shares among {n} sources: an answer is measured against at least one")
    read = _strict(answer, n) if mode == STRICT else _geo(answer, n, 0 if mode == ZERO_BASED else 1)
    last = len(read) - 1
    weights = [math.exp(-i / last) if last else 1.0 for i in range(len(read))]
    counts = [float(sentence.words) for sentence in read]
    adjusted = _divided(read, [c * w for c, w in zip(counts, weights, strict=True)], n)
    nothing = None if mode == STRICT else (1 / n,) * n
    return Visibility(
        words=_divided(read, counts, n) or nothing,
        position=_divided(read, weights, n) or nothing,
        adjusted=adjusted or nothing,
        sentences=len(read),
        citations=sum(len(sentence.cited) for sentence in read),
        out_of_range=sum(sentence.out_of_range for sentence in read),
        fallback=adjusted is None and mode != STRICT,
    )


def _divided(read: Sequence[_Sentence], credits: Sequence[float], n: int) -> Shares | None:
    """What each source gets of the sentences' credits, over the total; None if that is 0."""
    earned: list[list[float]] = [[] for _ in range(n)]
    for sentence, credit in zip(read, credits, strict=True):
        for source in sentence.cited:
            earned[source].append(credit / sentence.parts)
    sums = [math.fsum(parts) for parts in earned]
    total = math.fsum(sums)
    return tuple(got / total for got in sums) if total else None


def _geo(answer: str, n: int, first: int) -> list[_Sentence]:
    """Sentences as the original reads them, `first` being the number of the first source."""
    read = []
    for paragraph in answer.split("\n\n"):
        starts = sentence_starts(paragraph)
        for start, end in pairwise([*starts, len(paragraph)]):
            found = geo_numbers(paragraph[start:end])
            # [0] of a list that counts from 1 is index -1: Python's last.
            cited = [(number - first) % n for number in found if number - first < n]
            read.append(_Sentence(words(paragraph[start:end]), cited, len(found), len(found) - len(cited)))
    return read


# `1.` before an item of a list ends no sentence.
_ENUMERATOR = re.compile(r"^[ \t*#>_+•-]*+\d{1,3}[.)](?=[\s*_])", re.MULTILINE)
_WORD = re.compile(r"\w")


def _strict(answer: str, n: int) -> list[_Sentence]:
    """Sentences without their markers; a marker belongs to the last sentence of its line that starts before it.

    At the head of a line it belongs to that line's first sentence, on a line of its own to the sentence before.
    """
    bare, found = unmarked(answer)
    bare = blanked(bare, (match.span() for match in _ENUMERATOR.finditer(bare)))
    texts: list[str] = []
    marked: defaultdict[int, list[Marker]] = defaultdict(list)
    offset = at = 0
    for line in bare.split("\n"):
        starts, before = _worded(line), len(texts)
        while at < len(found) and found[at].start <= offset + len(line):
            place = bisect_right(starts, found[at].start - offset) - 1
            marked[before + max(place, 0) if starts else max(before - 1, 0)].append(found[at])
            at += 1
        texts += [line[start:end] for start, end in pairwise([*starts, len(line)])]
        offset += len(line) + 1
    if found and not texts:
        texts = [""]
    return [_counted(text, marked[i], n) for i, text in enumerate(texts)]


def _worded(line: str) -> list[int]:
    """The starts of the sentences that have a letter or a digit: a full stop after a marker is no sentence."""
    starts = sentence_starts(line)
    return [start for start, end in pairwise([*starts, len(line)]) if _WORD.search(line, start, end)]


def _counted(text: str, found: Iterable[Marker], n: int) -> _Sentence:
    ranges = [cited for marker in found for cited in marker.ranges]
    inside = [number - 1 for number in covered(ranges, 1, n)]
    outside = sum(low < 1 or high > n for low, high in ranges)
    return _Sentence(words(text), inside, len(inside), outside)


# A run of full stops, question and exclamation marks, and what closes with it.
_END = re.compile(r"(?<![.?!])([.?!]++)[\"')\]}”’»*_]*+(?=[\s\[(])")
_BEFORE = re.compile(r"[^\s(\[{\"'“‘*_]*\Z")
_AFTER = re.compile(r"[\s\"'“‘*_]*+([^\W\d_]*+)")
_SEEN = re.compile(r"\S")
_LETTERS = re.compile(r"(?:[^\W\d_]\.)*[^\W\d_]|ph\.d")  # initials, "e.g", "U.S"
_ABBREVIATIONS = frozenset(
    "al approx bros ca capt cf col dept dr eq eqs fig figs gen gov hon jr lt mr mrs ms prof ref refs rep resp rev sen "
    "sgt sr st vs vol inc ltd co corp jan feb aug sept oct nov dec".split()
)
_OPENINGS = frozenset(
    "After All Also Although An And As At Both But By Each For From Here However If In Instead It Its Many Most No On "
    "Other Our Several She Since So Some Such That The Their Then There These They This Those Thus To We What When "
    "While With You He".split()
)


def sentence_starts(text: str) -> list[int]:
    """Where the sentences of a paragraph start: after `.`, `?` or `!` and white space, or right before `[` or `(`.

    The rules are those of the original's splitter (NLTK's Punkt), which has its abbreviations from a trained model:
    an abbreviation or initial ends a sentence only before a usual opening word, a number or an ellipsis not before a
    small letter, a line break alone never. That model cuts after "e.g.", "i.e.", "et al." and "Fig.", which end
    nothing here; it knows more names of American places, and takes some single letters for initials before any word.
    """
    first = _SEEN.search(text)
    starts = [first.start()] if first else []
    for match in _END.finditer(text):
        following = _SEEN.search(text, match.end())
        if following and not _goes_on(text, match):
            starts.append(following.start())
    return starts


def _goes_on(text: str, match: re.Match[str]) -> bool:
    """Whether the sentence goes on after this full stop."""
    stops, after = match[1], _AFTER.match(text, match.end())
    opening = after[1] if after else ""
    if stops != ".":
        return set(stops) == {"."} and opening[:1].islower()
    before = _BEFORE.search(text[max(0, match.start() - 24) : match.start()])
    word = before[0].lower() if before else ""
    if word in _ABBREVIATIONS or _LETTERS.fullmatch(word):
        return opening not in _OPENINGS
    return (word.isdigit() or word == "etc") and opening[:1].islower()


# White space and punctuation end a token; a full stop, a comma or a colon inside a figure or a name does not.
_TOKEN = re.compile(r"\.{2,}|(?:[^\s\[\](){}<>;@#$%&?!*\"“”‘’«»„`‒–—―.,:]|\.(?!\.)|[,:](?=\d))++")
_CLITICS = ("n't", "'ll", "'re", "'ve", "'s", "'m", "'d")


def words(sentence: str) -> int:
    """The tokens of more than two characters, as NLTK's word_tokenize cuts ordinary prose.

    "don't" is "do" and "n't", "they'll" is "they" and "'ll", "cannot" is "can" and "not"; an ellipsis is a token.
    """
    text = sentence.rstrip(" \t\r\n\f\v])}>\"'»”’")
    if text.endswith(".") and not text.endswith(".."):
        text = text[:-1]
    tokens = (token.strip("'") for token in _TOKEN.findall(text.replace("--", " ")))
    return sum(_long_parts(token) for token in tokens if len(token) > 2)


def _long_parts(token: str) -> int:
    if "'" in token:
        for clitic in _CLITICS:
            if token.lower().endswith(clitic):
                return (len(token) - len(clitic) > 2) + (len(clitic) > 2)
    return 2 if token.lower() == "cannot" else 1
