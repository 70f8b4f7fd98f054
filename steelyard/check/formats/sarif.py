"""The check as SARIF 2.1.0, which code hosts show on the lines of a file."""

from __future__ import annotations

import re
from typing import Any
from urllib.parse import quote

from steelyard import __version__
from steelyard.check.result import CheckedFinding, CheckedPage, CheckRun
from steelyard.configuration.rules import RULES
from steelyard.pages.descriptions import SCOPE
from steelyard.support.escape import make_visible

SCHEMA = "https://json.schemastore.org/sarif-2.1.0.json"
FINGERPRINT = "steelyard/v1"
FAILED = "page"  # the rule of a page that fails
_RAW_BYTES = re.compile("[^\ud800-\udc7f\udd00-\udfff]*")


def build_sarif(run: CheckRun) -> dict[str, Any]:
    """Return the log: one result for each finding and each failing page; silenced ones are marked as suppressed."""
    descriptions = {rule.name: rule.about for rule in RULES.values()}
    descriptions[FAILED] = "pages that fail: below a threshold, or worse than before"
    results = []
    for page in run.pages:
        if page.failures:
            results.append(_describe_failure(page, run.locate(page.path)))
        results += [_describe_finding(f, run.locate(page.path)) for f in page.findings]
    invocation: dict[str, Any] = {"executionSuccessful": not run.errors}
    if run.errors:
        invocation["toolExecutionNotifications"] = [
            {
                "level": "error",
                "message": {"text": make_visible(e.message)},
                "locations": [_locate(run.locate(e.source))],
            }
            for e in run.errors
        ]
    driver = {
        "name": "steelyard",
        "semanticVersion": __version__,
        "shortDescription": {"text": f"Scores the content of pages: {SCOPE}."},
        "rules": [{"id": name, "shortDescription": {"text": text}} for name, text in descriptions.items()],
    }
    for result in results:
        result["ruleIndex"] = list(descriptions).index(result["ruleId"])
    log = {
        "tool": {"driver": driver},
        "columnKind": "unicodeCodePoints",
        "invocations": [invocation],
        "results": results,
        "properties": {"as_of": run.as_of.isoformat(), "scope": SCOPE},
    }
    return {"$schema": SCHEMA, "version": "2.1.0", "runs": [log]}


def _describe_failure(page: CheckedPage, path: str) -> dict[str, Any]:
    return {
        "ruleId": FAILED,
        "level": "error",
        "message": {"text": make_visible("; ".join(page.failures))},
        "locations": [_locate(path)],
        "partialFingerprints": {FINGERPRINT: FAILED},
        "properties": {"score": page.score, "margin": page.margin},
    }


def _describe_finding(finding: CheckedFinding, path: str) -> dict[str, Any]:
    region: dict[str, Any] = {
        "startLine": finding.line,
        "startColumn": finding.column,
        "endLine": finding.end_line,
        "endColumn": finding.end_column,
        "charOffset": finding.start,
        "charLength": finding.end - finding.start,
    }
    if finding.quote:
        region["snippet"] = {"text": make_visible(finding.quote)}
    counted = f" Counts: {finding.counted}." if finding.counted else ""
    result: dict[str, Any] = {
        "ruleId": finding.rule,
        "level": finding.level,
        "message": {"text": make_visible(f"{finding.text}.{counted}")},
        "locations": [_locate(path, region)],
        "partialFingerprints": {FINGERPRINT: finding.fingerprint},
        "properties": {"cost": finding.cost, "changed": finding.is_changed},
    }
    if finding.is_new is not None:
        result["baselineState"] = "new" if finding.is_new else "unchanged"
    if finding.is_silenced:
        result["suppressions"] = [{"kind": "inSource"}]
    return result


def _locate(path: str, region: dict[str, Any] | None = None) -> dict[str, Any]:
    # A file's name may be no UTF-8; its bytes are kept.
    name = path.encode("utf-8", "surrogateescape" if _RAW_BYTES.fullmatch(path) else "replace")
    uri = quote(name, safe="/._-~")
    location: dict[str, Any] = {"artifactLocation": {"uri": uri}}
    if not path.startswith("/"):
        location["artifactLocation"]["uriBaseId"] = "%SRCROOT%"
    location["region"] = region or {"startLine": 1}
    return {"physicalLocation": location}
