"""The admin listener as a browser sees it: the page's files, the live feed, the token, changes from other sites, turns in flight."""

import json
import unittest

from harness.case import GatewayCase, SESSION
from harness.client import Connection
from harness.gateway import chat_request, messages_request

TOKEN = "correct-horse-battery"


class Feed:
    """An open event stream."""

    def __init__(self, gateway, headers=()):
        self.connection = Connection(gateway.admin_port)
        self.connection.request("GET", "/admin/api/live", headers=headers)
        self.head = self.connection.read_head()
        self._text = b""

    def event(self, wanted):
        """The data of the next event of that name."""
        while True:
            text, separator, rest = self._text.partition(b"\n\n")
            if not separator:
                size = int(self.connection.reader.until(b"\r\n")[:-2], 16)
                self._text += self.connection.reader.exactly(size + 2)[:-2]
                continue
            self._text = rest
            name, _, data = text.decode().partition("\n")
            if name == f"event: {wanted}":
                return json.loads(data.removeprefix("data: "))


class Files(GatewayCase):
    def test_the_page_is_served_with_a_policy_and_a_tag(self):
        _, gateway = self.pair()
        for target, kind in (("/", "text/html"), ("/index.html", "text/html"), ("/app.js", "text/javascript"),
                             ("/app.css", "text/css"), ("/icon.svg", "image/svg+xml")):
            with self.subTest(target):
                answer = gateway.admin("GET", target)
                self.assertEqual(answer.status, 200)
                self.assertTrue(answer.body)
                self.assertTrue(answer.headers.get("Content-Type").startswith(kind))
                self.assertIn("script-src 'self';", answer.headers.get("Content-Security-Policy"))
                self.assertEqual(answer.headers.get("X-Content-Type-Options"), "nosniff")
                tag = answer.headers.get("ETag")
                again = gateway.admin("GET", target, headers=[("If-None-Match", tag)])
                self.assertEqual((again.status, again.body, again.headers.get("ETag")), (304, b"", tag))
                head = gateway.admin("HEAD", target)
                self.assertEqual((head.status, head.headers.get("Content-Length")), (200, str(len(answer.body))))

    def test_nothing_else_is_served(self):
        _, gateway = self.pair()
        for target in ("/app.jsx", "/../etc/passwd", "/%2e%2e/app.js", "/ui/app.js", "/admin", "/admin/api/live/x"):
            self.assertEqual(gateway.admin("GET", target).status, 404, target)


class Live(GatewayCase):
    def feed(self, gateway):
        feed = Feed(gateway)
        self.addCleanup(feed.connection.leave)
        return feed

    def test_what_holds_comes_at_once_and_then_what_changes(self):
        _, gateway = self.pair(ranks=2)
        gateway.messages([(SESSION, "11111111-1111-4111-8111-111111111111")])
        feed = self.feed(gateway)
        self.assertEqual(feed.head.headers.get("Content-Type"), "text/event-stream")
        state = feed.event("state")
        self.assertEqual(state["routing"][0]["totals"]["placed"], 1)
        self.assertTrue(state["engines"][0]["up"])
        first = feed.event("conversations")
        self.assertEqual((first["reset"], first["total"], len(first["conversations"])), (True, 1, 1))
        gateway.messages([(SESSION, "22222222-2222-4222-8222-222222222222")])
        change = feed.event("conversations")
        self.assertEqual((change["reset"], change["total"], len(change["conversations"])), (False, 2, 1))

    def test_a_feed_ends_with_the_gateway(self):
        _, gateway = self.pair()
        feed = self.feed(gateway)
        feed.event("state")
        gateway.stop()
        feed.connection.at_end()

    def test_feeds_are_bounded(self):
        _, gateway = self.pair()
        feeds = [self.feed(gateway) for _ in range(32)]
        self.assertEqual(gateway.admin("GET", "/admin/api/live").status, 503)
        feeds.pop().connection.leave()
        gateway.poll(lambda: self.feed(gateway).head.status == 200, what="a free feed")


