"""The content of pages that come alone: how well it is told, by pages left out; and the weights fitted.

The folder holds ``NNNN.html`` beside ``NNNN.json`` of the Web Content Extraction Benchmark (WCXB), with the
``main_content`` of each page and its kind; pages whose gold has no word are left out, pages of which nothing
can be read count 0.  News pages are those of ``lab.bench.separation``, each by itself; a page of them counts
a quarter of another in the fit, and they are in no mean but their own.  Without --fit the weights that
templcrawl ships are scored, on the pages that they were fitted on.

--fit scores by five folds, the pages of one domain in one of them, each judged by weights fitted on the
other four; then it fits on all pages and writes the table of weights (``block_weights.json``).  The steps of
features (quantiles of their values) are those of all five folds: pages that are left out have no part in the
weights, but in where the steps are.

A block of four words or more is content as far as its words are in runs of three that the gold has too; a
shorter one if with its neighbours it makes a run of four that the gold has, half if it is a line of the gold.
The weights are a logistic regression over steps: a feature adds the weights of all steps that it is above.
The steps of a feature are quantiles of its values; the ridge of a column goes by its variance (see
:mod:`lab.bench.logistic`).  A page's blocks count by their words.  Scores: bags of words, mean
over pages; of others (--beside, names of ``lab.bench.peers``) the F1.
"""

from __future__ import annotations

import json
import zlib
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple
from urllib.parse import urlsplit

import numpy as np
import numpy.typing as npt

from lab.bench.logistic import Floats, fit
from lab.bench.measures import NOTHING, Score, mean, score
from lab.bench.options import add_folder, new_parser
from lab.bench.peers import PEERS, Ask, PeerMissing
from lab.bench.saved_sites import news_hosts, word_list, words_of
from lab.bench.site_runs import MIN_GOLD
from lab.bench.tables import as_json_rows, report, table_of
from templcrawl.algorithms.extraction.article import article_runs
from templcrawl.algorithms.extraction.blocks import Blocks
from templcrawl.algorithms.extraction.copies import drop_copies
from templcrawl.algorithms.extraction.lone_page import Columns, block_chances, block_features, content_blocks
from templcrawl.algorithms.extraction.vote import content_labels
from templcrawl.page.page import Page
from templcrawl.page.render import text_of

_FOLDS = 5
_KINDS = ("tag", "heading", "titled")
_MIN_OF_PAGE = 0.3
_NEWS = "news"
_NEWS_WEIGHT = 0.25
_MAX_OF_HOST = 1_000
_CERTAIN_WEIGHT = 0.02
_PARTS = 5  # of the values of a feature, between its steps
_RIDGE = 3.0

Judge = Callable[[Columns], Floats]


@dataclass
class GoldPage:
    """A page with its main content; its kind as the benchmark says; how much it counts."""

    name: str
    html: bytes
    url: str
    kind: str
    gold: str
    weight: float = 1.0

    @property
    def domain(self) -> str:
        """The end of its host; without an address it is its own."""
        return ".".join((urlsplit(self.url).hostname or self.name).split(".")[-2:])

    @property
    def fold(self) -> int:
        """Which fold its domain is in."""
        return zlib.crc32(self.domain.encode()) % _FOLDS


def read(folder: Path) -> Iterator[GoldPage]:
    """Yield the pages of a folder."""
    for path in sorted(folder.glob("*.json")):
        said = json.loads(path.read_text(encoding="utf-8"))
        gold, kind = said["ground_truth"].get("main_content") or "", said["_internal"]["page_type"]["primary"]
        yield GoldPage(path.stem, path.with_suffix(".html").read_bytes(), said.get("url") or "", kind, gold)


def read_news(folder: Path) -> Iterator[GoldPage]:
    """Yield the pages of news hosts."""
    for host in news_hosts(folder):
        for saved in host.pages(_MAX_OF_HOST):
            if saved.gold and words_of(saved.gold).total() >= MIN_GOLD:
                yield GoldPage(saved.url, saved.html, saved.url, _NEWS, saved.gold, _NEWS_WEIGHT)


def seen(page: Page, blocks: Blocks) -> Columns:
    """Return what is seen of the blocks of a page by itself."""
    runs = page.text_runs
    shares = np.zeros(len(runs))
    labels, goes = content_labels(runs, page.elements.parents, shares, 0)
    kept = labels[runs.elements] & ~goes
    return block_features(page, blocks, kept, article_runs(page, kept, shares))


