"""The queue of audits: one runs, some wait, all can be stopped, and what the child says is shown."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import pytest

from steelyard.web import audits
from steelyard.web.audits import MAX_ENDED, MAX_WAITING, build_command
from tests.packaging.hostile import list_imported, plant_modules
from tests.web.conftest import TOKEN

URL = "https://example.org/"
# A child that says what an audit says, and waits for the file `end` beside it; the signal that stops audits stops it.
CHILD = """
import json, os, pathlib, signal, sys, time
folder = pathlib.Path(sys.argv[1])
number = len(list(folder.glob("started-*")))
(folder / f"started-{number}").write_text(json.dumps({"pid": os.getpid(), "arguments": sys.argv[2:],
    "token": os.environ.get("STEELYARD_TOKEN"), "store": os.environ.get("STEELYARD_STORE")}))
def say(**event): print(json.dumps(event), file=sys.stderr, flush=True)
def stop(*_): say(event="error", message="interrupted"); sys.exit(130)
signal.signal(signal.SIGTERM, stop)
say(event="started", audit=17, site="example.org", resumed=True)
print("not JSON at all \\x1b[31m", file=sys.stderr, flush=True)
print("x" * 200_000, file=sys.stderr, flush=True)
say(event="progress", finished=12, known=40, seconds_left=35.0)
while not (folder / "end").exists(): time.sleep(0.02)
if (folder / "fail").exists(): print("steelyard: the <b>store</b> is locked", file=sys.stderr); sys.exit(2)
say(event="ended", audit=17, state="done", pages=3, mean=61.5)
"""


@pytest.fixture
def child(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The folder of a child that stands for the command; addresses are taken for public ones."""

    async def take_any(url: str) -> None:
        pass

    (tmp_path / "child.py").write_text(CHILD)
    monkeypatch.setattr(audits, "check_public", take_any)

    def build(url: str, most: int, private: bool, edition: str) -> list[str]:
        return [sys.executable, str(tmp_path / "child.py"), str(tmp_path), url, str(most), str(private), edition]

    monkeypatch.setattr(audits, "build_command", build)
    return tmp_path


def wait_for(client, number: int, state: str) -> dict[str, Any]:
    for _ in range(5_000):
        entry: dict[str, Any] = client.get(f"/api/audits/{number}").json()
        if entry["state"] == state and (state != "running" or entry["known"]):
            return entry
        time.sleep(0.02)
    raise AssertionError(f"{entry} is not {state}")


def test_an_audit_is_started_followed_and_ends(serve, send, child: Path, monkeypatch) -> None:
    monkeypatch.setenv("STEELYARD_TOKEN", TOKEN)
    client = serve(store="/some/where.sqlite", allow_private=True)
    assert (
        send(client, "/audits", {"url": URL, "max_pages": "30", "edition": "2026"}, page="/audits").status_code == 200
    )
    entry = wait_for(client, 1, "running")
    assert (entry["site"], entry["audit"], entry["resumed"]) == ("example.org", 17, True)
    assert (entry["finished"], entry["known"], entry["seconds_left"]) == (12, 40, 35.0)
    shown = client.get("/audits").text
    assert "12 of 40 known addresses, about 35 s left, continued" in shown
    assert '<meta http-equiv="refresh"' in shown
    assert "<main" not in client.get("/audits?part=queue").text
    started = json.loads((child / "started-0").read_text())
    assert started["arguments"] == [URL, "30", "True", "2026"]
    assert started["token"] is None  # the child needs no token, and must not print it
    assert started["store"] == "/some/where.sqlite"
    (child / "end").touch()
    assert wait_for(client, 1, "done")["mean"] == 61.5
    shown = client.get("/audits").text
    assert 'href="/sites/example.org/audits/17"' in shown
    assert "refresh" not in shown.partition("</head>")[0]


