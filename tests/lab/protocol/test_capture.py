"""The capture: the same bytes however it was made, nothing twice, and no failure that becomes a number."""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from steelyard.errors import InvalidFile, SteelyardError
from steelyard.lab.corpus import FLATTENED, STRUCTURED, TEST, TRAIN, VIEWS, Corpus, CorpusPage
from steelyard.lab.edits.base import FRESH, REPEAT, EditedPage, Target
from steelyard.lab.edits.controls.own_words import KeywordStuffing
from steelyard.lab.protocol.capture import (
    NO_EDIT,
    NOT_ASKED,
    PATIENCE,
    Capture,
    CapturePlan,
    GaveUp,
    build_header,
    capture,
    load,
)
from steelyard.lab.protocol.falsify import Falsified, falsify
from steelyard.lab.protocol.gates.base import UNDEFINED
from steelyard.lab.protocol.invariances import INVARIANCES
from steelyard.lab.protocol.variants import BASE, COMBINED, EXPLORATORY, PAPER, VARIANTS
from steelyard.lab.scorers.base import CRASHED, POINTS, TIMED_OUT
from steelyard.lab.scorers.function import CallableScorer
from steelyard.lab.scorers.own import OwnScorer
from steelyard.support.journal import Header, Journal, read
from tests.conftest import ROOT
from tests.lab.protocol.slow_scorer import SlowScorer
from tests.lab.protocol.synthetic import AS_OF

SITE = ROOT / "examples" / "site"
ASKED = len(VARIANTS) + 1 + len(INVARIANCES)  # falsify asks for the untouched page once more
PAGES = 4


def take(
    demo: Corpus,
    path: Path | None = None,
    *,
    plan: CapturePlan | None = None,
    pages: int = PAGES,
    digest: str = "",
    **options: Any,
) -> Capture:
    """A capture of some demo pages with a scorer that costs nothing."""
    scorer = options.pop("scorer", SlowScorer())
    plan = plan or CapturePlan()
    chosen = demo.pages_in("en")[:pages]
    head = build_header(chosen, digest or demo.digest, demo.name, scorer, plan)
    return capture(chosen, scorer, head, plan, path=path, **{"jobs": 1, "quiet": True, **options})


# ── variants ──


def test_the_papers_variants_are_twenty_one_and_nine_more_are_ours() -> None:
    levers = [f"{lever}-{dose}" for lever in ("quotation", "statistics", "cite_sources") for dose in (1, 2, 3, 8)]
    controls = ["technical_terms-1", "keyword_stuffing-1", "keyword_stuffing-8"]
    filler = [f"neutral_filler-{dose}" for dose in (1, 2, 3, 8)]
    names = [v.name for v in PAPER]
    assert names == ["base", *levers, *controls, *filler, "duplication-1"]
    assert len(names) == 21
    assert [v.name for v in COMBINED] == ["combined-1", "combined-8"]
    assert [v.name for v in EXPLORATORY] == [
        "filler_paragraph-1", "sub_headings-1", "bullet_list-1", "table-1", "summary_first-1",
        "visible_date-1", "update_note-1",
    ]  # fmt: skip
    assert (*PAPER, *COMBINED, *EXPLORATORY) == VARIANTS


def test_a_dose_is_the_same_block_again_and_in_the_other_arm_a_fresh_one(demo: Corpus) -> None:
    target = Target(demo.pages_in("en")[0].flattened)
    once, thrice = (v for v in VARIANTS if v.name in ("statistics-1", "statistics-3"))
    block = once.apply(target, seed=0, arm=REPEAT).removeprefix(target.text)
    assert thrice.apply(target, seed=0, arm=REPEAT) == target.text + block * 3
    fresh = thrice.apply(target, seed=0, arm=FRESH)
    assert fresh.startswith(target.text + block)
    assert fresh.count(block) == 1


# ── the same bytes ──


