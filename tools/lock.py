"""Resolve the dependencies again into the locks, each package with the hashes of its files.

./run lock              keeps the versions that are locked where they still fit
./run lock --upgrade    takes the newest ones; further options go to `uv pip compile`
"""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
UV = Path(sys.executable).with_name("uv")

# What is installed from pyproject.toml: the scorer alone (for the demo), html (the GitHub Action), site (the image),
# use (what any command imports) and dev. Each contains the one before it and is constrained by its versions.
PROJECT = {
    "scorer": (),
    "html": ("--extra", "html"),
    "site": ("--extra", "lsp", "--extra", "mcp", "--extra", "site", "--extra", "web"),
    "use": ("--extra", "bulk", "--extra", "lab", "--extra", "rank"),
    "dev": ("--extra", "postgresql", "--extra", "rank-models", "--group", "dev"),
}
# Environments apart from .venv, and what makes .venv: each FILE.in is resolved into FILE.txt.
APART = ("requirements/*.in", "tests/locks/*.in", "tests/oracles/*.in")
# Environments of others, of which nothing but the pinned packages is installed: only the hashes are written again.
PINNED = ("benchmarks/locks/*.txt", "tests/corpora/engines/locks/*.txt", "steelyard/lab/scorers/peers/adapters/*.txt")
# Two weeks give a broken or hijacked release time to be withdrawn before it is pinned here.
RESOLVE = ("--fork-strategy", "fewest", "--custom-compile-command", "./run lock", "--exclude-newer", "14 days")
REHASH = ("--no-deps", "--no-header", "--no-annotate", "--emit-build-options")


def compile_lock(lock: str, *options: str, python: str = "3.11") -> None:
    """Write one lock; the paths are relative, because uv writes them into the file."""
    print(lock, file=sys.stderr, flush=True)
    command = [str(UV), "pip", "compile", "--quiet", "--universal", "--generate-hashes", "--python-version", python]
    subprocess.run([*command, *options, "-o", lock], cwd=ROOT, stdout=subprocess.DEVNULL, check=True)


def find_files(*patterns: str) -> list[str]:
    """Return the files of this checkout that match, relative to it."""
    return sorted(path.relative_to(ROOT).as_posix() for pattern in patterns for path in ROOT.glob(pattern))


def find_index() -> str:
    """Return the package index of pip's configuration, which uv does not read; "" without one."""
    pip = [sys.executable, "-I", "-m", "pip", "config", "get", "global.index-url"]
    configured = subprocess.run(pip, capture_output=True, text=True, check=False)
    return os.environ.get("PIP_INDEX_URL") or configured.stdout.strip()


def main() -> int:
    """Run the command."""
    chosen = (*RESOLVE, *sys.argv[1:])
    if index := find_index():
        os.environ.setdefault("UV_DEFAULT_INDEX", index)
    try:
        for source in find_files(*APART):
            compile_lock(source.removesuffix("in") + "txt", source, *chosen)
        extras: tuple[str, ...] = ()
        below: tuple[str, ...] = ()
        for name, added in PROJECT.items():
            lock = f"requirements/{name}.txt"
            extras += added
            compile_lock(lock, "pyproject.toml", *extras, *below, *chosen)
            below = ("-c", lock)
        for lock in find_files(*PINNED):
            compile_lock(lock, lock, *REHASH, python="3.11.5")  # what a pinned soupsieve needs
    except subprocess.CalledProcessError as error:
        return int(error.returncode)
    return 0


if __name__ == "__main__":
    sys.exit(main())
