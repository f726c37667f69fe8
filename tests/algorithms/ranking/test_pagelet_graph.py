"""The six graphs: by hand, by the definition, and what a template does to each."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from templcrawl.algorithms.ranking.hits import rank_pages
from templcrawl.algorithms.ranking.pagelet_graph import (
    VERSIONS,
    BasePagelet,
    BaseSet,
    LinkGraph,
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


def defined(base: BaseSet, version: str, *, between_hosts: bool) -> set[tuple[int, int]]:
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
    assert set(links) == defined(base, version, between_hosts=between_hosts)
    assert {hub for hub, _ in links} == set(graph.hubs)


@given(base_sets())
def test_matching_authorities_leaves_the_pages_that_match(base: BaseSet) -> None:
    graph = link_graph(base, "pagelet-fnm", matching_authorities=True)
    assert list(graph.authorities) == [page for page in range(PAGES) if base.matches[page]]
    everything = defined(base, "pagelet-fnm", between_hosts=False)
    assert set(links_of(graph)) == {(hub, page) for hub, page in everything if base.matches[page]}


def test_all_pages_are_authorities_unless_they_are_filtered() -> None:
    base = BaseSet(["a"] * 3, [True, False, True], [])
    authorities = {version: list(link_graph(base, version).authorities) for version in VERSIONS}
    assert authorities == {version: [0, 2] if version == "page-fnm" else [0, 1, 2] for version in VERSIONS}


def test_an_unknown_version_is_refused() -> None:
    with pytest.raises(InvalidOption, match="pagelet-ft-fnm"):
        link_graph(BaseSet([], [], []), "pagelets")


def templated_site() -> BaseSet:
    """A site whose navigation bar links all its pages to a clique of six.

    0 to 5    the clique: home, shop, jobs ...; the query stands in the bar, so all pages match
    6 to 25   further pages; the first four have a list of links on the topic
    26 to 29  the pages on the topic, each cited from all four lists
    """
    clique, others, topic = range(6), range(6, 26), range(26, 30)
    pages = [*clique, *others, *topic]
    pagelets = [BasePagelet(page, tuple(clique), matches=True, is_template=True) for page in pages]
    pagelets += [BasePagelet(page, tuple(topic), matches=True) for page in others[:4]]
    pagelets += [BasePagelet(page, (page + 1, page + 2)) for page in others[4:-2]]
    return BaseSet(["one.example"] * len(pages), [True] * len(pages), pagelets)


@pytest.mark.parametrize("version", VERSIONS)
def test_a_template_takes_over_until_it_is_left_out(version: str) -> None:
    pytest.importorskip("scipy")
    first = {ranked.page for ranked in rank_pages(templated_site(), version, top=4)}
    if version == "pagelet-ft-fnm":
        assert first == {26, 27, 28, 29}
    elif "ft" not in version:
        assert first < set(range(6))


def test_filtering_by_the_query_does_not_help_where_the_bar_holds_it() -> None:
    pytest.importorskip("scipy")
    ranked = rank_pages(templated_site(), "page-fnm")
    assert {one.page for one in ranked[:6]} == set(range(6))


def test_the_hubs_of_an_authority_are_the_strongest_that_link_to_it() -> None:
    pytest.importorskip("scipy")
    base = BaseSet(
        ["a"] * 6,
        [True] * 6,
        [BasePagelet(page, targets) for page, targets in enumerate([(4, 5), (4, 5), (4,), (4, 5), (0,)])],
    )
    best, second = rank_pages(base, "pagelet")
    assert (best.page, second.page) == (4, 5)
    assert [hub.number for hub in best.hubs] == [0, 1, 3]
    assert best.hubs[0].score == pytest.approx(best.hubs[2].score)
    assert best.score**2 + second.score**2 == pytest.approx(1)
    assert [one.page for one in rank_pages(base, "pagelet", top=1)] == [4]


def test_what_no_link_leads_to_is_not_ranked() -> None:
    pytest.importorskip("scipy")
    assert rank_pages(BaseSet(["a", "a"], [True, True], [BasePagelet(0, (0,))]), "page") == []
