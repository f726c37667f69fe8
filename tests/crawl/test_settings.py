"""Settings are read once, and a value that is not accepted is named."""

from __future__ import annotations

import os
import sys
from pathlib import Path
from typing import Any

import pytest
from scrapy.settings import BaseSettings, Settings

from docs.build.setting_examples import EXAMPLES
from templcrawl.crawl.settings import SETTINGS, TemplcrawlSettings, unknown_settings
from templcrawl.errors import InvalidOption
from tests.crawl.crawls import ADDON, run_crawl
from tests.crawl.small_crawls import PAGES, crawl, in_new_process, in_this_process


def read(**values: object) -> TemplcrawlSettings:
    return TemplcrawlSettings.from_settings(Settings({f"TEMPLCRAWL_{k}": v for k, v in values.items()}))


def test_settings_are_few_and_each_has_an_example_that_is_accepted() -> None:
    assert {*EXAMPLES} == {*SETTINGS}
    assert len(SETTINGS) <= 24, "a new setting needs a reason: can an existing one say it?"
    again = {"TEMPLCRAWL_STORE": "memory.sqlite", "TEMPLCRAWL_ORDER": "changes"}
    for name, value in EXAMPLES.items():
        of_recrawls = SETTINGS[name].metadata["needs"] is not None and name not in (
            "TEMPLCRAWL_ITEM_FIELDS", "TEMPLCRAWL_TARGETS", "TEMPLCRAWL_STOP",
        )  # fmt: skip
        chosen = TemplcrawlSettings.from_settings(Settings({**(again if of_recrawls else {}), name: value}))
        assert getattr(chosen, SETTINGS[name].name) != getattr(TemplcrawlSettings(), SETTINGS[name].name)


def test_an_empty_project_gets_the_defaults() -> None:
    assert read() == TemplcrawlSettings()


@pytest.mark.parametrize(
    ("name", "given", "attribute", "expected"),
    [
        ("ENABLED", "0", "enabled", False),
        ("ENABLED", "True", "enabled", True),
        ("STOP", "True", "stop", True),
        ("STRIP_FIELDS", "html, body", "strip_fields", ("html", "body")),
        ("STRIP_FIELDS", ["html"], "strip_fields", ("html",)),
        ("LIMITS", '{"max_sites": "5"}', "limits", {"max_sites": 5}),
        ("SKIP_UNCHANGED", "template only", "skip_unchanged", "template only"),
        ("TOPIC", "tea, milk", "order", "focus"),
        ("TARGETS", "http://x.example/1", "order", "targets"),
        ("DATABASE", "", "database", None),
        (
            "ITEM_FIELDS",
            {"content_text": "text", "content_html": None},
            "item_fields",
            {"content_text": "text"},
        ),
        ("ITEM_FIELDS", None, "item_fields", {}),
        ("ITEM_FIELDS", ["leaf_id"], "item_fields", {"leaf_id": "leaf_id"}),
        ("ITEM_FIELDS", "leaf_id,changed", "item_fields", {"leaf_id": "leaf_id", "changed": "changed"}),
        ("STORE", "sqlite:///a.sqlite", "store", "a.sqlite"),
        ("ITEM_FIELDS", '{"content_text": "text"}', "item_fields", {"content_text": "text"}),
    ],
)
def test_values_as_settings_files_and_command_lines_give_them(
    name: str, given: object, attribute: str, expected: object
) -> None:
    assert getattr(read(**{name: given}), attribute) == expected


def test_the_options_of_the_memory_are_settings_too_and_what_none_asks_for_is_not_computed() -> None:
    memory = read(DETECTOR="sandwich-lines", LIMITS={"max_pages": 77}).memory
    assert (memory.detector, memory.max_pages, memory.link_evidence) == ("sandwich-lines", 77, True)
    assert not read(ORDER="off").memory.link_evidence
    assert not read().memory.sections
    assert [*read(ITEM_FIELDS=["first_seen", "page_kind"]).memory.sections] == ["changes", "kinds"]


