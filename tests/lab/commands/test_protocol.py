"""`steelyard protocol`: every study from the command line, its artifact, its errors, and the same bytes twice."""

from __future__ import annotations

import hashlib
import json
import re
import subprocess
from collections.abc import Callable
from datetime import date
from functools import partial
from pathlib import Path

import pytest

import steelyard
from steelyard.lab.corpus import loading
from steelyard.lab.protocol import capture
from steelyard.lab.protocol.gates import NAMES as GATES
from steelyard.lab.scorers.base import Scorer
from steelyard.lab.scorers.own import OwnScorer
from steelyard.lab.scorers.resolve import resolve
from tests.conftest import ROOT, run_here
from tests.lab.commands.command_line import Done, assert_refused, read_artifact, run_in_two_processes

Run = Callable[..., subprocess.CompletedProcess[str]]
SITE = ROOT / "examples" / "site"
AS_OF = date(2026, 7, 1)
STUDIES = {
    "gates": ("en.jsonl",),
    "compare": ("en.jsonl", "--french", "fr.jsonl"),
    "identify": ("en.jsonl", "--french", "fr.jsonl"),
    "robustness": ("en.jsonl",),
    "matrix": ("en.jsonl",),
    "pipeline": ("en.jsonl", "--french", "fr.jsonl"),
    "observational": ("en.jsonl", "--size", "20"),
}
PLOTS = {"gates": ("dose-curves",), "compare": ("strategies",), "identify": ("profiles",)}
LONG = ("identify", "robustness")  # run only with ./run test --all, and all studies twice
TWICE = ("gates", "compare")
RESAMPLED = ("gates", "compare", "robustness", "observational")


def write_capture(folder: Path, language: str, path: Path, scorer: Scorer | None = None) -> None:
    corpus = loading.load_corpus(str(folder))
    pages, scorer, plan = corpus.pages_in(language), scorer or OwnScorer(as_of=AS_OF), capture.CapturePlan()
    head = capture.build_header(pages, corpus.digest, corpus.name, scorer, plan)
    capture.capture(pages, scorer, head, plan, path=path, jobs=1, quiet=True)


