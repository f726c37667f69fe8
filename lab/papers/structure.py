"""How well are pages of one template told from others, by fingerprints and by the eight older methods?

Source: Hachenberg & Gottron (CIKM 2013), sections 4.2 to 5.2: the methods of Table 2, then Tables 4 to 7 and
Figures 3 to 6 as numbers.  A *template* is here the most frequent page type of a saved site, by its first
``PAGES`` pages in crawl order; sites with fewer pages of one type are left out.

method  similarity of two pages                                  same template
FP      fingerprints within one edit, by the index               1
RTDM    restricted top-down mapping of element trees             the least one within the training pages
LCTS    longest common subsequence of tags / the longer page     the same
TV      cosine of the counts of tags                             the same
CP      paths to leaf elements, common / of the larger set       the same
CPS     runs of 4 names of these paths, common / of either       the same
CTSS    runs of 4 tags, common / of either                       .8
MD5     equal MD5 of all tags                                    1
MDH5    equal MD5 of the tags of the head                        1

Every template is a question of its own, which a page answers by yes or no, so a page may be said to be of
several.  P, R and F1 are means over templates; accuracy is over all answers; p is the chance of such
differences from FP in F1 if there were none (Wilcoxon, two-sided; the paper has Student's t).

few training pages  10 of each template, all nine methods (Table 4); the next page of each is judged
ten folds           each page by the pages of the other nine folds (Table 5, Figure 3), without RTDM and LCTS
clusters            FP and MDH5 against the templates, and against every page type (Table 6)
sizes of clusters   FP, all pages that were read (Figure 4)
throughput          FP as pages come, tenth by tenth: pages and KB a second (Figures 5, 6); the same of
                    fingerprints alone, made of the first tags of read pages with some drawn anew (Table 7)

Pages a second are of one CPU, from the HTML on; what is computed of a training page is not counted.
Departures: the paper prints no formulas.  Runs of 4, the measures of sets and the unit costs of RTDM are our
choice, made before these figures.  Sites of one generator may share a template, and are separate here.  RTDM
remembers what equal subtrees cost; elements deeper than ``DEEPEST`` hang on their ancestor there.
Cost: some 30 minutes of CPU over 138 sites, most of it RTDM.
"""

from __future__ import annotations

import random
import sys
from collections import Counter, defaultdict
from collections.abc import Callable, Hashable, Iterable, Iterator, Mapping, Sequence
from hashlib import md5
from itertools import combinations, islice
from math import sqrt
from pathlib import Path
from time import process_time
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt
from rapidfuzz.distance import LCSseq
from rich.table import Table
from xxhash import xxh3_64_intdigest

from lab.bench.measures import score_clusters
from lab.bench.options import add_number, new_parser
from lab.bench.saved_sites import corpus_sites
from lab.bench.tables import report, table_of
from lab.papers.diet import signed_rank_p
from templcrawl import Page
from templcrawl.algorithms.page_types.fingerprint import (
    FingerprintIndex,
    lz78_references,
    same_template,
    template_fingerprint,
)
from templcrawl.page.scan import iter_tag_names

PAGES = 20  # of a template
TRAINED = 10  # of these, where training pages are few
FOLDS = 10
WIDTH = 4  # names of a run
DEEPEST = 200
MAX_COSTS = 2_000_000  # pairs of subtrees that RTDM remembers
FIRST_TAGS = 120  # of a page: most fingerprints need fewer
MAX_DRAWN = 8  # of these, that are drawn anew


# what the methods read of a page


def tags_of(html: str) -> list[str]:
    """Return the names of all tags, start and end tags alike."""
    return list(iter_tag_names(html))


def head_of(tags: Sequence[str]) -> Sequence[str]:
    """Return the tags to the end of ``head``, up to ``body`` without one; without both, all.

    >>> head_of("html head title title head body p".split())
    ['html', 'head', 'title', 'title', 'head']
    """
    body = tags.index("body") if "body" in tags else len(tags)
    heads = [place for place, tag in enumerate(tags[:body]) if tag == "head"]
    return tags[: heads[1] + 1 if len(heads) > 1 else body]


