"""The method on another oracle: four proxies for readability, tried against a simulated panel of readers.

python -m examples.method.readability

A panel is what one would like to ask and cannot afford to. This one is simulated, so that what it really feels is
known and every figure can be checked against it; the proxies see nothing of it.
"""

from __future__ import annotations

import itertools
import random
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache, cached_property
from statistics import fmean
from typing import Any

import steelyard
from steelyard.components.arithmetic.syllables import syllables
from steelyard.lab.corpus import loading
from steelyard.lab.corpus.corpus import SPLITS, TEST, TRAIN, CorpusPage
from steelyard.lab.edits import BY_NAME
from steelyard.lab.edits.base import Target
from steelyard.lab.outcome.anchors import judge_anchor
from steelyard.lab.outcome.effects import summarize_differences
from steelyard.lab.outcome.score_agreement import measure_concordance
from steelyard.lab.protocol.falsify import Falsified
from steelyard.lab.protocol.gates import NAMES, count_passed
from steelyard.lab.stats.correlation import pearson
from steelyard.lab.study.formatting import between, plain, right, signed
from steelyard.support.table import Column, Table

_WORD = re.compile(r"[A-Za-z']+")
_STOP = re.compile(r"[.!?]+(?:\s|$)|\n+")
_syllables = cache(syllables)


def sentences(text: str) -> list[str]:
    return [s.strip() for s in _STOP.split(text) if _WORD.search(s)]


def words(text: str) -> list[str]:
    return _WORD.findall(text.lower())


# ── the proxies: cheap, offline, 0 to 100 ────────────────────────────────────


def short_sentences(text: str) -> float:
    """Short sentences read easily."""
    return max(0.0, 100 - 2.5 * fmean(len(words(s)) for s in sentences(text)))


def flesch(text: str) -> float:
    """Reading ease after Flesch: words per sentence and syllables per word."""
    every = words(text)
    per_sentence, per_word = len(every) / len(sentences(text)), sum(map(_syllables, every)) / len(every)
    return min(100.0, max(0.0, 206.835 - 1.015 * per_sentence - 84.6 * per_word))


def easy_sentences(text: str) -> float:
    """The share of sentences that are easy by themselves; one that is said twice counts once."""
    return _easy(text, fewest=1)


def whole_sentences(text: str) -> float:
    """The same, and a sentence has five words at least: fragments are not easy, they are broken."""
    return _easy(text, fewest=5)


def _easy(text: str, fewest: int) -> float:
    every = dict.fromkeys(sentences(text))
    return 100 * fmean(len(words(s)) >= fewest and flesch(s) >= 50 for s in every)


PROXIES: tuple[Callable[[str], float], ...] = (short_sentences, flesch, easy_sentences, whole_sentences)


# ── the edits: each adds exactly as many words as the filler it is compared with ──

BLOCK = 72
FILLER = "filler"
SHORT = (
    "Start with the {0} and take your time. You can leave the {1} for another day. Most people get the {0} right at "
    "once. The {2} is next, and it is easy. Keep a note of what you have done. If the {1} fails, try it once more. "
    "Ask a friend to look at the {2}. Nothing here has to be done in haste. When the {0} works, you can stop there."
)
OFFICIAL = (
    "Notwithstanding considerations pertaining to the {0}, implementation of appropriate organisational arrangements "
    "concerning the {1} necessitates comprehensive preliminary documentation alongside continuing interdepartmental "
    "consultation and oversight. Responsibility for administration of the {2} accordingly remains with designated "
    "representatives, whose recommendations regarding the {0} constitute authoritative interpretations of applicable "
    "institutional requirements throughout. Furthermore, methodological considerations affecting the {1} presuppose "
    "systematic examination of the {2}, particularly whenever quantitative characteristics demonstrate significant "
    "deviations from previously established operational specifications."
)


def chopped(block: str) -> str:
    """The filler's own words with a full stop after every third: nothing is added but full stops."""
    every = [w.strip(".,") for w in block.split()]
    return " ".join(f"{' '.join(every[i : i + 3]).capitalize()}." for i in range(0, len(every), 3))