@pytest.mark.parametrize(
    ("name", "value", "accepted"),
    [
        ("ENABLED", "perhaps", "True or False"),
        ("ORDER", "sideways", "one of adaptive, changes, distiller, focus, off, targets, template"),
        ("DETECTOR", "toast", "one of sandwich, sandwich-lines"),
        ("LIMITS", {"max_sites": 0}, "a whole number of 1 or more"),
        ("LIMITS", {"max_sites": True}, "a whole number"),
        ("LIMITS", {"max_site": 3}, "max_characters, max_sites, max_pages, max_signals to whole numbers"),
        ("SKIP_UNCHANGED", "same", "True, False or 'template only'"),
        ("TOPIC", " , ", "words or phrases, with commas"),
        ("ITEM_FIELDS", {"contents": "x"}, "content_text, content_html"),
        ("ITEM_FIELDS", "contents", "a list of item fields out of content_text, content_html"),
        ("ITEM_FIELDS", ["content_text", 5], "or a dict of these to names"),
        ("STRIP_FIELDS", 5, "a list of names"),
        ("REPORT", " ", "a name"),
        ("REPORT", 5, "a name"),
        ("STRIP_FIELDS", ["html", ""], "a list of names"),
        ("LIMITS", {"max_pages": 2**31}, "at most 2147483647"),
    ],
)
def test_a_value_that_is_not_accepted_names_setting_value_and_what_is(
    name: str, value: object, accepted: str
) -> None:
    with pytest.raises(InvalidOption) as caught:
        read(**{name: value})
    message = str(caught.value)
    assert f"TEMPLCRAWL_{name} = {value!r}" in message
    assert accepted in message


PAGES_LIKE = ["http://x.example/1"]
SHOP = "lab.sites.shop"


@pytest.mark.parametrize(
    ("values", "advice"),
    [
        ({"STOP": True, "ORDER": "off"}, "STOP = True is not accepted: give False, or set TEMPLCRAWL_ORDER"),
        ({"STOP": True, "ORDER": "template"}, "give False, or set TEMPLCRAWL_ORDER"),
        ({"STOP": True, "ORDER": "focus", "RELEVANCE": len}, "give False, or set TEMPLCRAWL_ORDER"),
        ({"ORDER": "focus"}, "another order, or set TEMPLCRAWL_RELEVANCE as well"),
        ({"RELEVANCE": f"{SHOP}.relevance.not_callable"}, "a function of a page"),
        ({"RELEVANCE": f"{SHOP}.relevance.no_such_name"}, "a function of a page"),
        ({"RELEVANCE": "solar power"}, "a function of a page"),
        ({"RELEVANCE": 3}, "a function of a page"),
        (
            {"ITEM_FIELDS": {"relevance": "relevance"}},
            "fields without relevance, or set TEMPLCRAWL_RELEVANCE as well",
        ),
        (
            {"ITEM_FIELDS": {"article_text": "body"}},
            "fields without article_text, or set TEMPLCRAWL_EXTRACTOR as well",
        ),
        ({"EXTRACTOR": "toast"}, "TEMPLCRAWL_EXTRACTOR = 'toast'"),
        ({"ORDER": "targets"}, "another order, or set TEMPLCRAWL_TARGETS as well"),
        ({"TARGETS": PAGES_LIKE, "ORDER": "adaptive"}, "none, or set TEMPLCRAWL_ORDER = 'targets' as well"),
        ({"TARGETS": PAGES_LIKE, "ORDER": "focus", "RELEVANCE": len}, "goes by TEMPLCRAWL_RELEVANCE, too"),
        (
            {"ORDER": "targets", "TARGETS": ["shelf"]},
            "names of page types with TEMPLCRAWL_PAGE_TYPE_EXAMPLES",
        ),
        ({"ORDER": "targets", "TARGETS": [7]}, "a list of addresses, or of names of page types or kinds"),
        ({"ORDER": "targets", "TARGETS": 65 * PAGES_LIKE}, "at most 64 targets"),
        ({"KIND_CALLBACKS": {"products": "parse"}}, "kinds of pages"),
        ({"KIND_CALLBACKS": {"product": 7}}, "kinds of pages"),
        ({"KIND_CALLBACKS": "product"}, "kinds of pages"),
        ({"TOPIC": "tea", "RELEVANCE": len}, "no topic beside TEMPLCRAWL_RELEVANCE"),
    ],
)
def test_what_a_setting_lacks_among_the_others_is_named(values: dict[str, object], advice: str) -> None:
    with pytest.raises(InvalidOption, match=advice):
        read(**values)