def block_shares(page: Page, blocks: Blocks, gold: str) -> Floats:
    """Return block -> the share of its words that is content by the gold."""
    texts = [page.tokens.forms[form] for form in page.tokens.form_array[page.text_runs.positions].tolist()]
    words: list[str] = []
    of_word: list[int] = []
    for block, text in zip(blocks.block_of_run.tolist(), texts):
        run_words = word_list(text.lower())
        words += run_words
        of_word += [block] * len(run_words)
    wanted = word_list(gold.lower())
    is_gold = np.zeros(len(words))
    for size in (3, 4):
        rows = set(zip(*(wanted[start:] for start in range(size))))
        for start, row in enumerate(zip(*(words[start:] for start in range(size)))):
            if row in rows and (size == 4 or of_word[start] == of_word[start + 2]):
                is_gold[start : start + size] = 1.0
    count = np.bincount(of_word, minlength=len(blocks)) if words else np.zeros(len(blocks))
    inside = np.bincount(of_word, is_gold, minlength=len(blocks)) if words else np.zeros(len(blocks))
    shares: Floats = inside / np.maximum(count, 1)
    lines = {tuple(word_list(line.lower())) for line in gold.split("\n")}
    stops = np.cumsum(count).astype(int)
    for block in np.flatnonzero((count > 0) & (count <= 3)).tolist():
        if tuple(words[stops[block] - int(count[block]) : stops[block]]) in lines:
            shares[block] = max(shares[block], 0.5)
    return shares


def score_page(saved: GoldPage, judge: Judge) -> Score:
    """Return how well the content of a page is told."""
    page = Page.from_html(saved.html, saved.url)
    runs = page.text_runs
    if not len(runs):
        return NOTHING
    blocks = Blocks(page)
    columns = seen(page, blocks)
    chosen = content_blocks(page, blocks, judge(columns), blocks.words)[blocks.block_of_run]
    mask = np.zeros(len(page.tokens), dtype=np.uint8)
    mask[runs.positions[drop_copies(page, chosen)]] = 1
    return score(words_of(text_of(page, mask.tobytes(), side=1)), words_of(saved.gold))


def score_peer(saved: GoldPage, ask: Ask) -> Score:
    """Return how well another extractor tells the content of a page."""
    try:
        text = ask(Page.from_html(saved.html, saved.url).text, saved.url)
    except Exception:
        return NOTHING
    return score(words_of(text), words_of(saved.gold))


class Model(NamedTuple):
    """A constant, and name of a feature -> its steps and their weights."""

    constant: float
    steps: Mapping[str, tuple[Floats, Floats]]

    def scores(self, columns: Mapping[str, npt.NDArray[np.generic]]) -> Floats:
        """Return row -> its log odds."""
        total = np.array([self.constant])
        for name, (steps, weights) in self.steps.items():
            sums = np.concatenate(([0.0], np.cumsum(weights)))
            total = total + sums[np.searchsorted(steps, columns[name].astype(np.float64))]
        scores: Floats = total
        return scores


def steps_of(values: Floats, *, is_kind: bool = False) -> Floats:
    """Return where the steps of a feature are: between two values of it, few of them.

    >>> steps_of(np.array([0.0, 1.0, 1.0])).tolist(), steps_of(np.array([1.0, 3.0]), is_kind=True).tolist()
    ([0.5], [0.5, 1.5, 2.5])
    """
    if is_kind:
        return np.arange(int(values.max()), dtype=np.float64) + 0.5
    distinct = np.unique(values)
    if len(distinct) <= 2:
        between: Floats = (distinct[1:] + distinct[:-1]) / 2
        return between
    steps = np.quantile(values, np.linspace(0, 1, _PARTS + 1)[1:-1])
    return np.unique(np.array([float(f"{step:.3g}") for step in steps], dtype=np.float64))


@dataclass
class Rows:
    """Blocks to learn from: name of a feature -> block -> its value; and of each block

    share   the share of its words that is content
    weight  how much it counts
    fold    which fold its page is in
    """

    columns: Mapping[str, Floats]
    share: Floats
    weight: Floats
    fold: Floats

    def fitted(self, left_out: int = -1) -> Model:
        """Return what is learned of all folds but one."""
        some = self.fold != left_out
        steps = {name: steps_of(values, is_kind=name in _KINDS) for name, values in self.columns.items()}
        above = [self.columns[name][some] > step for name, of_it in steps.items() for step in of_it.tolist()]
        rows = np.stack([np.ones(some.sum()), *above], axis=1)
        weights = self.weight[some] / self.weight[some].mean()
        means = np.average(rows, axis=0, weights=weights)
        constant, *fitted = fit(rows, self.share[some], weights, _RIDGE * means * (1 - means))
        ends = np.cumsum([len(of_it) for of_it in steps.values()])[:-1]
        of_steps = zip(steps.items(), np.split(np.array(fitted), ends))
        return Model(float(constant), {name: (at, weights) for (name, at), weights in of_steps})


