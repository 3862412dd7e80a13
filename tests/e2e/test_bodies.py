"""Request bodies: limits, and that not a byte is changed but where it is meant to be."""

import json
import time
import unittest

from harness import GatewayCase
from harness.gateway import chat_request
from harness.wire import chunk

MIB = 1 << 20


def padded_body(size):
    start, end = b'{"model":"tiny","messages":[{"role":"user","content":"', b'"}]}'
    return start + b"x" * (size - len(start) - len(end)) + end


# name -> the body, of which each byte must arrive
ODD_BODIES = {
    "a lone high surrogate": rb'{"model":"tiny","messages":[{"role":"user","content":"\ud83d"}]}',
    "a lone low surrogate": rb'{"model":"tiny","messages":[{"role":"user","content":"x \ude00 y \udcf0"}]}',
    "a surrogate in a key": rb'{"model":"tiny","\ud83d":1,"messages":[]}',
    "an escaped NUL": rb'{"model":"tiny","messages":[{"role":"user","content":"\u0000"}]}',
    "surrogates in a tool result of 200 kB": b'{"model":"tiny","messages":[{"role":"tool","content":"'
                                             + rb"\ud83d\ud83d" * 16_000 + b'"}]}',
    "a raw NUL": b'{"model":"tiny","messages":[{"role":"user","content":"a\0b"}]}',
    "an overlong encoding": b'{"model":"tiny","messages":[{"role":"user","content":"\xc0\xaf"}]}',
    "bytes that are no UTF-8": b'{"model":"tiny","messages":[{"role":"user","content":"\xff\xfe\x80"}]}',
    "integers beyond doubles": b'{"model":"tiny","seed":9007199254740993,"n":165598928036513123123,"messages":[]}',
    "numbers beyond range": b'{"model":"tiny","a":1e400,"b":-1e400,"c":-0,"d":1E-999,"messages":[]}',
    "the model twice": b'{"model":"tiny","model":"tiny","messages":[]}',
    "100k open brackets": b'{"model":"tiny","messages":' + b"[" * 100_000 + b"]" * 100_000 + b"}",
    "100k unclosed brackets": b"[" * 100_000,
    "odd order and space": b' \r\n\t{ "messages" :\n[ ] , "z" : 1,"a":2,  "model"\t:"tiny" }\n\n ',
    "100k keys": b'{"model":"tiny",' + b",".join(b'"k%d":%d' % (i, i) for i in range(100_000)) + b"}",
    "no messages": b'{"model":"tiny","messages":null}',
    "messages of another type": b'{"model":"tiny","messages":"x"}',
    "messages as an object": b'{"model":"tiny","messages":{}}',
    "truncated JSON": b'{"model":"tiny","messages":[{"role":"user","content":"x',
    "no JSON at all": b"hello",
    "an empty body": b"",
    "a list": b"[1,2,3]",
    "a BOM before it": b'\xef\xbb\xbf{"model":"tiny","messages":[]}',
    "two values": b'{"model":"tiny"}{"model":"tiny"}',
    "no model": b'{"messages":[]}',
    "a model of another type": b'{"model":5,"messages":[]}',
}


