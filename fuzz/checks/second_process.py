"""A second process under another hash seed, with either core: its results must be the same bytes."""

from __future__ import annotations

import hashlib
import json
import os
import sys

from fuzz.case import Case, describe_error
from fuzz.page_input import analyse_case
from steelyard.errors import MissingExtra, PageUnreadable
from steelyard.native.core import VARIABLE
from steelyard.pipeline import PageResult
from steelyard.support.artifacts import to_json


def write_result(result: PageResult) -> str:
    """Return the JSON of everything a result says."""
    return to_json(result.to_dict(with_text=True), indent=None)


def hash_result(result: PageResult, written: str) -> str:
    """Return a hash of everything a result says, of which `written` is the JSON."""
    return hashlib.sha256((written + repr(result.findings)).encode("utf-8", "replace")).hexdigest()


def hash_case(case: Case, edition: str) -> str:
    """Return the hash of a case's result, or its error."""
    try:
        result = analyse_case(case, edition)
        return hash_result(result, write_result(result))
    except Exception as error:  # noqa: BLE001 - compared with what this process saw
        return describe_refusal(error)


def describe_refusal(error: Exception) -> str:
    """Return what is compared where there is no result."""
    return repr(error) if isinstance(error, (PageUnreadable, MissingExtra)) else describe_error(error)


def main() -> None:
    """Answer one line with hashes for every line with cases."""
    for line in sys.stdin.buffer:
        task = json.loads(line)
        os.environ[VARIABLE] = task["core"]
        print(json.dumps([hash_case(Case.from_row(row), task["edition"]) for row in task["cases"]]), flush=True)


if __name__ == "__main__":
    main()
