"""Audits started from the browser: a short queue, one child process at a time, and what it says about its progress."""

from __future__ import annotations

import asyncio
import json
import os
import signal
import socket
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import asdict, dataclass
from typing import Any
from urllib.parse import urlsplit

from steelyard.scoring import editions
from steelyard.support.children import isolated_python
from steelyard.support.escape import make_visible
from steelyard.web.fetching import check_address
from steelyard.web.options import ServeOptions
from steelyard.web.responses import HTTPError

MAX_WAITING = 10
MAX_ENDED = 50  # audits that are remembered after their end; the store keeps all of them
PATIENCE = 15.0  # seconds in which a stopped audit saves what it has
MAX_LOOKUP_SECONDS = 5.0  # to find the address of a name
MAX_LINE = 64_000  # bytes of one message of the child
MAX_MESSAGE = 500  # characters shown
WAITING, RUNNING, STOPPING, DONE, STOPPED, FAILED = "waiting", "running", "stopping", "done", "stopped", "failed"
STATES = (WAITING, RUNNING, STOPPING, DONE, STOPPED, FAILED)
OPEN_STATES = (WAITING, RUNNING, STOPPING)
_FINDINGS = (0, 1)  # exit codes of an audit that ended by itself
_SECRETS = ("STEELYARD_TOKEN",)


@dataclass(slots=True)
class AuditEntry:
    """An audit of this server's queue. `audit` is its number in the store, once it has begun."""

    number: int
    url: str
    max_pages: int
    edition: str = editions.DEFAULT
    state: str = WAITING
    site: str | None = None
    audit: int | None = None
    resumed: bool = False
    finished: int = 0
    known: int = 0
    seconds_left: float | None = None
    mean: float | None = None
    message: str = ""

    def to_dict(self) -> dict[str, Any]:
        """Return the audit as one entry of the API."""
        return asdict(self)

    @property
    def is_open(self) -> bool:
        """Whether it has not ended yet."""
        return self.state in OPEN_STATES


def build_command(url: str, max_pages: int, allow_private: bool, edition: str) -> list[str]:
    """Return the command of an audit; the store is in its environment, since a command line can be read by others."""
    command = isolated_python("from steelyard.cli.main import main; main()", "audit", "--max-pages", str(max_pages))
    # The view of a page shows its text, with the places of its suggestions.
    command += ["--edition", edition, "--keep-texts"]
    command += ["--progress", "json", "--format", "json"]  # the report goes nowhere: the store has all of it
    # By default an audit may visit a private host that its user typed; who types here may be anyone.
    return [*command, "--allow-private" if allow_private else "--public-only", "--", url]


async def check_public(url: str) -> None:
    """Refuse early what an audit would refuse later: addresses of this machine and its networks.

    Raises:
        HTTPError: An address is private, or the name has none.
    """
    from steelyard.support.http.guard import is_public

    parts = urlsplit(url)
    host, port = parts.hostname or "", parts.port or 80
    try:
        async with asyncio.timeout(MAX_LOOKUP_SECONDS):
            resolved = await asyncio.get_running_loop().getaddrinfo(host, port, type=socket.SOCK_STREAM)
    except (OSError, UnicodeError, TimeoutError):
        raise HTTPError(422, "no address was found for this host; check the name") from None
    if not all(is_public(str(entry[4][0]).partition("%")[0]) for entry in resolved):
        raise HTTPError(422, "this is a private address; steelyard serve --allow-private allows those")


