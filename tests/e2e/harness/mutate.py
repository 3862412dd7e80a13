"""Small damages to bytes, drawn from a seeded generator."""


def mutated(data, rng):
    """`data` with one to three bytes changed, dropped, doubled or put in, or with its end cut off."""
    out = bytearray(data)
    for _ in range(rng.randrange(1, 4)):
        at = rng.randrange(len(out) + 1)
        kind = rng.randrange(6)
        if kind == 0:
            out[at:at + 1] = bytes([rng.randrange(256)])
        elif kind == 1:
            del out[at:at + rng.randrange(1, 8)]
        elif kind == 2:
            out[at:at] = out[at:at + rng.randrange(1, 30)]
        elif kind == 3:
            out[at:at] = rng.choice((b"\r", b"\n", b"\r\n", b"\0", b":", b" ", b"\t", b",", b"0", b"-", b"\xff", b"{", b'"'))
        elif kind == 4:
            out[at:] = b""
        else:
            out[at:at + 1] = bytes([(out[at] ^ (1 << rng.randrange(8)))]) if at < len(out) else b"x"
        if not out:
            out += b"\n"
    return bytes(out)
