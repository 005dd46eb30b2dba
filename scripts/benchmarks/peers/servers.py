"""A UI's own server: started on a loopback port, ended for certain."""

import asyncio
import os
import shutil
import socket
import sys
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager, contextmanager
from pathlib import Path
from subprocess import PIPE, STDOUT, Popen, TimeoutExpired

import httpx

from peers import environments
from peers.catalogue import SERVERS, Server
from peers.errors import PeerFailed

HOST = "127.0.0.1"

# The first start of an environment compiles its packages.
START_PATIENCE_S = 120.0
END_PATIENCE_S = 30.0
_POLL_S = 0.1

_KEEPER = Path(__file__).resolve().parent / "keeper.py"

# Of the caller's environment a UI is given what processes need, and no proxy, key or setting.
_KEPT = ("PATH", "LANG", "LC_ALL", "TMPDIR", "TEMP", "TMP", "SYSTEMROOT")
_QUIET = {
    "DO_NOT_TRACK": "1",
    "HF_HUB_OFFLINE": "1",
    "PYTHONUNBUFFERED": "1",
    "PYTHONDONTWRITEBYTECODE": "1",  # beside our scripts
}


@asynccontextmanager
async def running(name: str, pace_url: str, folder: Path, port: int) -> AsyncIterator[str]:
    """The address of the UI; afterwards none of its processes is left. Raises PeerFailed."""
    port = port or _free_port()
    home = _empty_home(name, folder)
    command = [str(environments.python(name, folder).absolute()), *_arguments(name)]
    url = f"http://{HOST}:{port}"
    log = home / "server.log"
    with _process(command, home, _environment(SERVERS[name], pace_url, port, home), log) as process:
        await _answered(name, url, process, log)
        yield url


def _empty_home(name: str, folder: Path) -> Path:
    """Where it writes: nothing of an earlier run is left, and so every run is a first one."""
    home = environments.home(name, folder) / "run"
    shutil.rmtree(home, ignore_errors=True)
    home.mkdir(parents=True)
    for path, content in SERVERS[name].files:
        (home / path).parent.mkdir(parents=True, exist_ok=True)
        (home / path).write_text(content, encoding="utf-8")
    return home


def _arguments(name: str) -> list[str]:
    module = SERVERS[name].module
    script = str(environments.script(name))
    return ["-m", *module, script] if module else [script]


def _environment(server: Server, pace_url: str, port: int, home: Path) -> dict[str, str]:
    kept = {key: os.environ[key] for key in _KEPT if key in os.environ}
    ours = {"HOST": HOST, "PORT": str(port), "PACE_URL": pace_url, "HOME": str(home.absolute())}
    own = {key: value.format_map(ours) for key, value in server.environment}
    return kept | _QUIET | ours | own


def _free_port() -> int:
    with socket.create_server((HOST, 0)) as probe:
        port: int = probe.getsockname()[1]
        return port


@contextmanager
def _process(
    command: list[str], home: Path, environment: dict[str, str], log: Path
) -> Iterator[Popen[bytes]]:
    """The keeper of the server. It ends the server when its input closes, as it does too
    when this process is killed."""
    with log.open("wb") as output:
        keeper = Popen(
            [sys.executable, str(_KEEPER), *command],
            cwd=home,
            env=environment,
            stdin=PIPE,
            stdout=output,
            stderr=STDOUT,
            start_new_session=True,  # Ctrl-C is for the bench, which then ends the rest in order
        )
    try:
        yield keeper
    finally:
        assert keeper.stdin is not None
        keeper.stdin.close()
        try:
            keeper.wait(END_PATIENCE_S)
        except TimeoutExpired as error:
            keeper.kill()
            raise PeerFailed(f"{' '.join(command)} cannot be ended") from error


async def _answered(name: str, url: str, process: Popen[bytes], log: Path) -> None:
    """Waits until the server answers."""
    try:
        async with asyncio.timeout(START_PATIENCE_S), httpx.AsyncClient(trust_env=False) as client:
            while process.poll() is None:
                if await _is_up(client, url):
                    return
                await asyncio.sleep(_POLL_S)
        how = f"ended with {process.returncode}"
    except TimeoutError:
        how = f"has not answered on {url} in {START_PATIENCE_S:g} s"
    raise PeerFailed(f"the server of {name} {how}: {_end_of(log)}", hint=f"all it said is in {log}")


def _end_of(log: Path) -> str:
    return log.read_text(encoding="utf-8", errors="replace").strip()[-2000:]


async def _is_up(client: httpx.AsyncClient, url: str) -> bool:
    try:
        return (await client.get(url)).is_success
    except httpx.TransportError:
        return False  # not yet listening, or not yet answering
