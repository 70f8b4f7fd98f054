"""What a user types, and which engine it is."""

from __future__ import annotations

import importlib
import json
import pkgutil
from pathlib import Path
from typing import Any

import pytest

from steelyard.errors import SteelyardError
from steelyard.lab.outcome import engines
from steelyard.lab.outcome.engines.base import Engine
from steelyard.lab.outcome.engines.batch import Batch
from steelyard.lab.outcome.engines.extractive import Extractive
from steelyard.lab.outcome.engines.llama import Llama
from steelyard.lab.outcome.engines.openai import OpenAI
from steelyard.lab.outcome.engines.resolve import (
    BASE_VARIABLE,
    ENGINES,
    describe_engines,
    find_engine_file,
    resolve_engine,
)

OPTIONS: dict[str, Any] = {
    "timeout": 9.0, "rate": 30.0, "parallel": 2, "seed": 5, "max_tokens": 77, "key_variable": "MY_KEY", "forced": True,
    "temperature": 0.7,
}  # fmt: skip


@pytest.mark.parametrize(
    ("spec", "model", "base"),
    [
        ("openai:gpt-x@https://host.example/v1", "gpt-x", "https://host.example/v1"),
        ("openai:qwen3:8b@http://localhost:11434/v1", "qwen3:8b", "http://localhost:11434/v1"),
        ("openai:org/m@2@HTTPS://me:pw@host.example", "org/m@2", "HTTPS://me:pw@host.example"),
    ],
)
def test_a_served_model_has_its_address_behind_it(spec: str, model: str, base: str):
    assert resolve_engine(spec) == OpenAI(model, base)


def test_or_in_the_environment(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.delenv(BASE_VARIABLE, raising=False)
    with pytest.raises(SteelyardError, match=f"set {BASE_VARIABLE}"):
        resolve_engine("openai:gpt-x")
    monkeypatch.setenv(BASE_VARIABLE, "https://host.example/v1")
    assert resolve_engine("openai:gpt-x") == OpenAI("gpt-x", "https://host.example/v1")
    monkeypatch.setenv(BASE_VARIABLE, "host.example")
    with pytest.raises(SteelyardError, match=r"names no server"):
        resolve_engine("openai:gpt-x")


def test_a_file_is_a_local_model(tmp_path: Path):
    path = tmp_path / "a:b@c.gguf"
    path.write_bytes(b"GGUF")
    assert resolve_engine(f"llama:{path}") == Llama(path)
    with pytest.raises(SteelyardError, match=r"no such file"):
        resolve_engine(f"llama:{tmp_path}/none.gguf")


def test_each_engine_takes_the_options_that_concern_it(tmp_path: Path):
    path = tmp_path / "m.gguf"
    path.touch()
    assert isinstance(resolve_engine(" extractive ", **OPTIONS), Extractive)
    assert resolve_engine(f"llama:{path}", **OPTIONS) == Llama(
        path, forced=True, timeout=9.0, seed=5, max_tokens=77, temperature=0.7
    )
    assert resolve_engine("openai:m@http://h.example", **OPTIONS) == OpenAI(
        "m", "http://h.example", key_variable="MY_KEY", timeout=9.0, rate=30.0, parallel=2, seed=5, max_tokens=77,
        temperature=0.7,
    )  # fmt: skip
    assert resolve_engine("batch:june", **OPTIONS) == Batch(Path("june"), seed=5, max_tokens=77, temperature=0.7)


def test_a_temperature_is_from_0_to_2_and_0_stays_a_whole_number():
    """The hash of a request is that of its JSON, in which 0 and 0.0 differ."""
    for wrong in (-0.1, 2.1, float("nan")):
        with pytest.raises(SteelyardError, match=r"the temperature is"):
            resolve_engine("extractive", temperature=wrong)
    assert json.dumps(resolve_engine("batch:june", temperature=0.0).identity["temperature"]) == "0"


@pytest.mark.parametrize("spec", ["", ":", "openai", "openai:", "llama:", "extractive:x", "Extractive", "gpt-x"])
def test_what_is_none_of_these_lists_the_forms(spec: str):
    with pytest.raises(SteelyardError) as caught:
        resolve_engine(spec)
    assert all(form in str(caught.value) for form in (kind.form for kind in ENGINES.values()))


def test_every_engine_is_named_by_its_form() -> None:
    for name, kind in ENGINES.items():
        assert kind.form.partition(":")[0] == name
        assert kind.form in describe_engines()


def test_only_the_file_of_a_model_is_an_input() -> None:
    assert find_engine_file(" llama:~/m:b.gguf") == str(Path("~/m:b.gguf").expanduser())
    for spec in ("llama:", "llama", "extractive", "openai:m@http://h.example", "m.gguf", ""):
        assert find_engine_file(spec) is None, spec


def test_a_slip_of_the_pen_is_told_the_nearest_name():
    with pytest.raises(SteelyardError, match=r"no engine 'opnai'; did you mean 'openai'\?"):
        resolve_engine("opnai:m@http://h.example")


@pytest.mark.parametrize(
    "wrong",
    [
        {"timeout": 0.0}, {"timeout": float("nan")}, {"timeout": float("inf")}, {"rate": 0.0}, {"rate": -1.0},
        {"rate": float("nan")}, {"parallel": 0}, {"max_tokens": 0},
    ],
)  # fmt: skip
def test_options_that_cannot_be_are_refused(wrong: dict[str, float]):
    with pytest.raises(SteelyardError):
        resolve_engine("extractive", **wrong)  # type: ignore[arg-type]


def is_engine(found: object) -> bool:
    """Return whether something has all that `Engine` asks for."""
    members = ("name", "kind", "paid", "parallel", "identity", "open")
    return isinstance(found, type) and found is not Engine and all(hasattr(found, m) for m in members)


def test_every_file_with_an_engine_has_its_name_and_its_form():
    places = [m.name for m in pkgutil.iter_modules(engines.__path__)]
    modules = {name: importlib.import_module(f"{engines.__name__}.{name}") for name in places}
    own = {
        name
        for name, module in modules.items()
        for found in vars(module).values()
        if is_engine(found) and found.__module__ == module.__name__
    }
    assert own == set(ENGINES)


def test_every_name_is_understood(tmp_path: Path):
    path = tmp_path / "m.gguf"
    path.touch()
    for name in ENGINES:
        for rest in ("", f":{path}", ":m@http://h.example"):
            try:
                resolve_engine(f"{name}{rest}")
                break
            except SteelyardError:
                continue
        else:
            pytest.fail(f"no form of {name} gives an engine")
