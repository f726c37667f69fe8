"""The measures of the structure count what they say."""

from __future__ import annotations

import pytest

from lab.bench.house import (
    FEATURES,
    PACKAGE,
    Feature,
    closure_of,
    files_of_package,
    naming,
    watched_crawl,
    way_of,
)
from templcrawl.page.addresses import host_of
from templcrawl.page.text import key_of


def test_the_closure_has_what_is_imported_and_no_more() -> None:
    errors = PACKAGE / "errors.py"
    assert closure_of(errors) == {errors}
    assert errors in closure_of(PACKAGE / "page" / "page.py")
    assert PACKAGE / "crawl" / "addon.py" not in closure_of(PACKAGE / "memory" / "site.py")


def test_a_feature_is_named_outside_its_own_files() -> None:
    outside = naming(Feature(("state_file.py",), "StateFile"))
    assert "crawl/job/job.py" in outside
    assert "state_file.py" not in outside


def test_all_files_of_each_feature_are_there() -> None:
    paths = [path for path, _ in files_of_package()]
    for feature in FEATURES.values():
        assert [own for own in feature.own if not any(path.startswith(own) for path in paths)] == []


def test_a_way_has_calls_of_the_package_alone() -> None:
    def walk() -> str:
        key_of("a")
        return host_of("http://x.example/") + str(key_of("b"))

    host, (files, calls, changes, folders) = way_of(walk)
    assert host.startswith("x.example")
    assert (files, folders) == (2, 0)
    assert calls >= 3
    assert changes == 2


@pytest.mark.exhaustive
def test_a_default_crawl_loads_nothing_of_a_feature_that_it_does_not_ask_for() -> None:
    loaded, _ = watched_crawl()
    assert "templcrawl.memory.site" in loaded
    paths = [f"{name.removeprefix('templcrawl.').replace('.', '/')}.py" for name in loaded]
    features = {name: feature for name, feature in FEATURES.items() if name != "stop and traps"}
    own = (*(path for feature in features.values() for path in feature.own), "command/", "crawl/job/job.py")
    alone = ("algorithms/extraction/lone_page.py", "algorithms/extraction/article.py", "state_file.py")
    assert [path for path in paths if path.startswith((*own, *alone))] == []
