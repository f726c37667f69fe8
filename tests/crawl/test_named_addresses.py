"""What sitemaps and feeds name, also broken and hostile ones."""

from __future__ import annotations

from gzip import compress
from xml.sax.saxutils import escape

import pytest
from hypothesis import given
from hypothesis import strategies as st

from templcrawl.crawl import named_addresses as reader
from templcrawl.crawl.named_addresses import ENTRY, PAGE, SITEMAP, Named, named_addresses

URLS = st.text(st.characters(min_codepoint=33, exclude_categories=("C", "Z")), min_size=1, max_size=30)
DATES = st.integers(1, 2_000_000_000)
SPACE = "http://www.sitemaps.org/schemas/sitemap/0.9"


@given(
    st.lists(st.tuples(URLS, st.none() | DATES)),
    st.sampled_from([(PAGE, "urlset"), (SITEMAP, "sitemapindex")]),
)
def test_a_sitemap_names_its_pages_or_sitemaps(
    entries: list[tuple[str, int | None]], kind: tuple[str, str]
) -> None:
    from templcrawl.memory.change_table import iso_time

    name, root = kind
    parts = (
        f"<{name}><loc> {escape(url)}\n</loc>{f'<lastmod>{iso_time(at)}</lastmod>' if at else ''}</{name}>"
        for url, at in entries
    )
    body = f'<?xml version="1.0"?><{root} xmlns="{SPACE}">{"".join(parts)}</{root}>'.encode()
    found = [Named(url, name, at) for url, at in entries]
    assert named_addresses(body) == named_addresses(compress(body)) == found


def test_a_feed_names_its_entries() -> None:
    rss = b"""<rss><channel><link>http://x.org/</link><image><url>http://x.org/a.png</url></image>
        <item><title>A</title><link>http://x.org/a?b=1&amp;c</link>
        <pubDate>Thu, 01 Jan 1970 00:01:00 GMT</pubDate></item>
        <item><url>no</url><link><![CDATA[ http://x.org/b ]]></link><source><link>no</link></source></item>
        </channel></rss>"""
    assert named_addresses(rss) == [
        Named("http://x.org/a?b=1&c", ENTRY, 60),
        Named("http://x.org/b", ENTRY, None),
    ]
    atom = b"""<feed xmlns="http://www.w3.org/2005/Atom"><link rel="self" href="/feed"/><entry>
        <link rel="replies" href="/no"/><link href="http://x.org/a"/><published>1970-01-01T00:00:09Z</published>
        <updated>1970-01-02T00:00:00+00:00</updated></entry></feed>"""
    assert named_addresses(atom) == [Named("http://x.org/a", ENTRY, 86_400)]


def test_what_is_broken_is_read_as_far_as_it_goes() -> None:
    entry = b"<url><loc>http://x.org/a</loc><lastmod>%s</lastmod></url>"
    for date in (b"2026", b"-1", b"soon", b"", b"0001-01-01"):
        assert named_addresses(b"<urlset>" + entry % date + b"</urlset>")[0].at in (None, 0)
    assert len(named_addresses(b"<urlset>" + 3 * (entry % b"") + b"<url><loc>http")) == 3
    assert named_addresses(b"<html><p>A page") == named_addresses(b"") == named_addresses(b"\x1f\x8b") == []


def test_no_file_is_read_and_no_entity_grows() -> None:
    entities = b"".join(
        b'<!ENTITY e%d "%s">' % (n, b"&e%d;" % (n - 1) * 50 if n else b"x" * 50) for n in range(9)
    )
    body = b'<!DOCTYPE a [%s<!ENTITY f SYSTEM "file:///etc/hostname">]><urlset><url><loc>/&e8;&f;</loc></url></urlset>'
    assert all(len(one.url) < 3_000 and one.url.strip("/x") == "" for one in named_addresses(body % entities))


def test_it_is_read_up_to_its_limits(monkeypatch: pytest.MonkeyPatch) -> None:
    entry = b"<url><loc>http://x.org/%d</loc></url>"
    body = b"<urlset>" + b"".join(entry % number for number in range(5_000))
    monkeypatch.setattr(reader, "MAX_ENTRIES", 2)
    assert len(named_addresses(body)) == len(named_addresses(compress(body))) == 2
    monkeypatch.setattr(reader, "MAX_ENTRIES", 10_000)
    monkeypatch.setattr(reader, "_MAX_UNPACKED", 1_000)
    assert 0 < len(named_addresses(body)) < 30
    assert not named_addresses(compress(body))
    assert not named_addresses(b"<urlset><url><loc>http://x.org/%s</loc></url></urlset>" % (b"a" * 3_000))
