"""A corpus: pages cut to one length, in two views, split once and for good, with the hash of what they are."""

from __future__ import annotations

import hashlib
import json
import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any, NamedTuple

from steelyard import languages
from steelyard.errors import SteelyardError
from steelyard.inputs.find import CORPUS_SCHEMA
from steelyard.support.artifacts import to_json, write_text
from steelyard.support.jsonl import not_json, not_object
from steelyard.text.document import Source

LEAST_WORDS = 200
MOST_WORDS = 400
SEED = 2026
TRAIN, TEST = "train", "test"
SPLITS = (TRAIN, TEST)
FLATTENED, STRUCTURED = "flattened", "structured"
VIEWS = (FLATTENED, STRUCTURED)
AGAIN = "build the corpus again"
_WORD = re.compile(r"\S+")


class CorpusInvalid(SteelyardError):
    """A corpus file is damaged or empty; the message says where."""

    def __init__(self, where: str, reason: str) -> None:
        super().__init__(f"{where}: {reason}")


class Candidate(NamedTuple):
    """A page on its way into a corpus. `shown` is its reading text where the text holds markup."""

    id: str
    text: str
    shown: str | None = None
    title: str | None = None
    language: str | None = None


@dataclass(frozen=True, slots=True)
class CorpusPage:
    """One page: the text with its line breaks, and the flattened view the paper measured."""

    id: str
    language: str
    split: str
    title: str | None
    text: str
    flattened: str

    def view(self, name: str) -> str:
        return self.flattened if name == FLATTENED else self.text

    def view_title(self, name: str) -> str | None:
        """The flattened view has no title: the paper's had none."""
        return None if name == FLATTENED else self.title


@dataclass(frozen=True)
class Corpus:
    """Pages in the order they were given, and what they were made from."""

    name: str
    pages: tuple[CorpusPage, ...]
    made_from: Mapping[str, str] = field(default_factory=dict)
    dropped: Mapping[str, int] = field(default_factory=dict)
    seed: int = SEED

    @property
    def digest(self) -> str:
        """SHA-256 over every page with its split."""
        total = hashlib.sha256()
        for page in self.pages:
            total.update(to_json(asdict(page), indent=None, sort_keys=True).encode("utf-8", "replace") + b"\n")
        return total.hexdigest()

    def of(self, language: str) -> tuple[CorpusPage, ...]:
        return tuple(p for p in self.pages if p.language == language)


def build(
    name: str,
    candidates: Iterable[Candidate],
    *,
    made_from: Mapping[str, str] | None = None,
    least_words: int = LEAST_WORDS,
    most_words: int = MOST_WORDS,
    seed: int = SEED,
) -> Corpus:
    """Keep what is long enough, in a language we know and not there already; cut it; halve it by its own hash."""
    if most_words < least_words:
        raise CorpusInvalid(name, f"cut at {most_words} words no page has {least_words}; raise --most or lower --least")
    kept: list[CorpusPage] = []
    dropped: Counter[str] = Counter()
    texts: set[str] = set()
    ids: Counter[str] = Counter()
    for candidate in candidates:
        flat = " ".join((candidate.shown or candidate.text).split()[:most_words])
        language = candidate.language or _language(flat)
        if len(flat.split()) < least_words:
            dropped[f"fewer than {least_words} words"] += 1
        elif language not in languages.CODES:
            dropped["in another language"] += 1
        elif flat in texts:
            dropped["the text of another page"] += 1
        else:
            texts.add(flat)
            ids[candidate.id] += 1
            own = candidate.id if ids[candidate.id] == 1 else f"{candidate.id}#{ids[candidate.id]}"
            kept.append(CorpusPage(own, language, TRAIN, candidate.title, cut(candidate.text, most_words), flat))
    if not kept:
        reasons = ", ".join(f"{n} {why}" for why, n in dropped.items()) or "there were none"
        raise CorpusInvalid(name, f"no page could be used ({reasons}); pages need {least_words} words or more")
    return Corpus(name, _split(kept, seed), dict(made_from or {}), dict(sorted(dropped.items())), seed)


def cut(text: str, words: int) -> str:
    """The text up to the end of its `words`-th word, line breaks kept."""
    end = 0
    for number, match in enumerate(_WORD.finditer(text)):
        if number == words:
            break
        end = match.end()
    return text[:end]


def _split(pages: list[CorpusPage], seed: int) -> tuple[CorpusPage, ...]:
    """Half of each language to train, by the hash of seed and text: no order, name or neighbour moves a page."""
    train: set[str] = set()
    for language in {p.language for p in pages}:
        texts = [p.flattened for p in pages if p.language == language]
        ordered = sorted(texts, key=lambda t: hashlib.sha256(f"{seed}|{t}".encode("utf-8", "replace")).digest())
        train.update(ordered[: (len(ordered) + 1) // 2])
    return tuple(
        CorpusPage(p.id, p.language, TRAIN if p.flattened in train else TEST, p.title, p.text, p.flattened)
        for p in pages
    )


def _language(text: str) -> str:
    source = Source(text)
    return languages.detect(source.structure.view.text, source.word_counts)


def write(corpus: Corpus, path: str | Path) -> None:
    """One header line, then one page per line."""
    head = {
        "schema": CORPUS_SCHEMA,
        "name": corpus.name,
        "seed": corpus.seed,
        "made_from": corpus.made_from,
        "dropped": corpus.dropped,
        "pages": len(corpus.pages),
        "sha256": corpus.digest,
    }
    lines = [head, *(asdict(p) for p in corpus.pages)]
    write_text(path, "".join(to_json(line, indent=None, sort_keys=True) + "\n" for line in lines))


def read(path: str | Path) -> Corpus:
    """A corpus file, checked against the hash in its header."""
    lines = list(_lines(Path(path)))
    head, records = lines[0], lines[1:]
    try:
        pages = tuple(CorpusPage(**{k: r[k] for k in CorpusPage.__slots__}) for r in records)
        corpus = Corpus(head["name"], pages, head["made_from"], head["dropped"], head["seed"])
        stated = head["sha256"]
    except (KeyError, TypeError) as error:
        raise CorpusInvalid(str(path), f"a record lacks {error}; {AGAIN}") from error
    if corpus.digest != stated:
        raise CorpusInvalid(str(path), f"the pages are not those the header was written for; {AGAIN}")
    return corpus


def _lines(path: Path) -> Iterator[dict[str, Any]]:
    try:
        text = path.read_text("utf-8")
    except (OSError, ValueError) as error:
        raise CorpusInvalid(str(path), f"cannot be read ({error}); check the path") from error
    # Not splitlines(): U+2028 and U+0085 end no line of JSONL, and pages hold them.
    for number, line in enumerate(text.removesuffix("\n").split("\n"), start=1):
        try:
            value = json.loads(line)
        except (ValueError, RecursionError) as error:
            raise CorpusInvalid(f"{path}:{number}", not_json(error, AGAIN)) from error
        if not isinstance(value, dict):
            raise CorpusInvalid(f"{path}:{number}", not_object(value, AGAIN))
        yield value
