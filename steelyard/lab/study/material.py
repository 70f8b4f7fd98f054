"""What the whole study is made from: pages in several languages, questions for an engine, and records of answers."""

from __future__ import annotations

import hashlib
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from datetime import date
from functools import cached_property
from pathlib import Path
from typing import Any

from steelyard.errors import SteelyardError
from steelyard.lab.agreement import labels
from steelyard.lab.corpus import ELSEWHERE, Corpus, CorpusPage, loading
from steelyard.lab.corpus import write as write_corpus
from steelyard.lab.gaming.whole_pages import find_files
from steelyard.lab.outcome import run as runs
from steelyard.lab.outcome.engines.extractive import Extractive
from steelyard.lab.outcome.experiment import ExperimentPlan
from steelyard.lab.outcome.records.questions import ExperimentQuestion, load_demo_questions
from steelyard.lab.outcome.soft_shares import is_probability_file
from steelyard.lab.protocol import capture
from steelyard.lab.protocol.capture import CapturePlan
from steelyard.lab.scorers.own import OwnScorer
from steelyard.lab.study.study import Call, Section
from steelyard.support.artifacts import hash_file, to_unescaped_json

DEMO, TINY = "demo", "tiny"
TINY_PAGES, TINY_QUERIES = 12, 3
LARGE = 200  # English pages
# A folder in the documented form: pages of each language, and records in any of the known formats.
LANGUAGES = ("en", "fr", "de", "es")
PAGES = "web_{}.jsonl"  # of a language; a folder holds English ones at least
ENGLISH, RECORDS = PAGES.format("en"), "outcomes"
# More pages of a language, beside labels of people; only studies that ask for as many as there are read them.
MORE_PAGES = ("human/pages_{}.jsonl.gz", "human/register_{}.jsonl")
BENCH = "bench.json"  # what `./run bench` measured: speed is read, never measured, or no study would come out twice
MARKS = "marks"  # a folder of evidence that readers marked, and of their grades
MORE_RECORDS = "geo_bench_rows.json"
CALLS = "calls"  # a folder of shares of answers whose texts are not there
_SUFFIXES = (".jsonl", ".jsonl.gz", ".ndjson")
SEED = 0


