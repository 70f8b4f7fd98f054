"""`outcome stats`, the part that looks on: place in the prompt, content, freshness and dispersion beside visibility."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from steelyard.lab.outcome.agreement import LEAST_WORDS, MEAN, SHIPPED
from steelyard.lab.study.findings import Titled
from steelyard.lab.study.wording import MINUS, between, plain, right, signed
from steelyard.support.table import Column, Table

POOLED = "pooled"
MANY = 3  # groups whose sentences are printed one by one; the tables hold all
_WIDTH = 30  # of an engine and its run on a terminal
_PLACES = 6
_QUARTILES = ("most compressed", "second", "third", "most dispersed")
_SIDES = ("confident", "rest")
_CLUSTERED = "Mean over n queries and its 95% bootstrap interval; t and p against 0, two-sided."
_BY_PLACE = "n answers. `orders, by place`: whatever stood there. `sources, averaged`: by the place in the first order."
_HALF = (
    "Averaged over orders where there are several. Ties in visibility are left out, in content one half; p against ½."
)
_DEFINED = f"Content is scored where the median source has {LEAST_WORDS} words."


def tables(result: Mapping[str, Any]) -> list[Titled]:
    """Every block's figures by group; a table without rows is left out, and a line says why."""
    mode = f"shares: {result['mode']}"
    titled = [
        Titled(f"Place in the prompt or list, first is best ({mode})", _places(result), _CLUSTERED),
        Titled(f"Mean share by place ({mode})", _shares(result), _BY_PLACE),
        Titled(f"Content and visibility within queries ({mode})", _agreement(result), f"{_CLUSTERED} {_DEFINED}"),
        Titled("Concordant pairs", _concordance(result), _HALF),
        Titled("Weightings compared on the same queries", _differences(result), _CLUSTERED),
        Titled("The freshness blend and content alone", _freshness(result), _CLUSTERED),
        Titled("By dispersion of content within the query", _dispersion(result), _CLUSTERED),
        Titled(
            "Dispersion as a flag of confidence",
            _flags(result),
            "The threshold is set on half of the queries. Welch's t, one-sided, p times two for two coverages.",
        ),
    ]
    return [t for t in titled if t.table.rows]


def lines(result: Mapping[str, Any]) -> list[str]:
    """What the groups come to in words, each with what it lacks; of many groups what they come to together."""
    if not result["order"]:
        return ["no baseline answer allocates anything: nothing is observed"]
    shown = []
    for name, block in _blocks(result):
        if len(result["order"]) > MANY and name != POOLED:
            continue
        shown.append(f"{name}: {_position_line(block['position'])}")
        if reason := _why_not(block["agreement"]):
            shown.append(f"{name}: content, freshness and dispersion are undefined ({reason})")
            continue
        shown += [f"{name}: {line}" for line in _content_lines(block)]
    return shown


def _blocks(result: Mapping[str, Any]) -> Iterator[tuple[str, Mapping[str, Any]]]:
    """The groups, and all together if there is more than one."""
    yield from ((group, result["groups"][group]) for group in result["order"])
    if len(result["order"]) > 1:
        yield POOLED, result["pooled"]


def _defined(result: Mapping[str, Any], key: str) -> Iterator[tuple[str, Mapping[str, Any]]]:
    for name, block in _blocks(result):
        if not _why_not(block[key]):
            yield name, block[key]


def _why_not(value: Any) -> str | None:
    return value.get("undefined") if isinstance(value, Mapping) else None


def _reading(key: str) -> str:
    return "mean of orders" if key == MEAN else key


def _minus(name: str) -> str:
    return name.replace(" - ", f" {MINUS} ")


def _p(p: float | None) -> str:
    if p is None:
        return "–"
    return "< 0.001" if p < 0.001 else f"{p:.3f}"


def _p_is(p: float | None) -> str:
    """`, p = 0.020`, `, p < 0.001`, or nothing."""
    return "" if p is None else f", p {_p(p)}" if p < 0.001 else f", p = {_p(p)}"


def _cells(found: Mapping[str, Any]) -> list[Any]:
    """n, mean, interval, t and p."""
    return [found["n"], signed(found["mean"], 3), between(found["interval"], 3), signed(found["t"]), _p(found["p"])]


def _group() -> Column:
    return Column("engine, run", width=_WIDTH, keep="end")


def _figure_columns(title: str) -> list[Column]:
    return [right("n"), right(title), right("interval"), right("t"), right("p")]


