"""From what a user types to an engine."""

from __future__ import annotations

import math
import os
import re
from dataclasses import dataclass
from pathlib import Path

from steelyard.lab.outcome.engines.base import Engine
from steelyard.lab.outcome.engines.errors import EngineUnusable, UnknownEngine
from steelyard.lab.outcome.engines.extractive import Extractive
from steelyard.lab.outcome.engines.llama import Llama
from steelyard.lab.outcome.engines.openai import KEY_VARIABLE, OpenAI, check_variable

BASE_VARIABLE = "OPENAI_BASE_URL"
NAMES = ("extractive", "openai", "llama")
FORMS = (
    "extractive",
    f"openai:MODEL@ADDRESS, such as openai:qwen3:8b@http://localhost:11434/v1, "
    f"or openai:MODEL with the address in {BASE_VARIABLE}",
    "llama:FILE.gguf, such as llama:models/SmolLM2-135M-Instruct.Q4_1.gguf",
)
_SERVED = re.compile(r"(?P<model>.+?)@(?P<base>https?://.+)", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Options:
    """What engines can be told; each takes what concerns it."""

    timeout: float = 120.0  # seconds for an answer
    rate: float | None = None  # calls a minute
    parallel: int = 4
    seed: int | None = 1  # None: not sent
    max_tokens: int = 500
    key_variable: str = KEY_VARIABLE
    forced: bool = False

    def __post_init__(self) -> None:
        check_variable(self.key_variable)
        if not 0 < self.timeout < math.inf:
            raise EngineUnusable(f"the time limit is {self.timeout:g} s; give a number of seconds above 0")
        if self.rate is not None and not 0 < self.rate < math.inf:
            raise EngineUnusable(f"the rate is {self.rate:g} calls a minute; give a number above 0")
        if self.parallel < 1 or self.max_tokens < 1:
            raise EngineUnusable("the calls at a time and the tokens of an answer are 1 or more")


def resolve(spec: str, *, options: Options | None = None) -> Engine:
    """The engine that `spec` names."""
    chosen = options or Options()
    name, _, rest = spec.strip().partition(":")
    if name == "extractive" and not rest:
        return Extractive()
    if name == "openai" and rest:
        return _served(rest, chosen)
    if name == "llama" and rest:
        return _local(rest, chosen)
    raise UnknownEngine(spec.strip(), NAMES, FORMS)


def _served(rest: str, options: Options) -> OpenAI:
    match = _SERVED.fullmatch(rest)
    model, base = (match["model"], match["base"]) if match else (rest, os.environ.get(BASE_VARIABLE, ""))
    if not base:
        raise EngineUnusable(
            f"no address for the model; write openai:MODEL@https://host/v1, or set {BASE_VARIABLE} to the address"
        )
    return OpenAI(
        model=model,
        base=base,
        key_variable=options.key_variable,
        timeout=options.timeout,
        rate=options.rate,
        parallel=options.parallel,
        seed=options.seed,
        max_tokens=options.max_tokens,
    )


def _local(rest: str, options: Options) -> Llama:
    path = Path(rest).expanduser()
    if not path.is_file():
        raise EngineUnusable(f"{path}: no such file; give the path of a .gguf file")
    return Llama(
        path=path,
        forced=options.forced,
        timeout=options.timeout,
        seed=1 if options.seed is None else options.seed,
        max_tokens=options.max_tokens,
    )
