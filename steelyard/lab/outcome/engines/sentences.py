"""Split an answer or a source into sentences, word by word: linear in any text, and the same for every language."""

from __future__ import annotations

from collections.abc import Iterator

_ENDS = (".", "!", "?", "…")
_CLOSING = "\"'”’»)"  # may follow the end of a sentence
_BLOCK_STARTS = ("#", "- ", "* ", "+ ", ">", "|")  # lines that begin something new in Markdown
_ABBREVIATIONS = frozenset("mr. mrs. ms. dr. prof. st. vs. e.g. i.e. cf. fig. no. approx. p. m. mme.".split())


def split(text: str, most_words: int = 1_000) -> Iterator[str]:
    """Yield each sentence with single spaces; one that is longer is cut into pieces of `most_words`.

    A sentence ends with its block, or at a word with `.!?…` when the next word does not start in lower case. A citation
    such as [2] behind the full stop belongs to the sentence before it.
    """
    for block in _blocks(text):
        start, ended = 0, False
        for i, word in enumerate(block):
            ended = (ended and _is_mark(word)) or _ends(word, first=i == start)
            following = block[i + 1] if i + 1 < len(block) else ""
            continues = following[:1].islower() or _is_mark(following)
            if not following or (ended and not continues) or i + 1 - start >= most_words:
                yield " ".join(block[start : i + 1])
                start, ended = i + 1, False


def strip_full_stop(sentence: str) -> str:
    """Return the sentence without its full stop; a quotation mark behind that stays."""
    bare = sentence.rstrip(_CLOSING)
    return bare.rstrip("".join(_ENDS)) + sentence[len(bare) :]


def add_citation(sentence: str, number: int) -> str:
    """Put a citation before the full stop, where no reader of answers attributes it to the next sentence."""
    bare = sentence.rstrip(_CLOSING)
    return f"{strip_full_stop(sentence)} [{number}]{bare[-1] if bare.endswith(('!', '?')) else '.'}"


def _blocks(text: str) -> Iterator[list[str]]:
    """Yield the words of each block between blank lines and Markdown marks."""
    words: list[str] = []
    for line in text.splitlines():
        stripped = line.strip()
        if words and (not stripped or stripped.startswith(_BLOCK_STARTS)):
            yield words
            words = []
        words += stripped.split()
        if stripped.startswith("#"):
            yield words
            words = []
    if words:
        yield words


def _ends(word: str, *, first: bool) -> bool:
    # "Paris.[1]" ends like "Paris."
    bare = word.rstrip("[]0123456789") if word.endswith("]") else word.rstrip(_CLOSING)
    if not bare.endswith(_ENDS) or word.lower() in _ABBREVIATIONS:
        return False
    return not (first and bare[:-1].isdecimal())  # the "1." of a list


def _is_mark(word: str) -> bool:
    return word.startswith("[") and word[1:2].isdecimal()
