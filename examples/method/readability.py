"""The method on another subject: four proxies for readability, tested against a simulated panel of readers.

    python -m examples.method.readability

A real panel would be too expensive to ask about every page. This one is simulated, so that its true opinion is known
and every figure can be checked against it. The proxies do not see it.
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
from steelyard.components.arithmetic.vocabulary import count_syllables
from steelyard.lab.corpus import SPLITS, TEST, TRAIN, CorpusPage, loading
from steelyard.lab.edits import BY_NAME
from steelyard.lab.edits.base import Target
from steelyard.lab.outcome.effects import correct_together, summarize_differences
from steelyard.lab.outcome.score_agreement import measure_concordance
from steelyard.lab.protocol.falsify import Falsified
from steelyard.lab.protocol.gates import NAMES, count_by_estimate
from steelyard.lab.stats.correlation import pearson
from steelyard.lab.study.findings import format_interval, format_p, plain, signed
from steelyard.lab.study.studies.anchors import judge_anchor
from steelyard.support.table import Column, Table

_WORD = re.compile(r"[A-Za-z']+")
_STOP = re.compile(r"[.!?]+(?:\s|$)|\n+")
_syllables = cache(count_syllables)


def sentences(text: str) -> list[str]:
    return [s.strip() for s in _STOP.split(text) if _WORD.search(s)]


def words(text: str) -> list[str]:
    return _WORD.findall(text.lower())


# ── the proxies: cheap, offline, 0 to 100 ────────────────────────────────────


def short_sentences(text: str) -> float:
    """Reward short sentences."""
    return max(0.0, 100 - 2.5 * fmean(len(words(s)) for s in sentences(text)))


def flesch(text: str) -> float:
    """Return Flesch's reading ease, from words per sentence and syllables per word."""
    every = words(text)
    per_sentence, per_word = len(every) / len(sentences(text)), sum(map(_syllables, every)) / len(every)
    return min(100.0, max(0.0, 206.835 - 1.015 * per_sentence - 84.6 * per_word))


def easy_sentences(text: str) -> float:
    """Return the share of distinct sentences that are easy."""
    return _share_easy(text, fewest=1)


def whole_sentences(text: str) -> float:
    """Do the same, but count a sentence of fewer than five words as broken, not as easy."""
    return _share_easy(text, fewest=5)


def _share_easy(text: str, fewest: int) -> float:
    every = dict.fromkeys(sentences(text))
    return 100 * fmean(len(words(s)) >= fewest and flesch(s) >= 50 for s in every)


PROXIES: tuple[Callable[[str], float], ...] = (short_sentences, flesch, easy_sentences, whole_sentences)


# ── the edits: each adds exactly as many words as the filler ─────────────────

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


def chop(block: str) -> str:
    """Put a full stop after every third word of the filler, and change nothing else."""
    every = [w.strip(".,") for w in block.split()]
    return " ".join(f"{' '.join(every[i : i + 3]).capitalize()}." for i in range(0, len(every), 3))


def make_variants(text: str) -> dict[str, str]:
    """Return the page as it is, with filler, and with each edit."""
    target = Target(text)
    filler = BY_NAME["neutral_filler"].apply(target).blocks[0]
    blocks = {
        FILLER: filler,
        "short sentences": SHORT.format(*target.topics),
        "official language": OFFICIAL.format(*target.topics),
        "chopped": chop(filler),
    }
    for name, block in blocks.items():
        if len(block.split()) != BLOCK:  # a longer block would measure length
            raise ValueError(f"{name}: {len(block.split())} words, not {BLOCK}")
    return {"untouched": text, **{name: f"{text} {block}" for name, block in blocks.items()}}


EDITS = ("short sentences", "official language", "chopped")


# ── the panel: expensive, noisy, and hidden from the proxies ─────────────────


