"""From the values of a request to results, by the same path as the command line's."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from dataclasses import dataclass
from functools import partial
from typing import Any

from steelyard.errors import MissingExtra, PageUnreadable, SteelyardError
from steelyard.inputs.page_ref import PageRef
from steelyard.native.core import choose_core
from steelyard.pages.json_document import build_document
from steelyard.pipeline import PageResult, analyse
from steelyard.settings import Settings
from steelyard.site.page_views import restore_page
from steelyard.text.html import is_html
from steelyard.web import fetching
from steelyard.web.options import ServeOptions
from steelyard.web.responses import HTTPError, write_json
from steelyard.web.workers import Processes, Workers

MAX_TEXT = 5_000_000  # characters of a page, which was fetched or sent


@dataclass(frozen=True, slots=True)
class Scored:
    """A page as it came, its result, and the settings it was scored with."""

    ref: PageRef
    result: PageResult
    settings: Settings


class Scorer:
    """Scores what requests hold or name, in processes. HTML, which is slower, never takes the last of them."""

    def __init__(self, options: ServeOptions) -> None:
        self._options = options
        self._processes = Processes(options.max_work_seconds)
        # A thread waits for each process; it gives up later than the process is killed.
        self._threads = Workers("score", options.processes, options.waiting, options.max_work_seconds + 10)
        self._fetches = Workers("fetch", options.fetches, options.waiting // 4, options.max_work_seconds)
        self._html = asyncio.Semaphore(max(1, options.processes - 1))

    async def score(self, values: Mapping[str, Any], choices: Mapping[str, Any] | None = None) -> Scored:
        """Score the page that a request holds under text, html or url.

        Args:
            values: The page, and its title.
            choices: Language, edition and date, where they are not among the values.

        Raises:
            HTTPError: The page cannot be fetched, read or scored; the message says why.
        """
        settings = build_settings({**values, **(choices or {})})
        ref = await self._open(values)
        return Scored(ref, await self._run(ref, analyse, settings), settings)

    async def write_document(self, values: Mapping[str, Any]) -> bytes:
        """Return the document of `steelyard score --format json` for a page, as `score` takes it.

        Raises:
            HTTPError: The page cannot be fetched, read or scored; the message says why.
        """
        ref = await self._open(values)
        with_text, evidence = values.get("with_text", False), values.get("evidence", True)
        document: bytes = await self._run(ref, _write_document, build_settings(values), with_text, evidence)
        return document

    async def restore(self, entry: Mapping[str, Any], url: str, scoring: Mapping[str, str]) -> PageResult:
        """Return a stored page as a result again, with its evidence where its text was kept.

        Raises:
            HTTPError: This took too long.
        """
        call = partial(self._processes.call, restore_page, (entry, url), scoring)
        result: PageResult = await self._threads.run(call)
        return result

    async def _run(self, ref: PageRef, work: Any, *arguments: Any) -> Any:
        call = partial(self._processes.call, work, ref, *arguments)
        if ref.html or is_html(ref.text or ""):
            async with self._html:
                return await self._threads.run(call)
        return await self._threads.run(call)

    async def _open(self, values: Mapping[str, Any]) -> PageRef:
        """Return the page of a request, fetched where only its address is given."""
        if "url" in values:
            load = partial(fetching.load_address, values["url"], allow_private=self._options.allow_private)
            try:
                return await self._fetches.run(load)
            except PageUnreadable as error:
                raise HTTPError(422, str(error)) from None
            except MissingExtra as error:
                raise HTTPError(501, str(error)) from None
        address = values.get("address")
        if "html" in values:
            return PageRef(values.get("source", "html"), text=values["html"], url=address, html=True)
        return PageRef(values.get("source", "text"), text=values["text"], url=address)

    def close(self) -> None:
        """Take no more work, and end the processes."""
        self._threads.close()
        self._fetches.close()
        self._processes.close()


def _write_document(ref: PageRef, settings: Settings, with_text: bool, evidence: bool) -> bytes:
    result = analyse(ref, settings)
    return write_json(build_document([result], [], settings, with_text=with_text, with_evidence=evidence))


def build_settings(values: Mapping[str, Any]) -> Settings:
    """Return the settings for checked values.

    Raises:
        HTTPError: The edition does not have the language.
    """
    names = ("edition", "as_of", "language", "title", "detect", "kind", "selector", "uncertain")
    try:
        return Settings.resolve(
            **{"detect": True, **{name: values[name] for name in names if name in values}},
            max_bytes=MAX_TEXT,
            keep_text=True,  # evidence is shown in it
            core=choose_core(),
        )
    except SteelyardError as error:
        raise HTTPError(422, str(error)) from None
