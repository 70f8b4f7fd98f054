"""One result for each data set: files that belong together, modes, tags, coverage, and what is not controlled."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import replace
from datetime import date
from pathlib import Path
from typing import Any

import pytest

from steelyard.errors import SteelyardError, UnknownName
from steelyard.lab.outcome.arms import CONTROL
from steelyard.lab.outcome.effects import AVERAGED, POOLED
from steelyard.lab.outcome.experiment import CANARY, list_orders, make_canary_word
from steelyard.lab.outcome.pawc import MODES
from steelyard.lab.outcome.records.b2b import Rewrite
from steelyard.lab.outcome.records.base import BASELINE, GIVEN, Outcome, SourceRecord
from steelyard.lab.outcome.records.load import RecordFile, load_records
from steelyard.lab.outcome.study import COMPLETE, MAX_LISTED, analyse_records, compare_modes, measure_coverage
from steelyard.lab.protocol.variants import LEVERS
from steelyard.lab.study.studies.anchors import NO_ANCHORS, analyse_anchors
from steelyard.support.artifacts import round_floats, to_json
from tests.conftest import SENTENCE
from tests.lab.outcome.records import sample_records as samples
from tests.lab.outcome.records.sample_records import jsonl, real
from tests.lab.protocol.synthetic import component_values

AS_OF = date(2026, 7, 1)
RUN = "outcome run"
QUOTATION, STATISTICS, CITE = LEVERS
SOURCES = (SourceRecord("0", SENTENCE * 10), SourceRecord("1", "Salt is sold here. " + SENTENCE * 9))
ARMS = (BASELINE, *LEVERS, CONTROL)


def outcome(
    query: str,
    arm: str = BASELINE,
    share: float = 0.5,
    *,
    order: str = "forward",
    sources: tuple[SourceRecord, ...] = SOURCES,
    **more: Any,
) -> Outcome:
    """What an engine said: of two sources the second, the target, has this share."""
    given = None if "answer" in more else (1 - share, share)
    more = {"engine": "engine", "target": 1, "given": given, **more}
    return Outcome(RUN, query, f"question {query}", sources=sources, shown=tuple(range(len(sources))), arm=arm,
                   order=order, **more)  # fmt: skip


def asked(
    effects: Mapping[str, Sequence[float]] | None = None,
    *,
    engine: str = "engine",
    queries: int = 12,
    order: Sequence[str] = ("forward",),
    share: float = 0.4,
) -> list[Outcome]:
    """A whole experiment; `effects` are a lever's differences to the filler, one for each query."""
    given = {lever: list((effects or {}).get(lever, [0.0] * queries)) for lever in LEVERS}
    found = []
    for q in range(queries):
        shares = {BASELINE: share, CONTROL: share - 0.02, **{lv: share - 0.02 + d[q] for lv, d in given.items()}}
        found += [outcome(f"q{q}", arm, shares[arm], engine=engine, order=o) for arm in ARMS for o in order]
    return found


def file(outcomes: Sequence[Outcome], name: str = RUN, mode: str = GIVEN, **more: Any) -> RecordFile:
    return RecordFile(name, tuple(outcomes), mode, {"file.jsonl": "0" * 64}, **more)


def found(*files: RecordFile, draws: int = 20, **options: Any) -> dict[str, Any]:
    return analyse_records(list(files), as_of=AS_OF, draws=draws, **options)


def section(*files: RecordFile, **options: Any) -> dict[str, Any]:
    (only,) = found(*files, **options)["sets"].values()
    return dict(only)


# Files and data sets


def test_several_files_of_one_data_set_are_one() -> None:
    one, two = asked(engine="one"), asked({QUOTATION: [0.1] * 12}, engine="two")
    apart = found(file(one, notes=("a", "b")), file(two, notes=("b",)))
    together = found(file([*one, *two], notes=("a", "b")))
    assert apart == together
    result = apart["sets"][RUN]
    assert apart["order"] == [RUN]
    assert result["notes"] == ["a", "b"]
    assert (result["queries"], result["answers"]) == (12, 2 * 12 * len(ARMS))
    assert result["effects"]["groups_order"] == ["one", "two"]
    assert result["effects"][POOLED][QUOTATION][AVERAGED]["n"] == 12
    assert result["effects"][POOLED][QUOTATION][AVERAGED]["mean"] == pytest.approx(0.05)


def test_data_sets_stand_apart_in_the_order_they_were_named() -> None:
    other = [replace(o, dataset="other") for o in asked(queries=3)]
    rewrites = RecordFile("b2b", (), GIVEN, {}, (), (Rewrite("1", "q", "quotes", 0.5, (0.1, 0.3), 9),))
    result = found(file(other, "other"), rewrites, file(asked(queries=2)))
    assert result["order"] == ["other", "b2b", RUN]
    assert [result["sets"][name].get("queries") for name in result["order"]] == [3, None, 2]
    assert result["sets"]["b2b"]["rewrites"]["methods"]["quotes"]["both"]["mean"] == pytest.approx(0.3)


