"""`steelyard`: the group of commands, and how errors are reported."""

from __future__ import annotations

import importlib
import os
import sys
import traceback

import click

from steelyard import __version__
from steelyard.cli.interrupts import keep_interrupts
from steelyard.cli.lab import GROUPS, LabGroup, SuggestingGroup
from steelyard.cli.output import warn
from steelyard.cli.streams import is_write_error, prepare_streams, silence
from steelyard.errors import Interrupted, OutputFailed, SteelyardError
from steelyard.support.escape import make_visible

COMMANDS = (
    "score",
    "explain",
    "compare",
    "check",
    "config",
    "lsp",
    "mcp",
    "filter",
    "audit",
    "history",
    "leaderboard",
    "serve",
    "components",
    "editions",
    "falsify",
    "protocol",
    "gaming",
    "outcome",
    "ranking",
    "predict",
    "reproduce",
    "corpus",
    "verify",
)
# Old names that keep working: the module and the name of the command.
UNLISTED = {"domains": ("leaderboard", "domains_command")}
CANNOT, INTERRUPTED = 2, 130  # 1: findings


class Commands(SuggestingGroup):
    """Imports the file of a command only when the command is called, so that every start is fast."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        return list(COMMANDS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        if cmd_name not in COMMANDS and cmd_name not in UNLISTED:
            return None
        if cmd_name in GROUPS:
            return LabGroup(cmd_name, help=GROUPS[cmd_name], no_args_is_help=True)
        module, name = UNLISTED.get(cmd_name, (cmd_name, "command"))
        command: click.Command = getattr(importlib.import_module(f"steelyard.cli.{module}"), name)
        return command


def _print_version(ctx: click.Context, param: click.Parameter, value: bool) -> None:
    if not value or ctx.resilient_parsing:
        return
    from steelyard.native.core import describe_core
    from steelyard.scoring import editions, weighting
    from steelyard.scoring.page import FORMULAS, describe_scoring

    click.echo(f"steelyard {__version__} (formulas {FORMULAS}), {describe_core()}")
    for edition in map(editions.load, editions.NAMES):
        weights = weighting.load(edition.weights)
        hashes = [(code, describe_scoring(weights.name, weights.digest, edition, code)) for code in edition.languages]
        shown = ", ".join(f"{code} {scoring.hash}" for code, scoring in hashes)
        click.echo(f"edition {edition.name}: weights {weights.name}, scoring {shown}")
    ctx.exit()


@click.group(cls=Commands, context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100})
@click.option(
    "--version",
    is_flag=True,
    is_eager=True,
    expose_value=False,
    callback=_print_version,
    help="Show version and hashes.",
)
@click.option("--debug", is_flag=True, help="Show the traceback of an error.")
def cli(debug: bool) -> None:
    """Score the content of web pages, offline and deterministically; every point can be traced to a line.

    The score is a quality filter. It does not predict citations.
    """
    # --debug is removed from the arguments before click sees them; here it is only listed.


def main() -> None:
    """Run a command, and turn every error into one line and an exit code."""
    keep_interrupts()
    prepare_streams()
    arguments = [a for a in sys.argv[1:] if a != "--debug"]
    try:
        code = cli.main(arguments, prog_name="steelyard", standalone_mode=False)
        sys.stdout.flush()
    except BrokenPipeError:
        silence(sys.stdout)
        code = CANNOT
    except SystemExit as ended:
        if not isinstance(ended.__context__, BrokenPipeError):
            raise
        code = CANNOT  # for a reader that is gone click exits with 1, which means findings here
    except (Exception, KeyboardInterrupt) as error:  # noqa: BLE001 - exit 1 means findings, so no fault may cause it
        code = _report(error, debug="--debug" in sys.argv)
    try:
        sys.stderr.flush()
    except OSError:
        silence(sys.stderr)
    sys.exit(code if isinstance(code, int) else 0)


def _report(error: BaseException, *, debug: bool) -> int:
    """Print an error in one line, and return the exit code."""
    if isinstance(error, click.exceptions.Exit):
        return error.exit_code
    if isinstance(error, click.exceptions.NoArgsIsHelpError):
        warn(error.format_message())  # the whole help, with its line breaks
        return CANNOT
    if isinstance(error, KeyboardInterrupt | click.Abort):
        message = "interrupted"
    elif isinstance(error, click.ClickException):
        message = error.format_message()
    elif isinstance(error, SteelyardError):
        message = str(error)
    elif is_write_error(error):
        silence(sys.stdout)
        message = str(OutputFailed(os.strerror(error.errno)))  # type: ignore[attr-defined]
    else:
        message = f"unexpected {type(error).__name__}: {error}; this is a bug, --debug shows where"
    if debug:
        for line in "".join(traceback.format_exception(error)).splitlines():
            warn(make_visible(line))
    warn(f"steelyard: {make_visible(message)}")
    return INTERRUPTED if isinstance(error, KeyboardInterrupt | click.Abort | Interrupted) else CANNOT
