"""Every command, with arguments as a user in the tree would give them; some cases of each are chosen at random."""

from __future__ import annotations

import json
import random
import re
import select
import signal
import time
import urllib.request
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from functools import partial
from typing import IO, Any

from fuzz.surroundings.place import SENTENCE, Place
from fuzz.surroundings.tracer import Talk

TARGETS = ("docs", "docs/a.md", "docs/b.html", "docs/**/*.md", "**/*.html", "*.md", ".", "docs/[a-z]*.txt")
TALK_SECONDS = 30.0


@dataclass(frozen=True)
class Invocation:
    """The arguments of a command, what it may write in the tree, and how to speak with it."""

    arguments: Sequence[str]
    outputs: Sequence[str] = ()
    talk: Talk | None = None
    signal: int | None = None  # that ends it; its exit code says nothing then


Choose = Callable[[random.Random, Place], Invocation]


def choose_score(rng: random.Random, place: Place) -> Invocation:
    form = rng.choice(("human", "json", "csv", "markdown", "html"))
    options = rng.sample(("--detect", "--jobs=2", "--edition=2026", "--exclude=*.txt"), rng.randint(0, 2))
    output = ["-o", "report.html"] if rng.random() < 0.4 else []
    return Invocation(["score", rng.choice(TARGETS), "--format", form, *output, *options], output[1:])


def choose_check(rng: random.Random, place: Place) -> Invocation:
    arguments, outputs = ["check", rng.choice(TARGETS)], []
    if rng.random() < 0.3:
        arguments += ["--since", rng.choice(("HEAD", "main", "HEAD~1"))]
    if rng.random() < 0.3:
        form, name = rng.choice((("sarif", "findings.sarif"), ("json", "out.json"), ("junit", "report.html")))
        arguments += ["--report", f"{form}:{name}"]
        outputs.append(name)
    if rng.random() < 0.2:
        arguments.append("--write-baseline")
        outputs += ["steelyard-baseline.json", "docs/w.json"]  # the second where a configuration names it
    arguments += rng.choice(([], ["--no-cache"], ["--jobs", "2"], ["--format", "github"]))
    return Invocation(arguments, outputs)


def choose_compare(rng: random.Random, place: Place) -> Invocation:
    pairs = (("HEAD:docs", "docs"), ("old", "docs"), ("docs/a.md", "old/a.md"), ("main:docs/a.md", "docs/a.md"))
    return Invocation(["compare", *rng.choice(pairs), "--format", rng.choice(("human", "json"))])


def choose_filter(rng: random.Random, place: Place) -> Invocation:
    source = rng.choice(("corpus", "corpus/rows.jsonl", "corpus/more.jsonl"))
    return Invocation(["filter", source, "-o", "kept.jsonl", *rng.choice(([], ["--jobs", "2"]))], ["kept.jsonl"])


def choose_audit(rng: random.Random, place: Place) -> Invocation:
    options = ["--from-dir", rng.choice(("docs", ".")), "--format", rng.choice(("human", "json", "html"))]
    return Invocation(["audit", *options, "-o", "out.json"], ["out.json"])


def choose_serve(rng: random.Random, place: Place) -> Invocation:
    return Invocation(["serve", "--port", "0"], talk=_talk_to_app, signal=signal.SIGTERM)


def choose_lsp(rng: random.Random, place: Place) -> Invocation:
    return Invocation(["lsp"], talk=partial(_talk_to_language_server, place=place, name=rng.choice(("a.md", "b.html"))))


def choose_mcp(rng: random.Random, place: Place) -> Invocation:
    name = rng.choice(("docs/a.md", "docs/b.html", "../outside/secret.md", "docs", "docs/link1.md", "/etc/hostname"))
    return Invocation(["mcp"], talk=partial(_talk_to_assistant_server, path=name))