def test_a_file_that_is_named_twice_counts_once_and_it_is_said() -> None:
    """Twice as many rewrites would have made every interval narrower, and twice as many answers the canary's."""
    once, twice = section(file(asked())), section(file(asked()), file(asked()))
    (note,) = twice["notes"]
    assert note == "60 answers repeat a question: the first is taken"
    assert {**twice, "notes": []} == once
    rows = tuple(Rewrite(str(i), "q", "quotes", i / 20, (0.1, 0.3), 9) for i in range(10))
    b2b = RecordFile("b2b", (), GIVEN, {}, (), rows)
    assert section(b2b, b2b)["rewrites"] == section(b2b)["rewrites"]
    assert section(b2b, b2b)["notes"] == ["10 answers repeat a question: the first is taken"]


# Modes


def answered(text: str, **more: Any) -> Outcome:
    return outcome(more.pop("query", "q"), answer=text, **more)


def test_the_mode_is_the_files_own_unless_another_is_asked_for() -> None:
    answer = file([answered("Salt is sold here [1]. Ice is sold there [2].")], mode="geo")
    assert section(answer)["mode"] == section(answer)["observed"]["mode"] == "geo"
    assert section(answer, mode="strict")["mode"] == "strict"
    assert section(answer, replace(answer, mode="strict"))["mode"] == "strict"  # files that do not agree
    with pytest.raises(UnknownName, match="strict"):
        section(answer, mode="strickt")


def test_shares_that_the_records_give_are_never_called_another_reading() -> None:
    result = section(file(asked()))
    assert (result["mode"], result["allocated"]) == (GIVEN, {})
    assert all(section(file(asked()), mode=mode) == result for mode in MODES)


def test_every_mode_is_counted_whatever_the_mode_of_the_figures() -> None:
    texts = ["Salt is sold here [1].", "Ice is sold there [0].", "Nobody knows.", "Tar is sold too [7]."]
    result = section(file([answered(t, query=str(i)) for i, t in enumerate(texts)], mode="strict"))
    counts = {mode: {k: v for k, v in e.items() if k != "from_strict"} for mode, e in result["allocated"].items()}
    assert counts == {
        "geo": {"answers": 4, "allocate": 4, "fallback": 2, "uncited": 2, "out_of_range": 1},
        "zero_based": {"answers": 4, "allocate": 4, "fallback": 2, "uncited": 2, "out_of_range": 1},
        "strict": {"answers": 4, "allocate": 1, "fallback": 0, "uncited": 3, "out_of_range": 2},
    }
    assert (result["answers"], result["kept"], result["excluded"]) == (4, 1, {"cites nothing": 3})
    assert compare_modes([]) == {}


def test_shares_of_every_untouched_answer_have_an_address_of_their_own() -> None:
    """Two engines and two runs answer one query: one key for all of them would have kept the last."""
    said = [
        answered(f"Salt is sold here [{number}].", engine=engine, run=run)
        for number, (engine, run) in enumerate([("one", ""), ("two", "a")], start=1)
    ]
    edited = answered("Salt is sold here [1].", engine="one", arm=QUOTATION)
    shares = section(file([*said, edited], mode="strict"))["shares"]
    assert {key: of["strict"] for key, of in shares.items()} == {
        "one|q|forward": (1.0, 0.0),
        "two, a|q|forward": (0.0, 1.0),
    }
    assert section(file(asked()))["shares"] is None
    many = [answered("Salt is sold here [1].", query=str(q)) for q in range(MAX_LISTED + 1)]
    assert section(file(many, mode="strict"))["shares"] is None


# Tags


def test_a_tag_leaves_the_answers_that_have_it() -> None:
    tagged = [replace(o, tags=("trade", "north")) if o.query_id in ("q0", "q1") else o for o in asked()]
    result = found(file(tagged), tag="trade")
    assert result["tag"] == "trade"
    assert result["sets"][RUN]["queries"] == 2
    assert result["sets"][RUN]["effects"][POOLED][QUOTATION][AVERAGED]["n"] == 2
    assert found(file(tagged))["sets"][RUN]["queries"] == 12


def test_an_unknown_tag_is_refused_with_those_there_are() -> None:
    tagged = [replace(o, tags=("trade", "ice")) for o in asked(queries=1)]
    with pytest.raises(SteelyardError, match=r"^outcome run: no outcome has the tag 'salt'; there are: ice, trade$"):
        found(file(tagged), tag="salt")
    with pytest.raises(SteelyardError, match="there are: none"):
        found(file(asked(queries=1)), tag="salt")


