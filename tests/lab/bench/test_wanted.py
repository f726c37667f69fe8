"""What is wanted of tables: a value told from others, fields and records counted, sites held out."""

from __future__ import annotations

import json
import sys
from pathlib import Path

import pytest
from parsel import Selector

from lab.bench import wanted
from lab.bench.saved_sites import SavedSite
from lab.bench.site_tables import is_held_out
from lab.bench.wanted import SETS, WHOLE, judge
from lab.bench.wanted_fields import Wanted
from lab.bench.wanted_values import Value, cell_of, count_of, value_of, values_on, whole_rows
from lab.sites.table_sites import generate_table_site

PAGE = """<h1> Green
<i>tea</i></h1><p>Posts: 12</p><a href="../cup.html">cup</a><time datetime="2026-01-02">2 January</time>
<ul><li>hot<script>no()</script></li><li>mild</li></ul>"""
FIELDS = {
    "name": ["//h1"],
    "posts": ["substring-after(//p, ': ')", "//p"],
    "cup": ["//a/@href"],
    "day": ["//time"],
    "kinds": ["//li"],
    "none": ["//h2"],
}


@pytest.mark.parametrize(
    ("field", "content", "has"),
    [
        ("name", "Green tea", True),
        ("name", "« Green  tea »", True),
        ("name", "Green", False),
        ("name", ["Green tea", "other"], True),
        ("posts", "12", True),
        ("posts", "Posts: 12", True),
        ("posts", "1", False),
        ("posts", None, False),
        ("cup", "http://tea.example/cup.html", True),
        ("cup", "../cup.html", True),
        ("cup", "cup.html", False),
        ("day", "2026-01-02", True),
        ("day", "2 January", True),
        ("kinds", ["hot", "mild"], True),
        ("kinds", "hot mild", True),
        ("kinds", ["hot"], False),
        ("kinds", ["mild", "hot"], False),
    ],
)
def test_a_cell_has_a_value(field: str, content: object, has: bool) -> None:
    (values,) = values_on(Selector(PAGE), Wanted("tea", "", "", FIELDS), "http://tea.example/green/1.html")
    assert "none" not in values
    assert cell_of(content).has(values[field]) is has


def test_a_long_text_is_the_same_by_nearly_all_of_its_words() -> None:
    words = [f"word{number}" for number in range(50)]
    value = _value(" ".join(words))
    assert cell_of(" ".join(words[:45])).has(value)
    assert not cell_of(" ".join(words[:30])).has(value)
    assert not cell_of(" ".join(words[:29])).has(_value(" ".join(words[:30])))


def test_equal_values_need_a_cell_each_and_a_record_a_row() -> None:
    tea, cup = _value("tea"), _value("cup")
    cells = [cell_of(text) for text in ("cup", "tea", "pot")]
    assert count_of([tea, tea, cup], cells) == 2
    rows = [{"a": cell_of(a), "b": cell_of(b)} for a, b in (("tea", "1"), ("tea", None), ("cup", "2"))]
    records = [{"a": tea, "b": _value("1")}, {"a": tea}, {"a": cup}, {"a": tea, "b": _value("1")}]
    assert whole_rows(records, rows) == 2  # the third row has what its record lacks, the fourth has no row


def _value(text: str) -> Value:
    value = value_of([[text]])
    assert value is not None
    return value


CUPS = "".join(f"<div class=cup><b>Cup {{0}}{n}</b> <i>{n} ml</i></div>" for n in range(3))
FIELDS_OF_TEA = {"name": ["//h1"], "grown": ["//dd"], "few": ["//h1[. = 'Tea 1']"]}


