"""The `pageside` command: finds the commands, runs one, says in one line what failed.

A command is a module with `register(subparsers)`, which adds a parser whose
`set_defaults(run=…)` names a function from the parsed options to the exit status.
Such a module imports what it needs inside that function, so that `--help` is quick.
"""

import argparse
import os
import signal
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from importlib import import_module
from types import FrameType

from pageside.models.errors import PagesideError

COMMANDS = [
    "pageside.server.serve",
    "pageside.browser.run",
    "pageside.models.command",
    "pageside.audit.pace.command",
    "pageside.audit.command",
    "pageside.browser.doctor",
]

DONE, FAILED, WRONG_USAGE = 0, 1, 2
INTERRUPTED = 128 + signal.SIGINT
TERMINATED = 128 + signal.SIGTERM
# Windows has no SIGPIPE; the number is what shells report for it.
NOBODY_READS = 128 + 13

_EXAMPLES = """\
examples:
  pageside serve --open                            chat in your browser
  pageside run "Write one sentence about rain."    the same engine, from a shell
  pageside models list                             what is on the disk
  pageside audit http://localhost:3000             does that chat page keep up with its tokens?
  pageside pace --rate 200                         an upstream to point a page at
  pageside doctor                                  what is missing, what to do

`pageside COMMAND --help` shows more.
"""


def main(argv: Sequence[str] | None = None) -> int:
    """Runs one command. Wrong usage, `--help` and SIGTERM leave by SystemExit."""
    parser = build_parser()
    options = parser.parse_args(argv)
    if options.version:
        return _print_version()
    if "run" not in options:
        parser.print_help(sys.stderr)
        return WRONG_USAGE
    with _terminable():
        return _run(options)


def build_parser() -> argparse.ArgumentParser:
    """The parser with every command of COMMANDS."""
    parser = argparse.ArgumentParser(
        prog="pageside",
        description="Language models that run inside the web page.",
        epilog=_EXAMPLES,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("--version", action="store_true", help="print the version and end")
    parser.add_argument("--debug", action="store_true", help="show the traceback of a failure")
    subparsers = parser.add_subparsers(title="commands", metavar="COMMAND")
    for name in COMMANDS:
        import_module(name).register(subparsers)
    for command in subparsers.choices.values():
        # Also after the command's name; SUPPRESS keeps what was said before it.
        command.add_argument(
            "--debug", action="store_true", default=argparse.SUPPRESS, help=argparse.SUPPRESS
        )
    return parser


def _print_version() -> int:
    from pageside.server.settings import version

    print(f"pageside {version()}")
    return DONE


def _run(options: argparse.Namespace) -> int:
    try:
        status: int = options.run(options)
        sys.stdout.flush()
        return status
    except KeyboardInterrupt:
        return INTERRUPTED
    except BrokenPipeError:
        # Python flushes stdout once more at its end, and would complain once more.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return NOBODY_READS
    except PagesideError as error:
        return _failed(str(error), options)
    except OSError as error:
        return _failed(f"{error.filename or 'output'}: {error.strerror or error}", options)
    except Exception as error:
        return _failed(f"{type(error).__name__}: {error}; --debug shows where", options)


def _failed(reason: str, options: argparse.Namespace) -> int:
    """One line for the exception being handled, or its traceback for --debug."""
    if options.debug:
        raise
    print("pageside: error:", " ".join(reason.split()), file=sys.stderr)
    return FAILED


@contextmanager
def _terminable() -> Iterator[None]:
    """SIGTERM unwinds like an exception, so servers stop and browsers are closed."""
    previous = signal.signal(signal.SIGTERM, _terminate)
    try:
        yield
    finally:
        signal.signal(signal.SIGTERM, previous)


def _terminate(number: int, frame: FrameType | None) -> None:
    sys.exit(TERMINATED)
