"""The local server serves sites and folders, and nothing else."""

from __future__ import annotations

import http.client
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from threading import Barrier, Thread
from urllib.parse import urlsplit

import pytest

from lab.sites.generated import generate_demo_site
from lab.sites.server import Answer, LocalSite, Response

ROOT = Path(__file__).parents[3]


def ask(url: str, target: str, method: str = "GET") -> tuple[int, dict[str, str], bytes]:
    """Send a request target as it stands; return status, headers and body."""
    connection = http.client.HTTPConnection(urlsplit(url).netloc)
    try:
        connection.putrequest(method, target)
        connection.endheaders()
        response = connection.getresponse()
        return response.status, dict(response.headers), response.read()
    finally:
        connection.close()


def test_a_generated_site_is_served_with_its_endless_part() -> None:
    generated = generate_demo_site(articles=2, products=1, chapters=1)
    with LocalSite(generated.html) as site:
        assert urlsplit(site.url).hostname == "127.0.0.1"
        for path in ("/", "/manual/chapter-1.html", "/calendar/3000/1.html"):
            status, headers, body = ask(site.url, path)
            assert (status, headers["Content-Type"]) == (200, "text/html; charset=utf-8")
            assert body.decode() == generated.html(path)
        assert ask(site.url, "/?from=mail")[2] == ask(site.url, "/")[2]
        assert ask(site.url, "/none")[0] == 404
        assert site.targets[-3:] == ["/?from=mail", "/", "/none"]
        assert site.most_in_flight == 1


def test_a_mapping_may_answer_in_every_form() -> None:
    pages: dict[str, Answer] = {
        "/text": "caf\u00e9",
        "/bytes": b"caf\xe9",
        "/query?p=2": "second",
        "/query": "first",
        "/moved": Response(302, "", b"", (("Location", "/text"),)),
        "/tuple": (503, "text/plain", b"later"),
    }
    with LocalSite(pages) as site:
        assert ask(site.url, "/text")[2] == "caf\u00e9".encode()
        status, headers, body = ask(site.url, "/text", "HEAD")
        assert (status, headers["Content-Length"], body) == (200, "5", b"")
        status, headers, body = ask(site.url, "/bytes")
        assert (status, headers["Content-Type"], body) == (200, "text/html", b"caf\xe9")
        assert [ask(site.url, f"/query{end}")[2] for end in ("?p=2", "?p=3", "")] == [
            b"second",
            b"first",
            b"first",
        ]
        status, headers, _ = ask(site.url, "/moved")
        assert (status, headers["Location"], "Content-Type" in headers) == (302, "/text", False)
        assert ask(site.url, "/tuple")[::2] == (503, b"later")


def test_a_site_that_fails_says_so() -> None:
    def fail(target: str) -> str:
        raise LookupError(f"broken at {target}")

    with LocalSite(fail) as site:
        status, _, body = ask(site.url, "/here")
        assert status == 500
        assert b"LookupError: broken at /here" in body


def test_requests_are_answered_at_the_same_time() -> None:
    both_are_here = Barrier(2)

    def wait(target: str) -> str:
        both_are_here.wait()
        return target

    with LocalSite(wait, delay=0.01) as site:
        answers: list[bytes] = []
        threads = [Thread(target=lambda n=n: answers.append(ask(site.url, f"/{n}")[2])) for n in range(2)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        assert sorted(answers) == [b"/0", b"/1"]
        assert site.most_in_flight == 2


@pytest.fixture
def folder_site(tmp_path: Path) -> Iterator[LocalSite]:
    (tmp_path / "secret.html").write_text("secret")
    folder = tmp_path / "site"
    (folder / "sub dir").mkdir(parents=True)
    (folder / "index.html").write_text("start")
    (folder / "sub dir" / "index.html").write_text("below")
    (folder / "list.html?page=2").write_text("page 2")
    for name in ("page.html", "look.css", "picture.png", "text.txt", "unknown", "page.html.gz"):
        (folder / name).write_text(name)
    (folder / "escape").symlink_to(tmp_path)
    (folder / "empty").mkdir()
    (folder / "empty" / "index.html").symlink_to(tmp_path / "secret.html")
    with LocalSite(folder) as site:
        yield site


@pytest.mark.parametrize(
    ("target", "kind", "body"),
    [
        ("/", "text/html", b"start"),
        ("/?a=b", "text/html", b"start"),
        ("/page.html", "text/html", b"page.html"),
        ("/page.html?a=../..", "text/html", b"page.html"),
        ("/sub%20dir/", "text/html", b"below"),
        ("/list.html?page=2", "text/html", b"page 2"),
        ("/look.css", "text/css", b"look.css"),
        ("/picture.png", "image/png", b"picture.png"),
        ("/text.txt", "text/plain", b"text.txt"),
        ("/unknown", "application/octet-stream", b"unknown"),
        ("/page.html.gz", "application/octet-stream", b"page.html.gz"),
    ],
)
def test_a_folder_is_served_by_extension_and_declares_no_charset(
    folder_site: LocalSite, target: str, kind: str, body: bytes
) -> None:
    status, headers, answered = ask(folder_site.url, target)
    assert (status, headers["Content-Type"], answered) == (200, kind, body)


def test_a_folder_without_a_slash_is_redirected_and_one_that_is_none_is_refused(
    folder_site: LocalSite, tmp_path: Path
) -> None:
    status, headers, _ = ask(folder_site.url, "/sub%20dir")
    assert (status, headers["Location"]) == (301, "/sub%20dir/")
    with pytest.raises(FileNotFoundError):
        LocalSite(tmp_path / "none")


@pytest.mark.parametrize(
    "target",
    [
        "/../secret.html",
        "../secret.html",
        "/%2e%2e/secret.html",
        "/..%2fsecret.html",
        "/sub%20dir/../../secret.html",
        "/sub%20dir/..%2f..%2fsecret.html",
        "/..%5csecret.html",
        "/%252e%252e/secret.html",
        "/escape/secret.html",
        "/empty/",
        "/escape",
        "//etc/passwd",
        "/%2fetc/passwd",
        "/page.html%00.png",
        "/page.html/",
        "/list.html",
        "/" + "x" * 5000,
    ],
)
def test_nothing_outside_of_the_folder_is_served(folder_site: LocalSite, target: str) -> None:
    status, _, body = ask(folder_site.url, target)
    assert status == 404
    assert b"secret" not in body


def test_as_a_program_it_prints_where_it_serves(tmp_path: Path) -> None:
    (tmp_path / "index.html").write_text("saved")
    for options, words in ((["--folder", str(tmp_path)], b"saved"), (["--articles", "2"], b"Welcome")):
        command = [sys.executable, "-m", "lab.sites.server", *options]
        with subprocess.Popen(command, cwd=ROOT, stdout=subprocess.PIPE, text=True) as server:
            assert server.stdout is not None
            try:
                status, _, body = ask(server.stdout.readline().strip(), "/")
                assert status == 200
                assert words in body
            finally:
                server.terminate()
