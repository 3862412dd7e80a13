"""Where engines and listeners may be: IPv6, names with several addresses, and no proxy in between."""

import contextlib
import os
import socket
import subprocess
import tempfile
import unittest
from pathlib import Path
from unittest import mock

from harness import Connection, GatewayCase
from harness import gateway as gateway_harness


def has_ipv6():
    try:
        socket.create_server(("::1", 0), family=socket.AF_INET6).close()
    except OSError:
        return False
    return True


def can_have_own_names():
    """Whether a program may be run with an /etc/hosts of its own, which needs a mount namespace."""
    try:
        return subprocess.run(["unshare", "-rm", "true"], capture_output=True).returncode == 0
    except OSError:
        return False


@contextlib.contextmanager
def black_hole(host):
    """A port that neither takes connections nor refuses them: what comes to a queue that is full is dropped."""
    with socket.socket() as listener, socket.socket() as waiting:
        listener.bind((host, 0))
        listener.listen(0)
        waiting.connect(listener.getsockname())
        yield listener.getsockname()[1]


class IPv6(GatewayCase):
    @unittest.skipUnless(has_ipv6(), "no IPv6 here")
    def test_it_listens_on_ipv6_and_asks_engines_there(self):
        upstream = self.upstream(host="::1")
        gateway = self.gateway(upstream, flags=["--listen", "[::1]:0"])
        with Connection(gateway.port, host="::1") as client:
            answer = client.ask("POST", "/v1/chat/completions", gateway_harness.chat_request())
        self.assertEqual(answer.status, 200)
        self.assertEqual(upstream.turns[0].headers.all("Host"), [f"[::1]:{upstream.port}"])

    def test_a_link_local_engine_is_asked_through_its_interface(self):
        doctor = subprocess.run([str(gateway_harness.BINARY), "doctor", "--engine", "http://[fe80::1%25lo]:8000"],
                                capture_output=True, text=True, timeout=30)
        self.assertIn("http://[fe80::1%25lo]:8000", doctor.stdout)
        self.assertRegex(doctor.stdout, "can't be (connected to|reached)")


class Names(GatewayCase):
    """`engine.test` has the addresses of its /etc/hosts, in this order; one of them is where the engine is."""

    def setUp(self):
        super().setUp()
        if not can_have_own_names():
            self.skipTest("no mount namespace here")
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = Path(folder.name)

    def check(self, addresses, upstream, flags=()):
        """A gateway to whom `engine.test` is at these addresses serves from the engine."""
        names = "".join(f"{address} engine.test\n" for address in addresses)
        (self.folder / "hosts").write_text("127.0.0.1 localhost\n" + names)
        wrapper = self.folder / "lmwarden"
        with_hosts = f'mount --bind {self.folder}/hosts /etc/hosts && exec "$0" "$@"'
        wrapper.write_text(f"#!/bin/sh\nexec unshare -rm sh -c '{with_hosts}' {gateway_harness.BINARY} \"$@\"\n")
        wrapper.chmod(0o755)
        with mock.patch.object(gateway_harness, "BINARY", wrapper):
            gateway = self.gateway(flags=["--engine", f"http://engine.test:{upstream.port}", *flags])
        for _ in range(3):
            self.assertEqual(gateway.chat().status, 200)
        self.assertEqual(len(upstream.turns), 3)

    @unittest.skipUnless(has_ipv6(), "no IPv6 here")
    def test_of_a_name_with_two_addresses_the_living_one_is_found(self):
        for addresses in (["::1", "127.0.0.1"], ["127.0.0.1", "::1"]):
            for host in ("127.0.0.1", "::1"):
                with self.subTest(addresses, host=host):
                    self.check(addresses, self.upstream(host=host))

    def test_an_address_that_swallows_packets_leaves_time_for_the_one_behind_it(self):
        # The other way round it would tell nothing: of 127.0.0.0/8 the resolver puts 127.0.0.1 first.
        with black_hole("127.0.0.1") as port:
            self.check(["127.0.0.1", "127.0.0.2"], self.upstream(host="127.0.0.2", port=port),
                       ["--timeouts-connect", "1s", "--timeouts-scrape", "1s"])


class Proxies(GatewayCase):
    def test_proxies_of_the_environment_are_not_used(self):
        with socket.create_server(("127.0.0.1", 0)) as proxy:
            proxy.settimeout(0)
            url = f"http://127.0.0.1:{proxy.getsockname()[1]}"
            names = ("http_proxy", "HTTP_PROXY", "https_proxy", "HTTPS_PROXY", "all_proxy", "ALL_PROXY")
            with mock.patch.dict(os.environ, dict.fromkeys(names, url) | {"no_proxy": "", "NO_PROXY": ""}):
                _, gateway = self.pair()
            self.assertEqual(gateway.chat().status, 200)
            with self.assertRaises(BlockingIOError):
                proxy.accept()


if __name__ == "__main__":
    unittest.main()
