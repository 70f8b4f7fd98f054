"""schemathesis against the running server: no request makes it fail, and answers match their description."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

from tests.environments import LOCKS, find_python
from tests.web.running import start_server
from tests.web.stored import fill_store

CHECKS = (
    "not_a_server_error,status_code_conformance,content_type_conformance,response_schema_conformance,"
    "negative_data_rejection,unsupported_method"
)
SEED = "20260701"
MAX_SECONDS = 600  # seconds, against hangs


@pytest.mark.full
def test_no_request_makes_the_server_fail(tmp_path: Path) -> None:
    store = str(tmp_path / "sites.sqlite")
    fill_store(store)
    python = find_python("schemathesis", LOCKS / "schemathesis.txt")
    with start_server("--store", store, "--rate", "0") as (_, url):
        done = subprocess.run(
            [
                python, "-m", "schemathesis.cli", "run", f"{url}/api/openapi.json", "--checks", CHECKS,
                "--max-examples", "60", "--seed", SEED, "--workers", "2", "--request-timeout", "60",
                "--phases", "examples,coverage,fuzzing", "--no-color", "--generation-database", "none",
            ],
            capture_output=True, text=True, timeout=MAX_SECONDS, check=False, cwd=tmp_path,
        )  # fmt: skip
    assert done.returncode == 0, done.stdout[-6000:] + done.stderr[-2000:]
