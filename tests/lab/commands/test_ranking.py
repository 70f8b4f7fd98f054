"""`steelyard ranking` and `steelyard predict` as a user sees them: from a file of groups to a ranked page."""

from __future__ import annotations

import json
import re
import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest

import steelyard as package
from steelyard.lab.ranking import leakage as audit
from steelyard.lab.ranking import models
from tests.conftest import run_here
from tests.lab.commands.command_line import Done, assert_refused, read_artifact, run_in_two_processes
from tests.lab.ranking.sample_data import make_groups, write_groups

QUERY = "where is salt sold"
SALT = "# Salt\n\nSalt is a mineral. It is sold at the harbour of Lund, and has been since 1820.\n"
ICE = "Ice closes the bay in January and opens it in late March.\n"


@pytest.fixture(scope="module", autouse=True)
def _few_trees() -> Iterator[None]:
    with pytest.MonkeyPatch.context() as small:
        small.setattr(models, "TREES", 5)
        small.setattr(audit, "SHUFFLES", 1)
        yield


@pytest.fixture(scope="module")
def lab(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("ranking")
    write_groups(folder / "groups.jsonl", make_groups(20, agree=False))
    return folder


@pytest.fixture(scope="module")
def done(lab: Path) -> dict[str, Done]:
    """Every command, and the cheaper ones twice, into two folders."""
    data, less = lab / "groups.jsonl", ("--draws", "100", "--quiet")
    found = {"study 1": run_here("ranking", "study", data, "--out", lab / "1", "--shuffles", "1", *less)}
    for folder in ("1", "2"):
        out = lab / folder
        found[f"audit {folder}"] = run_here("ranking", "audit", data, "--out", out, *less)
        found[f"train {folder}"] = run_here("ranking", "train", data, "-o", out / "model", "--quiet")
    return found


@pytest.fixture
def pages(tmp_path: Path) -> Path:
    folder = tmp_path / "pages"
    folder.mkdir()
    (folder / "ice.md").write_text(ICE)
    (folder / "salt.md").write_text(SALT)
    (folder / "tar.md").write_text(ICE)
    return folder


def refused(*command: str | Path) -> str:
    """Return the one line that a command prints before it gives up."""
    done = run_here(*command)
    assert_refused(done, "")
    return done.stderr.removeprefix("steelyard: ").strip()


# End to end


def test_every_command_ends_well(done: dict[str, Done]) -> None:
    assert {name: d.returncode for name, d in done.items()} == dict.fromkeys(done, 0)
    assert done["audit 1"].stdout.startswith("audit: no leak found: on queries with several answers the probe gains ")
    assert done["study 1"].stdout.startswith("groups.jsonl: 40 groups of 20 queries, 2 engines\n")
    assert done["train 1"].stdout.startswith("a ranker of 20 features, fitted to 40 groups of 20 queries\n")


def test_artifacts_and_output_are_the_same_bytes_twice(done: dict[str, Done], lab: Path) -> None:
    assert done["audit 1"].stdout == done["audit 2"].stdout
    for name in ("ranking-audit.json", "model/model.txt", "model/manifest.json"):
        assert (lab / "1" / name).read_bytes() == (lab / "2" / name).read_bytes(), name
    assert sorted(p.name for p in (lab / "1").iterdir()) == [
        "model", "ranking-audit.json", "ranking.json", "signal.png", "signal.svg", "transfer.png", "transfer.svg"
    ]  # fmt: skip


def test_every_artifact_says_what_it_was_made_from(done: dict[str, Done], lab: Path) -> None:
    shared = {"seed": 0, "as_of": "2026-07-01", "language": "en", "embedder": None, "cross_encoder": None, "draws": 100}
    for name, parameters in (("ranking", {**shared, "shuffles": 1}), ("ranking-audit", shared)):
        data = read_artifact(lab / "1" / f"{name}.json")
        assert data["schema"] == f"steelyard.{name}/1"
        assert data["tool"] == {"name": "steelyard", "version": package.__version__}
        assert list(data["inputs"]) == ["groups.jsonl"]
        assert re.fullmatch(r"[0-9a-f]{64}", data["inputs"]["groups.jsonl"])
        assert data["parameters"] == parameters
    trained = read_artifact(lab / "1" / "model/manifest.json")["data"]
    assert (trained["name"], trained["groups"], trained["queries"]) == ("groups.jsonl", 40, 20)
    assert trained["inputs"] == data["inputs"]
    assert trained["parameters"]["as_of"] == "2026-07-01"


def test_another_seed_deals_other_folds(done: dict[str, Done], lab: Path, tmp_path: Path) -> None:
    command = ("ranking", "study", lab / "groups.jsonl", "--seed", "7", "--shuffles", "1", "--draws", "100")
    ended = run_here(*command, "--format", "json", "--out", tmp_path, "--no-plots", "--quiet")
    one, other = read_artifact(lab / "1" / "ranking.json")["result"], json.loads(ended.stdout)["result"]
    assert (one["seeds"], other["seeds"]) == ([0], [7])
    name = "ridge, regex only"
    assert one["models"][name]["metrics"]["spearman"]["mean"] != other["models"][name]["metrics"]["spearman"]["mean"]
    assert one["baselines"]["q_bm25"]["spearman"]["mean"] == other["baselines"]["q_bm25"]["spearman"]["mean"]


def test_given_relevance_is_an_arm(tmp_path: Path) -> None:
    groups = make_groups(8, ("one",))
    for row in groups:
        for place, source in enumerate(row["sources"]):
            source["relevance"] = source["share"] * 10 - place % 2
    path = write_groups(tmp_path / "groups.jsonl", groups)
    command = ("ranking", "study", path, "--shuffles", "1", "--draws", "100", "--no-plots", "--quiet")
    ended = run_here(*command, "--cross-encoder", "given", "--out", tmp_path / "out")
    assert ended.returncode == 0, ended.stderr
    assert "\nLambdaMART, + cross-encoder " in ended.stdout
    assert "\ncross-encoder or given relevance " in ended.stdout
    del groups[0]["sources"][0]["relevance"]
    write_groups(path, groups)
    assert "the records have no relevance for source '0'" in refused(*command, "--cross-encoder", "given")


@pytest.mark.full
def test_processes_that_hash_otherwise_write_the_same_bytes(lab: Path, tmp_path: Path) -> None:
    data = str(lab / "groups.jsonl")
    commands = {
        "study": ["ranking", "study", data, "--shuffles", "2", "--no-plots", "--out", "out"],
        "audit": ["ranking", "audit", data, "--out", "out"],
        "train": ["ranking", "train", data, "-o", "model"],
    }
    folders = tmp_path / "1", tmp_path / "2"
    for folder in folders:
        folder.mkdir()
    run_in_two_processes((commands, folders[0]), (commands, folders[1]))
    names = sorted(p.relative_to(folders[0]) for p in folders[0].rglob("*") if p.is_file())
    assert len(names) == 4
    for name in names:
        assert (folders[0] / name).read_bytes() == (folders[1] / name).read_bytes(), name


# The audit's verdicts


def test_a_planted_leak_exits_with_one(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(models, "TREES", 30)
    path = write_groups(tmp_path / "leaky.jsonl", make_groups(30, ("one", "two", "three"), agree=True, words=(60, 120)))
    ended = run_here("ranking", "audit", path, "--draws", "100", "--out", tmp_path / "out", "--quiet")
    assert ended.returncode == 1, ended.stderr
    assert ended.stdout.startswith("audit: leaks: on queries with several answers a probe that never sees the query ")
    assert json.loads((tmp_path / "out" / "ranking-audit.json").read_text("utf-8"))["result"]["verdict"] == "leaks"


def test_a_verdict_needs_queries_with_several_answers(tmp_path: Path) -> None:
    for name, groups, code, words in (
        ("once", make_groups(16, ("one",)), 0, "no leak found: every query occurs once"),
        ("few", make_groups(6), 2, "undefined: 6 queries have more than one answer; a verdict needs 15\n"),
    ):
        ended = run_here("ranking", "audit", write_groups(tmp_path / name, groups), "--out", tmp_path / "out")
        assert ended.returncode == code, name
        assert ended.stdout.startswith(f"audit: {words}"), name


# What is wrongly typed or too little


def test_too_little_data_is_undefined(tmp_path: Path) -> None:
    few = write_groups(tmp_path / "few.jsonl", make_groups(4))
    assert refused("ranking", "study", few, "--out", tmp_path / "out") == (
        "undefined: 4 queries; 5 folds over queries need 5 or more"
    )
    assert refused("ranking", "train", few, "-o", tmp_path / "out") == "undefined: 8 groups to train on; 30 are needed"
    assert not (tmp_path / "out").exists()


def test_what_is_wrongly_typed_is_said(lab: Path) -> None:
    data = lab / "groups.jsonl"
    assert "--draws" in refused("ranking", "study", data, "--draws", "9")
    assert "did you mean 'wordllama'?" in refused("ranking", "study", data, "--embedder", "wordlama")
    assert "(one of: given" in refused("ranking", "audit", data, "--cross-encoder", "nothing")
    assert "unknown language 'de'" in refused("ranking", "audit", data, "--language", "de")
    assert "is not a folder" in refused("ranking", "audit", data, "--out", data)
    assert "is not a folder" in refused("ranking", "train", data, "-o", data)


# Predict


def test_pages_are_ranked_without_a_model(pages: Path) -> None:
    ended = run_here("predict", pages, "--query", QUERY)
    assert (ended.returncode, ended.stderr) == (0, "")
    lines = ended.stdout.splitlines()
    assert lines[0].startswith("A ranking by words and forms, not a promise: ")
    assert lines[0].endswith("no engine was asked.")
    assert [line.split()[0] for line in lines[4:7]] == ["1", "2", "2"]
    assert [Path(line.split()[1]).name for line in lines[4:7]] == ["salt.md", "ice.md", "tar.md"]


def test_pages_are_ranked_with_a_model(done: dict[str, Done], lab: Path, pages: Path) -> None:
    command = ("predict", pages, "--query", QUERY, "--model", lab / "1" / "model")
    ended = run_here(*command)
    assert ended.returncode == 0, ended.stderr
    assert ended.stdout.startswith(
        "A ranking by a model trained on recorded answers, not a promise: no engine was asked"
    )
    data = json.loads(run_here(*command, "--format", "json").stdout)
    assert data["model"]["data"]["name"] == "groups.jsonl"
    assert data["model"]["model_sha256"] == read_artifact(lab / "1" / "model/manifest.json")["model_sha256"]
    scores = [p["score"] for p in data["pages"]]
    assert scores == sorted(scores, reverse=True)
    assert [p["place"] for p in data["pages"]] == [1 + sum(s > mine for s in scores) for mine in scores]
    assert run_here(*command).stdout == ended.stdout


def test_the_json_is_complete_and_can_go_to_a_file(pages: Path, tmp_path: Path) -> None:
    command = ("predict", pages, "--query", QUERY, "--format", "json")
    shown = run_here(*command).stdout
    data = json.loads(shown)
    assert (data["schema_version"], data["query"], data["as_of"], data["model"]) == (1, QUERY, "2026-07-01", None)
    assert [Path(p["source"]).name for p in data["pages"]] == ["salt.md", "ice.md", "tar.md"]
    ended = run_here(*command, "-o", tmp_path / "out.json")
    assert (ended.stdout, (tmp_path / "out.json").read_text("utf-8")) == ("", shown)


def test_jsonl_html_an_empty_page_and_two_languages_go_together(tmp_path: Path) -> None:
    (tmp_path / "a.html").write_text(f"<html><head><title>Salt</title></head><body><p>{SALT * 5}</p></body></html>")
    (tmp_path / "b.md").write_text("")
    (tmp_path / "c.md").write_text(
        "Le sel est un minéral que le port vend depuis longtemps, et la glace ferme la baie."
    )
    (tmp_path / "d.jsonl").write_text(json.dumps({"text": ICE}) + "\n" + json.dumps({"text": SALT, "url": "x"}) + "\n")
    ended = run_here("predict", *sorted(tmp_path.iterdir()), "--query", QUERY, "--format", "json")
    assert ended.returncode == 0, ended.stderr
    assert len(json.loads(ended.stdout)["pages"]) == 5


def test_a_page_that_cannot_be_read_is_named_and_the_others_ranked(pages: Path) -> None:
    bad = pages / "bad\x1b[31m.md"
    bad.write_bytes(b"\0\1" * 500)
    ended = run_here("predict", pages, "--query", QUERY)
    assert ended.returncode == 2
    assert len(ended.stdout.splitlines()) == 7
    assert ended.stderr.startswith("steelyard: ")
    assert "bad␛[31m.md: not text" in ended.stderr
    assert "\x1b" not in ended.stderr


def test_nothing_to_rank_is_refused(tmp_path: Path) -> None:
    ended = run_here("predict", tmp_path / "none.md", "--query", QUERY)
    assert (ended.returncode, ended.stdout) == (2, "")
    assert "no such file or directory" in ended.stderr
    assert "no page could be read" in ended.stderr


def test_a_model_that_is_not_what_it_says_is_refused(
    done: dict[str, Done], lab: Path, pages: Path, tmp_path: Path
) -> None:
    command = ("predict", pages, "--query", QUERY, "--model")
    model = Path(shutil.copytree(lab / "1" / "model", tmp_path / "model"))
    text = (model / "model.txt").read_bytes()
    (model / "model.txt").write_bytes(text.replace(b"leaf_value=", b"leaf_value=9", 1))
    assert "its model_sha256 is '" in refused(*command, model)