@dataclass(frozen=True)
class Panel:
    """Readers who give a page 0 to 100 points. `clarity` is their true opinion; `ask` returns it with noise."""

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

    def ask(self, text: str) -> float:
        """Return the mean of the readers' answers, which is all that an experiment sees."""
        noise = (random.Random(f"{self.year}|{reader}|{text}").gauss(0, self.noise) for reader in range(self.readers))
        return self.clarity(text) + fmean(noise)


PANEL = Panel(long_sentences=30, fragments=45, long_words=60)
LATER = Panel(long_sentences=8, fragments=45, long_words=60, year=2026)  # now they read on small screens and skim
SPECIALISTS = Panel(long_sentences=10, fragments=45, long_words=-60)  # for them the long word is the precise one


# ── the study ────────────────────────────────────────────────────────────────


@dataclass(frozen=True)
class Study:
    """The pages, the verdicts on the proxies, and every figure computed from them."""

    pages: tuple[CorpusPage, ...]
    falsified: Mapping[str, Falsified]

    @cached_property
    def texts(self) -> dict[str, dict[str, str]]:
        return {page.id: make_variants(page.flattened) for page in self.pages}

    def differences(self, of: Callable[[str], float], edit: str, against: str = FILLER, split: str = "") -> list[float]:
        """Return, page by page, the score with the edit minus the score with as much filler."""
        chosen = [self.texts[p.id] for p in self.pages if p.split == split or not split]
        return [of(texts[edit]) - of(texts[against]) for texts in chosen]

    def responses(self, of: Callable[[str], float], split: str = "") -> list[float]:
        return [fmean(self.differences(of, edit, split=split)) for edit in EDITS]

    def effect(self, panel: Panel, edit: str) -> dict[str, Any]:
        rng = random.Random(f"{panel.year}|{edit}")
        return summarize_differences(self.differences(panel.ask, edit), draws=1000, rng=rng)

    def alignment(self, proxy: Callable[[str], float], split: str) -> float:
        """Correlate three responses with three measured effects: so few that the gates must come first."""
        r = pearson(self.responses(proxy, split), self.responses(PANEL.ask, split))
        if r is None:
            raise ValueError(f"{proxy.__name__} responds to all edits alike")
        return r

    def gates(self, proxy: Callable[[str], float], split: str) -> int:
        """Count the gates by the figure alone, as the paper's selection does: half of these pages decides few."""
        return count_by_estimate(self.falsified[proxy.__name__].verdicts[split])

    @cached_property
    def selected(self) -> Callable[[str], float]:
        """The proxy that passes all gates and agrees best with the panel, on the training half alone."""
        sound = [p for p in PROXIES if self.gates(p, TRAIN) == len(NAMES)]
        return max(sound, key=lambda p: self.alignment(p, TRAIN))

    def points(self, of: Callable[[str], float]) -> list[float]:
        return [of(page.flattened) for page in self.pages]

    def ceiling(self, panels: Sequence[Panel]) -> float:
        """Return the share of pairs of pages that the best fixed order gets right, over all panels."""
        orders = [[a > b for a, b in itertools.combinations(self.points(p.clarity), 2)] for p in panels]
        return fmean(max(p, 1 - p) for p in map(fmean, zip(*orders, strict=True)))

    def concordance(self, proxy: Callable[[str], float], panels: Sequence[Panel]) -> float:
        """Return the share of pairs that a proxy gets right, over all panels."""
        shares = [measure_concordance(self.points(proxy), self.points(p.clarity)).share for p in panels]
        return fmean(share for share in shares if share is not None)


def run_study() -> Study:
    pages = loading.load_corpus("demo").pages_in("en")
    return Study(pages, {proxy.__name__: steelyard.falsify(proxy, "demo") for proxy in PROXIES})


# ── the report ───────────────────────────────────────────────────────────────