@pytest.mark.parametrize(
    ("values", "meant"),
    [
        ({"ORDER": "adaptiv"}, "adaptive"),
        ({"ORDER": "Targets"}, "targets"),
        ({"TEMPLATE_OF": "page_type"}, "page type"),
        ({"DETECTOR": "sandwich_lines"}, "sandwich-lines"),
        ({"ITEM_FIELDS": "content_txt"}, "content_text"),
        ({"ITEM_FIELDS": ["content_text", "leafid"]}, "leaf_id"),
        ({"ITEM_FIELDS": {"content_markdwn": "text"}}, "content_markdown"),
        ({"KIND_CALLBACKS": {"articles": "parse"}}, "article"),
        ({"ORDER": "targets", "TARGETS": ["products"]}, "product"),
        ({"EXTRACTOR": "artcle"}, "article"),
        ({"SKIP_UNCHANGED": "template_only"}, "template only"),
    ],
)
def test_the_nearest_name_is_suggested(values: dict[str, object], meant: str) -> None:
    with pytest.raises(InvalidOption, match=f"; is '{meant}' meant\\?$"):
        read(**values)


@pytest.mark.parametrize("values", [{"ORDER": "sideways"}, {"ITEM_FIELDS": "body"}, {"TEMPLATE_OF": 7}])
def test_no_name_is_suggested_where_none_is_near(values: dict[str, object]) -> None:
    with pytest.raises(InvalidOption) as caught:
        read(**values)
    assert "meant" not in str(caught.value)


@pytest.mark.parametrize(
    "name", ["REPORT", "ARCHIVE", "PAGE_TYPES_FILE", "DATABASE", "STORE", "PAGE_TYPE_EXAMPLES"]
)
@pytest.mark.parametrize("value", [True, False, "True", "false"])
def test_a_file_is_named_and_not_switched_on(name: str, value: object) -> None:
    with pytest.raises(InvalidOption, match=r"give a name, such as '.+', or '' for none"):
        read(**{name: value})


def test_the_variable_of_the_environment_is_no_setting() -> None:
    given = BaseSettings({"TEMPLCRAWL_KERNEL": "off", "TEMPLCRAWL_REPROT": "report.html"})
    hints = unknown_settings(given)
    assert hints["TEMPLCRAWL_KERNEL"].startswith(": it is a variable of the environment")
    assert hints["TEMPLCRAWL_REPROT"] == ": is TEMPLCRAWL_REPORT meant?"


def test_what_a_pipeline_goes_by_is_found_out_without_being_named() -> None:
    assert [*read(SKIP_UNCHANGED=True).memory.sections] == ["changes"]
    assert not read(DROP_NEAR_DUPLICATES=True).memory.sections
    assert read(SKIP_UNCHANGED="template only").item_fields == {}


def test_a_setting_that_nothing_asks_for_needs_no_other() -> None:
    assert read(STOP=True, ORDER="adaptive").stop
    assert not read(STOP=False, ORDER="off").stop
    assert read(RELEVANCE=len).order == "adaptive"
    assert read(EXTRACTOR="article").item_fields == {}
    assert read(EXTRACTOR="article", ITEM_FIELDS={"article_text": "body"}).item_fields == {
        "article_text": "body"
    }


NASTY: dict[str, object] = {
    "[]": [],
    "{}": {},
    "None": None,
    "empty": "",
    "blank": " ",
    "NUL": "a\0b",
    "surrogate": "\ud800",
    "dot": ".",
    "first dot": ".x",
    "last dot": "x.",
    "two dots": "..x.y",
    "file": "file",
    "below a file": "file/x",
    "pattern": "%(name)999999999999d%(unknown)s%",
    "scheme": "redis://[",
    "address": "redis://127.0.0.1:99999/x?y=z",
    "words": "a=b c",
    "10**30": 10**30,
    "2**31": 2**31,
    "2**31 - 1": 2**31 - 1,
    "digits": "9" * 300,
    "many digits": "9" * 5_000,
    "-1": -1,
    "0": 0,
    "1e-300": 1e-300,
    "nan": float("nan"),
    "inf": "inf",
    "bytes": b"off",
    "True": True,
    "set": {"off"},
    "list of lists": [[]],
    "list of None": [None],
    "list of empty": [""],
    "dict": {"content_text": "\0"},
    "deep JSON": "[" * 100_000,
    "object": object(),
    "type": str,
    "function": len,
}
"""Name -> a value that somebody may give to any setting, by mistake or not."""


def refusal(name: str, value: object) -> str | None:
    """Return what is said where a value does not pass the reading of settings, None where it does."""
    try:
        TemplcrawlSettings.from_settings(Settings({name: value}))
    except InvalidOption as error:
        return str(error)
    return None


