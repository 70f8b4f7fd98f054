"""`steelyard`: the group of commands, and how errors are reported."""

from __future__ import annotations

import os
import sys
import traceback

import click

from steelyard import __version__
from steelyard.errors import Interrupted, OutputFailed, SteelyardError
from steelyard.support.escape import make_visible
from steelyard.terminal.commands import CommandTable
from steelyard.terminal.output import warn
from steelyard.terminal.process import CANNOT, INTERRUPTED, is_write_error, keep_interrupts, prepare_streams, silence

# Every command, and the module that defines it.
COMMANDS = {
    "score": "steelyard.pages.score_command",
    "explain": "steelyard.pages.explain_command",
    "compare": "steelyard.pages.compare_command",
    "check": "steelyard.check.check_command",
    "config": "steelyard.check.config_command",
    "filter": "steelyard.corpora.filter_command",
    "audit": "steelyard.site.audit_command",
    "history": "steelyard.site.history_command",
    "leaderboard": "steelyard.site.leaderboard_command",
    "serve": "steelyard.web.serve_command",
    "falsify": "steelyard.lab.commands.falsify",
    "predict": "steelyard.lab.commands.predict",
    "lsp": "steelyard.check.lsp_command",
    "mcp": "steelyard.check.mcp_command",
    "rules": "steelyard.check.rules_command",
    "editions": "steelyard.pages.editions_command",
    "lab": "steelyard.cli.main:laboratory",
}
LABORATORY = {
    "protocol": "steelyard.lab.commands.studies:protocol",
    "gaming": "steelyard.lab.commands.studies:gaming",
    "outcome": "steelyard.lab.commands.studies:outcome",
    "ranking": "steelyard.lab.commands.studies:ranking",
    "corpus": "steelyard.lab.commands.corpus",
    "agreement": "steelyard.lab.commands.agreement",
    "reproduce": "steelyard.lab.commands.reproduce",
    "verify": "steelyard.lab.commands.verify",
}
# Names from before, which keep working: those of the laboratory without `lab`, and two that became part of others.
UNLISTED = {
    **LABORATORY,
    "components": "steelyard.check.rules_command:components_command",
    "domains": "steelyard.site.leaderboard_command:domains_command",
}


class Commands(CommandTable):
    """The commands; a page, folder or address in the place of a command is scored, also after options of `score`."""

    named = "command, file or folder"

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        if args and args[0].startswith("-"):
            option = args[0].partition("=")[0]
            score = self.get_command(ctx, "score")
            if score is not None and option not in _list_options(ctx, self) and option in _list_options(ctx, score):
                args = ["score", *args]
        return super().parse_args(ctx, args)

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        if args and self.get_command(ctx, args[0]) is None and _is_page(args[0]):
            args = ["score", *args]
        return super().resolve_command(ctx, args)


def _list_options(ctx: click.Context, command: click.Command) -> set[str]:
    return {name for each in command.get_params(ctx) for name in (*each.opts, *each.secondary_opts)}


def _is_page(argument: str) -> bool:
    """Tell whether an argument that is no command names a page: by its form, or because it is there."""
    return argument == "-" or any(mark in argument for mark in "./\\") or os.path.lexists(argument)


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


@click.group(
    cls=Commands,
    listed=COMMANDS,
    unlisted=UNLISTED,
    context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100},
)
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


laboratory = CommandTable(
    "lab",
    listed=LABORATORY,
    no_args_is_help=True,
    help="Test this score and others: edits and gates, attacks, engines, rankers, the whole study.",
)


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
