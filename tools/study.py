"""Run the whole study on the measuring pages and records, and commit it to docs/study/.

python -m tools.study           reads $STEELYARD_DATA or ../shared/data, writes docs/study/ (ten minutes or more)
python -m tools.study --report  prints the report again from the committed artifacts, and computes nothing
python -m tools.study --only NAME  computes one study of the registry, and keeps all others as they are committed
python -m tools.study --freeze  also writes the filter's thresholds of the paper's edition from the gaming section
"""

from __future__ import annotations

import argparse
import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
STUDY = ROOT / "docs" / "study"
WORK = ROOT / ".cache" / "study"
CALLS = STUDY / "calls"  # what answers gave to every source; their texts are others' and are not here
BENCH = STUDY / "checks" / "bench.json"  # how fast the editions were when they were measured last
# The files of the measuring data that the study is made from.
PAGES = (
    "web_en.jsonl", "web_fr.jsonl", "web_de.jsonl", "web_es.jsonl", "candidates_msmarco.jsonl", "geo_bench_rows.json",
    *(f"marks/{name}.jsonl" for name in ("en", "fr", "de", "es", "grades_en")),
    "html", "html_truth/truth.json", "human/dclm.jsonl", "human/health_releases.jsonl.gz",
    *(f"human/pages_{code}.jsonl.gz" for code in ("fr", "de", "es")),
    "human/register_fr.jsonl", "human/register_es.jsonl",
)  # fmt: skip
RECORDS = (
    "b2b_rewrites.jsonl.gz", "google_ai_answers.jsonl", "qwen_answers.jsonl", "qwen_levers_msmarco.jsonl.gz",
    "qwen_levers_probs.jsonl.gz", "qwen_levers_scholarqa.jsonl.gz", "scholarqa_gpt4o.jsonl",
)  # fmt: skip
EMBEDDER = "wordllama"
# Of what `reproduce` writes: the HTML holds the same once more, and the SVGs are in it.
KEPT = ("study.json", "report.md", "appendix/*.md", "artifacts/*.json", "images/*.png")


def data_folder() -> Path:
    """Return the folder of the measuring data."""
    return Path(os.environ.get("STEELYARD_DATA") or ROOT.parent / "shared" / "data")


def link_corpus() -> Path:
    """Return a folder with links to the files that the study is made from, and to nothing else."""
    corpus = WORK / "data"
    shutil.rmtree(corpus, ignore_errors=True)
    names = (*PAGES, *(f"outcomes/{record}" for record in RECORDS))
    ours = ((BENCH.name, BENCH), *((f"calls/{path.name}", path) for path in sorted(CALLS.glob("*.jsonl.gz"))))
    for name, target in (*((name, data_folder().resolve() / name) for name in names), *ours):
        link = corpus / name
        link.parent.mkdir(parents=True, exist_ok=True)
        link.symlink_to(target)
    return corpus


def measure() -> None:
    """Run `reproduce` and copy what is kept of it to docs/study/."""
    command = ["reproduce", "--corpus", str(link_corpus()), "--embedder", EMBEDDER, "--peers", "--out", str(WORK)]
    subprocess.run([sys.executable, "-m", "steelyard", *command], cwd=ROOT, check=True)
    for part in ("artifacts", "images", "appendix"):
        shutil.rmtree(STUDY / part, ignore_errors=True)
    for path in (path for pattern in KEPT for path in sorted(WORK.glob(pattern))):
        target = STUDY / path.relative_to(WORK)
        target.parent.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(path, target)


def measure_one(name: str) -> None:
    """Compute one study, put its artifacts among the committed ones, and print the report again."""
    from steelyard.lab.study.registry import STUDIES
    from steelyard.lab.study.reproduce import read_study, reproduce, write_study

    committed, illustrated = read_study(STUDY)
    made = list(reproduce(str(link_corpus()), WORK, embedder=EMBEDDER, peers=True, quiet=False, only=[name]))
    for section in made:
        file = f"{section.entry.name}.json"
        shutil.copyfile(WORK / "artifacts" / file, STUDY / "artifacts" / file)
    order = [study.name for study in STUDIES]
    sections = [*(c for c in committed if c.entry.study != name), *made]
    write_study(STUDY, sorted(sections, key=lambda c: order.index(c.entry.study)), illustrated=illustrated)
    present()


def present() -> None:
    """Write report.md, its appendices and its pictures again from the committed artifacts."""
    from steelyard.lab.study import report
    from steelyard.lab.study.reproduce import read_study

    computed, illustrated = read_study(STUDY)
    shutil.rmtree(STUDY / report.APPENDIX, ignore_errors=True)
    report.write(STUDY, report.make_report(computed, illustrated=illustrated))
    for path in (STUDY / report.PAGE, *(STUDY / "images").glob("*.svg")):
        path.unlink()


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--freeze", action="store_true", help="also write the filter's thresholds")
    parser.add_argument("--only", metavar="NAME", help="compute one study of the registry, and keep all others")
    parser.add_argument("--report", action="store_true", help="print the report again, and compute nothing")
    arguments = parser.parse_args()
    if arguments.report:
        present()
        return
    if arguments.only:
        measure_one(arguments.only)
        return
    measure()
    if arguments.freeze:
        from tools.thresholds import FOLDER, render_thresholds

        gaming = json.loads((STUDY / "artifacts" / "gaming.json").read_text("utf-8"))
        pages = gaming["inputs"]["english pages"]
        text = render_thresholds(gaming["result"], pages, "tools/study.py")
        FOLDER.joinpath("paper.toml").write_text(text, "utf-8")


if __name__ == "__main__":
    main()
