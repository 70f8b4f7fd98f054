"""`steelyard rules`: what findings are about and what the score measures."""

from __future__ import annotations

import click

from steelyard.advice.rules import RULES
from steelyard.check import rule_list
from steelyard.check.rule_page import render_rule
from steelyard.support.artifacts import to_json
from steelyard.terminal.options import Known, format_option, output_option
from steelyard.terminal.output import emit

FORMATS = {
    "human": lambda rules: "\n".join(rule_list.list_rules(rules)),
    "json": lambda rules: to_json({"rules": rule_list.describe_rules(rules)}) + "\n",
    "markdown": lambda rules: rule_list.make_table(rules).to_markdown(),
}
COMPONENT_FORMATS = {
    "human": lambda: "\n".join(rule_list.list_components()),
    "json": lambda: to_json({"components": rule_list.describe_components()}) + "\n",
    "markdown": lambda: rule_list.make_component_table().to_markdown(),
}


@click.command("rules")
@click.argument("names", nargs=-1, type=Known("rule", tuple(RULES)), metavar="[NAME]...")
@format_option(*FORMATS)
@output_option
def command(names: tuple[str, ...], form: str, output: str | None) -> int:
    """List the rules that findings belong to, or show the page of each that is named.

    A page says what the rule is about and why, how its findings are made, for which kinds of page, with examples, and
    how to silence it. The list has the components of the score with their formulas and weights.
    """
    rules = [RULES[name] for name in dict.fromkeys(names)] or list(RULES.values())
    if names and form != "json":
        emit("\n".join(map(render_rule, rules)), output)
    else:
        emit(FORMATS[form](rules), output)
    return 0


@click.command("components")
@format_option(*COMPONENT_FORMATS)
@output_option
def components_command(form: str, output: str | None) -> int:
    """List the eleven components of the score.

    Shows what each measures, its formula and weight, and its value for pages on which it cannot be measured.
    """
    emit(COMPONENT_FORMATS[form](), output)
    return 0
