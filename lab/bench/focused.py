"""Which order of fetching finds the pages on a topic first?  Real crawls of saved sites.

Scrapy crawls each site from its start page to its end, as in ``lab.bench.order``.

lifo, fifo       Scrapy alone; adaptive: templcrawl's default
parent, shark    the literature's, with the topic as a word (see :mod:`lab.bench.frontier`)
distiller        the paper's, ``TEMPLCRAWL_ORDER = "distiller"``, with the topic as a word
focus, word      ``TEMPLCRAWL_ORDER = "focus"``: a word, three words, a sentence, or three example
                 pages and ten that are off the topic

harvest   share of the pages on the topic among the first 40 and 85 pages, and 25 and 50 % of the site's
to 90 %   pages until nine tenths of those on the topic were found, as a share of the site's
of fifo   the same as a share of that of first in first out; mean of the topics
behind    topics with more pages until 90 % than the better of lifo and fifo, by more than .03 of the site's

A topic of ``WRITTEN`` is a *label* of a site: a tag or category of a blog, a category of a wiki.  A page is
on the topic if its authors gave it the label, whatever its words are: of a blog its single posts, of a wiki
any page.  A forum has no labels; there a topic is a word.  A page is on the topic if the word is at least
``MIN_SHARE`` of the words of its marked content, and stands there ``OFTEN`` times or more.  A topic counts
that has ``MIN_PAGES`` pages.

Users state a topic in three ways: a word (or a name), three words with commas, a sentence.  The statements
were written before any crawl was run, by someone who saw the names of the labels and no page.

Means are over topics, of the sites for which ``topics.tsv`` has some.
Cost: 7 crawls a topic and 3 a site, of 200 pages each: 20 seconds a topic.
"""

from __future__ import annotations

import random
import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, NamedTuple

from lab.bench.crawl import ADDON, crawl
from lab.bench.frontier import ParentRelevance, SharkSearch, frontier_settings
from lab.bench.linked_sites import LinkedSite, linked_site
from lab.bench.measures import until
from lab.bench.options import asked_sites, new_parser
from lab.bench.order import ORDERS, Outcome, found_table, outcomes_of, server_for, sites_of
from lab.bench.saved_sites import SavedSite, tree_of
from lab.bench.tables import report
from templcrawl.algorithms.crawl_order.focus import TopicWords
from templcrawl.crawl.relevance import ExampleRelevance
from templcrawl.errors import InvalidOption

OFTEN, MIN_SHARE = 3, 0.01
MIN_PAGES = 6
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
        if len(pages.get(label, ())) >= MIN_PAGES
    ]


def pages_of_labels(bodies: Mapping[str, str]) -> dict[str, set[str]]:
    """Return label -> addresses of the pages that it was given to.

    >>> pages = {"/a": "<body class='post single'><a rel='tag'>Tea</a>", "/b": "<body><a rel='tag'>Tea</a>"}
    >>> pages_of_labels(pages)
    {'tea': {'/a'}}
    """
    pages: dict[str, set[str]] = defaultdict(set)
    for url, html in bodies.items():
        for link in tree_of(html).xpath(_LABELS):
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
            if count >= max(OFTEN, MIN_SHARE * len(words)):
                pages[word].add(url)
    return dict(pages)


def examples_of(topic: Topic, pages: Sequence[str], on: int, off: int) -> tuple[list[str], list[str]]:
    """Return so many pages on a topic, and so many that are not, drawn at random."""
    draw = random.Random(topic.name)
    others = [url for url in pages if url not in topic.relevant]
    return draw.sample(sorted(topic.relevant), on), draw.sample(others, min(off, len(others)))


MIN_SITE = 40
"""Sites of which fewer pages can be reached are left out."""
WITHOUT_TOPIC = ("lifo", "fifo", "adaptive")
ON, OFF = 3, 10
"""Example pages on the topic, and off it."""
COUNTS, SHARES = (40, 85), (0.25, 0.5)
GOAL = 0.9
UNTIL = f"to {GOAL:.0%}"


