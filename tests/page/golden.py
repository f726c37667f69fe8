"""What the page layer says of the project's own pages, as a hash of each buffer: ``golden.json``.

The kernel mirrors what Python says.  Where there is no cargo to hold one against the other, a rule that one
of the two alone has changed is noticed here.  ``python -m tests.page.golden`` writes the file anew, by
Python.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterator, Mapping
from itertools import islice
from pathlib import Path

from sites.generated import generate_demo_site
from sites.hard_sites import HARD_SITES, generate_hard_site
from sites.mutated import damaged_pages
from templcrawl.page.page import Page
from tests.page.test_kernel import told, using

GOLDEN = Path(__file__).with_name("golden.json")
_MASK = b"\1\1\0\1\0\0\0"


def pages() -> Iterator[str]:
    """Yield pages of each kind that the project makes."""
    for page in islice(generate_demo_site().pages.values(), 0, None, 20):
        yield page.html
    for name in HARD_SITES:
        yield from (page.html for page in islice(generate_hard_site(name, "golden").pages, 3))
    yield from damaged_pages(60, "golden")


def hashes(twin: str) -> Mapping[str, str]:
    """Return what is said -> its hash over all pages, as a twin (``on``: the kernel) reads them."""
    said: dict[str, hashlib._Hash] = {}
    for html in pages():
        with using(twin):
            for name, value in told(Page(html, "https://h.org/a/b"), _MASK).items():
                written = repr(sorted(value.items()) if isinstance(value, dict) else value)
                said.setdefault(name, hashlib.sha256()).update(written.encode("utf-8", "surrogatepass"))
    return {name: of_all.hexdigest()[:16] for name, of_all in sorted(said.items())}


if __name__ == "__main__":
    GOLDEN.write_text(json.dumps(hashes("off"), indent=1) + "\n")
