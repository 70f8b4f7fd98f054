"""Runs the steps of action.yml as GitHub does: expressions are filled in, and each script is given to bash.

Actions of others (`uses`) are recorded, not run.
"""

from __future__ import annotations

import os
import re
import subprocess
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import yaml

from tests.conftest import ROOT

ACTION: dict[str, Any] = yaml.safe_load((ROOT / "action.yml").read_text("utf-8"))
STEPS: list[dict[str, Any]] = ACTION["runs"]["steps"]
_EXPRESSION = re.compile(r"\$\{\{\s*(.*?)\s*\}\}")


@dataclass
class Job:
    """One use of the action in a checkout."""

    checkout: Path
    temporary: Path
    inputs: dict[str, str]
    given: dict[str, dict[str, str]]  # outputs of steps that are not run, by their id
    is_fork: bool = False
    environment: dict[str, str] = field(default_factory=dict)
    steps: dict[str, dict[str, str]] = field(default_factory=dict)
    used: list[dict[str, Any]] = field(default_factory=list)
    log: str = ""
    code: int = 0

    def run(self) -> Job:
        """Run the steps until one fails."""
        self.temporary.mkdir(parents=True, exist_ok=True)
        unknown = self.inputs.keys() - ACTION["inputs"].keys()
        assert not unknown, unknown
        for step in STEPS:
            name = step.get("id", "")
            if "if" in step and not self._is_true(step["if"]):
                continue
            if name in self.given:
                self.steps[name] = self.given[name]
            elif "uses" in step:
                self.used.append({"uses": step["uses"], **{k: self._fill(str(v)) for k, v in step["with"].items()}})
            else:
                self.code = self._run_script(step, name)
                if self.code:
                    break
        return self

    @property
    def outputs(self) -> dict[str, str]:
        """What later steps of the workflow see."""
        return {name: self._fill(output["value"]) for name, output in ACTION["outputs"].items()}

    @property
    def summary(self) -> str:
        """What GitHub shows below the job."""
        file = self.temporary / "summary"
        return file.read_text("utf-8") if file.exists() else ""

    def _run_script(self, step: dict[str, Any], name: str) -> int:
        assert step["shell"] == "bash"
        script, output = self.temporary / "script.sh", self.temporary / "output"
        script.write_text(step["run"], "utf-8")
        output.write_text("")
        own = {
            "RUNNER_TEMP": str(self.temporary),
            "GITHUB_OUTPUT": str(output),
            "GITHUB_STEP_SUMMARY": str(self.temporary / "summary"),
            **self.environment,
            **{key: self._fill(value) for key, value in step.get("env", {}).items()},
        }
        done = subprocess.run(
            ["bash", "--noprofile", "--norc", "-e", "-o", "pipefail", str(script)],
            cwd=self.checkout / self._fill(step.get("working-directory", ".")),
            env={**os.environ, **own},
            capture_output=True,
            check=False,
        )
        self.log += (done.stdout + done.stderr).decode("utf-8", "backslashreplace")
        lines = [line for line in output.read_text("utf-8").splitlines() if line]
        self.steps[name] = dict(line.split("=", 1) for line in lines)
        return done.returncode

    def _fill(self, text: str) -> str:
        return _EXPRESSION.sub(lambda match: self._look_up(match[1]), text)

    def _look_up(self, name: str) -> str:
        where, _, rest = name.partition(".")
        if where == "inputs":
            return self.inputs.get(rest, str(ACTION["inputs"][rest]["default"]))
        if where == "steps":
            step, _, output = rest.partition(".outputs.")
            return self.steps.get(step, {}).get(output, "")
        return {
            "github.action_path": str(ROOT),
            "github.sha": "f" * 40,
            "github.token": "a token",
            "github.event.pull_request.head.repo.fork": "true" if self.is_fork else "",
            "runner.os": "Linux",
            "runner.temp": str(self.temporary),
        }[name]

    def _is_true(self, condition: str) -> bool:
        """Evaluate comparisons that are joined by `&&`, which is all the action uses."""
        expression = _EXPRESSION.fullmatch(condition.strip())
        assert expression
        for comparison in expression[1].split(" && "):
            name, operator, value = comparison.split()
            assert operator in ("==", "!="), comparison
            if (self._look_up(name) == value.strip("'")) != (operator == "=="):
                return False
        return True
