"""What all models share: checks of their files before any is loaded, their packages, texts, numbers and errors.

Pickles and code are refused, sizes are limited.

What cannot be seen by looking at files: a graph or a tokenizer made to be slow or to fill the memory. Try a model from
a stranger only where that does no harm.
"""

from __future__ import annotations

import hashlib
import importlib.util
import json
import math
import os
import re
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from functools import lru_cache
from importlib import metadata
from pathlib import Path
from typing import Any

from steelyard.errors import SteelyardError
from steelyard.support.escape import make_visible

MAX_BYTES = 4_000_000_000  # of one file
MAX_TEXT = 100_000_000  # of a tokenizer or a configuration
MAX_FILES = 500  # in a folder
WEIGHTS = "model.safetensors"
_LOADED = (".json", ".jinja", ".model", ".safetensors", ".txt")
_PICKLES = (".bin", ".ckpt", ".joblib", ".pickle", ".pkl", ".pt", ".pth")
_CODE = (".py", ".pyc", ".so", ".dll", ".dylib")
# The modules that a model may consist of; other modules of the library load whatever they like.
_MODULE = re.compile(r"sentence_transformers\.[\w.]+\.(Transformer|Pooling|Normalize|Dense|Dropout|LayerNorm)")
_SUBFOLDER = re.compile(r"\w*")
_FOREIGN = ("auto_map", "tokenizer_name_or_path")
_ADVICE = "only safetensors are read: convert the model, or take another"


@contextmanager
def _explain_os_errors(path: Path) -> Iterator[None]:
    try:
        yield
    except OSError as error:
        raise SteelyardError(f"{path}: cannot be read ({error.strerror})") from error


def check_size(path: Path, max_bytes: int = MAX_BYTES) -> os.stat_result:
    """Return the status of a regular file of at most `max_bytes`; refuse everything else."""
    with _explain_os_errors(path):
        status = path.stat()
        if not path.is_file():
            raise SteelyardError(f"{path}: not a regular file")
    if status.st_size > max_bytes:
        raise SteelyardError(f"{path}: {status.st_size:,} bytes is over the limit of {max_bytes:,} for such a file")
    return status


def read_bytes(path: Path, max_bytes: int = MAX_BYTES) -> bytes:
    """Return the bytes of a regular file, and never read more than `max_bytes` even if it grows."""
    check_size(path, max_bytes)
    with _explain_os_errors(path), path.open("rb") as file:
        data = file.read(max_bytes + 1)
    if len(data) > max_bytes:
        raise SteelyardError(f"{path}: over the limit of {max_bytes:,} bytes for such a file")
    return data


def hash_file(path: Path, max_bytes: int = MAX_BYTES) -> str:
    """Return the SHA-256 of a regular file; it is computed once as long as the file does not change."""
    status = check_size(path, max_bytes)
    return _hash_unchanged(path, status.st_size, status.st_mtime_ns)


@lru_cache(maxsize=64)
def _hash_unchanged(path: Path, size: int, changed: int) -> str:
    with _explain_os_errors(path), path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def hash_folder(folder: Path) -> str:
    """Check all that sentence-transformers would load from a folder, and return its hash.

    Raises:
        SteelyardError: The folder holds code, pickles or settings that lead out of it, or no safetensors.
    """
    digests, weights = [], False
    for place in _list_subfolders(folder):
        present = _list_files(place)
        weights |= WEIGHTS in present
        for name in present:
            within = (place / name).relative_to(folder).as_posix()
            suffix = Path(name).suffix.lower()
            if suffix in _CODE:
                raise SteelyardError(f"{folder}: holds code ({make_visible(within)}); code of a model is never run")
            if suffix in _PICKLES and WEIGHTS not in present:
                raise SteelyardError(f"{folder}: {make_visible(within)} may be a pickle, which can run code; {_ADVICE}")
            if suffix in _LOADED:
                max_bytes = MAX_BYTES if suffix == ".safetensors" else MAX_TEXT
                digests.append(f"{within} {hash_file(place / name, max_bytes)}")
            if "config" in name and suffix == ".json":
                _check_settings(place / name)
    if not weights:
        raise SteelyardError(f"{folder}: holds no {WEIGHTS}; {_ADVICE}")
    return hashlib.sha256("\n".join(digests).encode("utf-8", "surrogateescape")).hexdigest()