class Token(GatewayCase):
    def test_everything_but_the_page_and_health_needs_it(self):
        gateway = self.gateway(self.upstream(), flags=("--admin-token", TOKEN), wait=False)
        bearer = ("Authorization", f"Bearer {TOKEN}")
        gateway.poll(lambda: gateway.admin("GET", "/admin/api/engines", headers=[bearer]).json()["engines"][0]["up"])
        for target in ("/admin/api/models", "/admin/api/live", "/metrics", "/admin/api/history"):
            self.assertEqual(gateway.admin("GET", target).status, 401, target)
        self.assertEqual(gateway.set_routing({"affinity": False}).status, 401)
        for target in ("/", "/app.js", "/health"):
            self.assertEqual(gateway.admin("GET", target).status, 200, target)
        self.assertEqual(gateway.admin("GET", "/metrics", headers=[bearer]).status, 200)

    def test_a_login_gives_a_cookie_and_guessing_is_slowed_down(self):
        gateway = self.gateway(flags=("--admin-token", TOKEN, "--engine", "http://127.0.0.1:1"), wait=False)
        def log_in(token):
            return gateway.admin("POST", "/admin/api/login", {"token": token})
        cookie = log_in(TOKEN).headers.get("Set-Cookie")
        self.assertIn("HttpOnly; SameSite=Strict", cookie)
        inside = [("Cookie", cookie.split(";")[0])]
        self.assertEqual(gateway.admin("GET", "/admin/api/models", headers=inside).status, 200)
        self.assertEqual([log_in("guess").status for _ in range(5)], [403] * 5)
        blocked = log_in(TOKEN)
        self.assertEqual((blocked.status, blocked.headers.get("Retry-After")), (429, "1"))
        self.assertEqual(gateway.admin("GET", "/admin/api/models", headers=inside).status, 200)
        self.assertEqual(log_in(5).status, 400)


class OtherSites(GatewayCase):
    def test_their_changes_are_refused(self):
        _, gateway = self.pair()
        target = "/admin/api/models/tiny/routing"
        change = b'{"affinity": false}'
        for headers in ([("Origin", "http://evil.example")], [("Origin", "null")], [("Content-Type", "text/plain")]):
            self.assertEqual(gateway.admin("PUT", target, change, headers).status, 403, headers)
        self.assertTrue(gateway.routing()["affinity"])
        own = gateway.admin("PUT", target, change, [("Origin", "http://127.0.0.1")])
        self.assertEqual(own.status, 200)
        self.assertIsNone(own.headers.get("Access-Control-Allow-Origin"))


