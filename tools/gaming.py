"""The gaming benchmark on the measuring pages, and the thresholds of the shipped filter.

python -m tools.gaming              writes docs/artifacts/gaming.json and steelyard/detect/thresholds.toml
python -m tools.gaming --table N    prints the N-th table from the committed artifact
python -m tools.gaming --lines      prints what it comes to in words
"""

from __future__ import annotations

import argparse
import json
import os

from steelyard.lab.corpus import loading as candidates
from steelyard.lab.gaming.run import study
from steelyard.lab.study import gaming
from steelyard.support.artifacts import envelope, rounded, write_artifact, write_text
from tools.distributions import AS_OF, ROOT, data

ARTIFACT = ROOT / "docs" / "artifacts" / "gaming.json"
THRESHOLDS = ROOT / "steelyard" / "detect" / "thresholds.toml"
EVADES = (
    "sentences spliced in from other pages",
    "paraphrase of the page's own sentences, in small amounts",
    "questions and answers written around the page's topic",
    "evidence, true or invented, in whole sentences about the page's topic",
    "boilerplate in small amounts",
    "a few stuffed and a few repeated sentences together",
)


def measure() -> None:
    english = candidates.load(str(data() / "web_en.jsonl"))
    french = candidates.load(str(data() / "web_fr.jsonl"))
    result = study(
        english.of("en"), as_of=AS_OF, others={"french": french.of("fr")}, jobs=os.cpu_count() or 1, quiet=False
    )
    inputs = {english.name: english.digest, french.name: french.digest}
    artifact = rounded(
        envelope("steelyard.gaming/1", inputs=inputs, parameters={"as_of": str(AS_OF), "seed": 0}, result=result)
    )
    write_artifact(ARTIFACT, artifact)
    write_text(THRESHOLDS, frozen(artifact["result"], english.digest))


def frozen(result: dict[str, dict[str, float]], digest: str) -> str:
    """The thresholds as the package carries them."""
    lines = [
        "# Made by tools/gaming.py from clean pages and their neutral variants; no attack was looked at.",
        f'pages = "{digest}"',
        f"rate = {result['rate']}",
        "evades = [",
        *(f'  "{text}",' for text in EVADES),
        "]",
    ]
    for table in ("usual", "thresholds"):
        lines += ["", f"[{table}]", *(f"{name} = {value!r}" for name, value in result[table].items())]
    return "\n".join(lines) + "\n"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--table", type=int, metavar="N")
    parser.add_argument("--lines", action="store_true")
    arguments = parser.parse_args()
    if arguments.table is None and not arguments.lines:
        measure()
        return
    found = gaming.findings(json.loads(ARTIFACT.read_text("utf-8"))["result"])
    if arguments.lines:
        print("\n".join(f"- {line}" for line in found.lines))
    else:
        titled = found.tables[arguments.table]
        print(
            f"**{titled.title}**\n\n{titled.table.to_markdown()}" + (f"\n{titled.note}\n" if titled.note else ""),
            end="",
        )


if __name__ == "__main__":
    main()
