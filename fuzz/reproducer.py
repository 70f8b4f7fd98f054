"""A failing case as a file: written when a fault is found, read by `./run fuzz --replay FILE`."""

from __future__ import annotations

import base64
import hashlib
import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from fuzz.case import Case, Fault
from fuzz.seeds import ROOT
from steelyard.support.artifacts import write_artifact

FOLDER = ROOT / ".cache" / "fuzz"


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
    data = base64.b64decode(entry["base64"]) if "base64" in entry else entry["text"].encode("utf-8", "surrogatepass")
    return Case(entry["kind"], data, entry["options"])