@pytest.fixture(scope="module")
def lab(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Twenty English pages and ten French ones in `pages`, captured; three in `few`, captured too."""
    folder = tmp_path_factory.mktemp("lab")
    english = sorted(p for p in SITE.glob("*/*.md") if p.parent.name in ("guides", "science", "health"))[:20]
    french = sorted(SITE.glob("fr/*.md"))[:10]
    for name, chosen in (("pages", english + french), ("few", english[:3])):
        (folder / name).mkdir()
        for path in chosen:
            (folder / name / path.name).write_bytes(path.read_bytes())
    write_capture(folder / "pages", "en", folder / "en.jsonl")
    write_capture(folder / "pages", "fr", folder / "fr.jsonl")
    write_capture(folder / "few", "en", folder / "few.jsonl")
    write_capture(folder / "few", "en", folder / "other.jsonl", resolve("length", folder=folder, as_of=AS_OF))
    return folder


@pytest.fixture(scope="module")
def studies(lab: Path, request: pytest.FixtureRequest) -> list[dict[str, Done]]:
    """Every study in one process, and some in another with a different hash seed."""
    quick = request.config.getoption("markexpr") == "not full"
    commands = {
        name: ["protocol", name, *options, *([] if name == "gates" else ["--no-plots"])]
        for name, options in STUDIES.items()
        if not (quick and name in LONG)
    }
    first = {name: [*command, "--out", "out-1"] for name, command in commands.items()}
    second = {name: [*commands[name], "--out", "out-2"] for name in (TWICE[:1] if quick else TWICE)}
    return run_in_two_processes((first, lab), (second, lab))


@pytest.fixture
def here(lab: Path) -> Run:
    """The studies in this process and that folder."""
    return partial(run_here, "protocol", cwd=lab)


def list_files(name: str) -> list[str]:
    """Return the files of a study, its artifact first."""
    return [f"{name}.json", *(f"{stem}.{kind}" for stem in PLOTS.get(name, ()) for kind in ("png", "svg"))]


# Every study


def test_two_runs_write_and_print_the_same_bytes(studies: list[dict[str, Done]], lab: Path) -> None:
    one, two = studies
    for name in two:
        assert one[name].stdout == two[name].stdout, name
        written_twice = [(lab / out / f"{name}.json").read_bytes() for out in ("out-1", "out-2")]
        assert written_twice[0] == written_twice[1], name


def test_every_study_writes_its_artifact_and_what_it_was_made_from(studies: list[dict[str, Done]], lab: Path) -> None:
    pages = loading.load_corpus(str(lab / "pages")).digest
    expected = {"language": "en", "view": "flattened", "arm": "repeat", "seed": 0, "pages": 20, "name": "shipped"}
    for name, done in studies[0].items():
        files = list_files(name) if name == "gates" else [f"{name}.json"]  # the others run with --no-plots
        assert [f for f in files if not (lab / "out-1" / f).is_file()] == []
        assert done.stderr.splitlines()[-1] == f"wrote {', '.join(f'out-1/{f}' for f in files)}"
        data = read_artifact(lab / "out-1" / f"{name}.json")
        assert set(data) == {"schema", "tool", "inputs", "parameters", "result"}
        assert data["schema"] == f"steelyard.{name}/1"
        assert data["tool"] == {"name": "steelyard", "version": steelyard.__version__}
        assert data["inputs"]["pages"] == pages
        assert all(re.fullmatch(r"[0-9a-f]{64}", digest) for digest in data["inputs"].values())
        assert ("french: pages" in data["inputs"]) == ("--french" in STUDIES[name])
        assert expected.items() <= data["parameters"].items()
        assert ("resampling_seed" in data["parameters"]) == (name in RESAMPLED)


def test_only_the_gates_can_be_failed(studies: list[dict[str, Done]], lab: Path) -> None:
    codes = {name: done.returncode for name, done in studies[0].items()}
    assert codes.pop("gates") == (0 if read_artifact(lab / "out-1" / "gates.json")["result"]["survives"] else 1)
    assert set(codes.values()) == {0}


def test_every_strategy_is_in_the_artifact_of_the_comparison(studies: list[dict[str, Done]], lab: Path) -> None:
    assert studies
    compare = read_artifact(lab / "out-1" / "compare.json")["result"]
    assert compare["sources"] == {"train": 10, "test": 10, "french": 10}
    assert {"sqrt", "raw", "quantile", "hybrid", "released", "prior", "equal"} <= set(compare["strategies"])
    for strategy in compare["strategies"].values():
        assert {"kind", "ridge", "weights", "largest_gain", "train", "test", "french"} <= set(strategy)
        low, high = strategy["largest_gain_interval"]
        assert low <= high
        assert sum(strategy["weights"].values()) == pytest.approx(1)
    assert compare["undefined"] == [
        "refits to outcomes: no records with enough outcomes were given (--outcomes, --records)"
    ]


# The capture


def test_a_capture_goes_on_where_it_stopped_and_comes_out_the_same(here: Run, lab: Path) -> None:
    whole = (lab / "few.jsonl").read_bytes()
    half = lab / "half.jsonl"
    half.write_bytes(whole[: len(whole) // 2])
    done = here("capture", "few", "-o", "half.jsonl", "--quiet", "--jobs", "1")
    assert (done.returncode, done.stdout) == (0, "3 sources x 30 variants: 90 readings in half.jsonl\n")
    assert half.read_bytes() == whole


def test_a_capture_is_used_as_it_was_made(here: Run) -> None:
    options = (("language", "fr", "en"), ("view", "structured", "flattened"), ("arm", "fresh", "repeat"))
    for option, value, was in options:
        done = here("gates", "en.jsonl", f"--{option}", value)
        assert done.returncode == 2
        assert f"en.jsonl: captured with --{option} {was}, not {value}; capture the pages again\n" in done.stderr
    assert "fr.jsonl: captured with --language fr, not en" in here("matrix", "fr.jsonl", "--language", "en").stderr
    done = here("compare", "en.jsonl", "--french", "en.jsonl")
    assert "en.jsonl: captured with --language en, not fr" in done.stderr


def test_the_capture_of_another_scorer_is_no_ground_for_a_study_of_components(here: Run) -> None:
    for name in (n for n in STUDIES if n != "gates"):
        assert_refused(here(name, "other.jsonl"), "this capture is of the scorer 'length' and holds no component")


# Too little


def test_too_few_pages_are_undefined_and_exit_2(here: Run, lab: Path) -> None:
    halves = "2 training and 1 test sources; a study that fits and confirms needs 10 in each half"
    for name, reason in {
        **dict.fromkeys(("compare", "identify", "robustness"), halves),
        "matrix": "1 source (test); this study needs 10 or more",
        "pipeline": "3 sources (en); this study needs 10 or more",
        "observational": "3 pages; this study needs 12 or more",
    }.items():
        assert_refused(here(name, "few.jsonl", "--out", "nowhere"), f"undefined: {reason}")
        assert not (lab / "nowhere").exists(), name


def test_too_few_pages_leave_the_gates_undefined(here: Run) -> None:
    done = here("gates", "few.jsonl", "--out", "few-out", "--no-plots")
    assert done.returncode == 1
    assert done.stdout.splitlines() == [
        *(f"{gate}: undefined  3 sources; a verdict needs 10 or more" for gate in GATES),
        "shipped is not cleared on 3 pages: it leaves all five gates undefined, which is not a pass.",
    ]


# Options and mistakes


def test_the_weighting_of_the_gates_is_the_users(here: Run, lab: Path) -> None:
    done = here("gates", "en.jsonl", "--weights", "equal", "--out", "equal", "--no-plots", "--format", "json")
    data = json.loads(done.stdout)
    assert data["parameters"]["weights"] == data["result"]["scorer"] == "equal"
    assert set(data["result"]["weights"].values()) == {round(1 / 11, 9)}
    assert sorted(p.name for p in (lab / "equal").iterdir()) == ["gates.json"]
    assert (lab / "equal" / "gates.json").read_text("utf-8") == done.stdout


def test_a_language_that_the_edition_lacks_is_refused_with_the_edition_that_has_it(here: Run) -> None:
    for command in (("capture", "few", "-o", "german.jsonl"), ("gates", "few")):
        done = here(*command, "--language", "de")
        assert_refused(done, "the edition paper reads en, fr and not 'de'; choose --edition 2026\n")


def test_the_gates_of_an_edition_are_judged_with_its_own_weights(here: Run) -> None:
    for language in ("de", "es"):
        pages = ROOT / "tests" / "lab" / "edits" / "texts" / language
        chosen = ("--language", language, "--edition", "2026", "--no-plots", "--format", "json", "--quiet")
        data = json.loads(here("gates", pages, *chosen, "--jobs", "1", "--out", language).stdout)
        assert (data["parameters"]["weights"], data["parameters"]["language"]) == ("2026", language)
        assert (data["result"]["sources"], data["result"]["failures"]) == (4, {})


def test_another_seed_moves_intervals_and_nothing_else(here: Run, lab: Path, studies: list[dict[str, Done]]) -> None:
    assert studies
    done = here("gates", "en.jsonl", "--seed", "9", "--out", "nine", "--no-plots", "--format", "json")
    other, first = json.loads(done.stdout), read_artifact(lab / "out-1" / "gates.json")
    assert (other["parameters"]["seed"], other["parameters"]["resampling_seed"]) == (0, 9)
    for gate in GATES:
        one, two = (d["result"]["verdicts"]["all"][gate] for d in (first, other))
        assert one["statistic"] == two["statistic"]
    assert first["result"]["verdicts"] != other["result"]["verdicts"]


def test_outcomes_are_an_input_with_its_hash(here: Run, lab: Path) -> None:
    texts = [p.read_text("utf-8") for p in sorted((lab / "pages").glob("*.md"))[:14]]
    lines = [json.dumps({"text": t, "outcome": i % 4}) for i, t in enumerate(texts)]
    (lab / "outcomes.jsonl").write_text("\n".join(lines) + "\n", "utf-8")
    done = here("observational", "--outcomes", "outcomes.jsonl", "--out", "real", "--format", "json")
    data = json.loads(done.stdout)
    assert data["inputs"] == {"outcomes": hashlib.sha256((lab / "outcomes.jsonl").read_bytes()).hexdigest()}
    assert (data["result"]["n"], data["result"]["simulated"]) == (14, False)
    (lab / "wrong.jsonl").write_text("\n".join([*lines[:2], '{"text": "x", "outcome": NaN}']) + "\n", "utf-8")
    done = here("observational", "--outcomes", "wrong.jsonl")
    assert done.returncode == 2
    assert done.stderr.startswith("steelyard: wrong.jsonl:3: needs `text`")


def test_a_mistake_is_one_line_and_exit_2(here: Run, lab: Path) -> None:
    (lab / "binary.bin").write_bytes(bytes(range(128, 256)) * 8)
    (lab / "broken.jsonl").write_text('{"text": "A page."}\n{"txt": 1}\n', "utf-8")
    for arguments, message in (
        (("gats",), "no such command 'gats'; did you mean 'gates'? (commands: capture, "),
        (("capture",), "Missing option '-o' / '--output'."),
        (("gates", "en.jsonl", "--weights", "shiped"), "unknown weighting 'shiped'; did you mean 'shipped'?"),
        (("gates", "absent"), "absent: no such file or directory; check the path"),
        (("gates", "binary.bin"), "binary.bin: not text ("),
        (("matrix", "broken.jsonl"), "broken.jsonl:2: the record has no `text`; give the page under that key"),
        (("gates", "few", "--language", "fr"), "few: no page in 'fr' (there are: en); choose with --language"),
        (("gates", "en.jsonl", "--out", "binary.bin"), "binary.bin: cannot write here ("),
        (("compare", "en.jsonl", "--french", "absent"), "absent: no such file or directory; check the path"),
        (("compare", "en.jsonl", "--outcomes", "absent"), "absent: "),
        (("matrix", "en.jsonl", "--split", "half"), "unknown split 'half' (known: test, train, all)"),
        (("gates", "en.jsonl", "--nothing"), "No such option '--nothing'."),
        (("observational", "--size", "3"), "Invalid value for '--size': 3 is not in the range x>=12."),
    ):
        assert_refused(here(*arguments), message)


# The demo


def test_without_pages_the_demo_is_taken(here: Run) -> None:
    done = here("matrix", "--language", "fr", "--split", "all", "--out", "demo", "--format", "json", "--jobs", "1")
    data = json.loads(done.stdout)
    assert done.returncode == 0
    assert data["inputs"] == {"demo": loading.load_corpus("demo").digest}
    assert (data["result"]["sources"], data["parameters"]["language"]) == (12, "fr")


@pytest.mark.full
@pytest.mark.parametrize("name", STUDIES)
def test_every_study_runs_on_the_demo_alone_and_twice_alike(run: Run, tmp_path: Path, name: str) -> None:
    for seed in ("1", "2"):
        done = run("protocol", name, "--quiet", "--out", f"out-{seed}", cwd=tmp_path, PYTHONHASHSEED=seed)
        assert done.returncode == 0
    for file in list_files(name):
        assert (tmp_path / "out-1" / file).read_bytes() == (tmp_path / "out-2" / file).read_bytes()
    data = json.loads((tmp_path / "out-1" / f"{name}.json").read_text("utf-8"))
    assert data["inputs"]["demo"] == loading.load_corpus("demo").digest
