"""The check as SARIF 2.1.0, which code hosts show on the lines of a file."""

from __future__ import annotations

import re
from typing import Any
from urllib.parse import quote

from steelyard import __version__
from steelyard.advice.rule import Rule, describe_silencing
from steelyard.advice.rules import RULES
from steelyard.check.result import CheckedFinding, CheckedPage, CheckRun
from steelyard.pages.descriptions import SCOPE
from steelyard.pages.reading import describe_doubt
from steelyard.support.escape import make_visible

SCHEMA = "https://json.schemastore.org/sarif-2.1.0.json"
FINGERPRINT = "steelyard/v1"
FAILED = "page"  # the rule of a page that fails
_FAILED_PAGES = "pages that fail: below a threshold, or worse than before"
_RAW_BYTES = re.compile("[^\ud800-\udc7f\udd00-\udfff]*")


def build_sarif(run: CheckRun) -> dict[str, Any]:
    """Return the log: one result for each finding and each failing page; silenced ones are marked as suppressed."""
    rules = [*map(_describe_rule, RULES.values()), {"id": FAILED, "shortDescription": {"text": _FAILED_PAGES}}]
    numbers = {rule["id"]: number for number, rule in enumerate(rules)}
    results = []
    for page in run.pages:
        if page.failures:
            results.append(_describe_failure(page, run.locate(page.path)))
        results += [_describe_finding(f, run.locate(page.path)) for f in page.findings]
    invocation: dict[str, Any] = {"executionSuccessful": not run.errors}
    notes = [("error", e.message, e.source) for e in run.errors]
    notes += [("warning", doubt, page.path) for page in run.pages if (doubt := describe_doubt(page.reading))]
    if notes:
        invocation["toolExecutionNotifications"] = [
            {
                "level": level,
                "message": {"text": make_visible(message)},
                "locations": [_locate(run.locate(source))],
            }
            for level, message, source in notes
        ]
    driver = {
        "name": "steelyard",
        "semanticVersion": __version__,
        "shortDescription": {"text": f"Scores the content of pages: {SCOPE}."},
        "rules": rules,
    }
    for result in results:
        result["ruleIndex"] = numbers[result["ruleId"]]
    log = {
        "tool": {"driver": driver},
        "columnKind": "unicodeCodePoints",
        "invocations": [invocation],
        "results": results,
        "properties": {"as_of": run.as_of.isoformat(), "scope": SCOPE},
    }
    return {"$schema": SCHEMA, "version": "2.1.0", "runs": [log]}


def _describe_rule(rule: Rule) -> dict[str, Any]:
    return {
        "id": rule.name,
        "shortDescription": {"text": rule.about},
        "fullDescription": {"text": f"{rule.what} {rule.why}"},
        "help": {"text": f"{rule.how} How to silence it: {describe_silencing(rule)}"},
        "helpUri": rule.help,
        "defaultConfiguration": {"level": rule.level},
    }


def _describe_failure(page: CheckedPage, path: str) -> dict[str, Any]:
    cause = next(iter(page.worst), None)
    return {
        "ruleId": FAILED,
        "level": "error",
        "message": {"text": make_visible(page.explain_failures())},
        "locations": [_locate(path, _describe_region(cause) if cause else None)],
        "partialFingerprints": {FINGERPRINT: FAILED},
        "properties": {
            "score": page.score,
            "margin": page.margin,
            "causes": [{"subject": failure.subject, "margin": failure.margin} for failure in page.causes],
        },
    }


def _describe_finding(finding: CheckedFinding, path: str) -> dict[str, Any]:
    counted = f" Counts: {finding.counted}." if finding.counted else ""
    result: dict[str, Any] = {
        "ruleId": finding.rule,
        "level": finding.level,
        "message": {"text": make_visible(f"{finding.text}.{counted}")},
        "locations": [_locate(path, _describe_region(finding))],
        "partialFingerprints": {FINGERPRINT: finding.fingerprint},
        "properties": {"cost": finding.cost, "changed": finding.is_changed, "certain": finding.certain},
    }
    if finding.is_new is not None:
        result["baselineState"] = "new" if finding.is_new else "unchanged"
    if finding.is_silenced:
        result["suppressions"] = [{"kind": "inSource"}]
    return result


def _describe_region(finding: CheckedFinding) -> dict[str, Any]:
    region: dict[str, Any] = {
        "startLine": finding.line,
        "startColumn": finding.column,
        "endLine": finding.end_line,
        "endColumn": finding.end_column,
        "charOffset": finding.start,
        "charLength": finding.end - finding.start,
    }
    return {**region, "snippet": {"text": make_visible(finding.quote)}} if finding.quote else region


def _locate(path: str, region: dict[str, Any] | None = None) -> dict[str, Any]:
    # A file's name may be no UTF-8; its bytes are kept.
    name = path.encode("utf-8", "surrogateescape" if _RAW_BYTES.fullmatch(path) else "replace")
    uri = quote(name, safe="/._-~")
    location: dict[str, Any] = {"artifactLocation": {"uri": uri}}
    if not path.startswith("/"):
        location["artifactLocation"]["uriBaseId"] = "%SRCROOT%"
    location["region"] = region or {"startLine": 1}
    return {"physicalLocation": location}
