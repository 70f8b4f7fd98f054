"""The laboratory's commands, generated from the registry of studies, and what all its commands share."""

from __future__ import annotations

import importlib.util
import os
from collections.abc import Callable, Mapping, Sequence
from datetime import date
from typing import TYPE_CHECKING, Any, TypeVar

import click
from click.core import ParameterSource

from steelyard.errors import CannotWrite, MissingExtra, SteelyardError
from steelyard.support.artifacts import make_envelope, make_output_folder, round_floats, to_json, write_artifact
from steelyard.support.clock import resolve_as_of
from steelyard.support.escape import make_visible
from steelyard.terminal.commands import CommandTable
from steelyard.terminal.inputs import list_files, refuse_input, remember_input
from steelyard.terminal.options import Known, add_options, format_option
from steelyard.terminal.output import emit, warn

if TYPE_CHECKING:
    from steelyard.lab.study.findings import Findings
    from steelyard.lab.study.study import Option, Request, Study

F = TypeVar("F", bound=Callable[..., Any])
FORMATS = ("human", "json", "markdown")
OUT = "steelyard-out"
NEEDED = ("numpy", "scipy", "matplotlib", "httpcore")


def require_laboratory() -> None:
    """Raise MissingExtra before anything is computed where the laboratory is not installed."""
    # Small matrices: several BLAS threads cost three times the time, and may cost the last bit.
    for variable in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"):
        os.environ.setdefault(variable, "1")
    for package in NEEDED:
        if importlib.util.find_spec(package) is None:
            raise MissingExtra("lab", package)


def require_folder(folder: str | None, option: str = "--out") -> None:
    """Refuse a folder that cannot be made or written to before minutes are spent, and make nothing yet."""
    if folder is None:
        return
    place = os.path.abspath(folder)
    while not os.path.lexists(place):
        place = os.path.dirname(place)
    if not os.path.isdir(place):
        raise _unusable(folder, f"{place} is not a folder", option)
    if not os.access(place, os.W_OK | os.X_OK):
        raise _unusable(folder, f"no permission in {place}", option)


def refuse_artifact(folder: str | None, name: str, inputs: Sequence[Any]) -> None:
    """Refuse, before any work, to write the artifact over an input; the plots are checked when their names are known.

    Args:
        folder: Where the artifact is written, or None.
        name: The name of the study.
        inputs: What the user gave; what names no file is ignored.
    """
    if folder is None:
        return
    for path in list_files([value for value in inputs if isinstance(value, str)]):
        remember_input(path)
    refuse_input(os.path.join(folder, f"{name}.json"), ())


def _unusable(folder: str, reason: str, option: str = "--out") -> SteelyardError:
    return SteelyardError(f"{folder}: cannot write here ({reason}); choose another folder with {option}")


_WHEN = "Date that ages are counted to. [default: STEELYARD_AS_OF, else today in UTC]"
run_options = add_options(
    click.option("--as-of", type=resolve_as_of, metavar="DATE", help=_WHEN),
    click.option("--jobs", type=click.IntRange(min=1), help="Processes. [default: all cores]"),
    click.option("--quiet", is_flag=True, help="No progress."),
)
result_options = add_options(
    format_option(*FORMATS),
    click.option("--out", "folder", metavar="DIR", default=OUT, show_default=True, help="For artifact and plots."),
    click.option("--no-plots", is_flag=True, help="Write the artifact, and no pictures."),
)


class StudyGroup(CommandTable):
    """A group of laboratory commands: one for each study of the registry, and a few others."""

    def _studies(self) -> dict[str, Study]:
        require_laboratory()
        from steelyard.lab.study.registry import STUDIES

        return {study.command_name: study for study in STUDIES if study.group == self.name}

    def list_commands(self, ctx: click.Context) -> list[str]:
        return [*super().list_commands(ctx), *self._studies()]

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        if (command := super().get_command(ctx, cmd_name)) is not None:
            return command
        study = self._studies().get(cmd_name)
        return make_command(study) if study else None


protocol = StudyGroup(
    "protocol",
    listed={"capture": "steelyard.lab.commands.protocol_capture"},
    no_args_is_help=True,
    help="""Test a score: capture controlled edits, then try to break it.

    SOURCE is a file made by `lab protocol capture`, or pages (a corpus file, a folder, a JSONL file) that are captured
    on the spot. Without one the demo pages are used.
    """,
)
gaming = StudyGroup(
    "gaming",
    no_args_is_help=True,
    help="Attack the score: attacks, detectors, an adaptive attacker, leaderboard positions.",
)
outcome = StudyGroup(
    "outcome",
    listed={"run": "steelyard.lab.commands.outcome_run"},
    no_args_is_help=True,
    help="Ask answer engines: paired experiments, effects on citations, anchors, ceilings.",
)
ranking = StudyGroup(
    "ranking",
    listed={"train": "steelyard.lab.commands.ranking_train"},
    no_args_is_help=True,
    help="Rank sources for a query, and evaluate rankers so that nothing leaks.",
)


