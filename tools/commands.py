"""Print the reference of the commands in Markdown, from the commands themselves.

python -m tools.commands everyday                what each everyday command is for, and the extras it needs
python -m tools.commands laboratory              the same for the laboratory
python -m tools.commands shared                  the options that many commands share
python -m tools.commands help score              the help of a command, without exit codes and shared options
python -m tools.commands options audit           its usage and options alone, where a page explains the command
python -m tools.commands studies lab protocol    every command of a group, with the options of its own
"""

from __future__ import annotations

import re
import sys
from collections.abc import Iterator

import click

from steelyard.cli.main import COMMANDS, cli, laboratory

# What a command needs besides the plain package; a command that is missing here ends `./run docs`.
EXTRAS = {
    "score": "`html` for HTML and addresses",
    "explain": "`html` for HTML",
    "compare": "`html` for HTML",
    "check": "`html` for HTML",
    "config": "",
    "lsp": "`lsp`; `html` for HTML",
    "mcp": "`mcp`; `html` for HTML",
    "filter": "`bulk` for Parquet and zstd, `html` for HTML",
    "audit": "`site`, `html`",
    "history": "`site`; `bulk` for `export`",
    "leaderboard": "`site`; none for a file of scores",
    "serve": "`web`; `html` for HTML and addresses, `site` for audits",
    "rules": "",
    "editions": "",
    "falsify": "`lab`",
    "predict": "`rank` for `--model`",
    "lab protocol": "`lab`",
    "lab gaming": "`lab`",
    "lab outcome": "`lab`; `engines` for llama.cpp",
    "lab ranking": "`lab`, `rank`",
    "lab agreement": "`lab`",
    "lab reproduce": "`lab`, `rank`",
    "lab corpus": "",
    "lab verify": "`lab`",
}
LABORATORY = ("falsify", "predict", *(f"lab {name}" for name in laboratory.listed))
# The options of `score` and of a study that are described once; a command that means something else shows its own.
SHARED: tuple[str, ...] = (
    "--as-of",
    "--edition",
    "--weights",
    "--language",
    "--title",
    "--url",
    "--max-bytes",
    "--limit",
    "--jobs",
)
SHARED += ("--kind", "--selector", "--uncertain", "--quiet", "--output", "--help")
SHARED_BY_STUDIES: tuple[str, ...] = (
    "--format",
    "--out",
    "--no-plots",
    "--edition",
    "--language",
    "--view",
    "--arm",
    "--seed",
)
SHARED_BY_STUDIES += ("--as-of", "--jobs", "--quiet", "--help")
WIDTH = 100


def render_table(what: str, *words: str) -> str:
    """Return one part of the reference."""
    name = " ".join(words)
    if what in ("help", "options"):
        return render_help(name, explained=what == "help")
    if what == "studies":
        return "".join(list_studies(name))
    if what == "shared":
        return list_options("score", SHARED[:-1]) if not name else list_options(name, SHARED_BY_STUDIES[:-1])
    everyday = [each for each in COMMANDS if each not in (*LABORATORY, "lab")]
    chosen = LABORATORY if what == "laboratory" else everyday
    page = "laboratory-commands.md" if what == "laboratory" else "commands.md"
    lines = ["| command | what for | extras |", "| --- | --- | --- |"]
    for each in chosen:
        command, _ = find_command(each)
        anchor = each.replace(" ", "-")
        lines.append(f"| [`{each}`]({page}#{anchor}) | {first_sentence(command)} | {EXTRAS[each] or '–'} |")
    return "\n".join(lines) + "\n"


def find_command(name: str) -> tuple[click.Command, click.Context]:
    """Return a command by its words, such as `history diff`, and the context of its help."""
    context = click.Context(cli, info_name="steelyard", max_content_width=WIDTH, terminal_width=WIDTH)
    command: click.Command = cli
    for word in name.split():
        found = command.get_command(context, word) if isinstance(command, click.Group) else None
        if found is None:
            raise SystemExit(f"commands: there is no command {name!r}")
        command = found
        context = click.Context(
            command,
            info_name=word,
            parent=context,
            max_content_width=WIDTH,
            terminal_width=WIDTH,
            help_option_names=["-h", "--help"],
        )
    return command, context


