"""The weights by which the kind of a page is told: fitted, and scored on pages left out.

--pages is the folder of the Web Content Extraction Benchmark (``NNNN.html`` beside ``NNNN.json``), --sites
that of saved sites whose own markup states page types (``lab.papers.kinds_of_types`` has their kinds).

A word counts if ten domains or more have it; of these the ``MAX_WORDS`` that say most about the kind, by
mutual information, are used.  The steps of numbers are quantiles.  Multinomial logistic regression with a
ridge; of each kind on each site at most ``MAX_OF_SITE`` pages are drawn.  A kind of many pages counts less
a page: by one over the root of their number.  Pages of one kind on one site are alike: the more are drawn,
the less each counts, by ``_SITE_BALANCE``.

Single pages are scored by folds of domains, sites by folds of software and by folds of sites: the words,
steps and weights of a fold are chosen without it.  Pages of sites are scored alone and with the votes of
their leaf.  --write fits on all and writes ``kind_weights.json``.
"""

from __future__ import annotations

import random
import zlib
from collections import Counter, defaultdict
from collections.abc import Callable, Mapping, Sequence
from itertools import pairwise
from math import log
from operator import attrgetter
from pathlib import Path
from typing import NamedTuple

import numpy as np
import numpy.typing as npt
from rich.table import Table

from lab.bench.lone_pages import read
from lab.bench.options import add_folder, new_parser
from lab.bench.saved_sites import read_sites
from lab.bench.tables import as_json_rows, report, table_of
from lab.papers.kinds_of_types import kind_of_type, software_of
from templcrawl import CrawlMemory, Page
from templcrawl.algorithms.page_kinds.classifier import is_error_page
from templcrawl.algorithms.page_kinds.evidence import Evidence, evidence_of
from templcrawl.algorithms.page_kinds.kind_chances import (
    ERROR,
    KINDS,
    LEAST,
    MIN_CONFIDENCE,
    PageKind,
    kind_of,
)
from templcrawl.memory.kind_table import EVERY, MIN_OF_LEAF, SURE
from templcrawl.memory.observation import Observation

MAX_WORDS = 1_000
MAX_OF_SITE = 30
FOLDS = 5
SITE_FOLDS = 6
_MIN_DOMAINS = 10
_QUANTILES = (0.1, 0.3, 0.5, 0.7, 0.85, 0.95)
_INVERSE_RIDGE = 0.04
_ITERATIONS = 80
_BALANCE = 0.5
_SITE_BALANCE = 0.8
_FULL_WEIGHT = 5

Floats = npt.NDArray[np.float64]


class GoldPage(NamedTuple):
    """What is seen of a page, and its kind.

    domain  its domain, or its site
    group   what is left out together: the domain, or the software of the site
    leaf, template  id of its leaf, and domain and name of its page type at the end; "" of a single page
    is_error  whether it says itself that it is none
    """

    url: str
    domain: str
    group: str
    kind: str
    leaf: str
    template: str
    evidence: Evidence
    is_error: bool

    @property
    def fold(self) -> int:
        """Which fold it is in."""
        return zlib.crc32(self.group.encode()) % FOLDS


def single_pages(folder: Path) -> list[GoldPage]:
    """Return the pages of the benchmark, each alone in its crawl."""
    pages = []
    for saved in read(folder):
        page = Page.from_html(saved.html, saved.url)
        seen = _seen_of(CrawlMemory(sample_salt=0).observe(page))
        pages.append(GoldPage(page.url, saved.domain, saved.domain, saved.kind, "", "", *seen))
    return pages


def site_pages(folder: Path) -> list[GoldPage]:
    """Return the pages of sites whose kind their type states, as a crawl sees them."""
    pages = []
    for site in read_sites(folder, 200):
        memory, group = CrawlMemory(sample_salt=0), software_of(site.name)
        kinds = [kind_of_type(site.name, stated) for stated in site.types]
        for page, kind in zip(site.pages, kinds) if any(kinds) else ():
            seen = memory.observe(page)
            if kind is not None:
                pages.append(GoldPage(page.url, site.name, group, kind, seen.leaf_id, "", *_seen_of(seen)))
        pages = [
            page._replace(template=page.template or f"{page.domain} {memory.resolve(page.leaf)}")
            for page in pages
        ]
    return pages


def _seen_of(observation: Observation) -> tuple[Evidence, bool]:
    """Return the evidence of a page, and whether it is an error by the rules."""
    evidence = evidence_of(observation.page, observation.content_mask)
    return evidence, is_error_page(evidence, observation.voters)