def variants(text: str) -> dict[str, str]:
    """The page as it is, with filler, and with each edit."""
    target = Target(text)
    filler = BY_NAME["neutral_filler"].apply(target).blocks[0]
    blocks = {
        FILLER: filler,
        "short sentences": SHORT.format(*target.topics),
        "official language": OFFICIAL.format(*target.topics),
        "chopped": chopped(filler),
    }
    for name, block in blocks.items():
        if len(block.split()) != BLOCK:  # the volume control holds or the run ends
            raise ValueError(f"{name}: {len(block.split())} words, not {BLOCK}")
    return {"untouched": text, **{name: f"{text} {block}" for name, block in blocks.items()}}


EDITS = ("short sentences", "official language", "chopped")


# ── the panel: dear, noisy, and hidden from the proxies ──────────────────────


@dataclass(frozen=True)
class Panel:
    """Readers who give a page 0 to 100 points. What they feel is `clarity`; what they say has noise in it."""

    long_sentences: float  # points lost if all sentences had more than 20 words
    fragments: float  # points lost if all sentences had fewer than four
    long_words: float  # points lost if all words had ten letters or more
    fatigue: float = 3.0  # points lost per 100 words
    readers: int = 5
    noise: float = 12.0  # standard deviation of one reader's answer
    year: int = 2024

    def clarity(self, text: str) -> float:
        lengths = [len(words(s)) for s in sentences(text)]
        every = words(text)
        return (
            90
            - self.long_sentences * fmean(n > 20 for n in lengths)
            - self.fragments * fmean(n < 4 for n in lengths)
            - self.long_words * fmean(len(w) >= 10 for w in every)
            - self.fatigue * len(every) / 100
        )

    def asked(self, text: str) -> float:
        """The mean of the readers' answers: the only thing that an experiment sees."""
        noise = (random.Random(f"{self.year}|{reader}|{text}").gauss(0, self.noise) for reader in range(self.readers))
        return self.clarity(text) + fmean(noise)


PANEL = Panel(long_sentences=30, fragments=45, long_words=60)
LATER = Panel(long_sentences=8, fragments=45, long_words=60, year=2026)  # they now read on small screens, and skim
SPECIALISTS = Panel(long_sentences=10, fragments=45, long_words=-60)  # to whom the long word is the exact one


# ── the study ────────────────────────────────────────────────────────────────


@dataclass(frozen=True)
class Study:
    """Every figure that is printed below."""

    pages: tuple[CorpusPage, ...]
    falsified: Mapping[str, Falsified]

    @cached_property
    def texts(self) -> dict[str, dict[str, str]]:
        return {page.id: variants(page.flattened) for page in self.pages}

    def differences(self, of: Callable[[str], float], edit: str, against: str = FILLER, split: str = "") -> list[float]:
        """Page by page: with the edit, less with as much filler."""
        chosen = [self.texts[p.id] for p in self.pages if p.split == split or not split]
        return [of(texts[edit]) - of(texts[against]) for texts in chosen]

    def responses(self, of: Callable[[str], float], split: str = "") -> list[float]:
        return [fmean(self.differences(of, edit, split=split)) for edit in EDITS]

    def effect(self, panel: Panel, edit: str) -> dict[str, Any]:
        rng = random.Random(f"{panel.year}|{edit}")
        return summarize_differences(self.differences(panel.asked, edit), draws=1000, rng=rng)

    def alignment(self, proxy: Callable[[str], float], split: str) -> float:
        """Pearson of three responses with three measured effects: few, hence asked only after the gates."""
        r = pearson(self.responses(proxy, split), self.responses(PANEL.asked, split))
        if r is None:
            raise ValueError(f"{proxy.__name__} answers all edits alike")
        return r

    def gates(self, proxy: Callable[[str], float], split: str) -> int:
        return count_passed(self.falsified[proxy.__name__].verdicts[split])

    @cached_property
    def selected(self) -> Callable[[str], float]:
        """Looks at the training half alone: all gates first, agreement with the panel second."""
        sound = [p for p in PROXIES if self.gates(p, TRAIN) == len(NAMES)]
        return max(sound, key=lambda p: self.alignment(p, TRAIN))

    def points(self, of: Callable[[str], float]) -> list[float]:
        return [of(page.flattened) for page in self.pages]

    def ceiling(self, panels: Sequence[Panel]) -> float:
        """The share of pairs of untouched pages that one fixed order can get right: for each pair the larger camp."""
        camps = [[a > b for a, b in itertools.combinations(self.points(p.clarity), 2)] for p in panels]
        return fmean(max(p, 1 - p) for p in map(fmean, zip(*camps, strict=True)))

    def concordance(self, proxy: Callable[[str], float], panels: Sequence[Panel]) -> float:
        """The share that a proxy does get right, over all panels."""
        found = [measure_concordance(self.points(proxy), self.points(p.clarity)).share for p in panels]
        return fmean(share for share in found if share is not None)


