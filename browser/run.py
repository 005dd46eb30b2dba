"""`pageside run`: a prompt answered in a browser without a screen, text as it is decoded."""

import argparse
import json
import sys
from pathlib import Path
from typing import TYPE_CHECKING, get_args

from pageside.server.settings import Engine, Settings

if TYPE_CHECKING:
    from pageside.browser.interrupts import Interrupts
    from pageside.browser.page import Page
    from pageside.browser.request import Request
    from pageside.browser.status import StatusLine

_EXAMPLES = """\
examples:
  pageside run "Write one sentence about rain."
  git diff | pageside run - --max-tokens 60       the prompt from stdin
  pageside run "Why is the sky blue?" --json      one JSON object, for programs
  pageside run "Hi" --device webgpu               on the GPU, or on its software stand-in
"""


def register(subparsers: "argparse._SubParsersAction[argparse.ArgumentParser]") -> None:
    """Adds the command."""
    defaults = Settings()
    parser = subparsers.add_parser(
        "run",
        help="answer one prompt in a headless browser",
        description="Text goes to stdout as it is decoded, one line of figures to stderr.",
        epilog=_EXAMPLES,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    add = parser.add_argument
    add("prompt", metavar="PROMPT", help="'-' reads it from stdin")
    add("--model", metavar="ID", default=defaults.model, help="fetched when absent (%(default)s)")
    add("--device", choices=("auto", "webgpu", "wasm"), default=defaults.device)
    add("--threads", metavar="N", type=int, help="Wasm threads (default: the page decides)")
    add("--max-tokens", metavar="N", type=int, default=256, help="at most (%(default)s)")
    add("--temperature", metavar="T", type=float, default=0.0, help="0 is greedy (%(default)s)")
    add("--seed", metavar="N", type=int, help="same seed, same answer")
    add("--engine", choices=get_args(Engine), help="default: auto")
    add("--script", metavar="FILE", type=Path, help="JSON Lines for the scripted engine")
    add("--browser", metavar="PATH", help="the Chromium to use (default: the first found)")
    add("--json", action="store_true", help="one JSON object with the text and its figures")
    parser.set_defaults(run=run, usage_error=parser.error)


def run(options: argparse.Namespace) -> int:
    """Answers the prompt; everything that can be refused is refused before a browser starts."""
    from pageside.browser.errors import RequestInvalid
    from pageside.browser.interrupts import run_interruptibly
    from pageside.browser.request import Request

    if sys.stdout is None:
        options.usage_error("standard output is closed: the answer has nowhere to go")
    if options.script is not None and options.engine not in (None, "scripted"):
        options.usage_error("--script is for --engine scripted")
    if options.threads is not None and not 1 <= options.threads <= 1024:
        options.usage_error("--threads must be from 1 to 1024")
    try:
        request = Request(
            prompt=_prompt(options.prompt),
            max_tokens=options.max_tokens,
            temperature=options.temperature,
            seed=options.seed,
        )
    except RequestInvalid as error:
        options.usage_error(str(error))
    return run_interruptibly(lambda interrupts: _run(options, request, interrupts))


def _prompt(argument: str) -> str:
    from pageside.browser.errors import RequestInvalid

    if argument != "-":
        return argument
    try:
        return sys.stdin.buffer.read().decode("utf-8")
    except UnicodeDecodeError as error:
        raise RequestInvalid(f"byte {error.start + 1} of the prompt is not UTF-8") from error


async def _run(options: argparse.Namespace, request: "Request", interrupts: "Interrupts") -> int:
    from pageside.browser.page import Page
    from pageside.browser.status import StatusLine

    with StatusLine() as status:
        async with Page.open(
            options.model,
            device=options.device,
            threads=options.threads,
            engine=options.engine or ("scripted" if options.script else "auto"),
            script=options.script,
            browser=options.browser,
            software_webgpu=options.device == "webgpu",
            on_progress=status,
        ) as page:
            _say_what_it_runs_on(page, status)
            pieces = []
            async for piece in page.ask(request):
                status.clear()
                if options.json:
                    pieces.append(piece)
                else:
                    _write(piece, interrupts)
            _finish(page, "".join(pieces), options.json, interrupts)
    return 0


def _say_what_it_runs_on(page: "Page", status: "StatusLine") -> None:
    for fallback in page.info.fallbacks:
        status.say(f"{fallback.engine} on {fallback.device} was not used: {fallback.reason}")
    if page.info.is_software:
        status.say(f"no GPU was found: WebGPU runs on the CPU, slowly ({page.info.adapter})")


def _finish(page: "Page", text: str, as_json: bool, interrupts: "Interrupts") -> None:
    from pageside.browser.report import figures_line, report

    assert page.figures is not None, "the answer has ended"
    if as_json:
        answer = report(page.info, page.figures, text)
        _write(json.dumps(answer, ensure_ascii=False) + "\n", interrupts)
    else:
        _write("\n", interrupts)
        print(figures_line(page.info, page.figures), file=sys.stderr)


def _write(text: str, interrupts: "Interrupts") -> None:
    with interrupts.blocking_call():
        sys.stdout.write(text)
        sys.stdout.flush()
