"""Every check on pages: analysed, timed, measured again in a batch and in another process, reported."""

from __future__ import annotations

import os
import random
import time
from collections import Counter, defaultdict
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from functools import cache, partial
from typing import TypeVar

from fuzz.case import Case, Depth, Fault, Outcome, describe_error, list_problems
from fuzz.checks import Problems, numbers, places, reports, second_process, workflow
from fuzz.checks.pace import MIN_BYTES, Pace, stopwatch
from fuzz.checks.second_process import describe_refusal, hash_case, hash_result, write_result
from fuzz.child import Child
from fuzz.page_input import make_ref, settings_of
from steelyard import languages
from steelyard.check.result import CheckedPage
from steelyard.errors import ExtractionStopped, MissingExtra, PageUnreadable
from steelyard.native.core import VARIABLE, load_module
from steelyard.pipeline import Page, PageError, PageResult, analyse_page, measure_pages, read_page
from steelyard.scoring import editions
from steelyard.settings import AUTO, Settings

EXPECTED = (PageUnreadable, MissingExtra)  # a page may be refused, with a reason
OTHER_HASH_SEED = "4711"
# No shorter than processor time, and cheap to read; only what seems slow is measured again by the processor's clock.
QUICK_CLOCK = time.perf_counter
# The edition of a page; the last, which takes several times as long, has every language.
TURNS = ("paper", "paper", "paper", "2026")
# What a run counts of the pages that went through more than the checks of a score.
SHOWN = "shown and written in every format"
WITH_BOTH_CORES = "explained, and again with the Python core and in a batch with evidence"
Found = dict[bytes, PageResult | Exception]  # by the data of the case
Result = TypeVar("Result")