def harvest_of(site: LinkedSite, topic: Topic, came: Sequence[str]) -> dict[str, float]:
    """Return what a crawl to the end of a site brought of a topic: the shares of the table.

    came  addresses of its pages, in the order in which they came
    """
    pages = len(site.bodies)
    on = [url in topic.relevant for url in came]
    budgets = {str(count): count for count in COUNTS}
    budgets |= {f"{share:.0%}": round(share * pages) for share in SHARES}
    rates = {head: sum(on[:budget]) / max(1, len(on[:budget])) for head, budget in budgets.items()}
    places = [number for number, is_on in enumerate(on, 1) if is_on]
    return {**rates, UNTIL: (until(places, GOAL, len(topic.relevant)) or len(on)) / pages}


def orders_for(topic: Topic, site: LinkedSite) -> Iterator[tuple[str, Mapping[str, Any]]]:
    """Yield name and settings of the crawls for a topic."""
    word = TopicWords(topic.statements["word"])
    yield "parent", frontier_settings(ParentRelevance(word))
    yield "shark", frontier_settings(SharkSearch(word))
    focus = {**ADDON, "TEMPLCRAWL_ITEM_FIELDS": {}, "TEMPLCRAWL_ORDER": "focus"}
    yield "distiller", {**focus, "TEMPLCRAWL_ORDER": "distiller", "TEMPLCRAWL_RELEVANCE": word}
    for way, statement in topic.statements.items():
        yield f"focus, {way}", {**focus, "TEMPLCRAWL_RELEVANCE": TopicWords(statement)}
    yield "focus, examples", {**focus, "TEMPLCRAWL_RELEVANCE": example_relevance(topic, site)}


def example_relevance(topic: Topic, site: LinkedSite) -> ExampleRelevance:
    """Return what a crawl learns from some pages on a topic and some off it; without these where it must."""
    with TemporaryDirectory() as folder:
        folders = [Path(folder, name) for name in ("on", "off")]
        for path, urls in zip(folders, examples_of(topic, [*site.bodies], ON, OFF)):
            path.mkdir()
            for number, url in enumerate(urls):
                (path / f"{number}.html").write_text(site.bodies[url], encoding="utf-8")
        try:
            return ExampleRelevance(*folders)
        except InvalidOption:
            return ExampleRelevance(folders[0])


def harvest(saved: SavedSite, limit: int, in_flight: Sequence[int], written: Written) -> list[Outcome]:
    """Crawl a site for its topics in every order."""
    site = linked_site(saved, limit)
    if len(site.bodies) < MIN_SITE:
        return []
    chosen = topics_of(written.get(site.name, ()), site.bodies, site.contents)
    plan = [(name, ORDERS[name], chosen) for name in WITHOUT_TOPIC]
    plan += [(name, settings, [topic]) for topic in chosen for name, settings in orders_for(topic, site)]
    harvests = []
    for concurrency in in_flight if chosen else ():
        for name, settings, aims in plan:
            # A page of another host would count in what the crawl expects of links, so there is no warm-up.
            crawled = crawl(site.pages, settings, server_for(concurrency), concurrency, warm_up=False)
            for topic in aims:
                values = harvest_of(site, topic, crawled.pages)
                harvests.append(Outcome((site.name, topic.name), name, concurrency, values))
    return harvests


def main(arguments: Sequence[str] | None = None) -> None:
    parser = new_parser(
        "lab.bench.focused", __doc__, "--corpora! --sites --in-flight --pages=200 --jobs=1 --figures"
    )
    options = parser.parse_args(arguments)
    sites = asked_sites(parser, options)
    if not options.sites:
        sites = [site for site in sites if site.name in WRITTEN]
    tables = {}
    for number, harvests in outcomes_of(harvest, sites, options, written=WRITTEN).items():
        topics = f"{len({one.key for one in harvests})} topics of {sites_of(harvests)} sites"
        title = f"Harvest, {number} in flight, {topics}"
        tables[f"{number} in flight"] = found_table(title, harvests, UNTIL, "behind")
    report(tables, options.figures)


if __name__ == "__main__":
    main()
