"""The configuration of a page: `steelyard.toml`, or `[tool.steelyard]` in `pyproject.toml`, found upward from it."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple

from steelyard.advice.rules import RULES
from steelyard.configuration.globs import IGNORE_FILE, Globs, read_ignore_file
from steelyard.configuration.keys import KEYS, PAGE_KEYS, check_table
from steelyard.errors import InvalidFile, UnknownName
from steelyard.inputs.page_ref import read_small_file
from steelyard.scoring import weighting
from steelyard.support.paths import is_inside
from steelyard.support.toml import TomlRefused, parse_toml

OWN_NAME, PROJECT_NAME = "steelyard.toml", "pyproject.toml"
MAX_BYTES = 1_000_000  # bytes
COMMAND_LINE, DEFAULT = "command line", "default"


class Setting(NamedTuple):
    """A value, and where it comes from."""

    value: Any
    origin: str


@dataclass(frozen=True, slots=True)
class PageSettings:
    """The settings for one page, each with its origin; components by name, with their level and lowest value."""

    settings: Mapping[str, Setting]
    levels: Mapping[str, Setting]
    minimums: Mapping[str, Setting]

    def __getitem__(self, name: str) -> Any:
        return self.settings[name].value

    def level(self, rule: str) -> str:
        """Return how serious a finding of this kind is."""
        return str(self.levels[rule].value)


@dataclass(frozen=True)
class Configuration:
    """What a file says, or nothing; `root` is the directory its paths and patterns are relative to."""

    root: Path
    path: Path | None = None
    table: Mapping[str, Any] = field(default_factory=dict)
    options: Mapping[str, Any] = field(default_factory=dict)  # of the command line, which go first

    def __post_init__(self) -> None:
        for name in self.options:
            if name not in KEYS:  # an option that nobody reads would be passed over in silence
                raise UnknownName("key of the configuration", name, KEYS)

    def get(self, name: str) -> Setting:
        """Return a setting that is the same for all files."""
        if self.options.get(name) is not None:
            return Setting(self.options[name], COMMAND_LINE)
        if name in self.table:
            return Setting(self.table[name], self.name)
        return Setting(KEYS[name].default, DEFAULT)

    @property
    def name(self) -> str:
        """The name of the file."""
        return self.path.name if self.path else DEFAULT

    def locate_file(self, name: str, value: str) -> Path:
        """Return the path of a file that the configuration names under a key.

        Raises:
            InvalidFile: It is outside of the configuration's folder.
        """
        path = self.root / value
        if not is_inside(path, self.root):
            reason = f"{name} is {value!r}, which leads out of {self.root}; name a file inside, or give --{name} FILE"
            raise InvalidFile(self.path or path, reason)
        return path

    def for_page(self, path: str | os.PathLike[str]) -> PageSettings:
        """Return the settings for one page.

        Raises:
            InvalidFile: They name a file outside of the configuration's folder.
        """
        every = self.for_all_pages()
        settings, levels, minimums = dict(every.settings), dict(every.levels), dict(every.minimums)
        place = self.locate(path)
        for number, override in enumerate(self.table.get("overrides", ()), start=1):
            if not _read_globs(tuple(override["files"])).match(place):
                continue
            origin = f"{self.name}, override {number}"
            _apply_components(override.get("components", {}), origin, levels, minimums)
            for name in PAGE_KEYS.keys() & override.keys():
                if settings[name].origin != COMMAND_LINE:
                    settings[name] = Setting(override[name], origin)
        page = PageSettings(settings, levels, minimums)
        self.locate_weights(page)
        return page

    def for_all_pages(self) -> PageSettings:
        """Return the settings that hold where no override does."""
        levels = {rule.name: Setting(rule.level, DEFAULT) for rule in RULES.values()}
        minimums: dict[str, Setting] = {}
        _apply_components(self.table.get("components", {}), self.name, levels, minimums)
        return PageSettings({name: self.get(name) for name in PAGE_KEYS}, levels, minimums)

    def locate_weights(self, page: PageSettings) -> str | None:
        """Return the weighting for a page: a name, or the path of a file, which was typed or is beside this file.

        Raises:
            InvalidFile: It is outside of the configuration's folder.
        """
        weights = page.settings["weights"]
        if weights.value in (None, *weighting.NAMED) or weights.origin == COMMAND_LINE:
            return None if weights.value is None else str(weights.value)
        return str(self.locate_file("weights", weights.value))

    def covers(self, path: str | os.PathLike[str], *, is_named: bool = False) -> bool:
        """Return whether a page is to be checked; a page that is named need not be among the included ones."""
        place = self.locate(path)
        include, exclude = self.get("include").value, self.get("exclude").value
        if not is_named and include and not _read_globs(tuple(include)).match(place):
            return False
        return not (_read_globs(tuple(exclude)).match(place) or read_ignore_file(str(self.root)).match(place))

    def list_files(self) -> Iterator[str]:
        """Yield the files that say which pages are checked and how: the configuration and the ignore file."""
        if self.path is not None:
            yield str(self.path)
        yield str(self.root / IGNORE_FILE)

    def locate(self, path: str | os.PathLike[str]) -> str:
        """Return a page's path relative to the root, with slashes; outside of it the path itself."""
        full, root = os.path.abspath(path), os.path.join(self.root, "")
        inside = full[len(root) :] if full.startswith(root) else os.path.relpath(full, self.root)
        return inside.replace(os.sep, "/")


