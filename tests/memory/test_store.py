"""Snapshots on disk: whole or not at all, and never misread."""

from __future__ import annotations

import os
import tracemalloc
import zlib
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from xxhash import xxh3_64_hexdigest

from templcrawl.errors import InvalidSnapshot
from templcrawl.memory.snapshot_values import pack, unpack
from templcrawl.memory.store import ALL_SITES, FORMAT, FolderStore, pack_state


@given(st.lists(st.integers(0, 2**64 - 1)))
def test_packed_numbers_come_back(numbers: list[int]) -> None:
    assert unpack(pack(numbers)).tolist() == numbers


def test_what_was_saved_is_loaded_and_other_hosts_are_unknown(tmp_path: Path) -> None:
    store = FolderStore(tmp_path / "new" / "folder")
    store.write("example.org:8080", pack_state({"pages": 3}))
    store.write("example.org_8080", pack_state({"pages": 4}))
    again = FolderStore(tmp_path / "new" / "folder")
    assert again.load("example.org:8080") == {"pages": 3}
    assert again.load("example.org_8080") == {"pages": 4}
    assert again.load("unknown.org") is None
    assert len(again) == 2


@pytest.mark.parametrize("damage", ["truncate", "flip", "empty", "noise"])
def test_a_damaged_file_is_refused_with_a_reason(tmp_path: Path, damage: str) -> None:
    store = FolderStore(tmp_path)
    store.write("example.org", pack_state({"pages": list(range(100))}))
    path = store.path("example.org")
    whole = path.read_bytes()
    path.write_bytes(
        {
            "truncate": whole[:-7],
            "flip": whole[:-9] + bytes([whole[-9] ^ 1]) + whole[-8:],
            "empty": b"",
            "noise": b"\0\1\2 no snapshot",
        }[damage]
    )
    with pytest.raises(InvalidSnapshot, match="damaged"):
        FolderStore(tmp_path).load("example.org")


def test_every_truncation_of_a_file_is_refused(tmp_path: Path) -> None:
    store = FolderStore(tmp_path)
    store.write("example.org", pack_state({"pages": [1, 2, 3]}))
    path = store.path("example.org")
    whole = path.read_bytes()
    for length in range(len(whole)):
        path.write_bytes(whole[:length])
        with pytest.raises(InvalidSnapshot):
            store.load("example.org")


def write_body(store: FolderStore, host: str, body: bytes) -> None:
    head = b"templcrawl-site %d %s\n" % (FORMAT, xxh3_64_hexdigest(body).encode())
    store.path(host).write_bytes(head + body)


def test_a_file_that_unpacks_to_far_more_than_its_size_is_refused_in_bounded_memory(tmp_path: Path) -> None:
    store = FolderStore(tmp_path)
    packer = zlib.compressobj(9)
    pieces = [packer.compress(b'{"pages":['), *(packer.compress(b"0," * 2**20) for _ in range(128))]
    body = b"".join([*pieces, packer.compress(b"0]}"), packer.flush()])
    assert len(body) < 1_000_000
    write_body(store, "bomb.example", body)
    tracemalloc.start()
    try:
        with pytest.raises(InvalidSnapshot, match="unpacks to more than"):
            store.load("bomb.example")
        assert tracemalloc.get_traced_memory()[1] < 80_000_000
    finally:
        tracemalloc.stop()


def test_what_is_cut_under_a_checksum_that_is_right_is_refused(tmp_path: Path) -> None:
    store = FolderStore(tmp_path)
    write_body(store, "cut.example", zlib.compress(b'{"pages": 1}')[:-5])
    with pytest.raises(InvalidSnapshot, match="does not end"):
        store.load("cut.example")