class Bodies(GatewayCase):
    def test_odd_json_reaches_the_only_engine_byte_for_byte(self):
        upstream, gateway = self.pair()
        upstream.answer = lambda exchange: exchange.reply(200, b"{}")
        for path in ("/v1/chat/completions", "/v1/messages"):
            for what, body in ODD_BODIES.items():
                with self.subTest(what, path=path):
                    answer = gateway.ask("POST", path, body)
                    self.assertEqual((answer.status, answer.body), (200, b"{}"))
                    self.assertEqual(upstream.turns[-1].body, body)
        self.assertEqual(len(upstream.turns), 2 * len(ODD_BODIES))

    def test_json_that_cant_be_read_is_refused_in_the_family_where_several_models_are_served(self):
        one, two = self.upstream(model="one"), self.upstream(model="two")
        gateway = self.gateway(one, two)
        for body in (b"hello", b'{"model":"one","messages":[{"content":"', b'{"messages":[]}', b"[1]"):
            with self.subTest(body):
                answer = gateway.ask("POST", "/v1/chat/completions", body)
                self.assert_openai_error(answer, 400, "invalid_request_error")
                answer = gateway.ask("POST", "/v1/messages", body)
                self.assert_anthropic_error(answer, 400, "invalid_request_error")
        self.assertEqual(one.turns + two.turns, [])

    def test_of_two_models_in_one_body_the_last_counts_as_it_does_for_the_engine(self):
        one, two = self.upstream(model="one"), self.upstream(model="two")
        gateway = self.gateway(one, two)
        body = b'{"model":"one","messages":[],"model":"two"}'
        self.assertEqual(gateway.ask("POST", "/v1/chat/completions", body).status, 200)
        self.assertEqual([turn.body for turn in two.turns], [body])
        self.assertEqual(one.turns, [])

    def test_a_body_of_33_mib_passes(self):
        upstream, gateway = self.pair()
        body = padded_body(33 * MIB)
        self.assertEqual(gateway.ask("POST", "/v1/chat/completions", body).status, 200)
        self.assertTrue(upstream.turns[0].body == body)

    def test_a_body_of_63_mib_in_chunks_passes(self):
        upstream, gateway = self.pair()
        body = padded_body(63 * MIB)
        with gateway.connect() as client:
            client.send(b"POST /v1/chat/completions HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n")
            for at in range(0, len(body), MIB):
                client.send(chunk(body[at:at + MIB]))
            client.send(b"0\r\n\r\n")
            self.assertEqual(client.read_response().status, 200)
        self.assertTrue(upstream.turns[0].body == body)

    def test_a_slow_body_passes_while_each_of_its_bytes_comes_in_time(self):
        upstream, gateway = self.pair(flags=["--timeouts-body-idle", "2s"])
        body = json.dumps(chat_request()).encode()
        start = time.monotonic()
        with gateway.connect() as client:
            client.send(b"POST /v1/chat/completions HTTP/1.1\r\nHost: x\r\nContent-Length: %d\r\n\r\n" % len(body))
            for at in range(len(body)):
                client.send(body[at:at + 1])
                time.sleep(0.05)  # slowness is what is tested
            self.assertEqual(client.read_response().status, 200)
        self.assertGreater(time.monotonic() - start, 2)
        self.assertEqual(upstream.turns[0].body, body)

    def test_a_body_over_the_limit_is_refused_before_it_is_read_and_the_limit_is_named(self):
        upstream, gateway = self.pair()
        for path, check in (("/v1/chat/completions", self.assert_openai_error),
                            ("/v1/messages", self.assert_anthropic_error)):
            with self.subTest(path), gateway.connect() as client:
                client.send(f"POST {path} HTTP/1.1\r\nHost: x\r\nContent-Length: {65 * MIB}\r\n\r\n".encode())
                error = check(client.read_response(), 413)
                self.assertIn(str(64 * MIB), error["message"])
                self.assertIn("limits.body_bytes", error["message"])
        self.assertEqual(upstream.turns, [])

    def test_a_client_that_sends_its_whole_too_large_body_can_still_read_why_it_was_refused(self):
        upstream, gateway = self.pair(flags=["--limits-body-bytes", "1MiB"])
        body = padded_body(4 * MIB)
        for _ in range(5):
            with gateway.connect() as client:
                client.request("POST", "/v1/messages", body)
                self.assert_anthropic_error(client.read_response(), 413, "request_too_large")
        self.assertEqual(upstream.turns, [])

    def test_chunks_without_a_length_are_refused_when_they_pass_the_limit(self):
        upstream, gateway = self.pair(flags=["--limits-body-bytes", "1MiB"])
        with gateway.connect() as client:
            client.send(b"POST /v1/chat/completions HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n")
            for _ in range(20):
                client.send(chunk(b"x" * 64 * 1024))
            error = self.assert_openai_error(client.read_response(), 413)
            self.assertIn(str(MIB), error["message"])
        self.assertEqual(upstream.turns, [])

    def test_the_limit_itself_passes(self):
        upstream, gateway = self.pair(flags=["--limits-body-bytes", "1MiB"])
        self.assertEqual(gateway.ask("POST", "/v1/chat/completions", padded_body(MIB)).status, 200)
        self.assertEqual(gateway.ask("POST", "/v1/chat/completions", padded_body(MIB + 1)).status, 413)
        self.assertEqual(len(upstream.turns), 1)

    def test_a_client_that_expects_100_continue_is_told_to_go_on(self):
        upstream, gateway = self.pair()
        body = json.dumps(chat_request()).encode()
        with gateway.connect() as client:
            client.send(b"POST /v1/chat/completions HTTP/1.1\r\nHost: x\r\nExpect: 100-continue\r\n"
                        b"Content-Length: %d\r\n\r\n" % len(body))
            self.assertEqual(client.read_head().status, 100)
            client.send(body)
            self.assertEqual(client.read_response().status, 200)
        self.assertNotIn("expect", upstream.turns[0].headers.names())

    def test_a_client_that_expects_100_continue_for_too_much_is_refused_at_once(self):
        _, gateway = self.pair()
        with gateway.connect() as client:
            client.send(b"POST /v1/chat/completions HTTP/1.1\r\nHost: x\r\nExpect: 100-continue\r\n"
                        b"Content-Length: %d\r\n\r\n" % (65 * MIB))
            self.assertEqual(client.read_response().status, 413)

    def test_headers_reach_the_engine_as_they_were_sent(self):
        upstream, gateway = self.pair()
        given = [("Authorization", "Bearer sk-1"), ("x-api-key", "k"), ("anthropic-version", "2023-06-01"),
                 ("X-Dup", "1"), ("X-Dup", "2"), ("User-Agent", "caf\xe9/1"), ("X-Empty", "")]
        gateway.chat(given)
        headers = upstream.turns[0].headers
        for name, _ in given:
            self.assertEqual(headers.all(name), [v for n, v in given if n == name], name)
        self.assertEqual(headers.all("Host"), [f"127.0.0.1:{upstream.port}"])

    def test_the_query_reaches_the_engine_as_it_was_sent(self):
        upstream, gateway = self.pair()
        gateway.ask("POST", "/v1/messages?beta=true&x=%2F%20", b'{"model":"tiny","messages":[]}')
        self.assertEqual(upstream.turns[0].target, "/v1/messages?beta=true&x=%2F%20")

    def test_an_engine_below_a_base_path_is_asked_there(self):
        upstream = self.upstream()
        seen = []
        serve = upstream._dispatch

        def below_base(exchange):
            seen.append(exchange.request.target)
            exchange.request.target = exchange.request.target.removeprefix("/base")
            serve(exchange)

        upstream._dispatch = below_base
        gateway = self.gateway(flags=["--engine", upstream.url + "/base/"])
        self.assertEqual(gateway.chat().status, 200)
        self.assertIn("/base/v1/chat/completions", seen)
        self.assertTrue(all(target.startswith("/base/") for target in seen), seen)


