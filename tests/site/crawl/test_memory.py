"""The memory of a crawl does not grow with the site."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests.conftest import ROOT

CHILD = """
import sys
from steelyard.site.crawl.visits import crawl
from steelyard.site.model import Link
from tests.site.crawl.crawling import FileFrontier, describe, list_options

def resident():
    return int(next(line for line in open("/proc/self/status") if line.startswith("VmRSS")).split()[1])

async def handle(fetched):
    global done
    done += 1
    if done in (1_000, 2_000, 10_000):
        print(done, resident(), flush=True)
    return await describe(fetched)

done = 0
frontier = FileFrontier([Link(sys.argv[1])], sys.argv[2])
end = crawl(frontier, list_options(concurrency=16, max_pages=20_000, max_depth=100), handle)
assert end.finished == 10_000, end
"""


@pytest.mark.full
@pytest.mark.skipif(not Path("/proc/self/status").exists(), reason="the memory of a process is read from /proc")
def test_memory_is_that_of_a_fifth_of_the_pages(tmp_path: Path) -> None:
    environment = {**os.environ, "PYTHONPATH": str(ROOT)}
    server = subprocess.Popen(
        [sys.executable, "-m", "tests.site.trap_site", "--pages", "10000"],
        cwd=ROOT, env=environment, stdout=subprocess.PIPE, text=True,
    )  # fmt: skip
    try:
        assert server.stdout is not None
        url = server.stdout.readline().strip()
        done = subprocess.run(
            [sys.executable, "-c", CHILD, f"{url}/", tmp_path / "frontier"],
            cwd=ROOT, env=environment, capture_output=True, text=True, timeout=600, check=False,
        )  # fmt: skip
    finally:
        server.kill()
        server.communicate()
    assert (done.returncode, done.stderr) == (0, "")
    kilobytes = {int(pages): int(size) for pages, size in (line.split() for line in done.stdout.splitlines())}
    assert kilobytes[10_000] < kilobytes[2_000] * 1.10, kilobytes
