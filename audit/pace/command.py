"""`pageside pace`: a scripted upstream, for a page or a backend to be tried against."""

import argparse
import math
import sys
from contextlib import ExitStack, suppress
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from pageside.audit.pace.delivery import Delivery
    from pageside.server.script import Event

_RATE, _TOKENS = 33.0, 500
_MOST = 10_000_000

_EXAMPLES = """\
examples:
  pageside pace                                      33 tokens/s; OpenAI's base URL is …:8766/v1
  pageside pace --rate 1000 --tokens 10000           a firehose; --rate 0: as fast as it is taken
  pageside pace --script answers.jsonl               your own texts, pauses and errors
  pageside pace --prefill-ms 4000 --jitter 0.5 --stall-every 100 --stall-ms 2000
  pageside pace --fault split --fault crlf --fault cut-after=200
  pageside pace --allow-origin http://localhost:5173 --log deliveries.jsonl

faults (NAME or NAME=VALUE):
  framing   comments heartbeats crlf no-space empty-data long-line[=BYTES] empty-choices no-done
  borders   split, split-codepoints or byte-by-byte
  ends      error-after=TOKENS cut-after=TOKENS status=CODE
  proxies   buffer[=SECONDS]: held back, let go every so often or at the end
"""


def register(subparsers: "argparse._SubParsersAction[argparse.ArgumentParser]") -> None:
    """Adds the command."""
    parser = subparsers.add_parser(
        "pace",
        help="play answers at a chosen pace, as OpenAI, Ollama or llama.cpp",
        description="An upstream without a model: plays a script, or numbered words at a rate, "
        "in the streaming dialects of OpenAI, Ollama and llama.cpp, with chosen faults.",
        epilog=_EXAMPLES,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    add = parser.add_argument
    add("--host", default="127.0.0.1", help="address to listen on (%(default)s)")
    add("--port", type=_whole(0, 65535), default=8766, help="0 for a free one (%(default)s)")
    add("--allow-host", metavar="NAME", action="append", default=[], help="answer to NAME too")
    add(
        "--allow-origin",
        metavar="ORIGIN",
        action="append",
        default=[],
        help="let pages of ORIGIN read the answers, such as http://localhost:5173",
    )
    add("--rate", metavar="TOKENS_PER_S", type=_rate, help=f"0: no waits ({_RATE:g})")
    add("--tokens", metavar="N", type=_whole(0, _MOST), help=f"in an answer ({_TOKENS})")
    add("--script", metavar="FILE", type=Path, help="JSON Lines to play instead")
    add("--jitter", metavar="F", type=_jitter, help="each wait up to F shorter or longer")
    add("--burst", metavar="N", type=_whole(1, _MOST), help="N tokens at once")
    add("--stall-every", metavar="N", type=_whole(1, _MOST), help="pause after every N tokens")
    add("--stall-ms", metavar="MS", type=_whole(0, 86_400_000), help="length of a pause")
    add("--prefill-ms", metavar="MS", type=_whole(0, 86_400_000), help="before the first token")
    add("--seed", metavar="N", type=int, default=0, help="of jitter and borders (%(default)s)")
    add("--fault", metavar="NAME[=VALUE]", action="append", default=[], help="see below")
    add("--log", metavar="FILE", type=Path, help="append a JSON line for every delivery")
    parser.set_defaults(run=pace, usage_error=parser.error)


def pace(options: argparse.Namespace) -> int:
    """Answers prompts until somebody ends it."""
    from pageside.audit.errors import PaceInvalid
    from pageside.audit.pace.faults import parse_faults
    from pageside.audit.pace.pace import Pace

    try:
        faults = parse_faults(options.fault, seed=options.seed)
    except PaceInvalid as error:
        options.usage_error(str(error))
    events = _events(options)
    with ExitStack() as stack:
        log = _Log(options.log, stack)
        upstream = Pace(
            host=options.host,
            port=options.port,
            events=events,
            faults=faults,
            allow_origins=options.allow_origin,
            allow_hosts=options.allow_host,
            ended=log,
        )
        log.deliveries = upstream.deliveries
        stack.enter_context(upstream)
        print(f"Pace is at {upstream.url} (Ctrl-C ends it)", flush=True)
        upstream.wait()
    return 0


class _Log:
    """Says how each delivery ended: a line to stderr, a JSON line to the file."""

    deliveries: "list[Delivery]"

    def __init__(self, path: Path | None, stack: ExitStack) -> None:
        self._file = stack.enter_context(path.open("a", encoding="utf-8")) if path else None

    def __call__(self, delivery: "Delivery") -> None:
        # The command may run for weeks.
        self.deliveries.remove(delivery)
        trouble = self._write(delivery)
        # After it is in the file: who has read this line finds it there.
        print(_line(delivery), file=sys.stderr, flush=True)
        if trouble:
            print(f"pageside: error: the log ends here ({trouble})", file=sys.stderr)

    def _write(self, delivery: "Delivery") -> str | None:
        """Why it cannot be written: a full disk ends the log, not the server."""
        if self._file is None:
            return None
        import json

        try:
            self._file.write(json.dumps(delivery.record()) + "\n")
            self._file.flush()
        except OSError as error:
            # What is left in its buffer would fail again at the end.
            with suppress(OSError):
                self._file.close()
            self._file = None
            return error.strerror
        return None


def _line(delivery: "Delivery") -> str:
    ends = {"done": "done", "left": "the client left", "cut": "cut", "error": "ended in an error"}
    assert delivery.end is not None
    rate = delivery.rate
    reached = f" at {rate:.1f} tokens/s" if rate is not None else ""
    return f"{delivery.dialect}: {delivery.tokens} tokens{reached}, {ends[delivery.end]}"


def _events(options: argparse.Namespace) -> "Sequence[Event]":
    from pageside.audit.pace.schedule import steady
    from pageside.audit.text import tokens
    from pageside.server.script import read_script

    paced = ("rate", "tokens", "jitter", "burst", "stall_every", "stall_ms", "prefill_ms")
    if options.script is not None:
        if given := [name for name in paced if getattr(options, name) is not None]:
            options.usage_error(f"--{given[0].replace('_', '-')} is not for a --script")
        return read_script(options.script, name=str(options.script))[1]
    if (options.stall_every is None) != (options.stall_ms is None):
        options.usage_error("--stall-every and --stall-ms belong together")
    rate = _RATE if options.rate is None else options.rate
    return steady(
        tokens(_TOKENS if options.tokens is None else options.tokens),
        rate or math.inf,
        jitter=options.jitter or 0.0,
        burst=options.burst or 1,
        prefill_ms=options.prefill_ms or 0,
        stall_every=options.stall_every or 0,
        stall_ms=options.stall_ms or 0,
        seed=options.seed,
    )


def _whole(least: int, most: int) -> "Callable[[str], int]":
    def read(text: str) -> int:
        # int() of a text of any length would take its time.
        is_number = text.isascii() and text.isdigit() and len(text) <= 12
        if not is_number or not least <= int(text) <= most:
            raise argparse.ArgumentTypeError(f"{text!r:.40} is not a number from {least} to {most}")
        return int(text)

    return read


def _rate(text: str) -> float:
    return _number(text, 1_000_000, "tokens a second")


def _jitter(text: str) -> float:
    return _number(text, 1, "a part of each wait")


def _number(text: str, most: float, meaning: str) -> float:
    try:
        value = float(text)
    except ValueError:
        value = math.nan
    if not 0 <= value <= most:
        raise argparse.ArgumentTypeError(f"{text!r} is not {meaning} from 0 to {most:,}")
    return value
