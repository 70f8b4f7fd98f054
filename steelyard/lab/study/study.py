"""What a study is: one entry that makes its command, report sections and documentation blocks; and shared options."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import date
from typing import TYPE_CHECKING, Any

from steelyard.lab.corpus import FLATTENED, VIEWS
from steelyard.lab.edits.base import ARMS, REPEAT
from steelyard.lab.edits.phrasebook import LANGUAGES
from steelyard.lab.study.findings import Findings
from steelyard.scoring import editions

if TYPE_CHECKING:
    from steelyard.lab.study.material import Material

Result = Mapping[str, Any]  # of plain JSON values; also a part of one


@dataclass(frozen=True, slots=True)
class Argument:
    """The argument of a study's command: its name in the usage line, its default, and whether it takes several.

    Several are at least one, unless none are needed.
    """

    name: str
    default: str | None = None
    several: bool = False
    required: bool = True


@dataclass(frozen=True, slots=True)
class Option:
    """An option of a study's command. `kind` is str, int, float, bool, date, or the tuple of allowed names."""

    flag: str
    help: str
    kind: Any = str
    default: Any = None
    minimum: float | None = None
    maximum: float | None = None
    metavar: str | None = None

    @property
    def key(self) -> str:
        return self.flag.lstrip("-").replace("-", "_")


# Options that several studies share.
SEED = Option("--seed", "Seed of the edits and the resampling.", int, 0)
DRAWS = Option("--draws", "Bootstrap draws.", int, 1000, minimum=100)
# How pages become a capture, where a study is given pages and not a capture file.
PAGE_OPTIONS = (
    Option("--language", "Pages of this language.", LANGUAGES, "en"),
    Option("--view", "The paper's flattened view, or the page's own line breaks and title.", VIEWS, FLATTENED),
    Option("--arm", "Dose k is one block k times, or k fresh blocks.", ARMS, REPEAT),
    SEED,
)
# The same with the edition of our own score.
CAPTURE_OPTIONS = (Option("--edition", "The edition of the score.", editions.NAMES, editions.PAPER), *PAGE_OPTIONS)
FRENCH = Option("--french", "French pages to compare with. [default: the demo's, with the demo]", metavar="SOURCE")
# Which models compute the optional features of a ranker.
DATA_OPTIONS = (
    Option("--embedder", "Features of meaning: wordllama, st:MODEL or onnx:FOLDER. [default: none]", metavar="MODEL"),
    Option(
        "--cross-encoder",
        "Relevance: given (as the records have it), auto (given where all records have it), st:NAME_OR_PATH or "
        "onnx:FOLDER. [default: none]",
        metavar="MODEL",
    ),
    Option("--judged", "Records with the relevance of the same texts under the same queries.", metavar="FILE"),
    Option("--language", "Language of the pages.", editions.load(editions.PAPER).languages, "en"),
    Option("--seed", "Seed of folds, models and resampling.", int, 0),
)


@dataclass(frozen=True, slots=True)
class Request:
    """One call of a study: its arguments, its options by key, and where its inputs are recorded."""

    arguments: tuple[str, ...]
    options: Mapping[str, Any]
    as_of: date
    jobs: int | None = None
    quiet: bool = True
    explicit: frozenset[str] = frozenset()  # the keys of options that the user set
    warn: Callable[[str], None] = print
    inputs: dict[str, str] = field(default_factory=dict)  # name → SHA-256, filled while inputs are read
    parameters: dict[str, Any] = field(default_factory=dict)  # the artifact's, filled while the study is computed

    @property
    def seed(self) -> int:
        return int(self.options.get("seed", 0))


Call = tuple[Sequence[str], Mapping[str, Any]]  # the arguments and the options of a command


@dataclass(frozen=True, slots=True)
class Section:
    """A section of the report: the study's command, with arguments and options that are made when it is computed."""

    call: Callable[[], Call] = lambda: ((), {})
    name: str = ""  # default: the study's
    title: str = ""  # default: the study's
    about: str = ""
    view: str = ""  # what tells it from the study's other sections, in a column of the tables they share


@dataclass(frozen=True, slots=True)
class Study:
    """One study of the laboratory.

    `compute` turns a request into a result of plain JSON values; `findings` turns that result into tables, plots and
    sentences and needs nothing else; a table that is not main is printed in the appendix only. `sections` lists what
    `reproduce` includes of it for the given material.
    """

    name: str
    title: str
    compute: Callable[[Request], Result]
    findings: Callable[..., Findings]
    group: str = ""  # of commands, or "lab" for a command of its own there; "" for a study without a command
    command: str = ""  # the command's name; default: the study's name
    help: str = ""
    argument: Argument = Argument("SOURCE", "demo")
    options: Sequence[Option] = ()
    quotes_others: bool = False  # whether `findings` also takes a function from a section's name to its result
    sections: Callable[[Material], Iterable[Section]] = lambda material: ()
    exit_code: Callable[[Result, Mapping[str, Any]], int] = lambda result, options: 0
    # What the figures of a result were measured on and what its intervals resample, for every table of its sections;
    # the second argument gives another section's result, or None.
    sample: Callable[[Result, Callable[[str], Any]], str] = lambda result, result_of: ""

    @property
    def command_name(self) -> str:
        return self.command or self.name

    def list_sections(self, material: Material) -> list[Section]:
        """Return the study's sections, each with a name and a title."""
        return [replace(s, name=s.name or self.name, title=s.title or self.title) for s in self.sections(material)]

    def defaults(self) -> dict[str, Any]:
        """Return the default of every option by its key."""
        return {option.key: option.default for option in self.options}
