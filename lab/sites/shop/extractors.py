"""Extractors that a user may have written."""

from __future__ import annotations


def shout(html: str, url: str) -> str:
    return f"{url}: {len(html)} CHARACTERS"


def nothing(html: str, url: str) -> None:
    return None


def failing(html: str, url: str) -> str:
    raise RuntimeError("this extractor never works")


not_callable = 3
