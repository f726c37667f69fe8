"""The methods that are compared, in the order of the paper's Table 2; another clustering is added here.

Hachenberg & Gottron (CIKM 2013, section 4.2) name the baselines; of each stand below what it reads, where it
comes from, its cost, and what of it is our choice, as the paper prints few formulas.

*Threshold*: to classify, a class's own, the greatest distance within it, but for CTSS, FP and the hashes.
For clusters the paper gives none: those of CP, CPS and TV were the best of some on fifteen of these sites, so
they are in favour of these three.
"""

from __future__ import annotations

import sys
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from hashlib import md5
from math import sqrt
from time import perf_counter
from typing import Any, NamedTuple

import numpy as np
from rapidfuzz.distance import LCSseq, Levenshtein

from lab.bench.page_types import PageEvidence, evidence_of, types_of_pages
from lab.papers.structure.judging import ByDistance, BySearch, Folds, Judgement
from lab.papers.structure.rtdm import RTDM
from templcrawl import Page
from templcrawl.algorithms.page_types.fingerprint import (
    FINGERPRINT_LENGTH,
    FingerprintIndex,
    template_fingerprint,
)
from templcrawl.algorithms.page_types.text_mdl import essential_paths, page_paths, text_mdl
from templcrawl.algorithms.page_types.type_classifiers import StructuralClassifier
from templcrawl.page.arrays import Keys
from templcrawl.page.scan import iter_tag_names

WIDTH = 4
"""Tags of a shingle.  The paper gives none; four is our choice, for CPS and CTSS alike."""


def tag_sequence(page: Page) -> list[str]:
    """Return the names of all start and end tags of a page (section 3.1), an end tag the same as a start tag.

    >>> " ".join(tag_sequence(Page("<ul class=a><li>one<li>two<br></ul>", "")))
    'ul li li br ul'
    """
    return list(iter_tag_names(page.text))


def leaf_paths(page: Page) -> set[str]:
    """Return the distinct paths of tag names from the root to the elements that hold no other element.

    >>> sorted(leaf_paths(Page("<ul><li>one<li><b>two</b></ul>", "")))
    ['ul/li', 'ul/li/b']
    """
    elements = page.elements
    inner = set(elements.parents)
    paths = [""]
    for element in range(1, len(elements)):
        parent, name = elements.parents[element], elements.names[element]
        paths.append(f"{paths[parent]}/{name}" if parent else name)
    return {path for element, path in enumerate(paths) if element not in inner}


def shingles(names: Sequence[str], width: int = WIDTH) -> set[str]:
    """Return the distinct runs of ``width`` consecutive names; a shorter sequence is one shingle.

    >>> sorted(shingles("ul li li li ul".split(), width=2)), shingles(["p"], width=2)
    (['li li', 'li ul', 'ul li'], {'p'})
    """
    count = max(1, len(names) - width + 1) if names else 0
    return {sys.intern(" ".join(names[start : start + width])) for start in range(count)}


def set_distance(a: frozenset[str], b: frozenset[str]) -> float:
    """Return one less the share of the larger set that both have; two empty sets are equal.

    The paper prints no formula: this is, as far as known to us, that of Gottron (ECIR 2008).

    >>> set_distance(frozenset("abc"), frozenset("bcde"))
    0.5
    """
    larger = max(len(a), len(b))
    return 1 - len(a & b) / larger if larger else 0.0


def common_paths(page: Page) -> frozenset[str]:
    """CP: the paths to the leaves, each once.  O(elements * depth) a page, O(paths) a comparison.

    Source: Buttler (ICOMP 2004), Joshi et al. (KDD 2003) for bags of paths.
    """
    return frozenset(map(sys.intern, leaf_paths(page)))


def common_path_shingles(page: Page) -> frozenset[str]:
    """CPS: runs of four names of each path to a leaf: paths that differ in one place share some.

    Source: Buttler (ICOMP 2004); the paper says no more than "shingling".  Cost as CP.

    >>> sorted(common_path_shingles(Page("<div><p><a><b><i>x</i></b></a></p><p>y</p></div>", "")))
    ['div p', 'div p a b', 'p a b i']
    """
    return frozenset().union(*(shingles(path.split("/")) for path in leaf_paths(page)))


def common_tag_shingles(page: Page) -> frozenset[str]:
    """CTSS: the runs of four consecutive tags, each once.  O(tags) a page, O(shingles) a comparison.

    Source: Gottron (ECIR 2008).  A similarity of .8, "as given in [7]", to classify; used to cluster too.

    >>> sorted(common_tag_shingles(Page("<p><b>x</b></p><p>y</p>", "")))
    ['b b p p', 'b p p p', 'p b b p']
    """
    return frozenset(shingles(tag_sequence(page)))


class TagVector(NamedTuple):
    """Tag -> count, and the square of the vector's length."""

    counts: dict[str, int]
    square: int


def tag_vector(page: Page) -> TagVector:
    """TV: pages as vectors of tag counts.  O(tags) a page, O(distinct tags) a comparison.

    Source: Cruz, Borisov, Marks & Webbs (EP 1998) for the vectors; cosine is our choice.
    """
    counts = dict(Counter(tag_sequence(page)))
    return TagVector(counts, sum(count * count for count in counts.values()))


