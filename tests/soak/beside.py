"""What is asked beside turns, and what is refused."""

import plan as plans

# Method, path, status, and what the answer has in it.
LOOKUPS = (
    ("GET", "/v1/models", 200, b'"ranked"'),
    ("HEAD", "/v1/models", 200, b""),
    ("GET", "/health", 200, b"{}"),
    ("HEAD", "/", 200, b""),
    ("GET", "/version", 200, b"lmwarden"),
    ("OPTIONS", "/v1/messages", 204, b""),
    ("POST", "/v1/messages/count_tokens", 200, b'{"count":%d}'),
    ("POST", "/tokenize", 200, b'{"count":%d}'),
    ("GET", "/nothing", 404, b"not_found"),
    ("DELETE", "/v1/messages", 405, b"invalid_request"),
)
HEAD = b"POST /v1/messages HTTP/1.1\r\nHost: x\r\n"
# The request, its status, and whether the connection ends with it.
MALFORMED = (
    (HEAD + b"Content-Length: 2\r\nTransfer-Encoding: chunked\r\n\r\n{}", 400, True),
    (HEAD + b"Content-Length: 2\r\nContent-Length: 2\r\n\r\n{}", 400, True),
    (HEAD + b"Content-Length: +2\r\n\r\n{}", 400, True),
    (HEAD + b"X-A: 1\r\n folded\r\nContent-Length: 2\r\n\r\n{}", 400, True),
    (HEAD + b"Transfer-Encoding: chunked\r\n\r\nxyz\r\n", 400, True),
    (b"GET / HTTP/3.0\r\n\r\n", 505, True),
    (b"\0\1\2\3\r\n\r\n", 400, True),
    (HEAD + b"Content-Length: %d\r\n\r\n" % (plans.BODY_LIMIT + 1), 413, True),
    (HEAD + b"X-Long: " + b"a" * 270_000 + b"\r\n\r\n", 431, True),
    (HEAD + b'Content-Length: 9\r\n\r\n{"model":', 400, False),
    (HEAD + b"Content-Length: 0\r\n\r\n", 400, False),
    (HEAD + b"Content-Encoding: compress\r\nContent-Length: 2\r\n\r\n{}", 415, False),
    (HEAD + b"Content-Encoding: gzip\r\nContent-Length: 2\r\n\r\n{}", 400, False),
    (HEAD + b'Content-Length: 16\r\n\r\n{"model":"none"}', 404, False),
)


def lookup(number):
    return LOOKUPS[number // 7 % len(LOOKUPS)]


def malformed(number):
    return MALFORMED[number // 7 % len(MALFORMED)]
