"""The names this server answers to.

A page elsewhere can point a name of its own at 127.0.0.1 (DNS rebinding) and is then
same-origin with whatever answers. Its requests still carry that name in Host.
"""

import re
from collections.abc import Iterable
from ipaddress import ip_address

from starlette.types import Scope

from pageside.server.errors import HostInvalid, HostUnknown

LOOPBACK = ("127.0.0.1", "localhost", "::1")

_HOST = re.compile(r"(?:\[([0-9A-Fa-f:.]{2,45})\]|([A-Za-z0-9_.-]{1,253}))(?::([0-9]{0,5}))?")


class AllowedHosts:
    """Loopback and `names`, on any port; names are compared whole, without case."""

    def __init__(self, names: Iterable[str]) -> None:
        self.names = frozenset(_canonical(name.strip("[]")) for name in (*LOOPBACK, *names))

    def check(self, scope: Scope) -> None:
        """HostInvalid or HostUnknown, unless the request has one Host that is allowed."""
        name = host_name(scope)
        if name not in self.names:
            raise HostUnknown(
                f"this server does not answer to the name {name}",
                hint="open it by its address, or start it with --allow-host NAME",
            )


def host_header(scope: Scope) -> str:
    """The one Host header of a request."""
    hosts = [value for name, value in scope["headers"] if name == b"host"]
    if len(hosts) != 1:
        raise HostInvalid(f"the request has {len(hosts)} Host headers, not one")
    return str(hosts[0].decode("latin-1"))


def host_name(scope: Scope) -> str:
    """The name or address in Host, in one spelling, without its port."""
    match = _HOST.fullmatch(host_header(scope))
    if match is None or int(match[3] or 0) > 65535:
        raise HostInvalid("the request's Host header is not a host")
    return _canonical(match[1] or match[2])


def _canonical(name: str) -> str:
    """`[0:0:0:0:0:0:0:1]` and `[::1]` are one address."""
    try:
        return str(ip_address(name))
    except ValueError:
        return name.lower()
