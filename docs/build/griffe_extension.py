"""An extension of mkdocstrings: docstrings as Markdown, a public name with the docstring of its module.

The docstring of a module tells the source, the rule and the cost of what it holds.  It stands, folded, with
each public name of the module, but for classes that derive from another of them.
"""

from __future__ import annotations

from typing import Any

from griffe import Class, Extension, Module, Object

from docs.build.docstrings import as_markdown, folded

_TITLE = "How it works: source, rule, cost"


class HouseStyle(Extension):  # type: ignore[misc]
    """Rewrites the docstrings of a package when all of it is loaded."""

    def on_package(self, *, pkg: Module, **kwargs: Any) -> None:
        """Rewrite the docstrings of all that is defined in a package."""
        public = [pkg.members[str(name).strip("'\"")].final_target for name in pkg.exports or ()]
        said = {thing.path: thing.module.docstring.value for thing in public if _tells_of_its_module(thing)}
        _rewrite(pkg)
        for thing in public:
            last = _shown_last(thing)
            if thing.path in said and last.docstring is not None:
                last.docstring.value += "\n\n" + folded(_TITLE, said[thing.path])


def _tells_of_its_module(thing: Object) -> bool:
    is_derived = isinstance(thing, Class) and any(
        str(base).rpartition(".")[2] in thing.module.members for base in thing.bases
    )
    return thing.module.docstring is not None and not is_derived


def _shown_last(thing: Object) -> Object:
    """Return what the last docstring of a thing is of: a class is shown with that of its ``__init__``."""
    made_by = thing.members.get("__init__")
    return thing if made_by is None or made_by.docstring is None else made_by


def _rewrite(thing: Object) -> None:
    if thing.docstring is not None:
        thing.docstring.value = as_markdown(thing.docstring.value)
    for member in thing.members.values():
        if not member.is_alias:
            _rewrite(member)
