"""Check pages: compare their scores and findings with the configuration, and with an earlier version."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import date
from functools import lru_cache, partial
from pathlib import Path
from typing import Any

from steelyard.check.baseline import ADVICE, Baseline, load_baseline, locate_baseline
from steelyard.check.cache import Cache, describe_settings, make_key
from steelyard.check.history import History
from steelyard.check.judge import judge
from steelyard.check.measure import Task, measure_task, measure_text
from steelyard.check.result import CheckedPage, CheckRun, Previous
from steelyard.configuration.file import Configuration, PageSettings, find_configuration, find_root, read_configuration
from steelyard.configuration.resolve import find_date, make_settings
from steelyard.errors import PageUnreadable, SteelyardError
from steelyard.inputs.find import RECORD_SUFFIXES, STDIN, find_pages
from steelyard.inputs.page_ref import DEFAULT_MAX_BYTES, read_bytes
from steelyard.native.core import choose_core
from steelyard.pipeline import PageError
from steelyard.settings import Settings
from steelyard.support.git import Change, Repository
from steelyard.support.pool import LostTask, ordered_map

MANY_PAGES = 60  # from which starting processes pays
Progress = Callable[..., Iterable[Any]]  # takes items and their `total`, and returns the items


@dataclass(frozen=True, slots=True)
class File:
    """A file of the run: its settings, its task, and that of its old version at a revision."""

    config: Configuration
    settings: PageSettings
    task: Task
    change: Change | None = None
    old: Task | None = None


@dataclass
class Checker:
    """Checks pages with the options of the command line, which go before those of the configuration."""

    options: Mapping[str, Any] = field(default_factory=dict)
    config: str | None = None  # a file that is used instead of the one found upward from each page
    as_of: date | None = None
    since: str | None = None  # a revision: only files that changed since
    use_baseline: bool = True
    cache: Cache = field(default_factory=lambda: Cache(None))
    jobs: int | None = None
    max_bytes: int = DEFAULT_MAX_BYTES

    def run(self, paths: Sequence[str], progress: Progress = lambda items, total: items) -> tuple[CheckRun, History]:
        """Check files and directories; return the result, and the history that makes a baseline of it.

        Raises:
            SteelyardError: The configuration, the baseline or the revision cannot be used.
        """
        main = self.find_configuration(paths[0])
        baseline = load_baseline(locate_baseline(main)) if self.use_baseline else None
        as_of = self.resolve_date(main, baseline)
        files: list[File] = []
        errors: list[PageError] = []
        for file in self._find_files(paths, as_of):
            files.append(file) if isinstance(file, File) else errors.append(file)
        tasks = [task for file in files for task in (file.task, file.old) if task is not None]
        measured = dict(zip(map(id, tasks), progress(self._measure_all(tasks), total=len(tasks)), strict=True))
        self.cache.clean()
        history = History(main, baseline)
        pages: list[CheckedPage] = []
        for file in files:
            now = measured[id(file.task)]
            if isinstance(now, PageError):
                errors.append(now)
                continue
            then = measured[id(file.old)] if file.old else None
            previous = history.find(file.task, now) or _describe_revision(then)
            lines = self._repository.list_changed_lines(self._base, file.change) if file.change else None
            pages.append(judge(now, file.settings, previous, lines))
            history.add(file.task, pages[-1], file.settings)
        compared = locate_baseline(main).name if baseline else self.since
        notes = tuple(history.list_notes(complete=self.since is None))
        return CheckRun(pages, errors, as_of, notes, compared, find_root(os.getcwd()), baseline is not None), history

    def check_text(self, text: str, path: str) -> CheckedPage:
        """Check the text of one page that need not be on disk, with the settings and the date for its path.

        Raises:
            PageUnreadable: It cannot be scored.
            MissingExtra: It is HTML, and the extra that reads HTML is not installed.
            SteelyardError: The configuration or the baseline cannot be used.
        """
        settings, page = self.find_settings(path)
        return judge(measure_text(text, path, settings), page)

    def find_settings(self, path: str) -> tuple[Settings, PageSettings]:
        """Return the settings that a page is measured with, and those it is judged by.

        Raises:
            SteelyardError: The configuration or the baseline cannot be used.
        """
        config = self.find_configuration(path)
        baseline = _load_once(locate_baseline(config)) if self.use_baseline else None
        page = config.for_page(path)
        return make_settings(config, page, self.resolve_date(config, baseline), self.max_bytes), page

    def locate_baseline(self, path: str) -> Path:
        """Return the path of the baseline for a page or directory."""
        return locate_baseline(self.find_configuration(path))

    def find_configuration(self, path: str) -> Configuration:
        """Return the configuration for a page or directory."""
        if self.config is not None:
            return read_configuration(self.config, self.options)
        return find_configuration(path, self.options)

    def resolve_date(self, config: Configuration, baseline: Baseline | None = None) -> date:
        """Return the date up to which ages are counted: that of the baseline, else of the options, else configured."""
        if baseline is not None:
            if self.as_of not in (None, baseline.as_of):
                made = f"the baseline was made as of {baseline.as_of}"
                raise SteelyardError(f"--as-of: {made}; leave --as-of out, or {ADVICE}")
            return baseline.as_of
        return find_date(config, self.as_of)

    def _find_files(self, paths: Sequence[str], as_of: date) -> Iterator[File | PageError]:
        changes = self._find_changes(paths[0])
        seen: set[str] = set()
        for path in paths:
            if path == STDIN or path.lower().endswith(RECORD_SUFFIXES):
                yield PageError(path, f"{path}: check reads files of one page each; `steelyard score` reads this")
                continue
            for ref in find_pages([path], max_bytes=self.max_bytes):
                if ref.path is None:
                    yield PageError(ref.source, ref.error or "cannot be read")
                    continue
                real = os.path.realpath(ref.path)
                if real in seen or (changes is not None and real not in changes):
                    continue
                seen.add(real)
                config = self.find_configuration(ref.path)
                if config.covers(ref.path, is_named=ref.path == path):
                    yield self._open(os.path.normpath(ref.path), config, as_of, changes[real] if changes else None)

    def _find_changes(self, path: str) -> dict[str, Change] | None:
        if self.since is None:
            return None
        folder = path if os.path.isdir(path) else os.path.dirname(path) or "."
        self._repository = Repository(folder)
        self._base = self._repository.find_base(self.since)
        return {change.path: change for change in self._repository.list_changes(self._base)}

    def _open(self, path: str, config: Configuration, as_of: date, change: Change | None) -> File | PageError:
        try:
            page = config.for_page(path)
            settings = make_settings(config, page, as_of, self.max_bytes)
            task = Task(path, read_bytes(path, self.max_bytes), settings)
            data = self._repository.read_file(self._base, change.old) if change and change.old else None
            old = None if data is None or change is None else Task(str(change.old), data, settings)
            return File(config, page, task, change, old)
        except PageUnreadable as error:
            return PageError(path, str(error))

    def _measure_all(self, tasks: Sequence[Task]) -> Iterator[CheckedPage | PageError]:
        """Yield the measured pages in the order of their tasks: from the cache, or measured on some processes."""
        shared = {id(task.settings): task.settings for task in tasks}
        hashes = {number: describe_settings(settings) for number, settings in shared.items()}
        keys = [make_key(task.data, task.path, hashes[id(task.settings)]) for task in tasks]
        known = [self.cache.read(key, task.path) for key, task in zip(keys, tasks, strict=True)]
        unknown = [task for task, page in zip(tasks, known, strict=True) if page is None]
        core = choose_core()
        jobs = self.jobs or ((os.cpu_count() or 1) if len(unknown) >= MANY_PAGES else 1)
        measured = ordered_map(partial(measure_task, core=core), unknown, jobs)
        for task, key, page in zip(tasks, keys, known, strict=True):
            if page is not None:
                yield page
                continue
            new = next(measured)
            if isinstance(new, LostTask):
                new = PageError(task.path, f"{task.path}: the process checking this page died ({new.reason})")
            if not isinstance(new, PageError):
                self.cache.write(key, new)
            yield new


def _load_once(path: Path) -> Baseline | None:
    """Return a baseline, read again only when its file has changed."""
    try:
        state = path.stat()
    except OSError:
        return load_baseline(path)
    return _load_version(path, state.st_mtime_ns, state.st_size)


@lru_cache(maxsize=4)
def _load_version(path: Path, changed: int, size: int) -> Baseline | None:
    return load_baseline(path)


def _describe_revision(then: CheckedPage | PageError | None) -> Previous | None:
    """Return a page as it was at the revision."""
    if then is None or isinstance(then, PageError):
        return None
    return Previous(then.path, then.score, frozenset(f.fingerprint for f in then.findings))