def test_rewrites_have_no_tags_and_are_not_passed_off_as_tagged() -> None:
    b2b = RecordFile("b2b", (), GIVEN, {}, (), (Rewrite("1", "q", "quotes", 0.5, (0.1, 0.3), 9),))
    with pytest.raises(SteelyardError, match=r"b2b: no outcome has the tag 'trade'; there are: none"):
        found(b2b, tag="trade")


def test_a_run_in_which_every_call_failed_is_told_without_a_tag_that_nobody_asked_for() -> None:
    with pytest.raises(SteelyardError, match="outcome run: there are no answers") as error:
        found(file([]))
    assert "tag" not in str(error.value)


# Coverage


def partial(engine: str, complete: int, queries: int = 20) -> list[Outcome]:
    """A run in which the first queries have every arm, and the others lack one."""
    every = asked({QUOTATION: [0.2] * queries}, engine=engine, queries=queries, order=("forward", "reversed"))
    lacking = {f"q{q}" for q in range(complete, queries)}
    return [o for o in every if not (o.query_id in lacking and o.arm == CITE and o.order == "reversed")]


def test_an_engine_below_the_rule_is_not_pooled_and_is_named() -> None:
    whole = asked(engine="whole", queries=20, order=("forward", "reversed"))
    result = section(file(whole), file(partial("interrupted", 17)), file(partial("nearly", 18)))
    assert COMPLETE == 0.9
    assert {group: e["kept"] for group, e in result["coverage"].items()} == {
        "whole": True,
        "interrupted": False,
        "nearly": True,
    }
    assert result["coverage"]["interrupted"] == {"queries": 20, "complete": 17, "share": 0.85, "kept": False}
    assert result["effects"]["groups_order"] == ["whole", "nearly"]
    assert result["effects"][POOLED][QUOTATION][AVERAGED]["mean"] == pytest.approx(0.1)
    assert result["length"]["n"] == 20
    # It is left out of the effects alone.
    assert "interrupted" in result["observed"]["order"]


def test_a_query_without_one_order_of_an_arm_is_counted_and_leaves_that_arm() -> None:
    result = section(file(partial("nearly", 18)))
    assert result["excluded"] == {"lacks an order": 2}
    row = result["effects"][POOLED][CITE]
    assert (row[AVERAGED]["n"], row["left_out"]) == (18, 2)
    assert result["effects"][POOLED][QUOTATION]["left_out"] == 0


def test_no_engine_left_leaves_no_lever() -> None:
    result = section(file(partial("interrupted", 3)))
    assert (result["effects"]["order"], result["effects"][POOLED], result["length"]) == ([], {}, {"n": 0})
    to_json(round_floats(result))


def test_records_without_edits_have_no_coverage_and_no_effects() -> None:
    result = section(file([outcome(str(q), share=0.3) for q in range(5)]))
    assert (result["coverage"], result["effects"], result["length"], result["canary"]) == ({}, None, None, None)


def test_a_query_of_fewer_sources_is_complete_with_fewer_rotations() -> None:
    three = (*SOURCES, SourceRecord("2", "ice"))
    both = []
    for query, sources in (("two", SOURCES), ("three", three)):
        for arm in (BASELINE, CONTROL, QUOTATION):
            for order in list_orders(len(sources), "latin"):
                shares = (0.5, 0.5, 0.0)[: len(sources)]
                both.append(outcome(query, arm, sources=sources, order=order, given=shares))
    assert measure_coverage(both, {})["engine"] == {"queries": 2, "complete": 2, "share": 1.0, "kept": True}
    assert section(file(both))["effects"][POOLED][QUOTATION][AVERAGED]["n"] == 2


# Controls


def test_geo_bench_rows_have_no_filler_and_are_not_called_controlled(tmp_path: Path) -> None:
    result = section(load_records(jsonl(tmp_path / "rows.jsonl", [samples.geo_bench()])))
    assert (result["mode"], result["length"]) == ("geo", None)
    effects = result["effects"]
    assert (effects["against"], effects["order"]) == (BASELINE, ["quotes", "summary"])
    # Before: four words in the first sentence and three in the second, which weighs 1/e. After: all, or nothing.
    before = 4 / (4 + 3 * math.exp(-1))
    assert effects[POOLED]["quotes"][AVERAGED]["mean"] == pytest.approx(1 - before)
    assert effects[POOLED]["summary"][AVERAGED]["mean"] == pytest.approx(-before)


