"""A copy of ./run that installs nothing: its python3 records what it is asked and plays `-m venv` and pip."""

import os
import shlex
import shutil
import signal
import subprocess
import sys
import time
from pathlib import Path

from tests.conftest import ROOT

TOOLS = (
    "bash",
    "cat",
    "chmod",
    "cmp",
    "cp",
    "dirname",
    "env",
    "grep",
    "head",
    "mkdir",
    "mv",
    "rm",
    "sed",
    "sleep",
    "tail",
)

# Files in the stand-in's directory switch its behaviour: no-venv, old, offline, altered, slow.
STAND_IN = """#!/usr/bin/env bash
here={here}
echo "$*" >>"$here/calls"
case "$*" in
  -V) if [ -e "$here/old" ]; then echo "Python 3.9.18"; else echo "Python 3.11.7"; fi ;;
  "-I -c"*3,\\ 11*) if [ -e "$here/old" ]; then exit 1; fi ;;
  "-I -c"*) exec {python} "$@" ;;
  "-I -m ensurepip"*) if [ -e "$here/no-venv" ]; then exit 1; fi ;;
  "-I -m venv"*)
    if [ -e "$here/no-venv" ]; then exit 1; fi
    rm -rf "$5" && mkdir -p "$5/bin" && cp "$0" "$5/bin/python"
    ;;
  *"pip install"*)
    cat >/dev/null  # a child that reads the input would swallow the piped page
    if [ -e "$here/offline" ]; then echo "ERROR: No matching distribution found for click==8"; exit 1; fi
    if [ -e "$here/altered" ]; then echo "ERROR: THESE PACKAGES DO NOT MATCH THE HASHES"; exit 1; fi
    if [ -e "$here/slow" ]; then : >"$here/installing"; sleep 0.4; fi
    case "$*" in *--editable*)
      printf '#!/usr/bin/env bash\\necho "$PWD" "$@"\\ncat\\n' >"$(dirname "$0")/steelyard"
      chmod +x "$(dirname "$0")/steelyard" ;;
    esac
    ;;
  *) echo "python $*" ;;
esac
"""


# There is no cargo on the PATH of these tests.
NO_CARGO = "steelyard: no cargo here, so the native core is not built; the Python code gives the same numbers\n"


class Checkout:
    """A copy of ./run and the locks, on a PATH that holds only what ./run may use."""

    def __init__(self, where: Path) -> None:
        self.root = where / "a checkout"  # the space is part of the test
        self.bin = where / "bin"
        self.environment: dict[str, str] = {}
        self.started: list[subprocess.Popen[str]] = []
        self.bin.mkdir(parents=True)
        self.root.mkdir()
        shutil.copy(ROOT / "run", self.root)
        shutil.copytree(ROOT / "requirements", self.root / "requirements")
        for tool in TOOLS:
            if path := shutil.which(tool):
                (self.bin / tool).symlink_to(path)
        self.program("python3", STAND_IN.format(here=shlex.quote(str(self.bin)), python=shlex.quote(sys.executable)))
        self.program("id", "#!/usr/bin/env bash\necho 1000\n")

    def program(self, name: str, text: str) -> None:
        (self.bin / name).write_text(text)
        (self.bin / name).chmod(0o755)

    def switch(self, name: str, on: bool = True) -> None:
        if on:
            (self.bin / name).touch()
        else:
            (self.bin / name).unlink()

    def start(self, *arguments: str, cwd: Path | None = None, program: str = "") -> subprocess.Popen[str]:
        env = {"PATH": str(self.bin), "HOME": str(self.bin), "LC_ALL": "C", **self.environment}
        process = subprocess.Popen(
            [program or str(self.root / "run"), *arguments],
            cwd=cwd,
            env=env,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            start_new_session=True,  # so that a test can interrupt it with all its children, as a terminal does
        )
        self.started.append(process)
        return process

    def close(self) -> None:
        """Leave no process behind, whatever the test did."""
        for process in self.started:
            if process.poll() is None:
                os.killpg(process.pid, signal.SIGKILL)
            process.communicate()

    def run(self, *arguments: str, cwd: Path | None = None, stdin: str = "") -> tuple[int, str, str]:
        process = self.start(*arguments, cwd=cwd)
        out, err = process.communicate(stdin, timeout=300)
        return process.returncode, out, err.replace(NO_CARGO, "")

    def installs(self) -> list[str]:
        """Return what pip was asked to install so far: a lock's name, or `steelyard`."""
        calls = (self.bin / "calls").read_text().splitlines()
        asked = [call for call in calls if "pip install" in call]
        return ["steelyard" if "--editable" in call else Path(call.split()[-1]).stem for call in asked]

    def wait_for(self, name: str) -> None:
        deadline = time.monotonic() + 200
        while not (self.bin / name).exists():
            assert time.monotonic() < deadline, f"{name} never appeared"
            time.sleep(0.02)
        (self.bin / name).unlink()