def _list_subfolders(folder: Path) -> list[Path]:
    """Return the folder and the subfolders that its modules.json names; nothing else of it is loaded."""
    modules = _read_json(folder / "modules.json")
    folders = [folder]
    for module in modules if isinstance(modules, list) else [] if modules is None else [modules]:
        kind, place = (str(module.get(k, "")) for k in ("type", "path")) if isinstance(module, dict) else ("", "")
        if not _MODULE.fullmatch(kind) or not _SUBFOLDER.fullmatch(place):
            named = f"{make_visible(kind)[:80]!r} in {make_visible(place)[:80]!r}"
            raise SteelyardError(f"{folder}: its modules.json names {named}, which is not loaded")
        if place and folder / place not in folders and (folder / place).is_dir():
            folders.append(folder / place)
    return folders


def _list_files(folder: Path) -> list[str]:
    with _explain_os_errors(folder):
        names = [name for name in sorted(os.listdir(folder)) if (folder / name).is_file()]
    if len(names) > MAX_FILES:
        raise SteelyardError(f"{folder}: {len(names):,} files; name the folder of one model")
    return names


def _check_settings(path: Path) -> None:
    """Refuse settings that name code or another model, and those of a module with arguments for the library."""
    settings = read_settings(path)
    arguments = ("_args", "_kwargs") if path.name.startswith("sentence_") else ()
    refused = sorted(key for key in settings if key in _FOREIGN or (key.endswith(arguments) and settings[key]))
    if refused or path.name == "adapter_config.json":
        what = f"`{make_visible(refused[0])}`" if refused else "the settings of an adapter"
        raise SteelyardError(f"{path}: {what} may lead to code or files outside the folder, and is not followed")


def read_settings(path: Path) -> dict[str, Any]:
    """Return the entries of a JSON object; none if the file is absent or holds something else."""
    content = _read_json(path)
    return content if isinstance(content, dict) else {}


def _read_json(path: Path) -> Any:
    if not path.exists():
        return None
    try:
        return json.loads(read_bytes(path, MAX_TEXT))
    except (ValueError, RecursionError) as error:
        raise SteelyardError(f"{path}: not JSON ({make_visible(str(error))[:80]})") from error


MAX_CHARACTERS = 100_000  # about 15,000 words; a model that averages all words would need a kilobyte for each


def require_packages(*packages: str, advice: str) -> None:
    """Refuse at once, before anything is read, if a package is missing."""
    for package in packages:
        if importlib.util.find_spec(package.replace("-", "_")) is None:
            raise SteelyardError(f"this needs the package {package!r}; {advice}")


@contextmanager
def explain_failure(name: str, action: str) -> Iterator[None]:
    """Turn whatever a model's package raises on a strange file or text into one line with the model's name."""
    try:
        yield
    except (SteelyardError, KeyboardInterrupt, SystemExit, GeneratorExit):
        raise
    except BaseException as error:  # Rust packages raise panics that are no Exception
        reason = make_visible(f"{type(error).__name__}: {error}")[:200]
        raise SteelyardError(f"{make_visible(name)}: {action} failed ({reason})") from error


def clean_text(text: str) -> str:
    """Cut a text and replace halves of surrogate pairs, which no tokenizer takes."""
    return text[:MAX_CHARACTERS].encode("utf-8", "replace").decode("utf-8")


def to_floats(name: str, numbers: Iterable[Any]) -> list[float]:
    """Return the numbers of a model's answer, which must be finite."""
    floats = [float(x) for x in numbers]
    if not floats or not all(map(math.isfinite, floats)):
        raise SteelyardError(f"{name}: the model gave no finite numbers; is this the right kind of model?")
    return floats


def hash_identity(*packages: str, **parts: Any) -> str:
    """Return the SHA-256 of everything that a result depends on apart from the text, with the packages' versions."""
    versions = [_installed_version(package) for package in packages]
    text = json.dumps({**parts, "versions": versions, "characters": MAX_CHARACTERS}, sort_keys=True)
    return hashlib.sha256(text.encode("ascii")).hexdigest()


def _installed_version(package: str) -> str:
    try:
        return metadata.version(package)
    except metadata.PackageNotFoundError:
        return ""