def hash_of(tags: Sequence[str]) -> bytes:
    """Return the MD5 of a sequence of tags."""
    return md5(" ".join(tags).encode("utf-8", "surrogatepass"), usedforsecurity=False).digest()


def runs_of(names: Sequence[str]) -> frozenset[str]:
    """Return the distinct runs of ``WIDTH`` names; a shorter sequence is one run.

    >>> sorted(runs_of("ul li li li ul".split())), runs_of(["p"]), runs_of([])
    (['li li li ul', 'ul li li li'], frozenset({'p'}), frozenset())
    """
    count = max(1, len(names) - WIDTH + 1) if names else 0
    return frozenset(sys.intern(" ".join(names[at : at + WIDTH])) for at in range(count))


def leaf_paths(html: str) -> frozenset[str]:
    """Return the distinct paths of names to the elements that hold no other.

    >>> sorted(leaf_paths("<ul><li>one<li><b>two</b></ul>"))
    ['ul/li', 'ul/li/b']
    """
    elements = Page(html, "").elements
    inner, paths = set(elements.parents), [""]
    for parent, name in zip(elements.parents[1:], elements.names[1:]):
        paths.append(f"{paths[parent]}/{name}" if parent else name)
    return frozenset(sys.intern(path) for element, path in enumerate(paths) if element not in inner)


def path_runs(html: str) -> frozenset[str]:
    """Return the runs of names of all paths to leaves."""
    return frozenset().union(*(runs_of(path.split("/")) for path in leaf_paths(html)))


class Tree(NamedTuple):
    """A tree of names; ``key`` is equal for equal trees, ``size`` counts its nodes."""

    name: str
    key: int
    size: int
    children: tuple[Tree, ...]


def tree(name: str, *children: Tree) -> Tree:
    """Return a tree with these children."""
    keys = b"".join(child.key.to_bytes(8, "little") for child in children)
    key = xxh3_64_intdigest(keys + name.encode("utf-8", "surrogatepass"))
    return Tree(name, key, 1 + sum(child.size for child in children), children)


def element_tree(html: str) -> Tree:
    """Return the elements of a page below a root without a name.

    >>> element_tree("<ul><li>one<li>two</ul><p>").size
    5
    """
    elements = Page(html, "").elements
    depths, above = [0], [0]
    for parent in elements.parents[1:]:
        while depths[parent] >= DEEPEST:
            parent = above[parent]
        above.append(parent)
        depths.append(depths[parent] + 1)
    below: list[list[Tree]] = [[] for _ in above]
    for element in range(len(above) - 1, 0, -1):
        below[above[element]].append(tree(elements.names[element], *reversed(below[element])))
        below[element] = []
    return tree("", *reversed(below[0]))


# similarities, from 0 to 1


def share_of_either(a: frozenset[str], b: frozenset[str]) -> float:
    """Return Jaccard's coefficient; two empty sets are equal.

    >>> share_of_either(frozenset("abc"), frozenset("bcde"))
    0.4
    """
    common = len(a & b)
    either = len(a) + len(b) - common
    return common / either if either else 1.0


def share_of_larger(a: frozenset[str], b: frozenset[str]) -> float:
    """Return the share of the larger set that both have; two empty sets are equal.

    >>> share_of_larger(frozenset("abc"), frozenset("bcde"))
    0.5
    """
    larger = max(len(a), len(b))
    return len(a & b) / larger if larger else 1.0


class Counts(NamedTuple):
    """Tag -> how often, and the square of the length of that vector."""

    of: dict[str, int]
    square: int


def tag_counts(html: str) -> Counts:
    """Return how often each tag occurs."""
    counts = dict(Counter(iter_tag_names(html)))
    return Counts(counts, sum(count * count for count in counts.values()))


def cosine(a: Counts, b: Counts) -> float:
    """Return the cosine of two vectors.

    >>> cosine(tag_counts("<p><p><br>"), tag_counts("<br><p><p>")), cosine(tag_counts("<p>"), tag_counts(""))
    (1.0, 0.0)
    """
    if not a.square or not b.square:
        return float(a.square == b.square)
    both = sum(count * b.of.get(tag, 0) for tag, count in a.of.items())
    return both / sqrt(a.square * b.square)


_costs: dict[tuple[int, int], int] = {}


