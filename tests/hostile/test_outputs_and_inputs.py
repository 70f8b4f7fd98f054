"""No output takes the place of a file that is read, kept or written as well, whatever it is called."""

from __future__ import annotations

import json
import os
import shutil
from pathlib import Path
from typing import Any

import pytest

from steelyard.components import NAMES
from steelyard.site.store.location import BESIDE, list_store_files
from steelyard.support.artifacts import find_repeated
from tests.conftest import run_here
from tests.contract.shared import PROSE, run_steelyard
from tests.hostile.test_output import assert_harmless

AN_INPUT = "this is also an input, and would be overwritten"
THE_STORE = "this belongs to the store of audits, and would be overwritten; write to another file"
TWICE = "two outputs would be written to this file; give each a file of its own"
NO_BASELINE = "this is not a baseline, and would be overwritten; delete it first, or give another name with --baseline"
OUTSIDE = "leads out of"
HOSTILE = "a\x1b[31mred\x1b[0m\u202e"


def write_page(path: Path, title: str = "Tides") -> None:
    path.write_text(f"# {title}\n\n{PROSE}\n\n{PROSE.upper()}\n", encoding="utf-8")


def read_tree(folder: Path) -> dict[str, bytes]:
    """Return the bytes of all files; those that SQLite keeps beside a store come and go."""
    files = (path for path in folder.rglob("*") if path.is_file() and not path.name.endswith(BESIDE))
    return {str(path.relative_to(folder)): path.read_bytes() for path in files}


def assert_refused(folder: Path, command: str, message: str, **changes: Any) -> None:
    """Assert exit 2, one line that holds the message, and that no file has changed."""
    before = read_tree(folder)
    done = run_here(*command.split(), cwd=folder, **changes)
    assert done.returncode == 2, (command, done.stderr)
    assert message in done.stderr, command
    assert done.stderr.count("\n") == 1
    assert not done.stdout
    assert read_tree(folder) == before, command


