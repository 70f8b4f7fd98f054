"""A place for one case: the tree that a command is started in, and around it what the command must leave alone."""

from __future__ import annotations

import hashlib
import json
import os
import shutil
import subprocess
from dataclasses import dataclass
from pathlib import Path

SENTENCE = "The harbour master of Port Ellis counted 1,204 arrivals in 2025, according to the Coastal Survey. "
HTML = f"<html><head><title>Tides</title></head><body><main><h1>Tides</h1><p>{SENTENCE * 12}</p></main></body></html>"
SECRET = "the-secret-of-another-directory"  # noqa: S105 - to see whether it is shown
# What a link may lead to; none of it may be opened.
FORBIDDEN = ("/etc/hostname", "/etc/shadow", "/proc/self/environ")


@dataclass(frozen=True)
class Place:
    """Directories of one case. `tree` is hostile, `outside` must not be read, the others are the user's own."""

    base: Path

    @property
    def tree(self) -> Path:
        return self.base / "tree"

    @property
    def outside(self) -> Path:
        return self.base / "outside"

    @property
    def home(self) -> Path:
        return self.base / "home"

    @property
    def mark(self) -> Path:
        """The file that hostile code writes when it is run."""
        return self.base / "RAN"

    def environment(self) -> dict[str, str]:
        """Return the variables of a careful user: home, temporary files, cache and store of their own."""
        folders = {"HOME": "home", "TMPDIR": "tmp", "STEELYARD_CACHE": "cache"}
        return {
            # The empty entry and the dot are mistakes that people make; programs of the tree must not run by them.
            "PATH": f"{os.defpath}::.:/usr/local/bin:/usr/bin:/bin",
            "LANG": "C.UTF-8",
            "STEELYARD_STORE": str(self.home / "store.sqlite"),
            "PYTHONDONTWRITEBYTECODE": "1",
            **{name: str(self.base / folder) for name, folder in folders.items()},
        }

    def hash_outside(self) -> str:
        """Return a hash of everything in the directory outside, names and contents."""
        found = hashlib.sha256()
        for path in sorted(self.outside.rglob("*")):
            found.update(os.fsencode(path) + b"\0" + (path.read_bytes() if path.is_file() else b""))
        return found.hexdigest()


def make_place(base: Path) -> Place:
    """Make the directories, with a few good pages, a corpus and a repository around them."""
    place = Place(base)
    for name in ("tree", "outside", "home", "tmp", "cache"):
        (base / name).mkdir(parents=True)
    write_pages(place.tree / "docs")
    write_pages(place.tree / "old")
    write_pages(place.outside / "pages")
    row = json.dumps({"text": SENTENCE * 30, "url": "https://example.org/a"})
    (place.tree / "corpus").mkdir()
    (place.tree / "corpus" / "rows.jsonl").write_text(f"{row}\n" * 3)
    labelled = (json.dumps({"text": SENTENCE * number, "label": number % 2}) for number in range(1, 13))
    (place.tree / "labels.jsonl").write_text("\n".join(labelled))
    (place.tree / "scores.csv").write_text("url,score\nhttps://a.org/x,61\nhttps://b.org/x,44\n")
    (place.tree / "steelyard.toml").write_text('as_of = "commit"\ndetect = true\n')
    (place.outside / "secret.md").write_text(f"# {SECRET}\n\n{SENTENCE * 9}")
    (place.outside / "weights.json").write_text(json.dumps({SECRET: 1}))
    (place.outside / "settings.toml").write_text(f'min_score = "{SECRET}"\n')
    (place.home / ".ssh").mkdir()
    (place.home / ".ssh" / "id_rsa").write_text(SECRET)
    for arguments in (("init", "-q", "-b", "main"), ("add", "-A"), ("commit", "-q", "-m", "pages")):
        run_git(place.tree, *arguments)
    (place.tree / "docs" / "a.md").write_text(f"# Boats\n\n{SENTENCE * 10}\n")
    return place


def write_pages(folder: Path) -> None:
    folder.mkdir(parents=True)
    (folder / "a.md").write_text(f"# Boats\n\n{SENTENCE * 9}\n\nThey are moored along the quay.\n")
    (folder / "b.html").write_text(HTML)
    (folder / "c.txt").write_text(SENTENCE * 5)


def run_git(folder: Path, *arguments: str) -> None:
    """Run git as somebody, without any settings of the machine."""
    who = {"GIT_AUTHOR_NAME": "A", "GIT_AUTHOR_EMAIL": "a@b", "GIT_COMMITTER_NAME": "A", "GIT_COMMITTER_EMAIL": "a@b"}
    environment = {"PATH": os.environ["PATH"], "GIT_CONFIG_GLOBAL": os.devnull, "GIT_CONFIG_NOSYSTEM": "1", **who}
    subprocess.run(["git", *arguments], cwd=folder, env=environment, check=True, capture_output=True)  # noqa: S607


def remove_place(place: Place) -> None:
    shutil.rmtree(place.base, ignore_errors=True)
