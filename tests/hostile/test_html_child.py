"""The process that extracts HTML: what kills it costs its page alone, and it never outlives its parent."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import threading
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from datetime import date
from pathlib import Path

import pytest

pytest.importorskip("trafilatura", reason="HTML needs the extra `html`")
if os.name != "posix":
    pytest.skip("signals and limits are tested where they exist", allow_module_level=True)

from steelyard.errors import ExtractionFailed
from steelyard.inputs.page_ref import PageRef
from steelyard.pipeline import PageResult, analyse_all
from steelyard.settings import Settings
from steelyard.support.artifacts import to_json
from steelyard.text import html
from steelyard.text.dates import DateWords
from steelyard.text.html import backstop, supervisor
from steelyard.text.html.extraction import extract_here
from steelyard.text.html.supervisor import Supervisor, extract_in_child
from tests.conftest import ROOT
from tests.hostile.pages import wait_until

WAIT = 60  # seconds, against hangs
GOOD = "<html><body><article><p>The keeper of the gauge wrote the level of the tide into the ledger.</p></article>"

# The child as it is, but that some words on a page make it misbehave, and that its limits are low.
MISBEHAVING = """
import os, time
from steelyard.text.html import backstop, extraction
backstop.CPU_SECONDS = 1
backstop.MEMORY_BYTES = 600 << 20
extract = extraction.extract_here

def misbehave(source, *others):
    if "SPIN" in source:
        while True:
            pass
    if "HOARD" in source:
        raise MemoryError
    if "GROW" in source:
        hoard = []
        while True:
            hoard.append(bytearray(20_000_000))
    if "ABORT" in source:
        os.abort()
    if "LEAVE" in source:
        os._exit(7)
    if "BUG" in source:
        raise KeyError("planted")
    if "SLEEP" in source:
        time.sleep(600)
    if "PRINT" in source:
        print("noise", flush=True)
        os.write(1, b"more noise")
    return extract(source, *others)

