"""Other people's scorers and the simplest ones through the same gates, on the same pages."""

from __future__ import annotations

from pathlib import Path

from steelyard.lab.protocol.falsify import falsify
from steelyard.lab.scorers import peers
from steelyard.lab.scorers.resolve import resolve
from steelyard.lab.study.findings import Findings
from steelyard.lab.study.sources import open_pages
from steelyard.lab.study.studies.falsify import comparison, verdict
from steelyard.lab.study.study import Request, Result, Section, Study

SCORERS = ("shipped", *peers.NAMES)
TIMEOUT = 30.0  # seconds for one page


def findings(result: Result) -> Findings:
    scorers = result["scorers"]
    lines = [f"{r['scorer']}: {r['about']}" for r in scorers] + [verdict(r) for r in scorers]
    return Findings(lines, [comparison(scorers)])


def _compute(request: Request) -> Result:
    pages, corpus = open_pages(request, request.arguments[0], language="en")
    request.parameters.update(as_of=str(request.as_of), view="flattened", arm="repeat", seed=0)
    results = []
    for name in SCORERS:
        scorer = resolve(name, folder=Path.cwd(), as_of=request.as_of, timeout=TIMEOUT)
        with scorer.open():  # a peer's environment is made before its pages are scored
            pass
        found = falsify(pages, scorer, corpus=corpus.name, digest=corpus.digest, jobs=request.jobs, quiet=request.quiet)
        about = peers.PEERS[name].about if name in peers.NAMES else "Steelyard's content score, shipped weights"
        results.append({**found.record(), "about": about})
    return {"scorers": results}


STUDY = Study(
    "peers",
    "Other scorers through the same gates",
    _compute,
    findings,
    group="protocol",
    help="Put the shipped score and the peers through the five gates. Makes the peers' environments on first use.",
    sections=lambda material: [Section(lambda: ([material.corpus("en")], {}))] if material.peers else [],
)
