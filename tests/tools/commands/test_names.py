"""Names of stripped pages."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from templcrawl.page.saved_pages import page_url
from templcrawl.tools.commands.strip_outputs import Names
from tests.tools.readers.archives import write_folder

paths = st.text("abc./?%2e:@[]é \0\\", max_size=12)
urls = st.lists(
    st.builds(lambda path, times: f"http://a.example/{path * times}", paths, st.sampled_from([1, 1, 500]))
)


@settings(deadline=None)
@given(urls)
def test_no_two_names_are_equal_none_leads_up_and_none_is_the_folder_of_another(found) -> None:
    names = Names(None)
    paths = [names.name(url) for url in found]
    assert len(set(paths)) == len(paths)
    for path in paths:
        assert not path.is_absolute()
        assert ".." not in path.parts
        assert "\0" not in str(path)
        assert max(map(len, path.parts)) < 255
        assert len(str(path)) <= 1_000
        assert ".html" in path.name
        assert not set(path.parents) & set(paths)


@pytest.mark.parametrize(
    ("url", "name"),
    [
        ("http://a.example", "a.example/index.html"),
        ("http://A.example/b/", "a.example/b/index.html"),
        ("http://a.example/b.htm?c=1", "a.example/b.htm?c=1"),
        ("http://me@a.example:80/../b/./c.php", "a.example:80/b/c.php.html"),
        ("http://a.example/b.html/c", "a.example/b.html_/c.html"),
        ("file:///saved/a.html", "unnamed/saved/a.html"),
    ],
)
def test_names_after_urls(url: str, name: str) -> None:
    assert Names(None).name(url).as_posix() == name


@pytest.mark.parametrize("name", ["a.html", "notes/a b.html", "a.example/b/c.html", "localhost+80/é.html"])
def test_names_in_a_folder_are_those_of_its_files(tmp_path: Path, name: str) -> None:
    write_folder(tmp_path, {name: "<p>words"})
    assert Names(tmp_path).name(page_url(tmp_path.resolve(), tmp_path.resolve() / name)) == Path(name)