def test_any_number_of_processes_in_any_order_gives_the_same_bytes(demo: Corpus, tmp_path: Path) -> None:
    for name, pages, first, second in (
        ("slow", 6, SlowScorer(), SlowScorer(2, slowest=0.02)),
        ("own", 2, OwnScorer(as_of=AS_OF), OwnScorer(as_of=AS_OF)),
    ):
        take(demo, tmp_path / name, scorer=first, pages=pages)
        take(demo, tmp_path / f"{name}-parallel", scorer=second, pages=pages, jobs=2 + (name == "slow"))
        assert (tmp_path / f"{name}-parallel").read_bytes() == (tmp_path / name).read_bytes(), name


def test_rows_come_in_the_order_of_pages_and_variants_and_back_from_the_file(demo: Corpus, tmp_path: Path) -> None:
    captured = take(demo, tmp_path / "capture")
    assert load(tmp_path / "capture") == captured
    assert take(demo).rows == captured.rows
    pages = demo.pages_in("en")[:PAGES]
    assert [(r["source"], r["variant"]) for r in captured.rows] == [(p.id, v.name) for p in pages for v in VARIANTS]
    about = {r["source"]: (r["split"], r["words"]) for r in captured.rows if r["variant"] == BASE.name}
    assert about == {p.id: (p.split, len(p.flattened.split())) for p in pages}
    assert all("split" not in r for r in captured.rows if r["variant"] != BASE.name)


def test_the_responses_of_a_split_are_those_of_its_sources(demo: Corpus) -> None:
    captured = take(demo)
    for split in (TRAIN, TEST):
        found = captured.responses(split=split)
        assert found.sources == tuple(p.id for p in demo.pages_in("en")[:PAGES] if p.split == split)
        assert found.points["base"] == [captured.values()[s]["base"][POINTS] for s in found.sources]
    assert len(captured.responses()) == PAGES
    assert captured.responses(lambda values: values["words"]).words == captured.responses().words
    assert captured.responses(lambda values: values["words"]).points["base"] == list(captured.responses().words)


# ── stopped and started again ──


@pytest.mark.parametrize("keep", [0.0, 0.5, 0.999, 1.0])
def test_a_file_torn_anywhere_is_finished_to_the_same_bytes(demo: Corpus, tmp_path: Path, keep: float) -> None:
    path = tmp_path / "capture"
    take(demo, path, pages=3)
    whole = path.read_bytes()
    path.write_bytes(whole[: int(keep * len(whole))])
    asked: list[str] = []
    take(demo, path, pages=3, scorer=Counting(asked))
    assert path.read_bytes() == whole
    assert len(asked) == 3 * len(VARIANTS) - max(0, whole[: int(keep * len(whole))].count(b"\n") - 1)


class Counting(SlowScorer):
    """The same scorer, with a list of what it was asked."""

    def __init__(self, asked: list[str]) -> None:
        super().__init__()
        object.__setattr__(self, "asked", asked)

    def score(self, passage: Any) -> Any:
        self.asked.append(passage.text)  # type: ignore[attr-defined]
        return super().score(passage)


# ── what is refused ──


def test_a_stopped_capture_and_another_journal_are_no_capture(demo: Corpus, tmp_path: Path) -> None:
    path, other = tmp_path / "capture", tmp_path / "other"
    take(demo, path)
    path.write_bytes(b"".join(path.read_bytes().splitlines(keepends=True)[:70]))
    with pytest.raises(InvalidFile, match=f"69 readings of {PAGES * len(VARIANTS)}"):
        load(path)
    with Journal.open(other, Header("other", "other/1"), key=str):
        pass
    with pytest.raises(InvalidFile, match="this is no capture"):
        load(other)


@pytest.mark.parametrize(
    ("change", "shown"),
    [
        ({"plan": CapturePlan(seed=1)}, "parameters.seed: 0 → 1"),
        ({"plan": CapturePlan(arm=FRESH)}, 'parameters.arm: "repeat" → "fresh"'),
        ({"plan": CapturePlan(view=STRUCTURED)}, 'parameters.view: "flattened" → "structured"'),
        ({"digest": "0" * 64}, "inputs.demo: "),
        ({"pages": 3}, "parameters.pages: 4 → 3"),
        ({"plan": CapturePlan(variants=PAPER)}, 'parameters.variants[21]: "combined-1" → absent'),
        ({"scorer": OwnScorer(as_of=AS_OF)}, "parameters.scorer: "),
    ],
    ids=lambda value: next(iter(value)) if isinstance(value, dict) else "",
)
def test_a_capture_made_under_other_conditions_is_refused_with_the_difference(
    demo: Corpus, tmp_path: Path, change: dict[str, Any], shown: str
) -> None:
    path = tmp_path / "capture"
    take(demo, path)
    before = path.read_bytes()
    with pytest.raises(SteelyardError) as caught:
        take(demo, path, **change)
    assert shown in str(caught.value)
    assert path.read_bytes() == before
    forced = take(demo, path, **change, force=True)
    assert load(path) == forced
    assert path.read_bytes() != before


