"""Pictures are well-formed SVG, and stay inside their frames."""

from __future__ import annotations

from xml.etree import ElementTree as ET

from hypothesis import given
from hypothesis import strategies as st

from templcrawl.outputs.report.figures import CurvePoint
from templcrawl.outputs.report.html import curve_picture, share_bar

_shares = st.floats(0, 1)


@given(_shares)
def test_a_bar_says_and_shows_the_share(share: float) -> None:
    svg = ET.fromstring(share_bar(share))
    content, template = svg
    assert float(content.attrib["width"]) == 100
    assert abs(float(template.attrib["width"]) - 100 * share) <= 0.05
    assert svg.attrib["aria-label"].startswith(f"{100 * share:.0f} % template")


@given(st.lists(st.tuples(st.integers(1, 10**7), _shares), min_size=1, max_size=100))
def test_a_curve_stays_in_its_frame(found: list[tuple[int, float]]) -> None:
    points = [CurvePoint(pages, share) for pages, share in sorted(found)]
    svg = ET.fromstring(curve_picture(points))
    line = svg.find("polyline")
    assert line is not None
    places = [tuple(map(float, pair.split(","))) for pair in line.attrib["points"].split()]
    assert len(places) == len(points)
    assert all(40 <= x <= 330 and 10 <= y <= 105 for x, y in places)
    last = points[-1].pages
    assert svg.attrib["aria-label"].endswith("after 1 page" if last == 1 else f"after {last:,} pages")


def test_a_curve_by_hand() -> None:
    svg = ET.fromstring(curve_picture([CurvePoint(1, 0.0), CurvePoint(3, 1.0)]))
    line = svg.find("polyline")
    assert line is not None
    assert line.attrib["points"] == "40.0,105.0 330.0,10.0"
