"""The generated site is what the demo and the tests take it for."""

from __future__ import annotations

import subprocess
import sys
import urllib.error
import urllib.request

import pytest

from templcrawl.page.page import Page
from tests.websites.prose import Writer
from tests.websites.serve import LocalSite
from tests.websites.village import calendar_page, find_page, finite_pages

BASE = "http://village.example"


def paths_linked_from(path: str) -> set[str]:
    page = find_page(path)
    assert page is not None
    return {url.removeprefix(BASE) for url in Page(page.html, BASE + path).links.urls}


def test_three_templates_one_of_them_on_a_single_line() -> None:
    by_template: dict[str, int] = {}
    for page in finite_pages().values():
        by_template[page.template] = by_template.get(page.template, 0) + 1
        assert ("\n" not in page.html) == (page.template == "handbook")
        assert page.content.replace("\n", "") in page.html.replace("\n", "")
    assert set(by_template) == {"news", "market", "handbook"}
    assert min(by_template.values()) > 30


def test_every_link_leads_somewhere_and_every_page_can_be_reached() -> None:
    reached, waiting = {"/"}, ["/"]
    while waiting:
        for path in paths_linked_from(waiting.pop()) - reached:
            assert find_page(path) is not None, path
            reached.add(path)
            if not path.startswith("/calendar/"):
                waiting.append(path)
    assert set(finite_pages()) <= reached


def test_the_calendar_never_ends_and_says_something_new_each_month() -> None:
    assert paths_linked_from("/calendar/2026/12.html") >= {"/calendar/2026/11.html", "/calendar/2027/1.html"}
    assert paths_linked_from("/calendar/9999/1.html") >= {"/calendar/9998/12.html"}
    assert calendar_page(2026, 1).content != calendar_page(2026, 2).content
    assert find_page("/calendar/2026/13.html") is None
    assert find_page("/calendar/x.html") is None


def test_the_same_seed_writes_the_same() -> None:
    assert Writer("a").paragraph() == Writer("a").paragraph() != Writer("b").paragraph()
    code = "from tests.websites.village import find_page; print(find_page('/news/7.html').html)"
    command = [sys.executable, "-c", code]
    runs = [subprocess.run(command, capture_output=True, check=True).stdout for _ in range(2)]
    assert runs[0] == runs[1]


def test_the_server_answers_with_pages_and_with_404() -> None:
    with LocalSite() as site:
        with urllib.request.urlopen(f"{site.url}news/7.html") as response:
            found = find_page("/news/7.html")
            assert found is not None
            assert response.read().decode() == found.html
        with pytest.raises(urllib.error.HTTPError, match="404") as caught:
            urllib.request.urlopen(f"{site.url}no/such/page")
        caught.value.close()
        assert site.paths == ["/news/7.html", "/no/such/page"]
