"""The check as JUnit XML: one test for each page."""

from __future__ import annotations

import os
from xml.etree import ElementTree as ET

from steelyard.check.result import CheckRun, sort_by_weight
from steelyard.pages.reading import describe_doubt
from steelyard.support.escape import make_visible


def render_junit(run: CheckRun) -> str:
    """Return the file; a page fails, or is an error where it could not be read."""
    totals = {
        "name": "steelyard",
        "tests": str(len(run.pages) + len(run.errors)),
        "failures": str(len(run.failed)),
        "errors": str(len(run.errors)),
    }
    suites = ET.Element("testsuites", totals)
    suite = ET.SubElement(suites, "testsuite", {**totals, "skipped": "0", "time": "0"})
    for page in run.pages:
        case = _add_case(suite, page.path)
        if page.failures:
            message = clean_xml(page.explain_failures())
            failure = ET.SubElement(case, "failure", {"message": message, "type": "steelyard"})
            findings = [f"{page.path}:{f.line}:{f.column}: {f.rule}: {f.text}" for f in sort_by_weight(page.reported)]
            failure.text = "\n".join(map(clean_xml, [message, *findings]))
        doubt = "".join(f"; {clean_xml(text)}" for text in (describe_doubt(page.reading),) if text)
        ET.SubElement(case, "system-out").text = f"score {page.score:.2f}, {len(page.reported)} findings{doubt}"
    for error in run.errors:
        case = _add_case(suite, error.source)
        ET.SubElement(case, "error", {"message": clean_xml(error.message), "type": "unreadable"})
    ET.indent(suites)
    return '<?xml version="1.0" encoding="UTF-8"?>\n' + ET.tostring(suites, encoding="unicode") + "\n"


def _add_case(suite: ET.Element, path: str) -> ET.Element:
    folder, name = os.path.split(path)
    return ET.SubElement(
        suite, "testcase", {"classname": clean_xml(folder or "."), "name": clean_xml(name), "time": "0"}
    )


def clean_xml(text: str) -> str:
    """Return text without the characters that XML cannot hold."""
    return make_visible(text).replace("\ufffe", "⟨U+FFFE⟩").replace("\uffff", "⟨U+FFFF⟩")
