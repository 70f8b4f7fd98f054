"""Run by test_datatrove_steps.py in datatrove's environment: documents through steps that were pickled, as JSON.

Standard input: {"texts": [...], "metadata": {...}, "steps": {name: arguments of SteelyardFilter}}.
"""

import json
import pickle
import sys

import dill
from datatrove.data import Document

from steelyard.corpora.datatrove import SteelyardAnnotator, SteelyardFilter


def run(step, given):
    """Return the ids and metadata of the documents that a step lets through."""
    documents = [
        Document(text=text, id=str(n), metadata=dict(given["metadata"])) for n, text in enumerate(given["texts"])
    ]
    return {document.id: document.metadata for document in step.run(iter(documents))}


def main():
    given = json.load(sys.stdin)
    results = {"annotator": run(pickle.loads(pickle.dumps(SteelyardAnnotator(as_of="2026-07-01"))), given)}  # noqa: S301
    for name, arguments in given["steps"].items():
        step = SteelyardFilter(as_of="2026-07-01", **arguments)
        results[name] = run(dill.loads(dill.dumps(step)), given)  # noqa: S301 - Slurm's executor sends steps so
    json.dump(results, sys.stdout)


if __name__ == "__main__":
    main()