# ── scorers that fail ──


def falsified(demo: Corpus, function: Callable[[str], Any], *, pages: int = 14, timeout: float = 10.0) -> Falsified:
    """As steelyard.falsify does it, on fewer pages."""
    scorer = CallableScorer(function, timeout=timeout)
    return falsify(demo.pages_in("en")[:pages], scorer, corpus="demo", digest=demo.digest, draws=0)


def hopeless(text: str) -> float:
    raise RuntimeError("no")


def first_words(page: CorpusPage) -> str:
    return " ".join(page.flattened.split()[:8])


def test_pages_a_scorer_fails_on_are_left_out_and_listed(demo: Corpus) -> None:
    pages = demo.pages_in("en")[:14]
    never, twice = first_words(pages[5]), first_words(pages[9])

    def failing(text: str) -> float:
        if text.startswith(never) or text.count(twice) == 2:
            raise ValueError("not this one")
        return 50.0

    found = falsified(demo, failing)
    assert set(found.failures) == {CRASHED}
    assert {r["source"] for r in found.failures[CRASHED]} == {pages[5].id, pages[9].id}
    assert [r["variant"] for r in found.failures[CRASHED] if r["source"] == pages[9].id] == ["duplication-1"]
    assert len(found.failures[CRASHED]) == 2  # a page that fails as it is is not asked for again
    assert all("ValueError: not this one" in r["detail"] for r in found.failures[CRASHED])
    kept = found.capture.responses()
    assert kept.sources == tuple(p.id for p in pages if p not in (pages[5], pages[9]))
    assert not found.survives
    record = found.record()
    assert record["failures"][CRASHED]["calls"] == 2
    assert record["failures"][CRASHED]["examples"][0].startswith(f"{pages[5].id} (base): ")


@pytest.mark.parametrize(
    ("answer", "kind"), [(float("nan"), "not a number"), (None, "not a number"), (100.5, "out of range")]
)
def test_what_is_no_score_never_becomes_one(demo: Corpus, answer: float | None, kind: str) -> None:
    found = falsified(demo, lambda text: answer)
    assert set(found.failures) == {kind}
    assert len(found.capture.responses()) == 0


def test_a_scorer_that_always_fails_is_given_up_after_three_sources(demo: Corpus, tmp_path: Path) -> None:
    calls: Counter[str] = Counter()

    def counted(text: str) -> float:
        calls[" ".join(text.split()[:8])] += 1
        return hopeless(text)

    found = falsified(demo, counted)
    assert calls == {first_words(page): 1 for page in demo.pages_in("en")[:PATIENCE]}
    assert "failed on 3 pages in a row" in found.gave_up
    assert "RuntimeError: no" in found.gave_up
    assert {v.status for v in found.gates.values()} == {UNDEFINED}
    assert not found.survives
    path = tmp_path / "capture"
    with pytest.raises(GaveUp):
        take(demo, path, scorer=CallableScorer(hopeless))
    assert [r["failed"] for r in read(path).records] == [CRASHED, *[NOT_ASKED] * (len(VARIANTS) - 1)] * PATIENCE


def test_two_failures_and_a_success_are_no_reason_to_give_up(demo: Corpus) -> None:
    pages = demo.pages_in("en")[:14]
    bad = [first_words(p) for i, p in enumerate(pages) if i % 3]

    def moody(text: str) -> float:
        return hopeless(text) if any(text.startswith(words) for words in bad) else 50.0

    found = falsified(demo, moody)
    assert found.gave_up == ""
    assert len(found.capture.responses()) == len(pages[::3])


