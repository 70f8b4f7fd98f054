"""Every check on pages: read, measured in both editions with and without evidence, analysed, reported, timed."""

from __future__ import annotations

import os
import random
from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence
from functools import cache

from fuzz.case import Case, Fault, Outcome, describe_error, list_problems
from fuzz.checks import numbers, places, reports
from fuzz.checks.pace import Pace, stopwatch
from fuzz.checks.second_process import SecondProcess, hash_case
from fuzz.page_input import analyse_case, make_ref, settings_of
from steelyard import languages
from steelyard.errors import MissingExtra, PageUnreadable
from steelyard.native.core import VARIABLE, load_module
from steelyard.pipeline import Measured, Page, PageError, PageResult, measure_pages, read_page
from steelyard.scoring import editions

EXPECTED = (PageUnreadable, MissingExtra)  # a page may be refused, with a reason
OTHER_HASH_SEED = 4711


class PageChecks:
    """The checks of one process, which remember what is usual."""

    def __init__(self) -> None:
        self._paces: defaultdict[tuple[str, str], Pace] = defaultdict(Pace)
        self._second = SecondProcess(OTHER_HASH_SEED)

    @property
    def highest_ratio(self) -> float:
        """The highest ratio of a page's time per byte to the median of its kind."""
        return max((pace.highest for pace in self._paces.values()), default=0.0)

    def close(self) -> None:
        """End the second process."""
        self._second.close()

    def check(self, cases: Sequence[Case], *, sampled: bool) -> Outcome:
        """Check pages of one kind that have the same options."""
        faults: list[Fault] = []
        refused: list[str] = []
        pages: list[tuple[Case, Page]] = []
        for case in cases:
            try:
                pages.append((case, read_page(make_ref(case))))
            except EXPECTED as error:
                refused.append(type(error).__name__)
            except Exception as error:  # noqa: BLE001 - this is what is looked for
                faults.append(Fault(case, "exception", describe_error(error)))
        traits: dict[bytes, set[str]] = {case.data: set() for case in cases}
        counts: Counter[str] = Counter()
        for edition in editions.NAMES:
            # Every page is measured in all editions. To analyse it again and report it costs most, so that is done in
            # one of them, and measuring it without evidence in the others.
            turn = [case for case, _ in pages if editions.NAMES[sum(case.data) % len(editions.NAMES)] == edition]
            measured = self._measure(pages, edition, faults, traits)
            faults += self._compare_bare([pair for pair in pages if pair[0] not in turn], edition, measured)
            found = list(self._analyse(turn, edition, measured, faults))
            refused += [type(m).__name__ for case in turn if isinstance(m := measured[case.data], Exception)]
            faults += self._report(turn, found, edition, explained=sampled)
            if sampled:
                faults += self._compare_processes(turn, edition)
                counts["explained, and again under another hash seed with the Python core"] += len(turn)
        return Outcome(faults, [frozenset(traits[case.data]) for case in cases], refused, counts)

    def _measure(
        self, pages: Sequence[tuple[Case, Page]], edition: str, faults: list[Fault], traits: dict[bytes, set[str]]
    ) -> dict[bytes, Measured | Exception]:
        found = _measure_all(pages, edition, evidence=True)
        for case, page in pages:
            one = found[case.data]
            if isinstance(one, Measured):
                faults += list_problems(case, _check_measured(one, page))
                traits[case.data] |= set(_list_traits(one, edition))
            else:
                traits[case.data].add(f"{edition} {type(one).__name__} {str(one)[:60]}")
                if not isinstance(one, EXPECTED):
                    faults.append(Fault(case, "exception", describe_error(one)))
        return found

    def _compare_bare(
        self, pages: Sequence[tuple[Case, Page]], edition: str, measured: dict[bytes, Measured | Exception]
    ) -> Iterator[Fault]:
        """Measure pages again without evidence, in another order, so that nothing of one page may reach the next."""
        found = _measure_all(pages[::-1], edition, evidence=False)
        for case, _ in pages:
            full, plain = measured[case.data], found[case.data]
            if isinstance(full, Measured) and isinstance(plain, Measured):
                same = numbers.list_numbers(full.score) == numbers.list_numbers(plain.score)
            else:
                same = repr(full) == repr(plain)
            if not same:
                yield Fault(case, "evidence on and off", f"another result without evidence in edition {edition}")

    def _analyse(
        self, cases: Sequence[Case], edition: str, measured: dict[bytes, Measured | Exception], faults: list[Fault]
    ) -> Iterator[tuple[Case, PageResult]]:
        """Yield the results by the path of the commands, which must be those of the batch again."""
        for case in cases:
            before = measured[case.data]
            try:
                with stopwatch() as seconds:
                    result = analyse_case(case, edition)
            except EXPECTED as error:
                if repr(error) != repr(before):
                    faults.append(Fault(case, "determinism", f"{error!r}, and in a batch {before!r}"))
                continue
            except Exception as error:  # noqa: BLE001 - this is what is looked for
                faults.append(Fault(case, "exception", describe_error(error)))
                continue
            if isinstance(before, Exception) or repr((result.page, result.manipulation)) != _describe(before):
                faults.append(Fault(case, "determinism", "another result than in a batch"))
            late = self._paces[case.kind, edition].judge(
                len(case.data),
                seconds(),
                lambda case=case: _time_again(case, edition),  # type: ignore[misc]
            )
            if late:
                faults.append(Fault(case, "time", late))
            yield case, result

    def _report(
        self, cases: Sequence[Case], found: Sequence[tuple[Case, PageResult]], edition: str, *, explained: bool
    ) -> list[Fault]:
        faults: list[Fault] = []
        for case, result in found:
            text = places.Text(result.text or "")
            faults += list_problems(case, places.check_findings(result.findings, text))
            faults += list_problems(case, reports.check_json(result))
            faults += list_problems(case, reports.check_terminal(result))
            if explained:
                faults += list_problems(case, reports.check_explanation(result))
        if not cases:
            return faults
        errors = [PageError(make_ref(case).source, case.text or "") for case in cases[:3]]
        settings = settings_of(cases[0], edition)
        if list(reports.check_documents([result for _, result in found], errors, settings)):
            for case, result in found:
                error = PageError(result.source, result.text or "")
                faults += list_problems(case, reports.check_documents([result], [error], settings))
        return faults

    def _compare_processes(self, cases: Sequence[Case], edition: str) -> list[Fault]:
        faults = []
        theirs = self._second.hash_cases(cases, edition) if cases else []
        if len(theirs) != len(cases):
            return [Fault(case, "second process", "it gave no answer") for case in cases[:1]]
        for case, their in zip(cases, theirs, strict=True):
            if hash_case(case, edition) != their:
                with UsedCore("python"):
                    same = hash_case(case, edition) == their
                check = "native and Python" if same else "hash seed"
                faults.append(Fault(case, check, f"another result in edition {edition}"))
        return faults


