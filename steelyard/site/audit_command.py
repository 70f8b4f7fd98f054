"""`steelyard audit`: crawl a site politely, score its pages, and keep the result."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from steelyard.errors import AuditInterrupted
from steelyard.settings import Settings
from steelyard.site.audit_plan import make_plan
from steelyard.site.audit_progress import AuditProgress, JsonProgress, LineProgress
from steelyard.support.artifacts import ReplacedFile
from steelyard.support.clock import VARIABLE
from steelyard.support.escape import make_visible
from steelyard.support.formatting import format_count
from steelyard.terminal.inputs import check_output, list_files
from steelyard.terminal.options import Known, add_options, build_settings, edition_options, format_option, output_option
from steelyard.terminal.output import apply_styles, emit, warn
from steelyard.text.html import HtmlLimits
from steelyard.text.html.budget import parse_limit

if TYPE_CHECKING:
    from steelyard.site.audit import Plan, Run
    from steelyard.site.crawl.options import CrawlOptions
    from steelyard.site.store import Store, VisitRow


@dataclass(frozen=True, slots=True)
class Report:
    """A finished audit and how its report is written."""

    write: Callable[[str], None]
    store: Store
    run: Run
    settings: Settings
    quiet: bool
    output: str | None

    @property
    def scoring(self) -> str:
        """What all scores depend on, in words."""
        record = self.settings.to_dict()
        return ", ".join(f"{name.replace('_', ' ')} {value}" for name, value in record.items())

    def list_visits(self) -> Iterator[VisitRow]:
        """Yield the addresses, the worst page first, without those that only the crawler asked for."""
        from steelyard.site.model import PROBE

        visits = self.store.read_visits(self.run.audit, order="score")
        return (visit for visit in visits if visit.link.origin != PROBE)


def _write_text(report: Report) -> None:
    from steelyard.site.report.terminal import render_terminal, summarise_scores

    run = report.run
    lines = render_terminal(run.site, run.summary, report.scoring, run.number)
    report.write(apply_styles([(summarise_scores(run.summary), "head")] if report.quiet else lines, report.output))


def _write_json(report: Report) -> None:
    from steelyard.site.report.json_document import write_document

    run = report.run
    audit = {"site": run.site, "number": run.number, **run.summary.to_dict()}
    write_document(report.write, report.settings, report.list_visits(), audit)


def _write_csv(report: Report) -> None:
    from steelyard.site.report.spreadsheet import make_spreadsheet

    report.write(make_spreadsheet(report.list_visits()).to_csv())


def _write_html(report: Report) -> None:
    from steelyard.site.report.html import render_html

    report.write(render_html(report.run.site, report.run.summary, report.scoring))


FORMATS: Mapping[str, Callable[[Report], None]] = {
    "human": _write_text,
    "json": _write_json,
    "csv": _write_csv,
    "html": _write_html,
}

_what = add_options(
    click.option(
        "--sitemap", "sitemaps", multiple=True, metavar="URL", help="Visit the pages of this sitemap; repeatable."
    ),
    click.option("--urls", metavar="FILE", help="Visit the addresses in this file, one per line, and follow no link."),
    click.option(
        "--from-dir",
        "directory",
        type=click.Path(file_okay=False),
        metavar="DIR",
        help="Score the pages in a directory, without a network.",
    ),
)
_how = add_options(
    click.option(
        "--max-pages", type=click.IntRange(1), default=500, show_default=True, help="Stop after so many addresses."
    ),
    click.option(
        "--max-depth", type=click.IntRange(0), default=10, show_default=True, help="Follow links so many clicks deep."
    ),
    click.option(
        "--max-time",
        type=click.FloatRange(0, min_open=True),
        metavar="SECONDS",
        help="Stop after so many seconds; the same command continues. [default: no limit]",
    ),
    click.option("--concurrency", type=click.IntRange(1, 64), default=4, show_default=True, help="Requests at a time."),
    click.option(
        "--delay",
        type=click.FloatRange(0, 3600),
        default=0.0,
        show_default=True,
        metavar="SECONDS",
        help="Wait between two requests; what robots.txt asks for is obeyed in any case.",
    ),
    click.option(
        "--timeout",
        type=click.FloatRange(0.1),
        default=30.0,
        show_default=True,
        metavar="SECONDS",
        help="For a whole answer.",
    ),
    click.option(
        "--retries", type=click.IntRange(0, 10), default=2, show_default=True, help="After errors that may pass."
    ),
    click.option(
        "--user-agent", metavar="TEXT", help="The name under which the site is asked. [default: steelyard/VERSION]"
    ),
    click.option(
        "--ignore-robots", is_flag=True, help="Ask for pages that robots.txt forbids. Only for a site of your own."
    ),
    click.option(
        "--header",
        "headers",
        multiple=True,
        metavar="NAME=VARIABLE",
        help="Send a header whose value is in this environment variable; repeatable. Only the site itself gets it.",
    ),
    click.option(
        "--public-only", is_flag=True, help="Refuse a private address even where URL itself is one, as for a stranger."
    ),
    click.option("--allow-private", is_flag=True, help="Follow links to other private addresses as well."),
    click.option(
        "--max-bytes", type=click.IntRange(1), default=10_000_000, show_default=True, help="Refuse larger pages."
    ),
    click.option(
        "--limit",
        "limits",
        type=parse_limit,
        multiple=True,
        metavar="NAME=N",
        help="A limit for HTML (docs/limits.md).",
    ),
    click.option("--jobs", type=click.IntRange(min=1), help="Processes that score. [default: all cores]"),
)
_kept = add_options(
    click.option(
        "--store",
        metavar="URL",
        help="SQLite file or postgresql:// address. [default: STEELYARD_STORE, else your data directory]",
    ),
    click.option("--no-store", is_flag=True, help="Keep nothing after the run."),
    click.option("--keep-texts", is_flag=True, help="Also keep the texts of the pages in the store."),
    click.option("--fresh", is_flag=True, help="Begin anew instead of continuing an audit that was interrupted."),
)


@click.command("audit")
@click.argument("url", required=False)
@_what
@_how
@_kept
@edition_options
@click.option("--min-score", type=click.FloatRange(0, 100), metavar="N", help="Exit 1 when a page scores below N.")
@format_option(*FORMATS)
@output_option
@click.option("--quiet", is_flag=True, help="No progress, and on the terminal only the summary.")
@click.option(
    "--progress", type=Known("progress", ("line", "json")), default="line", help="json: one line per step on stderr."
)
def command(
    url: str | None, form: str, output: str | None, min_score: float | None, quiet: bool, **options: Any
) -> int:
    """Crawl a site, score its pages, and list the worst first.

    URL is where to begin; only pages of its site are visited. robots.txt is obeyed. A site on this machine or in your
    own network can be audited as well; links from there to other private addresses are not followed.

    An audit that was interrupted, or stopped by --max-time, is continued by the same command.

    \b
    Exit codes:
      0  the audit is done
      1  a page scores below --min-score
      2  nothing could be audited
    """
    if _is_stored(options):
        from steelyard.site.store.location import refuse_store

        refuse_store(output, options["store"])
    check_output(output, list_files([*filter(None, (options["urls"], options["directory"]))]))
    settings = build_settings(
        options, max_bytes=options["max_bytes"], keep_text=options["keep_texts"], detect=True,
        limits=HtmlLimits(**dict(options["limits"])),
    )  # fmt: skip
    plan, crawl_options = make_plan(url, options)
    with _open_store(plan, options) as store, _open_output(output) as write:
        settings = _take_date(store, plan, settings, options)
        run = _run(plan, store, settings, crawl_options, options, quiet=quiet)
        FORMATS[form](Report(write, store, run, settings, quiet, output))
    return _find_exit_code(run, min_score)


def _take_date(store: Store, plan: Plan, settings: Settings, options: Mapping[str, Any]) -> Settings:
    """Return the settings with the date of an audit that was interrupted, unless the user gave another one."""
    from steelyard.site.audit import find_date

    if options["as_of"] is not None or os.environ.get(VARIABLE) or options["fresh"]:
        return settings
    return replace(settings, as_of=find_date(store, plan.site) or settings.as_of)


def _is_stored(options: Mapping[str, Any]) -> bool:
    """Tell whether the audit is kept: pages of a directory only on request, since nothing was fetched for them."""
    return not options["no_store"] and (options["directory"] is None or options["store"] is not None)


@contextmanager
def _open_store(plan: Plan, options: Mapping[str, Any]) -> Iterator[Store]:
    from steelyard.site.store import open_store

    if options["no_store"] and options["store"]:
        raise click.UsageError("--store and --no-store exclude each other")
    if _is_stored(options):
        store = open_store(options["store"])
        try:
            yield store
        finally:
            store.close()
        return
    with tempfile.TemporaryDirectory(prefix="steelyard-audit-") as folder:
        store = open_store(str(Path(folder) / "audit.sqlite"))
        try:
            yield store
        finally:
            store.close()


@contextmanager
def _open_output(output: str | None) -> Iterator[Callable[[str], None]]:
    if output is None:
        yield emit
        return
    out = ReplacedFile(output)
    try:
        yield out.write
        out.keep()
    finally:
        out.discard()


def _run(
    plan: Plan, store: Store, settings: Settings, crawl: CrawlOptions | None, options: Mapping[str, Any], *, quiet: bool
) -> Run:  # fmt: skip
    from steelyard.site.audit import run_audit

    shown: AuditProgress = LineProgress(quiet=quiet, most=options["max_pages"])
    if options["progress"] == "json":
        shown = JsonProgress(plan.site, options["max_pages"])
    try:
        run = run_audit(
            plan, store, settings, crawl,
            jobs=options["jobs"], fresh=options["fresh"], progress=shown.update, started=shown.start,
        )  # fmt: skip
    except KeyboardInterrupt:
        stopped = AuditInterrupted(shown.finished)
        shown.fail(stopped)
        raise stopped from None
    except Exception as error:
        shown.fail(error)
        raise
    run.is_kept = _is_stored(options)
    shown.end(run)
    return run


def _find_exit_code(run: Run, min_score: float | None) -> int:
    if not run.summary.pages:
        warn("steelyard: no page could be scored" + _explain_first(run))
        return 2
    below = [page for page in run.summary.pages if min_score is not None and page.score < min_score]
    if below:
        total = format_count(len(run.summary.pages), "page")
        lowest = make_visible(below[0].url)
        warn(f"steelyard: {len(below)} of {total} below {min_score:g}, the lowest is {lowest}")
    return 1 if below else 0


def _explain_first(run: Run) -> str:
    if not run.summary.others:
        return ""
    one = run.summary.others[0]
    return f": {make_visible(one.url)}: {make_visible(one.reason)}"