class PageChecks:
    """The checks of one process, which remember what is usual."""

    def __init__(self) -> None:
        self._paces: defaultdict[tuple[str, str], Pace] = defaultdict(Pace)
        self._second = Child(second_process.__name__, PYTHONHASHSEED=OTHER_HASH_SEED)

    @property
    def highest_ratio(self) -> float:
        """The highest ratio of a page's time per byte to the median of its kind."""
        return max((pace.highest for pace in self._paces.values()), default=0.0)

    def close(self) -> None:
        """End the second process."""
        self._second.close()

    def check(self, cases: Sequence[Case], depth: Depth) -> Outcome:
        """Check pages of one kind that have the same options, each in one of the editions."""
        faults: list[Fault] = []
        refused: list[str] = []
        pages: list[tuple[Case, Page]] = []
        for case in cases:
            try:
                # HTML is read by a child, whose work the clock of this process does not show.
                page = self._time(partial(read_page, make_ref(case)), "read", [case], faults, clock=QUICK_CLOCK)
                pages.append((case, page))
            except ExtractionStopped as error:
                faults.append(Fault(case, "backstop", str(error)))
            except EXPECTED as error:
                refused.append(type(error).__name__)
            except Exception as error:  # noqa: BLE001 - this is what is looked for
                faults.append(Fault(case, "exception", describe_error(error)))
        traits: dict[bytes, set[str]] = {case.data: set() for case in cases}
        counts: Counter[str] = Counter()
        for edition in editions.NAMES:
            turn = [pair for pair in pages if _choose_edition(pair[0]) == edition]
            if not turn:
                continue
            found = self._analyse(turn, edition, faults)
            for case, page in turn:
                one = found[case.data]
                traits[case.data] |= set(_list_traits(one, edition))
                if isinstance(one, Exception):
                    refused.append(type(one).__name__)
                else:
                    faults += list_problems(case, _check_result(one, page))
            faults += _compare_batch(turn, edition, found, evidence=depth == Depth.ALL)
            faults += self._compare_processes([case for case, _ in turn], found, edition, depth)
            if depth >= Depth.REPORTED:
                faults += self._report([case for case, _ in turn], found, edition, explained=depth == Depth.ALL)
                counts[SHOWN] += len(turn)
            if depth == Depth.ALL:
                counts[WITH_BOTH_CORES] += len(turn)
        return Outcome(faults, [frozenset(traits[case.data]) for case in cases], refused, counts)

    def _analyse(self, pages: Sequence[tuple[Case, Page]], edition: str, faults: list[Fault]) -> Found:
        """Return the results, or the reasons against one, by the path of the commands."""
        found: Found = {}
        for case, page in pages:
            try:
                work = partial(analyse_page, page, settings_of(case, edition))
                found[case.data] = self._time(work, edition, [case], faults)
            except Exception as error:  # noqa: BLE001 - this is what is looked for
                found[case.data] = error
                if not isinstance(error, EXPECTED):
                    faults.append(Fault(case, "exception", describe_error(error)))
        return found

    def _time(
        self, work: Callable[[], Result], stage: str, cases: Sequence[Case], faults: list[Fault],
        *, clock: Callable[[], float] = time.process_time,
    ) -> Result:  # fmt: skip
        """Do the work of a stage, and compare the time with what is usual; it is measured again by the clock."""

        def do_again() -> float:
            with stopwatch(clock) as seconds:
                work()
            return seconds()

        with stopwatch(QUICK_CLOCK) as seconds:
            result = work()
        size = sum(max(len(case.data), MIN_BYTES) for case in cases)
        if late := self._paces[cases[0].kind, stage].judge(size, seconds(), do_again):
            faults.append(Fault(cases[0], "time", f"{stage}: {late}"))
        return result

    def _report(self, cases: Sequence[Case], found: Found, edition: str, *, explained: bool) -> list[Fault]:
        faults: list[Fault] = []
        scored: list[tuple[Case, PageResult, CheckedPage]] = []
        for case in cases:
            result = found[case.data]
            if isinstance(result, Exception):
                continue
            show = partial(_show_page, result, make_ref(case).text or "", explained=explained)
            page, problems = self._time(show, "explained" if explained else "shown", [case], faults)
            scored.append((case, result, page))
            faults += list_problems(case, problems)
        settings = settings_of(cases[0], edition)
        errors = [PageError(make_ref(case).source, case.text or "") for case in cases[:3]]
        results, judged = [result for _, result, _ in scored], [page for _, _, page in scored]
        together = self._time(
            lambda: list(_check_documents(results, judged, errors, settings)), "written", cases, faults
        )
        if not together:
            return faults
        alone = [
            fault
            for case, result, page in scored
            for fault in list_problems(
                case, _check_documents([result], [page], [PageError(result.source, result.text or "")], settings)
            )
        ]
        return faults + (alone or list_problems(cases[0], together))

    def _compare_processes(self, cases: Sequence[Case], found: Found, edition: str, depth: Depth) -> list[Fault]:
        """Compare with a process under another hash seed, at the greatest depth with the Python core."""
        faults = []
        here, there = os.environ[VARIABLE], "python" if depth == Depth.ALL else os.environ[VARIABLE]
        task = {"edition": edition, "core": there, "cases": [case.to_row() for case in cases]}
        theirs = self._second.ask(task)
        if theirs is None:
            return [Fault(case, "second process", "it gave no answer") for case in cases[:1]]
        for case, their in zip(cases, theirs, strict=True):
            result = found[case.data]
            if isinstance(result, Exception):
                ours = describe_refusal(result)
            else:
                written = write_result(result)
                ours = hash_result(result, written)
                if depth >= Depth.REPORTED:
                    faults += list_problems(case, reports.check_json(written))
            if ours != their:
                with use_core(there):
                    same = hash_case(case, edition) == their
                check = "native and Python" if same and here != there else "hash seed"
                faults.append(Fault(case, check, f"another result in edition {edition}"))
        return faults


@contextmanager
def use_core(name: str) -> Iterator[None]:
    """Choose the core for a while."""
    before = os.environ.get(VARIABLE, "")
    os.environ[VARIABLE] = name
    try:
        yield
    finally:
        os.environ[VARIABLE] = before


def choose_core() -> str:
    """Use the native core for every page, from the first one on, where it is installed; return its name."""
    name = "python" if load_module("") is None else "native"
    os.environ[VARIABLE] = name
    return name


