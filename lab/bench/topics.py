"""Topics of saved sites: which pages are on each, by a rule that no crawl goes by; how users state them.

A topic of ``WRITTEN`` is a *label* of a site: a tag or category of a blog, a category of a wiki.  A page is
on the topic if its authors gave it the label, whatever its words are: of a blog its single posts, of a wiki
any page.  A forum has no labels; there a topic is a word.  A page is on the topic if the word is at least
``LEAST_SHARE`` of the words of its marked content, and stands there ``OFTEN`` times or more.  A topic counts
that has ``LEAST_PAGES`` pages.

Users state a topic in three ways: a word (or a name), three words with commas, a sentence.  The statements
were written before any crawl was run, by someone who saw the names of the labels and no page.
"""

from __future__ import annotations

import random
import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import NamedTuple

import lxml.html

OFTEN, LEAST_SHARE = 3, 0.01
LEAST_PAGES = 6
_WORD = re.compile(r"[^\W\d_]+")
_LABELS = (
    "//body[contains(concat(' ', @class, ' '), ' single ')]//a[contains(concat(' ', @rel, ' '), ' tag ')]"
    " | //*[@id='catlinks']//a"
)
STATED = ("word", "words", "sentence")
Written = dict[str, list[list[str]]]
WRITTEN: Written = defaultdict(list)
"""Site -> its topics, of ``topics.tsv``: the label (a word where the site has none), three statements."""
for _line in Path(__file__).with_name("topics.tsv").read_text(encoding="utf-8").splitlines():
    _site, *_topic = _line.split("\t")
    WRITTEN[_site].append(_topic)


class Topic(NamedTuple):
    """A topic of a site.

    relevant    addresses of the pages on it
    statements  way to state it -> what is typed
    """

    name: str
    relevant: frozenset[str]
    statements: dict[str, str]


def topics_of(
    written: Iterable[Sequence[str]], bodies: Mapping[str, str], contents: Mapping[str, str]
) -> list[Topic]:
    """Return the topics of a site.

    written   rows of it in ``WRITTEN``
    bodies    address -> HTML
    contents  address -> marked content
    """
    pages = {**pages_of_words(contents), **pages_of_labels(bodies)}
    return [
        Topic(label, frozenset(pages[label]), dict(zip(STATED, statements)))
        for label, *statements in written
        if len(pages.get(label, ())) >= LEAST_PAGES
    ]


def pages_of_labels(bodies: Mapping[str, str]) -> dict[str, set[str]]:
    """Return label -> addresses of the pages that it was given to.

    >>> pages = {"/a": "<body class='post single'><a rel='tag'>Tea</a>", "/b": "<body><a rel='tag'>Tea</a>"}
    >>> pages_of_labels(pages)
    {'tea': {'/a'}}
    """
    pages: dict[str, set[str]] = defaultdict(set)
    parser = lxml.html.HTMLParser(encoding="utf-8", huge_tree=True)
    for url, html in bodies.items():
        tree = lxml.html.document_fromstring(html.encode("utf-8", "replace"), parser=parser)
        for link in tree.xpath(_LABELS):
            pages[link.text_content().strip().casefold()].add(url)
    return dict(pages)


def pages_of_words(contents: Mapping[str, str]) -> dict[str, set[str]]:
    """Return word -> addresses of the pages that are on it by the share of the word in their content.

    >>> pages_of_words({"/a": "Tea tea tea " + "cup " * 97, "/b": "Tea tea tea " + "cup " * 400})["tea"]
    {'/a'}
    """
    pages: dict[str, set[str]] = defaultdict(set)
    for url, text in contents.items():
        words = _WORD.findall(text.casefold())
        for word, count in Counter(words).items():
            if count >= max(OFTEN, LEAST_SHARE * len(words)):
                pages[word].add(url)
    return dict(pages)


def examples_of(topic: Topic, pages: Sequence[str], on: int, off: int) -> tuple[list[str], list[str]]:
    """Return so many pages on a topic, and so many that are not, drawn at random."""
    draw = random.Random(topic.name)
    others = [url for url in pages if url not in topic.relevant]
    return draw.sample(sorted(topic.relevant), on), draw.sample(others, min(off, len(others)))
