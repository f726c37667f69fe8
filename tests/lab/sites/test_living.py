"""The site that lives: its versions, and what is said to be modified from one to the next."""

from __future__ import annotations

from dataclasses import replace
from http.client import HTTPConnection
from itertools import pairwise
from urllib.parse import urlsplit

import lxml.etree
import lxml.html
import pytest

from lab.sites.areas import words_of
from lab.sites.living import SITEMAP, VALIDATORS, LivingPage, LivingSite, generate_living_site
from lab.sites.server import LocalSite

SIZE = {"posts": 30, "chapters": 10}


@pytest.fixture(scope="module")
def versions() -> list[LivingSite]:
    return generate_living_site(7, **SIZE)


def main_words(page: LivingPage) -> list[str]:
    """Return the words of a page's ``main``, as another parser reads them."""
    return [
        word for text in lxml.html.fromstring(page.html).xpath("//main//text()") for word in words_of(text)
    ]


def test_modified_pages_are_those_that_are_new_or_have_other_words_in_main(
    versions: list[LivingSite],
) -> None:
    for before, after in pairwise(versions):
        old = {path: main_words(page) for path, page in before.pages.items()}
        expected = {path for path, page in after.pages.items() if old.get(path) != main_words(page)}
        assert after.modified == expected


def test_each_version_has_its_banner_on_every_page(versions: list[LivingSite]) -> None:
    banners = []
    for site in versions:
        found = {
            page.html.partition("class=banner>")[2].partition("</div>")[0] for page in site.pages.values()
        }
        assert len(found) == 1
        banners += found
    assert len({*banners}) == len(versions)


def test_posts_appear_and_vanish_and_listings_move_with_them(versions: list[LivingSite]) -> None:
    appeared = vanished = dead = 0
    for before, after in pairwise(versions):
        new = after.pages.keys() - before.pages.keys()
        appeared += len(new)
        vanished += len(before.pages.keys() - after.pages.keys())
        lists = {"/", "/blog/"} if any("/post-" in path for path in new) else set()
        assert lists <= after.modified
        links = {link for page in after.pages.values() for link in page.links}
        assert after.pages.keys() <= links
        gone = links - after.pages.keys()
        assert all(after.answer(path) is None and "/post-" in path for path in gone)
        dead += len(gone)
    assert min(appeared, vanished, dead) > 0


def test_some_pages_are_edited_often_and_most_never(versions: list[LivingSite]) -> None:
    prose = [path for path in versions[0].pages if "-" in path and "/page-" not in path]
    edits = [sum(path in site.modified for site in versions[1:]) for path in prose]
    assert edits.count(0) > len(prose) / 2
    assert max(edits) >= 3


def test_a_version_depends_on_the_seed_and_not_on_how_many_there_are(versions: list[LivingSite]) -> None:
    assert generate_living_site(3, **SIZE) == versions[:3]
    assert generate_living_site(1, seed=2, **SIZE)[0].pages != versions[0].pages


@pytest.mark.parametrize("wrong", [{"posts": 0}, {"versions": 0}, {"validators": "perhaps"}])
def test_a_size_below_one_and_unknown_validators_are_refused(wrong: dict[str, object]) -> None:
    with pytest.raises(ValueError, match="at least one"):
        generate_living_site(**wrong)


def status_of(url: str, path: str, headers: dict[str, str]) -> int:
    connection = HTTPConnection(urlsplit(url).netloc)
    connection.request("GET", path, headers=headers)
    status = connection.getresponse().status
    connection.close()
    return status


@pytest.mark.parametrize("validators", ["true", "always", "never"])
def test_validators_are_answered_by_what_they_say(validators: str) -> None:
    first, second = generate_living_site(2, posts=6, chapters=2, validators=validators)
    with LocalSite(second.answer) as site:
        for path in first.pages.keys() & second.pages.keys():
            etag, modified = first.headers(path)["ETag"], first.headers(path)["Last-Modified"]
            said = {"true": path in second.modified, "always": True, "never": False}[validators]
            status = 200 if said else 304
            assert status_of(site.url, path, {"If-None-Match": etag}) == status
            assert status_of(site.url, path, {"If-Modified-Since": modified}) == status
        assert status_of(site.url, "/", {}) == 200


@pytest.mark.parametrize("validators", VALIDATORS)
def test_a_sitemap_has_each_page_and_what_its_validators_say(
    versions: list[LivingSite], validators: str
) -> None:
    site = replace(versions[-1], validators=validators)
    response = site.answer(SITEMAP, "http://tea.example/")
    assert response is not None
    days = [version.published.date().isoformat() for version in versions]
    says = {
        "none": lambda page: [],
        "true": lambda page: [days[page.modified]],
        "always": lambda page: [days[-1]],
        "never": lambda page: [days[page.made]],
    }[validators]
    entries = [[child.text for child in entry] for entry in lxml.etree.fromstring(response.body)]
    assert entries == [[f"http://tea.example{path}", *says(page)] for path, page in site.pages.items()]