def _check_documents(
    results: Sequence[PageResult], judged: Sequence[CheckedPage], errors: Sequence[PageError], settings: Settings
) -> Problems:
    yield from reports.check_documents(results, errors, settings)
    yield from workflow.check_formats(judged, errors, settings.as_of)
    yield from workflow.check_spreadsheet(results, errors)


def _compare_batch(
    pages: Sequence[tuple[Case, Page]], edition: str, found: Found, *, evidence: bool
) -> Iterator[Fault]:
    """Measure pages again, in a batch and in another order, so that nothing of one page may reach the next."""
    settings = settings_of(pages[0][0], edition)
    for keep in (False, True) if evidence else (False,):
        measured = measure_pages([page for _, page in pages[::-1]], settings, evidence=keep)
        for (case, _), again in zip(pages[::-1], measured, strict=True):
            result = found[case.data]
            if isinstance(result, Exception) or isinstance(again, Exception):
                same = repr(result) == repr(again)
            elif keep:
                same = repr(result.page) == repr(again.score)
                if result.manipulation is not None:  # which a page that was perhaps read badly does not have
                    same = same and repr(result.manipulation) == repr(again.manipulation)
            else:
                same = numbers.list_numbers(result.page) == numbers.list_numbers(again.score)
            if not same:
                check = "determinism" if keep else "evidence on and off"
                yield Fault(case, check, f"another result in a batch, edition {edition}")


def _show_page(result: PageResult, written: str, *, explained: bool) -> tuple[CheckedPage, Sequence[tuple[str, str]]]:
    """Return a page as `check` sees it, and what is wrong with what people are shown of it."""
    page = workflow.judge_page(result, written)
    problems = [
        *workflow.check_places(page, written),
        *places.check_findings(result.findings, places.Text(result.text or "")),
        *reports.check_terminal(result),
        *(reports.check_explanation(result) if explained else ()),
    ]
    return page, problems


def _check_result(result: PageResult, page: Page) -> Problems:
    yield from numbers.check_score(result.page)
    text = places.Text(page.open().written)
    yield from places.check_evidence(result.page, text)
    if page.stripped is not None:
        yield from places.check_directives(page.stripped)
    if result.manipulation is not None:
        yield from numbers.check_report(result.manipulation)
        yield from text.check("detector", result.manipulation.evidence)


def _list_traits(found: PageResult | Exception, edition: str) -> Iterator[str]:
    """Yield what a page triggers, which tells it from pages that do the same as others."""
    if isinstance(found, Exception):
        yield f"{edition} {type(found).__name__} {str(found)[:60]}"
        return
    page = found.page
    yield f"{edition} guard {page.guard}"
    yield f"{edition} {page.language} {page.detected}"
    yield f"{edition} cap {page.cap is None or page.blended > page.cap}"
    for name, reading in page.readings.items():
        yield f"{edition} {name} {reading.degenerate} {int(reading.value // 20)}"
        for evidence in reading.evidence:
            yield f"{edition} {page.language} {name} {evidence.pattern}"
    for evidence in page.fresh.evidence:
        yield f"{edition} {page.language} {evidence.pattern}"
    if found.manipulation is not None:
        for name, signal in found.manipulation.signals.items():
            yield f"{edition} {name} {signal.flagged}"


def _choose_edition(case: Case) -> str:
    """Choose the edition that a page is scored in, one that has the language it is said to be in."""
    edition, language = TURNS[sum(case.data) % len(TURNS)], case.options.get("language") or AUTO
    return edition if language in (AUTO, *editions.load(edition).languages) else TURNS[-1]


@cache
def page_checks() -> PageChecks:
    """Return the checks of this process."""
    return PageChecks()


def choose_options(rng: random.Random) -> dict[str, str | None]:
    """Choose a language, a title and an address for the pages of a batch."""
    codes = (*[AUTO] * 8, *languages.CODES)
    title = rng.choice((None, None, None, "", "Ports of the (north) sea: 12 harbours", "ΟΔΟΣ İ \ud800 <b>", "\0 \n"))
    url = rng.choice(
        (None, None, "https://www.example.org/a", "no address", "//h:80", "http://user@[::1]:8/", "http://[")
    )
    return {"language": rng.choice(codes), "title": title, "url": url}
