"""What the page layer says of the project's own pages, as a hash of each buffer: ``golden.json``.

The kernel mirrors what Python says.  Where there is no cargo to hold one against the other, a rule that one
of the two alone has changed is noticed here.  ``python -m tests.page.test_golden`` writes the file anew, by
Python.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterator, Mapping
from itertools import islice
from pathlib import Path

import numpy as np

from lab.sites.generated import generate_demo_site
from lab.sites.hard_sites import HARD_SITES, generate_hard_site
from lab.sites.mutated import damaged_pages
from templcrawl.page.page import Page
from templcrawl.page.render import html_of, text_of
from tests.page_readers import READERS, columns_of, using
from tests.strategies import mask_of

GOLDEN = Path(__file__).with_name("golden.json")
_MADE = {"tokens": ("title", "read_text", "keys")}
_MASK = b"\1\1\0\1\0\0\0"


def values(page: Page, noise: bytes) -> Iterator[tuple[str, object]]:
    """Yield (name, value) of all columns of a page, what views make of them, and its renderings."""
    for name in ("tokens", "elements", "text_runs", "links", "terms"):
        view = getattr(page, name)
        for column in (*columns_of(view), *_MADE.get(name, ())):
            value = getattr(view, column)
            if isinstance(value, np.ndarray):
                yield f"{name}.{column}, type", str(value.dtype)
                value = value.tolist()
            yield f"{name}.{column}", value if isinstance(value, (str, bytes, dict)) else list(value)
    yield "structure", page.structure.tolist()
    yield "links", list(page.links)
    mask = mask_of(noise, len(page.tokens))
    for side in (0, 1):
        yield f"text, {side}", text_of(page, mask, side)
        yield f"HTML, {side}", html_of(page, mask, side)


def pages() -> Iterator[str]:
    """Yield pages of each kind that the project makes."""
    for page in islice(generate_demo_site().pages.values(), 0, None, 20):
        yield page.html
    for name in HARD_SITES:
        yield from (page.html for page in islice(generate_hard_site(name, "golden").pages, 3))
    yield from damaged_pages(60, "golden")


def hashes(reader: str) -> Mapping[str, str]:
    """Return what is read -> its hash over all pages, by a reader (``on``: the kernel, ``off``: Python)."""
    said: dict[str, hashlib._Hash] = {}
    for html in pages():
        with using(reader):
            for name, value in values(Page(html, "https://h.org/a/b"), _MASK):
                written = repr(sorted(value.items()) if isinstance(value, dict) else value)
                said.setdefault(name, hashlib.sha256()).update(written.encode("utf-8", "surrogatepass"))
    return {name: of_all.hexdigest()[:16] for name, of_all in sorted(said.items())}


def test_the_columns_of_pages_are_those_of_the_file(reader: str) -> None:
    was = json.loads(GOLDEN.read_text())
    said = hashes(READERS[reader])
    differ = [name for name in {*was, *said} if was.get(name) != said.get(name)]
    assert not differ, (
        "if a rule of the page was changed on purpose, let the kernel follow, then "
        f"write {GOLDEN.name} anew: python -m tests.page.test_golden"
    )


if __name__ == "__main__":
    GOLDEN.write_text(json.dumps(hashes("off"), indent=1) + "\n")
