"""Turn what a user types into an engine."""

from __future__ import annotations

import math
import os
import re
from pathlib import Path

from steelyard.errors import SteelyardError, suggest_name
from steelyard.lab.outcome.engines.base import Engine
from steelyard.lab.outcome.engines.extractive import Extractive
from steelyard.lab.outcome.engines.llama import Llama
from steelyard.lab.outcome.engines.openai import KEY_VARIABLE, OpenAI, check_variable
from steelyard.support.escape import make_visible

BASE_VARIABLE = "OPENAI_BASE_URL"
NAMES = ("extractive", "openai", "llama")
FORMS = (
    "extractive; "
    f"openai:MODEL@ADDRESS, such as openai:qwen3:8b@http://localhost:11434/v1, "
    f"or openai:MODEL with the address in {BASE_VARIABLE}; "
    "llama:FILE.gguf, such as llama:models/SmolLM2-135M-Instruct.Q4_1.gguf"
)
_SERVED = re.compile(r"(?P<model>.+?)@(?P<base>https?://.+)", re.IGNORECASE)


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
) -> Engine:
    """Return the engine that `spec` names; it takes the options that concern it.

    Args:
        spec: One of FORMS.
        timeout: Seconds for an answer.
        rate: Calls a minute.
        parallel: Calls at the same time.
        seed: Sent to the engine, unless it is None.
        max_tokens: The longest answer.
        key_variable: The environment variable that holds the key.
        forced: Make a local model cite after every sentence.
    """
    check_variable(key_variable)
    if not 0 < timeout < math.inf:
        raise SteelyardError(f"the time limit is {timeout:g} s; give a number of seconds above 0")
    if rate is not None and not 0 < rate < math.inf:
        raise SteelyardError(f"the rate is {rate:g} calls a minute; give a number above 0")
    if parallel < 1 or max_tokens < 1:
        raise SteelyardError("the calls at a time and the tokens of an answer must be 1 or more")
    name, _, rest = spec.strip().partition(":")
    if name == "extractive" and not rest:
        return Extractive()
    if name == "openai" and rest:
        match = _SERVED.fullmatch(rest)
        model, base = match.group("model", "base") if match else (rest, os.environ.get(BASE_VARIABLE, ""))
        if not base:
            raise SteelyardError(
                f"no address for the model; write openai:MODEL@https://host/v1, or set {BASE_VARIABLE} to the address"
            )
        return OpenAI(model, base, key_variable, timeout, rate, parallel, seed, max_tokens)
    if name == "llama" and rest:
        path = Path(rest).expanduser()
        if not path.is_file():
            raise SteelyardError(f"{path}: no such file; give the path of a .gguf file")
        return Llama(path, forced, timeout, 1 if seed is None else seed, max_tokens)
    # Only the name is shown: what follows it may be an address with a password in it.
    raise SteelyardError(f"no engine {make_visible(name)!r}{suggest_name(name, NAMES)} (an engine is one of: {FORMS})")