def _places(result: Mapping[str, Any]) -> Table:
    rows: list[list[Any]] = []
    for name, found in _defined(result, "position"):
        for key in found["readings"]:
            effect = found["by_order"][key]
            rows.append([name, _reading(key), *_cells(effect["spearman"]), _percent(effect["explained"])])
        if not _why_not(found["between_orders"]):
            rows.append([name, "two orders", *_cells(found["between_orders"]), "–"])
    return Table([_group(), Column("shares"), *_figure_columns("Spearman"), right("% explained")], rows)


def _percent(share: float | None) -> str:
    return plain(None if share is None else 100 * share, 1)


def _explained(effect: Mapping[str, Any]) -> str:
    return "" if effect["explained"] is None else f", {_percent(effect['explained'])}% of the variance within queries"


def _shares(result: Mapping[str, Any]) -> Table:
    rows = []
    for name, found in _defined(result, "position"):
        listed = [(_reading(key), found["by_order"][key]["shares"]) for key in found["readings"] if key != MEAN]
        if MEAN in found["readings"]:
            listed += [
                ("orders, by place", found["at_place"]),
                ("sources, averaged", found["by_order"][MEAN]["shares"]),
            ]
        for label, shares in listed:
            means = [plain(place["mean"], 3) for place in shares[:_PLACES]]
            rows.append([name, label, shares[0]["n"], *means, *["–"] * (_PLACES - len(means))])
    places = [right(str(place)) for place in range(1, _PLACES + 1)]
    return Table([_group(), Column("shares"), right("n"), *places], rows)


def _agreement(result: Mapping[str, Any]) -> Table:
    rows: list[list[Any]] = []
    for name, found in _defined(result, "agreement"):
        for key in found["readings"]:
            for weights in found["weightings"]:
                figure = found["by_order"][key]["weightings"][weights]["spearman"]
                rows.append([name, _reading(key), weights, *_cells(figure)])
    return Table([_group(), Column("shares"), Column("weights"), *_figure_columns("Spearman")], rows)


def _concordance(result: Mapping[str, Any]) -> Table:
    rows = []
    for name, found in _defined(result, "agreement"):
        key = found["readings"][-1]
        for weights in found["weightings"]:
            c = found["by_order"][key]["weightings"][weights]["concordance"]
            figures = [plain(c["mean"], 3), between(c["interval"], 3), _p(c["p"])]
            counts = [f"{c[count]:,}" for count in ("pairs", "tied_shares", "tied_scores")]
            rows.append([name, weights, c["n"], *figures, *counts])
    heads = ("n", "concordant", "interval", "p", "pairs", "tied shares", "tied content")
    return Table([_group(), Column("weights"), *map(right, heads)], rows)


def _differences(result: Mapping[str, Any]) -> Table:
    rows: list[list[Any]] = []
    for name, found in _defined(result, "agreement"):
        for key in found["readings"]:
            for pair in found["differences"]:
                rows.append([name, _reading(key), _minus(pair), *_cells(found["by_order"][key]["differences"][pair])])
    return Table([_group(), Column("shares"), Column("weights"), *_figure_columns("difference")], rows)


def _freshness(result: Mapping[str, Any]) -> Table:
    rows = []
    for name, found in _defined(result, "freshness"):
        for key in found["readings"]:
            of = found["by_order"][key]
            figures = [signed(of[score]["mean"], 3) for score in ("content", "blended")]
            rows.append([name, _reading(key), *figures, *_cells(of["difference"])])
    heads = [right("content"), right("blended"), *_figure_columns("difference")]
    return Table([_group(), Column("shares"), *heads], rows)


def _dispersion(result: Mapping[str, Any]) -> Table:
    rows: list[list[Any]] = []
    for name, found in _defined(result, "dispersion"):
        if not _why_not(found["quartiles"]):
            for label, part in zip(_QUARTILES, found["quartiles"], strict=True):
                rows.append([name, label, between([part["low"], part["high"]], 1), *_cells(part)])
        distinct = found["distinct"]
        for side, label in (("few", f"≤ {distinct['at_most']} distinct values"), ("more", "more values")):
            rows.append([name, label, "–", *_cells(distinct[side])])
    return Table([_group(), Column("queries"), right("sd, points"), *_figure_columns("Spearman")], rows)


