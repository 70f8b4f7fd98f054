"""Extraction in a child process, which is killed and replaced when a page takes too much time or memory.

The child is started with the first page and kept for the next ones. It ends by itself when this process is gone.
"""

from __future__ import annotations

import atexit
import os
import subprocess
import sys
import threading
from contextlib import suppress
from dataclasses import asdict
from typing import Any

from steelyard.errors import ExtractionFailed, ExtractionStopped, SelectedNothing
from steelyard.support.children import enlarge_pipes, isolated_python
from steelyard.text.dates import DateWords, PageDates
from steelyard.text.html import backstop
from steelyard.text.html.child import Message, read_message, write_message
from steelyard.text.html.extraction import HtmlContent, extract_here
from steelyard.text.html.limits import HtmlLimits
from steelyard.text.html.metadata import HtmlHead
from steelyard.text.html.reading import HtmlReading

_PROGRAM = "from steelyard.text.html.child import main; main()"


class Supervisor:
    """One child at most; threads take turns, as they would for an extractor in this process."""

    def __init__(self) -> None:
        self._turn = threading.Lock()
        self._child: subprocess.Popen[bytes] | None = None
        self._can_start = True

    def ask(self, html: str, asked: dict[str, Any]) -> Message | None:
        """Return the child's answer, or None where no child can be started.

        Raises:
            ExtractionFailed: The child died on the page, or had to be killed.
        """
        with self._turn:
            if self._child is not None and self._child.poll() is not None:
                self._end()  # it died while it had nothing to do
            if self._child is None and not self._start():
                return None
            answer = self._exchange((asked, html))
            if "spent" in answer[0]:
                self._end()  # memory that a page has used up is given back with the process
            return answer

    def stop(self) -> None:
        """End the child; one that is at work for another thread is killed, and no thread waited for."""
        if self._turn.acquire(blocking=False):
            try:
                self._end()
            finally:
                self._turn.release()
        elif (child := self._child) is not None:
            child.kill()

    def forget(self) -> None:
        """Let go of a child that belongs to the process this one was forked from."""
        self._turn = threading.Lock()
        child, self._child = self._child, None
        if child is not None:
            _close_pipes(child)
            child.returncode = 0  # it is not ours to wait for

    def _start(self) -> bool:
        """Start a child and wait until it is ready; return whether there is one."""
        if not self._can_start or not _is_python():
            return False
        group = 0 if os.name == "posix" else None  # its own: Ctrl-C in a terminal is for this process alone
        try:
            self._child = subprocess.Popen(
                isolated_python(_PROGRAM),
                stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL,
                process_group=group,
            )  # fmt: skip
        except (OSError, ValueError):
            self._can_start = False
            return False
        enlarge_pipes(self._child)
        with suppress(ExtractionFailed):
            self._exchange(None)
            return True
        self._can_start = False  # not a Python that has our packages; this process does without
        return False

    def _exchange(self, message: Message | None) -> Message:
        """Send a message and return the answer; None only waits for the first answer."""
        child = self._child
        assert child is not None and child.stdin is not None and child.stdout is not None  # noqa: S101, PT018 - for mypy
        late = threading.Event()

        def stop_waiting() -> None:
            late.set()
            child.kill()

        timer = threading.Timer(backstop.WALL_SECONDS, stop_waiting)
        timer.daemon = True
        timer.start()
        answer = None
        try:
            with suppress(OSError):
                if message is not None:
                    write_message(child.stdin, *message)
                answer = read_message(child.stdout)
        finally:
            timer.cancel()
            if answer is None:  # also after Ctrl-C: an answer that comes later would be taken for the next page's
                child.kill()
                code = child.wait()
                self._end()
        if answer is None:
            raise ExtractionStopped(_explain_death(code, is_late=late.is_set()))
        return answer

    def _end(self) -> None:
        child, self._child = self._child, None
        if child is not None:
            _close_pipes(child)
            try:
                child.wait(1)
            except subprocess.TimeoutExpired:
                child.kill()
                child.wait()


def _is_python() -> bool:
    """Return whether the running program can be asked to start as a Python interpreter."""
    name = os.path.basename(sys.executable or "").lower()
    return name.startswith(("python", "pypy")) and not getattr(sys, "frozen", False)


def _close_pipes(child: subprocess.Popen[bytes]) -> None:
    for pipe in (child.stdin, child.stdout):
        if pipe is not None:
            with suppress(OSError):  # what was not sent yet has nowhere to go
                pipe.close()


def _explain_death(code: int, *, is_late: bool) -> str:
    if is_late:
        return f"its extraction gave no answer for {backstop.WALL_SECONDS // 60} minutes"
    if backstop.is_out_of_time(code):
        return f"its extraction took more than {backstop.CPU_SECONDS} seconds of processor time"
    cause = f"signal {-code}" if code < 0 else f"exit code {code}"
    return f"its extraction was ended by the system, perhaps for lack of memory ({cause})"


_supervisor = Supervisor()
atexit.register(_supervisor.stop)
if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_supervisor.forget)


def extract_in_child(
    html: str, limits: HtmlLimits, words: DateWords, address: str | None, selector: str | None = None
) -> HtmlContent:
    """Extract a page, in a child process where one can be started.

    Raises:
        ExtractionFailed: The page's tree is over a limit, or the extractor failed or had to be stopped.
        SelectedNothing: The selector fits nothing.
    """
    asked = {"limits": asdict(limits), "words": words.to_json(), "address": address, "selector": selector}
    answer = _supervisor.ask(html, asked)
    if answer is None:
        return extract_here(html, limits, words, address, selector)
    head, markdown = answer
    if "refused" in head:
        raise ExtractionFailed(head["refused"])
    if "unselected" in head:
        raise SelectedNothing(selector or "")
    if "bug" in head:
        raise RuntimeError(head["bug"])
    dates, types = PageDates.from_dict(head["dates"]), tuple(head["types"])
    outline = tuple((text, read) for text, read in head["outline"])
    reading, declared = HtmlReading(**head["reading"]), HtmlHead.from_dict(head["head"])
    return HtmlContent(markdown, head["title"], dates, head["url"], types, reading, outline, declared)