def test_with_filler_the_effect_is_controlled_and_length_stands_beside_it() -> None:
    result = section(file(asked({STATISTICS: [0.1] * 12})))
    assert result["effects"]["against"] == CONTROL
    assert result["effects"]["order"] == [QUOTATION, STATISTICS, CITE]
    assert result["effects"][POOLED][STATISTICS][AVERAGED]["mean"] == pytest.approx(0.1)
    assert (result["length"]["n"], result["length"]["mean"]) == (12, pytest.approx(-0.02))


def test_the_canary_is_no_lever() -> None:
    planted = []
    for q in range(4):
        query = f"question q{q}"
        said = f"{make_canary_word(query)}! Salt [2]." if q == 0 else "Salt is sold here [2]."
        planted += [answered(said, query=f"q{q}", arm=CANARY), answered("Salt is sold here [2].", query=f"q{q}")]
        planted += [answered("Salt is sold here [2].", query=f"q{q}", arm=arm) for arm in (CONTROL, QUOTATION)]
    result = section(file(planted, mode="strict"))
    assert result["effects"]["order"] == [QUOTATION]
    assert [(result["canary"][arm]["followed"], result["canary"][arm]["answers"]) for arm in (CANARY, BASELINE)] == [
        (1, 4),
        (0, 4),
    ]


# Anchors of whole runs


def test_anchors_of_an_engine_below_the_rule_are_not_pooled() -> None:
    whole = asked(engine="whole", queries=20, order=("forward", "reversed"))
    result = analyse_anchors([file(whole), file(partial("interrupted", 10))], "strict", dated=AS_OF, draws=20)
    assert result["coverage"]["interrupted"]["kept"] is False
    assert result["anchors"]["levers"][QUOTATION]["points"] == pytest.approx(0.0)
    alone = analyse_anchors([file(partial("interrupted", 10))], "strict", dated=AS_OF, draws=20)
    assert {e["verdict"] for e in alone["anchors"]["levers"].values()} == {None}
    assert alone["anchors"]["baseline_share"] is None


def test_a_run_without_an_arm_is_refused_with_its_name() -> None:
    for lacking in ARMS:
        with pytest.raises(SteelyardError, match=rf"^undefined: no answers for {lacking}; anchors need a complete"):
            analyse_anchors([file([o for o in asked() if o.arm != lacking])], "strict", dated=AS_OF)
    with pytest.raises(SteelyardError, match="no answers for baseline, cite_sources, neutral_filler, quotation"):
        analyse_anchors([RecordFile("b2b", (), GIVEN, {})], "strict", dated=AS_OF)


def test_weights_are_refitted_only_where_pages_are_given() -> None:
    halves = component_values({}), component_values({})
    flat = analyse_anchors([file(asked())], "strict", dated=AS_OF, draws=20)
    assert flat["recalibration"] is None
    assert analyse_anchors([file(asked())], "strict", dated=AS_OF, halves=halves, draws=20)["recalibration"] == {
        "undefined": NO_ANCHORS
    }
    moved = file(asked({QUOTATION: [0.1] * 12}))
    again = analyse_anchors([moved], "strict", dated=AS_OF, halves=halves, draws=20)["recalibration"]
    assert again["anchors"] == pytest.approx([10.0, 0.0, 0.0])


# Results


@pytest.fixture
def mixed(tmp_path: Path) -> list[RecordFile]:
    rewrites = [samples.b2b(method, query_id=q, pawc_share=q / 20) for q in range(1, 12) for method in ("a", "b")]
    return [
        file([*asked({QUOTATION: [q / 100 for q in range(12)]}), *asked(engine="two", queries=9)]),
        load_records(
            jsonl(tmp_path / "geo.jsonl", [samples.geo_bench(), samples.geo_bench(query="and tar", edits={})])
        ),
        load_records(jsonl(tmp_path / "google.jsonl", [samples.google(), samples.google("other", (0.0, 0.0, 0.0))])),
        load_records(jsonl(tmp_path / "b2b.jsonl", rewrites)),
    ]


def test_a_result_is_a_function_of_records_and_seed(mixed: list[RecordFile]) -> None:
    assert found(*mixed, seed=1) == found(*mixed, seed=1)
    assert found(*mixed, seed=1) != found(*mixed, seed=2)


@pytest.mark.full
@pytest.mark.parametrize(
    "name",
    [
        "geo_bench_rows.json",
        "outcomes/scholarqa_gpt4o.jsonl",
        "outcomes/google_ai_answers.jsonl",
        "outcomes/qwen_answers.jsonl",
        "outcomes/b2b_rewrites.jsonl.gz",
    ],
)
def test_the_real_records_go_through(name: str) -> None:
    to_json(round_floats(found(load_records(real(name)), draws=100)))
