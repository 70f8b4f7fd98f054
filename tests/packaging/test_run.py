"""./run: set-up happens once, from the locks, survives interruption, and says what to do when it cannot go on.

Nothing is installed here (checkout.py).
"""

import os
import re
import shlex
import shutil
import signal
import sys
from pathlib import Path

import pytest

from tests.packaging.checkout import NO_CARGO, Checkout


def test_set_up_happens_once_and_then_is_silent(checkout: Checkout):
    code, out, err = checkout.run("score", "x.md")
    assert (code, out.split()[-2:]) == (0, ["score", "x.md"])
    assert re.findall(r"set-up (\d)/4", err) == ["1", "2", "3", "4"]
    assert checkout.installs() == ["setup", "use", "steelyard"]
    assert checkout.run("score", "x.md")[2] == ""
    assert checkout.installs() == ["setup", "use", "steelyard"]


def test_other_arguments_reach_steelyard_in_the_callers_directory_with_its_input(checkout: Checkout, tmp_path: Path):
    elsewhere = tmp_path / "else where"
    elsewhere.mkdir()
    code, out, _ = checkout.run("score", "-", "a b", cwd=elsewhere, stdin="piped page")
    assert (code, out) == (0, f"{elsewhere.resolve()} score - a b\npiped page")


def test_the_development_level_is_added_to_the_one_below_or_needs_none(checkout: Checkout):
    checkout.run("score")
    _, _, err = checkout.run("bench")
    (line,) = err.splitlines()
    assert line.startswith("set-up 1/1: adding what the commands and the development tools need")
    assert checkout.installs() == ["setup", "use", "steelyard", "dev"]
    assert checkout.run("bench")[2] == checkout.run("score")[2] == ""
    shutil.rmtree(checkout.root / ".venv")
    (checkout.bin / "calls").unlink()
    checkout.run("bench")
    assert checkout.run("score")[2] == ""
    assert checkout.installs() == ["setup", "dev", "steelyard"]


def test_set_up_is_redone_when_a_lock_the_place_or_the_python_changes(checkout: Checkout):
    checkout.run("score")
    for lock in ("setup", "use"):
        with (checkout.root / "requirements" / f"{lock}.txt").open("a") as text:
            text.write("# changed\n")
        assert "set-up 1/4" in checkout.run("score")[2], lock
        assert checkout.run("score")[2] == ""
    checkout.root = checkout.root.rename(checkout.root.with_name("moved"))
    assert "set-up 1/4" in checkout.run("score")[2]
    python = checkout.root / ".venv" / "bin" / "python"
    python.write_text(python.read_text().replace("3.11.7", "3.12.1"))
    assert "set-up 1/4" in checkout.run("score")[2]


def change_the_lock(checkout: Checkout) -> None:
    for path in (checkout.root / "requirements").glob("*.txt"):
        path.write_text(path.read_text() + "# changed\n")


@pytest.mark.parametrize(("highest", "lock"), [("bench", "dev"), ("falsify", "use")])
def test_a_changed_lock_rebuilds_the_highest_level_that_was_there(checkout: Checkout, highest: str, lock: str):
    checkout.run(highest)
    change_the_lock(checkout)
    assert "set-up 1/4" in checkout.run("demo")[2]
    assert checkout.installs()[3:] == ["setup", lock, "steelyard"]
    assert checkout.run(highest)[2] == ""
    assert not (checkout.root / ".cache" / "setup.level").exists()


def test_a_rebuild_that_fails_does_not_forget_the_level(checkout: Checkout):
    checkout.run("bench")
    change_the_lock(checkout)
    checkout.switch("offline")
    assert checkout.run("score")[0] == 2
    checkout.switch("offline", False)
    assert "once, into .venv: what the commands and the development tools need" in checkout.run("score")[2]
    assert checkout.run("bench")[2] == ""


def test_a_rebuild_builds_the_native_core_again_or_says_that_it_cannot(checkout: Checkout):
    assert NO_CARGO not in checkout.start("docs").communicate()[1]
    (checkout.root / ".cache" / "core").mkdir()  # it was built once
    change_the_lock(checkout)
    assert NO_CARGO in checkout.start("docs").communicate()[1]
    assert NO_CARGO not in checkout.start("docs").communicate()[1]


