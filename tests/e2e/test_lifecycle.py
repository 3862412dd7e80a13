"""Starting and ending."""

import socket
import subprocess
import threading
import unittest

from harness import GatewayCase
from harness.gateway import BINARY, chat_request


class Lifecycle(GatewayCase):
    def test_it_says_where_it_listens_and_what_it_has_found(self):
        upstream, gateway = self.pair(ranks=2)
        self.assertIn(f"http://127.0.0.1:{gateway.port}", gateway.log)
        gateway.poll(lambda: "2 replicas" in gateway.log, what="the banner")
        self.assertIn(upstream.url, gateway.log)

    def test_sigterm_ends_an_idle_one_at_once(self):
        _, gateway = self.pair()
        with gateway.connect() as client:  # idle, and no reason to wait
            self.assertEqual(client.ask("GET", "/health").status, 200)
            gateway.terminate()
            self.assertEqual(client.at_end(), b"")
            self.assertEqual(gateway.wait(5), 0)

    def test_sigterm_lets_a_stream_end_and_takes_nothing_new(self):
        upstream, gateway = self.pair()
        there, go_on = threading.Event(), threading.Event()

        def answer(exchange):
            there.set()
            go_on.wait(10)
            upstream.answer_as_vllm(exchange)

        upstream.answer = answer
        with gateway.connect() as client:
            client.request("POST", "/v1/chat/completions", chat_request(stream=True))
            self.assertTrue(there.wait(10))
            gateway.terminate()

            def refused():
                try:
                    socket.create_connection(("127.0.0.1", gateway.port), timeout=5).close()
                except OSError:
                    return True
                return False

            gateway.poll(refused, what="the port to close")
            go_on.set()
            self.assertTrue(client.read_response().body.endswith(b"data: [DONE]\n\n"))
            self.assertEqual(client.at_end(), b"")
        self.assertEqual(gateway.wait(10), 0)

    def test_a_second_sigterm_ends_it_at_once(self):
        upstream, gateway = self.pair()
        gone = []
        upstream.answer = lambda exchange: gone.append(exchange.wait_gone())
        with gateway.connect() as client:
            client.request("POST", "/v1/chat/completions", chat_request(stream=True))
            upstream.wait_for(lambda: upstream.turns)
            gateway.terminate()
            gateway.poll(lambda: "Stopping" in gateway.log, what="it to say so")
            gateway.terminate()
            self.assertEqual(client.at_end(), b"")
            self.assertEqual(gateway.wait(10), 0)
        self.assertEqual(len(gone), 1)

    def test_sigterm_ends_one_whose_engine_hangs(self):
        upstream = self.upstream()
        upstream.metrics = lambda exchange: exchange.wait_gone()
        gateway = self.gateway(upstream, wait=False)
        upstream.wait_for(lambda: upstream.count("/metrics"))
        gateway.terminate()
        self.assertEqual(gateway.wait(10), 0)

    def run_binary(self, *arguments):
        return subprocess.run([str(BINARY), *arguments], capture_output=True, text=True, timeout=20)

    def test_a_port_in_use_is_named_and_it_does_not_start(self):
        with socket.create_server(("127.0.0.1", 0)) as taken:
            address = f"127.0.0.1:{taken.getsockname()[1]}"
            ended = self.run_binary("serve", "--engine", "http://127.0.0.1:1", "--listen", address, "--admin-listen",
                                    "127.0.0.1:0")
        self.assertNotEqual(ended.returncode, 0)
        self.assertIn(address, ended.stderr)

    def test_without_an_engine_it_says_how_to_name_one(self):
        ended = self.run_binary("serve")
        self.assertNotEqual(ended.returncode, 0)
        self.assertIn("--engine", ended.stderr)

    def test_faults_of_the_configuration_are_named_and_it_does_not_start(self):
        for arguments, word in ((["--engine", "ftp://x"], "ftp://x"), (["--engine", "http://x", "--spill-threshold", "0"], "spill"),
                                (["--engine", "http://x", "--timeouts-head", "5"], "timeouts"), (["--nonsense"], "nonsense"),
                                (["--config", "/nowhere.toml", "--engine", "http://x"], "/nowhere.toml")):
            with self.subTest(arguments):
                ended = self.run_binary("serve", *arguments)
                self.assertNotEqual(ended.returncode, 0)
                self.assertIn(word, ended.stderr + ended.stdout)


if __name__ == "__main__":
    unittest.main()
