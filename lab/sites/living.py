"""A generated site that lives: a blog and a manual, as they are found in version 0, 1, 2 ...

From one version to the next

- new posts appear, now and then a new chapter
- pages are edited: a paragraph is rewritten.  Most pages never are, some rarely, a few nearly always
- posts vanish, while older links to them stay: they answer 404
- listings move: the start page, the archive, the categories, the contents of the manual
- a banner changes on every page; it is template, and no change

A page is *modified* in the version in which it is new, or in which the words of its ``main`` differ from
those of the version before.  So a listing is modified where its list has moved.

A version stands for a week.  Equal seeds make equal sites, in every process; a version does not depend on how
many there are.  Cost: some 0.2 seconds a version.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime, timedelta, timezone
from email.utils import format_datetime

from lab.sites.areas import Area, written
from lab.sites.server import HTML, Response
from lab.sites.words import Writer

FIRST, WEEK = datetime(2020, 1, 1, tzinfo=timezone.utc), timedelta(weeks=1)
"""When version 0 is published, and how long a version lasts."""
BASE, SITEMAP = "http://living.example/", "/sitemap.xml"
VALIDATORS = ("none", "true", "always", "never")
"""What Last-Modified, ETag and the sitemap say: nothing, the truth, always modified, or never modified."""

_RATES, _SHARES = (0.0, 0.1, 0.7), (0.7, 0.2, 0.1)  # edits a version; share of the pages with this rate
_NEW_POSTS = (0, 1, 2, 3)
_NEW_CHAPTER = 0.2
_VANISHING, _LATEST_END = 0.15, 12  # share of the posts; versions of the one that lives longest
_LATEST, _PER_LIST, _RELATED = 5, 10, 3
_CATEGORIES = ("Boats", "Gardens", "Kitchens", "Letters", "Markets", "Tools")
_MENU = (("/", "Home"), ("/blog/", "Blog"), ("/manual/", "Manual"), ("/about.html", "About us"))

Entry = tuple[str, str]
"""Path and text of a link."""


@dataclass(frozen=True)
class LivingPage:
    """A page of a version.

    words     of its content, in order
    links     paths that it links to, in order
    made      version in which it is new
    modified  version in which its content was last modified
    """

    path: str
    html: str = field(repr=False)
    words: tuple[str, ...] = field(repr=False)
    links: tuple[str, ...] = field(repr=False)
    made: int
    modified: int


@dataclass(frozen=True)
class LivingSite:
    """A version of the site.

    pages       path -> page, the start page first
    validators  one of ``VALIDATORS``
    """

    version: int
    pages: Mapping[str, LivingPage] = field(repr=False)
    validators: str = "none"

    @property
    def modified(self) -> frozenset[str]:
        """Paths of the pages that are new, or whose content differs from the version before."""
        return frozenset(path for path, page in self.pages.items() if page.modified == self.version)

    @property
    def published(self) -> datetime:
        """When this version was published."""
        return _time(self.version)

    def sitemap(self, base: str = BASE) -> str:
        """Return a sitemap of its pages, with the day since which each says that it is as it is.

        base  address of the start page
        """
        entries = []
        for path in self.pages:
            since = self._since(path)
            day = "" if since is None else f"<lastmod>{since:%Y-%m-%d}</lastmod>"
            entries.append(f"<url><loc>{base.rstrip('/')}{path}</loc>{day}</url>\n")
        return f'<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">\n{"".join(entries)}</urlset>\n'

    def headers(self, path: str) -> dict[str, str]:
        """Return what is sent with a page beside its type."""
        since = self._since(path)
        if since is None:
            return {}
        return {"Last-Modified": format_datetime(since, usegmt=True), "ETag": f'"{since:%Y-%m-%d}"'}

    def _since(self, path: str) -> datetime | None:
        page = self.pages[path]
        versions = {"true": page.modified, "always": self.version, "never": page.made}
        return _time(versions[self.validators]) if self.validators in versions else None

    def answer(self, target: str, base: str = BASE) -> Response | None:
        """Return the response to a request, None for 404: what ``server.LocalSite`` asks for.

        base  address of the start page, for the sitemap
        """
        path = target.partition("?")[0]
        if path == SITEMAP:
            return Response(200, "application/xml", self.sitemap(base).encode())
        page = self.pages.get(path)
        if page is None:
            return None
        return Response(200, HTML, page.html.encode(), (*self.headers(path).items(),))


def generate_living_site(
    versions: int = 8, *, seed: object = 1, posts: int = 72, chapters: int = 30, validators: str = "none"
) -> list[LivingSite]:
    """Return the first versions of the site; by default version 0 has some 120 pages.

    posts, chapters  how many version 0 has
    validators       one of ``VALIDATORS``

    Raises ValueError for a size below 1, and for other validators.
    """
    if min(versions, posts, chapters) < 1 or validators not in VALIDATORS:
        raise ValueError(f"at least one version, post and chapter, and validators of {VALIDATORS}")
    plan = _Plan(seed, posts, chapters)
    sites = []
    before: Mapping[str, LivingPage] = {}
    for version in range(versions):
        pages = {}
        for path, title, content in plan.drafts(version):
            whole = _template(plan, version, title, content)
            words, links = tuple(content.words), (*whole.links, *content.links)
            old = before.get(path)
            modified = old.modified if old is not None and old.words == words else version
            made = version if old is None else old.made
            pages[path] = LivingPage(path, whole.html, words, links, made, modified)
        sites.append(LivingSite(version, pages, validators))
        before = pages
    return sites


@dataclass(frozen=True)
class _Plan:
    """What all versions grow from."""

    seed: object
    posts: int
    chapters: int

    def writer(self, about: str) -> Writer:
        return Writer(f"{self.seed} {about}")

    def entry(self, path: str) -> Entry:
        return path, self.writer(path).title()

    def living_posts(self, version: int) -> dict[str, int]:
        """Return path -> number of the posts of a version that have not vanished, the latest first."""
        made = [0] * self.posts
        for at in range(1, version + 1):
            made += [at] * self.writer(f"posts of {at}").chance.choice(_NEW_POSTS)
        living = {}
        for number, since in reversed([*enumerate(made)]):
            chance = self.writer(f"life of {number}").chance
            vanishes = chance.random() < _VANISHING
            if not vanishes or version < since + chance.randrange(1, _LATEST_END):
                living[_post(number)] = number
        return living

    def chapter_paths(self, version: int) -> list[str]:
        later = [self.writer(f"chapter of {at}").chance.random() for at in range(1, version + 1)]
        count = self.chapters + sum(chance < _NEW_CHAPTER for chance in later)
        return [f"/manual/chapter-{number}.html" for number in range(count)]

    def prose(self, path: str, version: int) -> Area:
        """Write a page of paragraphs, as it has been edited up to a version."""
        writer = self.writer(path)
        title = writer.title()
        paragraphs = [writer.paragraph(4) for _ in range(writer.chance.randrange(4, 12))]
        chance = self.writer(f"edits of {path}").chance
        rate = chance.choices(_RATES, _SHARES)[0]
        for at in range(1, version + 1):
            if chance.random() < rate:
                editor = self.writer(f"{path} in {at}")
                paragraphs[editor.chance.randrange(len(paragraphs))] = editor.paragraph(4)
        area = Area().element("h1", title)
        for paragraph in paragraphs:
            area.markup("\n").element("p", paragraph)
        return area

    def drafts(self, version: int) -> Iterator[tuple[str, str, Area]]:
        """Yield path, title and content of each page of a version, the start page first."""
        posts, chapters = self.living_posts(version), self.chapter_paths(version)
        paths = [*posts]
        yield "/", "Welcome", self._list("Welcome", paths[:_LATEST])
        count = max(1, -(-len(paths) // _PER_LIST))
        lists = ["/blog/", *(f"/blog/page-{number}.html" for number in range(2, count + 1))]
        for number, path in enumerate(lists):
            shown = self._list("All posts", paths[number * _PER_LIST : (number + 1) * _PER_LIST])
            for other in lists[number + 1 : number + 2]:
                shown.markup("\n").link(other, "Older posts")
            yield path, "All posts", shown
        for path, number in posts.items():
            area = self.prose(path, version).markup("\n<ul>")
            earlier = self.writer(f"related to {number}").chance.sample(range(number), min(_RELATED, number))
            _entries(area, [self.entry(_post(other)) for other in earlier])
            yield path, self.entry(path)[1], area.markup("</ul>")
        for place, (path, name) in enumerate(_category_entries()):
            own = [self.entry(post) for post, number in posts.items() if number % len(_CATEGORIES) == place]
            yield path, name, _entries(Area().element("h1", name).markup("\n<ul>"), own).markup("</ul>")
        contents = Area().element("h1", "Manual").markup("\n<ol>")
        yield "/manual/", "Manual", _entries(contents, map(self.entry, chapters)).markup("</ol>")
        for path in chapters:
            yield path, self.entry(path)[1], self.prose(path, version)
        yield "/about.html", "About us", self.prose("/about.html", version)

    def _list(self, title: str, paths: Sequence[str]) -> Area:
        area = Area().element("h1", title)
        for path in paths:
            area.markup("\n<h2>").link(*self.entry(path)).markup("</h2>")
            area.element("p", self.writer(f"teaser of {path}").paragraph(2))
        return area


def _time(version: int) -> datetime:
    """Return when a version was published."""
    return FIRST + version * WEEK


def _post(number: int) -> str:
    return f"/blog/post-{number}.html"


def _category_entries() -> list[Entry]:
    return [(f"/category/{name.lower()}.html", name) for name in _CATEGORIES]


def _entries(area: Area, entries: Iterator[Entry] | Sequence[Entry]) -> Area:
    for path, text in entries:
        area.markup("\n<li>").link(path, text).markup("</li>")
    return area


def _template(plan: _Plan, version: int, title: str, content: Area) -> Area:
    site = plan.writer("furniture")
    area = Area().markup(f"<!DOCTYPE html>\n<title>{written(title)}</title>\n<header>")
    area.element("b", f"The {site.place()} Almanac").markup("<nav><ul>")
    _entries(area, _MENU).markup("</ul></nav></header>\n<div class=banner>")
    area.element("p", plan.writer(f"banner of {version}").paragraph(2)).markup("</div>\n<main>")
    area.markup(content.html).markup("</main>\n<aside><h2>").say("Categories").markup("</h2><ul>")
    _entries(area, _category_entries()).markup("</ul></aside>\n<footer><p>")
    return area.say(site.paragraph(2)).markup("</p></footer>\n")
