"""The weights of a text run's score: fitted, and scored on sites whose software was left out.

Logistic regression of whether a run stands in the container of the content, over the parts of its score
(:class:`templcrawl.algorithms.extraction.run_scores.Weights`), on pages 2 to ``READ`` of each site, by
Newton's method.  A run weighs the logarithm of its words, and the runs of each site weigh 1.  A ridge of
``RIDGE`` holds the weights small.  The weights of a crawl are ``HAND`` times those chosen by hand and
``LEARNED`` times these; as fitted on all sites they are printed.

Each site is scored by weights that were fitted without the sites of its software, in ``FOLDS`` folds: F1 of
the words of pages 2 to ``SCORED`` as in :mod:`lab.bench.separation`.  The weights by hand, the prices and
the trials of the vote were chosen on the sites "tuned".  r pages of n runs.  Cost: O(r n) a fold.
"""

from __future__ import annotations

import zlib
from collections.abc import Mapping, Sequence
from statistics import fmean
from typing import NamedTuple

import numpy as np
import numpy.typing as npt
from rich.table import Table

from lab.bench.logistic import fit
from lab.bench.measures import score
from lab.bench.options import new_parser
from lab.bench.saved_sites import SavedSite, Words, corpus_sites, words_of
from lab.bench.site_runs import MIN_GOLD
from lab.bench.tables import report, table_of
from lab.papers.kinds_of_types import software_of
from lab.papers.template import inside_container
from templcrawl import CrawlMemory, Page
from templcrawl.algorithms.extraction.run_scores import WEIGHTS, Weights, run_scores
from templcrawl.algorithms.extraction.shares import MIN_PAGES
from templcrawl.algorithms.extraction.vote import vote_spans
from templcrawl.page.separation import Separation

BY_HAND = Weights(
    content=3.0,
    repeated=-1.5,
    on_every_page=-2.25,
    common=-2.0,
    linked=-2.25,
    furniture=-3.5,
    named=-1.0,
    named_repeated=-3.0,
    dialog=-2.0,
)
"""The part of the weights that is not learned."""

READ = 45
SCORED = 25
FOLDS = 8
RIDGE = 1e-3
HAND, LEARNED = 0.6, 0.32
ALONE = 0.8
"""What the learned weights are multiplied by where they are tried alone."""

WORSE = 0.01

Floats = npt.NDArray[np.float64]
PARTS = [Weights(**{name: 1.0}) for name in Weights._fields]


class SeenPage(NamedTuple):
    """A page, the votes on its runs, its gold; ``inside``: run -> whether it stands in the container."""

    number: int
    page: Page
    shares: Floats
    voters: int
    gold: Words
    inside: npt.NDArray[np.bool_]


class Runs(NamedTuple):
    """The runs of a site: what each part of the score says of them, if they are content, their weights."""

    parts: Floats
    is_content: Floats
    weights: Floats


def seen_pages(site: SavedSite) -> list[SeenPage]:
    """Return the pages of a site with gold, as a crawl sees them."""
    memory, pages = CrawlMemory(sample_salt=0), []
    for number, saved in enumerate(site.pages(READ), 1):
        separation = memory.observe(saved.page).separation
        gold = words_of(saved.gold or "")
        inside = inside_container(saved.page, saved.content)
        shares, voters = separation.run_shares, separation.voters
        if number > 1 and gold.total() >= MIN_GOLD and inside is not None and shares is not None:
            in_container = inside[saved.page.text_runs.elements]
            pages.append(SeenPage(number, saved.page, shares, voters or 0, gold, in_container))
    return pages


def runs_of(pages: Sequence[SeenPage]) -> Runs:
    """Return the runs of a site's pages that have words."""
    parts, is_content, weights = [], [], []
    for seen in pages:
        runs, many = seen.page.text_runs, seen.voters >= MIN_PAGES
        has_words = runs.words > 0
        logs = np.log1p(runs.words[has_words])
        said = [run_scores(runs, seen.shares, many, weights=part)[has_words] / logs for part in PARTS]
        parts.append(np.stack(said, axis=1))
        is_content.append(seen.inside[has_words].astype(float))
        weights.append(logs)
    weight = np.concatenate(weights)
    return Runs(np.concatenate(parts), np.concatenate(is_content), weight / weight.sum())


def fit_sites(sites: Sequence[Runs]) -> Floats:
    """Return the weight of each part that makes the content of some sites most likely."""
    parts, is_content, weights = (np.concatenate(columns) for columns in zip(*sites))
    return fit(parts, is_content, weights / len(sites), np.full(len(PARTS), RIDGE))


def mixed(fitted: Floats, hand: float = HAND, learned: float = LEARNED) -> Weights:
    """Return the weights of a crawl."""
    return Weights(*(round(float(number), 2) for number in hand * np.array(BY_HAND) + learned * fitted))


def f1_of(pages: Sequence[SeenPage], weights: Weights) -> float:
    """Return the mean F1 of the first pages of a site."""
    f1 = []
    for seen in pages:
        if seen.number <= SCORED:
            spans = vote_spans(seen.page, seen.shares, seen.voters, weights)
            f1.append(score(words_of(Separation(seen.page, spans).content_text), seen.gold).f1)
    return fmean(f1)


def left_out(sites: Mapping[str, list[SeenPage]], runs: Mapping[str, Runs]) -> dict[str, dict[str, float]]:
    """Return way -> site -> its F1 by weights that were fitted without the sites of its software."""
    fold = {name: zlib.crc32(software_of(name).encode()) % FOLDS for name in sites}
    found: dict[str, dict[str, float]] = {"by hand": {}, "learned": {}, "both": {}}
    for number in sorted(set(fold.values())):
        fitted = fit_sites([runs[name] for name in sites if fold[name] != number])
        ways = {"by hand": BY_HAND, "learned": mixed(fitted, 0.0, ALONE), "both": mixed(fitted)}
        for name in (name for name in sites if fold[name] == number):
            for way, weights in ways.items():
                found[way][name] = f1_of(sites[name], weights)
    return found


def scores_table(found: Mapping[str, Mapping[str, float]], groups: Mapping[str, str]) -> Table:
    """Return the F1 of each way on each group, and on how many sites it is another than by hand."""
    names = list(dict.fromkeys(groups.values()))
    rows = []
    for way, f1 in found.items():
        means = [fmean(f1[site] for site in f1 if groups[site] == name) for name in names]
        change = [f1[site] - found["by hand"][site] for site in f1]
        better, worse = sum(c > WORSE for c in change), sum(c < -WORSE for c in change)
        shares = map("{:.3f}".format, (*means, fmean(f1.values())))
        rows.append([way, *shares, better, worse, f"{min(change):.3f}"])
    return table_of("", ["weights", *names, "all", "sites better", "worse", "worst"], rows)


def main() -> None:
    parser = new_parser("lab.papers.vote_weights", __doc__, "--corpora! --figures")
    options = parser.parse_args()
    saved = corpus_sites(options.corpora)
    sites = {site.name: pages for site in saved if (pages := seen_pages(site))}
    runs = {name: runs_of(pages) for name, pages in sites.items()}
    fitted = mixed(fit_sites(list(runs.values())))
    print(f"fitted on all sites: {fitted}")
    print(f"in use: {'these' if fitted == WEIGHTS else WEIGHTS}")
    groups = {site.name: site.group for site in saved if site.name in sites}
    report({"vote weights": scores_table(left_out(sites, runs), groups)}, options.figures)


if __name__ == "__main__":
    main()
