"""An engine that is asked by file: prompts out in OpenAI's Batch format, answers in, in any order and in parts.

What has no answer yet is written to prompts.jsonl, one request a line; whoever has the model answers them into
answers.jsonl. A request's `custom_id` is a hash of all that is asked, so an answer can only be taken for the
prompt that it belongs to, and calls that ask the same are answered together.
"""

from __future__ import annotations

import hashlib
import os
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from steelyard.errors import SteelyardError
from steelyard.lab.outcome.engines import prompt
from steelyard.lab.outcome.engines.base import SERVED, Answer, EngineFailed, Question
from steelyard.lab.outcome.engines.batch_answers import Places, read_answers
from steelyard.support.artifacts import ReplacedFile, make_output_folder, to_canonical_json, to_json
from steelyard.support.escape import make_visible
from steelyard.support.formatting import format_count

PROMPTS = "prompts.jsonl"
ANSWERS = "answers*.jsonl*"
URL = "/v1/chat/completions"
_ID_DIGITS = 32


@dataclass(frozen=True, slots=True)
class Batch:
    """A folder with prompts and answers; `model` is what the requests name, and any model may answer if it is empty."""

    folder: Path
    model: str = ""
    seed: int | None = 1  # None: not sent
    max_tokens: int = 500
    style: str = prompt.PLAIN
    temperature: float = 0
    kind, parallel = SERVED, 1
    paid = False  # reading an answer again costs nothing

    @property
    def name(self) -> str:
        return make_visible(self.model or self.folder.resolve().name)

    @property
    def identity(self) -> Mapping[str, Any]:
        return {
            "engine": "batch",
            "model": self.model,
            "prompt": prompt.VERSIONS[self.style],
            "temperature": self.temperature,
            "seed": self.seed,
            "max_tokens": self.max_tokens,
        }

    @contextmanager
    def open(self) -> Iterator[BatchSession]:
        make_output_folder(self.folder)
        session = BatchSession(self)
        try:
            yield session
        finally:
            session.close()

    def make_body(self, question: Question) -> dict[str, Any]:
        """Return the request for a question, as a live engine would send it."""
        body: dict[str, Any] = {"model": self.model} if self.model else {}
        body |= {
            "messages": prompt.build_messages(question, self.style),
            "max_tokens": self.max_tokens,
            "temperature": self.temperature,
        }
        return body if self.seed is None else {**body, "seed": self.seed}


class BatchSession:
    """The answers that are there, and the prompts that still need one."""

    def __init__(self, engine: Batch) -> None:
        self._engine = engine
        self._answers = read_answers(sorted(engine.folder.glob(ANSWERS)), engine.model)
        self._claimed: set[str] = set()
        self._written: set[str] = set()
        self._missing, self._failed = Places(), Places()
        self._prompts: ReplacedFile | None = ReplacedFile(engine.folder / PROMPTS)
        self.postponed = 0

    def claim(self, name: str, question: Question, *, wanted: bool, again: bool) -> bool:
        """Note that the plan has a question; return whether it is wanted and has an answer to be read now."""
        body = self._engine.make_body(question)
        custom_id = make_id(body)
        self._claimed.add(custom_id)
        if not wanted:
            return False
        if self._has_answer(custom_id, len(question.sources), again=again):
            return True
        self.postponed += 1
        self._missing.add(name)
        if custom_id not in self._written and self._prompts is not None:
            self._written.add(custom_id)
            request = {"custom_id": custom_id, "method": "POST", "url": URL, "body": body}
            self._prompts.write(to_json(request, indent=None) + "\n")
        return False

    def _has_answer(self, custom_id: str, sources: int, *, again: bool) -> bool:
        found = self._answers.by_id.get(custom_id)
        if found is None or isinstance(found.result, EngineFailed):
            return found is not None and not again
        known = found.result.citations or {}
        for key in ("forced", "own_probabilities"):
            if any(len(line) != sources for line in known.get(key, ())):
                self._answers.damaged.add(f"{found.where}: `{key}` needs a number for each of the {sources} sources")
                del self._answers.by_id[custom_id]
                return False
        return True

    def ask(self, question: Question) -> Answer:
        """Return the answer in the files.

        Raises:
            EngineFailed: The files say that the request failed.
        """
        found = self._answers.by_id[make_id(self._engine.make_body(question))]
        if isinstance(found.result, EngineFailed):
            self._failed.add(f"{found.where} ({found.result})")
            raise found.result
        return found.result

    def finish(self) -> tuple[str, ...]:
        """Put the prompts without an answer in their place, and say what is missing, foreign or damaged."""
        if self._prompts is not None:
            self._prompts.keep()
            self._prompts = None
        answers, foreign = self._answers, Places()
        for custom_id, found in answers.by_id.items():
            if custom_id not in self._claimed:
                foreign.add(f"{found.where} ({custom_id[:_ID_DIGITS]})")
        troubles = (
            (self._failed, "failed answer", "failed answers", "whose prompts --again writes once more"),
            (answers.damaged, "damaged line", "damaged lines", "not used"),
            (foreign, "foreign answer", "foreign answers", "to no prompt of this run"),
            (answers.second, "second answer", "second answers", "to the same prompt: the first is taken"),
        )
        lines = [
            f"{format_count(places.count, one, several)}, {what}: {places}"
            for places, one, several, what in troubles
            if places.count
        ]
        if self._written:
            prompts = format_count(len(self._written), "prompt without an answer", "prompts without an answer")
            answered = "" if not answers.by_id else f" (calls: {self._missing})"
            lines.append(
                f"{prompts}{answered}: {self._engine.folder / PROMPTS}; answer them into "
                f"{self._engine.folder / 'answers.jsonl'}, then give the same command again"
            )
        return tuple(lines)

    def close(self) -> None:
        """Leave the prompts as they were if the run did not come to its end."""
        if self._prompts is not None:
            self._prompts.discard()
            self._prompts = None


def make_id(body: Mapping[str, Any]) -> str:
    """Return the custom id of a request: a hash of all that is asked, in characters that every provider allows."""
    return hashlib.sha256(to_canonical_json(body)).hexdigest()[:_ID_DIGITS]


def find_folder(rest: str) -> Path:
    """Return the folder that a user named, or say what is wrong with it."""
    folder = Path(os.path.expanduser(rest))
    if folder.exists() and not folder.is_dir():
        raise SteelyardError(f"{folder}: not a folder; give one for prompts and answers")
    return folder
