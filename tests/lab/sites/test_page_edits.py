"""Pages as two crawls find them: what each edit edits."""

from __future__ import annotations

import pytest

pytest.importorskip("rich")

from lab.bench.changes import generated_pages
from lab.sites.page_edits import OF_CONTENT, OF_TEMPLATE, Dressed, dressed

pytestmark = pytest.mark.exhaustive

MENU = "<ul><li><a href=a>A</a><li><a href=b>B</a><li><a href=c>C</a></ul>"
PAGE = f"<html><body>{MENU}<div id=c>{{}}</div></body></html>"


def page(text: str = "<p>One two three four five six</p>") -> Dressed | None:
    return dressed("http://a.example/1", PAGE.format(text), ("//*[@id='c']",))


def content_of(subject: Dressed) -> str:
    return " ".join(" ".join(node.text_content().split()) for node in subject.containers)


def test_pages_whose_content_is_not_marked_or_has_no_words_are_left_out() -> None:
    assert page() is not None
    assert page("<p>One</p>") is None
    assert dressed("http://a.example/1", PAGE.format("<p>One two three four five</p>"), ("//main",)) is None


@pytest.mark.parametrize("name", [*OF_TEMPLATE, *OF_CONTENT])
def test_an_edit_alters_its_side_of_the_page_alone_and_the_copy_alone(name: str) -> None:
    subject = page()
    assert subject is not None
    before, copy = subject.html, subject.copied()
    assert copy.html == before
    (OF_TEMPLATE | OF_CONTENT)[name](copy)
    assert subject.html == before
    assert (copy.html == before) == (name == "nothing")
    assert (content_of(copy) == content_of(subject)) == (name in OF_TEMPLATE)


def test_edits_are_the_same_each_time() -> None:
    for edit in (OF_TEMPLATE | OF_CONTENT).values():
        pages = [next(generated_pages()) for _ in range(2)]
        for subject in pages:
            assert subject is not None
            edit(subject)
        assert len({subject.html for subject in pages if subject is not None}) == 1
