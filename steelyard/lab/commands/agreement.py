"""`steelyard lab agreement`: a study that is a command of its own, made from its entry in the registry."""

from __future__ import annotations

from steelyard.lab.commands.studies import make_command
from steelyard.lab.study.studies.agreement import STUDY

command = make_command(STUDY)
