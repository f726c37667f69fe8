"""Roles of links are found again on pages, and what becomes of their links is said in words."""

from __future__ import annotations

import pytest

from templcrawl.memory.link_tables import PayTable, RoleRecord
from templcrawl.outputs.report.places import RoleExample, add_examples, role_rows
from templcrawl.page.page import Page

MENU = "<ul class='menu wide'><li><a href=/a>a</a><li><a href=/b>b</a><li><a href=/c?sid=1>c</a></ul>"


def test_an_example_of_each_role_is_found() -> None:
    examples: dict[int, RoleExample] = {}
    page = Page(
        f"<body><div>{MENU}</div><p><a href=/d>d</a><a href=/e>e</a><a href=/f>f</a>", "http://a.example/"
    )
    add_examples(examples, page, min_links=3)
    assert list(examples.values()) == [
        RoleExample('list "menu"', "http://a.example/a"),
        RoleExample('list "menu"', "http://a.example/c?sid=1"),
        RoleExample("paragraph", "http://a.example/d"),
    ]


@pytest.mark.parametrize(
    ("role_yield", "standing"),
    [
        (2.0, "go first"),
        (1.0, "wait their turn"),
        (0.5, "wait"),
        (0.05, "starved: wait for all others"),
    ],
)
def test_where_links_of_a_role_stand(role_yield: float, standing: str) -> None:
    (row,) = role_rows([RoleRecord(7, 4, 10, role_yield)], {})
    assert (row.standing, row.words_a_page, row.example) == (standing, 2.5, None)


def test_the_largest_roles_come_first() -> None:
    table = PayTable(limit=10)
    for role, words in ((1, 30), (2, 10), (2, 20), (3, 0)):
        table.credit([role], role, words)
    assert [record[:3] for record in table.largest(2)] == [(2, 2, 30), (1, 1, 30)]
    assert table.largest(1)[0].role_yield == pytest.approx((2 + 4) / (2 + 4))