@dataclass(frozen=True)
class Material:
    """Everything that sections read. Captures and the embedded engine's run are made once, as journals in `work`."""

    name: str
    pages_by_language: Mapping[str, tuple[CorpusPage, ...]]
    questions: tuple[ExperimentQuestion, ...]
    records: tuple[Path, ...]
    inputs: dict[str, str]
    as_of: date
    work: Path = field(default_factory=Path)
    marks: Path | None = None
    folder: Path | None = None  # of a corpus in the documented form
    probabilities: Path | None = None  # of the citations that a journal's model was made to write
    more_pages: Mapping[str, tuple[Corpus, ...]] = field(default_factory=dict)
    bench: Path | None = None
    calls: tuple[Path, ...] = ()  # shares of answers without their texts
    embedder: str | None = None
    peers: bool = False  # whether other scorers are tested too, which makes their environments
    jobs: int | None = None
    quiet: bool = True

    @property
    def sizes(self) -> dict[str, int]:
        """How much there is of everything."""
        return {
            "English pages": len(self.pages_by_language["en"]),
            "French pages": len(self.pages_by_language["fr"]),
            "questions": len(self.questions),
            "files of records": len(self.records),
        }

    @property
    def languages(self) -> tuple[str, ...]:
        """The languages of all pages."""
        return tuple(code for code, pages in self.pages_by_language.items() if pages)

    @property
    def is_demo(self) -> bool:
        """Whether these are the demo pages, or the tiny part of them."""
        return self.name in (DEMO, TINY)

    @property
    def is_large(self) -> bool:
        """Whether the English pages are many enough for the adaptive attacker to climb a good number of them."""
        return len(self.pages_by_language["en"]) >= LARGE

    def pages(self, language: str) -> tuple[CorpusPage, ...]:
        """Return the pages of a language.

        Raises:
            SteelyardError: The corpus has none.
        """
        if language not in self.languages:
            raise SteelyardError(f"undefined: the corpus has no pages in {language!r}")
        return self.pages_by_language[language]

    def corpus(self, language: str) -> str:
        """Return the path of a corpus file with the pages of a language."""
        path = self.work / f"pages-{language}.jsonl"
        write_corpus(Corpus(self.name, self.pages(language), {}, {}, SEED), path)
        return str(path)

    def all_corpora(self, language: str) -> list[str]:
        """Return the paths of corpus files with all pages of a language: those of `corpus`, and more."""
        paths = [self.corpus(language)]
        for number, corpus in enumerate(self.more_pages.get(language, ()), start=1):
            path = self.work / f"pages-{language}-{number}.jsonl"
            write_corpus(corpus, path)
            paths.append(str(path))
        return paths

    def capture(self, language: str, *, view: str = "flattened", arm: str = "repeat") -> str:
        """Return the path of a capture of all pages of a language, which is made or resumed first."""
        path = self.work / f"capture-{language}-{view}-{arm}.jsonl"
        scorer, plan = OwnScorer(as_of=self.as_of), CapturePlan(view, arm, SEED)
        digest = self.inputs["english pages" if language == "en" else "french pages"]
        head = capture.build_header(self.pages(language), digest, self.name, scorer, plan)
        capture.capture(self.pages(language), scorer, head, plan, path=path, jobs=self.jobs, quiet=self.quiet)
        return str(path)

    @cached_property
    def embedded_run(self) -> str:
        """The path of the experiment's journal with the embedded reference engine, which is made or resumed first."""
        path, engine, plan = self.work / "embedded.jsonl", Extractive(), ExperimentPlan(canary=True)
        runs.run(
            self.questions, engine, plan, path, runs.make_header(self.questions, {}, engine, plan), quiet=self.quiet
        )
        return str(path)

    def record_names(self) -> dict[Path, str]:
        """Name the sections of each file of records: its name up to the first dot, in full where two are alike."""
        short = Counter(p.name.split(".")[0] for p in self.records)
        return {
            p: (stem if short[stem := p.name.split(".")[0]] == 1 else p.name.replace(".", "-")).replace("_", "-")
            for p in self.records
        }


def load_material(spec: str, as_of: date) -> Material:
    """Load the demo, its tiny part, a folder in the documented form, or a file of English pages."""
    place = Path(spec)
    questions = load_demo_questions()
    files: list[Path] = []
    records: list[Path] = []
    more: dict[str, tuple[Corpus, ...]] = {}
    calls: list[Path] = []
    marks = folder = bench = None
    if spec in (DEMO, TINY):
        name, pages = spec, _select_languages(loading.load_corpus(loading.DEMO))
        if spec == TINY:
            pages, questions = {"en": pages["en"][:TINY_PAGES], "fr": ()}, questions[:TINY_QUERIES]
    elif (place / ENGLISH).is_file():
        name, pages, folder = place.name, dict.fromkeys(LANGUAGES[:2], ()), place
        for code in LANGUAGES:
            if (path := place / PAGES.format(code)).is_file():
                pages[code] = loading.load_corpus(str(path)).pages_in(code)
                files.append(path)
                more[code] = tuple(_load_more(place, code))
        bench = place / BENCH if (place / BENCH).is_file() else None
        marks = place / MARKS if (place / MARKS).is_dir() else None
        calls = sorted((place / CALLS).glob("*.jsonl.gz"))
        records = [p for p in [place / MORE_RECORDS] if p.is_file()]
        if (place / RECORDS).is_dir():
            records += sorted(p for p in (place / RECORDS).iterdir() if p.name.endswith(_SUFFIXES))
    else:
        corpus = _load_corpus(spec)
        name, pages = corpus.name, _select_languages(corpus)
        files = [place] if place.is_file() else []
    # Digests of the pages as they are studied (cut, flattened, split), and of the bytes of every file.
    inputs = {
        "english pages": digest_pages(pages["en"]),
        "french pages": digest_pages(pages["fr"]),
        "questions": _digest([asdict(q) for q in questions]),
        **{
            path.name: hash_file(path)
            for path in [*files, *records, *calls, *sorted(marks.glob("*.jsonl") if marks else ())]
        },
    }
    if folder:
        pages_of = [path for code in more for path in _find_more(folder, code)]
        speeds = [bench] if bench else []
        named = dict.fromkeys([*find_files(folder), *labels.find_files(folder), *pages_of, *speeds])
        inputs |= {p.relative_to(folder).as_posix(): hash_file(p) for p in named if p.parent.name != MARKS}
    probabilities = next((p for p in records if is_probability_file(p)), None)
    answers = tuple(p for p in records if p != probabilities)
    return Material(
        name, pages, questions, answers, inputs, as_of, marks=marks, folder=folder, probabilities=probabilities,
        more_pages=more, bench=bench, calls=tuple(calls),
    )  # fmt: skip


