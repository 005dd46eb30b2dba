"""How sources ask over HTTP: the system's certificates, and foreign errors mapped to ours."""

import ssl
from collections.abc import Iterator
from contextlib import contextmanager
from importlib.metadata import version

import httpx
import truststore

from pageside.models.errors import SourceLacks, SourceUnreachable

ANOTHER_INDEX = "set PIP_INDEX_URL to another index"
TIMEOUT = httpx.Timeout(60.0, connect=15.0)


def client() -> httpx.Client:
    """Follows redirects; takes proxies from the environment and trust from the system."""
    return httpx.Client(
        verify=truststore.SSLContext(ssl.PROTOCOL_TLS_CLIENT),
        timeout=TIMEOUT,
        follow_redirects=True,
        headers={"User-Agent": f"pageside/{version('pageside')}"},
    )


@contextmanager
def asking(url: httpx.URL) -> Iterator[None]:
    """Maps what httpx says while `url` is asked to SourceUnreachable."""
    try:
        yield
    except (httpx.HTTPError, httpx.InvalidURL) as error:
        reason = str(error) or type(error).__name__
        raise SourceUnreachable(
            f"{shown(url)} cannot be reached ({reason})",
            hint="check the network and PIP_INDEX_URL, then start again",
        ) from error


def check_status(response: httpx.Response) -> None:
    """SourceLacks for 404 and 410, SourceUnreachable for every other answer but 2xx."""
    if response.status_code in (404, 410):
        raise SourceLacks(
            f"{shown(response.url)} does not exist there ({response.status_code})",
            hint=ANOTHER_INDEX,
        )
    if not response.is_success:
        raise SourceUnreachable(
            f"{shown(response.url)} answered {response.status_code} {response.reason_phrase}",
            hint=f"try again later or {ANOTHER_INDEX}",
        )


def shown(url: httpx.URL) -> str:
    """The URL without the name, password and query that it may carry."""
    return str(url.copy_with(username=None, password=None, query=None, fragment=None))
