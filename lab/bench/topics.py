"""Topics of saved sites: which pages are on each, by a rule that no crawl goes by; how users state them.

A topic of ``WRITTEN`` is a *label* of a site: a tag or category of a blog, a category of a wiki.  A page is
on the topic if its authors gave it the label, whatever its words are: of a blog its single posts, of a wiki
any page.  A forum has no labels; there, and on sites that ``WRITTEN`` does not name, a topic is a word.  A
page is on the topic if the word is at least ``LEAST_SHARE`` of the words of its marked content, and stands
there ``OFTEN`` times or more.

Users state a topic in three ways: a word (or a name), three words with commas, a sentence.  The statements
were written before any crawl was run, by someone who saw the names of the labels and no page.

On sites that ``WRITTEN`` does not name, topics are chosen by a rule: words of at least 4 letters whose pages
are 2 to 25 % of the site, ``LEAST_PAGES`` or more; those first whose pages are the largest share of all pages
that have the word.  They are stated as a word alone.
"""

from __future__ import annotations

import random
import re
from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import NamedTuple

import lxml.html

OFTEN, LEAST_SHARE = 3, 0.01
LEAST_PAGES, _LEAST_OF_SITE, _MOST_OF_SITE = 6, 0.02, 0.25
_MOST_ALIKE = 0.4
_WORD = re.compile(r"[^\W\d_]+")
_LONG = 4
_LABELS = (
    "//body[contains(concat(' ', @class, ' '), ' single ')]//a[contains(concat(' ', @rel, ' '), ' tag ')]"
    " | //*[@id='catlinks']//a"
)
STATED = ("word", "words", "sentence")
WRITTEN: dict[str, list[list[str]]] = defaultdict(list)
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


def topics_of(site: str, bodies: Mapping[str, str], contents: Mapping[str, str], most: int) -> list[Topic]:
    """Return the topics of a site that have ``LEAST_PAGES`` pages; those chosen by rule at most so many.

    bodies    address -> HTML
    contents  address -> marked content
    """
    of_word = pages_of_words(contents)
    written = WRITTEN.get(site)
    if written is None:
        return [
            Topic(word, frozenset(of_word[word]), {"word": word})
            for word in chosen_words(of_word, contents, most)
        ]
    pages = {**of_word, **pages_of_labels(bodies)}
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


def chosen_words(of_word: Mapping[str, set[str]], contents: Mapping[str, str], most: int) -> list[str]:
    """Return at most so many words for topics, by the rule.

    of_word   word -> pages on it
    contents  address -> marked content
    """
    ever = Counter(word for text in contents.values() for word in set(_WORD.findall(text.casefold())))
    least, largest = max(LEAST_PAGES, _LEAST_OF_SITE * len(contents)), _MOST_OF_SITE * len(contents)
    fitting = [w for w, urls in of_word.items() if len(w) >= _LONG and least <= len(urls) <= largest]
    chosen: list[str] = []
    for word in sorted(fitting, key=lambda word: (-len(of_word[word]) / ever[word], word)):
        urls = of_word[word]
        is_new = all(len(urls & of_word[w]) <= _MOST_ALIKE * len(urls | of_word[w]) for w in chosen)
        if is_new and len(chosen) < most:
            chosen.append(word)
    return chosen


def examples_of(topic: Topic, pages: Sequence[str], on: int, off: int) -> tuple[list[str], list[str]]:
    """Return so many pages on a topic, and so many that are not, drawn at random."""
    draw = random.Random(topic.name)
    others = [url for url in pages if url not in topic.relevant]
    return draw.sample(sorted(topic.relevant), on), draw.sample(others, min(off, len(others)))
