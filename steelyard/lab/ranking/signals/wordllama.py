"""wordllama: the mean of word vectors taken from a language model. Small, fast, and the package brings its weights."""

from __future__ import annotations

import importlib.util
import logging
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cached_property
from importlib import import_module
from pathlib import Path
from typing import Any

from steelyard.errors import MissingExtra
from steelyard.lab.ranking.signals import files
from steelyard.lab.ranking.signals.errors import release, told
from steelyard.lab.ranking.signals.values import finite, identity_of, readable

CONFIGURATION, DIMENSIONS = "l2_supercat", 256


@dataclass(frozen=True)
class WordLlama:
    """The model in the package's own folder, which is the only place it is looked for."""

    package: Path

    @property
    def name(self) -> str:
        return "wordllama"

    @cached_property
    def identity(self) -> str:
        weights = self.package / "weights" / f"{CONFIGURATION}_{DIMENSIONS}.safetensors"
        tokenizer = self.package / "tokenizers" / f"{CONFIGURATION}_tokenizer_config.json"
        return identity_of(
            {
                "model": self.name,
                "weights": files.sha256(weights),
                "tokenizer": files.sha256(tokenizer, files.MOST_TEXT),
                "versions": [release("wordllama"), release("tokenizers")],
            }
        )

    def embed(self, texts: Sequence[str]) -> list[list[float]]:
        with told(self.name, "embedding"):
            # One text at a time: in a batch all are as long as the longest, and sums end in other digits.
            return [finite(self.name, self._model.embed(readable(text), batch_size=1)[0]) for text in texts]

    @cached_property
    def _model(self) -> Any:
        with told(self.name, "loading"), _logging_as_it_is():
            module = import_module("wordllama")  # it publishes no types
            # The package looks for its own tokenizer in the wrong folder, and would fetch it.
            return module.WordLlama.load(CONFIGURATION, dim=DIMENSIONS, cache_dir=self.package, disable_download=True)


def load() -> WordLlama:
    """The installed model."""
    found = importlib.util.find_spec("wordllama")
    if found is None or found.origin is None:
        raise MissingExtra("rank-models", "wordllama")
    return WordLlama(Path(found.origin).parent)


@contextmanager
def _logging_as_it_is() -> Iterator[None]:
    """The package sets up logging for the whole process when it is imported; undo that."""
    root = logging.getLogger()
    handlers, level = list(root.handlers), root.level
    try:
        yield
    finally:
        root.handlers[:] = handlers
        root.setLevel(level)
