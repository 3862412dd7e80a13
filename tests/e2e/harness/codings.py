"""Content codings with the standard library alone: zstd and br by hand, as frames of stored data."""

import gzip
import struct
import zlib

ZSTD_BLOCK = 128 * 1024
BR_BLOCK = 64 * 1024


def _zstd_frame(blocks):
    """Of (type, size, bytes); type 0 stores them, type 1 repeats one byte. The window is of 8 MiB."""
    frame = bytearray(b"\x28\xb5\x2f\xfd\x00\x68")
    for i, (kind, size, data) in enumerate(blocks):
        last = i == len(blocks) - 1
        frame += struct.pack("<I", last | kind << 1 | size << 3)[:3] + data
    return bytes(frame)


def zstd(data):
    pieces = [data[i:i + ZSTD_BLOCK] for i in range(0, len(data), ZSTD_BLOCK)] or [b""]
    return _zstd_frame([(0, len(piece), piece) for piece in pieces])


def zstd_bomb(size):
    return _zstd_frame([(1, ZSTD_BLOCK, b"x")] * (size // ZSTD_BLOCK))


def br(data):
    out = bytearray()
    for at in range(0, len(data), BR_BLOCK):
        piece = data[at:at + BR_BLOCK]
        header = (len(piece) - 1) << 3 | 1 << 19  # not the last, a length of 16 bits, stored
        out += struct.pack("<I", header << 1 if at == 0 else header)[:3] + piece
    return bytes(out) + (b"\x03" if data else b"\x06")  # before the first block stands a bit for the window


def deflate(data):
    return zlib.compress(data)


ENCODERS = {"zstd": zstd, "gzip": gzip.compress, "x-gzip": gzip.compress, "br": br, "deflate": deflate}
