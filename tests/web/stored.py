"""Audits in a store, made without a crawl."""

from __future__ import annotations

from datetime import date

from steelyard.inputs.page_ref import PageRef
from steelyard.scoring import editions
from steelyard.settings import Settings
from steelyard.site.measure import measure_ref
from steelyard.site.model import FAILED, LINK, NOT_MEASURED, Link, Visit
from steelyard.site.store import open_store

SITE = "example.org"
HOSTILE_SITE = "127.0.0.1:8000"
HOSTILE_PAGE = "https://example.org/<script>alert(1)</script>?a='\"{{7*7}}"
DAYS = (date(2026, 5, 1), date(2026, 6, 1), date(2026, 7, 1))
SENTENCE = "The harbour master of a small northern town keeps a careful record of every ship and its cargo. "
QUOTED = "“We count every ship,” said Ada Kerr of the Harbour Office in 2026, who found 45% more than in 2020. "


def fill_store(path: str) -> None:
    """Store three audits of one site, each with better pages than the last, and one of another."""
    store = open_store(path)
    try:
        for number, day in enumerate(DAYS):
            _add_audit(store, SITE, day, quoted=number)
        _add_audit(store, HOSTILE_SITE, DAYS[-1], quoted=1)
    finally:
        store.close()


def add_rescored(path: str) -> None:
    """Store one more audit of the first site, under another edition."""
    store = open_store(path)
    try:
        _add_audit(store, SITE, date(2026, 8, 1), quoted=2, name="2026")
    finally:
        store.close()


def _add_audit(store, site: str, day: date, *, quoted: int, name: str = editions.DEFAULT) -> None:
    edition = editions.load(name)
    settings = Settings.resolve(as_of=day, edition=edition, detect=True)
    audit = store.begin_audit(
        site, f"https://{site}/", {"follow": True}, as_of=day, edition=edition.name,
        scoring=settings.to_dict(), keep_texts=False,
    )  # fmt: skip
    first = Link(f"https://{site}/")
    names = [f"https://{site}/page-{n}" for n in range(8)] + ([HOSTILE_PAGE] if site == SITE else [])
    audit.add([first, *(Link(url, 1, LINK, first.url) for url in names)])
    while links := audit.take(100):
        for n, link in enumerate(links):
            audit.finish(_visit(link, n, quoted, settings))
    audit.end("done", {})


def _visit(link: Link, n: int, quoted: int, settings: Settings) -> Visit:
    visit = Visit(link, FAILED, "timed out after 30 s", final_url=link.url)
    if link.url.endswith("page-6"):
        return visit
    if link.url.endswith("page-7"):
        return Visit(link, NOT_MEASURED, "is built by a script <b>that</b> was not run", 200, link.url)
    text = f"# Page {n} of ships\n\n" + SENTENCE * (4 + 3 * n) + "\n\n" + QUOTED * quoted + f"\n\nPage {n} ends here."
    return measure_ref(PageRef(link.url, text=text, url=link.url), visit, settings)
