"""`./run fuzz`: make inputs of every kind, check them, and print a minimal reproducer of everything that fails."""

from __future__ import annotations

import argparse
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

from fuzz import reproducer
from fuzz.case import Depth
from fuzz.check_pages import choose_core, page_checks
from fuzz.kinds import KINDS, models
from fuzz.lane import Lane
from fuzz.run import plan_lanes, run_lanes
from fuzz.tally import write_result

DEFAULT_MINUTES = 1.0
DEFAULT_JOBS = 2
PROGRESS_SECONDS = 60.0


def main(arguments: list[str] | None = None) -> int:
    """Run, and return 1 if anything failed."""
    options = _parse(arguments)
    if options.replay:
        return replay(options.replay)
    minutes = options.minutes if options.minutes or options.pages or options.inputs else DEFAULT_MINUTES
    kinds = tuple(options.kind or (name for name, kind in KINDS.items() if kind.share))
    started = time.monotonic()
    with tempfile.TemporaryDirectory(prefix="steelyard-fuzz-") as scratch:
        seconds = 60 * minutes if minutes else None
        whole = Lane(
            0, 1, options.seed, kinds, options.pages, seconds, reproducer.FOLDER, Path(scratch), options.inputs
        )
        lanes = plan_lanes(whole, options.parts, options.jobs)
        tally = run_lanes(lanes, _make_progress(started, sum(lane.pages or 0 for lane in lanes)))
    seconds_taken = time.monotonic() - started
    number, parts = options.parts
    path = options.output or reproducer.FOLDER / f"fuzz-{options.seed}-{number}-of-{parts}.json"
    run = {
        "seed": options.seed, "part": f"{number}/{parts}", "processes": options.jobs, "pages": options.pages,
        "inputs": options.inputs, "minutes": minutes, "kinds": list(kinds),
    }  # fmt: skip
    write_result(path, tally, run, seconds_taken)
    others = sum(tally.cases.values()) - tally.pages
    print(
        f"{tally.pages:,} distinct pages ({tally.bytes_of_pages / max(1, tally.pages):,.0f} bytes on average) and "
        f"{others:,} other inputs in {seconds_taken:,.0f} s: {len(tally.faults)} faults\nwritten: {path}"
    )
    return 1 if tally.faults else 0


def replay(path: Path) -> int:
    """Check one saved case again."""
    choose_core()
    case = reproducer.load_case(path)
    faults = KINDS[case.kind].check([case], depth=Depth.ALL).faults
    page_checks().close()
    models.loader().close()
    for fault in faults:
        print(f"{fault.check}: {fault.message}")
    print(f"{path}: {len(faults)} faults")
    return 1 if faults else 0


def _make_progress(started: float, total: int) -> Callable[[int], None]:
    """Return a function that prints the number of pages once a minute, with an estimate where a `total` is known."""
    last = started

    def show(pages: int) -> None:
        nonlocal last
        now = time.monotonic()
        if now - last >= PROGRESS_SECONDS:
            last = now
            left = (now - started) * (total / pages - 1) if total and pages else 0.0
            estimate = f", about {left / 60:,.0f} min left" if left > 0 else ""
            print(f"{pages:,} pages in {now - started:,.0f} s{estimate}", file=sys.stderr, flush=True)

    return show


def _parse(arguments: list[str] | None) -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="./run fuzz", description=__doc__)
    parser.add_argument("--minutes", type=float, help=f"stop after so long (default: {DEFAULT_MINUTES:g})")
    parser.add_argument("--pages", type=int, help="stop after so many distinct pages, of all parts together")
    parser.add_argument("--inputs", type=int, help="stop after so many inputs of any kind")
    parser.add_argument("--parts", type=_parse_part, default=(1, 1), metavar="K/N", help="run part K of N only")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--kind", action="append", choices=list(KINDS), help="only this kind; may be repeated")
    parser.add_argument("--jobs", type=int, default=DEFAULT_JOBS, help="processes (default: %(default)s)")
    parser.add_argument("--replay", type=Path, metavar="FILE", help="check one saved reproducer again")
    parser.add_argument("-o", "--output", type=Path, help="the result (default: in .cache/fuzz)")
    return parser.parse_args(arguments)


def _parse_part(text: str) -> tuple[int, int]:
    number, _, parts = text.partition("/")
    if not (number.isdecimal() and parts.isdecimal() and 1 <= int(number) <= int(parts)):
        raise argparse.ArgumentTypeError(f"{text!r} is not K/N, such as 2/10")
    return int(number), int(parts)


if __name__ == "__main__":
    sys.exit(main())