def drawn(pages: Sequence[GoldPage]) -> list[GoldPage]:
    """Return some pages of each kind on each site."""
    of_site: defaultdict[tuple[str, str], list[GoldPage]] = defaultdict(list)
    for page in pages:
        of_site[page.domain, page.kind].append(page)
    draw = random.Random(0)
    return [
        page for several in of_site.values() for page in draw.sample(several, min(len(several), MAX_OF_SITE))
    ]


class KindModel(NamedTuple):
    """Constant of each kind; word -> weights; name of a number -> its steps and the weights of each."""

    constants: Floats
    words: Mapping[str, Floats]
    steps: Mapping[str, tuple[Floats, Floats]]

    def scores(self, evidence: Evidence) -> Floats:
        """Return kind -> its score."""
        total: Floats = self.constants.copy()
        for word in evidence.words:
            if word in self.words:
                total += self.words[word]
        for name, (steps, weights) in self.steps.items():
            total += weights[: int(steps.searchsorted(evidence.numbers[name]))].sum(axis=0)
        return total


def choose_words(pages: Sequence[GoldPage]) -> list[str]:
    """Return the words that say most about the kind of a page, by mutual information."""
    domains: defaultdict[str, set[str]] = defaultdict(set)
    of_kind: defaultdict[str, Counter[str]] = defaultdict(Counter)
    for page in pages:
        for word in page.evidence.words:
            domains[word].add(page.domain)
            of_kind[word][page.kind] += 1
    total, kinds = len(pages), Counter(page.kind for page in pages)
    says = {
        word: _information(of_kind[word], kinds, total)
        for word, seen in domains.items()
        if len(seen) >= _MIN_DOMAINS
    }
    return sorted(sorted(says, key=lambda word: (-says[word], word))[:MAX_WORDS])


def _information(having: Counter[str], kinds: Counter[str], total: int) -> float:
    """Return the mutual information of having a word and being of a kind."""
    have = having.total()
    information = 0.0
    for kind, pages in kinds.items():
        for count, side in ((having[kind], have), (pages - having[kind], total - have)):
            if count:
                information += count / total * log(count * total / (side * pages))
    return information


def fit(pages: Sequence[GoldPage]) -> KindModel:
    """Fit the weights of words and steps."""
    from scipy.sparse import csr_matrix, hstack
    from sklearn.linear_model import LogisticRegression

    words = choose_words(pages)
    steps = _steps_of(pages)
    row_of = {word: row for row, word in enumerate(words)}
    cells = [
        (at, row_of[word]) for at, page in enumerate(pages) for word in page.evidence.words if word in row_of
    ]
    at, row = np.array(cells, dtype=np.intp).reshape(-1, 2).T
    of_words = csr_matrix((np.ones(len(at), dtype=np.float32), (at, row)), shape=(len(pages), len(words)))
    of_steps = [
        np.array([page.evidence.numbers[name] for page in pages])[:, None] > at for name, at in steps.items()
    ]
    table = hstack([of_words, csr_matrix(np.hstack(of_steps).astype(np.float32))]).tocsr()
    truth = np.array([KINDS.index(page.kind) for page in pages])
    model = LogisticRegression(C=_INVERSE_RIDGE, max_iter=_ITERATIONS)
    model.fit(
        table, truth, np.bincount(truth)[truth] ** -_BALANCE * len(truth) ** _BALANCE / 3 * _of_site(pages)
    )
    weights = np.zeros((len(KINDS), table.shape[1]))
    constants = np.full(len(KINDS), -9.0)
    weights[model.classes_], constants[model.classes_] = model.coef_, model.intercept_
    ends = len(words) + np.cumsum([0, *map(len, steps.values())])
    of_numbers = (weights.T[start:stop] for start, stop in pairwise(ends.tolist()))
    return KindModel(
        constants,
        dict(zip(words, weights.T)),
        {name: (at, of_it) for (name, at), of_it in zip(steps.items(), of_numbers)},
    )


def _of_site(pages: Sequence[GoldPage]) -> Floats:
    """Return page -> how much it counts among the pages of its kind on its site; 1 of a single page."""
    several = Counter((page.domain, page.kind) for page in pages if page.leaf)
    counts = [several[page.domain, page.kind] if page.leaf else _FULL_WEIGHT for page in pages]
    return (np.array(counts) / _FULL_WEIGHT) ** -_SITE_BALANCE


