"""`lab outcome stats`, the part that looks on: place in the prompt, content, freshness, dispersion and visibility."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from steelyard.lab.outcome.query_shares import MEAN
from steelyard.lab.outcome.score_agreement import MIN_SOURCE_WORDS, SHIPPED
from steelyard.lab.study.findings import Titled, format_interval, format_percent, make_table, signed, state_p
from steelyard.lab.study.study import Result
from steelyard.support.formatting import MINUS

POOLED = "pooled"
MANY = 3  # groups whose sentences are printed one by one; the tables hold all
_PLACES = 6
_QUARTILES = ("most compressed", "second", "third", "most dispersed")
_SIDES = ("confident", "rest")
_CLUSTERED = "Mean over n queries and its 95% bootstrap interval; t and p against 0, two-sided."
_BY_PLACE = "n answers. `orders, by place`: whatever stood there. `sources, averaged`: by the place in the first order."
_HALF = (
    "Averaged over orders where there are several. Ties in visibility are left out, in content one half; p against ½."
)
_DEFINED = f"Content is scored where the median source has {MIN_SOURCE_WORDS} words."


def list_tables(result: Result) -> list[Titled]:
    """Return every block's figures by group; a table without rows is left out, and a line says why."""
    tables = [
        _show_places(result), _show_shares(result), _show_agreement(result), _show_concordance(result),
        _show_differences(result), _show_freshness(result), _show_dispersion(result), _show_flags(result),
    ]  # fmt: skip
    return [t for t in tables if t.table.rows]


def list_lines(result: Result) -> list[str]:
    """Put the groups into words, each with what it lacks; of many groups only what they show together."""
    if not result["order"]:
        return ["no baseline answer allocates anything: nothing is observed"]
    shown = []
    for name, block in _list_blocks(result):
        if len(result["order"]) > MANY and name != POOLED:
            continue
        shown.append(f"{name}: {_state_position(block['position'])}")
        if reason := _find_reason(block["agreement"]):
            shown.append(f"{name}: content, freshness and dispersion are undefined ({reason})")
            continue
        shown += [f"{name}: {line}" for line in _list_content_lines(block)]
    return shown


def _list_blocks(result: Result) -> Iterator[tuple[str, Result]]:
    """Yield the groups, and all together if there is more than one."""
    yield from ((group, result["groups"][group]) for group in result["order"])
    if len(result["order"]) > 1:
        yield POOLED, result["pooled"]


def _list_defined(result: Result, key: str) -> Iterator[tuple[str, Result]]:
    for name, block in _list_blocks(result):
        if not _find_reason(block[key]):
            yield name, block[key]


def _find_reason(value: Any) -> str | None:
    return value.get("undefined") if isinstance(value, Mapping) else None


def _name_reading(key: str) -> str:
    return "mean of orders" if key == MEAN else key


def _add_p(p: float | None) -> str:
    """Return `, p = 0.020`, `, p < 0.001`, or nothing."""
    return "" if p is None else f", {state_p(p)}"


def _list_cells(estimate: Result) -> list[Any]:
    return [estimate[key] for key in ("n", "mean", "interval", "t", "p")]


def _name_columns(title: str) -> str:
    """Return the columns of `_list_cells`."""
    return f"n > | {title} +.3 | interval to.3 | t +.2 | p p"


def _show_places(result: Result) -> Titled:
    rows: list[list[Any]] = []
    for name, position in _list_defined(result, "position"):
        for key in position["readings"]:
            effect = position["by_order"][key]
            rows.append(
                [name, _name_reading(key), *_list_cells(effect["spearman"]), format_percent(effect["explained"])]
            )
        if not _find_reason(position["between_orders"]):
            rows.append([name, "two orders", *_list_cells(position["between_orders"]), "–"])
    title = f"Place in the prompt or list, first is best (shares: {result['mode']})"
    return make_table(
        title, f"engine, run <30 | shares | {_name_columns('Spearman')} | % explained >", rows, _CLUSTERED
    )


def _add_explained(effect: Result) -> str:
    share = effect["explained"]
    return "" if share is None else f", {format_percent(share)}% of the variance within queries"


