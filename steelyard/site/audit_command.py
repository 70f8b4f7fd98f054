"""`steelyard audit`: crawl a site politely, score its pages, and keep the result."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Callable, Iterator, Mapping
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import click

from steelyard.errors import AuditInterrupted
from steelyard.settings import AUTO, Settings
from steelyard.site.audit import Plan, Run, find_date, run_audit
from steelyard.site.audit_plan import make_plan
from steelyard.site.audit_progress import JsonProgress, LineProgress
from steelyard.site.crawl.options import CrawlOptions
from steelyard.site.logs.report import check_logs
from steelyard.site.model import PROBE
from steelyard.site.page_views import choose_views, read_views
from steelyard.site.report.html import render_html
from steelyard.site.report.records import make_table, write_document
from steelyard.site.report.terminal import render_terminal, summarise_scores
from steelyard.support.artifacts import ReplacedFile
from steelyard.support.clock import VARIABLE
from steelyard.support.escape import make_visible
from steelyard.support.formatting import format_count
from steelyard.terminal.inputs import check_output, list_files
from steelyard.terminal.options import (
    Known,
    add_options,
    build_settings,
    edition_options,
    format_option,
    kind_option,
    output_option,
    selector_option,
)
from steelyard.terminal.output import apply_styles, emit, warn
from steelyard.text.html import HtmlLimits
from steelyard.text.html.limits import parse_limit

if TYPE_CHECKING:
    from steelyard.site.store import Store, VisitRow


@dataclass(frozen=True, slots=True)
class Report:
    """A finished audit and how its report is written."""

    write: Callable[[str], None]
    store: Store
    run: Run
    number: int | None  # under which it can be found again
    settings: Settings
    quiet: bool
    output: str | None
    jobs: int = 1

    @property
    def scoring(self) -> str:
        """The settings that all scores depend on, in words."""
        record = self.settings.to_dict()
        return ", ".join(f"{name.replace('_', ' ')} {value}" for name, value in record.items())

    def list_visits(self) -> Iterator[VisitRow]:
        """Yield the addresses, the worst page first, without those that only the crawler asked for."""
        visits = self.store.read_visits(self.run.audit, order="score")
        return (visit for visit in visits if visit.link.origin != PROBE)


def _write_text(report: Report) -> None:
    run = report.run
    lines = render_terminal(run.site, run.summary, report.scoring, report.number)
    report.write(apply_styles([(summarise_scores(run.summary), "head")] if report.quiet else lines, report.output))


def _write_json(report: Report) -> None:
    run = report.run
    audit = {"site": run.site, "number": report.number, **run.summary.to_dict()}
    write_document(report.write, report.settings, report.list_visits(), audit)


def _write_csv(report: Report) -> None:
    report.write(make_table(report.list_visits(), report.run.logs).to_csv())


def _write_html(report: Report) -> None:
    run = report.run
    views = read_views(report.store, run.audit, choose_views(run.summary), jobs=report.jobs)
    report.write(render_html(run.site, run.summary, report.scoring, views))


FORMATS: Mapping[str, Callable[[Report], None]] = {
    "human": _write_text,
    "json": _write_json,
    "csv": _write_csv,
    "html": _write_html,
}

_target_options = add_options(
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
_log_option = click.option(
    "--log",
    "logs",
    multiple=True,
    metavar="FILE",
    help="An access log of the site (common or combined format, packed or not; - for standard input): what AI agents"
    " read, beside the scores; repeatable.",
)
_crawl_options = add_options(
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
_store_options = add_options(
    click.option(
        "--store",
        metavar="URL",
        help="SQLite file or postgresql:// address. [default: STEELYARD_STORE, else your data directory]",
    ),
    click.option("--no-store", is_flag=True, help="Keep nothing after the run."),
    click.option("--keep-texts", is_flag=True, help="Keep the texts of the pages in the store, as --format html does."),
    click.option("--fresh", is_flag=True, help="Begin anew instead of continuing an audit that was interrupted."),
)


@click.command("audit")
@click.argument("url", required=False)
@_target_options
@_log_option
@_crawl_options
@_store_options
@edition_options
@kind_option("auto")
@selector_option
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
    check_output(output, list_files([*filter(None, (options["urls"], options["directory"])), *options["logs"]]))
    check_logs(options["logs"])
    settings = build_settings(
        options, max_bytes=options["max_bytes"], keep_text=options["keep_texts"] or form == "html", detect=True,
        limits=HtmlLimits(**dict(options["limits"])), kind=options["kind"] or AUTO, selector=options["selector"],
    )  # fmt: skip
    plan, crawl_options = make_plan(url, options)
    with _open_store(plan, options) as store, _open_output(output) as write:
        settings = _take_date(store, plan, settings, options)
        if options["edition"] is None:
            _warn_of_edition(store, plan.site, settings.edition.name)
        run = _run(plan, store, settings, crawl_options, options, quiet=quiet)
        number = run.audit if _is_stored(options) else None
        FORMATS[form](
            Report(write, store, run, number, settings, quiet, output, options["jobs"] or os.cpu_count() or 1)
        )
    return _find_exit_code(run, min_score)


def _take_date(store: Store, plan: Plan, settings: Settings, options: Mapping[str, Any]) -> Settings:
    """Return the settings with the date of an audit that was interrupted, unless the user gave another one."""
    if options["as_of"] is not None or os.environ.get(VARIABLE) or options["fresh"]:
        return settings
    return replace(settings, as_of=find_date(store, plan.site) or settings.as_of)


def _warn_of_edition(store: Store, site: str, edition: str) -> None:
    """Say that the last audit of a site was in another edition, where the user chose none for this one."""
    audits = store.list_audits(site)
    if audits and audits[-1].edition != edition:
        last = audits[-1].edition
        warn(
            f"steelyard: the last audit of {make_visible(site)} is in edition {last}, and this one is in {edition}: "
            f"their scores cannot be compared; --edition {last} goes on with {last}"
        )


def _is_stored(options: Mapping[str, Any]) -> bool:
    """Return whether the audit is kept: pages of a directory only on request, since nothing was fetched for them."""
    return not options["no_store"] and (options["directory"] is None or options["store"] is not None)


@contextmanager
def _open_store(plan: Plan, options: Mapping[str, Any]) -> Iterator[Store]:
    from steelyard.site.store import open_store

    if options["no_store"] and options["store"]:
        raise click.UsageError("--store and --no-store exclude each other")
    with ExitStack() as stack:
        url = options["store"]
        if not _is_stored(options):
            folder = stack.enter_context(tempfile.TemporaryDirectory(prefix="steelyard-audit-"))
            url = os.path.join(folder, "audit.sqlite")
        yield stack.enter_context(open_store(url))


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
    shown: JsonProgress | LineProgress
    if options["progress"] == "json":
        shown = JsonProgress(plan.site, options["max_pages"])
    else:
        shown = LineProgress(quiet=quiet, max_pages=options["max_pages"], is_kept=_is_stored(options))
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
    shown.end(run)
    return run


def _find_exit_code(run: Run, min_score: float | None) -> int:
    if not run.summary.pages:
        reason = "".join(f": {make_visible(o.url)}: {make_visible(o.reason)}" for o in run.summary.others[:1])
        warn(f"steelyard: no page could be scored{reason}")
        return 2
    below = [page for page in run.summary.pages if min_score is not None and page.score < min_score]
    if below:
        total = format_count(len(run.summary.pages), "page")
        lowest = make_visible(below[0].url)
        warn(f"steelyard: {len(below)} of {total} below {min_score:g}, the lowest is {lowest}")
    return 1 if below else 0