def edits(a: Tree, b: Tree) -> int:
    """Return the least cost of a restricted top-down mapping: 1 for each node that is not paired.

    Roots are paired; nodes only below a pair of equal names, in order (Reis et al., WWW 2004); a pair of
    other names costs 1.

    >>> item, word = tree("li"), tree("b")
    >>> edits(tree("ul", item, item), tree("ul", item, tree("li", word), item))
    2
    """
    if a.key == b.key:
        return 0
    if a.name != b.name:
        return a.size + b.size - 1
    if not a.children or not b.children:
        return a.size + b.size - 2
    cost = _costs.get((a.key, b.key))
    if cost is None:
        cost = _align(a.children, b.children)
        if len(_costs) >= MAX_COSTS:
            _costs.clear()
        _costs[a.key, b.key] = cost
    return cost


def _align(a: Sequence[Tree], b: Sequence[Tree]) -> int:
    """Return the least cost of pairing two rows of siblings; equal ends are paired first, at no cost."""
    while a and b and a[0].key == b[0].key:
        a, b = a[1:], b[1:]
    while a and b and a[-1].key == b[-1].key:
        a, b = a[:-1], b[:-1]
    above = [0]
    for right in b:
        above.append(above[-1] + right.size)
    for left in a:
        row = [above[0] + left.size]
        for column, right in enumerate(b):
            apart = min(above[column + 1] + left.size, row[column] + right.size)
            row.append(min(apart, above[column] + edits(left, right)))
        above = row
    return above[-1]


def mapped_share(a: Tree, b: Tree) -> float:
    """Return one less the edits as a share of the nodes of both trees, their roots not counted."""
    nodes = a.size + b.size - 2
    return 1 - edits(a, b) / nodes if nodes else 1.0


class Method(NamedTuple):
    """A method of the paper's Table 2.

    features    HTML -> what is compared
    similarity  of two features
    threshold   similarity of pages of one template; None: the least one of two training pages
    is_slow     whether it is too slow for ten folds
    """

    name: str
    features: Callable[[str], Any]
    similarity: Callable[[Any, Any], float]
    threshold: float | None = None
    is_slow: bool = False


def _equal(a: Hashable, b: Hashable) -> float:
    return float(a == b)


METHODS = (
    Method("FP", template_fingerprint, same_template, 1.0),
    Method("RTDM", element_tree, mapped_share, is_slow=True),
    Method("LCTS", tags_of, LCSseq.normalized_similarity, is_slow=True),
    Method("TV", tag_counts, cosine),
    Method("CP", leaf_paths, share_of_larger),
    Method("CPS", path_runs, share_of_either),
    Method("CTSS", lambda html: runs_of(tags_of(html)), share_of_either, 0.8),
    Method("MD5", lambda html: hash_of(tags_of(html)), _equal, 1.0),
    Method("MDH5", lambda html: hash_of(head_of(tags_of(html))), _equal, 1.0),
)


# classification


class Judged(NamedTuple):
    """Answers of a method.

    yes      page, template -> whether the page is said to be of it
    seconds  CPU time of a page
    """

    yes: npt.NDArray[np.bool_]
    seconds: float


Found = Callable[[Any], set[int]]
"""Features of a page -> the templates that it is said to be of."""


def train(method: Method, examples: Iterable[tuple[int, Any]]) -> Found:
    """Return the classifier that some training pages make, (template, features) each."""
    pages = list(examples)
    if method.name == "FP":
        return _by_index(pages)
    if method.similarity is _equal:
        table: dict[Hashable, set[int]] = defaultdict(set)
        for template, key in pages:
            table[key].add(template)
        return lambda key: table.get(key, set())
    of_template: dict[int, list[Any]] = defaultdict(list)
    for template, features in pages:
        of_template[template].append(features)
    least = {template: threshold_of(method, features) for template, features in of_template.items()}
    return lambda page: {
        template
        for template, features in of_template.items()
        if max(method.similarity(page, one) for one in features) >= least[template]
    }


def threshold_of(method: Method, features: Sequence[Any]) -> float:
    """Return the similarity from which on a page is of the template of some training pages."""
    if method.threshold is not None:
        return method.threshold
    return min((method.similarity(a, b) for a, b in combinations(features, 2)), default=1.0)