def _show_shares(result: Result) -> Titled:
    rows: list[list[Any]] = []
    for name, position in _list_defined(result, "position"):
        listed = [
            (_name_reading(key), position["by_order"][key]["shares"]) for key in position["readings"] if key != MEAN
        ]
        if MEAN in position["readings"]:
            averaged = position["by_order"][MEAN]["shares"]
            listed += [("orders, by place", position["at_place"]), ("sources, averaged", averaged)]
        for label, shares in listed:
            rows.append([name, label, shares[0]["n"], *(place["mean"] for place in shares[:_PLACES])])
    most = max((len(row) - 3 for row in rows), default=0)
    rows = [[*row, *[None] * (most + 3 - len(row))] for row in rows]
    places = " | ".join(f"{place} .3" for place in range(1, most + 1))
    title = f"Mean share by place (shares: {result['mode']})"
    return make_table(title, f"engine, run <30 | shares | n > | {places}", rows, _BY_PLACE)


def _show_agreement(result: Result) -> Titled:
    rows = [
        [name, _name_reading(key), weights, *_list_cells(agreement["by_order"][key]["weightings"][weights]["spearman"])]
        for name, agreement in _list_defined(result, "agreement")
        for key in agreement["readings"]
        for weights in agreement["weightings"]
    ]
    title = f"Content and visibility within queries (shares: {result['mode']})"
    columns = f"engine, run <30 | shares | weights | {_name_columns('Spearman')}"
    return make_table(title, columns, rows, f"{_CLUSTERED} {_DEFINED}")


def _show_concordance(result: Result) -> Titled:
    rows = []
    for name, agreement in _list_defined(result, "agreement"):
        for weights in agreement["weightings"]:
            c = agreement["by_order"][agreement["readings"][-1]]["weightings"][weights]["concordance"]
            counts = [f"{c[count]:,}" for count in ("pairs", "tied_shares", "tied_scores")]
            rows.append([name, weights, c["n"], c["mean"], c["interval"], c["p"], *counts])
    columns = "engine, run <30 | weights | n > | concordant .3 | interval to.3 | p p"
    return make_table("Concordant pairs", f"{columns} | pairs > | tied shares > | tied content >", rows, _HALF)


def _show_differences(result: Result) -> Titled:
    rows = [
        [
            name,
            _name_reading(key),
            pair.replace(" - ", f" {MINUS} "),
            *_list_cells(a["by_order"][key]["differences"][pair]),
        ]
        for name, a in _list_defined(result, "agreement")
        for key in a["readings"]
        for pair in a["differences"]
    ]
    columns = f"engine, run <30 | shares | weights | {_name_columns('difference')}"
    return make_table("Weightings compared on the same queries", columns, rows, _CLUSTERED)


def _show_freshness(result: Result) -> Titled:
    rows = []
    for name, freshness in _list_defined(result, "freshness"):
        for key in freshness["readings"]:
            blend = freshness["by_order"][key]
            means = [blend[score]["mean"] for score in ("content", "blended")]
            rows.append([name, _name_reading(key), *means, *_list_cells(blend["difference"])])
    columns = f"engine, run <30 | shares | content +.3 | blended +.3 | {_name_columns('difference')}"
    return make_table("The freshness blend and content alone", columns, rows, _CLUSTERED)


def _show_dispersion(result: Result) -> Titled:
    rows: list[list[Any]] = []
    for name, dispersion in _list_defined(result, "dispersion"):
        if not _find_reason(dispersion["quartiles"]):
            for label, part in zip(_QUARTILES, dispersion["quartiles"], strict=True):
                rows.append([name, label, [part["low"], part["high"]], *_list_cells(part)])
        distinct = dispersion["distinct"]
        for side, label in (("few", f"≤ {distinct['at_most']} distinct values"), ("more", "more values")):
            rows.append([name, label, None, *_list_cells(distinct[side])])
    columns = f"engine, run <30 | queries | sd, points to.1 | {_name_columns('Spearman')}"
    return make_table("By dispersion of content within the query", columns, rows, _CLUSTERED)


def _show_flags(result: Result) -> Titled:
    rows = []
    for name, dispersion in _list_defined(result, "dispersion"):
        for coverage in (c for c in dispersion["coverages"] if not _find_reason(dispersion["flag"][c])):
            flag = dispersion["flag"][coverage]
            for split in ("train", "test"):
                half = flag[split]
                sides = [f"{signed(half[side]['mean'], 3)} ({half[side]['n']})" for side in _SIDES]
                tested = [flag["p_corrected"], _format_verdict(flag)] if split == "test" else ["–", "–"]
                rows.append([name, coverage, split, *sides, half["difference"], *tested])
    columns = "engine, run <30 | above | half | confident (n) > | rest (n) > | difference +.3 | p p | verdict >"
    note = "The threshold is set on half of the queries. Welch's t, one-sided, p times two for two coverages."
    return make_table("Dispersion as a flag of confidence", columns, rows, note)


