"""JSON that some readers stumble over: edited or not, the engine gets it as the client wrote it."""

import json
import unittest

from harness import GatewayCase

CONFIG = '[[model]]\nname = "tiny"\naliases = ["claude-*"]\n'
USAGE_ASKED = b'"stream_options":{"include_usage":true},'
BILLING = "x-anthropic-billing-header: cc_version=2.1.37.0d9; cc_entrypoint=cli; cch=%s;"

# Strings that are JSON, as they stand in a body.
ODD_STRINGS = {
    "a lone high surrogate": rb"\ud83d",
    "a lone low surrogate within text": rb"x \ude00 y",
    "another lone low surrogate": rb"\udcf0",
    "an escaped NUL": rb"\u0000",
    "a pair the wrong way round": rb"\ude00\ud83d",
    "200 kB of lone surrogates": rb"\ud83d " * 30_000,
}
ODD_NUMBERS = (b"9007199254740993", b"1e400", b"-0", b"165598928036513123123", b"1E-999", b"0.10000000000000000055")


def many_keys(count):
    return b'{"model":"tiny",' + b",".join(b'"k%d":%d' % (i, i) for i in range(count)) + b',"messages":[]}'


class Edited(GatewayCase):
    """Bodies in which LM Warden changes two places: the name of the model, and the question for usage."""

    def check(self, upstream, gateway, path, body):
        self.assertEqual(gateway.ask("POST", path, body).status, 200)
        sent = upstream.turns[-1].body
        if "messages" not in path:
            self.assertEqual(sent.count(USAGE_ASKED), 1, sent[:200])
        self.assertEqual(sent.replace(USAGE_ASKED, b""), body.replace(b"claude-x", b"tiny"))

    def test_odd_strings_stay_as_they_are_beside_an_edit(self):
        upstream, gateway = self.pair(config=CONFIG)
        shapes = (
            ("/v1/chat/completions", b'{"model":"claude-x","stream":true,"messages":[{"role":"user","content":"%s"}]}'),
            ("/v1/chat/completions", b'{"%s":1,"model":"claude-x","stream":true,"messages":[]}'),
            ("/v1/completions", b'{"model":"claude-x","prompt":"%s","stream":true}'),
            ("/v1/messages", b'{"model":"claude-x","stream":true,"messages":[{"role":"user","content":['
                             b'{"type":"tool_result","tool_use_id":"t","content":"%s"}]}]}'),
        )
        for what, text in ODD_STRINGS.items():
            for path, shape in shapes:
                with self.subTest(what, path=path):
                    self.check(upstream, gateway, path, shape % text)

    def test_odd_numbers_stay_as_they_are_beside_an_edit(self):
        upstream, gateway = self.pair(config=CONFIG)
        for number in ODD_NUMBERS:
            with self.subTest(number):
                body = b'{ "seed" : %s,\n"model":"claude-x", "stream":true , "messages":[ ]}' % number
                self.check(upstream, gateway, "/v1/chat/completions", body)

    def test_a_million_keys_pass(self):
        upstream, gateway = self.pair()
        body = many_keys(1_000_000)
        self.assertEqual(gateway.ask("POST", "/v1/chat/completions", body).status, 200)
        self.assertTrue(upstream.turns[0].body == body)

    def test_of_two_stream_flags_the_last_counts_as_it_does_for_the_engine(self):
        upstream, gateway = self.pair()
        for first, last in ((b"true", b"false"), (b"false", b"true")):
            body = b'{"model":"tiny","stream":%s,"messages":[],"stream":%s}' % (first, last)
            answer = gateway.ask("POST", "/v1/chat/completions", body)
            streamed = last == b"true"
            self.assertEqual(b"data: [DONE]" in answer.body, streamed)
            self.assertNotIn(b'"choices":[]', answer.body)
            self.assertEqual(upstream.turns[-1].body.replace(USAGE_ASKED, b""), body)
            self.assertEqual(USAGE_ASKED in upstream.turns[-1].body, streamed)


class OddIds(GatewayCase):
    def test_an_id_that_is_no_text_is_no_id_and_no_fault(self):
        upstream, gateway = self.pair()
        for text in ODD_STRINGS.values():
            for field in (b'"prompt_cache_key":"%s"', b'"user":"user-1234%s"', b'"metadata":{"user_id":"%s"}',
                          b'"metadata":{"user_id":"user_a_account__session_%s"}',
                          b'"metadata":{"user_id":{"session_id":"%s"}}'):
                body = b'{"model":"tiny",' + field % text + b',"messages":[]}'
                self.assertEqual(gateway.ask("POST", "/v1/messages", body).status, 200)
                self.assertTrue(upstream.turns[-1].body == body)
        sources = {conversation["source"] for conversation in gateway.conversations()}
        self.assertEqual(sources & {"prompt-cache-key", "user", "metadata"}, set())


class Billing(GatewayCase):
    def sent(self, upstream, gateway, body):
        self.assertEqual(gateway.ask("POST", "/v1/messages", body).status, 200)
        return upstream.turns[-1].body

    def test_turns_that_differ_in_their_billing_line_reach_the_engine_as_equal_bytes(self):
        upstream, gateway = self.pair()
        blocks = b'"system": [ {"type":"text","text":"%s"} , {"type":"text","text":"You are \\u2026"} ]'
        line = b'"system":"%s\\nYou are \\u2026"'
        for system in (blocks, line):
            bodies = [b'{"model":"tiny", "max_tokens":16, ' + system % (BILLING % cch).encode() + b' ,"messages":[] }'
                      for cch in ("fa690", "0aaa9")]
            first, second = (self.sent(upstream, gateway, body) for body in bodies)
            self.assertEqual(first, second)
            self.assertNotIn(b"billing", first)
            self.assertTrue(bodies[0].endswith(first[first.index(b"You are"):]))

    def test_a_billing_line_that_somebody_quotes_stays(self):
        upstream, gateway = self.pair()
        quote = BILLING % "fa690"
        for body in ({"messages": [{"role": "user", "content": quote}]},
                     {"messages": [{"role": "user", "content": [{"type": "text", "text": quote}]}]},
                     {"system": "Look at this:\n" + quote, "messages": []},
                     {"system": [{"type": "text", "text": "You are"}, {"type": "text", "text": quote}], "messages": []}):
            text = json.dumps({"model": "tiny", "max_tokens": 1, **body}).encode()
            self.assertEqual(self.sent(upstream, gateway, text), text)
        self.assertEqual(gateway.routing()["billing_lines_dropped"], 0)


if __name__ == "__main__":
    unittest.main()
