"""No change makes a method worse at telling template from content, unless somebody says so."""

from __future__ import annotations

import json
from dataclasses import replace
from functools import cache

import pytest

from lab.sites.hard_sites import HARD_SITES, HardSite, generate_hard_site
from tests.measure_floors import FLOORS, METHODS, all_text_score, page_types_score
from tests.parts import exhaustive_but

BEST = "vote"
MEASURE = "it must be measured anew: python -m tests.measure_floors"
floors = json.loads(FLOORS.read_text(encoding="utf-8"))
site = cache(generate_hard_site)


@cache
def f1_of(name: str, method: str) -> float:
    return METHODS[method](site(name)).f1


@pytest.mark.parametrize("method", exhaustive_but([BEST], METHODS))
@pytest.mark.parametrize("name", HARD_SITES)
def test_a_method_stays_above_its_floor(name: str, method: str) -> None:
    assert floors[name]["digest"] == site(name).digest, MEASURE
    assert f1_of(name, method) >= floors[name]["f1"][method]


def test_the_floors_are_those_of_sites_and_methods_that_there_are() -> None:
    assert [*floors] == [*HARD_SITES], MEASURE
    assert all([*entry["f1"]] == [*METHODS] for entry in floors.values()), MEASURE


@pytest.mark.parametrize("name", HARD_SITES)
def test_whoever_takes_all_text_for_content_is_far_below(name: str) -> None:
    assert all_text_score(site(name)).f1 <= f1_of(name, BEST) - 0.1


def test_the_score_of_page_types_is_that_of_pairs() -> None:
    mixed = site("mixed-types")
    one_kind = HardSite("one", tuple(replace(page, kind="page") for page in mixed.pages))
    assert page_types_score(one_kind).precision == 1
    each_its_own = HardSite("each", tuple(replace(p, kind=str(n)) for n, p in enumerate(mixed.pages)))
    assert page_types_score(each_its_own).f1 == 0
