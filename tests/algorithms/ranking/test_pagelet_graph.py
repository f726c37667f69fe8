"""The six graphs, and co-citation: by hand, by the definition, and how templates and long lists count."""

from __future__ import annotations

from itertools import groupby

import pytest
from hypothesis import given
from hypothesis import strategies as st

from templcrawl.algorithms.ranking.pagelet_graph import (
    VERSIONS,
    BasePagelet,
    BaseSet,
    CoCited,
    LinkGraph,
    co_citation,
    link_graph,
)
from templcrawl.errors import InvalidOption

PAGES = 5


@st.composite
def base_sets(draw: st.DrawFn) -> BaseSet:
    page = st.integers(0, PAGES - 1)
    pagelets = st.lists(
        st.builds(BasePagelet, page, st.lists(page, max_size=4), st.booleans(), st.booleans()), max_size=12
    )
    flags = st.lists(st.booleans(), min_size=PAGES, max_size=PAGES)
    hosts = st.lists(st.sampled_from("ab"), min_size=PAGES, max_size=PAGES)
    return BaseSet(draw(hosts), draw(flags), draw(pagelets))


def links_of(graph: LinkGraph) -> list[tuple[int, int]]:
    """Return (hub, page) of every link, by their indices in the base set."""
    return [
        (graph.hubs[source], graph.authorities[target])
        for source, target in zip(graph.sources, graph.targets)
    ]


def links_by_definition(base: BaseSet, version: str, *, between_hosts: bool) -> set[tuple[int, int]]:
    """Return the links of a version, straight from the definition."""
    found = set()
    for number, pagelet in enumerate(base.pagelets):
        for target in pagelet.targets:
            page = pagelet.page
            by_page = version.startswith("page-") or version == "page"
            kept = target != page and not (between_hosts and base.hosts[page] == base.hosts[target])
            if version == "page-fnm":
                kept = kept and base.matches[page] and base.matches[target]
            if version in ("pagelet-fnm", "pagelet-ft-fnm"):
                kept = kept and pagelet.matches
            if version in ("pagelet-ft", "pagelet-ft-fnm"):
                kept = kept and not pagelet.is_template
            if kept:
                found.add((page if by_page else number, target))
    return found


@pytest.mark.parametrize("version", VERSIONS)
@given(base=base_sets(), between_hosts=st.booleans())
def test_each_version_is_as_it_is_defined(version: str, base: BaseSet, between_hosts: bool) -> None:
    graph = link_graph(base, version, between_hosts=between_hosts)
    links = links_of(graph)
    assert len(links) == len(set(links))
    assert set(links) == links_by_definition(base, version, between_hosts=between_hosts)
    assert {hub for hub, _ in links} == set(graph.hubs)


@given(base_sets())
def test_matching_authorities_leaves_the_pages_that_match(base: BaseSet) -> None:
    graph = link_graph(base, "pagelet-fnm", matching_authorities=True)
    assert list(graph.authorities) == [page for page in range(PAGES) if base.matches[page]]
    everything = links_by_definition(base, "pagelet-fnm", between_hosts=False)
    assert set(links_of(graph)) == {(hub, page) for hub, page in everything if base.matches[page]}


def test_an_unknown_version_is_refused() -> None:
    with pytest.raises(InvalidOption, match="pagelet-ft-fnm"):
        link_graph(BaseSet([], [], []), "pagelets")


PAGE = 0
_pages = st.integers(0, 6)
_pagelets = st.lists(
    st.builds(BasePagelet, _pages, st.lists(_pages, max_size=5), is_template=st.booleans()), max_size=12
).map(lambda pagelets: sorted(pagelets, key=lambda pagelet: pagelet.page))


def defined(pagelets: list[BasePagelet], other: int, page_weight: float) -> float:
    """Return the score of a pair, straight from the definition."""
    score = 0.0
    for owner, group in groupby(pagelets, key=lambda pagelet: pagelet.page):
        cited = [set(pagelet.targets) - {owner} for pagelet in group if not pagelet.is_template]
        if any({PAGE, other} <= targets for targets in cited):
            score += 1
        elif {PAGE, other} <= set().union(*cited):
            score += page_weight
    return score


@given(_pagelets, st.sampled_from([0.0, 0.25, 1.0]))
def test_the_score_of_every_pair_is_as_it_is_defined(pagelets: list[BasePagelet], weight: float) -> None:
    found = {one.page: one.score for one in co_citation(PAGE, pagelets, page_weight=weight)}
    for other in range(1, 7):
        assert found.get(other, 0.0) == pytest.approx(defined(pagelets, other, weight))
    assert PAGE not in found


def test_citations_in_other_pagelets_of_the_page_count_what_they_are_said_to() -> None:
    pagelets = [
        BasePagelet(1, [PAGE, 5]),
        BasePagelet(1, [5, 6, 1]),
        BasePagelet(1, [7], is_template=True),
        BasePagelet(2, [6, 8]),
    ]
    assert co_citation(PAGE, pagelets) == [CoCited(5, 1.0, 1)]
    assert co_citation(PAGE, pagelets, page_weight=0.25) == [CoCited(5, 1.0, 1), CoCited(6, 0.25, 0)]


@pytest.mark.parametrize("arguments", [{"page_weight": -0.1}, {"page_weight": 1.1}])
def test_what_makes_no_sense_is_refused(arguments: dict[str, float]) -> None:
    with pytest.raises(InvalidOption, match=next(iter(arguments))):
        co_citation(PAGE, [], **arguments)  # type: ignore[arg-type]
