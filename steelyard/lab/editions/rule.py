"""The rule that picks the default edition of `score`, applied to the figures of the comparison."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple

from steelyard.components.arithmetic.numbers import mean
from steelyard.lab.editions.attackers import LEAST
from steelyard.lab.editions.speed import SPEEDS, divide
from steelyard.lab.protocol.gates import GATES
from steelyard.lab.protocol.gates.base import FAIL, PASS, UNDEFINED
from steelyard.lab.protocol.variants import LEVERS
from steelyard.scoring import editions
from steelyard.support.formatting import format_interval
from steelyard.support.formatting import format_number as plain
from steelyard.support.formatting import format_signed as signed

CANDIDATE, REFERENCE = "2026", editions.PAPER
HOLDS, FAILS, UNDECIDED = "holds", "fails", "undecided"
DECIDING = ("en", "fr")  # languages that both have
LEAST_PAGES = 200  # of a deciding language
MOST_OF_LEVER = {"de": 7.4, "es": 6.0}  # points: what no single lever may exceed where `paper` is no measure
MOST_NAMED = 6  # attackers in a line
NOT_LOWER = -0.02  # the paired interval of an agreement is above it
CLEARLY_HIGHER = 2  # sets of people's labels
LEAST_SPEED = 2 / 3  # of the reference's


def _in_words(name: str) -> str:
    return name.replace("_", " ")


class Condition(NamedTuple):
    """One condition of the rule, whether it holds, fails or is undecided, and the figures that decide it."""

    text: str
    verdict: str
    detail: str


def apply_rule(result: Mapping[str, Any]) -> list[Condition]:
    """Return the rule's conditions with what was measured; the candidate becomes the default if all hold."""
    return [_judge_gates(result), _judge_attackers(result), _judge_agreement(result), _judge_speed(result)]


def choose_default(conditions: Sequence[Condition]) -> str:
    """Return the edition that the conditions pick: what is undecided does not hold."""
    return CANDIDATE if all(condition.verdict == HOLDS for condition in conditions) else REFERENCE


@dataclass(slots=True)
class Reasons:
    """What was found of a condition: one failure fails it, what was not measured leaves it undecided."""

    failures: list[str] = field(default_factory=list)
    undecided: list[str] = field(default_factory=list)
    facts: list[str] = field(default_factory=list)

    def decide(self, text: str) -> Condition:
        verdict = FAILS if self.failures else UNDECIDED if self.undecided else HOLDS
        return Condition(text, verdict, "; ".join([*self.failures, *self.undecided, *self.facts]))


# ── gates ────────────────────────────────────────────────────────────────────


def _judge_gates(result: Mapping[str, Any]) -> Condition:
    found = Reasons()
    for code in (*DECIDING, *MOST_OF_LEVER):
        of_language = result["languages"].get(code)
        if of_language is None:
            found.undecided.append(f"{code} not measured")
            continue
        if code in DECIDING and of_language["pages"] < LEAST_PAGES:
            found.undecided.append(f"{code} has {of_language['pages']} pages of {LEAST_PAGES}")
        verdicts = of_language["editions"][CANDIDATE]["gates"]
        found.failures += [f"{code} {text}" for text in _list_failed(verdicts)]
        found.undecided += [f"{code} {_describe(n, v)}" for n, v in verdicts.items() if v["status"] == UNDEFINED]
    found.facts.append(describe_gates(result, CANDIDATE))
    text = (
        f"over all pages of English and French (at least {LEAST_PAGES} each), German and Spanish no gate fails and no "
        "interval lies wholly beyond a bound"
    )
    return found.decide(text)


def _list_failed(verdicts: Mapping[str, Any]) -> Iterator[str]:
    for gate in GATES:
        verdict = verdicts[gate.name]
        interval = verdict["interval"]
        beyond = interval is not None and not any(gate.passes(end, verdict["bound"]) for end in interval)
        if verdict["status"] == FAIL or beyond:
            margin = verdict["margin"]
            by = "" if margin is None else f" by {plain(-margin, 3)}"
            yield f"fails{by}: {_describe(gate.name, verdict)}"


def describe_gates(result: Mapping[str, Any], edition: str) -> str:
    """Say how many gates an edition passes over all pages of each of its languages, and what of the others is known."""
    return "; ".join(
        f"{code}, {of_language['pages']} pages: {_count_gates(of_language['editions'][edition]['gates'])}"
        for code, of_language in result["languages"].items()
        if edition in of_language["editions"]
    )


