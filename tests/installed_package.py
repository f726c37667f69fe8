"""Tries an installed package: ``python tests/installed_package.py auto|on|off``.

Prints where it is, whether the native kernel reads, and what it separates of a page.
"""

from __future__ import annotations

import os
import sys
from pathlib import Path


def main(reader: str) -> None:
    """Read pages by a reader: a value of TEMPLCRAWL_KERNEL."""
    os.environ["TEMPLCRAWL_KERNEL"] = reader
    import templcrawl
    from templcrawl.algorithms.extraction.article import article_text
    from templcrawl.algorithms.page_kinds.classifier import classify_kind
    from templcrawl.page import kernel

    memory = templcrawl.CrawlMemory(sample_salt=0)
    for day in range(9):
        html = (
            f"<ul><li><a href=/>Home</a><li><a href=/a>Old</a></ul><p>On day {day} it rained for {day} hours."
        )
        page = memory.observe(templcrawl.Page(html, f"https://h.example/{day}"))
    assert "Home" not in page.content_text
    assert "day 8" in page.content_text
    lone = memory.observe(
        templcrawl.Page(f"<!doctype html><p>{'It rained. ' * 30}", "https://l.example/1")
    ).separation
    assert article_text(lone)  # each of these two reads a file that a wheel must hold
    assert classify_kind(lone).logs.any()
    print(Path(templcrawl.__file__).parent, kernel.is_native(), page.content_html)


if __name__ == "__main__":
    main(sys.argv[1])
