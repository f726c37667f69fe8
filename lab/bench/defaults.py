"""The defaults that a stored figure depends on: a fingerprint that changes when one of them does.

A *default* is what a name in capitals is set to in a module, a field of a class, or the default of an
argument, as its code says it; and some options of a crawl's memory.  Comments and layout do not count.

``DEPENDS`` says which programs measure what they decide.  Their figures are stored with the fingerprint
(:func:`lab.bench.tables.keep_tables`), and a test compares it with that of the code as it is.
Imported by benchmarks, not run.  Cost: O(bytes) of these modules.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator, Mapping
from pathlib import Path

from xxhash import xxh3_64_hexdigest

import templcrawl
from templcrawl.memory.memory_options import MemoryOptions

DETECTION = "detection"  # what is template on a page
SOURCES: Mapping[str, tuple[str, ...]] = {
    DETECTION: (
        "algorithms/extraction/[!ac]*.py",  # but the article and its copies: content, not template
        "algorithms/similarity/*.py",
        "memory/detectors/*.py",
        "memory/leaves.py",
    )
}
OPTIONS: Mapping[str, tuple[str, ...]] = {
    DETECTION: ("sample_pages", "strip", "max_siblings", "max_sibling_bytes", "max_characters", "max_tags")
}
DEPENDS: Mapping[str, tuple[str, ...]] = {"lab.papers.diet": (DETECTION,)}
"""Program -> what its figures depend on."""


def fingerprints(command: str) -> dict[str, str]:
    """Return the fingerprints of the defaults that the figures of a command depend on.

    command  as it is stored, ``python -m lab.NAME ...``
    """
    program = command.split()[2] if len(command.split()) > 2 else ""
    return {topic: fingerprint(topic) for topic in DEPENDS.get(program, ())}


def fingerprint(topic: str, folder: Path = Path(templcrawl.__file__).parent) -> str:
    """Return the fingerprint of the defaults of a topic, a key of ``SOURCES``.

    folder  that of the package
    """
    options = MemoryOptions()
    lines = [f"{name} {getattr(options, name)!r}" for name in OPTIONS[topic]]
    for pattern in SOURCES[topic]:
        for path in sorted(folder.glob(pattern)):
            source = path.read_text(encoding="utf-8")
            lines += (f"{path.relative_to(folder).as_posix()} {line}" for line in defaults_of(source))
    return xxh3_64_hexdigest("\n".join(lines).encode())


def defaults_of(source: str) -> Iterator[str]:
    """Yield the defaults of a module, each with its name.

    >>> list(defaults_of("MOST = 4  # of all\\nnames = []\\ndef cut(a, size=3, *, b, least=.5): size = 9"))
    ['MOST = 4', 'cut(a, size=3, *, b, least=0.5)']
    """
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef)):
            if node.args.defaults or any(node.args.kw_defaults):
                yield f"{node.name}({_drop_types(node.args)})"
        elif isinstance(node, ast.ClassDef):
            for field in node.body:
                if isinstance(field, ast.AnnAssign) and field.value is not None:
                    yield f"{node.name}.{ast.unparse(field.target)} = {ast.unparse(field.value)}"
        elif isinstance(node, ast.Module):
            for one in node.body:
                targets = one.targets if isinstance(one, ast.Assign) else [getattr(one, "target", None)]
                names = " ".join(ast.unparse(target) for target in targets if target is not None)
                if names.isupper() and getattr(one, "value", None) is not None:
                    yield f"{names} = {ast.unparse(one.value)}"  # type: ignore[attr-defined]


def _drop_types(arguments: ast.arguments) -> str:
    for argument in (*arguments.posonlyargs, *arguments.args, *arguments.kwonlyargs):
        argument.annotation = None
    return ast.unparse(arguments)