def _count_gates(verdicts: Mapping[str, Any]) -> str:
    others = [_describe(gate.name, v) for gate in GATES if (v := verdicts[gate.name])["status"] != PASS]
    passed = f"{len(GATES) - len(others)} of {len(GATES)} pass"
    return f"{passed}, {', '.join(others)}" if others else passed


def _describe(gate: str, verdict: Mapping[str, Any]) -> str:
    """Return `length-bias undecided: 0.31 (0.20 to 0.41), bound 0.35`."""
    if verdict["statistic"] is None:
        return f"{gate} {verdict['status']}: {verdict['reason'] or 'no figure'}"
    interval = f" ({format_interval(verdict['interval'], 3)})" if verdict["interval"] else ""
    return f"{gate} {verdict['status']}: {plain(verdict['statistic'], 3)}{interval}, bound {plain(verdict['bound'], 2)}"


# ── attackers ────────────────────────────────────────────────────────────────


def _judge_attackers(result: Mapping[str, Any]) -> Condition:
    found = Reasons()
    compared = result["compared"]
    counted = {
        f"{code} {_in_words(name)}": row
        for code in DECIDING
        for name, row in compared.get(code, {}).items()
        if row["n"] >= LEAST
    }
    found.failures += [f"{name} gains more: {_describe_pair(row)}" for name, row in counted.items() if _is_higher(row)]
    for code in DECIDING:
        if not any(name.startswith(f"{code} ") for name in counted):
            found.undecided.append(f"{code} has no attacker on {LEAST} pages")
        found.undecided += [
            f"{code} {_in_words(n)} not measured" for n, row in compared.get(code, {}).items() if not row["n"]
        ]
    if counted:
        difference = mean([row["difference"] for row in counted.values()])
        described = _describe_means(counted)
        if difference >= 0:
            found.failures.append(f"the mean is not lower: {described}")
        else:
            found.facts.append(described)
        if not any(map(_is_higher, counted.values())):  # those that are higher are named already
            found.facts.append(_describe_closest(counted))
    found.facts += _list_few(compared)
    for code, most in MOST_OF_LEVER.items():
        _judge_levers(code, most, result["languages"].get(code), found)
    text = (
        f"no attacker on {LEAST} pages or more gains significantly more than against {REFERENCE} in English and "
        f"French, the mean over attackers is lower, and no single lever exceeds "
        + ", ".join(f"{signed(most, 1)} ({code})" for code, most in MOST_OF_LEVER.items())
    )
    return found.decide(text)


def _is_higher(row: Mapping[str, Any]) -> bool:
    return row["corrected"] is not None and row["corrected"][0] > 0


def _describe_pair(row: Mapping[str, Any]) -> str:
    return (
        f"{signed(row['first'], 2)} against {signed(row['second'], 2)}, {signed(row['difference'], 2)} "
        f"({format_interval(row['corrected'])}) on {row['n']} pages"
    )


def _describe_means(counted: Mapping[str, Mapping[str, Any]]) -> str:
    pages = sorted({row["n"] for row in counted.values()})
    on = f"{pages[0]} to {pages[-1]}" if len(pages) > 1 else f"{pages[0]}"
    parts = []
    for code in (None, *DECIDING):
        rows = [row for name, row in counted.items() if code is None or name.startswith(f"{code} ")]
        if rows:
            means = [mean([row[whose] for row in rows]) for whose in ("first", "second")]
            parts.append(f"{f'{code} ' if code else ''}{signed(means[0], 2)} against {signed(means[1], 2)}")
    return f"{len(counted)} attackers on {on} pages gain {', '.join(parts)} on average"


def _describe_closest(counted: Mapping[str, Mapping[str, Any]]) -> str:
    """Name the attacker whose paired interval reaches highest above nothing, and how many do so uncorrected."""
    name, row = max(counted.items(), key=lambda item: (item[1]["corrected"] or [item[1]["difference"]])[0])
    alone = sum(row["interval"] is not None and row["interval"][0] > 0 for row in counted.values())
    return (
        f"nearest to gaining more is {name}: {_describe_pair(row)}, corrected for {len(counted)} attackers; "
        f"uncorrected {alone} would"
    )


