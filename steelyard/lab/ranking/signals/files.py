"""A model's files before anything of them is loaded. They are hostile: pickles and code are refused, sizes are capped.

What cannot be refused by looking: a graph or a tokenizer made to be slow or to fill the memory. Whoever tries a model
from a stranger runs it where that does no harm.
"""

from __future__ import annotations

import hashlib
import json
import os
import re
from functools import lru_cache
from pathlib import Path
from typing import Any

from steelyard.lab.ranking.signals.errors import SignalUnusable
from steelyard.support.escape import visible

MOST_BYTES = 4_000_000_000  # of one file
MOST_TEXT = 100_000_000  # of a tokenizer or a configuration
MOST_FILES = 500  # in a folder
WEIGHTS = "model.safetensors"
_LOADED = (".json", ".jinja", ".model", ".safetensors", ".txt")
_PICKLES = (".bin", ".ckpt", ".joblib", ".pickle", ".pkl", ".pt", ".pth")
_CODE = (".py", ".pyc", ".so", ".dll", ".dylib")
# What a model may be put together from; other modules of the library load what they like.
_MODULE = re.compile(r"sentence_transformers\.[\w.]+\.(Transformer|Pooling|Normalize|Dense|Dropout|LayerNorm)")
_PLACE = re.compile(r"\w*")
_FOREIGN = ("auto_map", "tokenizer_name_or_path")
_ADVICE = "only safetensors are read: convert the model, or take another"


def size_of(path: Path, most: int = MOST_BYTES) -> int:
    """The size of a regular file that is there and not over `most` bytes."""
    try:
        status = path.stat()
        regular = path.is_file()
    except OSError as error:
        raise SignalUnusable(f"{path}: cannot be read ({error.strerror})") from error
    if not regular:
        raise SignalUnusable(f"{path}: not a regular file")
    if status.st_size > most:
        raise SignalUnusable(f"{path}: {status.st_size:,} bytes is over the limit of {most:,} for such a file")
    return status.st_size


def read(path: Path, most: int = MOST_BYTES) -> bytes:
    """The bytes of such a file, and never more of them than allowed."""
    size_of(path, most)
    try:
        with path.open("rb") as file:
            data = file.read(most + 1)
    except OSError as error:
        raise SignalUnusable(f"{path}: cannot be read ({error.strerror})") from error
    if len(data) > most:
        raise SignalUnusable(f"{path}: over the limit of {most:,} bytes for such a file")
    return data


def sha256(path: Path, most: int = MOST_BYTES) -> str:
    """The hash of such a file, read once while it stays as it is."""
    return _sha256(path, size_of(path, most), path.stat().st_mtime_ns)


@lru_cache(maxsize=64)
def _sha256(path: Path, size: int, changed: int) -> str:
    try:
        with path.open("rb") as file:
            return hashlib.file_digest(file, "sha256").hexdigest()
    except OSError as error:
        raise SignalUnusable(f"{path}: cannot be read ({error.strerror})") from error


def examined(folder: Path) -> str:
    """The hash of all that sentence-transformers would load from a folder, which must be weights as safetensors."""
    digests, weights = [], False
    for place in _places(folder):
        present = _listed(place)
        weights |= WEIGHTS in present
        for name in present:
            within = (place / name).relative_to(folder).as_posix()
            suffix = Path(name).suffix.lower()
            if suffix in _CODE:
                raise SignalUnusable(f"{folder}: holds code ({visible(within)}), and code of a model is never run")
            if suffix in _PICKLES and WEIGHTS not in present:
                raise SignalUnusable(f"{folder}: {visible(within)} may be a pickle, which can run code; {_ADVICE}")
            if suffix in _LOADED:
                most = MOST_BYTES if suffix == ".safetensors" else MOST_TEXT
                digests.append(f"{within} {sha256(place / name, most)}")
            if "config" in name and suffix == ".json":
                _check_settings(place / name)
    if not weights:
        raise SignalUnusable(f"{folder}: holds no {WEIGHTS}; {_ADVICE}")
    return hashlib.sha256("\n".join(digests).encode("utf-8", "surrogateescape")).hexdigest()


def _places(folder: Path) -> list[Path]:
    """The folder and those inside it that its modules.json names; nothing else of it is loaded."""
    modules = _json(folder / "modules.json")
    found = [folder]
    for module in modules if isinstance(modules, list) else [] if modules is None else [modules]:
        kind, place = (str(module.get(k, "")) for k in ("type", "path")) if isinstance(module, dict) else ("", "")
        if not _MODULE.fullmatch(kind) or not _PLACE.fullmatch(place):
            named = f"{visible(kind)[:80]!r} in {visible(place)[:80]!r}"
            raise SignalUnusable(f"{folder}: its modules.json names {named}, which is not loaded")
        if place and folder / place not in found and (folder / place).is_dir():
            found.append(folder / place)
    return found


def _listed(place: Path) -> list[str]:
    try:
        names = [name for name in sorted(os.listdir(place)) if (place / name).is_file()]
    except OSError as error:
        raise SignalUnusable(f"{place}: cannot be read ({error.strerror})") from error
    if len(names) > MOST_FILES:
        raise SignalUnusable(f"{place}: {len(names):,} files; name the folder of one model")
    return names


def _check_settings(path: Path) -> None:
    """Settings may not name code or another model, nor those of a module bring arguments for the library."""
    given = settings(path)
    brought = ("_args", "_kwargs") if path.name.startswith("sentence_") else ()
    refused = sorted(key for key in given if key in _FOREIGN or (key.endswith(brought) and given[key]))
    if refused or path.name == "adapter_config.json":
        what = f"`{visible(refused[0])}`" if refused else "the settings of an adapter"
        raise SignalUnusable(f"{path}: {what} may lead to code or files outside the folder, and is not followed")


def settings(path: Path) -> dict[str, Any]:
    """The entries of a JSON object; none if the file is absent or holds something else."""
    found = _json(path)
    return found if isinstance(found, dict) else {}


def _json(path: Path) -> Any:
    if not path.exists():
        return None
    try:
        return json.loads(read(path, MOST_TEXT))
    except (ValueError, RecursionError) as error:
        raise SignalUnusable(f"{path}: not JSON ({visible(str(error))[:80]})") from error