@pytest.mark.parametrize("name", SETTINGS)
def test_any_value_is_read_or_refused_by_the_name_of_its_setting(name: str) -> None:
    for value in NASTY.values():
        said = refusal(name, value)
        assert said is None or said.startswith(f"{name} = "), (value, said)
        assert len(said or "") < 1_000


@pytest.mark.parametrize("name", ["RELEVANCE", "EXTRACTOR"])
def test_a_module_that_cannot_be_imported_is_named_with_its_error(
    name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "module_that_fails.py").write_text("raise ArithmeticError('no module')")
    monkeypatch.syspath_prepend(tmp_path)
    said = refusal(f"TEMPLCRAWL_{name}", "module_that_fails.function")
    assert said is not None
    assert "(ArithmeticError: no module)" in said


USED_AS_TEXT = ("PAGE_TYPE_EXAMPLES", "STORE", "DATABASE", "ARCHIVE", "REPORT")
"""Settings of which more is known at the start than on reading."""


async def crawl_with_all() -> dict[str, dict[str, Any]]:
    """Crawl with values that pass the reading of settings; return these -> what was done."""
    most = {name: 2**31 - 1 for name in SETTINGS if refusal(name, 2**31 - 1) is None}
    given: list[dict[str, object]] = [most, {"TEMPLCRAWL_ORDER": []}]
    for value in NASTY.values():
        if isinstance(value, str) and len(value) < 1_000 and refusal("TEMPLCRAWL_REPORT", value) is None:
            given.append({"TEMPLCRAWL_STRIP_FIELDS": value, "TEMPLCRAWL_DATABASE": f"sqlite:///{value}"})
            given += ({f"TEMPLCRAWL_{name}": value} for name in USED_AS_TEXT)
    return {str(values)[:200]: await crawl({**ADDON, **values}) for values in given}


@pytest.mark.exhaustive
def test_any_value_that_is_read_is_worked_with_or_stops_the_start(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("no HTML")
    done: dict[str, dict[str, Any]] = in_new_process("crawl.test_settings", str(tmp_path))
    assert len(done) > 60
    for setting, crawled in done.items():
        if crawled["failure"]:
            assert crawled["failure"].startswith("InvalidOption('TEMPLCRAWL_"), (setting, crawled)
            assert not crawled["fetched"], setting
        else:
            assert len(set(crawled["fetched"])) == crawled["pages"] - 1 == PAGES, (setting, crawled)
            assert not crawled["errors"], (setting, crawled)
    refused = [setting for setting, crawled in done.items() if crawled["failure"]]
    assert "{'TEMPLCRAWL_ORDER': []}" in refused
    assert len(done) - len(refused) > 15


NO_REACTOR = {"TWISTED_REACTOR_ENABLED": False, "DOWNLOAD_HANDLERS": {"http": None, "https": None}}
"""Without handlers: what aiohttp has opened Scrapy closes as a running engine stops, and there is none."""


@pytest.mark.parametrize(
    ("name", "value", "more"),
    [
        ("ORDER", "sideways", {}),
        ("DATABASE", "sqlite:////dev/null/x", NO_REACTOR),
        ("DATABASE", "mysql://me:secret@db/crawl", {}),
        ("ARCHIVE", "/dev/null/crawl", {}),
        pytest.param("ARCHIVE", "no-such-scheme://bucket/crawl", {}, marks=pytest.mark.exhaustive),
        ("REPORT", "/tmp", {}),
        pytest.param("REPORT", "/no/such/folder/report.html", {}, marks=pytest.mark.exhaustive),
        pytest.param("PAGE_TYPES_FILE", "/no/such/folder/types.json", {}, marks=pytest.mark.exhaustive),
    ],
)
def test_the_log_of_a_crawl_that_does_not_start_ends_with_one_sentence(
    name: str, value: str, more: dict[str, object], tmp_path: Path
) -> None:
    crawl = run_crawl(
        "plain", "http://127.0.0.1:9/", tmp_path, {**ADDON, **more, f"TEMPLCRAWL_{name}": value}
    )
    shown = "…" if "secret" in value else repr(value)
    sentence = f" [templcrawl] ERROR: TEMPLCRAWL_{name} = {shown} is not accepted: give "
    assert crawl.log.count(sentence) == crawl.log.count("is not accepted") == 1
    assert "never retrieved" not in crawl.log
    assert sentence in crawl.log.splitlines()[-1]
    assert "Traceback" not in crawl.log
    assert not crawl.responses


if __name__ == "__main__":
    os.chdir(sys.argv[1])
    in_this_process(crawl_with_all)