def render_report(study: Study) -> str:
    n = len(study.pages)
    effects = {edit: study.effect(PANEL, edit) for edit in EDITS}
    calls = n * (len(EDITS) + 2) * PANEL.readers
    chosen = study.selected
    held = study.gates(chosen, TEST) == len(NAMES)
    both = (PANEL, SPECIALISTS)
    parts = [
        f"1. Constraints: five gates on {n} pages, by their 95% intervals; on each half by the figure alone",
        *_make_gates_table(study).to_terminal(),
        "",
        f"2. Anchors: what three edits do to the panel, compared with filler of the same length ({calls:,} readings)",
        *_make_effects_table(study, effects).to_terminal(),
        "",
        "3. The proxies on the same edits",
        *_make_responses_table(study, effects).to_terminal(),
        f"selected on train: {chosen.__name__}; on test {study.gates(chosen, TEST)}/5 gates by the figure alone, "
        f"alignment {plain(study.alignment(chosen, TEST))}: {'confirmed' if held else 'not confirmed'}",
        "",
        f"4. Expiry: the same experiment on the panel of {LATER.year}",
        *_make_expiry_table(study, effects).to_terminal(),
        "",
        "5. Ceiling: newcomers and specialists",
        f"no score that does not know the reader can order more than {study.ceiling(both):.2f} of the pairs correctly; "
        f"{chosen.__name__} orders {study.concordance(chosen, both):.2f}",
    ]
    return "\n".join(parts)


def _right(name: str) -> Column:
    return Column(name, right=True)


def _make_gates_table(study: Study) -> Table:
    rows = []
    for proxy in PROXIES:
        verdicts = study.falsified[proxy.__name__].gates.values()
        cells = [v.status if v.statistic is None else f"{v.status} {plain(v.statistic)}" for v in verdicts]
        rows.append([proxy.__name__, *cells, *(f"{study.gates(proxy, split)}/5" for split in SPLITS)])
    return Table([Column("proxy"), *map(Column, NAMES), *map(_right, SPLITS)], rows)


def _make_effects_table(study: Study, effects: Mapping[str, dict[str, Any]]) -> Table:
    columns = [Column("edit"), _right("n"), _right("effect"), _right("95% interval"), _right("sign test p")]
    columns += [_right("true"), _right("against the untouched page")]
    rows = []
    for edit, row in effects.items():
        true = fmean(study.differences(PANEL.clarity, edit))
        bare = fmean(study.differences(PANEL.ask, edit, against="untouched"))
        rows.append(
            [
                edit,
                row["n"],
                signed(row["mean"]),
                format_interval(row["interval"]),
                format_p(row["sign_p"]),
                signed(true),
                signed(bare),
            ]
        )
    return Table(columns, rows)


def _make_responses_table(study: Study, effects: Mapping[str, dict[str, Any]]) -> Table:
    columns = [Column("proxy"), *map(_right, EDITS), _right("alignment, train")]
    rows: list[list[Any]] = [["the panel", *(signed(row["mean"]) for row in effects.values()), None]]
    rows += [[p.__name__, *map(signed, study.responses(p)), plain(study.alignment(p, TRAIN))] for p in PROXIES]
    return Table(columns, rows)


def _make_expiry_table(study: Study, effects: Mapping[str, dict[str, Any]]) -> Table:
    """Judge every anchor by an interval that is corrected for their number, as `lab outcome anchors` does."""
    later = {edit: study.effect(LATER, edit) for edit in effects}
    correct_together(list(later.values()))
    rows = []
    for edit, before in effects.items():
        now, interval = later[edit], later[edit].get("interval_bonferroni")
        verdict = judge_anchor(interval, before["mean"]) or "undefined"
        rows.append([edit, signed(before["mean"]), signed(now["mean"]), format_interval(interval), verdict])
    columns = [
        Column("edit"),
        _right(f"{PANEL.year}"),
        _right(f"{LATER.year}"),
        _right("95% interval, all edits"),
        Column("verdict"),
    ]
    return Table(columns, rows)


def main() -> None:
    print(render_report(run_study()))


if __name__ == "__main__":
    main()