extraction.extract_here = misbehave
from steelyard.text.html.child import main
main()
"""


@pytest.fixture
def child(monkeypatch: pytest.MonkeyPatch) -> Iterator[Supervisor]:
    """A supervisor whose children misbehave on request; it serves all of this process."""
    own = Supervisor()
    monkeypatch.setattr(supervisor, "_PROGRAM", MISBEHAVING)
    monkeypatch.setattr(supervisor, "_supervisor", own)
    yield own
    own.stop()


def page(words: str) -> str:
    return GOOD.replace("The keeper", f"{words} The keeper")


@pytest.mark.usefixtures("child")
def test_a_page_that_kills_the_extractor_is_an_error_and_the_next_is_read() -> None:
    expected = extract_here(GOOD)
    for word, reason in {
        "SPIN": "took more than 60 seconds of processor time",
        "HOARD": "needs more than 600 MB of memory",
        "GROW": "needs more than 600 MB of memory",
        "ABORT": "signal 6",
        "LEAVE": "exit code 7",
    }.items():
        with pytest.raises(ExtractionFailed, match=reason):
            html.extract(page(word))
        assert html.extract(GOOD) == expected, word


def test_a_bug_in_the_child_is_reported_as_one_and_the_child_goes_on(child: Supervisor) -> None:
    expected = html.extract(GOOD)
    for _ in range(2):
        with pytest.raises(RuntimeError, match="KeyError: 'planted'"):
            html.extract(page("BUG"))
        assert html.extract(GOOD) == expected


def test_a_child_that_does_not_answer_is_killed(child: Supervisor, monkeypatch: pytest.MonkeyPatch) -> None:
    expected = html.extract(GOOD)
    monkeypatch.setattr(backstop, "WALL_SECONDS", 0.5)
    with pytest.raises(ExtractionFailed, match="gave no answer"):
        html.extract(page("SLEEP"))
    monkeypatch.undo()
    assert extract_here(GOOD) == expected


def test_processor_time_is_counted_for_each_page(child: Supervisor) -> None:
    html.extract(GOOD)
    first = child._child
    for number in range(40):  # together far more than the second that one page may take
        html.extract(GOOD.replace("<p>", f"<p>{number} " + "many words " * 20_000))
    assert child._child is first


def test_what_libraries_print_does_not_reach_the_answers(child: Supervisor) -> None:
    assert "The keeper" in html.extract(page("PRINT")).markdown
    assert html.extract(GOOD) == extract_here(GOOD)


def test_a_child_that_died_while_idle_is_replaced(child: Supervisor) -> None:
    expected = html.extract(GOOD)
    first = child._child
    assert first is not None
    first.kill()
    first.wait()
    assert html.extract(GOOD) == expected


def test_after_an_interruption_no_answer_is_taken_for_that_of_another_page(child: Supervisor) -> None:
    html.extract(GOOD)
    main = threading.main_thread().ident
    assert main is not None
    timer = threading.Timer(0.3, signal.pthread_kill, (main, signal.SIGINT))
    timer.start()
    with pytest.raises(KeyboardInterrupt):
        html.extract(page("SLEEP"))
    assert html.extract(GOOD) == extract_here(GOOD)


def test_refusals_and_results_are_the_same_as_in_this_process() -> None:
    deep = "<html><body>" + "<div>" * 150 + "deep"
    with pytest.raises(ExtractionFailed) as there:
        extract_in_child(deep, html.DEFAULT_LIMITS, DateWords(), None)
    with pytest.raises(ExtractionFailed) as here:
        extract_here(deep)
    assert str(there.value) == str(here.value)
    odd = "<html><title>\u2028 é 😀</title><time datetime=2020-01-02>x</time><p>a &#55296; b \u202e c</p>"
    assert html.extract(odd) == extract_here(odd)


def test_without_a_child_pages_are_read_in_this_process(monkeypatch: pytest.MonkeyPatch) -> None:
    for executable in ("", "/nowhere/python", "/bin/true"):
        own = Supervisor()
        monkeypatch.setattr(supervisor, "_supervisor", own)
        monkeypatch.setattr(sys, "executable", executable)
        assert html.extract(GOOD) == extract_here(GOOD)
        assert own._child is None, executable


def test_a_python_without_our_packages_is_not_asked_again(monkeypatch: pytest.MonkeyPatch) -> None:
    own = Supervisor()
    monkeypatch.setattr(supervisor, "_supervisor", own)
    monkeypatch.setattr(supervisor, "_PROGRAM", "import steelyard_that_is_not_there")
    assert html.extract(GOOD) == extract_here(GOOD)
    monkeypatch.setattr(subprocess, "Popen", None)
    assert html.extract(GOOD) == extract_here(GOOD)


def test_threads_take_turns() -> None:
    pages = [GOOD.replace("The keeper", f"The keeper {number}") for number in range(24)]
    with ThreadPoolExecutor(4) as pool:
        found = list(pool.map(html.extract, pages))
    assert found == [extract_here(one) for one in pages]


def test_pages_that_kill_the_extractor_cost_themselves_alone(child: Supervisor) -> None:
    settings = Settings.resolve(as_of=date(2026, 7, 1))
    good = [PageRef(f"good {number}", text=page(f"Note {number}.")) for number in range(12)]
    deadly = [PageRef(word, text=page(word)) for word in ("ABORT", "HOARD", "ABORT")]
    mixed = [deadly[0], *good[:5], deadly[1], good[5], deadly[2], *good[6:]]
    found, alone = list(analyse_all(mixed, settings)), list(analyse_all(good, settings))
    scored = [to_json(each.to_dict()) for each in found if isinstance(each, PageResult)]
    assert scored == [to_json(each.to_dict()) for each in alone if isinstance(each, PageResult)]
    assert len(scored) == 12
    errors = [each for each in found if not isinstance(each, PageResult)]
    assert [each.source for each in errors] == ["ABORT", "HOARD", "ABORT"]


def run(code: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, cwd=ROOT, timeout=WAIT, check=False
    )


def test_a_forked_process_has_a_child_of_its_own() -> None:
    code = (
        "import os\nfrom steelyard.text import html\nfrom steelyard.text.html import supervisor\n"
        f"page = {GOOD!r}\nfirst = html.extract(page)\nbefore = supervisor._supervisor._child.pid\n"
        "pid = os.fork()\nif pid == 0:\n"
        "    same = html.extract(page) == first and supervisor._supervisor._child.pid != before\n"
        "    supervisor._supervisor.stop()\n    os._exit(0 if same else 1)\n"
        "assert os.waitpid(pid, 0)[1] == 0\nassert html.extract(page) == first\n"
        "assert supervisor._supervisor._child.pid == before\nprint('fine')"
    )
    done = run(code)
    assert (done.stdout, done.stderr) == ("fine\n", "")


def is_running(pid: int) -> bool:
    try:
        state = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0]
    except OSError:
        return False
    return state != "Z"


@pytest.mark.skipif(not Path("/proc/self/stat").exists(), reason="looks for processes in /proc")
@pytest.mark.parametrize(
    ("word", "sent"),
    [
        ("SPIN", signal.SIGKILL),
        ("SPIN", signal.SIGTERM),
        ("nothing", signal.SIGKILL),
        ("nothing", signal.SIGINT),
        ("nothing", None),
    ],
    ids=str,
)
def test_no_child_outlives_its_parent(word: str, sent: signal.Signals | None) -> None:
    code = (
        "import sys, threading, time\nfrom steelyard.text import html\nfrom steelyard.text.html import supervisor\n"
        f"supervisor._PROGRAM = {MISBEHAVING.replace('CPU_SECONDS = 1', 'CPU_SECONDS = 600')!r}\n"
        f"html.extract({GOOD!r})\nprint(supervisor._supervisor._child.pid, flush=True)\n"
    )
    if word == "SPIN":
        code += f"threading.Thread(target=html.extract, args=({page(word)!r},), daemon=True).start()\ntime.sleep(0.3)\n"
    code += "print('busy', flush=True)\n" + ("time.sleep(600)" if sent is not None else "import os; os._exit(0)")
    parent = subprocess.Popen([sys.executable, "-c", code], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, cwd=ROOT)
    assert parent.stdout is not None
    pid = int(parent.stdout.readline())
    assert parent.stdout.readline() == b"busy\n"
    if sent is not None:
        assert is_running(pid)
        parent.send_signal(sent)
    parent.wait(WAIT)
    parent.stdout.close()
    assert wait_until(lambda: not is_running(pid), WAIT)
