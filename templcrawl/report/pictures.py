"""Pictures as inline SVG, drawn from numbers alone: nothing that a page has written can get into them.

Colours are classes of the report's style: ``template``, ``content``, ``axis``, ``line``.  Each picture says
in words what it shows.  Cost: O(numbers).
"""

from __future__ import annotations

from collections.abc import Sequence
from html import escape

from templcrawl.report.learning_curve import CurvePoint
from templcrawl.wording import counted

_WIDTH, _HEIGHT = 340, 130
_LEFT, _RIGHT, _TOP, _BOTTOM = 40, 330, 10, 105


def share_bar(template_share: float) -> str:
    """Return a bar that is divided into content and template.

    template_share  in [0, 1]

    >>> 'width="25.0"' in share_bar(0.25)
    True
    """
    percent = 100 * min(max(template_share, 0.0), 1.0)
    return _svg(
        f"{percent:.0f} % template, {100 - percent:.0f} % content",
        (100, 8),
        f'<rect class="content" width="100" height="8"/>'
        f'<rect class="template" width="{percent:.1f}" height="8"/>',
        'class="bar" preserveAspectRatio="none"',
    )


def curve_picture(points: Sequence[CurvePoint]) -> str:
    """Return the learning curve of a site: share of the text so far that is template, by pages seen.

    points  at least one, by rising number of pages
    """
    most = max(points[-1].pages, 2)
    xs = [_LEFT + (_RIGHT - _LEFT) * (point.pages - 1) / (most - 1) for point in points]
    ys = [_BOTTOM - (_BOTTOM - _TOP) * point.share for point in points]
    line = " ".join(f"{x:.1f},{y:.1f}" for x, y in zip(xs, ys))
    axes = "".join(
        f'<line class="axis" x1="{_LEFT}" y1="{y}" x2="{_RIGHT}" y2="{y}"/>'
        f'<text x="{_LEFT - 6}" y="{y + 4}" text-anchor="end">{label}</text>'
        for y, label in ((_TOP, "100 %"), ((_TOP + _BOTTOM) / 2, "50 %"), (_BOTTOM, "0 %"))
    )
    marks = (
        f'<text x="{_LEFT}" y="{_HEIGHT - 8}">1</text>'
        f'<text x="{(_LEFT + _RIGHT) / 2}" y="{_HEIGHT - 8}" text-anchor="middle">pages seen</text>'
        f'<text x="{_RIGHT}" y="{_HEIGHT - 8}" text-anchor="end">{most:,}</text>'
    )
    last = f'<circle class="dot" cx="{xs[-1]:.1f}" cy="{ys[-1]:.1f}" r="3"/>'
    said = (
        f"Share of the text so far that was judged template: {points[0].share:.0%} at the start, "
        f"{points[-1].share:.0%} after {counted(points[-1].pages, 'page')}"
    )
    return _svg(
        said,
        (_WIDTH, _HEIGHT),
        f'{axes}{marks}<polyline class="line" points="{line}"/>{last}',
        'class="curve"',
    )


def _svg(said: str, size: tuple[int, int], drawn: str, attributes: str) -> str:
    """Return a picture.

    said  what it shows, in words
    """
    box = f"0 0 {size[0]} {size[1]}"
    return f'<svg {attributes} role="img" viewBox="{box}" aria-label="{escape(said)}">{drawn}</svg>'
