"""Template and content by clusters of pages, and what all detectors of a whole site have in common."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from templcrawl.algorithms.page_types.mdl_minhash import mdl_minhash
from templcrawl.memory.detectors import WHOLE_SITE, load_detector
from templcrawl.page.page import Page
from templcrawl.tools.whole_site.mdl_templates import MdlTemplates, nearest_template
from tests.memory.pages import MENU, article, listing, prose
from tests.strategies import soups

ALL = pytest.mark.parametrize("name", WHOLE_SITE)


def learned(pages: list[Page], **options: object) -> MdlTemplates:
    site = MdlTemplates(**options)  # type: ignore[arg-type]
    for page in pages:
        site.learn(page)
    return site


def test_each_page_has_the_template_of_its_cluster() -> None:
    extra = "".join(f"<p>Rule {rule} of the house" for rule in range(30))
    pages = [article(number, extra=extra) for number in range(6)]
    pages += [listing(number) for number in range(6)]
    site = learned(pages)
    assert len(site.templates) == 2
    template = site.separate(pages[3]).template_text
    assert template.startswith("Home\nNews\nTeam\nHelp\nRule 0 of the house\nRule 1")
    assert template.endswith("Made by hand, all rights reserved")
    assert "previous" in site.separate(pages[9]).template_text
    numbers = [site.observe(page).leaf_id for page in pages]
    assert sorted([numbers[:6], numbers[6:]]) == [["0"] * 6, ["1"] * 6]


def test_a_page_that_was_not_drawn_is_told_apart_too() -> None:
    pages = [article(number) for number in range(40)]
    site = learned(pages, cluster=mdl_minhash, sample=8)
    for page in pages:
        assert site.separate(page).template_text.startswith("Home\nNews")
    assert site.observe(pages[0]).pages_known == 8


def test_pages_learned_after_an_answer_count_in_the_next() -> None:
    pages = [article(number) for number in range(4)]
    site = learned(pages[:1])
    assert site.separate(pages[0]).template_spans == ()
    for page in pages[1:]:
        site.learn(page)
    assert site.separate(pages[0]).template_text.startswith("Home\nNews")


@ALL
def test_a_site_without_pages_keeps_everything(name) -> None:
    page = article(1)
    site = load_detector(name)()
    assert site.separate(page).template_spans == ()
    assert site.observe(page).leaf_id == ""
    site.learn(page)
    assert site.separate(page).template_spans == ()


@ALL
@settings(deadline=None)
@given(st.lists(soups, min_size=1, max_size=5), st.randoms())
def test_the_order_of_pages_is_irrelevant_and_a_separation_covers_all_tokens(name, htmls, chance) -> None:
    pages = [Page(html, str(number)) for number, html in enumerate(htmls * 2)]
    site, other = load_detector(name)(), load_detector(name)()
    shuffled = pages[:]
    chance.shuffle(shuffled)
    for page, one in zip(pages, shuffled):
        site.learn(page)
        other.learn(one)
    for page in pages:
        found = site.separate(page)
        spans = sorted((*found.content_spans, *found.template_spans))
        assert [position for span in spans for position in range(*span)] == list(range(len(page.tokens)))
        assert other.separate(page).content_spans == found.content_spans


@pytest.mark.exhaustive
@ALL
def test_the_unread_rest_of_a_page_is_content(name) -> None:
    pages = [article(number, extra="<p>" * 130_000 + "unread") for number in range(3)]
    site = load_detector(name)()
    for page in pages:
        site.learn(page)
    found = site.separate(pages[0])
    assert found.truncated == ("max_tags",)
    assert found.content_text.endswith("Made by hand, all rights reserved")


@ALL
def test_a_menu_of_a_page_with_enough_words_is_found(name) -> None:
    menu = f"<ul>{MENU}</ul><div>All rights reserved, made by hand in the old town</div>"
    pages = [Page(f"<body>{menu}<p>{prose(number)}", f"http://a.example/{number}") for number in range(9)]
    site = load_detector(name)()
    for page in pages:
        site.learn(page)
    assert site.separate(pages[4]).template_text.startswith("Home\nNews\nTeam\nHelp\nAll rights")


@given(
    st.lists(st.sets(st.integers(0, 15), max_size=12), min_size=1, max_size=5),
    st.sets(st.integers(0, 20), max_size=16),
)
def test_the_nearest_template_is_the_one_that_differs_in_fewest_paths(templates, paths) -> None:
    arrays = [np.array(sorted(keys), dtype=np.uint64) for keys in (*templates, paths)]
    number = nearest_template(arrays[:-1], arrays[-1])
    assert number is not None
    differences = [len(template ^ paths) for template in templates]
    assert number == differences.index(min(differences))
