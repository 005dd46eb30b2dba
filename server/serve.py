"""`pageside serve`: the page and everything it needs, from one origin."""

import argparse
import webbrowser
from pathlib import Path
from typing import TYPE_CHECKING, get_args

from pageside.server.settings import Engine, Settings

if TYPE_CHECKING:
    from pageside.models.store import ModelStore

_EXAMPLES = """\
examples:
  pageside serve                          the default model, http://127.0.0.1:8765
  pageside serve --open --port 0          a free port, opened in your browser
  pageside serve --script answers.jsonl   plays a script instead of a model
  pageside serve --host 0.0.0.0 --allow-host kiosk.lan
"""


def register(subparsers: "argparse._SubParsersAction[argparse.ArgumentParser]") -> None:
    """Adds the command."""
    defaults = Settings()
    parser = subparsers.add_parser(
        "serve",
        help="serve the page, its worker and the models",
        description="Serves the page, its worker and the models from one origin.",
        epilog=_EXAMPLES,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    add = parser.add_argument
    add("--model", metavar="ID", default=defaults.model, help="fetched when absent (%(default)s)")
    add("--host", default=defaults.host, help="address to listen on (%(default)s)")
    add("--port", type=_port, default=defaults.port, help="0 for a free one (%(default)s)")
    add("--allow-host", metavar="NAME", action="append", default=[], help="answer to NAME too")
    add("--open", action="store_true", help="open the page in your browser")
    add("--engine", choices=get_args(Engine), help="default: auto")
    add("--script", metavar="FILE", type=Path, help="JSON Lines for the scripted engine")
    add("--device", choices=("auto", "webgpu", "wasm"), default=defaults.device)
    add("--threads", metavar="N", type=_threads, help="Wasm threads (default: the page decides)")
    parser.set_defaults(run=serve, usage_error=parser.error)


def serve(options: argparse.Namespace) -> int:
    """Serves until somebody ends it; the port is held before a model is fetched."""
    from pageside.models.store import ModelStore, default_root
    from pageside.server.app import create_app
    from pageside.server.live import LiveServer

    settings = _settings(options)
    store = ModelStore(default_root())
    if settings.script is not None:
        _check_script(settings.script)
    app = create_app(store, settings)
    with LiveServer(app, host=settings.host, port=settings.port) as server:
        if settings.engine != "scripted":
            _make_present(store, settings.model)
        print(f"Pageside is at {server.url} (Ctrl-C ends it)", flush=True)
        if options.open and not webbrowser.open(server.url):
            print("no browser could be opened: open the address yourself", flush=True)
        server.wait()
    return 0


def _settings(options: argparse.Namespace) -> Settings:
    if options.script is not None and options.engine not in (None, "scripted"):
        options.usage_error("--script is for --engine scripted")
    return Settings(
        model=options.model,
        engine=options.engine or ("scripted" if options.script else "auto"),
        script=options.script,
        device=options.device,
        threads=options.threads,
        host=options.host,
        port=options.port,
        allowed_hosts=tuple(options.allow_host),
    )


def _check_script(path: Path) -> None:
    from pageside.server.script import read_script

    read_script(path, name=str(path))


def _make_present(store: "ModelStore", model: str) -> None:
    """Fetches and converts the model unless the store holds it whole."""
    from pageside.models.progress import ProgressLine
    from pageside.models.pull import pull

    with ProgressLine(model) as progress:
        pull(store, model, progress)


def _port(text: str) -> int:
    if not text.isascii() or not text.isdigit() or int(text[:6]) > 65535:
        raise argparse.ArgumentTypeError(f"{text!r} is not a port from 0 to 65535")
    return int(text)


def _threads(text: str) -> int:
    if not text.isascii() or not text.isdigit() or not 1 <= int(text[:6]) <= 1024:
        raise argparse.ArgumentTypeError(f"{text!r} is not a number of threads from 1 to 1024")
    return int(text)
