"""The page of a rule, made from the rule's own file: for `steelyard rules NAME` and docs/rules."""

from __future__ import annotations

import re
from collections.abc import Iterator

from steelyard.advice.rule import Example, Rule, describe_silencing
from steelyard.components import BY_NAME

SHOWN = 35  # words of an example


def render_rule(rule: Rule) -> str:
    """Return the page of a rule as Markdown."""
    return "\n\n".join(_list_blocks(rule)) + "\n"


def _list_blocks(rule: Rule) -> Iterator[str]:
    yield f"# {rule.name}"
    yield f"{rule.what} {rule.why}"
    yield "\n".join(_describe_facts(rule))
    for example in rule.bad:
        yield f"Found{_describe_example(example)}:\n\n{_quote(example.text)}"
    for example in rule.good:
        yield f"Not found{_describe_example(example)}:\n\n{_quote(example.text)}"


def _describe_facts(rule: Rule) -> Iterator[str]:
    yield f"- How it is found: {rule.how}"
    if rule.component in BY_NAME:
        component = BY_NAME[rule.component]
        yield f"- Gain: by the formula of `{component.name}`, `{component.formula}`"
    elif rule.component:
        yield f"- Gain: by the formula of the {rule.component}"
    else:
        yield "- Gain: no formula says"
    if rule.certain_when:
        yield f"- Certain: {rule.certain_when}"
    yield f"- Kinds of page: {describe_kinds(rule)}"
    if rule.counted:
        yield f"- Counts: {rule.counted}"
    if rule.invents:
        yield f"- Never invent: {rule.invents}"
    yield f"- Level by default: {rule.level}"
    yield f"- To silence it: {describe_silencing(rule)}"


def describe_kinds(rule: Rule) -> str:
    """Name the kinds of page that a rule speaks about."""
    if rule.only_for:
        return ", ".join(rule.only_for)
    return f"all but {', '.join(rule.not_for)}" if rule.not_for else "all"


def _describe_example(example: Example) -> str:
    kind = f" on a page of the kind {example.kind}" if example.kind else ""
    return f"{kind} ({example.note})" if example.note else kind


def _quote(text: str) -> str:
    ends = [word.end() for word in re.finditer(r"\S+", text)]
    shown = text[: max(ends[:SHOWN], default=0)] + " …" * (len(ends) > SHOWN)
    return "\n".join(f"> {line}".rstrip() for line in shown.split("\n"))