class InFlight(GatewayCase):
    def turns(self, gateway):
        return gateway.admin("GET", "/admin/api/in-flight").json()["in_flight"]

    def cancel(self, gateway, number):
        return gateway.admin("POST", f"/admin/api/in-flight/{number}/cancel", {})

    def test_a_turn_can_be_cancelled_before_its_answer(self):
        upstream, gateway = self.pair()
        gone = []
        upstream.answer = lambda exchange: (exchange.wait_gone(), gone.append(True))
        with gateway.connect() as client:
            client.request("POST", "/v1/chat/completions", chat_request(), [(SESSION, "1" * 8), ("User-Agent", "a/1 b")])
            self.assertTrue(upstream.wait_for(lambda: len(upstream.turns) == 1))
            turn, = self.turns(gateway)
            self.assertEqual((turn["client"], turn["phase"], turn["model"]), ("a/1", "prefill", "tiny"))
            self.assertGreater(turn["prompt_tokens_estimate"], 0)
            self.assertIsNone(turn["content_events"])
            self.assertEqual(self.cancel(gateway, turn["number"]).status, 200)
            answer = client.read_response()
        self.assert_openai_error(answer, 400)
        gateway.wait_idle()
        gateway.poll(lambda: gone, what="the engine to see it")
        self.assertEqual(gateway.totals()["cancelled"], 1)
        self.assertEqual(self.turns(gateway), [])

    def test_a_stream_that_has_had_nothing_but_pings_ends_with_an_error_when_its_turn_is_cancelled(self):
        upstream, gateway = self.pair(flags=["--timeouts-heartbeat", "20ms"])
        for with_head in (False, True):
            def answer(exchange, with_head=with_head):
                if with_head:
                    exchange.stream_head()
                exchange.wait_gone()

            upstream.answer = answer
            with self.subTest(with_head=with_head), gateway.connect() as client:
                client.request("POST", "/v1/messages", messages_request(stream=True))
                head = client.read_head()
                client.reader.until(b"ping")
                turn, = self.turns(gateway)
                self.cancel(gateway, turn["number"])
                client.reader.until(b"event: error\ndata: ")
                error = json.loads(client.reader.until(b"\n\n"))["error"]
                self.assertEqual((head.status, error["type"]), (200, "invalid_request_error"))
                self.assertTrue(client.at_end().endswith(b"0\r\n\r\n"))
        gateway.wait_idle()
        self.assertEqual(gateway.totals()["cancelled"], 2)

    def test_a_stream_that_has_begun_is_cut_off_when_its_turn_is_cancelled(self):
        upstream, gateway = self.pair(flags=["--timeouts-heartbeat", "20ms"])

        def answer(exchange):
            exchange.stream_head()
            exchange.chunk(b'data: {"choices":[]}\n\n')
            for _ in range(3):
                exchange.chunk(b'data: {"choices":[{"delta":{"content":"x"}}]}\n\n')
            exchange.wait_gone()

        upstream.answer = answer
        with gateway.connect() as client:
            client.request("POST", "/v1/chat/completions", chat_request(stream=True))
            client.read_head()
            client.reader.until(b"data: ")
            client.reader.until(b"ping")
            gateway.poll(lambda: self.turns(gateway)[0]["content_events"] == 3, what="the content to have passed")
            turn, = self.turns(gateway)
            self.assertEqual(turn["phase"], "streaming")
            self.cancel(gateway, turn["number"])
            self.assertNotIn(b"error", client.at_end())

    def test_what_is_not_in_flight_cant_be_cancelled(self):
        _, gateway = self.pair()
        for number in ("1", "x", "-1", "99999999999999999999", "1x"):
            self.assertEqual(self.cancel(gateway, number).status, 404, number)
        self.assertEqual(gateway.admin("GET", "/admin/api/in-flight/1/cancel").status, 405)


class Conversation(GatewayCase):
    def test_its_turns_say_where_they_went_and_what_they_found(self):
        _, gateway = self.pair(ranks=2)
        for _ in range(2):
            gateway.messages([(SESSION, "11111111-1111-4111-8111-111111111111")])
        key = gateway.conversations()[0]["key"]
        answer = gateway.admin("GET", f"/admin/api/models/tiny/conversations/{key}").json()
        self.assertEqual(answer["conversation"]["turns"], 2)
        self.assertEqual([turn["outcome"] for turn in answer["turns"]], ["placed", "sticky"])
        self.assertEqual({turn["replica"] for turn in answer["turns"]}, {answer["conversation"]["home"]})
        self.assertGreater(answer["turns"][0]["prompt_tokens"], 0)
        for unknown in ("0", "zz", key + "0"):
            self.assertEqual(gateway.admin("GET", f"/admin/api/models/tiny/conversations/{unknown}").status, 404)


class History(GatewayCase):
    def test_it_says_that_nothing_is_kept_and_knows_its_spans(self):
        _, gateway = self.pair()
        answer = gateway.admin("GET", "/admin/api/models/tiny/history?span=1h").json()
        self.assertEqual((answer["span"], answer["step_s"]), ("1h", 10))
        self.assertEqual(answer["not_kept"], "no data directory is set")
        self.assertEqual(gateway.admin("GET", "/admin/api/history?span=1y").status, 400)


class Settings(GatewayCase):
    def test_they_name_the_address_and_the_model(self):
        _, gateway = self.pair()
        clients = gateway.admin("GET", "/admin/api/models/tiny/connect").json()["clients"]
        self.assertEqual([each["client"] for each in clients],
                         ["Claude Code", "Codex", "opencode", "qwen-code", "aider", "curl"])
        for each in clients:
            self.assertIn(f"http://127.0.0.1:{gateway.port}", each["text"])
            self.assertIn("tiny", each["text"])


if __name__ == "__main__":
    unittest.main()
