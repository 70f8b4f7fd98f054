"""data-juicer's eight filters of plain text with their own settings; runs in the environment of that package."""

from __future__ import annotations

import importlib
import inspect
import sys
from types import ModuleType
from typing import Any

sys.modules.setdefault("wget", ModuleType("wget"))  # to download models, which these filters do not need

from data_juicer.utils.constant import Fields  # type: ignore[import-not-found, import-untyped, unused-ignore]  # noqa: E402

_NAMES = (
    "Alphanumeric", "AverageLineLength", "CharacterRepetition", "MaximumLineLength", "SpecialCharacters",
    "TextLength", "WordRepetition", "WordsNum",
)  # fmt: skip


def _load(name: str) -> Any:
    """Return a filter by the name of its class: `WordsNum` is WordsNumFilter in words_num_filter."""
    module = "".join(f"_{c.lower()}" if c.isupper() else c for c in name).removeprefix("_")
    return getattr(importlib.import_module(f"data_juicer.ops.filter.{module}_filter"), f"{name}Filter")()


_FILTERS = [_load(name) for name in _NAMES]


def share(text: str) -> float:
    """Return the share of the eight filters that keep the page."""
    # A context lets filters share the words of a text, as data-juicer's fusion of operators does.
    samples: Any = {"text": [text], Fields.stats: [{}], Fields.context: [{}]}
    kept = 0
    for one in _FILTERS:
        shares_words = "context" in inspect.signature(one.compute_stats_batched).parameters
        samples = one.compute_stats_batched(samples, **({"context": True} if shares_words else {}))
        kept += bool(next(iter(one.process_batched(samples))))
    return kept / len(_FILTERS)