def _steps_of(pages: Sequence[GoldPage]) -> dict[str, Floats]:
    """Return name of a number -> its steps, those that have no values above them left out."""
    steps = {}
    for name in pages[0].evidence.numbers:
        values = np.array([page.evidence.numbers[name] for page in pages], dtype=np.float64)
        at = np.unique([float(f"{step:.3g}") for step in np.quantile(values, _QUANTILES)])
        steps[name] = at[at < values.max()]
    return {name: at for name, at in steps.items() if len(at)}


def written(model: KindModel) -> str:
    """Return the file of weights: in hundredths, a list for the kinds in the order of ``KINDS``."""
    words = {word: _hundredths(row) for word, row in model.words.items()}
    steps = {
        name: [at.tolist(), [_hundredths(row) for row in weights]]
        for name, (at, weights) in model.steps.items()
    }
    return as_json_rows({"constants": _hundredths(model.constants), "words": words, "steps": steps})


def _hundredths(row: Floats) -> list[int]:
    return [round(100 * value) for value in row.tolist()]


Named = Counter[tuple[str, str]]
"""(Kind, name) -> pages."""


def accuracy(named: Named) -> float:
    """Return the share of the pages whose name is right."""
    return sum(named[kind, kind] for kind in KINDS) / named.total()


def f1(named: Named, kind: str) -> float:
    """Return the F1 of the name of a kind."""
    pages = sum(n * ((true == kind) + (name == kind)) for (true, name), n in named.items())
    return 2 * named[kind, kind] / max(1, pages)


def logs_left_out(
    scored: Sequence[GoldPage],
    beside: Sequence[GoldPage],
    fold_of: Callable[[GoldPage], int],
) -> Floats:
    """Return page -> kind -> logarithm of its chance, each by a model that was fitted without its fold.

    beside  pages that all models are fitted on too
    """
    scores = np.zeros((len(scored), len(KINDS)))
    folds = np.array(list(map(fold_of, scored)))
    for fold in sorted(set(folds.tolist())):
        model = fit([page for page in drawn(scored) if fold_of(page) != fold] + list(beside))
        for at in np.flatnonzero(folds == fold).tolist():
            scores[at] = model.scores(scored[at].evidence)
    logs: Floats = scores - np.log(
        np.exp(scores - scores.max(axis=1, keepdims=True)).sum(axis=1, keepdims=True)
    )
    return logs - scores.max(axis=1, keepdims=True)


def apply_rules(pages: Sequence[GoldPage], votes: Floats) -> Floats:
    """Return page -> kind -> vote, that of a page which the rules call an error for this kind alone."""
    errors = np.array([page.is_error for page in pages])[:, None]
    return np.where(errors, np.eye(len(KINDS))[ERROR], votes)


class Votes:
    """The votes of leaves and templates, as a site's memory keeps them: (judged, seen, sum of each kind).

    The first pages of a template vote, and every ``EVERY``-th; a leaf of few votes has those of its template.
    """

    def __init__(self) -> None:
        self._sums: defaultdict[str, Floats] = defaultdict(lambda: np.zeros(2 + len(KINDS)))

    def add(self, page: GoldPage, logs: Floats) -> None:
        leaf, template = self._sums[page.leaf], self._sums[page.template]
        is_judged = template[0] < SURE or template[1] % EVERY == 0
        for sums in (leaf, template):
            sums += np.array([is_judged, 1, *(np.maximum(logs, LEAST) * is_judged)])

    def of(self, page: GoldPage) -> tuple[Floats, float]:
        """Return kind -> sum of votes that names a page, and how many votes these are."""
        leaf, template = self._sums[page.leaf], self._sums[page.template]
        if leaf[0] < MIN_OF_LEAF:
            return template[2:], template[0]
        return leaf[2:] + template[2:] / template[0], leaf[0] + 1


def voted(pages: Sequence[GoldPage], logs: Floats) -> Floats:
    """Return page -> kind -> the sum of votes that names it at the end."""
    votes = Votes()
    for page, of_page in zip(pages, logs):
        votes.add(page, of_page)
    return np.array([votes.of(page)[0] for page in pages])


def named_in_turn(pages: Sequence[GoldPage], logs: Floats) -> list[PageKind]:
    """Return the kinds of pages as they are named when they come, by the votes until then and the rules."""
    votes, named = Votes(), []
    for page, of_page in zip(pages, logs):
        if page.is_error:
            named.append(PageKind(KINDS[ERROR], float(np.exp(of_page[ERROR]))))
        else:
            votes.add(page, of_page)
            named.append(kind_of(*votes.of(page)))
    return named


