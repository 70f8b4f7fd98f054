"""`steelyard history`: the audits of a site, what changed between two of them, retention and export."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import date
from typing import TYPE_CHECKING, Any

import click

from steelyard.errors import InvalidDate
from steelyard.pages.compare_listing import list_changes
from steelyard.pages.descriptions import Line
from steelyard.site.history_listing import (
    draw_trend,
    list_audits,
    list_sites,
    render_audits,
    render_diff,
    render_diff_markdown,
)
from steelyard.site.scorings import Scorings
from steelyard.support.artifacts import to_json
from steelyard.support.escape import make_visible
from steelyard.support.formatting import format_count
from steelyard.support.table import Table
from steelyard.terminal.commands import CommandTable
from steelyard.terminal.inputs import check_output
from steelyard.terminal.options import format_option, output_option
from steelyard.terminal.output import apply_styles, emit

if TYPE_CHECKING:
    from steelyard.site.history import AuditDiff
    from steelyard.site.store import Store

LIST = "list"


@dataclass(frozen=True, slots=True)
class Listing:
    """Sites or audits for JSON, as a table, and for a terminal; `note` goes below the table in Markdown."""

    document: dict[str, Any]
    table: Table
    lines: list[Line]
    note: str = ""


LIST_FORMATS: Mapping[str, Callable[[Listing, str | None], str]] = {
    "human": lambda listing, output: apply_styles(listing.lines, output),
    "json": lambda listing, output: to_json(listing.document) + "\n",
    "csv": lambda listing, output: listing.table.to_csv(),
    "markdown": lambda listing, output: listing.table.to_markdown() + (f"\n{listing.note}\n" if listing.note else ""),
}
DIFF_FORMATS: Mapping[str, Callable[[AuditDiff, str | None], str]] = {
    "human": lambda diff, output: apply_styles(render_diff(diff), output),
    "json": lambda diff, output: to_json(diff.to_dict()) + "\n",
    "csv": lambda diff, output: list_changes(diff.pages, of_audits=True, exact=True).to_csv(),
    "markdown": lambda diff, output: render_diff_markdown(diff),
}

store_option = click.option(
    "--store", metavar="URL",
    help="Path, sqlite:///PATH or postgresql://… of the store. [default: STEELYARD_STORE, else your own]",
)  # fmt: skip


class _HistoryGroup(CommandTable):
    """A group whose first argument may be a site: that is its command `list`."""

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        is_help = bool(args) and args[0] in ctx.help_option_names
        if not is_help and (not args or args[0] not in self.commands):
            args = [LIST, *args]
        return super().parse_args(ctx, args)


@click.group("history", cls=_HistoryGroup, subcommand_metavar="[SITE] | COMMAND [ARGS]...")
def command() -> None:
    """Show the audits of a site and what changed between them.

    `steelyard history SITE` lists the audits of a site with their figures and the trend; without SITE it lists the
    sites. The audits are made by `steelyard audit`.
    """


@command.command(LIST)
@click.argument("site", required=False)
@store_option
@format_option(*LIST_FORMATS)
@output_option
def list_command(site: str | None, store: str | None, form: str, output: str | None) -> int:
    """List the audits of SITE, or without it the sites."""
    _check_output(output, store)
    with _open(store) as opened:
        listing = _list_sites(opened) if site is None else _list_audits(opened, site, exact=form == "csv")
    emit(LIST_FORMATS[form](listing, output), output)
    return 0


def _list_sites(store: Store) -> Listing:
    sites = store.list_sites()
    table = list_sites(sites)
    lines = [(line, "text") for line in table.to_terminal()] if sites else [("no audit yet", "text")]
    return Listing({"sites": [row.to_dict() for row in sites]}, table, lines)


def _list_audits(store: Store, site: str, *, exact: bool) -> Listing:
    from steelyard.site.history import find_site

    name = find_site(store, site)
    audits, scorings = store.list_audits(name), Scorings(store)
    document = {"site": name, "audits": [row.to_dict() for row in audits]}
    table = list_audits(audits, scorings, exact=exact)
    lines = render_audits(name, audits, scorings)
    return Listing(document, table, lines, draw_trend(scorings.find_trend(audits)))


@command.command("diff")
@click.argument("audits", nargs=-1, required=True, metavar="SITE [A] [B] | A B")
@store_option
@click.option(
    "--threshold", type=click.FloatRange(min=0), metavar="N", default=0.5, show_default=True,
    help="Points from which a page counts as improved or worsened.",
)  # fmt: skip
@format_option(*DIFF_FORMATS)
@output_option
def diff_command(audits: tuple[str, ...], store: str | None, threshold: float, form: str, output: str | None) -> int:
    """Compare two audits: pages added, removed, improved and worsened, by component and cause.

    Without A and B the previous and the latest finished audit of SITE. A and B are numbers of audits, as
    `steelyard history SITE` lists them, or after SITE also dates, `latest` and `previous`; SITE@DATE works as well.

    The cause of a change is the page (its content differs), the date (the same content is older), or both. A page that
    was scored in another way (edition, weights, formulas, language data, extractor) has neither improved nor worsened:
    it is counted as rescored.
    """
    from steelyard.site.history import compare_audits, find_pair

    if len(audits) > 3:
        raise click.UsageError("give SITE with at most two audits, or two audits")
    _check_output(output, store)
    with _open(store) as opened:
        old, new = find_pair(opened, audits)
        diff = compare_audits(opened, old.id, new.id, threshold=threshold)
    emit(DIFF_FORMATS[form](diff, output), output)
    return 0


@command.command("prune")
@click.argument("site", required=False)
@store_option
@click.option("--keep", type=click.IntRange(min=1), metavar="N", help="Keep the newest N audits of each site.")
@click.option("--before", metavar="DATE", help="Remove only audits that ended before this day (YYYY-MM-DD).")
def prune_command(site: str | None, store: str | None, keep: int | None, before: str | None) -> int:
    """Remove old audits of SITE, or of all sites, and the readings and texts that only they had.

    With both --keep and --before an audit must be old by both to go. Unfinished audits stay.
    """
    from steelyard.site.history import find_site

    if keep is None and before is None:
        raise click.UsageError("say what to remove: --keep N, --before DATE, or both")
    day = _parse_day(before) if before is not None else None
    with _open(store) as opened:
        removed = opened.prune(keep=keep, before=day, site=None if site is None else find_site(opened, site))
    parts = [
        format_count(removed.audits, "audit"), format_count(removed.visits, "visit"),
        format_count(removed.readings, "reading"), format_count(removed.texts, "text"),
    ]  # fmt: skip
    emit(f"removed {', '.join(parts)}\n")
    return 0


@command.command("export")
@click.argument("file", type=click.Path(dir_okay=False))
@store_option
def export_command(file: str, store: str | None) -> int:
    """Write every visit of every audit to FILE, in Parquet."""
    _check_output(file, store)
    with _open(store) as opened:
        emit(f"wrote {format_count(opened.export(file), 'row')} to {make_visible(file)}\n")
    return 0


def _check_output(output: str | None, store: str | None) -> None:
    from steelyard.site.store.location import refuse_store

    refuse_store(output, store)
    check_output(output, [])


def _open(url: str | None) -> Store:
    from steelyard.site.store import open_store

    return open_store(url, create=False)


def _parse_day(text: str) -> date:
    try:
        return date.fromisoformat(text)
    except ValueError as error:
        raise InvalidDate(text, "--before") from error
