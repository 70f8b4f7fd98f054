"""Sets of labels: the known ones, and a user's own file with every kind of damage."""

from __future__ import annotations

import gzip
import json
from pathlib import Path
from typing import Any

import pytest

from steelyard.errors import SteelyardError
from steelyard.lab.agreement import AUC, SPEARMAN, labels
from tests.conftest import SHARED_DATA as DATA

PROSE = "The ferry to the outer islands leaves at seven, and the harbour master notes every ship that passes the pier. "


def write(path: Path, *records: Any) -> str:
    path.parent.mkdir(parents=True, exist_ok=True)
    data = "".join(f"{r if isinstance(r, str) else json.dumps(r)}\n" for r in records).encode()
    path.write_bytes(gzip.compress(data, mtime=0) if path.suffix == ".gz" else data)
    return str(path)


def by_name(found: labels.LabelSet) -> dict[str, labels.Target]:
    return {target.name: target for target in found.targets}


def test_a_file_of_ones_own_has_auc_for_two_labels_and_spearman_for_more(tmp_path: Path) -> None:
    path = tmp_path / "mine.jsonl"
    two = labels.read_labels(write(path, {"text": PROSE, "label": True}, {"text": PROSE, "label": False}), "en")
    assert (two.name, two.targets[0].measure, two.targets[0].labels) == ("mine.jsonl", AUC, (1.0, 0.0))
    mixed = [{"text": PROSE, "label": label, "id": n, "group": "a" if n else 7} for n, label in enumerate((1, 2.5, 3))]
    more = labels.read_labels(write(path, *mixed), "fr")
    assert (more.targets[0].measure, more.passages[0].language) == (SPEARMAN, "fr")
    assert by_name(more)["group: a"].labels == (None, 2.5, 3.0)
    assert by_name(more)["group: 7"].labels == (1.0, None, None)
    assert labels.read_labels(write(path, *mixed[:1]), "en").targets[0].measure == AUC


def test_documents_are_split_by_their_words(tmp_path: Path) -> None:
    lengths = (40, 199, 200, 300, 1200)
    path = write(tmp_path / "mine.jsonl", *({"text": "word " * n, "label": n} for n in lengths))
    parts: dict[str, Any] = {name: t.labels for name, t in by_name(labels.read_labels(path, "en")).items()}
    assert parts["under 200 words"] == (40, 199, None, None, None)
    assert parts["200 words or more"] == (None, None, 200, 300, 1200)
    assert parts["100 to 249 words"] == (None, 199, 200, None, None)
    assert parts["1,000 words or more"] == (None, None, None, None, 1200)


def test_a_damaged_line_is_named_with_what_is_wrong_and_what_to_write(tmp_path: Path) -> None:
    path = tmp_path / "mine.jsonl"
    good = {"text": PROSE, "label": 1, "id": "a"}
    for bad, words in (
        ("{", "Expecting property name"),
        ("[1]", "object"),
        ({"label": 1}, "`text` is missing (keys seen: label); a line of labels holds text and label"),
        ({"text": 3, "label": 1}, "`text` is a int, and must be a string; a line of labels"),
        ({"text": "  ", "label": 1}, "`text` is empty"),
        ({"text": PROSE}, "`label` is missing (keys seen: text)"),
        ({"text": PROSE, "label": None}, "`label` is null"),
        ({"text": PROSE, "label": "yes"}, '`label` is "yes", and must be a number; a line of labels holds text and'),
        ({"text": PROSE, "label": [1]}, "must be a number"),
        ('{"text": "x", "label": NaN}', "NaN is not a JSON number"),
        ('{"text": "x", "label": 1e999}', "finite number"),
        ({"text": PROSE, "label": 1, "group": ["x"]}, "`group` is a list, and must be a string"),
        ({"text": PROSE, "label": 1, "id": "a"}, "the id 'a' is that of line 1 too; give every document its own"),
    ):
        with pytest.raises(SteelyardError) as caught:
            labels.read_labels(write(path, good, "", bad), "en")
        assert str(caught.value).startswith(f"{path}:3: "), bad
        assert words in str(caught.value), bad


def test_a_file_that_is_missing_empty_or_no_text_is_named(tmp_path: Path) -> None:
    path = tmp_path / "mine.jsonl"
    with pytest.raises(SteelyardError, match=r"mine\.jsonl: no such file"):
        labels.read_labels(str(path), "en")
    for data in (b"", b"\n\n", b"\xff\xfe\x00", b"\x1f\x8bgarbage"):
        path.write_bytes(data)
        with pytest.raises(SteelyardError, match=r"mine\.jsonl"):
            labels.read_labels(str(path), "en")


def test_too_many_groups_to_show_are_refused(tmp_path: Path) -> None:
    records = [{"text": PROSE, "label": n % 2, "group": f"g{n}"} for n in range(labels.MOST_GROUPS + 1)]
    with pytest.raises(SteelyardError, match=r"21 groups, and 20 can be shown; leave `group` out, or join some"):
        labels.read_labels(write(tmp_path / "mine.jsonl", *records), "en")


def test_the_known_sets_are_read_in_their_own_form(tmp_path: Path) -> None:
    kept, releases, graded = labels.KNOWN
    path = tmp_path / "dclm.jsonl"
    write(path, {"text": PROSE, "keep": 1, "agreed": True}, {"text": PROSE, "keep": 0, "agreed": False})
    assert [t.labels for t in kept.read([path]).targets[:2]] == [(1.0, 0.0), (1.0, None)]
    write(path, {"text": PROSE, "keep": 2, "agreed": True})
    with pytest.raises(SteelyardError, match=r"dclm\.jsonl:1: needs `keep` as 0 or 1"):
        kept.read([path])

    path = tmp_path / "health.jsonl.gz"
    criteria = [{"costs": 1, "harms": 0, "novelty": None}, {"costs": None, "harms": None, "novelty": None}]
    write(path, *({"text": PROSE, "criteria": c} for c in criteria))
    found = by_name(releases.read([path]))
    assert (found["all"].measure, found["all"].labels) == (SPEARMAN, (0.5, None))
    assert (found["criterion: harms"].measure, found["criterion: harms"].labels) == (AUC, (0.0, None))
    write(path, {"text": PROSE, "criteria": {"costs": "yes"}})
    with pytest.raises(SteelyardError, match=r"health\.jsonl\.gz:1: needs `criteria`"):
        releases.read([path])

    pages = write(tmp_path / "web_en.jsonl", *({"id": n, "lang": "en", "text": f"{n} {PROSE * 12}"} for n in "abc"))
    grades = write(tmp_path / "grades.jsonl", {"id": "c", "substance": [4, 5]}, {"id": "a", "substance": [1, 2]})
    of_models = graded.read([Path(grades), Path(pages)])
    assert of_models.targets[0].labels == (1.5, 4.5)
    assert not of_models.by_people
    assert "model readers" in of_models.about


def test_the_measuring_data_is_read_whole() -> None:
    if not (DATA / "human" / "dclm.jsonl").is_file():
        pytest.skip("no labels here; STEELYARD_DATA names the folder")
    sizes = {}
    for known in labels.KNOWN:
        found = known.read([DATA / name for name in known.files])
        sizes[known.name] = (len(found.passages), sum(label is not None for label in found.targets[0].labels))
    assert sizes == {labels.KEPT: (235, 235), labels.RELEASES: (290, 290), labels.GRADED: (60, 60)}
