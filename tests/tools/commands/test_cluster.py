"""The command on the demo site: three templates with page types of their own; the command is told nothing."""

from __future__ import annotations

import json
import re
from collections import Counter
from pathlib import Path

from templcrawl.algorithms.page_types.fingerprint import template_fingerprint
from templcrawl.tools.commands.cluster_command import ClusterCommand
from tests.algorithms.page_kinds import pages as kinds
from tests.oracles import edit_distance
from tests.tools.commands.running import run
from tests.tools.readers.archives import HOST, Answer, demo_pages, write_folder, write_warc

KEYS = {
    "format",
    "input",
    "pages",
    "hosts",
    "capped",
    "unreadable",
    "clusters",
    "fingerprint_clusters",
    "page_clusters",
}
CLUSTER_KEYS = {
    "page_type",
    "host",
    "leaves",
    "pages",
    "share",
    "example",
    "tag_path",
    "classes",
    "kind",
    "fingerprint_clusters",
}
PAGES = demo_pages()
TEMPLATES = Counter(template for template, _ in PAGES.values())
TYPES = 8
"""Articles, in print too; products and shelves; chapters; lists; imprint and the like; three fronts."""


def template_of(url: str) -> str:
    return PAGES[url.removeprefix(f"http://{HOST}/")][0]


def test_the_page_types_of_a_site_are_its_templates(folder: Path, capsys) -> None:
    found = run(capsys, "cluster", folder, "--json", "-", "--pages")
    assert (found.code, found.err) == (0, "")
    report = found.json
    assert set(report) == KEYS
    assert (report["format"], report["pages"], report["hosts"]) == (1, len(PAGES), 1)
    assert report["unreadable"] == {"count": 0, "first": []}
    pairs = {(page["page_type"], template_of(page["url"])) for page in report["page_clusters"]}
    assert len(pairs) == len(report["clusters"]) == TYPES
    assert {template for _, template in pairs} == set(TEMPLATES)
    names = dict(pairs)
    across = {cluster["id"] for cluster in report["fingerprint_clusters"]}
    for cluster in report["clusters"]:
        assert set(cluster) == CLUSTER_KEYS
        assert cluster["kind"] is None
        assert cluster["share"] == cluster["pages"] / len(PAGES)
        assert template_of(cluster["example"]) == names[cluster["page_type"]]
        assert cluster["tag_path"]["here"] > cluster["tag_path"]["elsewhere"]
        assert across.issuperset(cluster["fingerprint_clusters"])
    type_of = {leaf: cluster["page_type"] for cluster in report["clusters"] for leaf in cluster["leaves"]}
    assert all(type_of[page["leaf"]] == page["page_type"] for page in report["page_clusters"])
    assert {"/news/*", "/shop/*", "/manual/*"} <= {*type_of.values()}


def test_page_types_are_named_by_their_kind(tmp_path: Path, capsys) -> None:
    pages = [make(number) for number in range(8) for make in (kinds.article, kinds.product)]
    folder = write_folder(tmp_path / "saved", {page.url.split("//")[1]: page.text for page in pages})
    found = run(capsys, "cluster", folder, "--kinds", "--json", "-")
    assert (found.code, found.err) == (0, "")
    named = {cluster["example"].split("/")[3]: cluster["kind"] for cluster in found.json["clusters"]}
    assert named == {"blog": "article", "product": "product"}
    shown = run(capsys, "cluster", folder, "--kinds").out
    assert re.search(r"page type +kind +tag path", shown)


def test_a_warc_file_of_two_sites_is_told_apart_by_host(tmp_path, capsys) -> None:
    path = tmp_path / "crawl.warc.gz"
    hosts = ["a.example", "b.example"]
    write_warc(
        path,
        [Answer(f"http://{host}/{at}", html.encode()) for at, (_, html) in PAGES.items() for host in hosts],
    )
    report = run(capsys, "cluster", path, "--json", "-").json
    assert Counter(cluster["host"] for cluster in report["clusters"]) == dict.fromkeys(hosts, TYPES)
    assert sum(cluster["pages"] for cluster in report["clusters"]) == report["pages"] == 2 * len(PAGES)
    across = report["fingerprint_clusters"]
    assert sum(cluster["pages"] for cluster in across) == 2 * len(PAGES)
    assert all(cluster["hosts"] == hosts for cluster in across)
    assert [cluster["pages"] for cluster in across] == sorted((one["pages"] for one in across), reverse=True)