def _flags(result: Mapping[str, Any]) -> Table:
    rows = []
    for name, found in _defined(result, "dispersion"):
        for coverage in found["coverages"]:
            flag = found["flag"][coverage]
            if _why_not(flag):
                continue
            for split in ("train", "test"):
                of = flag[split]
                sides = [f"{signed(of[side]['mean'], 3)} ({of[side]['n']})" for side in _SIDES]
                tested = [_p(flag["p_corrected"]), _verdict(flag)] if split == "test" else ["–", "–"]
                rows.append([name, coverage, split, *sides, signed(of["difference"], 3), *tested])
    heads = ("confident (n)", "rest (n)", "difference", "p", "verdict")
    return Table([_group(), Column("above"), Column("half"), *map(right, heads)], rows)


def _verdict(flag: Mapping[str, Any]) -> str:
    return "undefined" if _why_not(flag["verdict"]) else str(flag["verdict"])


def _said(found: Mapping[str, Any], digits: int = 3) -> str:
    """`+0.11 (0.02 to 0.20, n = 100)`."""
    ends = f"{between(found['interval'], digits)}, " if found["interval"] else ""
    return f"{signed(found['mean'], digits)} ({ends}n = {found['n']:,})"


def _position_line(found: Mapping[str, Any]) -> str:
    if reason := _why_not(found):
        return f"the position effect is undefined ({reason})"
    orders = [key for key in found["readings"] if key != MEAN]
    effects = [
        f"{_said(found['by_order'][key]['spearman'])} in {key} order{_explained(found['by_order'][key])}"
        for key in orders
    ]
    line = f"Spearman of share with place {'; '.join(effects)}"
    if MEAN not in found["by_order"]:
        return f"{line}; one order only, so that content cannot be told from place"
    line += f"; shares of two orders with each other {_said(found['between_orders'])}"
    balance = "averaged over the orders" if found["counterbalanced"] else "averaged over orders that do not balance,"
    left = found["by_order"][MEAN]
    return f"{line}; {balance} place is left with {_said(left['spearman'])}{_explained(left)}"


def _content_lines(block: Mapping[str, Any]) -> Iterator[str]:
    found, fresh = block["agreement"], block["freshness"]
    key = found["readings"][-1]
    of = found["by_order"][key]
    shipped = of["weightings"][SHIPPED]
    rest = "; ".join(f"{w} {_said(of['weightings'][w]['spearman'])}" for w in found["weightings"] if w != SHIPPED)
    yield (
        f"content ({SHIPPED}) and visibility ({_reading(key)}): Spearman {_said(shipped['spearman'])}"
        f"{_p_is(shipped['spearman']['p'])}, {_percent(shipped['concordance']['mean'])}% of "
        f"{shipped['concordance']['pairs']:,} pairs concordant; {rest}; content and place {_said(found['with_place'])}"
    )
    if found["left_out"]:
        counted = ", ".join(f"{n} {reason}" for reason, n in found["left_out"].items())
        yield f"sources left out of their queries: {counted}"
    blend = fresh["by_order"][key]
    yield (
        f"freshness blend minus content {_said(blend['difference'])}{_p_is(blend['difference']['p'])}; it moves "
        f"{blend['moved']:,} answers, and {fresh['with_evidence']:,} of {fresh['sources']:,} sources show their age"
    )
    yield from _dispersion_lines(block["dispersion"])


def _dispersion_lines(found: Mapping[str, Any]) -> Iterator[str]:
    if reason := _why_not(found["quartiles"]):
        yield f"quartiles of dispersion are undefined ({reason})"
    else:
        means = [part["mean"] for part in found["quartiles"]]
        trend = found["trend"]
        yield (
            f"from the most compressed quartile to the most dispersed {', '.join(signed(m, 3) for m in means)}; "
            f"trend {signed(trend['spearman'], 3)} ({between(trend['interval'], 3)}, n = {trend['n']:,})"
        )
    few = found["distinct"]["few"]
    if few["n"]:
        yield f"sources of {found['distinct']['at_most']} or fewer distinct contents: {_said(few)}"
    for coverage in found["coverages"]:
        yield f"dispersion above the {coverage} as a flag of confidence: {_flag_line(found['flag'][coverage])}"


def _flag_line(flag: Mapping[str, Any]) -> str:
    if reason := _why_not(flag) or _why_not(flag["verdict"]):
        return f"undefined ({reason})"
    test = flag["test"]
    sides = " against ".join(f"{signed(test[side]['mean'], 3)} (n = {test[side]['n']:,})" for side in _SIDES)
    gap = f"{signed(test['difference'], 3)} ({between(test['interval'], 3)})"
    trained = f"the training half shows {signed(flag['train']['difference'], 3)}"
    return f"{flag['verdict']}: held out {sides}, difference {gap}{_p_is(flag['p_corrected'])}; {trained}"