class AuditQueue:
    """The audits of one server: at most one runs, a few wait, and the last ones are remembered."""

    def __init__(self, options: ServeOptions) -> None:
        self._options = options
        self._entries: dict[int, AuditEntry] = {}
        self._number = 0
        self._news = asyncio.Event()
        self._worker: asyncio.Task[None] | None = None
        self._child: asyncio.subprocess.Process | None = None
        self._ending: asyncio.Task[None] | None = None

    def start(self) -> None:
        """Begin to work on what is added."""
        self._worker = asyncio.create_task(self._work())

    async def close(self) -> None:
        """Stop the audit that runs, which can be continued later, and forget those that wait."""
        for entry in self._entries.values():
            if entry.state == WAITING:
                entry.state = STOPPED
        await self._end_child()
        if self._worker is not None:
            self._worker.cancel()
            with suppress(asyncio.CancelledError):
                await self._worker

    def list_entries(self) -> list[AuditEntry]:
        """Return all audits, the newest first."""
        return list(reversed(self._entries.values()))

    def find(self, number: int) -> AuditEntry:
        """Return one audit.

        Raises:
            HTTPError: There is none of this number.
        """
        if number not in self._entries:
            raise HTTPError(404, "there is no such audit in this server's queue; /sites lists all that are stored")
        return self._entries[number]

    async def add(self, url: str, max_pages: int, edition: str = editions.DEFAULT) -> AuditEntry:
        """Put an audit into the queue.

        Raises:
            HTTPError: The address cannot be used, is private, or waits already; or the queue is full.
        """
        check_address(url)
        if not self._options.allow_private:
            await check_public(url)
        waiting = [entry for entry in self._entries.values() if entry.is_open]
        if any(entry.url == url for entry in waiting):
            raise HTTPError(409, "an audit of this address runs or waits already")
        if len(waiting) > MAX_WAITING:
            raise HTTPError(
                429, f"{MAX_WAITING} audits wait already; try again when one has ended", {"Retry-After": "60"}
            )
        self._number += 1
        entry = self._entries[self._number] = AuditEntry(self._number, url, max_pages, edition)
        self._forget()
        self._news.set()
        return entry

    async def stop(self, number: int) -> AuditEntry:
        """Stop an audit; what it has is kept, and an audit of the same site continues it.

        Raises:
            HTTPError: There is none of this number.
        """
        entry = self.find(number)
        if entry.state == WAITING:
            entry.state = STOPPED
        elif entry.state == RUNNING:
            entry.state = STOPPING
            self._ending = asyncio.create_task(self._end_child())
        return entry

    def _forget(self) -> None:
        ended = [entry.number for entry in self._entries.values() if not entry.is_open]
        for number in ended[:-MAX_ENDED]:
            del self._entries[number]

    async def _work(self) -> None:
        while True:
            entry = next((e for e in self._entries.values() if e.state == WAITING), None)
            if entry is None:
                self._news.clear()
                await self._news.wait()
                continue
            try:
                await self._run(entry)
            except OSError as error:
                entry.state, entry.message = FAILED, f"the audit could not be started ({error.strerror})"
            except Exception as error:  # noqa: BLE001 - the audits that wait must have their turn
                entry.state, entry.message = FAILED, f"unexpected {type(error).__name__}; this is a bug"

    async def _run(self, entry: AuditEntry) -> None:
        entry.state = RUNNING
        environment = {name: value for name, value in os.environ.items() if name not in _SECRETS}
        if self._options.store is not None:
            environment["STEELYARD_STORE"] = self._options.store
        self._child = child = await asyncio.create_subprocess_exec(
            *build_command(entry.url, entry.max_pages, self._options.allow_private, entry.edition),
            stdin=asyncio.subprocess.DEVNULL, stdout=asyncio.subprocess.DEVNULL, stderr=asyncio.subprocess.PIPE,
            env=environment, start_new_session=True, limit=MAX_LINE,
        )  # fmt: skip
        try:
            if self._was_stopped(entry):  # while the process was being started
                self._signal(signal.SIGTERM)
            if child.stderr is not None:
                await _follow(child.stderr, entry)
            code = await child.wait()
        finally:
            await self._end_child()
        if self._was_stopped(entry):
            entry.state = STOPPED
        elif entry.state == RUNNING:
            entry.state = DONE if code in _FINDINGS else FAILED
            entry.message = entry.message or ("" if code in _FINDINGS else f"the audit ended with exit code {code}")
        entry.seconds_left = None

    @staticmethod
    def _was_stopped(entry: AuditEntry) -> bool:
        return entry.state == STOPPING

    async def _end_child(self) -> None:
        """End the child if there is one: it is asked first, then killed with all processes that it started."""
        child = self._child
        if child is None:
            return
        self._signal(signal.SIGTERM)
        with suppress(TimeoutError):
            async with asyncio.timeout(PATIENCE):
                await child.wait()
        with suppress(ProcessLookupError):
            os.killpg(child.pid, signal.SIGKILL)
        await child.wait()
        if self._child is child:
            self._child = None

    def _signal(self, number: int) -> None:
        if self._child is not None and self._child.returncode is None:
            with suppress(ProcessLookupError):
                self._child.send_signal(number)


async def _follow(stream: asyncio.StreamReader, entry: AuditEntry) -> None:
    """Read what the child says until it ends; the last line that is no event explains a failure."""
    while True:
        try:
            line = await stream.readline()
        except ValueError:  # longer than any event
            continue
        if not line:
            return
        event = _read_event(line)
        if event is None:
            text = make_visible(line.decode("utf-8", "replace").strip())
            entry.message = text.removeprefix("steelyard: ")[:MAX_MESSAGE]
        else:
            _apply(event, entry)


def _read_event(line: bytes) -> dict[str, Any] | None:
    try:
        event = json.loads(line)
    except (ValueError, RecursionError):
        return None
    return event if isinstance(event, dict) and isinstance(event.get("event"), str) else None


def _apply(event: Mapping[str, Any], entry: AuditEntry) -> None:
    match event["event"]:
        case "started":
            entry.audit, entry.site = event.get("audit"), event.get("site")
            entry.resumed = bool(event.get("resumed"))
        case "progress":
            entry.finished, entry.known = event.get("finished", 0), event.get("known", 0)
            entry.seconds_left = event.get("seconds_left")
        case "ended":
            entry.audit, entry.mean = event.get("audit", entry.audit), event.get("mean")
            entry.message = ""
        case "error":
            entry.message = make_visible(str(event.get("message", "")))[:MAX_MESSAGE]