def test_a_level_that_was_never_there_is_not_set_up_for_another(checkout: Checkout):
    checkout.run("score")
    checkout.switch("offline")
    assert checkout.run("bench")[0] == 2  # the tools cannot be installed, which must not keep the others from working
    checkout.switch("offline", False)
    assert "once, into .venv: what the commands need" in checkout.run("score")[2]
    checkout.run("bench")
    shutil.rmtree(checkout.root / ".venv")
    assert "once, into .venv: what the commands need" in checkout.run("score")[2]


@pytest.mark.parametrize(
    ("sent", "level"), [(signal.SIGINT, "score"), (signal.SIGTERM, "bench"), (signal.SIGKILL, "score")]
)
def test_an_interrupted_set_up_is_started_again(checkout: Checkout, sent: signal.Signals, level: str):
    checkout.run("score")
    if level == "score":
        for stamp in (checkout.root / ".venv").glob("ready-*"):
            stamp.unlink()
    checkout.switch("slow")
    process = checkout.start(level)
    checkout.wait_for("installing")
    os.killpg(process.pid, sent)
    assert process.wait(100) != 0
    assert not list((checkout.root / ".venv").glob("ready-*"))
    checkout.switch("slow", False)
    code, _, err = checkout.run(level)
    assert code == 0
    assert "set-up 1/4" in err
    assert checkout.run(level)[2] == ""


def test_two_runs_at_once_share_one_set_up(checkout: Checkout):
    checkout.switch("slow")
    first = checkout.start("score", "first")
    checkout.wait_for("installing")
    second = checkout.start("score", "second")
    (out_1, err_1), (out_2, err_2) = first.communicate(timeout=300), second.communicate(timeout=300)
    assert (first.returncode, second.returncode) == (0, 0)
    assert (out_1.split()[-1], out_2.split()[-1]) == ("first", "second")
    assert "set-up 1/4" in err_1
    assert err_2.splitlines() == ["set-up: waiting for another ./run to finish it"]
    assert checkout.installs() == ["setup", "use", "steelyard"]


def test_a_set_up_that_lost_its_parent_is_waited_for(checkout: Checkout):
    checkout.switch("slow")
    process = checkout.start("score")
    checkout.wait_for("installing")
    process.kill()  # the script alone; pip goes on
    code, _, err = checkout.run("score")
    assert code == 0
    assert "waiting" in err


def test_an_old_or_missing_python_is_refused_and_a_newer_one_beside_it_found(checkout: Checkout):
    stand_in = (checkout.bin / "python3").read_text()
    checkout.switch("old")
    code, _, err = checkout.run("score")
    assert code == 2
    assert "needs Python 3.11 or newer" in err
    assert "Python 3.9.18" in err
    checkout.switch("old", False)
    (checkout.bin / "python3").unlink()
    code, _, err = checkout.run("score")
    assert code == 2
    assert "there is no python3" in err
    assert "apt-get install python3 python3-venv" in err
    checkout.program("python3.12", stand_in)
    checkout.program("python3", "#!/usr/bin/env bash\nexit 1\n")
    assert checkout.run("score")[0] == 0


def test_a_missing_venv_module_names_the_package_to_a_user(checkout: Checkout):
    checkout.switch("no-venv")
    code, _, err = checkout.run("score")
    version = "{}.{}".format(*sys.version_info[:2])
    assert code == 2
    assert f"apt-get install python{version}-venv" in err
    assert not (checkout.root / ".venv" / "ready-use").exists()


def apt_get(checkout: Checkout, *, works_after: str, knows: str, does: str) -> None:
    """A stand-in for apt-get that knows one package, once `works_after` was called."""
    checkout.program("id", "#!/usr/bin/env bash\necho 0\n")
    checkout.program(
        "apt-get",
        f"""#!/usr/bin/env bash
cd {shlex.quote(str(checkout.bin))}
echo "$*" >>apt-calls
if [ "$1" = update ]; then : >apt-updated; exit 0; fi
if [ "{works_after}" = update ] && [ ! -e apt-updated ]; then exit 100; fi
for last; do :; done
if [ "$last" = "{knows}" ]; then {does}; else exit 100; fi
""",
    )


@pytest.mark.parametrize(("works_after", "package"), [("nothing", "matched"), ("update", "python3-venv")])
def test_a_missing_venv_module_is_installed_by_root(checkout: Checkout, works_after: str, package: str):
    matched = "python{}.{}-venv".format(*sys.version_info[:2])
    checkout.switch("no-venv")
    apt_get(checkout, works_after="nothing", knows="no such package", does="true")
    code, _, err = checkout.run("score")
    assert code == 2
    assert "apt-get could not supply it" in err
    (checkout.bin / "apt-calls").unlink()
    (checkout.bin / "apt-updated").unlink(missing_ok=True)
    apt_get(checkout, works_after=works_after, knows=package.replace("matched", matched), does="rm no-venv")
    code, _, err = checkout.run("score")
    assert code == 0
    assert f"installing {matched} with apt-get" in err
    # The matched name is tried first; with it known at once, the lists are not fetched.
    calls = (checkout.bin / "apt-calls").read_text().splitlines()
    assert calls[0].endswith(matched)
    assert len(calls) == 1 or package != "matched"


