"""Files that a program reads beside its pages, damaged or planted: refused at once, with what to do about it."""

from __future__ import annotations

import json
import os
import tomllib
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from steelyard.configuration.file import read_configuration
from steelyard.corpora.parts import WorkFolder
from steelyard.corpora.plan import Thresholds
from steelyard.corpora.run import filter_corpus
from steelyard.errors import CorpusRefused, InvalidFile, InvalidWeights, RunDiffers, SteelyardError
from steelyard.scoring import weighting
from steelyard.support.lock import Lock
from steelyard.support.toml import TomlRefused, parse_toml
from tests.contract.shared import run_process, run_steelyard
from tests.corpora.shared import make_plan, make_rows, read_jsonl, write_jsonl
from tests.hostile.pages import within

SECONDS = 20.0  # each takes a second at most, and without the bound minutes or for ever
needs_pipes = pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="no pipes on this system")


def dotted(count: int) -> str:
    return ".".join(["a"] * count)


# TOML

ENDLESS = {
    "a key of many dots": f"{dotted(40_000)} = 1",
    "a key of many quoted parts": '"a" . ' * 40_000 + "a = 1",
    "a table of a long name": f"[{dotted(40_000)}]",
    "a list of tables of a long name": f"[[{dotted(40_000)}]]",
    "a long key in an inline table": f"a = {{ b = 1, {dotted(40_000)} = 1 }}",
    "a long key after a string of many lines": f'a = """\n"quoted" \\""" \n"""""\n{dotted(40_000)} = 1',
    "a long key after a literal string": f"a = 'it\\'\n{dotted(40_000)} = 1",
    "nested lists": "a = " + "[" * 100_000,
    "nested tables": "a = " + "{ a = " * 100_000,
    "tables nested by keys and brackets": f"a = {f'{{ {dotted(20)} = ' * 200}1{'}' * 200}",
    "an integer that cannot be printed": f"a = 0x{'f' * 100_000}",
}


def test_toml_that_would_take_all_memory_or_stack_is_refused_with_its_line_by_every_reader(tmp_path: Path) -> None:
    file = tmp_path / "w.toml"
    for name, text in ENDLESS.items():
        line = text[: text.find("a.a.a")].count("\n") + 1 if "a.a.a" in text else 1
        file.write_text(text)
        with within(SECONDS, name):
            with pytest.raises(TomlRefused, match=rf"^line {line}: "):
                parse_toml(text.encode())
            with pytest.raises(InvalidFile, match=rf"{file}: line {line}: "):
                read_configuration(str(file))
            with pytest.raises(InvalidWeights, match=rf"{file}: line {line}: "):
                weighting.load(str(file))


HARMLESS = {
    "prose in a string": f'a = "{"Wait... " * 1_000}"',
    "prose in a string of many lines": 'a = """\n' + "Wait... what? [ { = 'it''s \\\"\"\" \n" * 1_000 + '"""',
    "prose in a literal string": "a = '''\n" + 'Wait... "so" [ { = \\ \n' * 1_000 + "'''",
    "marks at the end of a string": "a = \"\"\"b\"\"\"\"\"\nc = '''d'''''\ne = \"\"\nf = ''",
    "a list of patterns": "a = [\n" + "  'docs/**/*.md', # see ../...\n" * 1_000 + "]",
    "a list of numbers": "a = [" + "1.5, " * 1_000 + "]",
    "a list of lists": "a = [" + "[1.5, [2.5]], " * 1_000 + "]",
    "a comment": f"# {'.' * 1_000} {'[' * 1_000} \" ''' {'a' * 5_000}\na = 1",
    "many short keys": "".join(f"a.b.c{number} = {number}\n" for number in range(1_000)),
    "many tables": "".join(f"[a.b.c{number}]\n" for number in range(1_000)),
    "a key of dots in quotation marks": f'"{"." * 1_000}" = 1',
    "lines of Windows": 'a = """\r\n...\\\r\n"""\r\nb = 1.5\r\n',
    "a key of twenty dots": f"{dotted(21)} = 1",
}


def test_dots_and_brackets_outside_of_keys_are_read() -> None:
    for name, text in HARMLESS.items():
        assert parse_toml(text.encode()) == tomllib.loads(text), name


SLOWEST = {
    "keys": lambda number: f"{dotted(20)}.k{number} = 1\n",
    "tables": lambda number: f"[{dotted(20)}.k{number}]\n",
    "lists of tables": lambda number: f"[[{dotted(20)}]]\n",
    "strings": lambda number: f'k{number} = """\\n"""\n',
}


