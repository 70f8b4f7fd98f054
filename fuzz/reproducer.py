"""A failing case: made small, written to a file when it is found, read again by `./run fuzz --replay FILE`."""

from __future__ import annotations

import base64
import hashlib
import json
import time
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

from fuzz.case import Case, Depth, Fault, Kind, encode
from fuzz.seeds import ROOT
from steelyard.support.artifacts import write_artifact

FOLDER = ROOT / ".cache" / "fuzz"
SECONDS = 20.0  # for making one case small


def save_fault(fault: Fault, found: Mapping[str, Any], folder: Path = FOLDER) -> Path:
    """Write a fault with everything needed to see it again; `found` says in which run."""
    case = fault.case
    text = case.text
    # JSON has an escape for a lone surrogate, so only what is no text at all needs another form.
    data = {"text": text} if text is not None else {"base64": base64.b64encode(case.data).decode("ascii")}
    name = hashlib.sha256(case.data + fault.check.encode()).hexdigest()[:12]
    path = folder / f"{case.kind}-{fault.check.replace(' ', '-')}-{name}.json"
    folder.mkdir(parents=True, exist_ok=True)
    entry = {
        "kind": case.kind, "options": dict(case.options), **data,
        "check": fault.check, "message": fault.message, "found": dict(found),
    }  # fmt: skip
    write_artifact(path, entry)
    return path


def load_case(path: Path) -> Case:
    """Read a case back from such a file."""
    entry = json.loads(path.read_text("utf-8"))
    data = base64.b64decode(entry["base64"]) if "base64" in entry else encode(entry["text"])
    return Case(entry["kind"], data, entry["options"])


def reduce_fault(kind: Kind, fault: Fault) -> Fault:
    """Return the same fault on a smaller case."""
    case, latest = fault.case, fault

    def fails(data: bytes) -> bool:
        nonlocal latest
        smaller = Case(case.kind, data, case.options)
        found = [f for f in kind.check([smaller], depth=Depth.ALL).faults if f.check == fault.check]
        if found:
            latest = found[0]
        return bool(found)

    reduce_bytes(case.data, fails)
    return latest


def describe_fault(fault: Fault, path: Path) -> str:
    """Return a fault with its reproducer, for the terminal."""
    shown = repr(fault.case.data if fault.case.text is None else fault.case.text)
    shown = shown if len(shown) < 2_000 else f"{shown[:2_000]}… ({len(fault.case.data):,} bytes)"
    used = {name: value for name, value in fault.case.options.items() if value is not None}
    return (
        f"\nFAULT {fault.case.kind}: {fault.check}: {fault.message}\n  options {used}\n  input {shown}\n"
        f"  again with ./run fuzz --replay {path}"
    )


def reduce_bytes(data: bytes, fails: Callable[[bytes], bool]) -> bytes:
    """Return a part of the data for which `fails` is still true, smaller the more time there is.

    A text is cut between characters, anything else between bytes.
    """
    until = time.monotonic() + SECONDS
    for separator in (b"\n\n", b"\n", b". ", b"<", b" "):
        pieces = data.split(separator)
        if len(pieces) > 1:
            data = separator.join(_drop_pieces(pieces, lambda kept: fails(separator.join(kept)), until))  # noqa: B023 - called at once
    return b"".join(_drop_pieces(_split_characters(data), lambda kept: fails(b"".join(kept)), until))


def _split_characters(data: bytes) -> list[bytes]:
    try:
        return [encode(character) for character in data.decode("utf-8", "surrogatepass")]
    except UnicodeDecodeError:
        return [data[at : at + 1] for at in range(len(data))]


def _drop_pieces(pieces: Sequence[bytes], fails: Callable[[Sequence[bytes]], bool], until: float) -> Sequence[bytes]:
    """Drop halves, quarters, … of the pieces and at last single ones, until nothing can be dropped or time is up."""
    size = max(1, len(pieces) // 2)
    while pieces and time.monotonic() < until:
        start, dropped = 0, False
        while start < len(pieces) and time.monotonic() < until:
            rest = [*pieces[:start], *pieces[start + size :]]
            if fails(rest):
                pieces, dropped = rest, True
            else:
                start += size
        if size == 1 and not dropped:
            break
        size = max(1, size // 2) if not dropped or size > 1 else 1
    return pieces