def cosine_distance(a: TagVector, b: TagVector) -> float:
    """Return one less the cosine; whole numbers until the last step, so that equal is 0.

    >>> cosine_distance(tag_vector(Page("<p><p><br>", "")), tag_vector(Page("<br><p><p>", "")))
    0.0
    """
    if not a.square or not b.square:
        return float(a.square != b.square)
    if len(a.counts) > len(b.counts):
        a, b = b, a
    both = sum(count * b.counts.get(tag, 0) for tag, count in a.counts.items())
    return max(0.0, 1 - both / sqrt(a.square * b.square))


def hash_of(tags: Iterable[str]) -> bytes:
    """Return the MD5 of a sequence of tags.

    >>> hash_of(["p", "br"]) == hash_of(["p", "br"]) != hash_of(["pb", "r"])
    True
    """
    return md5(" ".join(tags).encode("utf-8", "surrogatepass"), usedforsecurity=False).digest()


def header(tags: Iterable[str]) -> Iterator[str]:
    """Yield the tags to the end of ``head``; where that is missing, up to ``body``; without both, all.

    >>> list(header("html head title title head body p".split()))
    ['html', 'head', 'title', 'title', 'head']
    """
    is_open = False
    for tag in tags:
        if tag == "body":
            return
        yield tag
        if tag == "head":
            if is_open:
                return
            is_open = True


class Fingerprints(FingerprintIndex):
    """The index, with distances: edits as a share of the 25 entries."""

    def find(self, fingerprint: bytes) -> list[tuple[float, bytes]]:
        return [
            (Levenshtein.distance(neighbour, fingerprint) / FINGERPRINT_LENGTH, neighbour)
            for neighbour in self.similar(fingerprint)
        ]


def chains_of_edits(fingerprints: Sequence[bytes]) -> list[bytes]:
    """Return the cluster of each fingerprint: those that a chain of single edits joins."""
    index = FingerprintIndex()
    for fingerprint in fingerprints:
        index.add(fingerprint)
    return [index.cluster(fingerprint) for fingerprint in fingerprints]


@dataclass(frozen=True)
class ByDescriptionLength:
    """Pages clustered so that their description by templates is shortest.

    Source: Prathibha, Sukumar, Sriram (IJERT 2012) after Kim & Shim (TKDE 2011).  Neither has a threshold.
    Cost: TEXT-MDL O(n^2 G + n^3), so only a sample of the pages is put before it.
    """

    name: str
    of_essential: Callable[[Sequence[Keys]], list[int]]
    is_slow: bool = False

    def features(self, page: Page) -> Keys:
        return page_paths(page)

    def cluster(self, features: Sequence[Keys]) -> list[int]:
        return self.of_essential(essential_paths(features))


class PageTypes:
    """Ours: page types to cluster by, structural profiles to classify by; both read ``Page.structure``.

    Cost: to classify, one training a fold, then the same for every page, however many examples there are.
    """

    name = "page types"
    is_slow = False
    read = staticmethod(evidence_of)
    cluster_site = staticmethod(types_of_pages)

    def features(self, page: Page) -> Keys:
        return page.structure

    def cluster(self, features: Sequence[Keys]) -> list[int]:
        return types_of_pages([PageEvidence(structure) for structure in features])

    def judge(self, features: Sequence[Keys], folds: Folds) -> Judgement:
        """Classify each page by the pages of the other folds; it is of one class, or of none."""
        distances = np.full((len(features), folds.total), np.inf)
        seconds = 0.0
        for fold in np.unique(folds.fold_of).tolist():
            trained = np.flatnonzero(folds.fold_of != fold).tolist()
            classifier = StructuralClassifier((str(folds.classes[page]), features[page]) for page in trained)
            tested = np.flatnonzero(folds.fold_of == fold).tolist()
            started = perf_counter()
            for page in tested:
                said = classifier.classify_structure(features[page])
                if said.name is not None:
                    distances[page, int(said.name)] = said.distance
            seconds += perf_counter() - started
        return Judgement(distances, np.isfinite(distances), seconds)


CTSS = ByDistance("CTSS", common_tag_shingles, set_distance, threshold=0.2, is_learned=False)
METHODS: tuple[Any, ...] = (
    PageTypes(),
    # Sections 3 to 5; alike are fingerprints that differ by one edit at most.  O(1) to look up.
    BySearch("FP", lambda page: template_fingerprint(page.text), Fingerprints, chains_of_edits),
    RTDM,
    # Longest common tag subsequence ("LTCS" in the tables), as a share of the longer page; Gottron (ECIR
    # 2008).  The threshold is that of CTSS.  O(tags^2 / 64) a comparison.
    ByDistance("LCTS", tag_sequence, LCSseq.normalized_distance, threshold=0.2, is_slow=True),
    ByDistance("TV", tag_vector, cosine_distance, threshold=0.03),
    ByDistance("CP", common_paths, set_distance, threshold=0.3),
    ByDistance("CPS", common_path_shingles, set_distance, threshold=0.3),
    CTSS,
    # Exact hashes (Rivest 1992) of all tags of a page, and of those of its "HTML header" alone.
    BySearch("MD5", lambda page: hash_of(iter_tag_names(page.text))),
    BySearch("MDH5", lambda page: hash_of(header(iter_tag_names(page.text)))),
    ByDescriptionLength("TEXT-MDL", text_mdl, is_slow=True),
)