def _by_index(pages: Iterable[tuple[int, bytes]]) -> Found:
    index, templates = FingerprintIndex(), defaultdict[bytes, set[int]](set)
    for template, fingerprint in pages:
        index.add(fingerprint)
        templates[fingerprint].add(template)
    return lambda page: set[int]().union(*(templates[near] for near in index.similar(page)))


def classify_by_few(
    method: Method, htmls: Sequence[str], truth: Sequence[int], tested: Sequence[int], trained: Sequence[int]
) -> Judged:
    """Judge some pages by a classifier of some others."""
    find = train(method, ((truth[page], method.features(htmls[page])) for page in trained))
    yes = np.zeros((len(tested), max(truth) + 1), dtype=bool)
    started = process_time()
    for row, page in enumerate(tested):
        yes[row, list(find(method.features(htmls[page])))] = True
    return Judged(yes, (process_time() - started) / len(tested))


def in_folds(method: Method, htmls: Sequence[str], truth: Sequence[int]) -> Judged:
    """Judge every page by the pages of the other folds; similarities are computed once.

    htmls  the first page of every template, then the second of every template ...
    """
    started = process_time()
    features = [method.features(html) for html in htmls]
    reading = (process_time() - started) / len(htmls)
    yes = np.zeros((len(htmls), max(truth) + 1), dtype=bool)
    pages = np.arange(len(htmls))
    fold = pages // yes.shape[1] % FOLDS
    if method.threshold == 1.0:
        seconds = 0.0
        for number in range(FOLDS):
            find = train(method, ((truth[page], features[page]) for page in pages[fold != number].tolist()))
            started = process_time()
            for page in pages[fold == number].tolist():
                yes[page, list(find(features[page]))] = True
            seconds += process_time() - started
        return Judged(yes, reading + seconds / len(htmls))
    started = process_time()
    alike = np.ones((len(htmls), len(htmls)), dtype=np.float32)
    for page, own in enumerate(features):
        alike[page, :page] = alike[:page, page] = [method.similarity(own, one) for one in features[:page]]
    compared = 2 * (process_time() - started) * (1 - 1 / FOLDS)
    classes = np.array(truth)
    for number in range(FOLDS):
        tested = pages[fold == number]
        for template in range(yes.shape[1]):
            trained = pages[(fold != number) & (classes == template)]
            least = alike[np.ix_(trained, trained)].min() if method.threshold is None else method.threshold
            yes[tested, template] = alike[np.ix_(tested, trained)].max(axis=1) >= least
    return Judged(yes, reading + compared / len(htmls))


class Scores(NamedTuple):
    """Means over templates, the accuracy over all answers, and the F1 of each template."""

    precision: float
    recall: float
    f1: float
    accuracy: float
    of_templates: list[float]


def scores_of(yes: npt.NDArray[np.bool_], truth: Sequence[int]) -> Scores:
    """Score answers; a template that no page is said to be of has precision 0.

    Two pages of template 0, one of 1; the first is said to be of both, the second of none:

    >>> scores_of(np.array([[True, True], [False, False], [False, True]]), [0, 0, 1])[:4]
    (0.75, 0.75, 0.6666666666666666, 0.6666666666666666)
    """
    right = np.arange(yes.shape[1])[None, :] == np.array(truth)[:, None]
    asked = right.any(axis=0)
    yes, right = yes[:, asked], right[:, asked]
    hits, said, true = (yes & right).sum(axis=0), yes.sum(axis=0), right.sum(axis=0)
    precision = hits / np.maximum(said, 1)
    f1 = 2 * hits / (said + true)
    accuracy = float((yes == right).mean())
    return Scores(
        float(precision.mean()), float((hits / true).mean()), float(f1.mean()), accuracy, f1.tolist()
    )


def methods_table(title: str, judged: Mapping[str, Judged], truth: Sequence[int]) -> Table:
    """Return a row for each method."""
    scores = {name: scores_of(one.yes, truth) for name, one in judged.items()}
    rows = []
    for name, score in scores.items():
        changes = [own - of_fp for own, of_fp in zip(score.of_templates, scores["FP"].of_templates)]
        shares = [f"{share:.4f}" for share in score[:4]]
        rate = 1 / judged[name].seconds
        rows.append([name, *shares, f"{signed_rank_p(changes):.2g}", f"{rate:,.{0 if rate >= 10 else 2}f}"])
    return table_of(title, ["method", "P", "R", "F1", "accuracy", "p", "pages a second"], rows)


