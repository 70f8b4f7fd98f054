"""A server over HTTP for the tests of a file."""

from __future__ import annotations

import re
import signal
from collections.abc import Iterator

import pytest

from tests.check.mcp.servers import EXAMPLES, start


@pytest.fixture(scope="module")
def address() -> Iterator[str]:
    """The address of a server on a free port, which ends when it is interrupted and prints nothing."""
    with start(*EXAMPLES, "--http", "--port", "0") as process:
        assert process.stderr is not None
        assert process.stdout is not None
        found = re.search(r"http://127\.0\.0\.1:[0-9]+/mcp", process.stderr.readline())
        assert found
        yield found[0]
        process.send_signal(signal.SIGINT)
        process.wait(200)
        assert process.stdout.read() == ""