class Splices(GatewayCase):
    """The one edit of a request that is on by default: asking a chat stream for its usage."""

    def sent_for(self, body, path="/v1/chat/completions", flags=()):
        upstream, gateway = self.pair(flags=flags)
        self.assertEqual(gateway.ask("POST", path, body).status, 200)
        return upstream.turns[0].body

    def test_a_chat_stream_is_asked_for_its_usage_and_nothing_else_changes(self):
        body = b'{ "model" : "tiny", "stream":true,"messages":[{"role":"user","content":"\\u00e9"}] , "seed":1e2 }'
        sent = self.sent_for(body)
        self.assertNotEqual(sent, body)
        options = json.loads(sent)
        self.assertEqual(options.pop("stream_options"), {"include_usage": True})
        self.assertEqual(options, json.loads(body))
        # All of the client's bytes are there, in order, around one insertion.
        at = next(i for i in range(len(body) + 1) if sent[:i] != body[:i] or i == len(body)) - 1
        self.assertEqual(sent[:at] + sent[at + len(sent) - len(body):], body)

    def test_options_that_are_there_are_kept(self):
        body = b'{"model":"tiny","stream":true,"stream_options":{"continuous_usage_stats":true},"messages":[]}'
        options = json.loads(self.sent_for(body))["stream_options"]
        self.assertEqual(options, {"continuous_usage_stats": True, "include_usage": True})

    def test_a_client_that_asks_for_usage_is_not_edited(self):
        body = b'{"model":"tiny","stream":true,"stream_options":{"include_usage":true},"messages":[]}'
        self.assertEqual(self.sent_for(body), body)

    def test_requests_without_a_stream_and_of_the_messages_api_are_not_edited(self):
        body = b'{"model":"tiny","stream":false,"messages":[]}'
        self.assertEqual(self.sent_for(body), body)
        body = b'{"model":"tiny","stream":true,"messages":[]}'
        self.assertEqual(self.sent_for(body, "/v1/messages"), body)

    def test_the_edit_can_be_switched_off(self):
        body = b'{"model":"tiny","stream":true,"messages":[]}'
        self.assertEqual(self.sent_for(body, flags=["--edits-ask-usage", "false"]), body)


if __name__ == "__main__":
    unittest.main()
