"""Models of the ranker: a manifest and LightGBM's text. They are loaded in a child, since LightGBM can end the process.

A file that differs from its manifest must be refused before LightGBM sees it. One that was crafted with its manifest
may end the child or keep it busy; nothing else is promised (SECURITY.md), so it is counted and is no fault.
"""

from __future__ import annotations

import json
import math
import os
import random
import sys
import tempfile
from collections.abc import Sequence
from functools import cache
from pathlib import Path
from typing import Any

from fuzz.case import Case, Depth, Fault, Kind, Options, Outcome, describe_error
from fuzz.child import Child
from fuzz.mutate.json_values import HOSTILE, mutate_value, write_json
from fuzz.mutate.text import mutate_bytes

BETWEEN = b"\n\0model\0\n"
CRAFTED, CHANGED = "crafted with its manifest", "changed"
SECONDS = 10.0  # for one model
ENDED, BUSY = "crafted model ended the process", "crafted model kept the process busy"


class Models(Kind):
    name = "model"
    share = 0.005
    batch = 8

    def choose_options(self, rng: random.Random) -> Options:
        return {"origin": rng.choice((CRAFTED, CHANGED))}

    def make(self, rng: random.Random, kept: Sequence[bytes]) -> bytes:
        manifest_text, model = train_small_model()
        manifest: Any = json.loads(manifest_text)
        for _ in range(rng.choice((0, 1, 2))):
            manifest = mutate_value(rng, manifest)
        text = model
        for _ in range(rng.choice((0, 1, 1, 3))):
            text = _mutate_model(rng, text)
        return write_json(rng, manifest) + BETWEEN + text

    def check(self, cases: Sequence[Case], *, depth: Depth = Depth.REPORTED) -> Outcome:
        faults, refused = [], []
        for case in cases:
            status, message = load_apart(case)
            if status == "fault" or (status in (ENDED, BUSY) and case.options.get("origin") != CRAFTED):
                faults.append(Fault(case, "model", f"{status}: {message}"))
            elif status != "accepted":
                refused.append(status)
        return Outcome(faults, [frozenset()] * len(cases), refused)


@cache
def train_small_model() -> tuple[bytes, bytes]:
    """Return the manifest and the text of a small model."""
    import numpy as np

    from steelyard.lab.ranking.features import FEATURES
    from steelyard.lab.ranking.models import import_lightgbm
    from steelyard.lab.ranking.store import MANIFEST, MODEL, save_model

    lightgbm = import_lightgbm()
    names = [feature.name for feature in FEATURES][:6]
    rng = np.random.default_rng(7)
    rows = rng.random((200, len(names)))
    settings = {"objective": "regression", "num_leaves": 4, "verbosity": -1, "num_threads": 1, "deterministic": True}
    table = lightgbm.Dataset(rows, label=rows @ rng.random(len(names)), feature_name=names)
    booster = lightgbm.train(settings, table, num_boost_round=3)
    with tempfile.TemporaryDirectory(prefix="steelyard-fuzz-") as folder:
        save_model(folder, booster, names, data={})
        return Path(folder, MANIFEST).read_bytes(), Path(folder, MODEL).read_bytes()


def _mutate_model(rng: random.Random, text: bytes) -> bytes:
    """Change one line of LightGBM's `key=value` text, or any bytes."""
    lines = text.split(b"\n")
    at = rng.randrange(len(lines))
    key, equals, value = lines[at].partition(b"=")
    if not equals or rng.random() < 0.3:
        return mutate_bytes(rng, text)
    numbers = value.split(b" ")
    numbers[rng.randrange(len(numbers))] = rng.choice(
        (b"-1", b"99999999", b"nan", b"1e999", b"", b"x", str(rng.choice(HOSTILE))[:60].encode("utf-8", "replace"))
    )
    lines[at] = key + b"=" + b" ".join(numbers)
    return b"\n".join(lines)


@cache
def loader() -> Child:
    """Return the child of this process."""
    return Child(__name__, SECONDS)


def load_apart(case: Case) -> tuple[str, str]:
    """Return the outcome of a model: accepted, refused, a fault, or the end of the process."""
    try:
        answer = loader().ask([case.data.decode("latin-1"), case.options.get("origin")])
    except TimeoutError:
        return BUSY, ""
    return (ENDED, "") if answer is None else (answer[0], answer[1])


def load_case(data: bytes, origin: str) -> tuple[str, str]:
    """Load a model and let it score a row."""
    from steelyard.errors import SteelyardError
    from steelyard.lab.ranking import store

    manifest, _, model = data.partition(BETWEEN)
    if origin == CRAFTED:
        manifest = _seal(manifest, model)
    with tempfile.TemporaryDirectory(prefix="steelyard-fuzz-") as folder:
        Path(folder, store.MANIFEST).write_bytes(manifest)
        Path(folder, store.MODEL).write_bytes(model)
        try:
            loaded = store.load_model(folder)
            scores = loaded.score([dict.fromkeys(loaded.names, 0.5)])
        except SteelyardError as error:
            return type(error).__name__, str(error)[:200]
        except Exception as error:  # noqa: BLE001 - this is what is looked for
            return "fault", describe_error(error)
    if origin != CRAFTED and not all(map(math.isfinite, scores)):
        return "fault", f"it scores {scores}"
    return "accepted", ""


def _seal(manifest: bytes, model: bytes) -> bytes:
    """Return the manifest with the hash of the model, as somebody who crafts one would write it."""
    import hashlib

    try:
        value = json.loads(manifest)
        value["model_sha256"] = hashlib.sha256(model).hexdigest()
    except (ValueError, TypeError, RecursionError):
        return manifest
    return json.dumps(value).encode()


def main() -> None:
    """Answer one line for every model. LightGBM prints on both outputs, so these are put aside."""
    answers = os.fdopen(os.dup(sys.stdout.fileno()), "w")
    with open(os.devnull, "w") as nothing:
        for stream in (sys.stdout, sys.stderr):
            os.dup2(nothing.fileno(), stream.fileno())
    for line in sys.stdin.buffer:
        data, origin = json.loads(line)
        print(json.dumps(load_case(data.encode("latin-1"), origin)), file=answers, flush=True)


if __name__ == "__main__":
    main()
