"""Archives that were uploaded: what is read, and what is refused before it costs anything."""

import re
import stat
import struct
import zipfile
import zlib

import pytest
from hypothesis import given
from hypothesis import strategies as st

from postprocess.unpacking import CENTRAL_ENTRY, ArchiveRefused, Limits, Member, unpack
from tests.hostile_archives import BOMBS, encrypted, linked, pack

LIMITS = Limits(entries=50, bytes_each=10_000_000, bytes_together=20_000_000, ratio=100)


def test_files_are_read_and_folders_and_unwanted_files_are_not():
    packed = pack({"a/": b"", "a/one.tsv": b"1", "two.tsv": b"2" * 1000, "notes.pdf": b"x"})

    found = unpack(packed, LIMITS, lambda path: path.endswith(".tsv"))

    assert found == [
        Member("a/one.tsv", b"1"), Member("two.tsv", b"2" * 1000), Member("notes.pdf", b""),
    ]  # fmt: skip


def test_a_small_uniform_file_is_no_bomb():
    constant = b"0\n" * 400_000
    packed = pack({"results.tsv": constant}, zipfile.ZIP_DEFLATED)

    assert len(packed) < len(constant) / 500
    assert unpack(packed, LIMITS) == [Member("results.tsv", constant)]


@pytest.mark.parametrize(
    ("packed", "message"),
    [
        (pack({"../a.tsv": b"1"}), "../a.tsv: the path leads out of the archive; pack it again"),
        (pack({"/etc/a.tsv": b"1"}), "/etc/a.tsv: the path leads out of the archive"),
        (pack({"a\\..\\..\\b.tsv": b"1"}), "the path leads out of the archive"),
        (pack({"C:\\a.tsv": b"1"}), "the path leads out of the archive"),
        (linked("a.tsv", "/etc/passwd"), "a.tsv: this is a link; pack the file itself"),
        (linked("a.tsv", "", stat.S_IFIFO), "a.tsv: this is neither a file nor a folder"),
        (encrypted({"a.tsv": b"1"}), "a.tsv: the file is encrypted; pack it without a password"),
        (pack({"a.tsv": b"1"}, zipfile.ZIP_LZMA), "a.tsv: the file is compressed in an unusual"),
        (pack({"a.zip": b"x"}), "a.zip: this is an archive in the archive; pack its files"),
        (pack({"a.tsv": pack({"b": b""})}), "a.tsv: this is an archive in the archive"),
        (pack({"a.tsv": b"1" * 100})[:-30], "the archive cannot be read (File is not a zip file)"),
        (pack({"a.tsv": b"1" * 100})[40:], "the archive cannot be read ("),
        (b"", "the archive cannot be read"),
        (pack({"a": b"1"}).replace(b"a", b"\0"), "an entry has no name; pack it again"),
        (pack({f"{n}.tsv": b"" for n in range(51)}), "has 51 entries, more than 50; send less"),
        (pack({"a.tsv": b"0" * 10_000_001}, zipfile.ZIP_DEFLATED),
         "a.tsv: the file has 10,000,001 bytes, more than 10,000,000"),
        (pack({f"{n}.tsv": bytes(7_000_000) for n in range(3)}, zipfile.ZIP_DEFLATED),
         "the files together have 21,000,000 bytes, more than 20,000,000"),
        (pack({"a.tsv": bytes(2_000_000)}, zipfile.ZIP_DEFLATED),
         "a.tsv: the file is compressed to less than 1/100 of its size"),
    ],
)  # fmt: skip
def test_what_no_upload_needs_is_refused_with_its_reason(packed, message):
    with pytest.raises(ArchiveRefused, match=re.escape(message)):
        unpack(packed, LIMITS)


@pytest.mark.parametrize("name", BOMBS)
def test_bombs_are_refused_before_they_are_inflated(name, monkeypatch):
    packed = BOMBS[name]()
    inflated = []
    read = zipfile.ZipExtFile.read

    def count(self, n=-1):
        inflated.append(len(piece := read(self, n)))
        return piece

    monkeypatch.setattr(zipfile.ZipExtFile, "read", count)

    with pytest.raises(ArchiveRefused):
        unpack(packed, LIMITS)
    assert sum(inflated) <= 100_000


def test_a_false_size_does_not_hide_a_bomb():
    """Not more is inflated than the directory states, and the checksum then differs."""
    packed = pack({"a.tsv": bytes(5_000_000)}, zipfile.ZIP_DEFLATED)
    place = packed.index(CENTRAL_ENTRY) + 24
    small = packed[:place] + struct.pack("<L", 1000) + packed[place + 4 :]

    with pytest.raises(ArchiveRefused, match="Bad CRC-32"):
        unpack(small, LIMITS)

    honest = zlib.crc32(bytes(1000))
    place = packed.index(CENTRAL_ENTRY) + 16
    small = small[:place] + struct.pack("<L", honest) + small[place + 4 :]
    assert unpack(small, LIMITS) == [Member("a.tsv", bytes(1000))]


def test_sizes_are_counted_while_inflating(monkeypatch):
    packed = pack({"a.tsv": b"1" * 300_000})
    monkeypatch.setattr("postprocess.unpacking._check_sizes", lambda entries, limits: None)

    with pytest.raises(ArchiveRefused, match="has 131,072 bytes, more than 100,000"):
        unpack(packed, LIMITS._replace(bytes_each=100_000))
    with pytest.raises(ArchiveRefused, match="together have 131,072 bytes, more than 100,000"):
        unpack(packed, LIMITS._replace(bytes_together=100_000))


@given(st.binary(max_size=300))
def test_any_bytes_are_read_or_refused(data):
    try:
        unpack(data, LIMITS)
    except ArchiveRefused as error:
        assert error.advice  # noqa: PT017


VALID = pack({"a.tsv": b"change\n1\n", "b/c.tsv": b"2" * 50}, zipfile.ZIP_DEFLATED)


@given(st.lists(st.tuples(st.integers(0, len(VALID) - 1), st.integers(0, 255)), max_size=4))
def test_any_damage_is_read_or_refused(changes):
    damaged = bytearray(VALID)
    for place, byte in changes:
        damaged[place] = byte
    try:
        found = unpack(bytes(damaged), LIMITS)
    except ArchiveRefused:
        return
    assert sum(len(one.data) for one in found) <= LIMITS.bytes_together


def test_nothing_is_written(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)

    unpack(VALID, LIMITS)

    assert list(tmp_path.iterdir()) == []
