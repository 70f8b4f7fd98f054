"""What is counted on a page to find its kind: words of some groups, lines, links, headings, address."""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping
from functools import cache
from typing import NamedTuple
from urllib.parse import urlsplit

from steelyard import languages
from steelyard.text.characters import lower
from steelyard.text.document import Document

MAX_READ = 20_000  # characters; what a page is can be told from its beginning
MAX_EXAMPLES = 3  # words shown for a cue
MAX_TITLE = 300  # characters
SHORT_LINE = 6  # words
LONG_LINE = 30  # words, from which a line is a paragraph
NEAR_TOP = 400  # characters at the beginning of a page, in which a report has its place
LONG_ENOUGH = 100  # characters of a line that is no heading
MIN_LINES = 6  # from which a share of lines says anything
WORD_GROUPS = (
    "report", "when", "event", "i", "view", "you", "we", "sell", "amount", "law", "define", "explain", "forum", "list",
)  # fmt: skip
# Groups about one thing: a single word of them, however often, says little.
TOPICS = frozenset(("event", "view", "sell", "amount", "law", "define", "explain", "forum"))
ENOUGH = 3  # words, or different ones, from which a rate counts in full
STRUCTURE = (
    "dateline", "quotations", "exclamations", "prices", "commands", "numbered", "code", "defined", "references",
    "lives", "rows", "prose", "third_person", "speech", "questions", "times", "asking_headings", "turns", "short_lines",
    "links",
)  # fmt: skip
AMOUNTS = (*WORD_GROUPS, *STRUCTURE)

# Every repeat is bounded, so that no text is read more often than the bound.
_QUOTED = re.compile(r"“[^”\n]{2,400}”|\"[^\"\n]{2,400}\"|«[^»\n]{2,400}»|„[^“”\n]{2,400}[“”]")
_DATELINE = re.compile(
    r"[#*_\s]{0,9}(?:[A-ZÀ-ÖØ-Þ][A-ZÀ-ÖØ-Þ.'-]{2,20})(?:,? [A-ZÀ-ÖØ-Þ][\w.'-]{0,20}){0,4}"
    r"(?: ?/? ?\([\w./ -]{2,30}\))?(?: ?--? | ?[–—] ?| ?\.- ?)"
)
_PRICE = re.compile(r"[$€£] ?[0-9]|[0-9] ?[€£]|[0-9] (?:euros?|dollars?)\b")
_FIRST_WORD = re.compile(r"(?:^|[.!?:]['\")\]]? |\n)[\s0-9.)*•-]{0,8}([^\W\d_]{2,20})")
_LINE_MARKS = " \t\r#*>|-•"
_NUMBERED = re.compile(r"\s{0,4}(?:#{1,6} )?\(?[0-9]{1,3}[.):] ")
_TURN = re.compile(r"\s{0,4}(?:q|a|question|answer|frage|antwort|réponse|pregunta|respuesta)[0-9]{0,3} ?[:.] ", re.I)
_TIME = re.compile(r"\b[0-2]?[0-9](?::|h| h )[0-5][0-9]\b")
_OPENING = '“"«„—'  # marks with which a line of speech begins
_REFERENCE = re.compile(r"\[[0-9]{1,3}\]")
_LIFE = re.compile(r"\([^()\n]{0,60}[12][0-9]{3} ?[-–] ?[^()\n]{0,40}[12][0-9]{3}[^()\n]{0,10}\)")
_DEFINED = re.compile(
    r"[^.!?\n]{2,120}? (?:is|are|was|were|est|sont|était|ist|sind|war|es|son|era|fue) "
    r"(?:an?|the|one|une?|le|la|les|eine?[nr]?|der|die|das|una?|el)\b"
)
_INSIDE = re.compile(r"(?<=[^\s.!?:] )[A-Z][a-z]{2,5}\b")  # a capital that begins no sentence
_ADDRESS_PART = re.compile(r"[a-zà-ÿ]{2,30}")


class KindWords(NamedTuple):
    """A language's data: the groups of each word, and by source and kind what is looked for."""

    groups: Mapping[str, tuple[str, ...]]
    commands: frozenset[str]
    you_as_written: frozenset[str]
    given: Mapping[str, Mapping[str, tuple[str, ...]]]