def _find_more(folder: Path, code: str) -> list[Path]:
    return [path for name in MORE_PAGES if (path := folder / name.format(code)).is_file()]


def _load_more(folder: Path, code: str) -> Iterator[Corpus]:
    """Yield the pages of a language in every other file; those that seem to be in another are counted as dropped."""
    for path in _find_more(folder, code):
        corpus = loading.load_corpus(str(path))
        kept = corpus.pages_in(code)
        dropped = Counter(corpus.dropped)
        dropped[ELSEWHERE] += len(corpus.pages) - len(kept)
        yield replace(corpus, name=path.relative_to(folder).as_posix(), pages=kept, dropped=dict(+dropped))


def _select_languages(corpus: Corpus) -> dict[str, tuple[CorpusPage, ...]]:
    """Return the English and the French pages: the demo and a file of pages are studied in these alone."""
    return {code: corpus.pages_in(code) for code in LANGUAGES[:2]}


def _load_corpus(spec: str) -> Corpus:
    try:
        return loading.load_corpus(spec)
    except SteelyardError as error:
        if not Path(spec).is_dir():
            raise
        raise SteelyardError(
            f"{spec}: neither {ENGLISH} nor pages that can be read in this folder; a corpus folder holds {ENGLISH}, "
            f"and may hold {PAGES.format('fr')} and {RECORDS}/ (docs/reproduce.md)"
        ) from error


def digest_pages(pages: Sequence[CorpusPage]) -> str:
    """Return the SHA-256 of pages as they are studied."""
    return _digest([[p.id, p.split, p.flattened] for p in pages])


def _digest(value: object) -> str:
    return hashlib.sha256(to_unescaped_json(value, indent=None).encode("utf-8", "surrogatepass")).hexdigest()


def use_capture(material: Material, view: str = "") -> list[Section]:
    """Return the one section of a study of the English capture; `view` tells it from others that the study adds."""
    return [Section(lambda: ([material.capture("en")], {}), view=view)]


def use_both(material: Material, make: Callable[[str], str], **options: Any) -> list[Section]:
    """Return the one section of a study of the English and, where there are any, the French pages.

    Args:
        make: Returns the path of a capture or of a corpus file with the pages of a language.
    """
    return [Section(lambda: ([make("en")], {"french": make("fr") if "fr" in material.languages else None, **options}))]


def use_captures(material: Material) -> list[Section]:
    """Return the one section of a study of both captures."""
    return use_both(material, material.capture)


def use_file(path: Path, options: Mapping[str, Any] | None = None) -> Callable[[], Call]:
    """Return the call of a section on one file of records."""
    return lambda: ([str(path)], options or {})
