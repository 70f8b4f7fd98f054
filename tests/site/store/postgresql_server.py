"""A real PostgreSQL server for tests: installed where it is missing, started on a free port, removed at the end."""

from __future__ import annotations

import os
import pwd
import shutil
import socket
import subprocess
import tempfile
from pathlib import Path
from typing import Any

import pytest

PROGRAMS = Path("/usr/lib/postgresql")
ADVICE = "install the package `postgresql` (apt-get install postgresql) and start the tests again"


class Server:
    """A server in a folder of its own, owned by the user postgres, who alone may start it."""

    def __init__(self) -> None:
        self.programs = find_programs()
        self.folder = Path(tempfile.mkdtemp(prefix="steelyard-postgresql-"))
        self.user = None
        if os.geteuid() == 0:
            account = pwd.getpwnam("postgres")
            self.user = account.pw_uid
            os.chown(self.folder, account.pw_uid, account.pw_gid)
        with socket.socket() as probe:
            probe.bind(("127.0.0.1", 0))
            self.port = probe.getsockname()[1]
        self._databases = 0
        self.call("initdb", "--auth=trust", "--username=tester", "--encoding=UTF8", "--no-sync", "-D", self.data)
        self.start()

    @property
    def data(self) -> str:
        return str(self.folder / "data")

    def url(self, database: str = "postgres") -> str:
        return f"postgresql://tester@127.0.0.1:{self.port}/{database}"

    def make_database(self) -> str:
        """Make a new database, and return its URL."""
        self._databases += 1
        name = f"test{self._databases}"
        self.call("createdb", "-h", "127.0.0.1", "-p", str(self.port), "-U", "tester", name)
        return self.url(name)

    def start(self) -> None:
        options = f"-p {self.port} -c listen_addresses=127.0.0.1 -c unix_socket_directories='' -c fsync=off"
        log = str(self.folder / "log")
        self.call("pg_ctl", "-D", self.data, "-l", log, "-o", options, "-w", "-t", "60", "start")

    def stop(self) -> None:
        self.call("pg_ctl", "-D", self.data, "-m", "fast", "-w", "-t", "60", "stop")

    def remove(self) -> None:
        self.stop()
        shutil.rmtree(self.folder)

    def call(self, program: str, *arguments: str) -> None:
        as_user: dict[str, Any] = {} if self.user is None else {"user": self.user, "extra_groups": []}
        # To a file: the server inherits the output and would keep a pipe open.
        with open(self.folder / "calls", "ab") as output:
            done = subprocess.run(
                [str(self.programs / program), *arguments], cwd=self.folder, stdin=subprocess.DEVNULL, stdout=output,
                stderr=output, timeout=120, check=False, **as_user,
            )  # fmt: skip
        assert done.returncode == 0, (self.folder / "calls").read_text("utf-8", "replace")


def find_programs() -> Path:
    """Return the folder of the newest server, which is installed if there is none and we may."""
    if not list(PROGRAMS.glob("*/bin/initdb")):
        if os.geteuid() != 0 or shutil.which("apt-get") is None:
            pytest.skip(f"PostgreSQL is not installed; {ADVICE}")
        environment = {**os.environ, "DEBIAN_FRONTEND": "noninteractive"}
        command = ["apt-get", "install", "--yes", "--no-install-recommends", "postgresql"]
        done = subprocess.run(command, env=environment, capture_output=True, text=True, timeout=600, check=False)
        assert done.returncode == 0, f"{done.stderr[-500:]}; {ADVICE}"
    return max(PROGRAMS.glob("*/bin"), key=lambda path: int(path.parent.name))
