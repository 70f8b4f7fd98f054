"""What the commands of the laboratory share: which pages, which capture, and what becomes of the findings."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import date
from typing import Any, TypeVar

import click
from click.core import ParameterSource

from steelyard.cli.options import AsOf, Known
from steelyard.cli.output import emit, warn
from steelyard.errors import CannotWrite, MissingExtra, SteelyardError
from steelyard.inputs.find import is_corpus
from steelyard.lab.study.findings import Findings
from steelyard.support import escape
from steelyard.support.artifacts import envelope, rounded, sha256_of, to_json, write_artifact
from steelyard.support.clock import resolve_as_of
from steelyard.support.escape import visible
from steelyard.support.wording import counted

F = TypeVar("F", bound=Callable[..., Any])
FORMATS = ("human", "json", "markdown")
OUT = "steelyard-out"
NEEDED = ("numpy", "scipy", "matplotlib", "httpx")


class OutUnusable(SteelyardError):
    """The folder for the artifact cannot be written to."""

    def __init__(self, folder: str, reason: str, option: str = "--out") -> None:
        super().__init__(f"{folder}: cannot write here ({reason}); choose another folder with {option}")


def needs_laboratory() -> None:
    """Say which extra is missing before anything is computed."""
    import importlib.util

    # Small matrices: several BLAS threads cost three times the time, and may cost the last bit.
    for variable in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"):
        os.environ.setdefault(variable, "1")
    for package in NEEDED:
        if importlib.util.find_spec(package) is None:
            raise MissingExtra("lab", package)


def ready(folder: str | None, option: str = "--out") -> None:
    """Refuse a folder that cannot be made or written to before minutes are spent, and make nothing yet."""
    if folder is None:
        return
    place = os.path.abspath(folder)
    while not os.path.lexists(place):
        place = os.path.dirname(place)
    if not os.path.isdir(place):
        raise OutUnusable(folder, f"{place} is no folder", option)
    if not os.access(place, os.W_OK | os.X_OK):
        raise OutUnusable(folder, f"no permission in {place}", option)


def capture_options(command: F) -> F:
    """How pages become a capture, where the command is given pages and not a capture file."""
    view = "The paper's flattened view, or the page's own line breaks and title."
    arm = "Dose k is one block k times, or k fresh blocks."
    when = "Date that ages are counted to. [default: STEELYARD_AS_OF, else today in UTC]"
    return _with(
        (
            _choice("--language", ("en", "fr"), "Pages of this language."),
            _choice("--view", ("flattened", "structured"), view),
            _choice("--arm", ("repeat", "fresh"), arm),
            click.option("--seed", type=int, default=0, show_default=True, help="Of the edits and the resampling."),
            click.option("--as-of", type=AsOf(), metavar="DATE", help=when),
            click.option("--jobs", type=click.IntRange(min=1), help="Processes. [default: all cores]"),
            click.option("--quiet", is_flag=True, help="No progress."),
        ),
        command,
    )


def study_options(command: F) -> F:
    """--format, --out and --no-plots, for every study."""
    where = "Folder for the artifact and the plots."
    return _with(
        (
            _choice("--format", FORMATS, "How to print.", "form"),
            click.option("--out", "folder", metavar="DIR", default=OUT, show_default=True, help=where),
            click.option("--no-plots", is_flag=True, help="Write the artifact, and no pictures."),
        ),
        command,
    )


def _choice(flag: str, names: tuple[str, ...], about: str, key: str | None = None) -> Callable[[F], F]:
    """An option with a few known values, the first of which is the default."""
    kind = Known(flag.lstrip("-"), names)
    return click.option(flag, key or flag.lstrip("-"), type=kind, default=names[0], show_default=True, help=about)


def french_option(command: F) -> F:
    """--french, for the studies that put French pages beside the English ones."""
    about = "French pages beside the English ones. [default: the demo's, with the demo]"
    return click.option("--french", "french_source", metavar="SOURCE", help=about)(command)


def _with(options: tuple[Callable[[F], F], ...], command: F) -> F:
    for option in reversed(options):
        command = option(command)
    return command


@dataclass(frozen=True, slots=True)
class How:
    """The options of `capture_options`, resolved."""

    language: str
    view: str
    arm: str
    seed: int
    as_of: date
    jobs: int | None
    quiet: bool


def how(options: Mapping[str, Any]) -> How:
    """Take what belongs to the capture out of a command's options."""
    needs_laboratory()
    if "folder" in options:
        ready(options["folder"])
    as_of = options["as_of"] or resolve_as_of(None)
    return How(
        options["language"], options["view"], options["arm"], options["seed"], as_of, options["jobs"], options["quiet"]
    )


def taken(spec: str, options: How, *, language: str | None = None) -> Any:
    """The capture a user named: a capture file, or pages that are captured now with our own scorer."""
    from steelyard.lab.protocol import capture
    from steelyard.lab.scorers.ours import Ours

    if is_capture(spec):
        found = capture.load(spec)
        _as_asked(spec, found.header.parameters, language)
        return found
    corpus = loaded(spec, quiet=options.quiet)
    pages = pages_of(corpus, language or options.language)
    scorer = Ours(as_of=options.as_of)
    plan = capture.Plan(options.view, options.arm, options.seed)
    head = capture.header(pages, corpus.digest, corpus.name, scorer, plan)
    return capture.capture(pages, scorer, head, plan, jobs=options.jobs, quiet=options.quiet)


