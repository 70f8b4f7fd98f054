"""The comment on a pull request, against an API of our own on loopback."""

from __future__ import annotations

import json
import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import pytest

from steelyard.check.formats.markdown import MARK
from tests.integrations.action_runner import Job

BOT = {"login": "github-actions[bot]"}
OWN = {"full_name": "me/site"}
EVENT = {"pull_request": {"number": 7, "head": {"repo": OWN}, "base": {"repo": OWN}}}


class Api(ThreadingHTTPServer):
    """The comments of one pull request, and what was asked; `status` other than 200 refuses everything."""

    daemon_threads = True

    def __init__(self) -> None:
        super().__init__(("127.0.0.1", 0), Handler)
        self.comments: list[dict[str, Any]] = []
        self.seen: list[tuple[str, str, str]] = []
        self.status = 200


class Handler(BaseHTTPRequestHandler):
    server: Api

    def _answer(self) -> None:
        server = self.server
        server.seen.append((self.command, self.path, self.headers.get("Authorization", "")))
        body = self.rfile.read(int(self.headers.get("Content-Length", 0)))
        answer: Any = {}
        if server.status == 200:
            if self.command == "GET":
                page = int(self.path.rpartition("=")[2])
                answer = server.comments[100 * (page - 1) : 100 * page]
            elif self.command == "PATCH":
                (found,) = (c for c in server.comments if str(c["id"]) == self.path.rpartition("/")[2])
                found["body"] = json.loads(body)["body"]
            else:
                server.comments.append(
                    {"id": 900 + len(server.comments), "user": BOT, "body": json.loads(body)["body"]}
                )
        data = json.dumps(answer).encode()
        self.send_response(server.status)
        if server.status == 302:
            self.send_header("Location", f"http://127.0.0.1:{server.server_port}/elsewhere")
        self.send_header("Content-Length", str(len(data)))
        self.end_headers()
        self.wfile.write(data)

    do_GET = do_POST = do_PATCH = _answer

    def log_message(self, format: str, *args: Any) -> None:
        pass


@pytest.fixture
def api() -> Iterator[Api]:
    with Api() as server:
        thread = threading.Thread(target=server.serve_forever)
        thread.start()
        yield server
        server.shutdown()
        thread.join()


def comment(job: Job, api: Api, event: dict[str, Any] | None = None) -> str:
    """Run the action with `comment: true`, and return the line about the comment."""
    file = job.temporary.with_name("event.json")
    file.write_text(json.dumps(EVENT if event is None else event))
    job.inputs = {"comment": "true", **job.inputs}
    job.environment = {
        "GITHUB_EVENT_PATH": str(file),
        "GITHUB_REPOSITORY": "me/site",
        "GITHUB_API_URL": f"http://127.0.0.1:{api.server_port}",
        "NO_PROXY": "*",
    }
    job.log = ""
    job.run()
    return next((line for line in job.log.splitlines() if "comment" in line), "")


def test_one_comment_is_written_and_written_again_when_the_pages_change(job: Job, api: Api) -> None:
    api.comments = [{"id": n, "user": {"login": "someone"}, "body": "hello"} for n in range(130)]
    assert comment(job, api) == "commented on pull request 7"
    assert len(api.comments) == 131
    assert api.comments[-1]["body"].startswith(f"{MARK}\n## Steelyard: 1 of 1 page failed")
    assert {token for *_, token in api.seen} == {"Bearer a token"}
    job.inputs = {"min-score": "10"}
    assert comment(job, api) == "the comment on pull request 7 is up to date"
    assert len(api.comments) == 131
    assert "0 of 1 page failed" in api.comments[-1]["body"]


def test_it_is_off_unless_it_is_wanted(job: Job, api: Api) -> None:
    job.inputs = {"comment": "false"}
    assert comment(job, api) == ""
    assert api.seen == []


def test_a_comment_of_somebody_else_is_never_changed(job: Job, api: Api) -> None:
    api.comments = [
        {"id": 1, "user": {"login": "mallory"}, "body": f"{MARK} mine"},
        {"id": 2, "user": None, "body": MARK},
        {"id": 3, "user": BOT, "body": "another tool's"},
    ]
    comment(job, api)
    assert [c["body"] for c in api.comments[:3]] == [f"{MARK} mine", MARK, "another tool's"]
    assert len(api.comments) == 4


def test_the_words_of_a_page_notify_nobody(job: Job, api: Api) -> None:
    (job.checkout / "docs" / "boats.md").write_text("# Boats\n\nThe @harbourteam is so great that all of us need it.\n")
    comment(job, api)
    assert "@harbourteam" not in api.comments[0]["body"]


def test_without_the_right_to_write_it_is_skipped_with_the_reason_and_the_check_decides(job: Job, api: Api) -> None:
    fork = {"full_name": "mallory/site"}
    for event, reason in (
        ({"push": {}}, "does not run for a pull request"),
        ({"pull_request": {"number": 7, "head": {"repo": fork}, "base": {"repo": OWN}}}, "comes from a fork"),
        ({"pull_request": {"number": 7, "head": {"repo": None}, "base": {"repo": OWN}}}, "comes from a fork"),
    ):
        job.inputs = {"min-score": "10"}
        assert reason in comment(job, api, event), event
        assert job.code == 0
        assert api.seen == []
    for status in (302, 401, 403, 404, 500):
        api.status = status
        job.inputs = {"min-score": "10"}
        line = comment(job, api)
        assert line.startswith(f"::warning title=steelyard::no comment: the API answers {status}"), line
        assert ("pull-requests: write" in line) == (status in (401, 403, 404))
        assert job.code == 0
    assert not [path for _, path, _ in api.seen if "elsewhere" in path]


def test_no_comment_begins_with_nothing_to_say(job: Job, api: Api) -> None:
    job.inputs = {"since": "main"}
    assert "no page was checked" in comment(job, api)
    assert api.comments == []


def test_a_strange_answer_fails_no_job(job: Job, api: Api, tmp_path: Path) -> None:
    api.comments = [{"id": "x", "user": BOT, "body": MARK}]
    job.inputs = {"min-score": "10"}
    assert "no comment: ValueError" in comment(job, api)
    assert job.code == 0
