"""Kill a run at every step that changes a file, continue it, and compare: prints one line of JSON.

    python -m tests.corpora.kill_driver INPUT OUTPUT FOLDER EVERY

A child process is killed by SIGKILL just before the nth time that it opens, renames or removes something in FOLDER.
Then the same run is started again in another child. n goes up in steps of EVERY until a run ends by itself.
"""

from __future__ import annotations

import json
import os
import signal
import sys
from pathlib import Path
from typing import Any

from steelyard.corpora.columns import score_rows
from steelyard.corpora.plan import Thresholds
from tests.corpora.shared import SETTINGS, run_filter

EVENTS = {"open", "os.rename", "os.remove", "os.rmdir", "os.mkdir"}
ENDED, KILLED = "ended", "killed"


def run_child(source: str, output: Path, kill_at: int | None) -> str:
    """Run the filter in a child, killed before its nth step, and say how it ended."""
    child = os.fork()
    if child == 0:
        steps = 0

        def count(event: str, arguments: tuple[Any, ...]) -> None:
            nonlocal steps
            if event in EVENTS and str(arguments[0]).startswith(str(output.parent)):
                steps += 1
                if steps == kill_at:
                    os.kill(os.getpid(), signal.SIGKILL)

        sys.addaudithook(count)
        code = 1
        try:
            rejects = str(output.parent / "rejects.jsonl")
            run_filter([source], output, rejects=rejects, thresholds=Thresholds(min_score=20), batch_size=4)
            code = 0
        finally:
            os._exit(code)
    status = os.waitpid(child, 0)[1]
    if os.WIFSIGNALED(status):
        return KILLED
    assert os.WEXITSTATUS(status) == 0, "the run failed"
    return ENDED


def main() -> None:
    source, name, folder, every = sys.argv[1:]
    score_rows(["The children need not load the word lists again."], SETTINGS)
    seen: set[bytes] = set()
    whole = 0  # runs whose output was whole or absent when they were killed
    kill_at = 1
    while True:
        place = Path(folder) / f"at-{kill_at}"
        place.mkdir()
        output = place / name
        ended = run_child(source, output, kill_at)
        first = output.read_bytes() if output.exists() else None
        if ended == KILLED:
            run_child(source, output, None)
        left = sorted(p.name for p in place.iterdir())
        assert left == sorted([name, "rejects.jsonl"]), left
        final = output.read_bytes()
        assert first in (None, final), "a half-written output"
        whole += first is not None
        seen.add(final + b"\0" + (place / "rejects.jsonl").read_bytes())
        if ended == ENDED:
            break
        kill_at += int(every)
    print(
        json.dumps({"kills": (kill_at - 1) // int(every), "outputs": len(seen), "killed_after_the_output": whole - 1})
    )


if __name__ == "__main__":
    main()