def _as_asked(spec: str, made: Mapping[str, Any], language: str | None) -> None:
    """A capture is used as it was made: an option that asks for another one is refused, not ignored."""
    context = click.get_current_context()
    asked = {
        key: context.params[key]
        for key in ("language", "view", "arm")
        if context.get_parameter_source(key) is ParameterSource.COMMANDLINE
    } | ({"language": language} if language else {})
    for key, value in asked.items():
        if made[key] != value:
            raise SteelyardError(f"{spec}: captured with --{key} {made[key]}, not {value}; capture the pages again")


def loaded(spec: str, *, quiet: bool) -> Any:
    """The corpus a user named; what is left out of pages that are cut now is told."""
    from steelyard.lab.corpus import loading as candidates

    found = candidates.load(spec)
    if not quiet and not is_corpus(spec):
        for reason, number in found.dropped.items():
            warn(f"steelyard: {number} left out: {visible(reason)}")
    return found


def pages_of(corpus: Any, language: str) -> Any:
    """The pages of one language, of which there must be some."""
    pages = corpus.of(language)
    if not pages:
        there = ", ".join(sorted({p.language for p in corpus.pages}))
        raise SteelyardError(f"{corpus.name}: no page in {language!r} (there are: {there}); choose with --language")
    return pages


def is_capture(spec: str) -> bool:
    """Whether a file begins as a journal does."""
    from steelyard.support.journal import begins

    return begins(spec)


def french(spec: str | None, source: str, options: How) -> Any | None:
    """The French capture beside an English one: named, or the French pages of the demo; None without any."""
    from steelyard.lab.corpus import loading as candidates

    if spec is None and source != candidates.DEMO:
        return None
    return taken(spec or source, options, language="fr")


def source_of(taken_: Any, *, french: Any | None = None, outcomes: str | None = None) -> dict[str, Any]:
    """Where a capture's figures come from, for the envelope."""
    head = taken_.header
    inputs = dict(head.inputs)
    if french is not None:
        inputs |= {f"french: {name}": digest for name, digest in french.header.inputs.items()}
    if outcomes is not None:
        inputs["outcomes"] = sha256_of(outcomes)
    return {"inputs": inputs, "parameters": dict(head.parameters)}


def enough(number: int, least: int, noun: str, where: str = "") -> None:
    """Refuse a study whose figures would be about next to nothing."""
    if number < least:
        raise SteelyardError(f"undefined: {counted(number, noun)}{where}; this study needs {least} or more")


def finish(
    findings: Findings,
    origin: Mapping[str, Any],
    options: Mapping[str, Any],
    *,
    extra: Mapping[str, Any] | None = None,
) -> int:
    """Write the artifact and the plots, print the tables, and give the exit code."""
    form, folder = options["form"], options["folder"]
    parameters = {**origin["parameters"], **(extra or {})}
    artifact = rounded(
        envelope(
            f"steelyard.{findings.name}/1", inputs=origin["inputs"], parameters=parameters, result=dict(findings.result)
        )
    )
    try:
        written = [_artifact(folder, findings.name, artifact)] if folder is not None else []
        for stem, plot in findings.plots.items() if folder is not None and not options["no_plots"] else ():
            written += [os.path.join(folder, os.path.basename(str(p))) for p in plot.write(os.path.join(folder, stem))]
    except CannotWrite as error:
        raise OutUnusable(folder, str(getattr(error.__cause__, "strerror", None) or error)) from error
    if form == "json":
        emit(to_json(artifact, sort_keys=True) + "\n", None)
    else:
        emit(markdown(findings) if form == "markdown" else human(findings), None)
    if written:
        warn(f"wrote {', '.join(visible(w) for w in written)}")
    return 1 if findings.found else 0


def _artifact(folder: str, name: str, artifact: Mapping[str, Any]) -> str:
    try:
        os.makedirs(folder, exist_ok=True)
    except OSError as error:
        raise CannotWrite(folder, error.strerror or str(error)) from error
    path = os.path.join(folder, f"{name}.json")
    write_artifact(path, artifact)
    return path


def human(findings: Findings) -> str:
    """The verdict first, then the tables."""
    lines = [visible(line) for line in findings.lines]
    for titled in findings.tables:
        lines += ["", titled.title, *titled.table.to_terminal()]
        lines += [titled.note] if titled.note else []
    return "\n".join(lines) + "\n"


def markdown(findings: Findings) -> str:
    parts = ["\n".join(f"- {escape.prose(line)}" for line in findings.lines)]
    for titled in findings.tables:
        parts.append(
            f"**{titled.title}**\n\n{titled.table.to_markdown()}" + (f"\n{titled.note}\n" if titled.note else "")
        )
    return "\n\n".join(parts) + "\n"
