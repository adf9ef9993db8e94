"""The default logo of a bundle."""

import struct
import zlib

SIZE = 128  # pixels
DARK, LIGHT = b"\x2b\x4a\x6f", b"\xe8\xee\xf4"


def draw_logo() -> bytes:
    """Return a picture (PNG) of two overlapping squares, always the same bytes."""
    rows = b"".join(b"\0" + _draw_row(row) for row in range(SIZE))
    header = struct.pack(">2L5B", SIZE, SIZE, 8, 2, 0, 0, 0)
    # Stored, not compressed: the bytes of a compressor depend on its version.
    chunks = ((b"IHDR", header), (b"IDAT", zlib.compress(rows, 0)), (b"IEND", b""))
    return b"\x89PNG\r\n\x1a\n" + b"".join(_pack_chunk(*chunk) for chunk in chunks)


def _draw_row(row: int) -> bytes:
    return b"".join(DARK if _is_dark(row, column) else LIGHT for column in range(SIZE))


def _is_dark(row: int, column: int) -> bool:
    """Return whether a pixel is in one of the squares, but not in both."""
    first = all(SIZE // 8 <= place < SIZE * 5 // 8 for place in (row, column))
    second = all(SIZE * 3 // 8 <= place < SIZE * 7 // 8 for place in (row, column))
    return first != second


def _pack_chunk(name: bytes, content: bytes) -> bytes:
    checksum = zlib.crc32(name + content)
    return struct.pack(">L", len(content)) + name + content + struct.pack(">L", checksum)