def test_missing_python_is_installed_by_root(checkout: Checkout):
    python = checkout.bin / "python3"
    python.rename(checkout.bin / "kept")
    apt_get(checkout, works_after="update", knows="python3", does="mv kept python3")
    code, _, err = checkout.run("score")
    assert code == 0
    assert "installing python3 with apt-get" in err


@pytest.mark.parametrize(
    ("trouble", "said"), [("offline", "could not be reached"), ("altered", "not the one in the lock")]
)
def test_a_failed_download_says_what_to_do_and_keeps_the_log(checkout: Checkout, trouble: str, said: str):
    checkout.switch(trouble)
    code, _, err = checkout.run("score")
    log = checkout.root / ".cache" / "setup.log"
    assert code == 2
    assert said in err
    assert str(log) in err
    assert "ERROR" in log.read_text()
    checkout.switch(trouble, False)
    assert checkout.run("score")[0] == 0


def test_the_first_line_says_what_is_installed_and_how_long_that_takes(checkout: Checkout):
    lock = (checkout.root / "requirements" / "use.txt").read_text()
    code, _, err = checkout.run("falsify")
    assert code == 0
    needed = "what the commands need, from HTML to the laboratory"
    packages = len(re.findall(r"^[a-z0-9.-]+==", lock, re.MULTILINE))
    assert err.splitlines()[0] == f"set-up: once, into .venv: {needed} ({packages} packages, about a minute)"


def test_what_scores_no_page_of_yours_needs_the_scorer_alone(checkout: Checkout):
    for command in ("demo", "help", "--help", "--version", "core"):
        shutil.rmtree(checkout.root / ".venv", ignore_errors=True)
        (checkout.bin / "calls").unlink(missing_ok=True)
        checkout.run(command)
        assert checkout.installs() == ["setup", "scorer", "steelyard"], command
    assert "set-up 1/1: adding what the commands need" in checkout.run("score")[2]
    assert checkout.installs() == ["setup", "scorer", "steelyard", "use"]


MANY_PAGES = ("filter", "reproduce", "protocol", "gaming", "ranking", "lab reproduce", "lab ranking", "bench", "core")
FEW_PAGES = ("falsify", "outcome", "verify", "mcp", "score", "demo", "lab falsify", "lab", "--version", "docs")


def test_the_native_core_is_built_where_many_pages_are_scored(checkout: Checkout):
    (checkout.root / "core").mkdir()
    checkout.program("cargo", f"#!/bin/sh\n: >{shlex.quote(str(checkout.bin / 'built'))}\n")
    for commands, is_built in ((FEW_PAGES, False), (MANY_PAGES, True)):
        for command in commands:
            assert checkout.run(*command.split())[0] == 0
            assert (checkout.bin / "built").exists() == is_built, command
            (checkout.bin / "built").unlink(missing_ok=True)


def test_a_checkout_without_cargo_says_so_and_goes_on(checkout: Checkout):
    checkout.run("demo")
    process = checkout.start("core")
    assert process.communicate(timeout=300) == ("", NO_CARGO)
    assert process.returncode == 0


def test_every_stage_runs_and_one_failure_fails_the_whole_and_an_unknown_option_is_refused(checkout: Checkout):
    checkout.run("bench")
    for tool, code in (("ruff", 0), ("mypy", 1), ("pytest", 0)):
        path = checkout.root / ".venv" / "bin" / tool
        path.write_text(f'#!/usr/bin/env bash\necho "{tool} was given: $*"\nexit {code}\n')
        path.chmod(0o755)
    code, out, _ = checkout.run("test", "--all", "--", "-k", "two words")
    assert code == 1
    assert re.search(r"format +ok", out)
    assert re.search(r"types +FAILED", out)
    assert re.search(r"pytest +ok", out)
    processes = (os.cpu_count() or 1) + 1
    assert f"pytest was given: -n {processes} --dist worksteal -m  -k two words" in out
    code, _, err = checkout.run("test", "--fast")
    assert code == 2
    assert "--fast" in err
