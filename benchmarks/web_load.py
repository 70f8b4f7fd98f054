"""Load on `steelyard serve`: so many `POST /api/score` a second from another process, with latencies and memory.

    python -m benchmarks.web_load [--rate 200] [--seconds 60] [--connections 32]

The server is started here without a rate limit, on a free port of loopback. Requests are due on a schedule, whether or
not earlier ones are answered; latencies count from the time when a request is due, so a server that falls behind shows.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import os
import re
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

from benchmarks.pages import pages_with_lines
from steelyard.native.core import describe_core
from steelyard.support.artifacts import to_json, write_artifact
from steelyard.support.quantile import quantile

VARIANTS = 200
WARM_UP = 100  # requests before the measurement: the native core is opened by the first pages


def make_bodies() -> list[bytes]:
    """Return different bodies of 370 words each, so that nothing could be answered from a cache."""
    return [json.dumps({"text": page}).encode() for page in pages_with_lines(VARIANTS)]


class Load:
    """Sends requests on a schedule over a few connections, and keeps what came back."""

    def __init__(self, port: int, rate: float, seconds: float, connections: int) -> None:
        self._port, self._rate, self._seconds, self._connections = port, rate, seconds, connections
        self._bodies = make_bodies()
        self._waiting: asyncio.Queue[tuple[float, int] | None] = asyncio.Queue()
        self.latencies: list[float] = []
        self.errors: dict[str, int] = {}

    async def run(self) -> float:
        """Send everything, and return the seconds that it took."""
        workers = [asyncio.create_task(self._work()) for _ in range(self._connections)]
        start = time.perf_counter()
        for number in range(round(self._rate * self._seconds)):
            due = start + number / self._rate
            if (pause := due - time.perf_counter()) > 0:
                await asyncio.sleep(pause)
            self._waiting.put_nowait((due, number))
        for _ in workers:
            self._waiting.put_nowait(None)
        await asyncio.gather(*workers)
        return time.perf_counter() - start

    async def _work(self) -> None:
        reader, writer = await asyncio.open_connection("127.0.0.1", self._port)
        while (task := await self._waiting.get()) is not None:
            due, number = task
            body = self._bodies[number % len(self._bodies)]
            head = f"POST /api/score HTTP/1.1\r\nHost: 127.0.0.1:{self._port}\r\nContent-Type: application/json\r\n"
            try:
                writer.write(f"{head}Content-Length: {len(body)}\r\n\r\n".encode() + body)
                status, answer = await _read_answer(reader)
            except (OSError, asyncio.IncompleteReadError) as error:
                self._count(type(error).__name__)
                reader, writer = await asyncio.open_connection("127.0.0.1", self._port)
                continue
            self.latencies.append(time.perf_counter() - due)
            if status != 200 or b'"score":' not in answer:
                self._count(f"status {status}")
        writer.close()

    def _count(self, error: str) -> None:
        self.errors[error] = self.errors.get(error, 0) + 1


async def _read_answer(reader: asyncio.StreamReader) -> tuple[int, bytes]:
    head = await reader.readuntil(b"\r\n\r\n")
    length = re.search(rb"content-length: (\d+)", head, re.IGNORECASE)
    return int(head.split(b" ", 2)[1]), await reader.readexactly(int(length[1]) if length else 0)


def list_processes(process: int) -> list[int]:
    """Return the server and the processes that it started."""
    children = Path(f"/proc/{process}/task").glob("*/children")
    return [process, *(int(number) for path in children for number in path.read_text().split())]


def read_memory(process: int) -> float:
    """Return the resident memory of the server with its processes in MB."""
    pages = [int(Path(f"/proc/{number}/statm").read_text().split()[1]) for number in list_processes(process)]
    return sum(pages) * os.sysconf("SC_PAGE_SIZE") / 1e6


def read_cpu(process: int) -> float:
    """Return the seconds of processor time that the server and its processes have used."""
    used = 0
    for number in list_processes(process):
        fields = Path(f"/proc/{number}/stat").read_text().rpartition(")")[2].split()
        used += int(fields[11]) + int(fields[12])
    return used / os.sysconf("SC_CLK_TCK")


async def watch_memory(process: int, seconds: float) -> list[float]:
    """Return the memory at the start, in the middle and at the end."""
    found = [read_memory(process)]
    for _ in range(2):
        await asyncio.sleep(seconds / 2)
        found.append(read_memory(process))
    return found


async def measure(port: int, process: int, rate: float, seconds: float, connections: int) -> dict[str, Any]:
    """Send the load, and return the figures."""
    await Load(port, rate, WARM_UP / rate, connections).run()
    load, cpu = Load(port, rate, seconds, connections), read_cpu(process)
    took, memory = await asyncio.gather(load.run(), watch_memory(process, seconds))
    used = read_cpu(process) - cpu
    answers = len(load.latencies)
    p50, p95, p99 = (1000 * quantile(load.latencies, q) for q in (0.5, 0.95, 0.99))
    return {
        "asked_a_second": rate,
        "answers": answers,
        "answers_a_second": round(answers / took, 1),
        "latency_ms": {
            "p50": round(p50, 1), "p95": round(p95, 1), "p99": round(p99, 1),
            "longest": round(1000 * max(load.latencies), 1),
        },
        "errors": load.errors,
        "memory_mb": dict(zip(("start", "middle", "end"), map(round, memory), strict=True)),
        "processor_ms_a_request": round(1000 * used / max(1, answers), 2),
        "is_held": not load.errors and took < seconds * 1.02,
        "core": describe_core(),
    }  # fmt: skip


def main() -> int:
    """Start a server, put load on it, and stop it."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rate", type=float, default=200.0, help="requests a second")
    parser.add_argument("--seconds", type=float, default=60.0)
    parser.add_argument("--connections", type=int, default=32)
    parser.add_argument("-o", "--output", type=Path, help="write the figures as JSON")
    given = parser.parse_args()
    command = [sys.executable, "-m", "steelyard", "serve", "--port", "0", "--rate", "0"]
    with subprocess.Popen(command, stderr=subprocess.PIPE, text=True) as server:
        assert server.stderr is not None  # noqa: S101 - for mypy
        port = int(re.search(r":(\d+)/", server.stderr.readline())[1])  # type: ignore[index]
        try:
            found = asyncio.run(measure(port, server.pid, given.rate, given.seconds, given.connections))
        finally:
            server.send_signal(signal.SIGTERM)
            server.wait(30)
    print(to_json(found))
    if given.output is not None:
        write_artifact(given.output, found)
    return 0 if found["is_held"] else 1


if __name__ == "__main__":
    sys.exit(main())