@pytest.mark.parametrize("make", SLOWEST.values(), ids=SLOWEST)
def test_a_megabyte_of_toml_within_the_bounds_takes_seconds(make: Callable[[int], str]) -> None:
    text = "".join(make(number) for number in range(1_000_000 // len(make(10_000))))
    with within(SECONDS):
        parse_toml(f"[{dotted(19)}.b]\n{text}".encode())


def test_toml_that_is_wrong_is_left_to_the_parser_to_explain() -> None:
    for text in ("a = '", 'a = """ "', 'a = "\n', "a = [", "a = b.c.d", "= 1"):
        with pytest.raises(tomllib.TOMLDecodeError):
            parse_toml(text.encode())


def test_check_does_not_take_all_memory_for_a_configuration(tmp_path: Path) -> None:
    (tmp_path / ".git").mkdir()
    (tmp_path / "page.md").write_text("The tide is read twice a day. " * 20)
    for name, table, code in (
        ("pyproject.toml", "[project]\n", 0),  # somebody else's
        ("pyproject.toml", "[tool.steelyard]\n", 2),
        ("steelyard.toml", "", 2),
    ):
        (tmp_path / name).write_text(f"{table}{dotted(40_000)} = 1")
        done = run_process("check", "page.md", "--no-cache", "--quiet", cwd=tmp_path, seconds=60)
        assert done.returncode == code, done.stderr
        assert (b": a key of more than 20 dots" in done.stderr) == (code == 2), name


# Pipes


@needs_pipes
@pytest.mark.parametrize(
    ("name", "reason"),
    [
        ("out.jsonl.lock", b"not a regular file but a device, pipe or socket"),
        ("rejects.jsonl.lock", b"not a regular file but a device, pipe or socket"),
        ("rejects.jsonl.partial", b"not a regular file, and needed to write the rejects; move it away"),
        ("out.jsonl.partial", b"needed as a working folder"),
        ("out.jsonl.partial/run.json", b"holds 'run.json', which is not a regular file; move it away"),
        ("out.jsonl.partial/000000.json", b"holds '000000.json', which is not a regular file"),
        ("out.jsonl.partial/000000.kept.new", b"holds '000000.kept.new', which is not a regular file"),
        ("out.jsonl.partial/joined", b"holds 'joined', which is not a regular file"),
    ],
)
def test_filter_does_not_wait_for_a_pipe_among_its_own_files(tmp_path: Path, name: str, reason: bytes) -> None:
    write_jsonl(tmp_path / "in.jsonl", make_rows(3))
    (tmp_path / name).parent.mkdir(exist_ok=True)
    os.mkfifo(tmp_path / name)
    arguments = ("filter", "in.jsonl", "-o", "out.jsonl", "--rejects", "rejects.jsonl", "--quiet")
    done = run_steelyard(*arguments, cwd=tmp_path, seconds=60)
    assert done.returncode == 2, done.stderr
    assert reason in done.stderr
    assert not (tmp_path / "out.jsonl").exists()


def test_a_link_planted_among_the_files_of_a_run_is_not_written_through(tmp_path: Path) -> None:
    folder, plan = start_and_stop(tmp_path)
    (tmp_path / "precious").write_text("precious")
    (folder / "joined").symlink_to(tmp_path / "precious")
    with pytest.raises(CorpusRefused, match="holds 'joined', which is not a regular file"):
        filter_corpus(plan)
    assert (tmp_path / "precious").read_text() == "precious"


@needs_pipes
def test_serve_does_not_wait_for_a_token_from_a_pipe_or_cut_a_long_one(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe")
    (tmp_path / "token").write_text("a" * 4_097)
    for name, reason in (
        ("pipe", b"pipe: not a regular file but a device, pipe or socket; save the token to a file"),
        ("token", b"token: over 4,096 bytes; put nothing but a token into it"),
    ):
        done = run_steelyard("serve", "--port", "0", "--token-file", name, cwd=tmp_path, seconds=60)
        assert done.returncode == 2, done.stderr
        assert reason in done.stderr


@needs_pipes
def test_nobody_waits_for_a_lock_that_is_a_pipe(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "out.lock")
    with within(SECONDS), pytest.raises(SteelyardError, match=r"out\.lock: not a regular file .* so move it away"):
        Lock(tmp_path / "out")
    assert os.path.lexists(tmp_path / "out.lock")


# Locks and working folders that are damaged


def test_a_damaged_lock_is_taken_over(tmp_path: Path) -> None:
    long = '{"pid": ' + "9" * 4_000 + "}"
    for text in ("", "{", "[]", "null", "\xff", "[" * 4_000, "9" * 4_000, long, '{"host": 1}', '{"host": [[]]}'):
        (tmp_path / "out.lock").write_bytes(text.encode("latin-1"))
        Lock(tmp_path / "out").release()
        assert not (tmp_path / "out.lock").exists(), text[:12]


DEEP = "[" * 100_000
STARTED = '{"header": {"options": {"as_of": "2026-07-01"}, "deep": '
STATES = {
    "nothing": "",
    "an empty object": "{}",
    "a list": "[]",
    "a number": "1",
    "a header that is a number": '{"header": 1}',
    "an empty header": '{"header": {}}',
    "options that are a list": '{"header": {"options": []}}',
    "a date that is none": '{"header": {"options": {"as_of": "x"}}}',
    "a date that is a number": '{"header": {"options": {"as_of": 1}}}',
    "brackets": DEEP,
    "counts that are a list": f'{STARTED}1}}, "finished": []}}',
    "no text": "\xff\xfe",
}


def test_a_damaged_state_of_a_run_is_refused_and_named(tmp_path: Path) -> None:
    plan = make_plan([write_jsonl(tmp_path / "in.jsonl", make_rows(3))], tmp_path / "out.jsonl")
    folder = tmp_path / "out.jsonl.partial"
    folder.mkdir()
    for name, text in STATES.items():
        (folder / "run.json").write_bytes(text.encode("latin-1"))
        with pytest.raises(CorpusRefused, match=rf"run\.json: cannot be read \(.*; delete {folder}$"):
            filter_corpus(plan)
        assert (folder / "run.json").exists(), name


def test_a_state_that_can_be_read_but_not_compared_is_refused(tmp_path: Path) -> None:
    (tmp_path / "out.jsonl.partial").mkdir()
    for depth in range(800, 1_000):  # one of which is deep enough for the comparison alone
        text = f"{STARTED}{'[' * depth}{']' * depth}}}}}"
        (tmp_path / "out.jsonl.partial" / "run.json").write_text(text)
        with pytest.raises((CorpusRefused, RunDiffers)):
            WorkFolder(str(tmp_path / "out.jsonl")).open({"options": {"as_of": "2026-07-01"}})


class Stop(Exception):
    """Stands for a run that ends before it is complete."""


def start_and_stop(tmp_path: Path) -> tuple[Path, Any]:
    """Return the working folder of a run with two finished parts, and its plan."""

    def stop(rows: int, share: float) -> None:
        if rows >= 14:
            raise Stop

    source = write_jsonl(tmp_path / "in.jsonl", make_rows(20))
    rejects = str(tmp_path / "rejects.jsonl")
    plan = make_plan([source], tmp_path / "out.jsonl", thresholds=Thresholds(min_score=0), rejects=rejects)
    with pytest.raises(Stop):
        filter_corpus(plan, batch_size=2, report_progress=stop)
    folder = tmp_path / "out.jsonl.partial"
    assert (folder / "000001.json").exists()
    return folder, plan


def change(*keys: str, to: Any) -> Callable[[str], str]:
    """Return a function that changes one value of a record."""

    def edit(text: str) -> str:
        record = json.loads(text)
        table = record
        for key in keys[:-1]:
            table = table[key]
        table[keys[-1]] = to
        return json.dumps(record)

    return edit


RECORDS: dict[str, Callable[[str], str]] = {
    "nothing": lambda _: "",
    "half of it": lambda text: text[: len(text) // 2],
    "an empty object": lambda _: "{}",
    "null": lambda _: "null",
    "a list": lambda _: "[]",
    "a number": lambda _: "1",
    "brackets": lambda _: DEEP,
    "a place without a byte": change("end", to=[0, 6]),
    "a place of texts": change("end", to=["0", "6", "9"]),
    "a place before the file": change("end", to=[0, 6, -1]),
    "a place beyond any file": change("end", to=[0, 6, 10**30]),
    "no counts": change("tally", to={}),
    "counts that are a list": change("tally", to=[]),
    "a count that is a text": change("tally", "rows", to="6"),
    "a count that is a fraction": change("tally", "kept", to=0.5),
    "a count below 0": change("tally", "flagged", to=-1),
    "languages that are a list": change("tally", "languages", to=["en"]),
    "a language counted in texts": change("tally", "languages", to={"en": "6"}),
    "a score that is no number": change("tally", "scores", to={"high": 6}),
    "a score below 0": change("tally", "scores", to={"-5000": 6}),
    "examples that are numbers": change("tally", "examples", to={"too short": [1]}),
    "kinds that are lists": change("tally", "kinds", to={"id": []}),
}


def test_a_damaged_record_of_a_part_is_refused_and_named_and_a_whole_one_continued(tmp_path: Path) -> None:
    folder, plan = start_and_stop(tmp_path)
    record = folder / "000001.json"
    whole = record.read_text()
    for name, damage in RECORDS.items():
        record.write_text(damage(whole))
        with pytest.raises(CorpusRefused, match=rf"000001\.json: cannot be read \(.+\); delete {folder}$"):
            filter_corpus(plan)
        assert record.exists(), name
    record.write_text(whole)
    assert filter_corpus(plan).tally.rows == 20
    assert len(read_jsonl(tmp_path / "out.jsonl")) == 20


def test_a_damaged_part_is_refused_and_named(tmp_path: Path) -> None:
    folder, plan = start_and_stop(tmp_path)
    missing = r"cannot be read \(No such file or directory\)"
    for name, data, reason in (
        ("000000.rejects", None, missing),
        ("000000.kept", b"\xff" * 8, "cut short or damaged"),
        ("000000.kept", b"\0" * 7 + b"\x09" + b"short", "cut short or damaged"),
        ("000000.kept", b"\0\0\0", "cut short or damaged"),
        ("000000.kept", None, missing),
    ):
        whole = (folder / name).read_bytes()
        (folder / name).unlink()
        if data is not None:
            (folder / name).write_bytes(data)
        with pytest.raises(CorpusRefused, match=f"{name}: {reason}; delete {folder}"):
            filter_corpus(plan)
        assert not (tmp_path / "out.jsonl").exists()
        (folder / name).write_bytes(whole)
