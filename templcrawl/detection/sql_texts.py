"""The SQL texts of this folder, one SELECT a file; what it selects is called as the file is."""

from __future__ import annotations

from functools import cache
from importlib.resources import files


@cache
def sql_text(name: str) -> str:
    """Return a text, ``{parameters}`` and all.

    >>> sql_text("template_candidates").splitlines()[0]
    '-- Figure 5, step 2: the pagelets whose shingle re-occurs.'
    """
    return files("templcrawl.detection").joinpath("sql").joinpath(f"{name}.sql").read_text(encoding="utf-8")