@pytest.fixture(scope="module")
def audited(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with two pages and a store that has an audit of them."""
    folder = tmp_path_factory.mktemp("audited")
    (folder / "d").mkdir()
    for name in ("p1.md", "p2.md"):
        write_page(folder / "d" / name, name)
    for _ in range(2):
        done = run_steelyard("audit", "--from-dir", "d", "--store", "s.db", "--quiet", "--jobs", "1", cwd=folder)
        assert done.returncode == 0, done.stderr.decode()
    return folder


@pytest.fixture
def site(audited: Path, tmp_path: Path) -> Path:
    """A copy of it, with other names for the store."""
    folder = tmp_path / "site"
    shutil.copytree(audited, folder)
    (folder / "soft.db").symlink_to("s.db")
    os.link(folder / "s.db", folder / "hard.db")
    return folder


AUDIT = "audit --from-dir d --jobs 1 --quiet"
STORE_READERS = {
    "audit": f"{AUDIT} --format json {{store}} -o",
    "history": "history {store} --format json -o",
    "history of a site": "history d {store} -o",
    "history diff": "history diff d {store} -o",
    "history export": "history export {store}",
    "leaderboard": "leaderboard {store} --format json -o",
}


@pytest.mark.parametrize("command", STORE_READERS.values(), ids=STORE_READERS)
def test_no_output_replaces_the_store_or_what_sqlite_keeps_beside_it(command: str, site: Path) -> None:
    for output in ("s.db", "./d/../s.db", "soft.db", "hard.db", "s.db-wal", "s.db-shm", "s.db-journal"):
        assert_refused(site, f"{command.format(store='--store s.db')} {output}", THE_STORE)


def test_the_store_is_recognised_however_it_is_named_and_wherever_it_is(site: Path) -> None:
    for store in ("soft.db", "sqlite:///s.db", "d/../s.db"):
        for output in ("s.db", "s.db-wal"):
            assert_refused(site, f"history --store {store} -o {output}", THE_STORE)
    for command in ("history -o s.db", "history export s.db", "leaderboard -o s.db"):
        assert_refused(site, command, THE_STORE, STEELYARD_STORE=str(site / "s.db"))
    for output in ("new.db", "new.db-wal"):  # which the audit makes
        assert_refused(site, f"{AUDIT} --store new.db -o {output}", THE_STORE)
    own = site / "data" / "steelyard"
    own.mkdir(parents=True)
    (site / "s.db").rename(own / "sites.sqlite")
    changes = {"XDG_DATA_HOME": str(site / "data"), "STEELYARD_STORE": ""}
    assert_refused(site, "history -o data/steelyard/sites.sqlite", THE_STORE, **changes)


def test_a_server_has_no_files_that_an_output_could_replace() -> None:
    pytest.importorskip("psycopg")
    assert list(list_store_files("postgresql://user@localhost/sites")) == []


def test_a_report_of_an_audit_replaces_no_page_of_its_folder_and_may_be_new_there(site: Path) -> None:
    (site / "soft.md").symlink_to("d/p1.md")
    os.link(site / "d" / "p1.md", site / "hard.md")
    for output in ("d/p1.md", "./d/p2.md", "soft.md", "hard.md"):
        assert_refused(site, f"{AUDIT} -o {output}", AN_INPUT)
    done = run_here(*AUDIT.split(), "-o", "d/report.txt", cwd=site, STEELYARD_STORE="absent/s.db")
    assert done.returncode == 0, done.stderr
    assert (site / "d" / "report.txt").stat().st_size


def test_a_leaderboard_replaces_no_page_that_it_attacks(site: Path) -> None:
    (site / "d" / "notes").write_text(PROSE)  # a page without the name of one
    rows = [{"domain": "a.org", "score": 50, "source": name} for name in ("p1.md", "notes")]
    (site / "scores.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
    for output in ("d/p1.md", "d/notes", "scores.jsonl"):
        assert_refused(site, f"leaderboard scores.jsonl --texts d -o {output}", AN_INPUT)


@pytest.fixture(scope="module")
def checked(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A project with a configuration, an ignore file, a nested configuration and a baseline."""
    folder = tmp_path_factory.mktemp("checked")
    (folder / "docs").mkdir()
    write_page(folder / "page.md")
    write_page(folder / "docs" / "inner.md")
    (folder / "steelyard.toml").write_text('exclude = ["*.txt"]\n')
    (folder / ".steelyardignore").write_text("drafts/\n")
    (folder / "docs" / "pyproject.toml").write_text("[tool.steelyard]\nmin_score = 1\n")
    done = run_steelyard("check", "--write-baseline", "--no-cache", "--quiet", cwd=folder)
    assert done.returncode == 0, done.stderr.decode()
    return folder


@pytest.fixture
def project(checked: Path, tmp_path: Path) -> Path:
    """A copy of it."""
    return Path(shutil.copytree(checked, tmp_path / "project"))


def test_a_report_of_check_replaces_no_file_that_was_found_for_it(project: Path) -> None:
    for name in ("steelyard.toml", ".steelyardignore", "docs/pyproject.toml", "steelyard-baseline.json", "page.md"):
        for option in ("-o ", "--report json:", "--exit-zero --report=sarif:./docs/../"):
            assert_refused(project, f"check --no-cache {option}{name}", AN_INPUT)
    (project / "own.toml").write_text("".join(f"{name} = {1 / len(NAMES)}\n" for name in NAMES))
    with (project / "steelyard.toml").open("a") as file:
        file.write('weights = "own.toml"\n')
    assert_refused(project, "check page.md --no-baseline --no-cache -o own.toml", AN_INPUT)


def test_the_printed_settings_replace_no_file_that_they_come_from(project: Path) -> None:
    for name in ("steelyard.toml", ".steelyardignore", "steelyard-baseline.json", "page.md"):
        (project / f"soft {name}").symlink_to(name)
        for command in (("config", "page.md"), ("config", "page.md", "--schema")):
            for output in (name, f"soft {name}"):
                done = run_here(*command, "-o", output, cwd=project)
                assert (done.returncode, AN_INPUT in done.stderr) == (2, True), (command, output)
    assert_refused(project, "config docs/inner.md -o docs/pyproject.toml", AN_INPUT)


def test_a_baseline_replaces_nothing_but_a_baseline(project: Path) -> None:
    write_baseline = "check --write-baseline --no-cache --baseline"
    (project / "soft.md").symlink_to("page.md")
    for name in ("page.md", "docs/inner.md", "steelyard.toml", ".steelyardignore", "soft.md"):
        assert_refused(project, f"{write_baseline} {name}", AN_INPUT)
    for content in ("", "my notes", "{}", '{"schema": "steelyard-baseline/0", "pages": {}}', "[]"):
        (project / "notes.json").write_text(content)
        assert_refused(project, f"{write_baseline} notes.json", NO_BASELINE)
    os.mkfifo(project / "pipe")
    for name in ("pipe", "docs"):
        assert_refused(project, f"{write_baseline} {name}", NO_BASELINE)
    assert_refused(project, f"{write_baseline} absent/b.json", "give another name with --baseline")
    (project / "steelyard-baseline.json").write_text("<<<<<<< ours")
    assert_refused(project, "check --no-cache", "delete it and write a new one")


def test_an_older_baseline_and_a_new_file_may_be_written_anywhere_from_the_command_line(project: Path) -> None:
    for named in ([], ["--baseline=../elsewhere.json"], ["--baseline=new.json"]):
        for _ in range(2):
            done = run_here("check", "--write-baseline", "--no-cache", *named, cwd=project)
            assert done.returncode == 0, (named, done.stderr)


@pytest.mark.parametrize("value", ["../other.json", "docs/../../other.json", "/tmp/steelyard-other.json", "out.json"])  # noqa: S108 - refused
def test_a_configuration_names_no_baseline_outside_of_its_folder(value: str, project: Path) -> None:
    (project / "steelyard.toml").write_text(f"baseline = {json.dumps(value)}\n")
    (project / "out.json").symlink_to("../other.json")
    (project.parent / "other.json").write_text((project / "steelyard-baseline.json").read_text())
    for writing in ("", "--write-baseline", "-o new.json"):
        assert_refused(project, f"check page.md --no-cache {writing}", f"baseline is {value!r}, which {OUTSIDE}")


def test_the_usual_baseline_is_no_link_out_of_the_project(project: Path) -> None:
    (project / "steelyard-baseline.json").rename(project.parent / "other.json")
    (project / "steelyard-baseline.json").symlink_to("../other.json")
    assert_refused(project, "check page.md --no-cache --write-baseline", OUTSIDE)


def test_a_configuration_may_name_a_baseline_inside_of_its_folder(project: Path) -> None:
    for value in ("docs/b.json", "./b.json", f"{project}/b.json"):
        (project / "steelyard.toml").write_text(f"baseline = {json.dumps(value)}\n")
        for options in (["--write-baseline"], []):
            done = run_here("check", "page.md", "--no-cache", *options, cwd=project)
            assert done.returncode == 0, (value, done.stderr)


def test_two_outputs_of_check_are_not_one_file(project: Path) -> None:
    (project / "soft.json").symlink_to("r.json")
    for outputs in (
        "--report json:r.json --report sarif:r.json",
        "--report json:r.json -o r.json",
        "--report json:r.json -o ./docs/../r.json",
        "--report json:soft.json -o r.json",
        "--report json:steelyard-baseline.json --write-baseline",
        "--report json:new.json --write-baseline --baseline ./new.json",
    ):
        assert_refused(project, f"check --no-cache {outputs}", TWICE)
    summary = {"GITHUB_STEP_SUMMARY": str(project / "r.md")}
    assert_refused(project, "check --no-cache --format github --report markdown:r.md", TWICE, **summary)


def test_a_device_takes_any_number_of_outputs(tmp_path: Path) -> None:
    assert find_repeated(["/dev/null", "/dev/null", str(tmp_path / "a"), str(tmp_path / "b")]) is None
    assert find_repeated(["a", "b", "./a"]) == "./a"


def test_a_summary_that_is_a_pipe_is_left_out_with_a_warning_and_a_new_one_is_made(project: Path) -> None:
    os.mkfifo(project / "pipe")
    for name in ("pipe", "summary.md"):
        command = ("check", "page.md", "--no-cache", "--format", "github")
        done = run_steelyard(*command, cwd=project, seconds=60, changes={"GITHUB_STEP_SUMMARY": name})
        assert done.returncode == 0, done.stderr.decode()
        assert (b"pipe: not a regular file" in done.stderr) == (name == "pipe")
        assert (b"the summary is not written" in done.stderr) == (name == "pipe")
    assert (project / "summary.md").stat().st_size


def test_an_artifact_of_the_laboratory_replaces_no_input(tmp_path: Path) -> None:
    pytest.importorskip("scipy")
    (tmp_path / "pages.jsonl").write_text(make_records(3))
    for name in ("falsify.json", "gates.json", "compare.json"):
        (tmp_path / name).symlink_to("pages.jsonl")
    assert_refused(tmp_path, "falsify length --corpus pages.jsonl --out .", AN_INPUT)
    assert_refused(tmp_path, "protocol gates pages.jsonl --out .", AN_INPUT)
    assert_refused(tmp_path, "protocol compare --french pages.jsonl --out .", AN_INPUT)
    (tmp_path / "model.gguf").write_bytes(b"GGUF")
    assert_refused(tmp_path, "outcome run --engine llama:model.gguf --force -o model.gguf", AN_INPUT)


def make_records(count: int) -> str:
    records = [{"text": f"{PROSE} " * 3 + f"Page {n}.", "title": "Tides"} for n in range(count)]
    return "".join(json.dumps(record) + "\n" for record in records)


def test_a_study_replaces_no_file_of_its_corpus(tmp_path: Path) -> None:
    pytest.importorskip("scipy")
    (tmp_path / "study").mkdir()
    write_page(tmp_path / "study" / "report.md")
    for corpus in ("study/report.md", "study", "."):
        assert_refused(tmp_path, f"reproduce --corpus {corpus} --out study", AN_INPUT)
    (tmp_path / "study" / "web_en.jsonl").write_text(make_records(1))
    (tmp_path / "study" / "study.json").symlink_to("web_en.jsonl")
    assert_refused(tmp_path, "reproduce --corpus study --out study", AN_INPUT)


def test_history_export_shows_the_name_of_its_file_and_does_not_obey_it(site: Path) -> None:
    pytest.importorskip("pyarrow")
    done = run_here("history", "export", HOSTILE, "--store", "s.db", cwd=site)
    assert done.returncode == 0, done.stderr
    assert (site / HOSTILE).is_file()
    assert_harmless(done.stdout)


def test_the_settings_for_a_page_and_a_traceback_are_shown_and_not_obeyed(project: Path) -> None:
    (project / "steelyard.toml").write_text(f"weights = {json.dumps(HOSTILE)}\nsite = {json.dumps(HOSTILE)}\n")
    done = run_here("config", "page.md", cwd=project)
    assert done.returncode == 0, done.stderr
    assert_harmless(done.stdout)
    done = run_here("explain", f"absent {HOSTILE}", "--debug", cwd=project)
    assert "Traceback" in done.stderr
    assert_harmless(done.stderr)


def test_the_name_of_a_capture_is_shown_and_not_obeyed(tmp_path: Path) -> None:
    pytest.importorskip("scipy")
    (tmp_path / "pages.jsonl").write_text(make_records(2))
    done = run_here("protocol", "capture", "pages.jsonl", "-o", HOSTILE, "--jobs", "1", "--quiet", cwd=tmp_path)
    assert done.returncode in (0, 1), done.stderr
    assert "readings in" in done.stdout
    assert_harmless(done.stdout)