class UsedCore:
    """Choose the core for a while."""

    def __init__(self, name: str) -> None:
        self._name = name

    def __enter__(self) -> None:
        self._before = os.environ.get(VARIABLE, "")
        os.environ[VARIABLE] = self._name

    def __exit__(self, *_: object) -> None:
        os.environ[VARIABLE] = self._before


def choose_core() -> str:
    """Use the native core for every page, from the first one on, where it is installed; return its name."""
    name = "python" if load_module("") is None else "native"
    os.environ[VARIABLE] = name
    return name


def _describe(measured: Measured) -> str:
    return repr((measured.score, measured.manipulation))


def _measure_all(
    pages: Sequence[tuple[Case, Page]], edition: str, *, evidence: bool
) -> dict[bytes, Measured | Exception]:
    if not pages:
        return {}
    found = measure_pages([page for _, page in pages], settings_of(pages[0][0], edition), evidence=evidence)
    return {case.data: one for (case, _), one in zip(pages, found, strict=True)}


def _check_measured(full: Measured, page: Page) -> Iterator[tuple[str, str]]:
    yield from numbers.check_score(full.score)
    text = places.Text(page.comments.original if page.comments is not None else page.text)
    yield from places.check_evidence(full.score, text)
    if page.comments is not None:
        yield from places.check_comments(page.comments)
    if full.manipulation is not None:
        yield from numbers.check_report(full.manipulation)
        yield from text.check("detector", full.manipulation.evidence)


def _list_traits(found: Measured, edition: str) -> Iterator[str]:
    """Yield what a page triggers, which tells it from pages that do the same as others."""
    page = found.score
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


def _time_again(case: Case, edition: str) -> float:
    with stopwatch() as seconds:
        analyse_case(case, edition)
    return seconds()


@cache
def page_checks() -> PageChecks:
    """Return the checks of this process."""
    return PageChecks()


def choose_options(rng: random.Random) -> dict[str, str | None]:
    """Choose a language, a title and an address for the pages of a batch."""
    codes = (*["auto"] * 6, *languages.CODES)
    title = rng.choice((None, None, None, "", "Ports of the (north) sea: 12 harbours", "ΟΔΟΣ İ \ud800 <b>", "\0 \n"))
    url = rng.choice(
        (None, None, "https://www.example.org/a", "no address", "//h:80", "http://user@[::1]:8/", "http://[")
    )
    return {"language": rng.choice(codes), "title": title, "url": url}
