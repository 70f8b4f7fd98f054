"""The rules, and the components behind most of them, for `steelyard rules` and the manual."""

from __future__ import annotations

import textwrap
from collections.abc import Iterable
from typing import Any

from steelyard.advice.rule import Rule
from steelyard.check.rule_page import describe_kinds
from steelyard.components import BY_NAME, COMPONENTS, Component
from steelyard.scoring import weighting
from steelyard.support.table import Column, Table

# What the JSON has of a rule besides its name, its subject and its level.
TEXTS = ("what", "why", "how", "certain_when", "action", "counted", "invents", "help")


def describe_rules(rules: Iterable[Rule]) -> list[dict[str, Any]]:
    """Return one entry for each rule; that of a component has its formula."""
    return [
        {
            "name": rule.name,
            "about": rule.about,
            "level": rule.level,
            **{name: getattr(rule, name) for name in TEXTS},
            "kinds": describe_kinds(rule),
            "component": _describe_component(BY_NAME[rule.name]) if rule.name in BY_NAME else None,
        }
        for rule in rules
    ]


def describe_components() -> list[dict[str, Any]]:
    """Return one entry per component, in the paper's order."""
    return [_describe_component(component) for component in COMPONENTS]


def _describe_component(component: Component) -> dict[str, Any]:
    return {
        "name": component.name,
        "about": component.about,
        "formula": component.formula,
        "symbols": list(component.symbols),
        "spec": component.spec,
        "weight": weighting.load(weighting.DEFAULT).weights[component.name],
        "degenerate": [{"reason": d.reason, "value": d.value} for d in component.degenerate],
    }


def list_rules(rules: Iterable[Rule]) -> list[str]:
    """Return the rules as lines."""
    lines = []
    for rule in rules:
        component = BY_NAME.get(rule.name)
        lines += _list_component(component) if component else [f"{rule.name}: {rule.about}"]
        lines += [f"  findings are of level {rule.level} by default", ""]
    return lines


def list_components() -> list[str]:
    """Return the components as lines."""
    return [line for component in COMPONENTS for line in (*_list_component(component), "")]


def _list_component(component: Component) -> list[str]:
    weight = weighting.load(weighting.DEFAULT).weights[component.name]
    return [
        f"{component.name}: {component.label}",
        *textwrap.wrap(component.about, 80, initial_indent="  ", subsequent_indent="  "),
        f"  {component.formula}",
        f"  weight {weight:.4f}, specified in {component.spec}",
        *(f"  {d.value:g} when {d.reason}" for d in component.degenerate),
    ]


def make_table(rules: Iterable[Rule]) -> Table:
    """Return the rules as a table."""
    columns = [Column("rule", code=True), Column("level by default"), Column("about")]
    return Table(columns, [[rule.name, rule.level, rule.about] for rule in rules])


def make_component_table() -> Table:
    """Return the components as the table of the manual."""
    weights = weighting.load(weighting.DEFAULT).weights
    columns = [
        Column("component", code=True), Column("in plain words"), Column("weight", ".4f", right=True),
        Column("what it is"), Column("formula", code=True), Column("constant"),
    ]  # fmt: skip
    rows = []
    for c in COMPONENTS:
        constants = "; ".join(f"{d.value:g} when {d.reason}" for d in c.degenerate)
        rows.append([c.name, c.label, weights[c.name], c.about, c.formula, constants])
    return Table(columns, rows)
