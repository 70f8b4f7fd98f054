"""gopher-rules: the share of Gopher's quality and repetition rules that the text passes.

Our own implementation of the rules in Rae et al. 2021, "Scaling Language Models: Methods, Analysis & Insights from
Training Gopher", appendix A: the quality filter, and the thresholds of table A1 on repetition. They were made to
drop documents; the share of rules passed is our way to turn them into a score. Where the paper leaves a choice:

- a line, paragraph or n-gram is repeated from its second occurrence on, and only the repeats are counted;
- the most frequent n-gram is counted at all its positions, when it occurs at least twice; of several, the longest;
- the characters of an n-gram are those of its words, and all characters those of all words, without white space;
- the hash symbol and the ellipsis are two rules, which makes 21 with the 13 on repetition;
- a text without words passes none.

The stop words are English, so a text in another language loses that rule.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Hashable, Iterable, Iterator, Sequence
from itertools import count, groupby

MIN_WORDS, MAX_WORDS = 50, 100_000
MIN_MEAN_LENGTH, MAX_MEAN_LENGTH = 3.0, 10.0  # characters per word
MAX_SYMBOLS = 0.1  # per word, for hash signs and for ellipses
MAX_BULLETS = 0.9  # of the lines
MAX_TRAILING = 0.3  # of the lines, ending in an ellipsis
MIN_ALPHABETIC = 0.8  # of the words, with a letter in them
STOP_WORDS = frozenset({"the", "be", "to", "of", "and", "that", "have", "with"})
MIN_STOP_WORDS = 2  # different ones

MAX_REPEATED_LINES = MAX_REPEATED_PARAGRAPHS = 0.30
MAX_IN_REPEATED_LINES = MAX_IN_REPEATED_PARAGRAPHS = 0.20  # of the characters
MAX_IN_TOP_GRAM = {2: 0.20, 3: 0.18, 4: 0.16}  # of the characters, in the most frequent n-gram
MAX_IN_REPEATED_GRAMS = {5: 0.15, 6: 0.14, 7: 0.13, 8: 0.12, 9: 0.11, 10: 0.10}

BULLETS = ("•", "‣", "◦", "▪", "●", "-", "*", "–")  # Markdown's among them
ELLIPSES = ("...", "…")


def apply_rules(text: str) -> dict[str, bool]:
    """Return, for every rule by name, whether the text passes it."""
    words = text.split()
    return {**dict(_quality_rules(text, words)), **dict(_repetition_rules(text, words))}


def measure_share_passed(text: str) -> float:
    """Return the share of the rules that the text passes; 0 for a text without words."""
    passed = apply_rules(text)
    return sum(passed.values()) / len(passed) if text.split() else 0.0


def _quality_rules(text: str, words: Sequence[str]) -> Iterator[tuple[str, bool]]:
    n = max(1, len(words))
    lines = _lines(text)
    n_lines = max(1, len(lines))
    yield "words", MIN_WORDS <= len(words) <= MAX_WORDS
    yield "mean word length", MIN_MEAN_LENGTH <= sum(map(len, words)) / n <= MAX_MEAN_LENGTH
    yield "hash symbols", text.count("#") / n <= MAX_SYMBOLS
    yield "ellipses", sum(text.count(e) for e in ELLIPSES) / n <= MAX_SYMBOLS
    yield "bullet lines", sum(line.startswith(BULLETS) for line in lines) / n_lines <= MAX_BULLETS
    yield "trailing ellipses", sum(line.endswith(ELLIPSES) for line in lines) / n_lines <= MAX_TRAILING
    yield "alphabetic words", sum(any(c.isalpha() for c in w) for w in words) / n >= MIN_ALPHABETIC
    bare = {w.strip(".,;:!?\"'()[]*_").lower() for w in words}
    yield "stop words", len(STOP_WORDS & bare) >= MIN_STOP_WORDS


def _lines(text: str) -> list[str]:
    return [line.strip() for line in text.splitlines() if line.strip()]


def _paragraphs(text: str) -> list[str]:
    """Return what blank lines separate, each as one string."""
    groups = groupby((line.strip() for line in text.splitlines()), key=bool)
    return ["\n".join(lines) for has_text, lines in groups if has_text]


def _repetition_rules(text: str, words: Sequence[str]) -> Iterator[tuple[str, bool]]:
    for noun, pieces, max_repeated, max_characters in (
        ("lines", _lines(text), MAX_REPEATED_LINES, MAX_IN_REPEATED_LINES),
        ("paragraphs", _paragraphs(text), MAX_REPEATED_PARAGRAPHS, MAX_IN_REPEATED_PARAGRAPHS),
    ):
        repeats = _repeat_positions(pieces)
        characters = sum(len(pieces[i]) for i in repeats)
        yield f"repeated {noun}", len(repeats) / max(1, len(pieces)) <= max_repeated
        yield f"characters in repeated {noun}", characters / max(1, sum(map(len, pieces))) <= max_characters
    lengths = [len(w) for w in words]
    total = max(1, sum(lengths))
    grams = single = _number(words)
    for n in range(2, 11):
        # A gram of n words is a gram of n - 1 words and the next word: a pair of numbers, however long it is.
        grams = _number(zip(grams, single[n - 1 :], strict=False))
        if n in MAX_IN_TOP_GRAM:
            yield f"top {n}-gram", _characters_in_top_gram(grams, n, lengths) / total <= MAX_IN_TOP_GRAM[n]
        else:
            characters = _characters(_repeat_positions(grams), n, lengths)
            yield f"repeated {n}-grams", characters / total <= MAX_IN_REPEATED_GRAMS[n]


def _repeat_positions(items: Sequence[Hashable]) -> list[int]:
    """Return the positions of the items that occurred before."""
    seen: set[Hashable] = set()
    positions = []
    for i, item in enumerate(items):
        if item in seen:
            positions.append(i)
        seen.add(item)
    return positions


def _number(items: Iterable[object]) -> list[int]:
    """Return a number for each item, the same for equal ones."""
    numbers: defaultdict[object, int] = defaultdict(count().__next__)
    return [numbers[item] for item in items]


def _characters_in_top_gram(grams: Sequence[int], n: int, lengths: Sequence[int]) -> int:
    """Count the characters at all positions of the most frequent n-gram, the longest of several; 0 if none repeats."""
    counts = Counter(grams)
    highest = max(counts.values(), default=0)
    if highest < 2:
        return 0
    positions: defaultdict[int, list[int]] = defaultdict(list)
    for i, gram in enumerate(grams):
        if counts[gram] == highest:
            positions[gram].append(i)
    return max(_characters(starts, n, lengths) for starts in positions.values())


def _characters(starts: Iterable[int], n: int, lengths: Sequence[int]) -> int:
    """Count the characters of the words in windows of n from these ascending starts, each word once."""
    total = done = 0
    for start in starts:
        total += sum(lengths[max(start, done) : start + n])
        done = start + n
    return total