# clusters


def fingerprint_clusters(fingerprints: Sequence[bytes]) -> list[bytes]:
    """Return the cluster of each fingerprint."""
    index = FingerprintIndex()
    for fingerprint in fingerprints:
        index.add(fingerprint)
    return [index.cluster(fingerprint) for fingerprint in fingerprints]


def clusters_table(htmls: Mapping[str, tuple[Sequence[str], Sequence[Hashable]]]) -> Table:
    """Return how well FP and MDH5 cluster some sets of pages, each with the class of every page."""
    rows = []
    for pages, (texts, classes) in htmls.items():
        for method in (METHODS[0], METHODS[-1]):
            started = process_time()
            features = list(map(method.features, texts))
            found = fingerprint_clusters(features) if method.name == "FP" else features
            rate = len(texts) / (process_time() - started)
            score = score_clusters(found, classes)
            shares = [f"{share:.4f}" for share in (score.rand, score.ari, score.purity)]
            count = [f"{len(texts):,}", f"{len(set(classes)):,}", f"{len(set(found)):,}"]
            rows.append([pages, method.name, *count, *shares, f"{rate:,.0f}"])
    heads = ["of", "method", "pages", "classes", "clusters", "RI", "ARI", "purity", "pages a second"]
    return table_of("Clusters", heads, rows, left=2)


def sizes_table(clusters: Iterable[Hashable]) -> Table:
    """Return how many clusters have 1 page, 2 or 3, 4 to 7 ..."""
    sizes = Counter(clusters).values()
    found = Counter(size.bit_length() - 1 for size in sizes)
    pages = Counter[int]()
    for size in sizes:
        pages[size.bit_length() - 1] += size
    rows = [
        [f"{2**step:,}" if not step else f"{2**step:,} to {2 ** (step + 1) - 1:,}", found[step], pages[step]]
        for step in sorted(found)
    ]
    title = f"Sizes of clusters: {len(sizes):,} clusters, the largest of {max(sizes):,} pages"
    return table_of(title, ["pages of a cluster", "clusters", "pages"], rows)


class Seen(NamedTuple):
    """A page that was clustered as it came: bytes, and CPU seconds."""

    bytes: int
    seconds: float


