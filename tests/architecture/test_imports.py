"""The layout: a package imports the packages listed above it, never those below."""

from __future__ import annotations

import ast
import subprocess
import sys
from collections.abc import Iterator
from functools import cache
from pathlib import Path

import steelyard

PACKAGE = Path(steelyard.__file__).parent

# From CONTRIBUTING.md, top to bottom; a layer may import itself and what is listed before it.
LAYERS = (
    "errors", "support", "text", "inputs", "languages", "components", "scoring", "detectors", "advice", "native",
    "settings", "pipeline", "scorer", "configuration", "terminal", "pages", "check", "corpora", "site", "web", "lab",
    "cli",
)  # fmt: skip
SCORER = LAYERS[: LAYERS.index("check")]
# A command brings features together (`score` fetches a page as `audit` does): it may import any of them, and only the
# table of commands names it. So does the one tool for assistants that is of the laboratory.
COMBINING = ("_command", "check.mcp.tools.predict")
# Within the laboratory, too, each imports only what is listed before it.
LABORATORY = (
    "corpus",
    "stats",
    "scorers",
    "edits",
    "protocol",
    "gaming",
    "editions",
    "outcome",
    "agreement",
    "ranking",
    "study",
    "commands",
)
# Three imports that protect the method: (importer, imported).
FORBIDDEN = (
    ("lab.protocol.gates", "lab.protocol.anchors"),
    *((layer, "lab") for layer in LAYERS[: LAYERS.index("lab")]),
    *(
        (f"lab.ranking.{name}", "lab.outcome")
        for name in ("dataset", "features", "lexical", "structure", "signals", "models")
    ),
)
LABORATORY_PACKAGES = {
    "datasketch", "httpx", "lightgbm", "matplotlib", "numpy", "onnxruntime", "pandas", "scipy", "sklearn", "torch",
    "wordllama",
}  # fmt: skip
# The only modules of the scorer's layers that know such a package; they import it when called, not when loaded.
LAZY = {"support.plots": {"matplotlib"}}


def modules() -> Iterator[tuple[str, Path]]:
    for path in sorted(PACKAGE.rglob("*.py")):
        dotted = ".".join(path.relative_to(PACKAGE).with_suffix("").parts)
        yield dotted.removesuffix(".__init__"), path


@cache
def imports(path: Path) -> tuple[str, ...]:
    """Everything a file imports, by full dotted name."""
    found: list[str] = []
    for node in ast.walk(ast.parse(path.read_text("utf-8"))):
        if isinstance(node, ast.Import):
            found += [alias.name for alias in node.names]
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, f"{path}: relative import"
            found += [f"{node.module}.{alias.name}" for alias in node.names]
    return tuple(found)


def own(path: Path) -> Iterator[str]:
    """What a file imports from this package, without the package's name."""
    return (name.removeprefix("steelyard.") for name in imports(path) if name.startswith("steelyard."))


def test_every_package_and_module_has_its_layer() -> None:
    found = {p.stem for p in PACKAGE.iterdir() if p.suffix == ".py" or (p / "__init__.py").is_file()}
    assert found - {"__init__", "__main__"} == set(LAYERS)
    assert {p.name for p in (PACKAGE / "lab").iterdir() if (p / "__init__.py").is_file()} == set(LABORATORY)


def test_each_layer_imports_only_the_layers_above_it() -> None:
    wrong = []
    for name, path in modules():
        layer = name.split(".", maxsplit=1)[0]
        for imported in own(path) if layer in LAYERS and not name.endswith(COMBINING) else ():
            other = imported.split(".")[0]
            if other in LAYERS and LAYERS.index(other) > LAYERS.index(layer):
                wrong.append(f"{name} imports {imported}")
    assert not wrong


def test_nothing_imports_a_command_but_another_one() -> None:
    for name, path in modules():
        for imported in own(path) if not name.endswith("_command") else ():
            module = imported.rpartition(".")[0]
            assert not module.endswith("_command"), f"{name} imports {imported}"


def test_each_part_of_the_laboratory_imports_only_the_parts_above_it() -> None:
    wrong = []
    for name, path in modules():
        if not name.startswith("lab."):
            continue
        part = LABORATORY.index(name.split(".")[1])
        for imported in own(path):
            if imported.startswith("lab.") and LABORATORY.index(imported.split(".")[1]) > part:
                wrong.append(f"{name} imports {imported}")
    assert not wrong


def test_the_forbidden_imports_do_not_happen() -> None:
    for importer, imported in FORBIDDEN:
        for name, path in modules():
            if f"{name}.".startswith(f"{importer}.") and not name.endswith(COMBINING):
                for other in own(path):
                    assert not f"{other}.".startswith(f"{imported}."), f"{name} imports {other}"


def test_the_walk_would_notice_a_wrong_import(tmp_path: Path) -> None:
    guilty = tmp_path / "guilty.py"
    guilty.write_text("from steelyard.cli.main import main\nimport numpy\n")
    assert list(own(guilty)) == ["cli.main.main"]
    assert "numpy" in list(imports(guilty))


def test_the_scorer_never_imports_a_laboratory_package() -> None:
    for name, path in modules():
        if name.split(".")[0] in SCORER:
            allowed = next((packages for prefix, packages in LAZY.items() if name.startswith(prefix)), set())
            assert not {i.split(".")[0] for i in imports(path)} & LABORATORY_PACKAGES - allowed, name


def loaded_by(code: str) -> set[str]:
    """Top-level modules that are loaded after running `code` in a fresh interpreter and not by an empty one."""
    listing = "import sys; print(*sorted({m.split('.')[0] for m in sys.modules}))"
    plain, full = (
        subprocess.run([sys.executable, "-c", c], capture_output=True, text=True, check=True).stdout.split()
        for c in (listing, f"{code}\n{listing}")
    )
    return {m for m in set(full) - set(plain) if not m.startswith("_")} - set(sys.stdlib_module_names)


def test_importing_the_package_loads_nothing_outside_the_standard_library() -> None:
    assert loaded_by("import steelyard") == {"steelyard"}


def test_score_loads_two_packages_and_no_more() -> None:
    page = str(PACKAGE.parent / "examples" / "site" / "index.md")
    code = "import io, sys, contextlib\nfrom steelyard.cli.main import cli\nout = io.StringIO()\n"
    code += f"with contextlib.redirect_stdout(out): cli.main(['score', {page!r}], standalone_mode=False)\n"
    code += "assert 'of 100' in out.getvalue()"
    assert loaded_by(code) <= {"steelyard", "steelyard_core", "click", "re2"}


def test_packages_and_functions_do_not_share_names() -> None:
    code = "import steelyard.scoring.page as p, steelyard.detectors, steelyard\nassert p.PageScore\n"
    code += "assert callable(steelyard.score) and callable(steelyard.detect)"
    subprocess.run([sys.executable, "-c", code], check=True)
