"""Write the summary of a check as one comment on the pull request, and write it again on the next run.

    comment.py SUMMARY REPORT

Reads the event, the token and the address of the API from the environment that GitHub gives to a job. The comment is
the one by GitHub's own bot that begins with the mark of the summary: somebody else's comment is never changed, whatever
it begins with. What prevents a comment (no pull request, a fork, no permission) is a notice, and fails no job.
"""

from __future__ import annotations

import json
import os
import sys
import urllib.error
import urllib.request
from pathlib import Path
from typing import Any

MARK = "<!-- steelyard check -->"  # as in steelyard/check/formats/markdown.py
BOT = "github-actions[bot]"  # whose token a job has
PER_PAGE, MAX_PAGES, MAX_BYTES, SECONDS = 100, 30, 20_000_000, 30


class Skipped(Exception):
    """There will be no comment; the message says why."""


class NoRedirects(urllib.request.HTTPRedirectHandler):
    """The API answers where it is asked; a token follows nobody elsewhere."""

    def redirect_request(self, *_: Any) -> None:
        return None


OPENER = urllib.request.build_opener(NoRedirects)


def find_pull_request(event: dict[str, Any]) -> int:
    """Return the number of the pull request.

    Raises:
        Skipped: The event is about none, or about one from a fork, whose token may only read.
    """
    pull = event.get("pull_request")
    if not isinstance(pull, dict):
        raise Skipped("this job does not run for a pull request")
    head, base = (((pull.get(side) or {}).get("repo") or {}).get("full_name") for side in ("head", "base"))
    if head is None or head != base:
        raise Skipped("the pull request comes from a fork, where a job may not write")
    return int(pull["number"])


def ask(method: str, path: str, content: dict[str, str] | None = None) -> Any:
    """Ask the API, and return its answer."""
    url = f"{os.environ['GITHUB_API_URL']}/repos/{os.environ['GITHUB_REPOSITORY']}/{path}"
    if not url.startswith(("https://", "http://127.0.0.1:")):
        raise Skipped("GITHUB_API_URL is no https address")
    body = None if content is None else json.dumps(content).encode()
    request = urllib.request.Request(url, body, {"Accept": "application/vnd.github+json"}, method=method)  # noqa: S310
    request.add_header("Content-Type", "application/json")
    request.add_unredirected_header("Authorization", f"Bearer {os.environ['GH_TOKEN']}")
    with OPENER.open(request, timeout=SECONDS) as response:
        return json.loads(response.read(MAX_BYTES))


def find_comment(number: int) -> int | None:
    """Return the id of the comment of an earlier run; None if there is none among the first few thousand."""
    for page in range(1, MAX_PAGES + 1):
        comments = ask("GET", f"issues/{number}/comments?per_page={PER_PAGE}&page={page}")
        for comment in comments:
            if (comment.get("user") or {}).get("login") == BOT and str(comment.get("body")).startswith(MARK):
                return int(comment["id"])
        if len(comments) < PER_PAGE:
            break
    return None


def write_comment(summary: Path, report: Path) -> str:
    """Write the comment, and return what was done."""
    number = find_pull_request(json.loads(Path(os.environ["GITHUB_EVENT_PATH"]).read_text("utf-8")))
    if not os.environ.get("GH_TOKEN"):
        raise Skipped("the job has no token")
    text = summary.read_text("utf-8").replace("@", "@\u200b")  # a page's words notify nobody
    document = json.loads(report.read_text("utf-8"))
    earlier = find_comment(number)
    if earlier is not None:
        ask("PATCH", f"issues/comments/{earlier}", {"body": text})
        return f"the comment on pull request {number} is up to date"
    if not document["pages"] and not document["errors"]:
        raise Skipped("no page was checked")
    ask("POST", f"issues/{number}/comments", {"body": text})
    return f"commented on pull request {number}"


def main() -> None:
    """Write the comment, and say in one line what was done or why nothing was."""
    try:
        print(write_comment(Path(sys.argv[1]), Path(sys.argv[2])))
    except Skipped as reason:
        print(f"::notice title=steelyard::no comment: {reason}")
    except urllib.error.HTTPError as error:
        advice = "; give the job the permission pull-requests: write" if error.code in (401, 403, 404) else ""
        print(f"::warning title=steelyard::no comment: the API answers {error.code}{advice}")
    except (OSError, ValueError, KeyError, TypeError) as error:
        print(f"::warning title=steelyard::no comment: {type(error).__name__}")


if __name__ == "__main__":
    main()