# Commands that need little choice: their forms, and what they write.
FIXED: Mapping[str, tuple[str, Sequence[str]]] = {
    "explain": ("docs/a.md | docs/b.html --format json", ()),
    "config": ("docs/a.md | docs | ", ()),
    "history": (" | docs | diff docs", ()),
    "leaderboard": (" | scores.csv | scores.csv --texts docs | corpus/rows.jsonl --texts .", ()),
    "domains": ("scores.csv | corpus/rows.jsonl", ()),
    "rules": (" | cap --format json", ()),
    "components": (" | --format json", ()),
    "editions": (" | --format json", ()),
    "predict": ("--query x docs | --query x docs/**/*.md | --query x . | --query x corpus/rows.jsonl", ()),
    "corpus": ("build pages docs --least 20 -o kept.jsonl | build pages corpus -o kept.jsonl", ["kept.jsonl"]),
    "falsify": ("length --corpus docs --quiet --out study | shipped --corpus corpus/rows.jsonl --quiet", ["study"]),
    "protocol": ("capture docs -o kept.jsonl --quiet --jobs 2 | gates corpus | matrix docs --quiet", ["kept.jsonl"]),
    "gaming": ("duplicates docs | duplicates corpus | run corpus/rows.jsonl", ["steelyard-out"]),
    "outcome": ("stats corpus/rows.jsonl | ceiling corpus/more.jsonl | run corpus -o kept.jsonl", ["kept.jsonl"]),
    "ranking": ("audit corpus/rows.jsonl | study corpus | train corpus/rows.jsonl -o study", ["study"]),
    "agreement": ("--labels labels.jsonl --out study | length --labels corpus/rows.jsonl | --data .", ["study"]),
    "reproduce": ("--corpus corpus --out study --quiet | --corpus docs --out study --quiet", ["study"]),
    "verify": ("docs | . | study | --against corpus", ()),
}


def choose_fixed(rng: random.Random, place: Place, *, name: str) -> Invocation:
    forms, outputs = FIXED[name]
    return Invocation([name, *rng.choice(forms.split(" | ")).split()], outputs)


COMMANDS: Mapping[str, Choose] = {
    "score": choose_score,
    "check": choose_check,
    "compare": choose_compare,
    "filter": choose_filter,
    "audit": choose_audit,
    "serve": choose_serve,
    "lsp": choose_lsp,
    "mcp": choose_mcp,
    **{name: partial(choose_fixed, name=name) for name in FIXED},
}


def _wait_for(stream: IO[bytes], pattern: bytes) -> bytes:
    """Read until a pattern was seen, or nothing comes any more."""
    seen = b""
    deadline = time.monotonic() + TALK_SECONDS
    while not re.search(pattern, seen) and (left := deadline - time.monotonic()) > 0:
        if not select.select([stream], [], [], left)[0]:
            break
        piece = stream.read1(65_536) if hasattr(stream, "read1") else stream.read(1)
        if not piece:
            break
        seen += piece
    return seen


def _talk_to_assistant_server(stdin: IO[bytes], stdout: IO[bytes], *, path: str) -> None:
    client = {"protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": {"name": "fuzz", "version": "1"}}
    messages: list[dict[str, Any]] = [
        {"id": 1, "method": "initialize", "params": client},
        {"method": "notifications/initialized"},
        {"id": 2, "method": "tools/call", "params": {"name": "score", "arguments": {"path": path}}},
    ]
    for message in messages:
        stdin.write(json.dumps({"jsonrpc": "2.0", **message}).encode() + b"\n")
        stdin.flush()
        if "id" in message:
            _wait_for(stdout, rb'"id": ?%d\b' % message["id"])


def _talk_to_language_server(stdin: IO[bytes], stdout: IO[bytes], *, place: Place, name: str) -> None:
    root = place.tree.as_uri()
    client: dict[str, object] = {"processId": None, "rootUri": root, "capabilities": {}}
    uri = f"{root}/docs/{name}"
    document = {"uri": uri, "languageId": "markdown", "version": 1, "text": f"# Boats\n\n{SENTENCE * 5}"}
    messages: list[tuple[dict[str, Any], bytes | None]] = [
        ({"id": 1, "method": "initialize", "params": client}, rb'"id": ?1\b'),
        ({"method": "initialized", "params": {}}, None),
        ({"method": "textDocument/didOpen", "params": {"textDocument": document}}, rb"publishDiagnostics"),
        ({"id": 2, "method": "shutdown"}, rb'"id": ?2\b'),
        ({"method": "exit"}, None),
    ]  # fmt: skip
    for message, answer in messages:
        body = json.dumps({"jsonrpc": "2.0", **message}).encode()
        stdin.write(b"Content-Length: %d\r\n\r\n" % len(body) + body)
        stdin.flush()
        if answer is not None:
            _wait_for(stdout, answer)


def _talk_to_app(stdin: IO[bytes], stdout: IO[bytes]) -> None:
    """Ask the app for a few pages and a score; it says where it listens on the stream that both outputs share."""
    found = re.search(rb"serving (http://\S+)/ ", _wait_for(stdout, rb"serving http://\S+/ "))
    if found is None:
        return
    url = found[1].decode()
    body = json.dumps({"text": SENTENCE * 20}).encode()
    for path, data in (("/", None), ("/api/score", body), ("/../../outside/secret.md", None), ("/static/../x", None)):
        request = urllib.request.Request(url + path, data, {"Content-Type": "application/json"})  # noqa: S310
        with suppress(OSError), urllib.request.urlopen(request, timeout=TALK_SECONDS) as answer:  # noqa: S310
            answer.read()
