"""The locks: every package pinned and hashed, and no trace of the machine or index they were made with."""

import re
import tomllib
from itertools import pairwise

from tests.conftest import ROOT
from tools.lock import PROJECT

LOCKS = tuple(sorted(path.stem for path in (ROOT / "requirements").glob("*.txt")))

USED = ("html", "lsp", "mcp", "site", "web", "bulk", "lab", "rank")
DEVELOPMENT = ("postgresql", "rank-models")
UNLOCKED = ("native", "engines")  # built by cargo; chosen by whoever has a model


def pins(lock: str) -> dict[str, str]:
    """Name to version; a lock whose lines are not all understood is an error, not a shorter dictionary."""
    text = (ROOT / "requirements" / f"{lock}.txt").read_text()
    lines = [line for line in text.replace("\\\n", " ").splitlines() if not line.lstrip().startswith("#")]
    found = {}
    for line in lines:
        match = re.fullmatch(r"([a-z0-9-]+)==(\S+)( ; [^-]+?)?((?:\s+--hash=sha256:[0-9a-f]{64})+)\s*", line)
        assert match, f"{lock}.txt: not a pinned and hashed requirement: {line[:120]}"
        found[match[1]] = match[2]
    assert found
    return found


def normal(requirement: str) -> str:
    """The name of a requirement as locks spell it."""
    return re.sub(r"[-_.]+", "-", re.split(r"[^\w.-]", requirement)[0]).lower()


def test_a_lock_names_no_index_and_no_path_of_a_machine():
    for lock in LOCKS:
        text = (ROOT / "requirements" / f"{lock}.txt").read_text()
        assert not re.search(r"://|--(extra-)?index|--find-links|--trusted-host|(^|\s)/\w", text), lock
        assert pins(lock)


def test_the_locks_cover_what_the_project_declares():
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())
    scorer = project["project"]["dependencies"]
    extras = project["project"]["optional-dependencies"]
    used = [name for extra in USED for name in extras[extra]]
    development = [name for extra in DEVELOPMENT for name in extras[extra]] + project["dependency-groups"]["dev"]
    assert extras.keys() == {*USED, *DEVELOPMENT, *UNLOCKED}
    assert {normal(name) for name in scorer} <= pins("scorer").keys()
    assert {normal(name) for name in scorer + used} <= pins("use").keys()
    assert {normal(name) for name in scorer + used + development} <= pins("dev").keys()
    assert {"pip", *map(normal, project["build-system"]["requires"])} <= pins("setup").keys()
    core = tomllib.loads((ROOT / "core" / "pyproject.toml").read_text())
    assert set(map(normal, core["build-system"]["requires"])) <= pins("core").keys()


def test_the_scorer_lock_holds_nothing_of_the_extras_and_no_word_list_of_another_package():
    """The word tables are in the package, so no other release can change a score."""
    extras = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]["optional-dependencies"]
    assert not {normal(name) for names in extras.values() for name in names} & pins("scorer").keys()
    assert not {"wordfreq", "msgpack", "ftfy"} & pins("scorer").keys()


def test_no_two_locks_disagree_about_a_version():
    """All of them go into one .venv, one after the other."""
    assert tuple(PROJECT) == ("scorer", "html", "site", "use", "dev")
    for smaller, larger in pairwise(PROJECT):
        assert pins(smaller).items() <= pins(larger).items()
    for lock in ("scorer", "dev"):
        small, large = pins("setup"), pins(lock)
        assert all(small[name] == large[name] for name in small.keys() & large.keys())