def test_audits_run_one_after_the_other_and_can_be_stopped(serve, send, child: Path) -> None:
    client = serve()
    for name in ("a", "b", "c"):
        assert client.post("/api/audits", json={"url": f"https://{name}.example/"}).status_code == 202
    wait_for(client, 1, "running")
    assert client.post("/api/audits", json={"url": "https://a.example/"}).status_code == 409
    assert client.delete("/api/audits/2").json()["state"] == "stopped"
    assert client.get("/api/audits/3").json()["state"] == "waiting"
    assert send(client, "/audits/1/stop", {}, page="/audits").status_code == 200
    assert wait_for(client, 1, "stopped")["message"] == "interrupted"
    wait_for(client, 3, "running")
    assert len(list(child.glob("started-*"))) == 2
    assert [entry["number"] for entry in client.get("/api/audits").json()["audits"]] == [3, 2, 1]
    assert client.delete("/api/audits/99").status_code == 404


def test_the_queue_is_bounded_and_forgets(serve, child: Path, monkeypatch) -> None:
    client = serve()
    answers = [client.post("/api/audits", json={"url": f"https://{n}.example/"}) for n in range(MAX_WAITING + 2)]
    assert [a.status_code for a in answers] == [202] * (MAX_WAITING + 1) + [429]
    assert int(answers[-1].headers["retry-after"]) > 0
    for n in range(MAX_ENDED + 20):
        listed = client.get("/api/audits").json()["audits"]
        client.delete(f"/api/audits/{listed[0]['number']}")
        client.post("/api/audits", json={"url": f"https://more-{n}.example/"})
    assert len(client.get("/api/audits").json()["audits"]) <= MAX_ENDED + MAX_WAITING + 1


def test_a_failed_audit_says_why_and_the_next_one_runs(serve, child: Path) -> None:
    client = serve()
    (child / "end").touch()
    (child / "fail").touch()
    client.post("/api/audits", json={"url": URL})
    assert wait_for(client, 1, "failed")["message"] == "the <b>store</b> is locked"
    assert "the &lt;b&gt;store&lt;/b&gt; is locked" in client.get("/audits").text
    (child / "fail").unlink()
    client.post("/api/audits", json={"url": URL})
    wait_for(client, 2, "done")


@pytest.mark.parametrize("obeys", [True, False])
def test_a_server_that_stops_leaves_no_audit_running(serve, child: Path, monkeypatch, obeys: bool) -> None:
    if not obeys:
        monkeypatch.setattr(audits, "PATIENCE", 0.3)
        (child / "child.py").write_text(CHILD.replace("signal.SIGTERM, stop)", "signal.SIGTERM, signal.SIG_IGN)"))
    client = serve()
    client.post("/api/audits", json={"url": URL})
    wait_for(client, 1, "running")
    process = json.loads((child / "started-0").read_text())["pid"]
    os.kill(process, 0)
    client.__exit__(None, None, None)
    client.__exit__ = lambda *_: None
    with pytest.raises(ProcessLookupError):
        os.kill(process, 0)


def test_a_wrong_number_of_pages_is_refused(serve, send, child: Path) -> None:
    client = serve()
    for pages in ("0", "-1", "10001", "many", "٣", "9" * 30, "1.5"):
        found = send(client, "/audits", {"url": URL, "max_pages": pages}, page="/audits")
        assert found.status_code == 422, pages


def test_a_private_address_is_refused_unless_it_is_allowed(serve) -> None:
    client = serve()
    for url in ("http://127.0.0.1/", "http://localhost:8000/", "http://169.254.169.254/", "http://[::1]/"):
        found = client.post("/api/audits", json={"url": url})
        assert (found.status_code, "--allow-private" in found.json()["error"]) == (422, True), url


def test_the_command_of_an_audit_takes_an_address_for_nothing_else() -> None:
    command = build_command("--help", 5, False, "paper")
    assert command[-2:] == ["--", "--help"]
    assert "--public-only" in command
    assert command[command.index("--edition") + 1] == "paper"
    assert "--allow-private" not in command
    assert "--allow-private" in build_command(URL, 5, True, "paper")


def test_an_audit_imports_nothing_from_the_directory_of_the_server(tmp_path: Path) -> None:
    plant_modules(tmp_path)
    command = build_command(URL, 5, False, "2026")
    started = [*command[: command.index("audit") + 1], "--help"]
    done = subprocess.run(started, cwd=tmp_path, capture_output=True, text=True, check=False)
    assert list_imported(tmp_path) == []
    assert (done.returncode, "--max-pages" in done.stdout) == (0, True), done.stderr
