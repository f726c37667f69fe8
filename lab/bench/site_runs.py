"""The answers of each method on the pages of one site, their quality and cost; means over sites.

A method reads the pages in order.  The detectors of templcrawl are asked about every page, because they learn
from it; the peers only about the pages that are scored.  A page is scored if its gold has 30 words or more.
Words that its container hides count neither for nor against, since a reader may open some.  The tables leave
page 1 out, the learning curve does not.  A page that is scored and has facts or furniture
(``lab.bench.facts``) is scored by what a method keeps of them, too.

A site's figure is the mean over its pages, a group's the mean over its sites.  The shares of facts and of
furniture that are retained, and *own*, the F1 against the gold less its furniture, are means over the pages
and sites that have some.

Time: CPU time of the process around each call, from HTML text to text, so tokenising or parsing is in
it; importing a library, reading files and scoring are not.  The same pages are timed for every method:
those in the tables.  What a method of the whole site spends on learning it is spread over the pages it
learned from.
"""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from functools import partial
from typing import Any, NamedTuple, Protocol

from lab.bench.facts import (
    Wanted,
    blocks_of,
    own_score,
    share_of_facts,
    share_of_furniture,
    wanted_of,
)
from lab.bench.measures import mean_of_some, score
from lab.bench.peers import PEERS, Ask, Learn, Pages
from lab.bench.saved_sites import SavedPage, Words, words_of
from templcrawl import CrawlMemory, Page
from templcrawl.memory.detectors import ARRIVING, PAGE_TYPE, SITE
from templcrawl.outputs.extractors import extractor
from templcrawl.page.separation import Separation

MIN_GOLD = 30
DEFAULT = "vote"
BY_SITE = "-by-site"
"""End of the name of the method that keeps what a page type repeats."""

Answer = Callable[[Separation], str]


class Site(Protocol):
    """A site with saved pages."""

    @property
    def name(self) -> str: ...

    @property
    def group(self) -> str: ...

    def pages(self, limit: int) -> Iterable[SavedPage]: ...


@dataclass(frozen=True)
class Method:
    """A way to find the content of the pages of a site.

    load    import what is needed; returns what is given the site's pages, and then asked
    ours    whether it is a detector of templcrawl, which learns from each page that it is asked about
    groups  the groups it is for, all if empty
    """

    name: str
    load: Callable[[], Learn]
    ours: bool = False
    groups: tuple[str, ...] = ()


def _run_detector(
    detector: str, end: str = "", answer: Answer | None = None, strip: str = PAGE_TYPE
) -> Method:
    make = answer or (lambda separation: separation.content_text)

    def start(pages: Pages) -> Ask:
        memory = CrawlMemory(detector=detector, sample_salt=0, strip=strip)
        return lambda html, url: make(memory.observe(Page(html, url)).separation)

    return Method(detector + end, lambda: start, ours=True, groups=("news",) if answer else ())


def all_methods() -> dict[str, Method]:
    """Return every method by its name, ours first."""
    methods = [_run_detector(detector) for detector in ARRIVING]
    methods.append(_run_detector(DEFAULT, BY_SITE, strip=SITE))
    methods.append(_run_detector(DEFAULT, "+article", extractor("article")))  # on the group "news" only
    methods += [Method(peer, load) for peer, load in PEERS.items()]
    return {method.name: method for method in methods}


class Task(NamedTuple):
    """A page as it is put before the methods; gold is None if it is read but not scored.

    hidden  words that its container hides
    wanted  its facts and its furniture
    """

    number: int
    html: str
    url: str
    gold: Words | None
    hidden: Words
    wanted: Wanted


def tasks_of(site: Site, limit: int, stress: Callable[[str], str] | None = None) -> list[Task]:
    """Return the first pages of a site; their gold is taken before they are made harder."""
    pages: list[tuple[str, str, Words | None, Words]] = []
    read = list(site.pages(limit))
    for saved in read:
        html, gold = saved.page.text, words_of(saved.gold or "")
        is_scored = gold.total() >= MIN_GOLD
        pages.append(
            (stress(html) if stress else html, saved.url, gold if is_scored else None, words_of(saved.hidden))
        )
    wanted = wanted_of([blocks_of(saved.containers) for saved in read], [saved.type for saved in read])
    return [Task(number, *page, looked_up) for number, (page, looked_up) in enumerate(zip(pages, wanted), 1)]


