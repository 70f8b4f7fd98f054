"""Other people's scorers and the simplest ones through the same gates, on the same pages: docs/peers.md.

python tools/peers.py            reads $STEELYARD_DATA or ../shared/data, makes the peers' environments on first
                                 use, writes docs/artifacts/peers.json (some minutes)
python tools/peers.py --table    prints the comparison from the committed artifact
"""

from __future__ import annotations

import argparse
import json
import sys
from pathlib import Path

from steelyard.lab.corpus import loading as candidates
from steelyard.lab.protocol.falsify import falsify
from steelyard.lab.scorers import peers
from steelyard.lab.scorers.resolve import resolve
from steelyard.lab.study.falsify import comparison, verdict
from steelyard.support.artifacts import envelope, rounded, write_artifact
from tools.distributions import AS_OF, ROOT, data

ARTIFACT = ROOT / "docs" / "artifacts" / "peers.json"
SCORERS = ("shipped", *peers.NAMES)


def measure() -> None:
    corpus = candidates.load(str(data() / "web_en.jsonl"))
    pages = corpus.of("en")
    results = []
    for name in SCORERS:
        scorer = resolve(name, folder=Path.cwd(), as_of=AS_OF, timeout=30.0)
        with scorer.open():
            print(f"{name} on {len(pages)} pages", file=sys.stderr)
        found = falsify(pages, scorer, corpus=corpus.name, digest=corpus.digest, quiet=False)
        results.append({**found.record(), "about": _about(name)})
    parameters = {"as_of": str(AS_OF), "view": "flattened", "arm": "repeat", "seed": 0}
    artifact = envelope(
        "steelyard.peers/1", inputs={corpus.name: corpus.digest}, parameters=parameters, result={"scorers": results}
    )
    write_artifact(ARTIFACT, rounded(artifact))


def _about(name: str) -> str:
    return peers.peer(name).about if name in peers.NAMES else "Steelyard's content score, shipped weights"


def shown() -> str:
    results = json.loads(ARTIFACT.read_text("utf-8"))["result"]["scorers"]
    table = comparison(results)
    parts = [table.table.to_markdown(), f"\n{table.note}\n", ""]
    parts += [f"- `{r['scorer']}`: {r['about']}" for r in results]
    parts += ["", *(f"- {verdict(r)}" for r in results)]
    return "\n".join(parts) + "\n"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--table", action="store_true", help="print from the committed artifact")
    if parser.parse_args().table:
        print(shown(), end="")
    else:
        measure()


if __name__ == "__main__":
    main()
