"""Audit a made-up site in a process of its own: `python auditor.py URL SITE PAGES ACKNOWLEDGED [PAUSE]`.

Page n links to 2n + 1 and 2n + 2. Every finished address is written to the file ACKNOWLEDGED, so that a test can
compare what was reported as finished with what is in the store.
"""

from __future__ import annotations

import os
import sys
import time
from datetime import date

from steelyard.errors import SteelyardError
from steelyard.site.model import LINK, SCORED, Link, Visit
from steelyard.site.store import open_store


def make_page(number: int) -> dict[str, object]:
    filling = "".join(chr(97 + (number * k) % 26) for k in range(1, 400))
    return {
        "source": "?", "hash": "h" * 16, "words": number, "score": float(number % 100), "freshness": 50.0,
        "components": {}, "title": filling, "moves": [], "freshness_terms": {},
    }  # fmt: skip


def main(store_url: str, site: str, pages: int, acknowledged: str, pause: float) -> None:
    with open_store(store_url) as store:
        audit = store.begin_audit(
            site, f"https://{site}/", {"pages": pages}, as_of=date(2026, 7, 1), edition="paper", scoring={},
            keep_texts=False,
        )  # fmt: skip
        audit.add([Link(f"https://{site}/0")])
        file = os.open(acknowledged, os.O_WRONLY | os.O_CREAT | os.O_APPEND)
        while taken := audit.take(4):
            for link in taken:
                number = int(link.url.rpartition("/")[2])
                children = [n for n in (2 * number + 1, 2 * number + 2) if n < pages]
                links = [Link(f"https://{site}/{n}", link.depth + 1, LINK, link.url) for n in children]
                visit = Visit(link, SCORED, content=f"{number:064}", page=make_page(number))
                audit.finish(visit, links)
                os.write(file, f"{link.url}\n".encode())
                time.sleep(pause)
        audit.end("done", {"pages": pages})


if __name__ == "__main__":
    try:
        main(sys.argv[1], sys.argv[2], int(sys.argv[3]), sys.argv[4], float((*sys.argv, "0")[5]))
    except SteelyardError as error:
        sys.exit(f"{type(error).__name__}: {error}")
