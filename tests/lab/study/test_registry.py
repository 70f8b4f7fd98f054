"""One registry: every study's command, sections and findings follow from its entry."""

from __future__ import annotations

import importlib
import pkgutil
from typing import Any

import click

from steelyard.cli import main
from steelyard.lab.commands.studies import StudyGroup, make_command
from steelyard.lab.study import studies
from steelyard.lab.study.findings import Findings, make_table
from steelyard.lab.study.registry import BY_NAME, STUDIES
from steelyard.lab.study.reproduce import read_study
from tests.conftest import ROOT
from tests.lab.study.presentation import check_presentation

COMMITTED = ROOT / "docs" / "study"
WORDY = ("constants", "editions", "gaming", "outcome", "ceiling")  # tables of words, or of names from files


def test_every_file_with_a_study_is_registered() -> None:
    modules = [importlib.import_module(f"{studies.__name__}.{m.name}") for m in pkgutil.iter_modules(studies.__path__)]
    found = {module.STUDY.name for module in modules if hasattr(module, "STUDY")}
    assert found == set(BY_NAME)
    assert len(BY_NAME) == len(STUDIES)


def test_no_two_commands_share_a_name() -> None:
    commands = [(study.group, study.command_name) for study in STUDIES if study.group]
    assert len(set(commands)) == len(commands)
    laboratory = click.Context(main.laboratory)
    groups = {name: main.laboratory.get_command(laboratory, name) for name in main.LABORATORY}
    own = {name for group, name in commands if group == "lab"}
    assert own <= set(groups), "a command of its own is in the table of the laboratory's commands"
    grouped = {group for group, _ in commands} - {"lab"}
    assert grouped == {n for n, group in groups.items() if isinstance(group, StudyGroup)}


def test_a_command_has_its_studys_options_and_help() -> None:
    for study in [s for s in STUDIES if s.group]:
        command = make_command(study)
        keys = {parameter.name for parameter in command.params}
        shared = {"as_of", "jobs", "quiet", "form", "folder", "no_plots"}
        assert {option.key for option in study.options} | shared <= keys, study.name
        assert command.help, study.name


def test_the_committed_results_are_presented_from_the_artifact_alone() -> None:
    for computed in read_study(COMMITTED)[0]:
        if not computed.undefined:
            study = BY_NAME[computed.entry.study]
            findings = check_presentation(study.findings, computed.artifact["result"], plain=study.name not in WORDY)
            assert findings.tables, computed.entry.name


def test_a_heading_says_how_its_values_are_printed() -> None:
    rows: list[list[Any]] = [["a", 0.12345, -0.5, (0.1, 0.25), 0.0001, 7], ["b", None, "said", None, None, "–"]]
    table = make_table("T", "name | x .3 | y +.1 | z to.2 | p p | n >", rows).table
    assert [c.name for c in table.columns] == ["name", "x", "y", "z", "p", "n"]
    assert [c.right for c in table.columns] == [False, True, True, True, True, True]
    assert table.texts() == [
        ["a", "0.123", "−0.5", "0.10 to 0.25", "< 0.001", "7"],
        ["b", "–", "said", "–", "–", "–"],
    ]


def test_a_long_name_is_cut_in_a_terminal_only() -> None:
    table = make_table("T", ["engine <8", "a | b >"], [["a-long-engine-7b", 1]]).table
    assert [column.name for column in table.columns] == ["engine", "a | b"]
    assert table.to_terminal()[1] == "…gine-7b      1"
    assert "a-long-engine-7b" in table.to_html()


def test_findings_escape_what_is_not_ours() -> None:
    found = Findings(["page <b>x</b>\x1b[31m"], [make_table("T", "name", [["<script>|x"]])])
    assert "\x1b" not in found.to_terminal()
    assert "<script>" not in found.to_markdown()
