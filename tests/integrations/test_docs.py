"""What docs/check.md tells people to copy fits the action, the hook and the options of the command."""

from __future__ import annotations

import re
import tomllib
from typing import Any

import yaml

from steelyard.check.check_command import command
from steelyard.configuration.keys import check_table
from tests.conftest import ROOT
from tests.integrations.action_runner import ACTION

PAGE = (ROOT / "docs" / "check.md").read_text("utf-8")


def read_fences(kind: str) -> list[str]:
    return re.findall(rf"^```{kind}\n(.*?)^```", PAGE, re.MULTILINE | re.DOTALL)


def find_steps(value: Any) -> list[dict[str, Any]]:
    if isinstance(value, list):
        return [step for item in value for step in find_steps(item)]
    if isinstance(value, dict):
        own = [value] if "uses" in value or "run" in value else []
        return own + [step for item in value.values() for step in find_steps(item)]
    return []


def test_the_workflow_gives_the_action_only_inputs_that_it_has() -> None:
    documents = [yaml.safe_load(text) for text in read_fences("yaml")]
    used = [step for step in find_steps(documents) if str(step.get("uses")).startswith("OWNER/steelyard@")]
    assert used
    for step in used:
        assert set(step["with"]) <= set(ACTION["inputs"])


def test_the_tables_list_every_input_and_output() -> None:
    named = set(re.findall(r"`([a-z-]+)`", "\n".join(line for line in PAGE.splitlines() if line.startswith("| `"))))
    assert set(ACTION["inputs"]) | set(ACTION["outputs"]) <= named


def test_the_hook_to_copy_exists() -> None:
    hooks = {hook["id"] for hook in yaml.safe_load((ROOT / ".pre-commit-hooks.yaml").read_text("utf-8"))}
    (config,) = [d for d in map(yaml.safe_load, read_fences("yaml")) if isinstance(d, dict) and "repos" in d]
    assert {hook["id"] for repo in config["repos"] for hook in repo["hooks"]} <= hooks


def test_the_configuration_to_copy_is_accepted() -> None:
    for text in read_fences("toml"):
        assert check_table(tomllib.loads(text), "docs/check.md")


def test_every_option_of_the_check_exists() -> None:
    known = {name for parameter in command.params for name in (*parameter.opts, *parameter.secondary_opts)}
    for line in re.findall(r"steelyard check[^\n`']*", PAGE):
        assert set(re.findall(r"(?<=\s)--?[a-z][a-z-]*", line)) <= known, line