def _list_few(compared: Mapping[str, Any]) -> Iterator[str]:
    """Name the attackers on too few pages; the table of attackers has them where they are many."""
    few = {
        f"{code} {_in_words(name)}": row["n"]
        for code in DECIDING
        for name, row in compared.get(code, {}).items()
        if 0 < row["n"] < LEAST
    }
    if len(few) > MOST_NAMED:
        yield f"not counted: {len(few)} attackers on {min(few.values())} to {max(few.values())} pages"
    elif few:
        yield f"not counted: {', '.join(f'{name} ({n} pages)' for name, n in few.items())}"


def _judge_levers(code: str, most: float, of_language: Mapping[str, Any] | None, found: Reasons) -> None:
    """Judge the single levers of a language that the reference does not have."""
    attackers = of_language["editions"][CANDIDATE]["attackers"] if of_language else {}
    counted = {name: attackers[name] for name in LEVERS if name in attackers and attackers[name]["n"] >= LEAST}
    if missing := [_in_words(name) for name in LEVERS if name not in counted]:
        found.undecided.append(f"{code} {', '.join(missing)} not measured on {LEAST} pages")
    for name, row in counted.items():
        gain = f"{signed(row['mean'], 2)} ({format_interval(row['interval'])}) on {row['n']} pages"
        if row["mean"] > most:
            over = plain(row["mean"] - most, 2)
            found.failures.append(f"{code} {_in_words(name)} {gain}, {over} over {signed(most, 1)}")
        elif row["mean"] == max(each["mean"] for each in counted.values()):
            found.facts.append(f"{code} {_in_words(name)} gains most: {gain}")


# ── agreement with people ────────────────────────────────────────────────────


def _judge_agreement(result: Mapping[str, Any]) -> Condition:
    found = Reasons()
    sets = {name: of for name, of in result["agreement"].items() if of["by_people"]}
    higher = measured = 0
    for name, of in sets.items():
        if "missing" in of:
            found.undecided.append(f"{name} not measured, {of['missing']} is missing")
            continue
        interval, described = of["difference"]["interval"], f"{name}: {_describe_agreement(of)}"
        if interval is None:
            found.undecided.append(described)
            continue
        measured += 1
        higher += interval[0] > 0
        if interval[0] > NOT_LOWER:
            found.facts.append(described)
        else:
            found.failures.append(
                f"{described}, which reaches {plain(NOT_LOWER - interval[0], 3)} below {signed(NOT_LOWER, 2)}"
            )
    shown = f"clearly higher on {higher} of {len(sets)} sets"
    if measured and measured == len(sets) and higher < CLEARLY_HIGHER:
        found.failures.append(shown)
    elif measured < CLEARLY_HIGHER:
        found.undecided.append(f"{measured} sets measured")
    else:
        found.facts.append(shown)
    found.facts += [
        f"not counted, since models are no people: {name}: {_describe_agreement(of)}"
        for name, of in result["agreement"].items()
        if not of["by_people"] and "missing" not in of
    ]
    text = (
        f"on every set of people's labels its agreement is not lower than that of {REFERENCE} (paired 95% interval "
        f"above {signed(NOT_LOWER, 2)}), and clearly higher on at least {CLEARLY_HIGHER}"
    )
    return found.decide(text)


def _describe_agreement(of: Mapping[str, Any]) -> str:
    difference = of["difference"]
    if difference["value"] is None:
        return f"undefined, {difference['reason']}"
    interval = f"({format_interval(difference['interval'], 3)})" if difference["interval"] else difference["reason"]
    return (
        f"{of['measure']} {plain(of['candidate']['value'], 3)} against {plain(of['reference']['value'], 3)}, "
        f"{signed(difference['value'], 3)} {interval} on {difference['n']} documents"
    )


# ── speed ────────────────────────────────────────────────────────────────────


def _judge_speed(result: Mapping[str, Any]) -> Condition:
    speed = result["speed"]
    shares = {name: divide(speed.get("rates", {}).get(name, {})) for name in SPEEDS}
    found = Reasons()
    found.failures += [
        f"{name} {plain(share, 2)} of its speed, {plain(LEAST_SPEED - share, 2)} too little"
        for name, share in shares.items()
        if share is not None and share < LEAST_SPEED
    ]
    found.facts += [f"{name} {plain(share, 2)}" for name, share in shares.items() if share and share >= LEAST_SPEED]
    missing = [name for name, share in shares.items() if share is None]
    found.undecided += ["not measured"] if len(missing) == len(shares) else [f"{name} not measured" for name in missing]
    if speed.get("file"):
        found.facts.append(f"figures of {speed['file']}")
    text = f"it keeps at least two thirds of the speed of {REFERENCE} in both cores"
    return found.decide(text)