@cache
def _read_globs(patterns: tuple[str, ...]) -> Globs:
    return Globs(patterns)


def _apply_components(
    table: Mapping[str, Any], origin: str, levels: dict[str, Setting], minimums: dict[str, Setting]
) -> None:
    for rule, setting in table.items():
        level = setting.get("level") if isinstance(setting, dict) else setting
        if level is not None:
            levels[rule] = Setting(level, origin)
        if isinstance(setting, dict) and "min" in setting:
            minimums[rule] = Setting(setting["min"], origin)


def find_configuration(page: str | os.PathLike[str], options: Mapping[str, Any] | None = None) -> Configuration:
    """Return the configuration that holds for a page or directory: that of the nearest directory above it.

    Raises:
        InvalidFile: The file is wrong; the message names the key.
    """
    start = os.path.abspath(page)
    folder = start if os.path.isdir(start) else os.path.dirname(start)
    file = _find_above(folder)
    if file is None:
        return Configuration(Path(find_root(folder)), options=options or {})
    return Configuration(file.parent, file, _read(file) or {}, options or {})


def read_configuration(path: str, options: Mapping[str, Any] | None = None) -> Configuration:
    """Return the configuration in a file that the user names.

    Raises:
        InvalidFile: The file is wrong, or a `pyproject.toml` without our table.
        PageUnreadable: It cannot be read.
    """
    file = Path(os.path.abspath(path))
    table = _read(file, is_named=True)
    if table is None:
        raise InvalidFile(path, "has no [tool.steelyard]; add that table, or name a steelyard.toml")
    return Configuration(file.parent, file, table, options or {})


@cache
def _find_above(folder: str) -> Path | None:
    for name in (OWN_NAME, PROJECT_NAME):
        path = os.path.join(folder, name)
        if os.path.isfile(path) and _read(Path(path)) is not None:  # False for a name that no file can have
            return Path(path)
    above = os.path.dirname(folder)
    return None if above == folder else _find_above(above)


@cache
def find_root(folder: str) -> str:
    """Return the directory of the repository around a folder, else the folder."""
    here = folder
    while not os.path.exists(os.path.join(here, ".git")):
        above = os.path.dirname(here)
        if above == here:
            return folder
        here = above
    return here


@cache
def _read(path: Path, *, is_named: bool = False) -> dict[str, Any] | None:
    """Return our table in a file; None for a project file without one, or one that is a link out of the repository."""
    is_project = path.name == PROJECT_NAME
    root = find_root(str(path.parent))
    if not is_named and not is_inside(path, root):
        if is_project:
            return None  # somebody else's file, and not even read
        raise InvalidFile(path, f"is a link that leads out of {root}; put the file there, or name it with --config")
    data = read_small_file(path, MAX_BYTES, "a configuration is a few lines")
    if is_project and b"steelyard" not in data:
        return None
    try:
        table = parse_toml(data)
    except ValueError as error:
        if is_project and b"tool.steelyard" not in data:
            return None  # somebody else's file, and their error to report
        raise InvalidFile(path, str(error) if isinstance(error, TomlRefused) else f"not TOML ({error})") from error
    where = str(path)
    if is_project:
        tools = table.get("tool")
        if not isinstance(tools, dict) or "steelyard" not in tools:
            return None
        table, where = tools["steelyard"], f"{path}: [tool.steelyard]"
    return check_table(table, where)


def forget_files() -> None:
    """Read every configuration again, for a program that runs while files change."""
    for function in (_find_above, find_root, _read, read_ignore_file):
        function.cache_clear()
