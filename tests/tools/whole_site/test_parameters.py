"""The parameters that the papers leave to their user: as by default, out of bounds, by hand."""

from __future__ import annotations

import pytest

from templcrawl.errors import InvalidOption
from templcrawl.memory.detectors import WHOLE_SITE, load_detector
from templcrawl.page.page import Page
from templcrawl.tools.whole_site import PARAMETERS, new_detector

PAGES = [
    Page(
        f"<ul><li>Home<li>News</ul>{'<p>Open daily from nine' * (n < 3)}<p>Page {n} of {n * 7} pages",
        f"http://tea.example/{n}",
    )
    for n in range(10)
]


def content(name: str, **parameters: float) -> str:
    """Return the content of the first page, judged by all ten."""
    site = new_detector(name, parameters)
    for page in PAGES:
        site.learn(page)
    return site.separate(PAGES[0]).content_text


def test_each_has_detectors_that_take_it_within_its_bounds() -> None:
    for option, about in PARAMETERS.items():
        for name in WHOLE_SITE:
            if name not in about.detectors:
                with pytest.raises(InvalidOption, match=f"not to {name}"):
                    new_detector(name, {option: about.least})
                continue
            for value in (about.least, about.most):
                new_detector(name, {option: value})
            for value in (about.least - 1, about.most + 1, float("nan")):
                with pytest.raises(InvalidOption, match=option):
                    new_detector(name, {option: value})


def test_without_any_a_detector_is_as_it_was_made() -> None:
    for name, make in ((name, load_detector(name)) for name in WHOLE_SITE):
        site = make()
        for page in PAGES:
            site.learn(page)
        assert site.separate(PAGES[0]).content_text == content(name)


def test_three_of_ten_pages_are_enough_or_not() -> None:
    opening, own = "Open daily from nine", "Page 0 of 0 pages"
    assert content("dom") == content("text", window=2) == f"{opening}\n{own}"
    assert content("dom", lower=0.3) == content("text", window=2, frequency=0.3) == own
    assert content("dom", upper=0.5) == f"Home\nNews\n{opening}\n{own}"
    assert content("mdl", support=10).startswith(opening)
    assert content("mdl", support=11) == f"Home\nNews\n{opening}\n{own}"
