"""Turn what a user types into an engine."""

from __future__ import annotations

import math
import os
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple

from steelyard.errors import SteelyardError, suggest_name
from steelyard.lab.outcome.engines.base import Engine
from steelyard.lab.outcome.engines.batch import Batch, find_folder
from steelyard.lab.outcome.engines.extractive import Extractive
from steelyard.lab.outcome.engines.llama import Llama
from steelyard.lab.outcome.engines.openai import KEY_VARIABLE, OpenAI, check_variable
from steelyard.lab.outcome.engines.prompt import PLAIN
from steelyard.support.escape import make_visible

BASE_VARIABLE = "OPENAI_BASE_URL"
_SERVED = re.compile(r"(?P<model>.+?)@(?P<base>https?://.+)", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class EngineOptions:
    """The options of all engines, as `resolve_engine` describes them; each engine takes those that concern it."""

    timeout: float
    rate: float | None
    parallel: int
    seed: int | None
    max_tokens: int
    key_variable: str
    forced: bool
    model: str
    style: str
    temperature: float


class EngineKind(NamedTuple):
    """A kind of engine that a user can name.

    Attributes:
        form: What a user types. With a colon in it, something must follow the name, and nothing may without one.
        examples: What error messages add to the form.
        make: Makes the engine from what follows the colon.
        reads_file: Whether the path of a file follows the colon.
    """

    form: str
    examples: str
    make: Callable[[str, EngineOptions], Engine]
    reads_file: bool = False


def _make_extractive(_rest: str, _options: EngineOptions) -> Engine:
    return Extractive()


def _make_openai(rest: str, options: EngineOptions) -> Engine:
    match = _SERVED.fullmatch(rest)
    model, base = match.group("model", "base") if match else (rest, os.environ.get(BASE_VARIABLE, ""))
    if not base:
        raise SteelyardError(
            f"no address for the model; write openai:MODEL@https://host/v1, or set {BASE_VARIABLE} to the address"
        )
    return OpenAI(
        model, base, options.key_variable, options.timeout, options.rate, options.parallel, options.seed,
        options.max_tokens, options.style, options.temperature,
    )  # fmt: skip


def _make_llama(rest: str, options: EngineOptions) -> Engine:
    path = Path(rest).expanduser()
    if not path.is_file():
        raise SteelyardError(f"{path}: no such file; give the path of a .gguf file")
    seed = 1 if options.seed is None else options.seed
    return Llama(
        path,
        options.forced,
        options.timeout,
        seed,
        options.max_tokens,
        style=options.style,
        temperature=options.temperature,
    )


def _make_batch(rest: str, options: EngineOptions) -> Engine:
    return Batch(find_folder(rest), options.model, options.seed, options.max_tokens, options.style, options.temperature)


# By the name before the colon; messages, the help of --engine and the check of inputs follow.
ENGINES: Mapping[str, EngineKind] = {
    "extractive": EngineKind("extractive", "", _make_extractive),
    "openai": EngineKind(
        "openai:MODEL@ADDRESS",
        ", such as openai:qwen3:8b@http://localhost:11434/v1, "
        f"or openai:MODEL with the address in {BASE_VARIABLE}",
        _make_openai,
    ),
    "llama": EngineKind(
        "llama:FILE.gguf",
        ", such as llama:models/SmolLM2-135M-Instruct.Q4_1.gguf",
        _make_llama,
        reads_file=True,
    ),
    "batch": EngineKind("batch:FOLDER", ", such as batch:answers-of-june", _make_batch),
}  # fmt: skip


def describe_engines() -> str:
    """Return what a user can type, for the help of an option."""
    *forms, last = (kind.form for kind in ENGINES.values())
    return f"{', '.join(forms)} or {last}."


def find_engine_file(spec: str) -> str | None:
    """Return the path of the file that an engine is read from; None for an engine without one."""
    name, _, rest = spec.strip().partition(":")
    return os.path.expanduser(rest) if rest and name in ENGINES and ENGINES[name].reads_file else None


def resolve_engine(
    spec: str,
    *,
    timeout: float = 120.0,
    rate: float | None = None,
    parallel: int = 4,
    seed: int | None = 1,
    max_tokens: int = 500,
    key_variable: str = KEY_VARIABLE,
    forced: bool = False,
    model: str = "",
    style: str = PLAIN,
    temperature: float = 0,
) -> Engine:
    """Return the engine that `spec` names; it takes the options that concern it.

    Args:
        spec: One of the forms of ENGINES.
        timeout: Seconds for an answer.
        rate: Calls a minute.
        parallel: Calls at the same time.
        seed: Sent to the engine, unless it is None.
        max_tokens: The longest answer.
        key_variable: The environment variable that holds the key.
        forced: Make a local model cite after every sentence.
        model: Named in the requests of a batch.
        style: Which answer the prompt asks for.
        temperature: Of the answer's tokens; at 0 each is the likeliest, above it another seed gives another answer.
    """
    check_variable(key_variable)
    if not 0 < timeout < math.inf:
        raise SteelyardError(f"the time limit is {timeout:g} s; give a number of seconds above 0")
    if rate is not None and not 0 < rate < math.inf:
        raise SteelyardError(f"the rate is {rate:g} calls a minute; give a number above 0")
    if parallel < 1 or max_tokens < 1:
        raise SteelyardError("the calls at a time and the tokens of an answer must be 1 or more")
    if not 0 <= temperature <= 2:
        raise SteelyardError(f"the temperature is {temperature:g}; give a number from 0 to 2")
    name, _, rest = spec.strip().partition(":")
    kind = ENGINES.get(name)
    if kind is not None and bool(rest) == (":" in kind.form):
        return kind.make(
            rest,
            EngineOptions(
                timeout, rate, parallel, seed, max_tokens, key_variable, forced, model, style, temperature or 0
            ),
        )
    forms = "; ".join(kind.form + kind.examples for kind in ENGINES.values())
    # Only the name is shown: what follows it may be an address with a password in it.
    near = suggest_name(name, tuple(ENGINES))
    raise SteelyardError(f"no engine {make_visible(name)!r}{near} (an engine is one of: {forms})")