class Shares(NamedTuple):
    """How good an answer is: by its words against the gold, and by what is kept; None if a page has none.

    facts, furniture  shares that are retained
    own               F1 against the gold less the furniture, labels neither for nor against
    """

    precision: float
    recall: float
    f1: float
    facts: float | None = None
    furniture: float | None = None
    own: float | None = None


def means_of(shares: Iterable[Shares]) -> Shares:
    """Return the mean of each share over those that have it; there must be one."""
    means: Any = map(mean_of_some, zip(*shares))
    return Shares(*means)


class PageScore(NamedTuple):
    """The score of page ``number`` of a site; failed if the method raised or answered nothing."""

    number: int
    score: Shares
    failed: bool


@dataclass
class Run:
    """One method on one site.

    scores          of its pages
    errors          what it raised -> how often
    learn_seconds   CPU time before the first question, about ``learn_pages`` pages
    ask_seconds     CPU time of the answers to ``ask_pages`` questions
    """

    site: str
    group: str
    method: str
    scores: list[PageScore] = field(default_factory=list)
    errors: Counter[str] = field(default_factory=Counter)
    learn_seconds: float = 0.0
    learn_pages: int = 0
    ask_seconds: float = 0.0
    ask_pages: int = 0

    def in_tables(self, pages: int) -> list[PageScore]:
        """Return the scores of pages 2 to ``pages``."""
        return [page for page in self.scores if 2 <= page.number <= pages]


def run(site: Site, method: Method, tasks: Sequence[Task], pages: int) -> Run:
    """Put the pages of a site before a method: all of them before ours, the first ``pages`` before peers."""
    result = Run(site.name, site.group, method.name)
    if not method.ours:
        tasks = tasks[:pages]
    start = method.load()
    known = [(task.html, task.url) for task in tasks]
    began = time.process_time()
    ask = _guarded(result, lambda: start(known))
    result.learn_seconds, result.learn_pages = time.process_time() - began, len(known)
    for task in tasks:
        in_tables = task.gold is not None and 2 <= task.number <= pages
        if not in_tables and not method.ours:
            continue
        began = time.process_time()
        text = _guarded(result, partial(ask, task.html, task.url)) if ask else None
        if in_tables:
            result.ask_seconds += time.process_time() - began
            result.ask_pages += 1
        if task.gold is not None:
            failed = text is None or not text.strip()
            result.scores.append(
                PageScore(task.number, _shares_of(text or "", task.gold, task.hidden, task.wanted), failed)
            )
    return result


def _shares_of(text: str, gold: Words, hidden: Words, wanted: Wanted) -> Shares:
    words = words_of(text)
    words -= (words - gold) & hidden
    facts = share_of_facts(text, wanted.facts)
    furniture = share_of_furniture(text, wanted.furniture)
    own = own_score(words, gold, wanted, MIN_GOLD)
    return Shares(*score(words, gold), facts, furniture, own and own.f1)


def _guarded(result: Run, call: Callable[[], Any]) -> Any:
    """Return what a call returns, None if it raises, which is counted."""
    try:
        return call()
    except Exception as error:
        result.errors[f"{type(error).__name__}: {str(error)[:80]}"] += 1
        return None


@dataclass(frozen=True)
class Figures:
    """What one method gave on some sites.

    sites    site -> its mean score
    scored   answers that were scored
    failed   answers that failed
    errors   what was raised -> how often
    seconds  CPU seconds a page
    """

    sites: dict[str, Shares]
    scored: int
    failed: int
    errors: Counter[str]
    seconds: float

    @property
    def mean(self) -> Shares:
        return means_of(self.sites.values())

    @property
    def worst(self) -> str:
        """The site with the smallest F1."""
        return min(self.sites, key=lambda site: self.sites[site].f1)


def figures_of(runs: Sequence[Run], limit: int) -> Figures | None:
    """Return the figures of the runs of one method, one a site; None if no page to ``limit`` was scored."""
    of_site = {run.site: pages for run in runs if (pages := run.in_tables(limit))}
    if not of_site:
        return None
    scored = [page for pages in of_site.values() for page in pages]
    learning = sum(run.learn_seconds for run in runs) / max(1, sum(run.learn_pages for run in runs))
    asking = sum(run.ask_seconds for run in runs) / max(1, sum(run.ask_pages for run in runs))
    return Figures(
        sites={site: means_of(page.score for page in pages) for site, pages in of_site.items()},
        scored=len(scored),
        failed=sum(page.failed for page in scored),
        errors=sum((run.errors for run in runs), Counter[str]()),
        seconds=learning + asking,
    )
