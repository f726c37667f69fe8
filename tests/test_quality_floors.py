"""No change makes a detector worse at telling template from content, unless somebody says so."""

from __future__ import annotations

from dataclasses import replace
from functools import cache
from pathlib import Path

import pytest

from lab.sites.hard_sites import HARD_SITES, HardSite, generate_hard_site
from tests import measure_floors
from tests.measure_floors import (
    METHODS,
    Floors,
    all_text_score,
    complaint,
    detector_score,
    floor_under,
    main,
    page_types_score,
    read_floors,
    replace_floors,
    write_floors,
)
from tests.parts import exhaustive_but

BEST = "vote"
OLD = {"news": Floors("12ab", {"sandwich": 0.8, "sandwich-lines": 0.7})}
site = cache(generate_hard_site)


@cache
def f1_of(name: str, method: str) -> float:
    return METHODS[method](site(name)).f1


@pytest.mark.parametrize("method", exhaustive_but([BEST], METHODS))
@pytest.mark.parametrize("name", HARD_SITES)
def test_a_method_stays_above_its_floor(name: str, method: str) -> None:
    assert complaint(name, site(name).digest, method, f1_of(name, method), read_floors()) == ""


def test_the_floors_are_those_of_sites_and_methods_that_there_are() -> None:
    floors = read_floors()
    assert list(floors) == list(HARD_SITES)
    assert all(list(entry.f1) == list(METHODS) for entry in floors.values())


@pytest.mark.parametrize("name", HARD_SITES)
def test_whoever_takes_all_text_for_content_is_far_below(name: str) -> None:
    assert all_text_score(site(name)).f1 <= f1_of(name, BEST) - 0.1


@pytest.mark.parametrize(
    ("name", "digest", "detector", "f1", "said"),
    [
        ("news", "12ab", "sandwich", 0.8, ""),
        ("news", "12ab", "sandwich", 0.7999, "news, sandwich: F1 0.7999 is below its floor 0.8"),
        ("news", "34cd", "sandwich", 0.9, "pages changed, floors must be measured anew"),
        ("news", "12ab", "another", 0.9, "news, another: no floor"),
        ("blog", "12ab", "sandwich", 0.9, "blog, sandwich: no floor"),
    ],
)
def test_what_is_wrong_is_said(name: str, digest: str, detector: str, f1: float, said: str) -> None:
    found = complaint(name, digest, detector, f1, OLD)
    assert said in found
    assert bool(found) == bool(said)


@pytest.mark.parametrize("f1", [0.0, 0.005, 0.57, 0.58, 0.9999, 1.0])
def test_a_floor_is_a_hundredth_to_two_hundredths_below_what_was_measured(f1: float) -> None:
    assert floor_under(f1) == round(floor_under(f1), 2)
    assert 0 <= floor_under(f1) <= max(0.0, f1 - 0.01 + 1e-9)
    assert floor_under(f1) > f1 - 0.02 - 1e-9


@pytest.mark.parametrize(
    ("new", "refused"),
    [
        ({"news": Floors("12ab", {"sandwich": 0.9, "sandwich-lines": 0.7, "vote": 0.1})}, []),
        ({"blog": Floors("56ef", {"sandwich": 0.1}), **OLD}, []),
        (
            {"news": Floors("34cd", {"sandwich": 0.79, "sandwich-lines": 0.9})},
            ["news, sandwich: 0.8 -> 0.79"],
        ),
        ({"news": Floors("12ab", {"sandwich": 0.8})}, ["news, sandwich-lines: 0.7 -> none"]),
        ({}, ["news, sandwich: 0.8 -> none", "news, sandwich-lines: 0.7 -> none"]),
    ],
    ids=["raised", "a new site", "lowered", "a detector is gone", "a site is gone"],
)
def test_a_floor_is_lowered_only_on_purpose(
    new: dict[str, Floors], refused: list[str], tmp_path: Path
) -> None:
    path = tmp_path / "floors.json"
    write_floors(OLD, path)
    assert replace_floors(new, path) == refused
    assert read_floors(path) == (OLD if refused else new)
    assert replace_floors(new, path, lower=True) == []
    assert read_floors(path) == new


def test_the_command_refuses_with_exit_code_1_and_says_what(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "floors.json"
    worse = {"news": Floors("12ab", {"sandwich": 0.5, "sandwich-lines": 0.7})}
    for measured, arguments, code in ((OLD, [], 0), (worse, [], 1), (worse, ["--lower"], 0)):
        monkeypatch.setattr(measure_floors, "measure", lambda measured=measured: measured)
        assert main(arguments, path) == code
        said = capsys.readouterr().out
        assert ("news, sandwich: 0.8 -> 0.5" in said) == (code == 1)
        assert read_floors(path) == (OLD if code else measured)


@pytest.mark.exhaustive
def test_a_measurement_is_printed_beside_all_text(capsys: pytest.CaptureFixture[str]) -> None:
    floors = measure_floors.measure(["heavy-template"])
    heading, line = capsys.readouterr().out.splitlines()
    assert heading.split() == ["site", "pages", "all", "text", *METHODS]
    assert len(line.split()) == 3 + 3 * len(METHODS)
    assert line.split()[2] == f"{all_text_score(site('heavy-template')).f1:.3f}"
    assert floors["heavy-template"].digest == site("heavy-template").digest


def test_a_site_is_measured_the_same_each_time() -> None:
    home_first: HardSite = site("heavy-template")
    assert detector_score(home_first, "sandwich").f1 == f1_of("heavy-template", "sandwich")


def test_the_score_of_page_types_is_that_of_pairs() -> None:
    mixed = site("mixed-types")
    one_kind = HardSite("one", tuple(replace(page, kind="page") for page in mixed.pages))
    assert page_types_score(one_kind).precision == 1
    each_its_own = HardSite("each", tuple(replace(p, kind=str(n)) for n, p in enumerate(mixed.pages)))
    assert page_types_score(each_its_own).f1 == 0
