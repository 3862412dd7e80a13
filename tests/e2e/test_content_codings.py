"""Request bodies that come encoded: engines get them plain, and they count as the plain ones do."""

import gzip
import json
import unittest

from harness import GatewayCase
from harness.codings import ENCODERS, br, zstd, zstd_bomb
from harness.gateway import SANITIZED, chat_request, messages_request

MIB = 1 << 20
BODY = json.dumps({**chat_request(), "input": "Hello", "prompt": "é\U0001f600" * 1000}).encode()
PATHS = ("/v1/chat/completions", "/v1/completions", "/v1/responses", "/v1/messages", "/v1/messages/count_tokens",
         "/tokenize", "/detokenize")


def encoded(coding):
    return [("Content-Encoding", coding)]


class Decoding(GatewayCase):
    def test_engines_get_every_body_plain_on_every_path(self):
        upstream, gateway = self.pair()
        upstream.answer = lambda exchange: exchange.reply(200, b"{}")
        for coding, encode in ENCODERS.items():
            for path in PATHS:
                with self.subTest(coding, path=path):
                    before = upstream.count(path)
                    answer = gateway.ask("POST", path, encode(BODY), encoded(coding))
                    self.assertEqual((answer.status, upstream.count(path)), (200, before + 1), answer)
                    request = [request for request in upstream.requests if request.path == path][-1]
                    self.assertEqual(request.body, BODY)
                    self.assertEqual(request.headers.all("Content-Encoding"), [])
                    self.assertEqual(request.headers.all("Content-Length"), [str(len(BODY))])

    def test_an_encoded_body_belongs_to_the_same_conversation_and_is_edited_like_the_plain_one(self):
        upstream, gateway = self.pair(ranks=4)
        sessions = [{"prompt_cache_key": f"0197a2c0-0000-7000-8000-{i:012}"} for i in range(4)]
        for coding in (None, *ENCODERS):
            for session in sessions:
                body = json.dumps(chat_request(stream=True, **session)).encode()
                headers = encoded(coding) if coding else []
                gateway.ask("POST", "/v1/chat/completions", ENCODERS[coding](body) if coding else body, headers)
        ranks = {session["prompt_cache_key"]: set() for session in sessions}
        for turn in upstream.turns:
            ranks[turn.json()["prompt_cache_key"]].add(turn.rank)
            self.assertEqual(turn.json()["stream_options"], {"include_usage": True})
        self.assertEqual([len(seen) for seen in ranks.values()], [1] * 4)
        self.assertEqual(len(gateway.conversations()), 4)
        totals = gateway.totals()
        self.assertEqual((totals["placed"], totals["sticky"]), (4, 4 * len(ENCODERS)))

    def test_of_two_codings_the_last_is_undone_first(self):
        upstream, gateway = self.pair()
        for headers in (encoded("gzip, zstd"), encoded("gzip") + encoded("ZSTD"), encoded("identity,gzip,, zstd")):
            gateway.ask("POST", "/v1/chat/completions", zstd(gzip.compress(BODY)), headers)
            self.assertEqual(upstream.turns[-1].body, BODY)

    def test_members_and_frames_that_follow_each_other_are_one_body(self):
        upstream, gateway = self.pair()
        for coding, encode in (("gzip", gzip.compress), ("zstd", zstd)):
            gateway.ask("POST", "/v1/chat/completions", encode(BODY[:9]) + encode(b"") + encode(BODY[9:]), encoded(coding))
            self.assertEqual(upstream.turns[-1].body, BODY)

    def test_an_empty_body_and_identity_are_no_codings(self):
        upstream, gateway = self.pair()
        upstream.answer = lambda exchange: exchange.reply(200, b"{}")
        for coding in ENCODERS:
            self.assertEqual(gateway.ask("POST", "/v1/chat/completions", b"", encoded(coding)).status, 200)
            self.assertEqual(upstream.turns[-1].body, b"")
        self.assertEqual(gateway.ask("POST", "/v1/chat/completions", BODY, encoded("identity")).status, 200)
        self.assertEqual(upstream.turns[-1].body, BODY)

    def test_a_body_of_63_mib_passes(self):
        upstream, gateway = self.pair()
        body = b'{"model":"tiny","messages":[{"role":"user","content":"' + b"x" * (63 * MIB) + b'"}]}'
        for coding, encode in (("zstd", zstd), ("br", br)):
            self.assertEqual(gateway.ask("POST", "/v1/chat/completions", encode(body), encoded(coding)).status, 200)
            self.assertTrue(upstream.turns[-1].body == body)

    def test_it_can_be_switched_off(self):
        upstream, gateway = self.pair(flags=["--edits-decode-requests", "false"])
        upstream.answer = lambda exchange: exchange.reply(200, b"{}")
        for coding, body in (("zstd", zstd(BODY)), ("compress", b"\x1f\x9dabc")):
            self.assertEqual(gateway.ask("POST", "/v1/chat/completions", body, encoded(coding)).status, 200)
            turn = upstream.turns[-1]
            self.assertEqual((turn.body, turn.headers.all("Content-Encoding")), (body, [coding]))


