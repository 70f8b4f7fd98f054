"""Artifacts: the envelope, rounding, refusals by address, atomic replacement."""

import hashlib
import json
import os
import socket
from pathlib import Path

import numpy as np
import pytest

import steelyard
from steelyard.errors import CannotWrite, PageUnreadable, SteelyardError
from steelyard.support.artifacts import (
    hash_file,
    list_differences,
    make_envelope,
    mark_undefined,
    require_writable,
    round_floats,
    to_canonical_json,
    to_json,
    to_unescaped_json,
    write_artifact,
    write_bytes,
    write_text,
)


def test_an_envelope_says_what_made_the_result_and_nothing_about_when_or_where():
    made = make_envelope("gates/1", inputs={"pages": "ab" * 32}, parameters={"seed": 7}, result={"passed": True})
    assert made == {
        "schema": "gates/1",
        "tool": {"name": "steelyard", "version": steelyard.__version__},
        "inputs": {"pages": "ab" * 32},
        "parameters": {"seed": 7},
        "result": {"passed": True},
    }
    assert socket.gethostname() not in to_json(made)


INVISIBLE = "\x7f\x85\x9b\u00ad\u061c\u200b\u200d\u200e\u2028\u2029\u202e\u2066\u2069\ufeff\U000e0041\U0001d173\ud800"


def test_json_escapes_what_a_terminal_obeys_or_hides_and_is_read_back_the_same():
    value = {f"key {INVISIBLE}": [f"é 日本 🙂 {INVISIBLE} \n\t\x1b\\u202e"]}
    for indent in (2, None):
        text = to_json(value, indent=indent)
        assert not set(text) & set(INVISIBLE)
        assert json.loads(text) == value
        assert "é 日本 🙂" in text
        assert "\\u202e" in text
        assert "\\udb40\\udc41" in text  # a pair of surrogates for what has more than four digits


def test_plain_json_has_no_escapes_of_ours_and_what_is_hashed_has_none_at_all():
    """Seals, digests of corpora and journals were made from unescaped text, and must stay what they are."""
    value = {"a": [1.5, None, True], "b": 'é "quoted" \\ / 日本', "c": {"d": "x\ny"}}
    assert to_json(value) == json.dumps(value, ensure_ascii=False, indent=2)
    assert to_json("\x7f") == '"\\u007f"'
    assert to_unescaped_json(["\u202e", "é"], indent=None) == '["\u202e", "é"]'
    assert to_canonical_json(["\u202e", "é"]) == '["\u202e","é"]'.encode()


def test_whether_a_file_can_be_written_is_known_beforehand(tmp_path: Path):
    (tmp_path / "there").write_text("old")
    for path in (tmp_path / "new", tmp_path / "there", Path("/dev/null")):
        require_writable(path)
    for path in (tmp_path / "absent" / "new", tmp_path / "there" / "new"):
        with pytest.raises(CannotWrite):
            require_writable(path)
    assert [p.name for p in tmp_path.iterdir()] == ["there"]
    assert (tmp_path / "there").read_text() == "old"


def test_rounding_walks_everything_and_leaves_no_negative_zero():
    value = {"a": [1 / 3, (2 / 3, -1e-12)], "b": {"c": True, "d": 12, "e": "0.1234567890123", "f": None}}
    rounded = round_floats(value)
    assert rounded == {"a": [0.333333333, [0.666666667, 0.0]], "b": value["b"]}
    assert "-0.0" not in to_json(rounded)
    assert value["a"] == [1 / 3, (2 / 3, -1e-12)]
    assert round_floats(2.71828, digits=2) == 2.72
    assert type(round_floats(np.float64(0.5))) is float
    assert round_floats({"r": mark_undefined("no variation")}) == {"r": {"undefined": "no variation"}}


def test_what_json_does_not_have_is_refused_with_its_address():
    for bad in (float("nan"), float("inf"), float("-inf")):
        value = {"result": {"gates": [{"margin": 1.0}, {"margin": 2.0}, {"margin": bad}]}}
        with pytest.raises(SteelyardError, match=r"^result\.gates\[2\]\.margin: -?(nan|inf) is no result"):
            round_floats(value)
    with pytest.raises(SteelyardError, match=r"^result\[0\]: nan"):
        round_floats([float("nan")], path="result")
    for odd in ({1}, np.int64(3), b"x"):
        with pytest.raises(TypeError, match=r"^a\.b\[1\]: JSON knows no"):
            round_floats({"a": {"b": [0, odd]}})


def test_the_sha256_of_a_file_is_that_of_its_bytes(tmp_path: Path):
    data = os.urandom(300_000)
    (tmp_path / "x").write_bytes(data)
    assert hash_file(tmp_path / "x") == hashlib.sha256(data).hexdigest()
    for path, reason in ((tmp_path / "nothing", "nothing: no such file"), (tmp_path, "a directory")):
        with pytest.raises(PageUnreadable, match=reason):
            hash_file(path)


def test_differences_are_shown_leaf_by_leaf_old_to_new():
    old = {"a": 1, "b": {"c": [1, 2], "gone": None}, "same": "x"}
    new = {"a": 1.0, "b": {"c": [1, 3, 4]}, "same": "x"}
    assert list(list_differences(old, new)) == [
        "a: 1 → 1.0",
        "b.c[1]: 2 → 3",
        "b.gone: null → absent",
        "b.c[2]: absent → 4",
    ]
    assert list(list_differences(old, old)) == []
    (line,) = list_differences({"p": "x" * 500 + "A" + "y" * 500}, {"p": "x" * 500 + "B"})
    assert "xxA" in line
    assert "xxB" in line
    assert len(line) < 200


def test_an_artifact_is_sorted_ends_in_a_line_break_and_holds_no_nan(tmp_path: Path):
    write_artifact(tmp_path / "a.json", {"b": 1, "a": "é"})
    assert (tmp_path / "a.json").read_text("utf-8") == '{\n  "a": "é",\n  "b": 1\n}\n'
    with pytest.raises(ValueError, match="not JSON compliant"):
        write_artifact(tmp_path / "a.json", {"a": float("nan")})
    assert json.loads((tmp_path / "a.json").read_text("utf-8"))["b"] == 1


def test_bytes_replace_a_file_in_one_step_and_leave_no_other_file(tmp_path: Path):
    write_text(tmp_path / "image", "old")
    write_bytes(tmp_path / "image", b"\x89PNG\r\n")
    assert (tmp_path / "image").read_bytes() == b"\x89PNG\r\n"
    assert os.listdir(tmp_path) == ["image"]
    with pytest.raises(CannotWrite, match="nowhere"):
        write_bytes(tmp_path / "nowhere" / "image", b"")
