"""The modules of ``docs/examples``, and pages of generated sites to run them over."""

from __future__ import annotations

import sys
from collections import Counter
from importlib import import_module
from pathlib import Path
from typing import Any

from lab.sites.areas import words_of
from lab.sites.generated import generate_demo_site

EXAMPLES = Path(__file__).parent.parent.parent / "docs" / "examples"
LONE = ("http://lone.example/", "<p>One page about tea leaves and nothing more.</p>")
_PAGES = generate_demo_site(articles=20, products=8, chapters=6).pages


def load_example(name: str) -> Any:
    """Import a module of the examples, as one does who has copied the folder."""
    if str(EXAMPLES) not in sys.path:
        sys.path.append(str(EXAMPLES))
    return import_module(name)


def pages_of_hosts() -> list[tuple[str, str]]:
    """Return URL and HTML of the pages of two equal sites and of a lone page, host after host."""
    hosts = ("tea.example", "pot.example")
    return [*((f"http://{host}{path}", page.html) for host in hosts for path, page in _PAGES.items()), LONE]


def content_share(texts: dict[str, str]) -> float:
    """Return the mean F1 of texts of pages, by URL, against the words of the pages' content."""
    scores = []
    for url, text in texts.items():
        if path := "/" + url.split("/", 3)[3] if url != LONE[0] else "":
            found, gold = Counter(words_of(text)), Counter(_PAGES[path].content_words)
            scores.append(2 * (found & gold).total() / (found.total() + gold.total()))
    return sum(scores) / len(scores)