class Refusals(GatewayCase):
    def refused(self, gateway, body, headers, status):
        """In both families, and over one connection: what was refused has been read."""
        with gateway.connect() as client:
            error = self.assert_openai_error(client.ask("POST", "/v1/chat/completions", body, headers), status)
            self.assert_openai_error(client.ask("POST", "/v1/responses", body, headers), status)
            self.assert_openai_error(client.ask("POST", "/tokenize", body, headers), status)
            self.assert_anthropic_error(client.ask("POST", "/v1/messages", body, headers), status)
        return error

    def test_an_unknown_coding_is_told_which_ones_are_known(self):
        upstream, gateway = self.pair()
        for coding in ("compress", "gzip, foo", "zstd;q=1", "gzip, gzip, gzip"):
            for path, check in (("/v1/chat/completions", self.assert_openai_error),
                                ("/v1/messages", self.assert_anthropic_error)):
                answer = gateway.ask("POST", path, BODY, encoded(coding))
                error = check(answer, 415, "invalid_request_error")
                self.assertEqual(answer.headers.all("Accept-Encoding"), ["zstd, gzip, br, deflate"])
                self.assertIn("zstd, gzip, br, deflate", error["message"])
        self.assertEqual(upstream.turns, [])

    def test_an_unknown_coding_is_refused_before_the_body_is_asked_for(self):
        _, gateway = self.pair()
        with gateway.connect() as client:
            client.send(b"POST /v1/messages HTTP/1.1\r\nHost: x\r\nExpect: 100-continue\r\n"
                        b"Content-Encoding: compress\r\nContent-Length: 100\r\n\r\n")
            self.assert_anthropic_error(client.read_response(), 415)

    def test_data_that_is_not_what_its_coding_says_is_refused(self):
        upstream, gateway = self.pair()
        for coding, encode in ENCODERS.items():
            whole = encode(BODY)
            flipped = bytearray(whole)
            flipped[0] ^= 0xff
            for what, body in (("not encoded", BODY), ("cut short", whole[:-1]), ("followed", whole + b"x"),
                               ("a byte", whole[:1]), ("damaged", bytes(flipped))):
                with self.subTest(coding, what=what):
                    error = self.refused(gateway, body, encoded(coding), 400)
                    self.assertIn("Content-Encoding", error["message"])
        self.assertEqual(upstream.turns, [])

    def test_a_bomb_is_refused_and_takes_no_memory(self):
        upstream, gateway = self.pair(flags=["--limits-body-bytes", "8MiB"])
        gateway.chat()
        before = gateway.peak_rss()
        bombs = {"zstd": zstd_bomb(2 << 30), "gzip": gzip.compress(b"x" * (64 * MIB), 1),
                 "zstd, gzip": gzip.compress(zstd_bomb(2 << 30), 1)}
        for coding, bomb in bombs.items():
            self.assertLess(len(bomb), MIB)
            error = self.refused(gateway, bomb, encoded(coding), 413)
            self.assertIn("limits.body_bytes", error["message"])
        self.assertLess(gateway.peak_rss() - before, (60 if SANITIZED else 40) * MIB)
        self.assertEqual(len(upstream.turns), 1)

    def test_the_limit_itself_passes(self):
        upstream, gateway = self.pair(flags=["--limits-body-bytes", "1MiB"])
        body = BODY + b" " * (MIB - len(BODY))
        for coding in ("gzip", "deflate"):
            encode = ENCODERS[coding]
            self.assertEqual(gateway.ask("POST", "/v1/chat/completions", encode(body), encoded(coding)).status, 200)
            self.assertEqual(gateway.ask("POST", "/v1/chat/completions", encode(body + b" "), encoded(coding)).status, 413)
        self.assertEqual(len(upstream.turns), 2)

    def test_a_model_that_is_not_here_is_told_of_as_for_a_plain_body(self):
        _, gateway = self.pair()
        body = json.dumps(messages_request(model="other")).encode()
        self.assert_anthropic_error(gateway.ask("POST", "/v1/messages", zstd(body), encoded("zstd")), 404)


if __name__ == "__main__":
    unittest.main()
