"""Every regular expression of the package, and what may make it slow.

An attack is a text of three parts: a head, a piece that is repeated, a tail.  Those on one pattern are read
off its parse tree, in which ``re`` has each element of a pattern in turn: what leads up to an element is
repeated, and behind it, where the element is a repetition, what that repeats.
"""

from __future__ import annotations

import ast
import importlib
import pkgutil
import re
import sys
from collections.abc import Callable, Iterable, Iterator, Mapping
from itertools import product
from pathlib import Path
from typing import Any

import templcrawl

if sys.version_info >= (3, 11):
    from re import _parser as parser
else:
    import sre_parse as parser

Attack = tuple[str, str, str]

TAILS = ("", "!", "a")
MOST = 100
"""Heads and pieces of attacks on a pattern; of more, those at equal distances."""

PUMPS = """
    a A 0 - / = ' " < > & ; : . , _ | # ? % [ é 茶 a= a. a/ a- // <! <!-- --> &# &#1 &a nav page 1. 1-
""".split()
ON_ALL = [
    (head, piece, tail)
    for piece in (*PUMPS, " ", "\n", "a ", "= ", " =", "- ", "\0")
    for head, tail in (("", ""), ("<a ", " "), ("/", "\0"))
]
"""Attacks on every pattern."""

CHARACTERS = "a1 -<>=/.&'\"_\n\0茶"
"""What an element may stand for that excludes others."""

CATEGORIES = {
    "DIGIT": "1",
    "SPACE": " \n",
    "WORD": "a1_",
    "NOT_DIGIT": "a ",
    "NOT_SPACE": "a1",
    "NOT_WORD": " -",
}
REPEATS = ("MAX_REPEAT", "MIN_REPEAT", "POSSESSIVE_REPEAT")

ELSEWHERE = {
    "algorithms/crawl_order/focus.py: re.compile in __init__": "a person's own words",
    "outputs/spider_texts.py: re.search in texts": "a pattern that templcrawl writes, of labels",
    "outputs/selectors.py: re.search in given_by": "the same pattern",
    "algorithms/columns/sentences.py: re.search in of": "the same; what it repeats is bounded",
    "crawl/site_spider.py: re.compile in _pattern": "a person's own pattern, of addresses",
    "page/kernel_tables.py: re.finditer in _spans": "reads every character once, no page",
}
"""Patterns that are no global of a module -> why they cost linear time."""


def text_of(attack: Attack, size: int) -> str:
    """Return an attack of so many characters."""
    head, piece, tail = attack
    return head + piece * (size // len(piece)) + tail


def attacks_on(pattern: re.Pattern[Any]) -> list[Attack]:
    """Return the attacks on a pattern in particular."""
    found = dict.fromkeys(_pumps(parser.parse(pattern.pattern, pattern.flags), ""))
    pumps = [(head, piece) for head, piece in found if piece]
    return [(*pump, tail) for pump, tail in product(pumps[:: 1 + len(pumps) // MOST], TAILS)]


def _pumps(elements: Iterable[Any], head: str) -> Iterator[tuple[str, str]]:
    """Return heads and pieces of the attacks on some elements, which stand behind a head."""
    for operator, argument in elements:
        if str(operator) != "LITERAL":
            yield "", head
        if str(operator) in REPEATS:
            yield from ((head, piece) for piece in _texts_of([*argument[2]]))
        for part in _parts(str(operator), argument):
            yield from _pumps(part, head)
        head += _texts_of([(operator, argument)])[0]
    yield "", head
    yield "", head[:-1]


def _parts(operator: str, argument: Any) -> Iterable[Any]:
    """Return the sequences of elements that an element is made of."""
    if operator == "BRANCH":
        return argument[1]
    if operator == "ATOMIC_GROUP":
        return [argument]
    return [argument[-1]] if operator in (*REPEATS, "SUBPATTERN", "ASSERT", "ASSERT_NOT") else []


def _texts_of(elements: list[Any]) -> list[str]:
    """Return texts that some elements match; a single one of characters, each kind of these."""
    if len(elements) != 1:
        return ["".join(_texts_of([element])[0] for element in elements)]
    operator, argument = str(elements[0][0]), elements[0][1]
    if operator in ("LITERAL", "NOT_LITERAL", "ANY", "IN", "RANGE", "CATEGORY"):
        return _characters_of(operator, argument)
    if operator in ("ASSERT", "ASSERT_NOT"):
        return [""]
    times = max(1, argument[0]) if operator in REPEATS else 1
    return [text * times for part in _parts(operator, argument) for text in _texts_of([*part])] or [""]


def _characters_of(operator: str, argument: Any) -> list[str]:
    """Return characters that an element may stand for, at least one."""
    if operator == "LITERAL":
        return [chr(argument)]
    if operator == "RANGE":
        return [chr(argument[0])]
    if operator == "CATEGORY":
        return [*CATEGORIES[str(argument).removeprefix("CATEGORY_")]]
    if operator != "IN":
        return [one for one in CHARACTERS if operator == "ANY" or ord(one) != argument]
    (first, _), *rest = argument
    if str(first) != "NEGATE":
        return [one for each in argument for one in _characters_of(str(each[0]), each[1])][:8]
    excluded = {one for each in rest for one in _characters_of(str(each[0]), each[1])}
    return [one for one in CHARACTERS if one not in excluded] or ["\x7f"]


def patterns() -> dict[str, tuple[re.Pattern[Any], Callable[[str], Any]]]:
    """Return name -> a pattern that is a global of a module of the package, and how it is applied."""
    found = {}
    for info in pkgutil.walk_packages(templcrawl.__path__, "templcrawl."):
        for name, value in _values(vars(importlib.import_module(info.name))):
            pattern = _pattern(value)
            if pattern is not None:
                found[f"{info.name.removeprefix('templcrawl.')}.{name}"] = pattern, _applied(value, pattern)
    return found


def _values(module: Mapping[str, Any]) -> Iterator[tuple[str, Any]]:
    for name, value in module.items():
        yield name, value
        if isinstance(value, dict):
            yield from ((f"{name}[{key}]", one) for key, one in value.items())
        elif isinstance(value, (list, tuple)):
            yield from ((f"{name}[{at}]", one) for at, one in enumerate(value))


def _pattern(value: Any) -> re.Pattern[Any] | None:
    """Return the pattern that a value is, or is a method of."""
    if isinstance(value, re.Pattern):
        return value
    owner = getattr(value, "__self__", None)
    return owner if isinstance(owner, re.Pattern) else None


def _applied(value: Any, pattern: re.Pattern[Any]) -> Callable[[str], Any]:
    """Return what applies a pattern as its module does; where that may be in any way, to all of the text."""
    apply = pattern.findall if value is pattern or value.__name__ == "finditer" else value
    if isinstance(pattern.pattern, bytes):
        return lambda text: apply(text.encode())
    return lambda text: apply(text)


def patterns_elsewhere() -> set[str]:
    """Return where the package makes a pattern inside a function."""
    found = set()
    root = Path(templcrawl.__path__[0])
    for path in root.rglob("*.py"):
        for function in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(function, (ast.FunctionDef, ast.AsyncFunctionDef)):
                calls = {ast.unparse(node.func) for node in ast.walk(function) if isinstance(node, ast.Call)}
                where = f"{path.relative_to(root).as_posix()}: {{}} in {function.name}"
                found |= {
                    where.format(call) for call in calls if call.startswith("re.") and call != "re.escape"
                }
    return found
