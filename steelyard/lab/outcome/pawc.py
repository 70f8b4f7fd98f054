"""Position-adjusted word count (PAWC): the share of an answer that each of its sources gets.

A sentence i of N gives W_i words (tokens of more than two characters), weighted exp(-i/(N - 1)), in equal parts to its
citations; what each source gets is divided by the total. There are three modes, and every figure names its own:

- `geo` counts as the original GEO code does, mistakes included. Only `[1]` is a citation; `[1, 2]`, `[Source 1]` and
  【1】 earn nothing. `[0]` credits the last source, a number above n credits none but takes its part of the sentence,
  repeats count, and a marker after the full stop belongs to the next sentence. If nothing is earned, every source
  gets 1/n.
- `zero_based` is the same with `[0]` for the first source, as another published harness counts.
- `strict` reads every form of marker (see `citations`). Markers are not words, a source counts once in a sentence, a
  line break ends a sentence, a marker after the full stop belongs to the sentence before it, numbers out of range are
  left out and counted, and if nothing is earned there are no shares.
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
from steelyard.lab.outcome.citations import Marker, blank_markers, blank_spans, find_geo_numbers, list_numbers

GEO, ZERO_BASED, STRICT = MODES = ("geo", "zero_based", "strict")


@dataclass(frozen=True, slots=True)
class AnswerShares:
    """The shares of n sources, which sum to 1, and what they were counted from.

    `shares` is None in strict mode if nothing is earned: no citation, or no words with it. `citations` are those that
    credit a source: every marker in geo and zero_based, each source once a sentence in strict. `out_of_range` counts
    the others; a range such as `[3-99]` that leaves the list is one of them, and its part inside the list counts.
    """

    shares: tuple[float, ...] | None
    citations: int
    out_of_range: int
    fallback: bool  # the shares are the 1/n of an answer that earned nothing, not a measurement; never in strict


@dataclass(frozen=True, slots=True)
class CitedSentence:
    """A sentence of an answer: its words, and the sources that share its credit."""

    words: int
    cited: Sequence[tuple[int, float]]  # the index of a source, and how many parts of the credit it gets
    parts: float  # into how many the credit is divided
    out_of_range: int


def shares(answer: str, n: int, mode: str = GEO) -> list[float] | None:
    """Return the position-adjusted word share of each of n sources.

    Returns:
        None in strict mode if nothing is cited, or if no words are.
    """
    computed = measure_shares(answer, n, mode).shares
    return None if computed is None else list(computed)


def measure_shares(answer: str, n: int, mode: str = GEO) -> AnswerShares:
    """Return the share of each of n sources, and what the shares were counted from."""
    if mode not in MODES:
        raise UnknownName("PAWC mode", mode, MODES)
    if n < 1:
        raise ValueError(f"shares among {n} sources: an answer is measured against at least one")
    sentences = read_strict(answer, n) if mode == STRICT else _read_geo(answer, n, 0 if mode == ZERO_BASED else 1)
    earned = divide_credit(sentences, n)
    fallback = earned is None and mode != STRICT
    return AnswerShares(
        shares=(1 / n,) * n if fallback else earned,
        citations=sum(len(sentence.cited) for sentence in sentences),
        out_of_range=sum(sentence.out_of_range for sentence in sentences),
        fallback=fallback,
    )


def divide_credit(sentences: Sequence[CitedSentence], n: int) -> tuple[float, ...] | None:
    """Return what each of n sources earns over the total; None if that is 0.

    The credit of a sentence is its words, less for a later one.
    """
    last = len(sentences) - 1
    earned: list[list[float]] = [[] for _ in range(n)]
    for i, sentence in enumerate(sentences):
        credit = sentence.words * (math.exp(-i / last) if last else 1.0)
        for source, parts in sentence.cited:
            earned[source].append(credit * parts / sentence.parts)
    sums = [math.fsum(of_source) for of_source in earned]
    total = math.fsum(sums)
    return tuple(of_source / total for of_source in sums) if total else None


def _read_geo(answer: str, n: int, first: int) -> list[CitedSentence]:
    """Return the sentences as the original reads them; `first` is the number of the first source."""
    sentences = []
    for paragraph in answer.split("\n\n"):
        starts = sentence_starts(paragraph)
        for start, end in pairwise([*starts, len(paragraph)]):
            numbers = find_geo_numbers(paragraph[start:end])
            # [0] of a list that counts from 1 is index -1: Python's last.
            cited = [((number - first) % n, 1.0) for number in numbers if number - first < n]
            words = count_words(paragraph[start:end])
            sentences.append(CitedSentence(words, cited, len(numbers), len(numbers) - len(cited)))
    return sentences


# `1.` before an item of a list ends no sentence.
_ENUMERATOR = re.compile(r"^[ \t*#>_+•-]*+\d{1,3}[.)](?=[\s*_])", re.MULTILINE)
_WORD = re.compile(r"\w")


def read_strict(answer: str, n: int) -> list[CitedSentence]:
    """Return the sentences without their markers; a marker belongs to the last sentence of its line before it.

    At the head of a line it belongs to that line's first sentence, on a line of its own to the sentence before.
    """
    bare, markers = blank_markers(answer)
    bare = blank_spans(bare, (match.span() for match in _ENUMERATOR.finditer(bare)))
    texts: list[str] = []
    marked: defaultdict[int, list[Marker]] = defaultdict(list)
    offset = at = 0
    for line in bare.split("\n"):
        # A full stop after a marker is not a sentence: one has a letter or a digit.
        bounds = pairwise([*sentence_starts(line), len(line)])
        starts, before = [start for start, end in bounds if _WORD.search(line, start, end)], len(texts)
        while at < len(markers) and markers[at].start <= offset + len(line):
            place = bisect_right(starts, markers[at].start - offset) - 1
            marked[before + max(place, 0) if starts else max(before - 1, 0)].append(markers[at])
            at += 1
        texts += [line[start:end] for start, end in pairwise([*starts, len(line)])]
        offset += len(line) + 1
    if markers and not texts:
        texts = [""]
    return [_count_sentence(text, marked[i], n) for i, text in enumerate(texts)]


def _count_sentence(text: str, markers: Iterable[Marker], n: int) -> CitedSentence:
    ranges = [cited for marker in markers for cited in marker.ranges]
    inside = [(number - 1, 1.0) for number in list_numbers(ranges, n)]
    outside = sum(low < 1 or high > n for low, high in ranges)
    return CitedSentence(count_words(text), inside, len(inside), outside)


# A run of full stops, question and exclamation marks, and what closes with it.
_END = re.compile(r"(?<![.?!])([.?!]++)[\"')\]}”’»*_]*+(?=[\s\[(])")
_BEFORE = re.compile(r"[^\s(\[{\"'“‘*_]*\Z")
_AFTER = re.compile(r"[\s\"'“‘*_]*+([^\W\d_]*+)")
_VISIBLE = re.compile(r"\S")
_LETTERS = re.compile(r"(?:[^\W\d_]\.)*[^\W\d_]|ph\.d")  # initials, "e.g", "U.S"
# English, because these two lists mirror the splitter of the published harness whatever the page's language is.
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
    """Return where the sentences of a paragraph start: after `.`, `?` or `!` and white space, or before `[` or `(`.

    The rules are those of the original's splitter (NLTK's Punkt), which takes its abbreviations from a trained model:
    an abbreviation or initial ends a sentence only before a usual opening word, a number or an ellipsis does not before
    a lower-case letter, and a line break alone never does. That model cuts after "e.g.", "i.e.", "et al." and "Fig.",
    which end nothing here; it knows more American place names, and takes some single letters for initials.
    """
    first = _VISIBLE.search(text)
    starts = [first.start()] if first else []
    for match in _END.finditer(text):
        following = _VISIBLE.search(text, match.end())
        if following and not _continues(text, match):
            starts.append(following.start())
    return starts


def _continues(text: str, match: re.Match[str]) -> bool:
    """Return whether the sentence continues after this full stop."""
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


def count_words(sentence: str) -> int:
    """Count the tokens of more than two characters, as NLTK's word_tokenize cuts ordinary prose.

    So "don't" is "do" and "n't", "they'll" is "they" and "'ll", "cannot" is "can" and "not"; an ellipsis is a token.
    """
    text = sentence.rstrip(" \t\r\n\f\v])}>\"'»”’")
    if text.endswith(".") and not text.endswith(".."):
        text = text[:-1]
    tokens = (token.strip("'") for token in _TOKEN.findall(text.replace("--", " ")))
    return sum(_count_long_parts(token) for token in tokens if len(token) > 2)


def _count_long_parts(token: str) -> int:
    if "'" in token:
        for clitic in _CLITICS:
            if token.lower().endswith(clitic):
                return (len(token) - len(clitic) > 2) + (len(clitic) > 2)
    return 2 if token.lower() == "cannot" else 1