def _format_verdict(flag: Result) -> str:
    return "undefined" if _find_reason(flag["verdict"]) else str(flag["verdict"])


def _describe(estimate: Result, digits: int = 3) -> str:
    """Return `+0.11 (0.02 to 0.20, n = 100)`."""
    ends = f"{format_interval(estimate['interval'], digits)}, " if estimate["interval"] else ""
    return f"{signed(estimate['mean'], digits)} ({ends}n = {estimate['n']:,})"


def _state_position(position: Result) -> str:
    if reason := _find_reason(position):
        return f"the position effect is undefined ({reason})"
    orders = [key for key in position["readings"] if key != MEAN]
    effects = [
        f"{_describe(position['by_order'][key]['spearman'])} in {key} order{_add_explained(position['by_order'][key])}"
        for key in orders
    ]
    line = f"Spearman of share with place {'; '.join(effects)}"
    if MEAN not in position["by_order"]:
        return f"{line}; one order only, so that content cannot be told from place"
    line += f"; shares of two orders with each other {_describe(position['between_orders'])}"
    balance = "averaged over the orders" if position["counterbalanced"] else "averaged over orders that do not balance,"
    left = position["by_order"][MEAN]
    return f"{line}; {balance} place is left with {_describe(left['spearman'])}{_add_explained(left)}"


def _list_content_lines(block: Result) -> Iterator[str]:
    agreement, freshness = block["agreement"], block["freshness"]
    key = agreement["readings"][-1]
    weightings = agreement["by_order"][key]["weightings"]
    shipped, others = weightings[SHIPPED], [w for w in agreement["weightings"] if w != SHIPPED]
    rest = "; ".join(f"{w} {_describe(weightings[w]['spearman'])}" for w in others)
    yield (
        f"content ({SHIPPED}) and visibility ({_name_reading(key)}): Spearman {_describe(shipped['spearman'])}"
        f"{_add_p(shipped['spearman']['p'])}, {format_percent(shipped['concordance']['mean'])}% of "
        f"{shipped['concordance']['pairs']:,} pairs concordant; {rest}; "
        f"content and place {_describe(agreement['with_place'])}"
    )
    if agreement["left_out"]:
        counted = ", ".join(f"{n} {reason}" for reason, n in agreement["left_out"].items())
        yield f"sources left out of their queries: {counted}"
    blend = freshness["by_order"][key]
    aged = f"{freshness['with_evidence']:,} of {freshness['sources']:,} sources show their age"
    yield (
        f"freshness blend minus content {_describe(blend['difference'])}{_add_p(blend['difference']['p'])}; it moves "
        f"{blend['moved']:,} answers, and {aged}"
    )
    yield from _list_dispersion_lines(block["dispersion"])


def _list_dispersion_lines(dispersion: Result) -> Iterator[str]:
    if reason := _find_reason(dispersion["quartiles"]):
        yield f"quartiles of dispersion are undefined ({reason})"
    else:
        means = [part["mean"] for part in dispersion["quartiles"]]
        trend = dispersion["trend"]
        yield (
            f"from the most compressed quartile to the most dispersed {', '.join(signed(m, 3) for m in means)}; "
            f"trend {signed(trend['spearman'], 3)} ({format_interval(trend['interval'], 3)}, n = {trend['n']:,})"
        )
    few = dispersion["distinct"]["few"]
    if few["n"]:
        yield f"sources of {dispersion['distinct']['at_most']} or fewer distinct contents: {_describe(few)}"
    for coverage in dispersion["coverages"]:
        yield f"dispersion above the {coverage} as a flag of confidence: {_state_flag(dispersion['flag'][coverage])}"


def _state_flag(flag: Result) -> str:
    if reason := _find_reason(flag) or _find_reason(flag["verdict"]):
        return f"undefined ({reason})"
    test = flag["test"]
    sides = " against ".join(f"{signed(test[side]['mean'], 3)} (n = {test[side]['n']:,})" for side in _SIDES)
    gap = f"{signed(test['difference'], 3)} ({format_interval(test['interval'], 3)})"
    trained = f"the training half shows {signed(flag['train']['difference'], 3)}"
    difference = f"difference {gap}{_add_p(flag['p_corrected'])}"
    return f"{flag['verdict']}: on the half that did not set it {sides}, {difference}; {trained}"