@pytest.fixture
def site(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> SavedSite:
    """Twelve pages with three cups each, and tables of them, written by hand: all there but a name."""
    tables = {"tea": [], "tea.cups": []}
    for number in range(12):
        page = f"<h1>Tea {number}</h1><dl><dd>{number * 7} m</dd></dl>{CUPS.format(number)}"
        save(tmp_path / "tea" / f"tea/{number}.html", page)
        url = {"url": f"http://tea.example/tea/{number}.html"}
        tables["tea"].append(url | {"title": f"Tea {number}", "height": f"{number * 7} m"})
        for n in range(3):
            cup = {"position": n + 1, "cup": f"Cup {number}{n}", "holds": f"{n} ml"}
            tables["tea.cups"].append(url | cup)
    tables["tea"][3]["title"] = "Tea 4"
    tables["tea.cups"][5]["holds"] = None
    for name, rows in tables.items():
        save(tmp_path / "tables" / "tea" / f"{name}.jsonl", "\n".join(map(json.dumps, rows)))
    wants = {
        "fields": [Wanted("tea", "tea/", "//h1", FIELDS_OF_TEA)],
        "fields of records": [Wanted("tea", "", "", {"cup": ["b"], "holds": ["i"]}, "//div[@class='cup']")],
    }
    monkeypatch.setattr(wanted, "SETS", wants)
    return SavedSite("tea", "tuned", tmp_path / "tea", hosts=("tea.example",))


def save(file: Path, text: str) -> None:
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text(text, encoding="utf-8")


def test_the_best_column_and_the_best_table_count(site: SavedSite, tmp_path: Path) -> None:
    found = {one.field: one for one in judge(site, tmp_path / "tables")}
    assert {name: (one.of, one.where) for name, one in found.items()} == {
        "name": (12, "tea: title"),
        "grown": (12, "tea: height"),
        "cup": (36, "tea.cups: cup"),
        "holds": (36, "tea.cups: holds"),
        WHOLE: (36, "tea.cups"),
    }
    told = {name: (round(one.share, 3), round(one.f1, 3)) for name, one in found.items()}
    assert told == {
        "name": (0.917, 0.917),  # 11 of 12 pages
        "grown": (1, 1),
        "cup": (1, 1),
        "holds": (0.972, 0.986),  # 35 of 36 cups, and as many cells
        WHOLE: (0.972, 0.972),
    }


def test_nothing_is_found_in_other_tables(site: SavedSite, tmp_path: Path) -> None:
    for file in (tmp_path / "tables" / "tea").iterdir():
        save(file, '{"url": "http://tea.example/tea/1.html", "title": "Green"}\n')
    found = list(judge(site, tmp_path / "tables"))
    assert [(one.share, one.f1) for one in found] == [(0, 0)] * 5
    assert {one.where for one in found[:-1]} == {""}


@pytest.mark.exhaustive
def test_the_tables_of_saved_sites_are_written_and_judged_those_held_out_apart(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    about = {"start": "index.html", "content": ["//main"]}
    save(tmp_path / "sites.json", json.dumps({"tea": about, "leaf": about}))
    for name in ("tea", "leaf"):
        for page in generate_table_site("shop", "table"):
            save(tmp_path / name / (page.path.strip("/") or "index.html"), page.html)
    fields = {"title": ["//h1"], "brand": ["//th[.='Brand']/following-sibling::td"]}
    rows = {"title": [".//h3"], "link": ["a/@href"]}
    wants = {
        "fields": [Wanted(name, "shop/", "", fields) for name in ("tea", "leaf")],
        "fields of records": [Wanted("tea", "list/", "", rows, "//li[@class='entry']")],
    }
    monkeypatch.setattr(wanted, "SETS", wants)
    monkeypatch.setattr(wanted, "is_held_out", lambda site: site == "leaf")
    monkeypatch.setattr(wanted, "MIN_PAGES", 4)  # there are four listings
    monkeypatch.setattr(sys, "argv", ["lab/bench/wanted.py"])
    wanted.main(["--corpora", str(tmp_path), "--figures", str(tmp_path / "wanted.json")])
    assert "Share of what is wanted: fields" in capsys.readouterr().out
    told = json.loads((tmp_path / "wanted.json").read_text(encoding="utf-8"))
    shares = {name: (row["looked at"], row["held out"]) for name, row in told["fields"]["rows"].items()}
    assert shares == {
        "leaf, title (1)": ("", "1.000"),
        "leaf, brand (2)": ("", "1.000"),
        "tea, title (3)": ("1.000", ""),
        "tea, brand (4)": ("1.000", ""),
    }
    assert told["summary"]["rows"]["fields, held out"]["number"] == "2"


def test_a_third_of_the_sites_is_held_out() -> None:
    assert is_held_out("gramps_mcpherson")
    assert not is_held_out("opencart_freshbao")
    assert 60 < sum(is_held_out(f"site {number}") for number in range(300)) < 140


@pytest.mark.parametrize("one", [one for kind in SETS.values() for one in kind], ids=lambda one: one.site)
def test_every_xpath_can_be_read(one: Wanted) -> None:
    assert values_on(Selector("<p>"), one, "http://tea.example/") == []
    for paths in one.fields.values():
        for path in paths:
            Selector("<p>").xpath(path)
