"""`steelyard`: the group of commands, and what becomes of errors."""

from __future__ import annotations

import importlib
import signal
import sys
import traceback

import click

from steelyard import __version__
from steelyard.cli.output import close_quietly, warn
from steelyard.errors import Interrupted, SteelyardError, nearest
from steelyard.support.escape import visible

COMMANDS = (
    "score",
    "explain",
    "compare",
    "domains",
    "components",
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
FINDINGS, CANNOT, INTERRUPTED = 1, 2, 130


class Commands(click.Group):
    """Imports a command's file when it is called, so that each start pays for one."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        return list(COMMANDS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        if cmd_name not in COMMANDS:
            return None
        command: click.Command = importlib.import_module(f"steelyard.cli.{cmd_name}").command
        return command

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        if args and args[0] not in COMMANDS and not args[0].startswith("-"):
            raise click.UsageError(
                f"no such command {args[0]!r}{nearest(args[0], COMMANDS)} (commands: {', '.join(COMMANDS)})"
            )
        return super().resolve_command(ctx, args)


def _version(ctx: click.Context, param: click.Parameter, value: bool) -> None:
    if not value or ctx.resilient_parsing:
        return
    from steelyard import languages
    from steelyard.scoring import weighting
    from steelyard.scoring.page import FORMULAS, scoring

    shipped = weighting.load(weighting.DEFAULT)
    hashes = ", ".join(f"{code} {scoring(shipped.name, shipped.digest, code).hash}" for code in languages.CODES)
    click.echo(f"steelyard {__version__} (formulas {FORMULAS}, weights {shipped.name}, scoring {hashes})")
    ctx.exit()


@click.group(cls=Commands, context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100})
@click.option(
    "--version", is_flag=True, is_eager=True, expose_value=False, callback=_version, help="Version and scoring hash."
)
@click.option("--debug", is_flag=True, help="Show the traceback of an error.")
def cli(debug: bool) -> None:
    """Weigh web pages: a deterministic, offline content score, every point of it with its line.

    The score is a quality filter. It is not a prediction of citations.
    """
    # --debug is taken out of the arguments before click sees them; here it is only listed.


def main() -> None:
    """Run, and turn every error a user can cause into one line and an exit code."""
    if hasattr(signal, "SIGTERM"):
        signal.signal(signal.SIGTERM, signal.default_int_handler)
    for stream in (sys.stdout, sys.stderr):
        # Results are UTF-8 whatever the locale; a lone surrogate is written as its escape, which JSON reads back.
        stream.reconfigure(encoding="utf-8", errors="backslashreplace")  # type: ignore[union-attr]
    debug = "--debug" in sys.argv
    arguments = [a for a in sys.argv[1:] if a != "--debug"]
    try:
        code = cli.main(arguments, prog_name="steelyard", standalone_mode=False)
    except click.exceptions.Exit as done:
        sys.exit(done.exit_code)
    except click.exceptions.NoArgsIsHelpError as error:
        warn(error.format_message())  # the whole help, as it is laid out
        sys.exit(CANNOT)
    except click.ClickException as error:
        _report(error, error.format_message(), debug)
        sys.exit(CANNOT)
    except Interrupted as error:
        _report(error, str(error), debug)
        sys.exit(INTERRUPTED)
    except (KeyboardInterrupt, click.Abort) as error:
        _report(error, "interrupted", debug)
        sys.exit(INTERRUPTED)
    except SteelyardError as error:
        _report(error, str(error), debug)
        sys.exit(CANNOT)
    except BrokenPipeError:
        close_quietly()
        sys.exit(CANNOT)
    except Exception as error:  # noqa: BLE001 - exit 1 means findings; a fault of ours must not look like one
        _report(error, f"unexpected {type(error).__name__}: {error}; this is a bug, --debug shows where", debug)
        sys.exit(CANNOT)
    sys.exit(code if isinstance(code, int) else 0)


def _report(error: BaseException, message: str, debug: bool) -> None:
    if debug:
        traceback.print_exception(error)
    warn(f"steelyard: {visible(message)}")
