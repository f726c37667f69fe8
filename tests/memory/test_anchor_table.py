"""By which anchors pages were reached: the latest paths, bounded, the same after a pause."""

from __future__ import annotations

import json

import pytest

from templcrawl import Page
from templcrawl.errors import InvalidSnapshot
from templcrawl.memory import anchor_table
from templcrawl.memory.anchor_table import MOST_PATHS, AnchorTable


def test_the_latest_paths_of_a_target_are_kept() -> None:
    table = AnchorTable()
    for path in range(MOST_PATHS + 2):
        table.add([(1, path), (2, 0)])
    assert table.leading_to(1).tolist() == list(range(2, MOST_PATHS + 2))
    assert table.leading_to(2).tolist() == [0]
    assert not len(table.leading_to(3))


def test_targets_are_bounded(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(anchor_table, "MOST_TARGETS", 3)
    table = AnchorTable()
    table.add((target, 0) for target in range(5))
    table.validate()
    assert [len(table.leading_to(target)) for target in range(5)] == [0, 0, 1, 1, 1]


def test_it_survives_a_snapshot_and_a_damaged_one_is_refused() -> None:
    table = AnchorTable()
    table.add([(1, 5), (2, 6), (1, 6)])
    snapshot = json.loads(json.dumps(table.snapshot()))
    again = AnchorTable()
    again.restore(snapshot)
    assert again.snapshot() == snapshot
    for change in ({"targets": ""}, {"paths": ""}, {"counts": 3}, {"counts": "BAA="}):
        with pytest.raises(InvalidSnapshot):
            AnchorTable().restore({**snapshot, **change})


def test_anchors_have_a_path_for_the_tags_that_they_stand_in() -> None:
    page = Page(
        "<ul class=menu><li><a href=/a>a</a><li><a href=/b>b</a></ul><div id=post-1><a href=/c>c</a></div>"
        "<div id=post-2><a href=/d>d</a></div><ul><li><a href=/e>e</a></ul>",
        "http://e.org/",
    )
    menu, again, post, other, plain = page.anchor_paths.tolist()
    assert menu == again
    assert post == other
    assert len({menu, post, plain}) == 3
    assert not len(Page("<p>no links", "http://e.org/").anchor_paths)