def make_command(study: Study) -> click.Command:
    """Make the command of a study from its entry in the registry."""

    def call(**parsed: Any) -> int:
        return _run(study, parsed)

    command = study_options(study.options)(run_options(result_options(call)))
    argument = study.argument
    settings: dict[str, Any] = {"metavar": f"[{argument.name}]", "required": False, "default": argument.default}
    if argument.several:
        name = f"{argument.name}..." if argument.required else f"[{argument.name}]..."
        settings = {"metavar": name, "nargs": -1, "required": argument.required}
    return click.command(study.command_name, help=study.help)(click.argument("arguments", **settings)(command))


def study_options(options: Sequence[Option]) -> Callable[[F], F]:
    """Add a study's options to a command."""
    return add_options(*(_click_option(option) for option in options))


def _click_option(option: Option) -> Callable[[F], F]:
    settings: dict[str, Any] = {"help": option.help, "default": option.default, "metavar": option.metavar}
    if option.kind is bool:
        return click.option(option.flag, option.key, is_flag=True, help=option.help)
    if isinstance(option.kind, tuple):
        settings["type"] = Known(option.flag.lstrip("-"), option.kind)
    elif option.kind is date:
        settings["type"] = resolve_as_of
    elif option.kind in (int, float):
        kind: Any = click.IntRange if option.kind is int else click.FloatRange
        is_open = option.kind is float and option.minimum == 0  # no timeout or rate is 0
        settings["type"] = kind(min=option.minimum, max=option.maximum, min_open=is_open)
    return click.option(option.flag, option.key, show_default=option.default is not None, **settings)


def _run(study: Study, parsed: Mapping[str, Any]) -> int:
    """Compute a study, write its artifact and plots, print its findings, and return the exit code."""
    require_laboratory()
    require_folder(parsed["folder"])
    arguments = parsed["arguments"] if isinstance(parsed["arguments"], tuple) else (parsed["arguments"],)
    refuse_artifact(parsed["folder"], study.name, [*arguments, *(parsed[option.key] for option in study.options)])
    request = make_request(study.options, parsed)
    result = study.compute(request)
    output = {"form": parsed["form"], "folder": parsed["folder"], "plots": not parsed["no_plots"]}
    finish(study.name, result, study.findings(result), request.inputs, request.parameters, **output)
    return study.exit_code(result, request.options)


def make_request(options: Sequence[Option], parsed: Mapping[str, Any]) -> Request:
    """Make a study's request from what click parsed."""
    from steelyard.lab.study.study import Request

    arguments = parsed.get("arguments")
    context = click.get_current_context()
    return Request(
        arguments if isinstance(arguments, tuple) else (arguments,) if arguments else (),
        {option.key: parsed[option.key] for option in options},
        parsed["as_of"] or resolve_as_of(None),
        parsed["jobs"],
        parsed["quiet"],
        frozenset(k for k in parsed if context.get_parameter_source(k) is ParameterSource.COMMANDLINE),
        warn,
    )


def finish(
    name: str,
    result: Mapping[str, Any],
    findings: Findings,
    inputs: Mapping[str, str],
    parameters: Mapping[str, Any],
    *,
    form: str,
    folder: str | None,
    plots: bool = True,
    output: str | None = None,
    text: str | None = None,
) -> None:
    """Write the artifact and the plots, and print the findings, or the `text` of a form of the command's own."""
    artifact = round_floats(make_envelope(f"steelyard.{name}/1", inputs=inputs, parameters=parameters, result=result))
    written = _write(folder, name, findings.plots if plots else {}, artifact) if folder is not None else []
    if text is None:
        text = _RENDERERS[form](artifact, findings)
    emit(text, output)
    if written:
        warn(f"wrote {', '.join(make_visible(w) for w in written)}")


_RENDERERS: Mapping[str, Callable[[Any, Findings], str]] = {
    "human": lambda _artifact, findings: findings.to_terminal(),
    "json": lambda artifact, _findings: to_json(artifact, sort_keys=True) + "\n",
    "markdown": lambda _artifact, findings: findings.to_markdown(),
}


def _write(folder: str, name: str, plots: Mapping[str, Any], artifact: Mapping[str, Any]) -> list[str]:
    written = [os.path.join(folder, f"{name}.json")]
    for stem in plots:
        for ending in (".png", ".svg"):
            refuse_input(os.path.join(folder, stem + ending), ())
    try:
        make_output_folder(folder)
        write_artifact(written[0], artifact)
        for stem, plot in plots.items():
            written += [os.path.join(folder, os.path.basename(str(p))) for p in plot.write(os.path.join(folder, stem))]
    except (OSError, CannotWrite) as error:
        cause = error if isinstance(error, OSError) else error.__cause__
        raise _unusable(folder, str(getattr(cause, "strerror", None) or error)) from error
    return written