def study() -> Study:
    pages = loading.load_corpus("demo").pages_in("en")
    return Study(pages, {proxy.__name__: steelyard.falsify(proxy, "demo", draws=0) for proxy in PROXIES})


# ── in words ─────────────────────────────────────────────────────────────────


def report(found: Study) -> str:
    n = len(found.pages)
    effects = {edit: found.effect(PANEL, edit) for edit in EDITS}
    calls = n * (len(EDITS) + 2) * PANEL.readers
    chosen = found.selected
    held = found.gates(chosen, TEST) == len(NAMES)
    both = (PANEL, SPECIALISTS)
    parts = [
        f"1. Constraints: five gates on {n} pages",
        *_gates(found).to_terminal(),
        "",
        f"2. Anchors: what three edits do to the panel, against filler of as many words ({calls:,} readings)",
        *_effects(found, effects).to_terminal(),
        "",
        "3. The proxies on the same edits",
        *_responses(found, effects).to_terminal(),
        f"selected on train: {chosen.__name__}; on test {found.gates(chosen, TEST)}/5 gates, "
        f"alignment {plain(found.alignment(chosen, TEST))}: {'confirmed' if held else 'not confirmed'}",
        "",
        f"4. Expiry: the same experiment on the panel of {LATER.year}",
        *_expiry(found, effects).to_terminal(),
        "",
        "5. Ceiling: newcomers and specialists",
        f"no score that does not see who reads can order more than {found.ceiling(both):.2f} of the pairs rightly; "
        f"{chosen.__name__} orders {found.concordance(chosen, both):.2f}",
    ]
    return "\n".join(parts)


def _gates(found: Study) -> Table:
    rows = []
    for proxy in PROXIES:
        verdicts = found.falsified[proxy.__name__].gates.values()
        cells = [v.status if v.statistic is None else f"{v.status} {plain(v.statistic)}" for v in verdicts]
        rows.append([proxy.__name__, *cells, *(f"{found.gates(proxy, split)}/5" for split in SPLITS)])
    return Table([Column("proxy"), *map(Column, NAMES), *map(right, SPLITS)], rows)


def _effects(found: Study, effects: Mapping[str, dict[str, Any]]) -> Table:
    columns = [Column("edit"), right("n"), right("effect"), right("95% interval"), right("sign test p")]
    columns += [right("true"), right("over the untouched page")]
    rows = []
    for edit, row in effects.items():
        p = "< 0.001" if row["sign_p"] < 0.001 else f"{row['sign_p']:.3f}"
        true = fmean(found.differences(PANEL.clarity, edit))
        bare = fmean(found.differences(PANEL.asked, edit, against="untouched"))
        rows.append([edit, row["n"], signed(row["mean"]), between(row["interval"]), p, signed(true), signed(bare)])
    return Table(columns, rows)


def _responses(found: Study, effects: Mapping[str, dict[str, Any]]) -> Table:
    columns = [Column("proxy"), *map(right, EDITS), right("alignment, train")]
    rows: list[list[Any]] = [["the panel", *(signed(row["mean"]) for row in effects.values()), None]]
    rows += [[p.__name__, *map(signed, found.responses(p)), plain(found.alignment(p, TRAIN))] for p in PROXIES]
    return Table(columns, rows)


def _expiry(found: Study, effects: Mapping[str, dict[str, Any]]) -> Table:
    rows = []
    for edit, before in effects.items():
        now, sign = found.effect(LATER, edit), 1 if before["mean"] > 0 else -1
        # `judge_anchor` asks whether a gain still holds; a loss is a gain with the other sign.
        low, high = sorted(sign * x for x in now["interval"])
        said = judge_anchor((low, high), abs(before["mean"]))
        rows.append([edit, signed(before["mean"]), signed(now["mean"]), between(now["interval"]), said])
    columns = [Column("edit"), right(f"{PANEL.year}"), right(f"{LATER.year}"), right("95% interval"), Column("verdict")]
    return Table(columns, rows)


def main() -> None:
    print(report(study()))


if __name__ == "__main__":
    main()
