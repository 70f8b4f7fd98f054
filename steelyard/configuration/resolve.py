"""Make settings: from options of the command line first, then from the file above a page, then the defaults."""

from __future__ import annotations

import os
from collections.abc import Mapping
from datetime import date
from functools import cache
from typing import Any

from steelyard.configuration.file import Configuration, PageSettings, forget_files
from steelyard.configuration.keys import DATES, KEYS, PAGE_KEYS
from steelyard.inputs.page_ref import DEFAULT_MAX_BYTES
from steelyard.settings import Settings
from steelyard.support.clock import resolve_as_of


def resolve_target(target: str, config: Configuration, options: Mapping[str, Any]) -> dict[str, Any]:
    """Return the arguments of `Settings.resolve` with which the pages of a target are scored.

    All of them are scored in one way: by the configuration above the target, and with the overrides for a page where
    the target is one. For what is no file, the configuration above the working directory counts.

    Args:
        target: What was typed: a file, a directory, a pattern, an address, `-`, or a path of a revision.
        config: The configuration above it.
        options: Those of the command line, by the field of `Settings` that they set; they go first.

    Raises:
        InvalidFile: The configuration names a file outside of its folder.
        GitFailed: It asks for the date of the last commit, and git cannot tell it.
    """
    page = config.for_page(target) if os.path.isfile(target) else config.for_all_pages()
    values = _list_values(config, page)
    given = {name: options[name] for name in values.keys() & options.keys() if options[name] not in (None, "")}
    return {**values, **given, "as_of": find_date(config, options["as_of"])}


def pick_options(options: Mapping[str, Any]) -> dict[str, Any]:
    """Return the options of the command line that stand for a key of the configuration of their name."""
    return {name: options[name] for name, key in PAGE_KEYS.items() if key.sets is not None and name in options}


def _list_values(config: Configuration, page: PageSettings) -> dict[str, Any]:
    """Return what the keys of the configuration set, by the field of `Settings`."""
    values = {
        key.sets: page[name] if name in PAGE_KEYS else config.get(name).value
        for name, key in KEYS.items()
        if key.sets is not None
    }
    return {**values, "weights": config.locate_weights(page)}


def make_settings(
    config: Configuration, page: PageSettings, as_of: date, max_bytes: int = DEFAULT_MAX_BYTES
) -> Settings:
    """Return the settings with which a page is checked."""
    return _resolve(**{**_list_values(config, page), "as_of": as_of}, max_bytes=max_bytes)


@cache  # pages of a run share them
def _resolve(**values: Any) -> Settings:
    return Settings.resolve(keep_text=True, **values)


def find_date(config: Configuration, chosen: date | None) -> date:
    """Return the date up to which ages are counted: the chosen one, else as configured.

    Raises:
        GitFailed: It is that of the last commit, and git cannot tell it.
    """
    policy = config.get("as_of").value
    if chosen is not None or policy == DATES[0]:
        return resolve_as_of(chosen)
    if policy == DATES[1]:
        from steelyard.support.git import Repository  # only where it is asked for: `score` starts fast

        return Repository(str(config.root)).read_commit_date() or resolve_as_of(None)
    return resolve_as_of(policy)


def forget_settings() -> None:
    """Read every configuration and weighting again, for a program that runs while files change."""
    forget_files()
    _resolve.cache_clear()