@pytest.mark.parametrize(("repeats", "is_read"), [(4, True), (200, False)])
def test_a_large_file_may_unpack_to_twenty_times_its_size(
    repeats: int, is_read: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("templcrawl.memory.store._ALWAYS_UNPACKED", 100)
    store = FolderStore(tmp_path)
    text = "".join(map(str, range(300))) * repeats
    store.write("large.example", pack_state({"text": text}))
    if is_read:
        assert store.load("large.example") == {"text": text}
    else:
        with pytest.raises(InvalidSnapshot):
            store.load("large.example")


def test_a_newer_format_stops_the_start(tmp_path: Path) -> None:
    store = FolderStore(tmp_path)
    store.write("example.org", pack_state({}))
    path = store.path("example.org")
    path.write_bytes(
        path.read_bytes().replace(b"templcrawl-site %d" % FORMAT, b"templcrawl-site %d" % (FORMAT + 1), 1)
    )
    with pytest.raises(InvalidSnapshot, match="newer templcrawl"):
        FolderStore(tmp_path)


def test_a_kill_while_writing_leaves_the_old_snapshot(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    store = FolderStore(tmp_path)
    store.write("example.org", pack_state({"pages": 1}))

    def killed(descriptor: int) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(os, "fsync", killed)
    with pytest.raises(KeyboardInterrupt):
        store.write("example.org", pack_state({"pages": 2}))
    again = FolderStore(tmp_path)
    assert again.load("example.org") == {"pages": 1}
    assert not list(tmp_path.glob("*.part"))


def test_a_newer_file_that_comes_while_a_crawl_runs_is_not_written_over(tmp_path: Path) -> None:
    store = FolderStore(tmp_path)
    store.write("example.org", pack_state({"pages": 1}))
    path = store.path("example.org")
    newer = path.read_bytes().replace(b"templcrawl-site %d" % FORMAT, b"templcrawl-site %d" % (FORMAT + 1), 1)
    path.write_bytes(newer)
    for step in (
        lambda: store.load("example.org"),
        lambda: store.write("example.org", pack_state({"pages": 2})),
    ):
        with pytest.raises(InvalidSnapshot, match="newer templcrawl"):
            step()
    assert path.read_bytes() == newer


def test_a_file_of_an_older_format_is_not_read_but_written_over(tmp_path: Path) -> None:
    store = FolderStore(tmp_path)
    store.write("example.org", pack_state({"pages": 1}))
    path = store.path("example.org")
    path.write_bytes(path.read_bytes().replace(b"templcrawl-site %d" % FORMAT, b"templcrawl-site 1", 1))
    again = FolderStore(tmp_path)
    with pytest.raises(InvalidSnapshot, match="format 1, of an older templcrawl"):
        again.load("example.org")
    again.write("example.org", pack_state({"pages": 2}))
    assert again.load("example.org") == {"pages": 2}


def test_a_folder_that_cannot_be_opened_is_our_error(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("no folder")
    for folder in (tmp_path / "file", tmp_path / "file" / "deeper"):
        with pytest.raises(InvalidSnapshot, match="cannot be opened"):
            FolderStore(folder)


def test_a_file_that_cannot_be_read_is_our_error_when_it_is_asked_for(tmp_path: Path) -> None:
    store = FolderStore(tmp_path)
    store.path("example.org").mkdir()
    again = FolderStore(tmp_path)
    with pytest.raises(InvalidSnapshot, match="cannot be read"):
        again.load("example.org")


def test_files_written_longest_ago_are_evicted_but_never_what_is_known_across_sites(tmp_path: Path) -> None:
    store = FolderStore(tmp_path, limit=32)
    store.write(ALL_SITES, pack_state({}))
    for number in range(100):
        store.write(f"{number}.org", pack_state({"pages": number}))
        os.utime(store.path(f"{number}.org"), ns=(number, number))
        assert len(store) <= 32 + 2 + 1
    kept = [number for number in range(100) if store.load(f"{number}.org") is not None]
    assert kept == list(range(kept[0], 100))
    assert 32 <= len(kept) == 100 - store.evicted
    assert store.load(ALL_SITES) == {}
    again = FolderStore(tmp_path, limit=16)
    assert [again.load(f"{number}.org") for number in range(84, 100)] == [
        {"pages": number} for number in range(84, 100)
    ]
    assert len(again) == 16 + 1


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="named pipes")
def test_a_named_pipe_in_the_place_of_a_site_is_not_waited_for(tmp_path: Path) -> None:
    path = FolderStore(tmp_path).path("a.example")
    os.mkfifo(path)
    with pytest.raises(InvalidSnapshot):
        FolderStore(tmp_path).load("a.example")
