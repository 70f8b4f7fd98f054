"""gopher-rules: the share of Gopher's quality and repetition rules that the text passes. Range 0 to 1.

Our own writing of the rules in Rae et al. 2021, "Scaling Language Models: Methods, Analysis & Insights from
Training Gopher", appendix A: the quality filter, and the thresholds of table A1 on repetition. They were made to
drop documents; the share of rules passed is our way to turn them into a score. Where the paper leaves a choice:

- a line, paragraph or n-gram is repeated from its second occurrence on, and only the repeats are counted;
- the most frequent n-gram is counted in all its places, when it has at least two; of several the longest;
- the characters of an n-gram are those of its words, and all characters those of all words, without white space;
- the hash symbol and the ellipsis are two rules, which makes 21 with the 13 on repetition;
- a text without words passes none.

The stop words are English, so a text in another language loses that rule.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Sequence
from itertools import count

from steelyard.lab.scorers.base import Range
from steelyard.lab.scorers.peers.base import InProcess

FEWEST_WORDS, MOST_WORDS = 50, 100_000
SHORTEST_MEAN, LONGEST_MEAN = 3.0, 10.0  # characters a word
MOST_SYMBOLS = 0.1  # a word, of hash signs and of ellipses
MOST_BULLETS = 0.9  # of the lines
MOST_TRAILING = 0.3  # of the lines, ending in an ellipsis
FEWEST_ALPHABETIC = 0.8  # of the words, with a letter in them
STOP_WORDS = frozenset({"the", "be", "to", "of", "and", "that", "have", "with"})
FEWEST_STOP_WORDS = 2  # different ones

MOST_REPEATED_LINES = MOST_REPEATED_PARAGRAPHS = 0.30
MOST_IN_REPEATED_LINES = MOST_IN_REPEATED_PARAGRAPHS = 0.20  # of the characters
MOST_IN_TOP_GRAM = {2: 0.20, 3: 0.18, 4: 0.16}  # of the characters, in the most frequent n-gram
MOST_IN_REPEATED_GRAMS = {5: 0.15, 6: 0.14, 7: 0.13, 8: 0.12, 9: 0.11, 10: 0.10}

BULLETS = ("•", "‣", "◦", "▪", "●", "-", "*", "–")  # Markdown's among them
ELLIPSES = ("...", "…")


def rules(text: str) -> dict[str, bool]:
    """Every rule by name, and whether the text passes it."""
    words = text.split()
    return {**dict(_quality(text, words)), **dict(_repetition(text, words))}


def share_passed(text: str) -> float:
    """Rules passed over rules; 0 for a text without words."""
    passed = rules(text)
    return sum(passed.values()) / len(passed) if text.split() else 0.0


def _quality(text: str, words: Sequence[str]) -> Iterator[tuple[str, bool]]:
    n = max(1, len(words))
    lines = _lines(text)
    yield "words", FEWEST_WORDS <= len(words) <= MOST_WORDS
    yield "mean word length", SHORTEST_MEAN <= sum(map(len, words)) / n <= LONGEST_MEAN
    yield "hash symbols", text.count("#") / n <= MOST_SYMBOLS
    yield "ellipses", sum(text.count(e) for e in ELLIPSES) / n <= MOST_SYMBOLS
    yield "bullet lines", _share(lines, BULLETS, at_start=True) <= MOST_BULLETS
    yield "trailing ellipses", _share(lines, ELLIPSES, at_start=False) <= MOST_TRAILING
    yield "alphabetic words", sum(any(c.isalpha() for c in w) for w in words) / n >= FEWEST_ALPHABETIC
    bare = {w.strip(".,;:!?\"'()[]*_").lower() for w in words}
    yield "stop words", len(STOP_WORDS & bare) >= FEWEST_STOP_WORDS


def _lines(text: str) -> list[str]:
    return [line.strip() for line in text.splitlines() if line.strip()]


def _paragraphs(text: str) -> list[str]:
    """What blank lines part, each on one line."""
    found: list[list[str]] = [[]]
    for line in text.splitlines():
        if line.strip():
            found[-1].append(line.strip())
        elif found[-1]:
            found.append([])
    return ["\n".join(lines) for lines in found if lines]


def _share(lines: Sequence[str], marks: tuple[str, ...], *, at_start: bool) -> float:
    test = str.startswith if at_start else str.endswith
    return sum(test(line, marks) for line in lines) / max(1, len(lines))


def _repetition(text: str, words: Sequence[str]) -> Iterator[tuple[str, bool]]:
    for noun, pieces, most, most_characters in (
        ("lines", _lines(text), MOST_REPEATED_LINES, MOST_IN_REPEATED_LINES),
        ("paragraphs", _paragraphs(text), MOST_REPEATED_PARAGRAPHS, MOST_IN_REPEATED_PARAGRAPHS),
    ):
        share, characters = _repeated(pieces)
        yield f"repeated {noun}", share <= most
        yield f"characters in repeated {noun}", characters <= most_characters
    lengths = [len(w) for w in words]
    total = max(1, sum(lengths))
    grams = single = _numbered(words)
    for n in range(2, 11):
        # A gram of n words is a gram of n - 1 words and the word after it: a pair of numbers, however long it is.
        grams = _numbered(zip(grams, single[n - 1 :], strict=False))
        if n in MOST_IN_TOP_GRAM:
            yield f"top {n}-gram", _in_top(grams, n, lengths) / total <= MOST_IN_TOP_GRAM[n]
        else:
            yield f"repeated {n}-grams", _in_repeats(grams, n, lengths) / total <= MOST_IN_REPEATED_GRAMS[n]


def _repeated(pieces: Sequence[str]) -> tuple[float, float]:
    """The share of the pieces that stood before already, and the share of the characters in them."""
    seen: set[str] = set()
    again = characters = 0
    for piece in pieces:
        if piece in seen:
            again += 1
            characters += len(piece)
        seen.add(piece)
    return again / max(1, len(pieces)), characters / max(1, sum(map(len, pieces)))


def _numbered(things: Iterable[object]) -> list[int]:
    """A number for each thing, the same for equal ones."""
    numbers: defaultdict[object, int] = defaultdict(count().__next__)
    return [numbers[thing] for thing in things]


def _in_top(grams: Sequence[int], n: int, lengths: Sequence[int]) -> int:
    """Characters in all places of the most frequent n-gram; 0 when none occurs twice. The longest of several."""
    counts = Counter(grams)
    most = max(counts.values(), default=0)
    if most < 2:
        return 0
    places: defaultdict[int, list[int]] = defaultdict(list)
    for i, gram in enumerate(grams):
        if counts[gram] == most:
            places[gram].append(i)
    return max(_characters(starts, n, lengths) for starts in places.values())


def _in_repeats(grams: Sequence[int], n: int, lengths: Sequence[int]) -> int:
    """Characters in n-grams that stood before already, each character once."""
    seen: set[int] = set()
    starts = []
    for i, gram in enumerate(grams):
        if gram in seen:
            starts.append(i)
        seen.add(gram)
    return _characters(starts, n, lengths)


def _characters(starts: Iterable[int], n: int, lengths: Sequence[int]) -> int:
    """Characters of the words in windows of n from these starts, which ascend; no word twice."""
    total = done = 0
    for start in starts:
        total += sum(lengths[max(start, done) : start + n])
        done = start + n
    return total


GOPHER_RULES = InProcess(
    name="gopher-rules",
    version="1 (Rae et al. 2021)",
    range=Range(0.0, 1.0),
    about="the share of Gopher's 21 quality and repetition rules that the text passes",
    measure=share_passed,
)
