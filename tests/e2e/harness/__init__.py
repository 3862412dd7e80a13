"""The binary under test, a scripted engine behind it and a byte-level client before it."""

from harness.case import GatewayCase
from harness.client import Connection, Response
from harness.gateway import Gateway
from harness.upstream import Exchange, Upstream, free_port

__all__ = ["Connection", "Exchange", "Gateway", "GatewayCase", "Response", "Upstream", "free_port"]
