"""Answers of engines' servers, and the citations in them: parsed or refused, with shares that sum to one."""

from __future__ import annotations

import json
import math
import random
from collections.abc import Sequence
from typing import Any

from fuzz import seeds
from fuzz.case import Case, Depth, Fault, Kind, Outcome, describe_error, list_problems
from fuzz.checks import Problems
from fuzz.mutate.json_values import mutate_value, write_json
from fuzz.mutate.text import ODD, SCALES, mutate_characters
from steelyard.lab.outcome import citations, pawc
from steelyard.lab.outcome.engines.base import EngineFailed
from steelyard.lab.outcome.engines.response_parsing import extract_message, find_refused_parameter, parse_completion
from steelyard.support.escape import make_visible
from steelyard.support.http.messages import Response

MODEL = "tides-1"
SOURCES = (1, 2, 5)
MARKERS = (
    "[1]", "[2]", "[0]", "[6]", "[1, 2]", "[1-3]", "[5–2]", "[1][2]", "【1】", "【1†source】", "[Source 1]", "[^1]",
    "[^1]:", "[1](https://a.example)",
    "[[1]]", "[", "]", "【", "[1", "1]", "[999999999999]", "[1-999999999]", "[" + "1," * 300 + "]", "[a]",
    "[Smith, 2020]", "[-1]", "[٣]", "[１]",
    "[" * 50, "]" * 50, "[1]." * 20, "\n[1]: https://a.example\n", "\\[1\\]", "[1\u200b]", "[source 1 and 2]", "(1)",
    "[1;2&3]", "e.g.", "...", "?!",
)  # fmt: skip


class Answers(Kind):
    name = "answer"
    share = 0.03

    def make(self, rng: random.Random, kept: Sequence[bytes]) -> bytes:
        body: Any = {
            "id": "x",
            "model": rng.choice((MODEL, MODEL, f"{MODEL}-2026", "other", "")),
            "choices": [
                {"index": 0, "finish_reason": "stop", "message": {"role": "assistant", "content": _write(rng)}}
            ],
            "usage": {"prompt_tokens": 12, "completion_tokens": 34},
        }
        if rng.random() < 0.1:
            body = {
                "error": {
                    "message": _write(rng),
                    "param": rng.choice(("seed", "temperature", 7)),
                    "code": "unsupported",
                }
            }
        for _ in range(rng.choice((0, 0, 1, 2, 4))):
            body = mutate_value(rng, body)
        return write_json(rng, body)

    def check(self, cases: Sequence[Case], *, depth: Depth = Depth.REPORTED) -> Outcome:
        faults: list[Fault] = []
        traits = []
        for case in cases:
            try:
                faults += list_problems(case, _check_body(case.data))
                traits.append(frozenset[str]())
            except Exception as error:  # noqa: BLE001 - this is what is looked for
                faults.append(Fault(case, "exception", describe_error(error)))
                traits.append(frozenset())
        return Outcome(faults, traits)


def _write(rng: random.Random) -> str:
    """Return an answer with citations of every form."""
    parts = []
    for _ in range(rng.randint(1, 8)):
        parts.append(rng.choice(seeds.load_sentences()) if rng.random() < 0.8 else rng.choice(ODD) * rng.choice(SCALES))
        parts += rng.choices(MARKERS, k=rng.randint(0, 3))
    text = rng.choice((" ", " ", "", "\n", "\n\n", ". ")).join(parts)
    return mutate_characters(rng, text) if rng.random() < 0.4 else text


def _check_body(body: bytes) -> Problems:
    extract_message(body, make_visible)
    for status in (200, 400, 422):
        find_refused_parameter(Response(status, {}, body))
    try:
        text = parse_completion(body, MODEL, make_visible).text
    except EngineFailed:
        text = body.decode("utf-8", "replace")
    json.dumps(text).encode()
    yield from check_citations(text)


def check_citations(answer: str) -> Problems:
    """Check the markers and the shares of an answer."""
    bare, markers = citations.blank_markers(answer)
    if len(bare) != len(answer):
        yield "markers", "blanking them moved the text"
    last = 0
    for marker in markers:
        if not last <= marker.start < marker.end <= len(answer):
            yield "markers", f"{marker} in {len(answer)} characters"
        last = marker.end
    citations.renumber_markers(answer, {1: 3, 2: 1})
    for mode in pawc.MODES:
        for n in SOURCES:
            measured = pawc.measure_shares(answer, n, mode)
            if measured != pawc.measure_shares(answer, n, mode):
                yield "shares", f"{mode}: not the same again"
            if measured.shares is None:
                if mode != pawc.STRICT:
                    yield "shares", f"{mode}: none"
                continue
            inside = len(measured.shares) == n and all(0 <= share <= 1 for share in measured.shares)
            if not inside or not math.isclose(math.fsum(measured.shares), 1, abs_tol=1e-9):
                yield "shares", f"{mode}: {measured.shares}"