def named(pages: Sequence[GoldPage], logs: Floats) -> Named:
    """Return how pages are named."""
    best = logs.argmax(axis=1).tolist()
    return Counter((page.kind, KINDS[name]) for page, name in zip(pages, best))


def quality_table(results: Mapping[str, Named]) -> Table:
    """Return the table of accuracy and F1."""
    kinds_of = {pages: {kind for kind, _ in result} for pages, result in results.items()}
    kinds = [kind for kind in KINDS if any(kind in own for own in kinds_of.values())]
    rows = []
    for pages, result in results.items():
        scores = {kind: f1(result, kind) for kind in kinds if kind in kinds_of[pages]}
        of_kinds = [f"{scores[kind]:.2f}" if kind in scores else "" for kind in kinds]
        macro = sum(scores.values()) / len(scores)
        rows.append([pages, f"{accuracy(result):.3f}", f"{macro:.3f}", *of_kinds])
    return table_of("kinds of pages, left out", ["pages", "accuracy", "macro F1", *kinds], rows)


def reliance_table(kinds: Sequence[str], named: Sequence[PageKind]) -> Table:
    """Return the table of how far each name can be relied on, of all pages and of those that callbacks get.

    kinds  page -> its kind
    named  page -> how it is named
    """
    columns = ("named so", "precision", "recall")
    rows = []
    for kind in KINDS:
        of_kind = sum(true == kind for true in kinds)
        cells: list[str] = []
        for least in (0.0, MIN_CONFIDENCE.get(kind, 0.0)):
            so = [true == kind for true, (name, sure) in zip(kinds, named) if name == kind and sure >= least]
            precision = f"{sum(so) / len(so):.3f}" if so else ""
            cells += [str(len(so)), precision, f"{sum(so) / of_kind:.3f}" if of_kind else ""]
        rows.append([kind, of_kind, *cells[:3], MIN_CONFIDENCE.get(kind, 0), *cells[3:]])
    heads = ["kind", "pages", *columns, "least confidence", *(f"{name}, sure" for name in columns)]
    return table_of("how far names can be relied on", heads, rows)


def _folds(pages: Sequence[GoldPage], name_of: Callable[[GoldPage], str]) -> Callable[[GoldPage], int]:
    """Return page -> its fold: names are dealt out to folds by falling number of pages."""
    sizes = Counter(map(name_of, pages))
    fold = {name: at % SITE_FOLDS for at, name in enumerate(sorted(sizes, key=lambda n: (-sizes[n], n)))}
    return lambda page: fold[name_of(page)]


def main(arguments: Sequence[str] | None = None) -> None:
    parser = new_parser("lab.papers.page_kinds", __doc__, "--figures")
    add_folder(parser, "--pages", "single pages of known kinds", required=True)
    add_folder(parser, "--sites", "saved sites with page types", required=True)
    parser.add_argument("--write", type=Path, metavar="FILE", help="write the file of weights")
    options = parser.parse_args(arguments)
    singles, sites = single_pages(options.pages), site_pages(options.sites)
    if options.write:
        options.write.write_text(written(fit(singles + drawn(sites))), encoding="utf-8")
    fold_of = attrgetter("fold")
    logs = logs_left_out(singles, drawn(sites), fold_of)
    by_rules = apply_rules(singles, logs)
    results = {
        "single pages": named(singles, logs),
        "single pages, rules for errors": named(singles, by_rules),
    }
    in_turn = {}
    for left_out, group in (("software", "group"), ("sites", "domain")):
        logs = logs_left_out(sites, singles, _folds(sites, attrgetter(group)))
        votes = voted(sites, logs)
        in_turn[left_out] = named_in_turn(sites, logs)
        results[f"{left_out} left out, alone"] = named(sites, logs)
        results[f"{left_out} left out, vote"] = named(sites, votes)
        results[f"{left_out} left out, rules for errors"] = named(sites, apply_rules(sites, votes))
    of_singles = reliance_table([page.kind for page in singles], list(map(kind_of, by_rules)))
    tables = {
        "reliance": reliance_table([page.kind for page in sites], in_turn["software"]),
        "reliance, single pages": of_singles,
        "quality": quality_table(results),
    }
    report(tables, options.figures)


if __name__ == "__main__":
    main()