def throughput_table(seen: Sequence[Seen], made: Sequence[float]) -> Table:
    """Return pages and KB a second by tenths of the pages, and fingerprints a second.

    made  seconds of each tenth of the drawn fingerprints, with their number at the end
    """
    *seconds, drawn = made
    rows = []
    for tenth, spent in enumerate(seconds):
        part = seen[tenth * len(seen) // 10 : (tenth + 1) * len(seen) // 10]
        time = sum(one.seconds for one in part)
        rates = len(part) / time, sum(one.bytes for one in part) / 1000 / time, drawn / 10 / spent
        rows.append([f"{tenth + 1}", *(f"{rate:,.0f}" for rate in rates)])
    time = sum(one.seconds for one in seen)
    rates = len(seen) / time, sum(one.bytes for one in seen) / 1000 / time, drawn / sum(seconds)
    rows.append(["all", *(f"{rate:,.0f}" for rate in rates)])
    rows.append(
        ["how many", f"{len(seen):,}", f"{sum(one.bytes for one in seen) / 1000:,.0f}", f"{drawn:,.0f}"]
    )
    return table_of("Throughput of FP", ["tenth", "pages", "KB", "fingerprints"], rows)


def drawn_fingerprints(known: Sequence[Sequence[str]], count: int) -> Iterator[bytes]:
    """Yield so many fingerprints: each of the first tags of a page, at most ``MAX_DRAWN`` drawn anew."""
    draw = random.Random(0)
    for _ in range(count):
        tags = [*draw.choice(known)]
        for _ in range(draw.randint(0, MAX_DRAWN) if tags else 0):
            tags[draw.randrange(len(tags))] = draw.choice(tags)
        yield lz78_references(tags)


def seconds_to_cluster(fingerprints: Sequence[bytes]) -> list[float]:
    """Return the seconds of each tenth of some fingerprints in one index, and their number."""
    index, seconds = FingerprintIndex(), []
    for tenth in range(10):
        part = fingerprints[tenth * len(fingerprints) // 10 : (tenth + 1) * len(fingerprints) // 10]
        started = process_time()
        for fingerprint in part:
            index.add(fingerprint)
        seconds.append(process_time() - started)
    return [*seconds, len(fingerprints)]


# the pages


class Collection(NamedTuple):
    """The pages of saved sites.

    templates     site -> the pages of its most frequent page type
    typed         pages with a page type, and what that is
    fingerprints  of all pages that were read
    tags          the first tags of a page of each fingerprint
    seen          all pages that were read, as they were clustered
    """

    templates: dict[str, list[str]]
    typed: tuple[list[str], list[Hashable]]
    fingerprints: list[bytes]
    tags: dict[bytes, list[str]]
    seen: list[Seen]


def read(corpora: Path, limit: int) -> Collection:
    """Read the first pages of each site of a folder, and cluster their fingerprints as they come."""
    collection, index = Collection({}, ([], []), [], {}, []), FingerprintIndex()
    for site in corpus_sites(corpora):
        of_type: dict[str, list[str]] = defaultdict(list)
        for saved in site.pages(limit):
            html, kind = saved.page.text, site.scored_type(saved.url)
            started = process_time()
            fingerprint = template_fingerprint(html)
            index.add(fingerprint)
            collection.seen.append(Seen(len(saved.html), process_time() - started))
            collection.fingerprints.append(fingerprint)
            if fingerprint not in collection.tags:
                collection.tags[fingerprint] = list(islice(iter_tag_names(html), FIRST_TAGS))
            if kind is not None:
                of_type[kind].append(html)
        for kind, htmls in of_type.items():
            collection.typed[0].extend(htmls[:PAGES])
            collection.typed[1].extend([(site.name, kind)] * len(htmls[:PAGES]))
        largest = max(of_type.values(), key=len, default=[])
        if len(largest) >= PAGES:
            collection.templates[site.name] = largest[:PAGES]
        print(f"{site.name}: {len(largest)} pages of a template", file=sys.stderr, flush=True)
    return collection


def main(arguments: Sequence[str] | None = None) -> None:
    parser = new_parser("lab.papers.structure", __doc__, "--corpora! --pages=200 --figures")
    add_number(parser, "--judged", 1, "pages of each template that all nine methods judge")
    add_number(parser, "--fingerprints", 1_000_000, "fingerprints that are clustered")
    options = parser.parse_args(arguments)
    collection = read(options.corpora, options.pages)
    if not collection.templates:
        parser.error(f"no sites with {PAGES} pages of one type in the folder")
    rows = list(zip(*collection.templates.values()))
    htmls, templates = [html for row in rows for html in row], len(rows[0])
    truth = [page % templates for page in range(len(htmls))]
    tested = range(TRAINED * templates, min(TRAINED + options.judged, PAGES) * templates)
    few, folds = dict[str, Judged](), dict[str, Judged]()
    for method in METHODS:
        few[method.name] = classify_by_few(method, htmls, truth, tested, range(TRAINED * templates))
        if not method.is_slow:
            folds[method.name] = in_folds(method, htmls, truth)
        print(method.name, file=sys.stderr, flush=True)
    about = f"{templates} templates, {TRAINED} training pages of each, {len(tested)} pages judged"
    of_template = (htmls, truth)
    drawn = list(drawn_fingerprints([*collection.tags.values()], options.fingerprints))
    tables = {
        "few training pages": methods_table(about, few, [truth[page] for page in tested]),
        "ten folds": methods_table(f"{templates} templates, {len(htmls):,} pages, ten folds", folds, truth),
        "clusters": clusters_table({"templates": of_template, "page types": collection.typed}),
        "sizes of clusters": sizes_table(fingerprint_clusters(collection.fingerprints)),
        "throughput": throughput_table(collection.seen, seconds_to_cluster(drawn)),
    }
    report(tables, options.figures)


if __name__ == "__main__":
    main()
