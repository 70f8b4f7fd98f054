"""Audit the locked dependencies for known vulnerabilities, and list them for a release.

./run vulnerabilities                     asks OSV, the database of open-source advisories, over the network
./run vulnerabilities --database FOLDER   offline: FOLDER holds OSV's export for PyPI, as JSON files or all.zip
./run vulnerabilities --sbom FILE         writes the scorer's dependencies as a CycloneDX document

pip-audit does the audit and cyclonedx-bom the list, in an environment of their own, installed by hash.
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
import threading
import zipfile
from collections import defaultdict
from collections.abc import Iterator, Mapping
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

from steelyard.errors import SteelyardError
from steelyard.lab.scorers.peers.environments import prepare_environment

ROOT = Path(__file__).resolve().parent.parent
LOCKS = ("setup.txt", "core.txt", "dev.txt", "release.txt")  # that for development holds all that users install
MAX_QUERY_BYTES = 10_000  # bytes

Advisories = Mapping[str, list[dict[str, Any]]]  # by package


def prepare_tools() -> str:
    """Return the interpreter of the environment with both tools."""
    return str(prepare_environment("release", (ROOT / "requirements" / "release.txt").read_text("utf-8")))


def audit(python: str, *options: str) -> int:
    """Audit every lock; return 1 if there is a vulnerability, 2 if a package could not be audited."""
    worst = 0
    for name in LOCKS:
        print(f"audit: requirements/{name}", file=sys.stderr, flush=True)
        lock = ROOT / "requirements" / name
        command = [
            python,
            "-m",
            "pip_audit",
            "--requirement",
            str(lock),
            "--disable-pip",
            "--require-hashes",
            "--strict",
        ]
        done = subprocess.run(
            [*command, "--progress-spinner", "off", "--vulnerability-service", "osv", *options],
            capture_output=True, text=True, check=False,
        )  # fmt: skip
        found = done.returncode == 1 and "Fix Versions" in done.stdout
        sys.stdout.write(done.stdout if found else "")
        if done.returncode and not found:
            reason = (done.stderr.strip().splitlines() or ["no reason given"])[-1][:300]
            print(f"audit: {name} could not be audited: {reason}; without a network use --database", file=sys.stderr)
        worst = max(worst, 1 if found else 2 if done.returncode else 0)
    return worst


def read_database(folder: Path) -> Advisories:
    """Read OSV's export: the advisories for each package of PyPI."""
    found: dict[str, list[dict[str, Any]]] = defaultdict(list)
    for advisory in _read_files(folder):
        for package in {a.get("package", {}).get("name", "") for a in advisory.get("affected", [])}:
            found[_normalise(package)].append(advisory)
    if not found:
        raise SteelyardError(f"{folder}: holds no advisories; unpack OSV's export for PyPI there, or put its all.zip")
    return found


def _read_files(folder: Path) -> Iterator[dict[str, Any]]:
    for path in sorted(folder.glob("*.json")):
        yield json.loads(path.read_bytes())
    for path in sorted(folder.glob("*.zip")):
        with zipfile.ZipFile(path) as archive:
            for name in sorted(archive.namelist()):
                if name.endswith(".json"):
                    yield json.loads(archive.read(name))


def _normalise(name: str) -> str:
    return name.lower().replace("_", "-").replace(".", "-")


def answer(advisories: Advisories, query: Mapping[str, Any]) -> dict[str, Any]:
    """Return what OSV answers for a package and version: the advisories that list it."""
    name, version = _normalise(query["package"]["name"]), query["version"]
    hits = [
        advisory
        for advisory in advisories.get(name, [])
        if any(
            _normalise(affected.get("package", {}).get("name", "")) == name and version in affected.get("versions", [])
            for affected in advisory["affected"]
        )
    ]
    return {"vulns": hits} if hits else {}


def serve(advisories: Advisories) -> ThreadingHTTPServer:
    """Answer as OSV does, on loopback."""

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            length = min(int(self.headers.get("Content-Length") or 0), MAX_QUERY_BYTES)
            body = json.dumps(answer(advisories, json.loads(self.rfile.read(length)))).encode()
            self.send_response(200)
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, *arguments: Any) -> None:
            pass

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    return server


def write_sbom(python: str, target: str) -> int:
    """Write what the scorer is made of, from its lock; the same lock gives the same bytes."""
    lock = ROOT / "requirements" / "scorer.txt"
    command = [python, "-m", "cyclonedx_py", "requirements", str(lock), "--pyproject", str(ROOT / "pyproject.toml")]
    options = ["--output-reproducible", "--output-format", "JSON", "--output-file", target]
    return subprocess.run([*command, *options], check=False).returncode


def main() -> int:
    """Run the command."""
    parser = argparse.ArgumentParser(prog="./run vulnerabilities", description=(__doc__ or "").split("\n", 1)[0])
    parser.add_argument("--database", type=Path, metavar="FOLDER", help="OSV's export for PyPI; no network is used")
    parser.add_argument("--sbom", metavar="FILE", help="write the list of dependencies instead")
    arguments = parser.parse_args()
    try:
        python = prepare_tools()
        if arguments.sbom:
            return write_sbom(python, arguments.sbom)
        if arguments.database is None:
            return audit(python)
        server = serve(read_database(arguments.database))
        return audit(python, "--osv-url", f"http://127.0.0.1:{server.server_port}/v1/query")
    except SteelyardError as error:
        print(f"audit: {error}", file=sys.stderr)
        return 2


if __name__ == "__main__":
    sys.exit(main())
