"""The digest: for each site and kind of answer, four hexadecimal digits a page.

``answers.json`` beside this file holds that of generated sites, made by the Python reader.  Of a change on
purpose the new digest is part, and says in review what was changed::

    python -m tests.answers                      compare; name each site, kind and page that differ
    python -m tests.answers --write              keep the new answers
    python -m tests.answers --show SITE KIND N   print an answer whole
    python -m tests.answers --of FOLDER FILE     the same over saved sites, one in each folder of FOLDER:
                                                 FILE is compared with, or written where there is none

Sixteen bits an answer: an answer that has changed is missed once in 65,536 times.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Iterator, Mapping
from functools import partial
from itertools import islice
from pathlib import Path

from lab.sites.generated import generate_demo_site
from lab.sites.hard_sites import HARD_SITES, generate_hard_site
from lab.sites.mutated import damaged_pages
from templcrawl.tools.readers import open_pages
from tests.answers.answers import Pages, answers_of_site

KEPT = Path(__file__).with_name("answers.json")
_DIGITS = 4
_PAGES = 24

Digest = dict[str, dict[str, str]]
"""Site -> kind of answer -> four digits for each page."""


def generated_sites() -> dict[str, Callable[[], Pages]]:
    """Return name -> what makes the pages of a site: of each kind that this repository generates."""
    return {
        "demo": _demo_site,
        "damaged": lambda: [
            (f"https://h.org/{n}", html) for n, html in enumerate(damaged_pages(_PAGES, "answers"))
        ],
        **{name: partial(_hard_site, name) for name in HARD_SITES},
    }


def _demo_site() -> Pages:
    pages = islice(generate_demo_site().pages.values(), 0, None, 4)
    return [(f"https://demo.example{page.path}", page.html) for page in pages]


def _hard_site(name: str) -> Pages:
    site = generate_hard_site(name, "answers")
    return [(site.url(page), page.html) for page in site.pages[:_PAGES]]


def saved_sites(folder: Path, most: int) -> dict[str, Callable[[], Pages]]:
    """Return name -> what reads the pages of a saved site, at most so many of each."""

    def read(site: Path) -> Pages:
        return [(record.url, record.html) for record in islice(open_pages(site), most)]

    return {site.name: partial(read, site) for site in sorted(folder.iterdir()) if site.is_dir()}


def digest_of_site(pages: Pages) -> dict[str, str]:
    """Return kind of answer -> four digits for each page, in the order of kinds."""
    digits: dict[str, list[str]] = {}
    for number, (kind, text) in answers_of_site(pages):
        of_kind = digits.setdefault(kind, ["-" * _DIGITS] * len(pages))
        of_kind[number] = hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()[:_DIGITS]
    return {kind: "".join(of_kind) for kind, of_kind in sorted(digits.items())}


def differences(was: Mapping[str, str], now: Mapping[str, str]) -> Iterator[str]:
    """Yield each kind of answer of a site that differs, with the numbers of the first pages."""
    for kind in sorted({*was, *now}):
        before, after = was.get(kind, ""), now.get(kind, "")
        if before != after:
            pages = [
                at // _DIGITS
                for at in range(0, max(len(before), len(after)), _DIGITS)
                if before[at : at + _DIGITS] != after[at : at + _DIGITS]
            ]
            yield f"{kind}: {len(pages)} pages, first {pages[:5]}"


def read_digest(file: Path) -> Digest:
    """Return a digest that was kept."""
    digest: Digest = json.loads(file.read_text(encoding="utf-8"))
    return digest


def write_digest(digest: Digest, file: Path) -> None:
    """Keep a digest."""
    file.write_text(json.dumps(digest, indent=0) + "\n", encoding="utf-8")
