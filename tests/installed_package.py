"""Tries an installed package: ``python tests/installed_package.py [auto | on | off | check]``.

Prints where it is, whether the native kernel reads, and what it separates of a page.
"""

from __future__ import annotations

import os
import sys
from pathlib import Path

os.environ["TEMPLCRAWL_KERNEL"] = sys.argv[1]

import templcrawl
from templcrawl.page import kernel

memory = templcrawl.CrawlMemory(sample_salt=0)
for day in range(9):
    html = f"<ul><li><a href=/>Home</a><li><a href=/a>Old</a></ul><p>On day {day} it rained for {day} hours."
    seen = memory.observe(templcrawl.Page(html, f"https://h.example/{day}"))
assert "Home" not in seen.content_text
assert "day 8" in seen.content_text
print(Path(templcrawl.__file__).parent, kernel.is_native(), seen.content_html)