def test_the_tables_show_the_largest_first_and_as_many_as_asked_for(folder: Path, capsys) -> None:
    lines = run(capsys, "cluster", folder).out.splitlines()
    assert lines[:3] == [f"pages: {len(PAGES)}, hosts: 1", "", f"Page types: {TYPES}"]
    assert lines[3].split() == [
        "pages",
        "share",
        "here",
        "elsewhere",
        "page",
        "type",
        "tag",
        "path",
        "example",
    ]
    sizes = [int(line.split()[0]) for line in lines[4:]]
    assert sizes == sorted(sizes, reverse=True)
    assert sum(sizes) == len(PAGES)
    name, path = lines[4].split()[4:6]
    assert (name, path) == ("/news/*", "html")
    lines = run(capsys, "cluster", folder, "--across", "--top", 2).out.splitlines()
    assert "Fingerprint clusters" in lines[2]
    assert lines[2].endswith("the 2 largest")
    assert len(lines) == 6
    assert "Fingerprint" not in run(capsys, "cluster", folder).out


def test_the_json_goes_to_a_file_beside_the_tables(folder: Path, capsys) -> None:
    found = run(capsys, "cluster", folder, "--json", "clusters.json", "--across")
    report = json.loads(Path("clusters.json").read_text(encoding="utf-8"))
    assert report["clusters"] is None
    assert len(report["fingerprint_clusters"]) == int(found.out.splitlines()[2].split()[-1])


def test_page_types_are_named_after_examples(folder: Path, tmp_path: Path, capsys) -> None:
    taught = sorted(TEMPLATES)[:2]
    for name in taught:
        examples = [(path, html) for path, (template, html) in PAGES.items() if template == name][:6]
        write_folder(
            tmp_path / "examples" / name, {f"{n}.html": html for n, (_, html) in enumerate(examples)}
        )
    arguments = ["cluster", folder, "--train", "examples"]
    report = run(capsys, *arguments, "--json", "-", "--pages").json
    for cluster in report["clusters"]:
        template = template_of(cluster["example"])
        assert cluster["classes"][0]["class"] == (template if template in taught else None)
        assert sum(one["pages"] for one in cluster["classes"]) == cluster["pages"]
    right = sum(page["class"] == template_of(page["url"]) for page in report["page_clusters"])
    assert right >= 0.8 * sum(TEMPLATES[name] for name in taught)
    assert "class" in run(capsys, *arguments).out


def test_by_fingerprints_a_page_is_of_the_class_of_an_example_within_one_edit_or_of_none(
    folder: Path, tmp_path: Path, capsys
) -> None:
    examples = {
        name: [html for template, html in PAGES.values() if template == name][:2] for name in TEMPLATES
    }
    taught = {name: htmls for name, htmls in examples.items() if name != "chapter"}
    for name, htmls in taught.items():
        write_folder(tmp_path / "examples" / name, {f"{n}.html": html for n, html in enumerate(htmls)})
    arguments = ["cluster", folder, "--train", "examples", "--by", "fingerprint", "--json", "-", "--pages"]
    prints = {name: list(map(template_fingerprint, htmls)) for name, htmls in taught.items()}
    for page in run(capsys, *arguments).json["page_clusters"]:
        own = template_fingerprint(PAGES[page["url"].removeprefix(f"http://{HOST}/")][1])
        edits = {name: min(edit_distance(own, one) for one in known) for name, known in prints.items()}
        assert (page["class"] is None) == (min(edits.values()) > 1)
        assert page["class"] is None or edits[page["class"]] == min(edits.values())


def test_a_table_has_the_end_of_a_long_tag_path(capsys) -> None:
    for path, shown in (
        ("body/h1", "body/h1"),
        ("div.very-long/" * 40 + "h1", "…" + "div.very-long/" * 4 + "h1"),
    ):
        cluster = {"pages": 9, "share": 0.5, "page_type": "/a/*", "kind": None, "classes": None}
        cluster |= {"example": "http://a.example/", "tag_path": {"path": path, "here": 1.0, "elsewhere": 0.0}}
        answer = {"pages": 18, "hosts": 1, "clusters": [cluster]}
        ClusterCommand().show({**answer, "fingerprint_clusters": None}, None)
        row = capsys.readouterr().out.splitlines()[-1].split()
        assert row[-2].endswith(shown[-40:])
        assert len(row[-2]) == min(len(path), 60)


def test_where_fingerprints_are_cut_decides_how_fast_they_are_found_and_nothing_else(
    folder: Path, capsys
) -> None:
    arguments = ("cluster", folder, "--across", "--json", "-")
    by_default = run(capsys, *arguments).json["fingerprint_clusters"]
    assert len(by_default) > 3
    for split in (1, 24):
        assert run(capsys, *arguments, "--split", split).json["fingerprint_clusters"] == by_default
