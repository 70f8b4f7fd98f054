"""Every regular expression of the package is linear: each is tried on texts that its own parts are repeated in."""

from __future__ import annotations

import ast
import importlib
import inspect
import pkgutil
import random
import re
import time
from collections.abc import Iterator
from re import _constants as kinds  # type: ignore[attr-defined]
from re import _parser as parser  # type: ignore[attr-defined]
from types import ModuleType
from typing import Any

import pytest

import steelyard
from tests.hostile.pages import within

SIZE = 4_000  # characters; a quadratic search takes some 50 ms, a linear one less than one
SUSPICIOUS = 0.01  # seconds, above which four times the text is tried as well
RATIO = 9.0  # between linear (4) and quadratic (16)
MAX_SECONDS = 0.3  # seconds until a search counts as endless
METHODS = ("search", "match", "fullmatch", "finditer", "findall", "sub", "subn", "split")
COMMON = ("a", " ", "\n", "\t", "7", "-", "<", '"', "[", "a ", " \n", "a.", "\\")
EXEMPT = {
    "steelyard.languages.dialect._TOKEN": "reads the patterns of the package, never a page",
    "steelyard.lab.outcome.pawc._BEFORE": "reads 24 characters at most",
}
PACKAGES = sorted(found.name for found in pkgutil.iter_modules(steelyard.__path__, "steelyard."))

Pattern = re.Pattern[Any]


@pytest.mark.parametrize("package", PACKAGES)
def test_every_regular_expression_takes_linear_time(package: str) -> None:
    slow = {
        name: found
        for name, pattern, methods in list_patterns(package)
        if name not in EXEMPT and (found := find_slow_text(pattern, methods))
    }
    assert slow == {}


@pytest.mark.parametrize("pattern", [r"[^\n]*[^\s][^\n]*", r"0*\.?0*$", r"(?:a[ \t]*[ \t]*)+b", r"(?:a|a)+b", r"\s+$"])
def test_slow_regular_expressions_are_found(pattern: str) -> None:
    assert find_slow_text(re.compile(pattern), {"search"})


def list_patterns(package: str) -> Iterator[tuple[str, Pattern, set[str]]]:
    """Yield every compiled pattern of a package, under its name and with the methods that are called on it."""
    for module in import_modules(package):
        source = inspect.getsource(module)
        for name, value in vars(module).items():
            for pattern in find_compiled(value):
                called = set(re.findall(rf"\b{name}(?:\[\w+\])?\.({'|'.join(METHODS)})\b", source))
                yield f"{module.__name__}.{name}", pattern, called or {"search"}
        yield from list_literals(module, source)


def import_modules(package: str) -> Iterator[ModuleType]:
    module = importlib.import_module(package)
    yield module
    for found in pkgutil.walk_packages(getattr(module, "__path__", ()), f"{package}."):
        # Adapters run in environments of their own, migrations inside their tool, and datatrove is not installed here.
        if not re.search(r"\.(adapters|migrations|datatrove|__main__)\b", found.name):
            yield importlib.import_module(found.name)


def find_compiled(value: object) -> Iterator[Pattern]:
    if isinstance(value, re.Pattern):
        yield value
    elif isinstance(value, dict):
        for one in value.values():
            yield from find_compiled(one)
    elif isinstance(value, (tuple, list)):
        for one in value:
            yield from find_compiled(one)


def list_literals(module: ModuleType, source: str) -> Iterator[tuple[str, Pattern, set[str]]]:
    """Yield the patterns that are written in a call of `re`, inside a function too."""
    functions = [
        node for node in ast.walk(ast.parse(source)) if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef)
    ]
    for node in (inner for function in functions for inner in ast.walk(function)):
        match node:
            case ast.Call(ast.Attribute(ast.Name("re"), method), [ast.Constant(str() | bytes() as written), *_]) if (
                method in (*METHODS, "compile")
            ):
                called = {"search"} if method == "compile" else {method}
                yield f"{module.__name__}:{node.lineno}", re.compile(written), called


