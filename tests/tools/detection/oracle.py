"""Figures 4 and 5 in memory, too simple to be wrong."""

from __future__ import annotations

from collections.abc import Sequence

from tests.oracles import detect_local_templates
from tests.outputs.archive.tables import Written, pagelet_key

Rows = set[tuple[int, int, int, int]]
"""(shingle, root, page, pagelet)"""


def duplicates(pages: Sequence[Written]) -> set[int]:
    """Return the pages that share a fourth of their sketch with a smaller page."""
    sketches = {one.page: set(one.sketch) for one in pages}
    return {
        page
        for page, sketch in sketches.items()
        if any(other < page and 0 < len(sketch) <= 4 * len(sketch & sketches[other]) for other in sketches)
    }


def local_pagelets(pages: Sequence[Written]) -> Rows:
    shingles = {one.page: [shingle for shingle in one.pagelets if shingle is not None] for one in pages}
    templates = detect_local_templates(shingles, duplicates(pages))
    return _rows(pages, {shingle: [set(owners)] for shingle, owners in templates.items()})


def global_pagelets(pages: Sequence[Written]) -> Rows:
    shingles = {one.page: [shingle for shingle in one.pagelets if shingle is not None] for one in pages}
    templates = detect_local_templates(shingles, duplicates(pages))
    links = {(one.page, target) for one in pages for target in one.targets}
    found = {}
    for shingle, owners in templates.items():
        components = [{page} for page in owners]
        for a, b in links:
            joined = [component for component in components if a in component or b in component]
            if a in owners and b in owners and len(joined) == 2:
                components = [one for one in components if one not in joined] + [joined[0] | joined[1]]
        found[shingle] = [component for component in components if len(component) > 1]
    return _rows(pages, found)


def _rows(pages: Sequence[Written], templates: dict[int, list[set[int]]]) -> Rows:
    return {
        (shingle, min(component), one.page, pagelet_key(one.page, ordinal))
        for one in pages
        for ordinal, shingle in enumerate(one.pagelets)
        if shingle is not None
        for component in templates.get(shingle, ())
        if one.page in component
    }