def first_sentence(command: click.Command) -> str:
    """Return the first paragraph of a command's help, in one line."""
    paragraph = (command.help or "").strip().split("\n\n")[0]
    return " ".join(paragraph.split()).replace("|", "\\|")


def is_shared(option: click.Parameter, shared: tuple[str, ...], like: str) -> bool:
    """Return whether an option is described once for all commands: by its name, and by what it takes."""
    names = [name for name in option.opts if name in shared]
    if not names:
        return False
    model, _ = find_command(like)
    twin = next((each for each in model.params if names[0] in each.opts), None)
    same = ("metavar", "required", "default")
    return twin is None or all(getattr(twin, each) == getattr(option, each) for each in same)


def own_options(
    command: click.Command, context: click.Context, shared: tuple[str, ...], like: str
) -> list[tuple[str, str]]:
    """Return the name and help of each option that is not described once for all."""
    options = [each for each in command.get_params(context) if isinstance(each, click.Option)]
    records = [each.get_help_record(context) for each in options if not is_shared(each, shared, like)]
    return [shorten(*record) for record in records if record]


def shorten(name: str, meaning: str) -> tuple[str, str]:
    """Return an option's name and help without the types and ranges that click adds."""
    meaning = re.sub(r"; [^;\[\]]*\bx[<>][^\]]*\]", "]", meaning)
    meaning = re.sub(r"\s*\[[^;\[\]]*\bx[<>][^\]]*\]", "", meaning)
    return re.sub(r"\b(?:INTEGER|FLOAT)(?: RANGE)?$", "N", name), meaning


def render_help(name: str, *, explained: bool = True) -> str:
    """Return the help of a command as a block: exit codes are left out, shared options only named."""
    names, like = (SHARED_BY_STUDIES, "lab protocol gates") if name in LABORATORY else (SHARED, "score")
    command, context = find_command(name)
    formatter = context.make_formatter()
    command.format_usage(context, formatter)
    if explained:
        command.format_help_text(context, formatter)
    options = [each for each in command.get_params(context) if "--help" not in each.opts]
    shared = [max(each.opts, key=len) for each in options if is_shared(each, names, like)]
    own = own_options(command, context, names, like)
    if own:
        with formatter.section("Options"):
            formatter.write_dl(own)
    if isinstance(command, click.Group):
        records = [(each, first_sentence(command.commands[each])) for each in command.commands]
        with formatter.section("Commands"):
            formatter.write_dl(records)
    text = re.sub(r"\n  Exit codes:\n(?:    .*\n)+", "", formatter.getvalue()).rstrip()
    if shared:
        missing = ", ".join(each for each in names[:-1] if each not in shared)
        some = missing.count(",") + 1 >= len(shared)
        text += "\n\nShared options: " + (", ".join(shared) if some else f"all but {missing}" if missing else "all")
    return f"```text\n{text}\n```\n"


def list_options(name: str, wanted: tuple[str, ...]) -> str:
    """Return a table of some options of a command."""
    command, context = find_command(name)
    lines = ["| option | meaning |", "| --- | --- |"]
    for each in command.get_params(context):
        record = each.get_help_record(context)
        if record and any(opt in wanted for opt in each.opts):
            option, meaning = shorten(*record)
            lines.append("| `{}` | {} |".format(option.replace("|", "\\|"), " ".join(meaning.split())))
    return "\n".join(lines) + "\n"


def list_studies(group: str) -> Iterator[str]:
    """Yield a table of the commands of a group, with the options of their own."""
    command, context = find_command(group)
    if not isinstance(command, click.Group):
        raise SystemExit(f"commands: {group} is no group")
    yield f"| `{group}` … | what it does | options of its own |\n| --- | --- | --- |\n"
    for name in command.list_commands(context):
        study, inner = find_command(f"{group} {name}")
        arguments = [each.make_metavar(inner) for each in study.params if isinstance(each, click.Argument)]
        own = [record[0] for record in own_options(study, inner, SHARED_BY_STUDIES, "lab protocol gates")]
        cells = [f"`{' '.join([name, *arguments])}`", ", ".join(f"`{each}`" for each in own) or "–"]
        usage, options = (cell.replace("|", "\\|") for cell in cells)
        yield f"| {usage} | {first_sentence(study)} | {options} |\n"


if __name__ == "__main__":
    print(render_table(*sys.argv[1:]), end="")