def test_after_a_timeout_the_rest_of_the_page_is_not_asked(demo: Corpus) -> None:
    pages = demo.pages_in("en")[:14]
    slow, calls = first_words(pages[4]), [0]

    def hanging(text: str) -> float:
        if text.startswith(slow):
            calls[0] += 1
            if calls[0] == 3:
                time.sleep(120)
        return 50.0

    began = time.monotonic()
    found = falsified(demo, hanging, timeout=2.0)
    assert time.monotonic() - began < 60
    assert calls == [3]
    rows = found.failures[TIMED_OUT]
    assert {r["source"] for r in rows} == {pages[4].id}
    assert [r["detail"] for r in rows] == ["no answer within 2 s"]
    left = [r for r in found.capture.failures() if r["failed"] == NOT_ASKED]
    assert len(left) == ASKED - 3
    assert pages[4].id not in found.capture.responses().sources
    assert len(found.capture.responses()) == len(pages) - 1


def test_a_scorer_that_hangs_on_every_page_costs_three_timeouts(demo: Corpus) -> None:
    began = time.monotonic()
    found = falsified(demo, lambda text: time.sleep(60), timeout=0.5)
    assert time.monotonic() - began < 60
    assert found.gave_up
    assert set(found.failures) == {TIMED_OUT}


def test_a_scorer_without_a_hash_that_answers_otherwise_the_second_time_does_not_survive(demo: Corpus) -> None:
    class Drifting:
        __hash__ = None  # type: ignore[assignment]
        calls = 0

        def __call__(self, text: str) -> float:
            self.calls += 1
            return 50 + self.calls / 100

    found = falsified(demo, Drifting())
    assert not found.failures
    assert len(found.unstable) == 14
    assert not found.survives


# ── pages and edits ──


def test_a_page_without_topic_words_has_no_edits_and_counts_against_nobody(demo: Corpus) -> None:
    digits = [CorpusPage(f"digits-{i}", "en", TRAIN, None, "1 2 3 " * 100, "1 2 3 " * 100) for i in range(PATIENCE + 1)]
    pages = (*digits, *demo.pages_in("en")[:2])
    plan, scorer = CapturePlan(), SlowScorer()
    captured = capture(pages, scorer, build_header(pages, "", "mixed", scorer, plan), plan, jobs=1, quiet=True)
    failures = captured.failures()
    assert {r["failed"] for r in failures} == {NO_EDIT}
    assert {r["source"] for r in failures} == {p.id for p in digits}
    # The page itself and the doubled one need no words of their own.
    assert len(failures) == len(digits) * (len(VARIANTS) - 2)
    assert len(captured.responses()) == 2


def test_a_broken_edit_is_an_error_of_ours_and_not_the_scorers(
    demo: Corpus, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The paper's own bug: keywords joined letter by letter."""
    honest = KeywordStuffing.apply
    victim = demo.pages_in("en")[2].flattened

    def spaced(self: KeywordStuffing, target: Target, **how: Any) -> EditedPage:
        edited = honest(self, target, **how)
        if target.text != victim:
            return edited
        blocks = tuple(" ".join(block) for block in edited.blocks)
        return EditedPage(" ".join((target.text, *blocks)), blocks)

    monkeypatch.setattr(KeywordStuffing, "apply", spaced)
    path = tmp_path / "capture"
    with pytest.raises(
        SteelyardError, match=rf"^{demo.pages_in('en')[2].id}: the edit keyword_stuffing is broken"
    ) as caught:
        take(demo, path)
    assert not isinstance(caught.value, GaveUp)
    assert {r["source"] for r in read(path).records} == {p.id for p in demo.pages_in("en")[:2]}
    assert all("values" in r for r in read(path).records)
    with pytest.raises(SteelyardError, match="keyword_stuffing is broken"):
        falsified(demo, lambda text: 50.0)


def test_both_views_are_captured_as_they_are(demo: Corpus) -> None:
    for view in VIEWS:
        asked: list[str] = []
        take(demo, plan=CapturePlan(view=view, variants=(BASE,)), scorer=Counting(asked))
        assert asked == [p.flattened if view == FLATTENED else p.text for p in demo.pages_in("en")[:PAGES]]