def rows_of(pages: Sequence[GoldPage]) -> Rows:
    """Return the blocks to learn from: those of little weight are drawn, and weigh more."""
    parts = []
    draw = np.random.default_rng(0)
    for saved in pages:
        page = Page.from_html(saved.html, saved.url)
        if not len(page.text_runs):
            continue
        blocks = Blocks(page)
        columns = seen(page, blocks)
        gold = len(word_list(saved.gold))
        weight = saved.weight * blocks.words / max(gold, _MIN_OF_PAGE * blocks.words.sum())
        chance = np.minimum(1.0, weight / _CERTAIN_WEIGHT)
        drawn = draw.random(len(blocks)) < chance
        table = np.stack([values[drawn].astype(np.float32) for values in columns.values()])
        fold = np.full(drawn.sum(), saved.fold)
        shares = block_shares(page, blocks, saved.gold)[drawn]
        parts.append((table, shares, (weight[drawn] / chance[drawn]), fold))
    tables, share, weight, fold = (np.concatenate(part, axis=-1) for part in zip(*parts))
    return Rows(dict(zip(columns, tables)), share, weight, fold)


def written(model: Model) -> str:
    """Return the file of weights."""
    steps = {
        name: [_numbers(at, ".3g"), _numbers(weights, ".2f")] for name, (at, weights) in model.steps.items()
    }
    return as_json_rows({"constant": round(model.constant, 2), "steps": steps})


def _numbers(values: Floats, form: str) -> list[float]:
    return [float(format(value, form)) + 0.0 for value in values.tolist()]  # no -0.0


def main(arguments: Sequence[str] | None = None) -> None:
    parser = new_parser("lab.bench.lone_pages", __doc__, "--news --figures")
    add_folder(parser, "--pages", "single pages with their main content", required=True)
    parser.add_argument("--fit", metavar="FILE", type=Path, help="fit anew and write the table of weights")
    parser.add_argument("--beside", nargs="+", choices=PEERS, default=[], help="other extractors")
    options = parser.parse_args(arguments)
    try:
        peers = {name: PEERS[name]()([]) for name in options.beside}
    except PeerMissing as error:
        parser.error(str(error))
    pages = [saved for saved in read(options.pages) if words_of(saved.gold)]
    if not pages:
        parser.error(f"there are no pages with their content in {options.pages}")
    pages += read_news(options.news) if options.news else []
    judges: list[Judge] = [block_chances] * _FOLDS
    if options.fit:
        rows = rows_of(pages)
        judges = [_judge(rows.fitted(fold)) for fold in range(_FOLDS)]
        options.fit.write_text(written(rows.fitted()), encoding="utf-8")
    groups: dict[str, list[GoldPage]] = {kind: [] for kind in sorted({saved.kind for saved in pages})}
    for saved in pages:
        groups[saved.kind].append(saved)
    groups["all but news"] = [saved for saved in pages if saved.kind != _NEWS]
    scores = {saved.name: score_page(saved, judges[saved.fold]) for saved in pages}
    beside = [{saved.name: score_peer(saved, ask) for saved in pages} for ask in peers.values()]

    def cells(group: Sequence[GoldPage]) -> Iterator[str]:
        yield str(len(group))
        yield from (f"{value:.3f}" for value in mean(scores[saved.name] for saved in group))
        yield from (f"{mean(of_peer[saved.name] for saved in group).f1:.3f}" for of_peer in beside)

    label = "left out" if options.fit else "fitted on"
    heads = ("kind", "pages", "precision", "recall", "F1", *peers)
    cells_of_kinds = ((kind, *cells(group)) for kind, group in groups.items())
    report({label: table_of(f"pages that come alone, {label}", heads, cells_of_kinds)}, options.figures)


def _judge(model: Model) -> Judge:
    def judge(columns: Columns) -> Floats:
        chances: Floats = 1 / (1 + np.exp(-model.scores(columns)))
        return chances

    return judge


if __name__ == "__main__":
    main()