def find_slow_text(pattern: Pattern, methods: set[str]) -> str | None:
    """Return a call that takes more than linear time, if one is found."""
    rng = random.Random(1)
    is_bytes = isinstance(pattern.pattern, bytes)
    written = pattern.pattern.decode("latin-1") if is_bytes else pattern.pattern
    tree = parser.parse(written, pattern.flags & ~re.UNICODE if is_bytes else pattern.flags)
    pieces = sorted({*COMMON, *(piece for piece in list_pieces(tree, rng) if piece)})
    for piece in pieces[:80]:
        for before in ("", make_match(tree, rng)[:20]):
            for after in ("", "\x01", "\n("):
                for method in sorted(methods):
                    texts = [f"{before}{piece * (size // len(piece))}{after}" for size in (SIZE, 4 * SIZE)]
                    if measure(pattern, method, texts[0]) < SUSPICIOUS:
                        continue
                    short, long = (min(measure(pattern, method, text) for _ in range(2)) for text in texts)
                    if long > RATIO * short or long >= MAX_SECONDS:
                        return f"{method}({before!r} + {piece!r} * n + {after!r}): {short:.3f} s, 4 n {long:.3f} s"
    return None


def measure(pattern: Pattern, method: str, text: str) -> float:
    """Return the processor seconds of a call, or MAX_SECONDS if it does not end."""
    given: Any = text.encode("latin-1", "ignore") if isinstance(pattern.pattern, bytes) else text
    arguments = (given[:0], given) if method.startswith("sub") else (given,)
    started = time.process_time()
    try:
        with within(MAX_SECONDS):
            found = getattr(pattern, method)(*arguments)
            if method == "finditer":
                for _ in found:
                    pass
    except AssertionError:
        return MAX_SECONDS
    return time.process_time() - started


def list_pieces(tree: Any, rng: random.Random) -> Iterator[str]:
    """Yield texts that match a part of a pattern: what is repeated in it, its branches, and all of it cut short."""
    for _ in range(6):
        whole = make_match(tree, rng)
        yield from (whole, whole[:-1], whole[: len(whole) // 2])
    yield from _list_inner(tree, rng)


def _list_inner(tree: Any, rng: random.Random) -> Iterator[str]:
    for kind, value in tree:
        inner: tuple[Any, ...] = ()
        if kind in (kinds.MAX_REPEAT, kinds.MIN_REPEAT, kinds.POSSESSIVE_REPEAT):
            inner = (value[2],)
        elif kind is kinds.SUBPATTERN:
            inner = (value[3],)
        elif kind is kinds.ATOMIC_GROUP:
            inner = (value,)
        elif kind is kinds.BRANCH:
            inner = tuple(value[1])
        elif kind in (kinds.ASSERT, kinds.ASSERT_NOT):
            inner = (value[1],)
        for one in inner:
            yield from (make_match(one, rng) for _ in range(3))
            yield from _list_inner(one, rng)


def make_match(tree: Any, rng: random.Random) -> str:
    """Return a text that a part of a pattern matches, apart from what it looks ahead or behind for."""
    return "".join(_make_one(kind, value, rng) for kind, value in tree)


def _make_one(kind: Any, value: Any, rng: random.Random) -> str:
    inner: list[Any] = []
    if kind in (kinds.MAX_REPEAT, kinds.MIN_REPEAT, kinds.POSSESSIVE_REPEAT):
        inner = [value[2]] * min(value[1], value[0] + rng.choice((0, 1, 2)))
    elif kind is kinds.SUBPATTERN:
        inner = [value[3]]
    elif kind is kinds.ATOMIC_GROUP:
        inner = [value]
    elif kind is kinds.BRANCH:
        inner = [rng.choice(value[1])]
    elif kind is kinds.LITERAL:
        return chr(value)
    elif kind is kinds.NOT_LITERAL:
        return "a" if value != ord("a") else "b"
    elif kind is kinds.ANY:
        return rng.choice("a -")
    elif kind is kinds.IN:
        return _choose_character(value, rng)
    return "".join(make_match(tree, rng) for tree in inner)


def _choose_character(parts: Any, rng: random.Random) -> str:
    named = {kinds.CATEGORY_SPACE: " \n", kinds.CATEGORY_DIGIT: "7", kinds.CATEGORY_WORD: "a"}
    known = "".join(
        chr(value) if kind is kinds.LITERAL
        else chr(value[0]) + chr(value[1]) if kind is kinds.RANGE
        else named.get(value, "-") if kind is kinds.CATEGORY
        else ""
        for kind, value in parts
    )  # fmt: skip
    if parts[0][0] is kinds.NEGATE:
        known = "".join(one for one in ' a7-x\t"_.<' if one not in known)
    return rng.choice(known or "a")
