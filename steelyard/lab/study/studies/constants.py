"""The first section of the report: weights, anchors, bounds and degenerate values, the reasons, the ranker's inputs."""

from __future__ import annotations

import tomllib
from collections.abc import Mapping
from importlib import resources

from steelyard.components import COMPONENTS, NAMES
from steelyard.lab.protocol.anchors import ANCHORS
from steelyard.lab.protocol.gates import GATES
from steelyard.lab.protocol.lever_gains import CARRIERS
from steelyard.lab.protocol.variants import INTERVENTIONS
from steelyard.lab.ranking.prepare import describe_stack
from steelyard.lab.study.findings import Findings, Titled, in_words, make_table, plain, signed
from steelyard.lab.study.paper_comparison import ResultOf, look_up
from steelyard.lab.study.studies.identify import weight_role
from steelyard.lab.study.studies.matrix import CARRIES
from steelyard.lab.study.study import Request, Result, Section, Study
from steelyard.scoring import weighting

WEIGHTINGS = ("shipped", "prior", "equal")
_MEASURED = (
    "Measured: the edit that moves the component most (raw points at dose 1), where untouched pages lie, all that the "
    "lever's carrier could add to the score, and the role of its weight. A dash: no section measured it."
)


def findings(result: Result, result_of: ResultOf = lambda section: None) -> Findings:
    """Present the constants; `result_of` gives another section's result, for what was measured of each component."""
    components = result["components"]
    weights = [[n, *(result["weights"][w][n] for w in WEIGHTINGS), components[n]["about"]] for n in NAMES]
    reasons = {n: components[n]["rationale"] for n in NAMES}
    why = [[n, components[n]["measures"], *(reasons[n][key] for key in ("because", "meant", "stays"))] for n in NAMES]
    measured = {n: summarise_measurements(n, result_of) or None for n in NAMES}
    attacks = [[n, reasons[n]["attack"], reasons[n]["bound"], measured[n]] for n in NAMES]
    tables = [
        make_table(
            "Weights",
            ["component", *(f"{w} .4" for w in WEIGHTINGS), "what it is"],
            weights,
            "`prior` is reconstructed: the paper does not print it.",
        ),
        make_table(
            "Why each component is there",
            "component | what it measures | why it is measured | meant to carry | why it stays",
            why,
            "Reasons in words; the next table has what was measured.",
        ),
        make_table(
            "What attack each invites",
            "component | the attack it invites | what bounds it | measured here",
            attacks,
            _MEASURED,
        ),
        make_table(
            "Anchors, published",
            "intervention | gain in PAWC >",
            [[in_words(lever), f"{signed(result['anchors'][lever], 1)}%"] for lever in INTERVENTIONS],
        ),
        make_table(
            "Bounds of the gates",
            "gate | what it asks | bound .2",
            [[g.name, g.question, result["gates"][g.name]] for g in GATES],
        ),
        make_table(
            "Degenerate values, in this order",
            "component | when | value .0",
            [[n, reason, value] for n in NAMES for reason, value in components[n]["degenerate"]],
        ),
        _show_features(result["features"]),
    ]
    return Findings([], tables)


def _show_features(stack: Result) -> Titled:
    """Present the ranker's inputs by category."""
    rows = [
        [
            c["name"], c["about"], len(c["features"]), ", ".join(c["features"]), _describe_query(c),
            " or ".join(c["models"]) or "no", "yes" if c["regex_only"] else "no",
        ]
        for c in stack["categories"]
    ]  # fmt: skip
    columns = "category | what it holds | n > | features | sees the query | needs a model | in regex only"
    note = (
        f"Kept out: {', '.join(stack['constant'])}, which are constants on plain passages; {stack['baseline']}, the "
        f"score itself, is a baseline; {stack['leak']} is measured as a leak and is never a feature."
    )
    return make_table("What the ranker sees", columns, rows, note)


def _describe_query(category: Result) -> str:
    blind = category["blind"]
    if not blind:
        return "yes"
    return "no" if len(blind) == len(category["features"]) else f"all but {', '.join(blind)}"


def summarise_measurements(component: str, result_of: ResultOf) -> str:
    """Return what matrix, gates and identify say of a component, in one line."""
    sentences = [
        *_name_strongest_edit(look_up(result_of, f"matrix#/matrix/{component}")),
        *_describe_spread(look_up(result_of, f"matrix#/distribution/{component}")),
    ]
    for lever in (lever for lever, carrier in CARRIERS.items() if carrier == component):
        ceiling = look_up(result_of, f"gates#/ceilings/{lever}")
        sentences += [] if ceiling is None else [f"ceiling {signed(ceiling, 1)} of the score"]
    profiled = look_up(result_of, f"identify#/components/{component}")
    sentences += [] if profiled is None else [f"weight {weight_role(profiled['admissible'])}"]
    return "; ".join(sentences)


def _name_strongest_edit(responses: Mapping[str, float] | None) -> list[str]:
    if responses is None:
        return []
    edit = max(INTERVENTIONS, key=lambda e: abs(responses[e]))
    if abs(responses[edit]) < CARRIES:
        return [f"no edit moves it by {CARRIES:g} points"]
    return [f"{in_words(edit)} {signed(responses[edit], 1)}"]


def _describe_spread(spread: Mapping[str, float] | None) -> list[str]:
    if spread is None:
        return []
    if not spread["sd"]:
        return [f"{plain(spread['mean'], 0)} on every page"]
    ends = (("share_at_100", "at 100"), ("share_at_0", "at 0"))
    return [f"{where} on {spread[key]:.0%} of pages" for key, where in ends if spread[key] >= 0.005]


def _compute(request: Request) -> Result:
    reasons = tomllib.loads(resources.files("steelyard.lab.study").joinpath("rationale.toml").read_text("utf-8"))
    return {
        "components": {
            c.name: {
                "about": (type(c).__doc__ or "").split("\n", maxsplit=1)[0],
                "measures": c.about,
                "rationale": reasons[c.name],
                "degenerate": [[case.reason, case.value] for case in c.degenerate],
            }
            for c in COMPONENTS
        },
        "weights": {w: dict(weighting.load(w).weights) for w in WEIGHTINGS},
        "anchors": dict(ANCHORS),
        "gates": {g.name: g.bound for g in GATES},
        "features": describe_stack(),
    }


STUDY = Study(
    "constants",
    "What is fixed before any page is read, and why",
    _compute,
    findings,
    quotes_others=True,
    sample=lambda result, _: "constants of the code, nothing measured or resampled",
    sections=lambda material: [Section()],
)
