"""`steelyard leaderboard`: domains ranked, with what the ranks are worth."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from datetime import date
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from steelyard.cli.history import store_option
from steelyard.cli.inputs import check_output, refuse_store
from steelyard.cli.options import format_option, output_option
from steelyard.cli.output import apply_styles, emit
from steelyard.cli.score_records import ScoreRecords
from steelyard.errors import InvalidRecords, SteelyardError
from steelyard.inputs.page_ref import PageRef
from steelyard.pipeline import Settings, read_page
from steelyard.scoring import editions, weighting
from steelyard.support.artifacts import to_json
from steelyard.support.clock import resolve_as_of
from steelyard.support.paths import is_inside
from steelyard.support.progress import ShareProgress
from steelyard.support.regular_file import require_regular_file

if TYPE_CHECKING:
    from steelyard.site.domain_pages import Domain, KeptPage
    from steelyard.site.leaderboard import Leaderboard


@click.command("leaderboard")
@click.argument("scores", required=False)
@store_option
@click.option(
    "--texts", type=click.Path(exists=True, file_okay=False), metavar="DIR",
    help="The folder in which SCORES was made, for what an attack would gain.",
)  # fmt: skip
@format_option("human", "json", "csv", "markdown", "html")
@output_option
def command(scores: str | None, store: str | None, texts: str | None, form: str, output: str | None) -> int:
    """Rank domains by the scores of their pages, and say what the ranks are worth.

    The domains are the sites in the store, each by its last finished audit, or those of SCORES, a file as
    `steelyard domains` takes it. Every rank comes with its interval, the pages that would separate it from the next,
    the ranks that 50 words written for the score alone would gain (only where the texts were kept: --keep-texts of
    `audit`, or --texts), and the share of pages that detectors flag. Domains under different editions or scorings are
    listed apart.
    """
    if scores is not None and store is not None:
        raise click.UsageError("give SCORES or --store, not both")
    if texts is not None and scores is None:
        raise click.UsageError("--texts goes with SCORES; an audit keeps its texts with --keep-texts")
    if scores is None:
        refuse_store(output, store)
    check_output(output, _list_inputs(scores, texts))
    board = _rank_store(store) if scores is None else _rank_file(scores, texts)
    emit(_render(board, form, output), output)
    return 0


def _list_inputs(scores: str | None, texts: str | None) -> Iterator[str]:
    """Yield the files that are read: the scores, and the pages they are about."""
    if scores is None:
        return
    yield scores
    if texts is not None:
        require_regular_file(scores)
        yield from (os.path.join(texts, str(record["row"].get("source") or "")) for record in ScoreRecords(scores))


def _render(board: Leaderboard, form: str, output: str | None) -> str:
    from steelyard.site import leaderboard_listing

    if form == "json":
        return to_json(board.to_dict()) + "\n"
    if form == "csv":
        return leaderboard_listing.render_csv(board)
    if form == "markdown":
        return leaderboard_listing.render_markdown(board)
    if form == "html":
        return leaderboard_listing.render_html(board)
    return apply_styles(leaderboard_listing.render_terminal(board), output)


def _rank_store(url: str | None) -> Leaderboard:
    from steelyard.site.leaderboard import build
    from steelyard.site.store import open_store

    with open_store(url, create=False) as store:
        board = build(store, measure=_measure, progress=_show_progress())
        if not board.boards:
            raise SteelyardError(
                f"{store.name}: no finished audit with a scored page; begin with `steelyard audit URL`"
            )
        return board


def _rank_file(path: str, folder: str | None) -> Leaderboard:
    from steelyard.site.domain_pages import Domain, Sample, add_page, takes_page
    from steelyard.site.leaderboard import MAX_BOARDS, rank

    require_regular_file(path)
    # A domain may have pages that were scored in two ways; each way is then a domain of its own, on its own board.
    domains: dict[str, list[tuple[Domain, Sample[dict[str, Any]]]]] = {}
    records = ScoreRecords(path)
    for record in records:
        row, known = record["row"], domains.setdefault(record["domain"].lower(), [])
        found = next((one for one in known if takes_page(one[0], row)), None)
        if found is None:
            name, edition, weights = record["domain"].lower(), row.get("edition"), row.get("weights")
            found = Domain(name, str(edition or ""), str(weights or ""), as_of=_parse_day(row)), Sample()
            known.append(found)
            if len(known) > MAX_BOARDS:
                raise InvalidRecords(path, f"the pages of {name} are under more than {MAX_BOARDS} scorings")
        add_page(found[0], {**row, "score": record["score"]})
        if folder is not None:
            wanted = {key: row.get(key) for key in ("source", "language", "title")}
            found[1].add(str(row.get("url") or row.get("source")), wanted)
    records.check()
    every = [pair for pairs in domains.values() for pair in pairs]
    for domain, sample in every:
        domain.kept = [page for row in sample.list_items() if (page := _read_text(Path(folder or "."), row))]
    absent = "no texts were given (--texts DIR)" if folder is None else f"no page of it is in {folder}"
    every_domain = [domain for domain, _ in every]
    return rank(every_domain, measure=_measure, without_texts=absent, progress=_show_progress())


def _read_text(folder: Path, row: dict[str, Any]) -> KeptPage | None:
    """Return the page that a row is about, from the folder; None where there is none, or outside the folder."""
    from steelyard.site.domain_pages import KeptPage

    path = folder / str(row.get("source") or "")
    if not is_inside(path, folder) or not path.is_file():
        return None
    try:
        page = read_page(PageRef(str(path), path=str(path)))
    except SteelyardError:
        return None
    return KeptPage(page.text, str(row.get("language") or "en"), row.get("title") or page.title)


def _show_progress() -> Callable[[int, int], None]:
    """Return what shows a line on a terminal: an attack takes a second or so for each page."""
    line = ShareProgress("pages attacked")

    def show(done: int, total: int) -> None:
        line.update(done, done / max(1, total))
        if done == total:
            line.clear()

    return show


def _measure(page: KeptPage, domain: Domain) -> float | None:
    """Return what the attack gains on a page, under the scoring of its domain; None where that is not at hand."""
    from steelyard.lab.gaming.climbing import measure_gain
    from steelyard.site.leaderboard import ATTACK_WORDS

    if domain.edition and domain.edition not in editions.NAMES:
        return None
    edition = editions.load(domain.edition or editions.DEFAULT)
    weights = domain.weights or edition.weights
    if weights not in weighting.NAMED:
        return None
    as_of = domain.as_of or resolve_as_of(None)
    settings = Settings(as_of, weighting.load(weights), edition, language=page.language)
    return measure_gain(page.text, page.title, settings, words=ATTACK_WORDS)


def _parse_day(row: dict[str, Any]) -> date | None:
    try:
        return date.fromisoformat(str(row.get("as_of")))
    except ValueError:
        return None
