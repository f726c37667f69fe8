"""The Scrapy adapters: they translate between Scrapy's objects and ours and never decide."""

from __future__ import annotations

import sys

import scrapy

from templcrawl.errors import VersionTooOld, log_sentence_alone

_NEEDED = {"Scrapy": ((2, 14), scrapy.version_info), "Python": ((3, 10), sys.version_info[:3])}

for _program, (_needed, _found) in _NEEDED.items():
    if tuple(_found) < _needed:
        log_sentence_alone()
        raise VersionTooOld(_program, ".".join(map(str, _needed)), ".".join(map(str, _found)))