@cache
def load_kind_words(language: str) -> KindWords:
    """Load the words of a language, and those that hold in every language."""
    data = languages.read_toml(language, "kinds.toml")
    groups: defaultdict[str, list[str]] = defaultdict(list)
    for group in WORD_GROUPS:
        for word in dict.fromkeys(data["words"][group].split()):
            groups[word].append(group)
    shared = languages.read_shared("kinds")
    given: dict[str, Mapping[str, tuple[str, ...]]] = {
        source: {kind: tuple(found) for kind, found in data[source].items()}
        for source in ("phrases", "headings", "titles")
    }
    given |= {source: {kind: tuple(words.split()) for kind, words in shared[source].items()} for source in shared}
    return KindWords(
        {word: tuple(of) for word, of in groups.items()},
        frozenset(data["words"]["command"].split()),
        frozenset(data["words"].get("you_as_written", "").split()),
        given,
    )


class PageFeatures:
    """The counts of a page.

    Attributes:
        n_words: Words outside of quotations, as far as the page is read.
        amounts: Each count by its name; those of words are per 100 words.
        examples: Words that were counted, a few of each group.
        given: By kind and source, what a language gives for the kind and the page has.
    """

    def __init__(self, doc: Document, url: str | None = None, types: tuple[str, ...] = ()) -> None:
        self._doc = doc
        self._data = load_kind_words(doc.language.code)
        text = doc.text[:MAX_READ]
        unquoted, quotations = _QUOTED.subn(" ", text)
        self.amounts: dict[str, float] = dict.fromkeys(AMOUNTS, 0.0)
        self.examples: dict[str, tuple[str, ...]] = {}
        self.given: dict[str, dict[str, list[str]]] = {}
        self._count_words(unquoted)
        self._count_structure(text, unquoted)
        self.amounts["quotations"] = float(quotations)
        self._count_lines(text)
        self._find_given(text, url, types)

    def _count_words(self, unquoted: str) -> None:
        """Count the words of each group; what is quoted is somebody else's, so its persons do not count."""
        lowered = lower(unquoted).replace("’", "'")
        counts = Counter(_split_words(lowered))
        self.n_words = sum(counts.values())
        found: dict[str, list[str]] = {}
        groups = self._data.groups
        for word in counts.keys() & groups.keys():
            for group in groups[word]:
                self.amounts[group] += counts[word]
                found.setdefault(group, []).append(word)
        if self._data.you_as_written:
            written = Counter(_INSIDE.findall(unquoted))
            self.amounts["you"] += sum(written[word] for word in self._data.you_as_written)
            found.setdefault("you", sorted(word for word in self._data.you_as_written if written[word]))
        persons = sum(self.amounts[group] for group in ("i", "you", "we"))
        self.amounts["third_person"] = max(0.0, 1 - 100 * persons / max(self.n_words, 1)) if self.n_words else 0.0
        for group, words in found.items():
            few = len(words) if group in TOPICS else self.amounts[group]
            self.amounts[group] *= 100 / self.n_words * min(1.0, few / ENOUGH)
            self.examples[group] = tuple(sorted(words, key=lambda word: (-counts[word], word))[:MAX_EXAMPLES])

    def _count_structure(self, text: str, unquoted: str) -> None:
        amounts, per_hundred = self.amounts, 100 / max(self.n_words, 1)
        starts = [word.lower() for word in _FIRST_WORD.findall(unquoted)]
        if len(starts) >= MIN_LINES:
            commands = [word for word in starts if word in self._data.commands]
            amounts["commands"] = len(commands) / len(starts) * min(1.0, len(set(commands)) / ENOUGH)
            self.examples["commands"] = tuple(dict.fromkeys(commands))[:MAX_EXAMPLES]
        amounts["dateline"] = float(any(_DATELINE.match(line) for line in _list_first_paragraphs(text)))
        amounts["exclamations"] = unquoted.count("!") * per_hundred
        amounts["questions"] = unquoted.count("?") * per_hundred
        amounts["times"] = float(sum(1 for _ in _TIME.finditer(unquoted)))
        amounts["prices"] = float(sum(1 for _ in _PRICE.finditer(unquoted)))
        amounts["references"] = float(sum(1 for _ in _REFERENCE.finditer(text)))
        amounts["lives"] = float(sum(1 for _ in _LIFE.finditer(text[:1_000])))
        amounts["defined"] = float(any(_DEFINED.match(line) for line in _list_first_lines(text)))
        source = self._doc.source.text[:MAX_READ]
        amounts["code"] = source.count("```") / 2
        amounts["links"] = sum(link.start < MAX_READ for link in self._doc.structure.links) * per_hundred

    def _count_lines(self, text: str) -> None:
        """Count lines as they are written, and the share of words in paragraphs as they are read."""
        amounts, source = self.amounts, self._doc.source
        paragraphs = [len(line.split()) for line in text.split("\n")]
        amounts["prose"] = sum(n for n in paragraphs if n >= LONG_LINE) / max(1, sum(paragraphs))
        written = source.text[source.start : source.start + MAX_READ].split("\n")
        amounts["rows"] = float(sum(line.lstrip()[:1] == "|" for line in written))
        lines = [bare for line in written if (bare := line.strip(_LINE_MARKS))]
        lengths = [len(line.split()) for line in lines]
        amounts["numbered"] = float(sum(1 for line in lines if _NUMBERED.match(line)))
        amounts["turns"] = float(sum(1 for line in lines if _TURN.match(line)))
        if len(lines) >= MIN_LINES:
            short = sum(1 for line, n in zip(lines, lengths, strict=True) if n <= SHORT_LINE and line[-1] not in ".!?")
            amounts["short_lines"] = short / len(lines)
            said = sum(line[0] in _OPENING and n <= LONG_LINE for line, n in zip(lines, lengths, strict=True))
            amounts["speech"] = said / len(lines)

    def _find_given(self, text: str, url: str | None, types: tuple[str, ...]) -> None:
        lowered = " " + lower(text).replace("\n", " ")
        title = f" {lower(self._doc.title or '')[:MAX_TITLE]} "
        view = self._doc.text
        headings = [
            lower(view[h.start : min(h.end, h.start + MAX_TITLE)]).strip() for h in self._doc.structure.headings[:100]
        ]
        self.amounts["asking_headings"] = float(sum(heading.endswith("?") for heading in headings))
        parts = set(_list_address_parts(url)) if url else set()
        own = set(types)
        for source, kinds in self._data.given.items():
            for kind, looked_for in kinds.items():
                if source == "phrases":
                    found = [phrase for phrase in looked_for if f" {phrase}" in lowered]
                elif source == "headings":
                    found = [name for name in looked_for if any(h.startswith(name) for h in headings)]
                elif source == "titles":
                    found = [words for words in looked_for if f" {words.lstrip()}" in title]
                else:
                    found = [name for name in looked_for if name in (parts if source == "address" else own)]
                if found:
                    self.given.setdefault(kind, {})[source] = [words.strip() for words in found]


_WORD = re.compile(r"[^\W\d_]+(?:[-'][^\W\d_]+)*")


def _split_words(lowered: str) -> list[str]:
    return _WORD.findall(lowered)


def _list_first_paragraphs(text: str) -> Iterator[str]:
    """Yield the lines near the beginning that are no headings: a place in capitals begins a report in the same line."""
    at = 0
    for line in text[: NEAR_TOP + LONG_ENOUGH].split("\n"):
        if at < NEAR_TOP and len(line) >= LONG_ENOUGH:
            yield line
        at += len(line) + 1


def _list_first_lines(text: str) -> Iterator[str]:
    """Yield the first two lines that are long enough to define something."""
    shown = 0
    for line in text[:1_500].split("\n"):
        if len(line) > 60:  # no heading
            yield line
            shown += 1
        if shown == 2:
            return


def _list_address_parts(url: str) -> Iterator[str]:
    """Yield the words of an address, but for those of a long last part, which repeats the title."""
    try:
        split = urlsplit(url)
    except ValueError:
        return
    for part in (*(split.hostname or "").split("."), *split.path[:500].lower().split("/")):
        if part.count("-") <= 1:
            yield from _ADDRESS_PART.findall(part)
