"""What the package answers about each page of a site, as pairs of a kind of answer and its text.

One line of code an answer, and nothing but what users of the library call: the names on the left are the rows
of the digest, the calls on the right may be renamed by a refactoring, their values may not change.

- ``crawl.*``     one pass, as a crawl has it: a row for each detector
- ``links.*``     what is known of each link when its page was read
- ``again.*``     every page read once more, as by the next crawl
- ``archive.*``   its rows in the crawl archive
- ``site.*``      the detectors that read a whole site twice
- ``end.*``       the page type of each page at the end

Cost: some 30 times that of observing a page.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from datetime import datetime, timezone
from typing import Any

from templcrawl import CrawlMemory, Observation, Page
from templcrawl.algorithms.crawl_order.link_value import value_step
from templcrawl.algorithms.page_types.fingerprint import page_fingerprint
from templcrawl.algorithms.pagelets.partition import partition_pagelets
from templcrawl.memory.detectors import ARRIVING, WHOLE_SITE, load_detector
from templcrawl.outputs.archive.tables import LINKS, PAGELETS, PAGES, TABLES, page_rows
from templcrawl.outputs.extractors import extractor
from templcrawl.tools.whole_site.site_detector import SiteVote

Pages = Sequence[tuple[str, "str | bytes"]]
"""Address and HTML of each page, in the order of a crawl."""

Answer = tuple[str, str]
"""A kind of answer, and what was answered."""

_SALT = 7
_FETCHED_AT = datetime(2026, 1, 1, tzinfo=timezone.utc)
_DAY = 86_400


def answers_of_site(pages: Pages) -> Iterator[tuple[int, Answer]]:
    """Yield the number of a page, and one of the answers about it; all pages of a site in one call."""
    for name in ARRIVING:
        memory = CrawlMemory(detector=name, sample_salt=_SALT)
        for number, page in enumerate(_read(pages)):
            for answer in _of_observation(memory.observe(page), f"crawl.{name}"):
                yield number, answer
    yield from _of_crawl(pages)
    yield from _of_two_crawls(pages)
    for name, make in {**{name: load_detector(name) for name in WHOLE_SITE}, "vote": SiteVote}.items():
        site = make()
        for page in _read(pages):
            site.learn(page)
        for number, page in enumerate(_read(pages)):
            separated = site.observe(page)
            yield number, (f"site.{name}", repr((separated.content_spans, separated.leaf_id)))


def _read(pages: Pages) -> Iterator[Page]:
    for url, html in pages:
        yield Page.from_html(html, url=url)


def _of_observation(observation: Observation, name: str) -> Iterator[Answer]:
    """Yield what an observation says of the two sides of a page."""
    shares = observation.run_shares
    yield f"{name}.spans", repr((observation.content_spans, observation.exact, observation.truncated))
    yield f"{name}.content_text", observation.content_text
    yield f"{name}.content_html", observation.content_html
    yield f"{name}.template_html", observation.template_html
    yield f"{name}.shares", repr((observation.voters, None if shares is None else shares.tolist()))


def _of_crawl(pages: Pages) -> Iterator[tuple[int, Answer]]:
    """Yield what the default detector's crawl says of pages beside their separation."""
    memory = CrawlMemory(sample_salt=_SALT, link_evidence=True)
    labels = []
    for number, page in enumerate(_read(pages)):
        observation = memory.observe(page)
        labels.append(observation.leaf_id)
        for answer in (
            *_of_page(page),
            *_of_labels(observation),
            *_of_links(memory, observation),
            *_of_archive(observation),
        ):
            yield number, answer
        yield number, ("again.judged", repr(memory.reclassify(observation).content_spans))
    for number, label in enumerate(labels):
        yield number, ("end.page_type", memory.resolve(label))


def _of_page(page: Page) -> Iterator[Answer]:
    yield "page.title", page.title
    yield "page.fingerprint", page_fingerprint(page).hex()
    yield "page.pagelets", repr(partition_pagelets(page))


def _of_labels(observation: Observation) -> Iterator[Answer]:
    yield "labels.leaf", observation.leaf_id
    yield "labels.cluster", observation.cluster_id
    yield "labels.near_duplicate", repr(observation.repeats)
    yield "crawl.markdown", observation.content_markdown
    yield "crawl.headings", repr(observation.content_headings)
    yield "crawl.article", extractor("article")(observation.separation)


def _of_links(memory: CrawlMemory, observation: Observation) -> Iterator[Answer]:
    page = observation.page
    marked = [(link.url, pages) for link, pages in zip(page.links, observation.link_pages) if pages]
    assert [url for url, _ in marked] == [link.url for link in observation.template_links]
    yield "links.template", repr(marked)
    links = memory.open(page.host).links
    evidence = []
    for url in dict.fromkeys(page.links.urls):
        link = links.classes(url)
        evidence.append((url, *links.pagelet_counts(link.target), links.value(link), None))
    yield "links.evidence", repr([tuple(map(_rounded, known)) for known in evidence])
    by_value = repr([value_step(known[3]) for known in evidence])
    by_template = repr([-1 if template and not content else 0 for _, template, content, *_ in evidence])
    yield "links.by_value", by_value
    yield "links.by_template", by_template


def _rounded(value: Any) -> Any:
    return round(value, 9) if isinstance(value, float) else value


def _of_archive(observation: Observation) -> Iterator[Answer]:
    rows = page_rows(observation, _FETCHED_AT)
    kind = [*TABLES[PAGES]].index("page_kind")  # which has weights of its own
    yield "archive.pages", repr([(*row[:kind], *row[kind + 1 :]) for row in rows[PAGES]])
    for table in (LINKS, PAGELETS):
        yield f"archive.{table}", repr(rows[table])


def _of_two_crawls(pages: Pages) -> Iterator[tuple[int, Answer]]:
    """Yield what has changed by the next crawl, in which every third page reads "today" once more."""
    memory = CrawlMemory(sample_salt=_SALT, link_evidence=True, sections={"changes": {}})
    for page in _read(pages):
        memory.observe(page, at=_DAY)
    for number, page in enumerate(_read(pages)):
        if number % 3 == 0:
            page = Page(page.text.replace("</p>", " today</p>", 1), page.url)
        change = memory.observe(page, at=2 * _DAY)
        dates = change.content_hash, change.first_seen, change.last_changed
        yield number, ("again.changed", repr((change.changed, *dates)))
