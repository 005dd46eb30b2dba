"""A model in a web page, driven from Python.

    async with Page.open(model="smollm2-135m-instruct") as page:
        async for piece in page.generate("What is the capital of France?"):
            print(piece, end="", flush=True)
        print(page.figures)

The page, its server and its browser last as long as the block.
"""

import asyncio
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from pathlib import Path

from pageside.browser.answer import NEVER_BEGAN, Answer, Exchange, Figures
from pageside.browser.errors import AlreadyGenerating
from pageside.browser.handoff import Handoff
from pageside.browser.info import PageInfo, page_info, snake_case
from pageside.browser.launch import launch
from pageside.browser.probes import GPU, SETTINGS
from pageside.browser.request import Message, Request
from pageside.browser.serving import OnProgress, host_of, served
from pageside.browser.tab import Event, Tab
from pageside.models.catalogue import DEFAULT_MODEL
from pageside.models.store import ModelStore
from pageside.server.settings import Device, Engine, Settings


class Page:
    """One loaded model, answering one prompt at a time. `Page.open` makes it.

    `info` says what it runs on. `figures` has reason ("eos", "length", "stop-string" or
    "stopped"), prompt_tokens, reused_tokens, tokens, ttft_ms, decode_ms and tokens_per_s, each as
    worker/protocol.js defines it.
    """

    info: PageInfo

    def __init__(self, tab: Tab, on_progress: OnProgress | None = None) -> None:
        self._tab = tab
        self._on_progress = on_progress
        self._exchange: Exchange | None = None
        self._reading: Handoff | None = None

    @property
    def figures(self) -> Figures | None:
        """Those of the last answer; None until it has ended, or when it failed."""
        return self._exchange.result if self._exchange else None

    @classmethod
    @asynccontextmanager
    async def open(
        cls,
        model: str = DEFAULT_MODEL,
        *,
        device: Device = "auto",
        threads: int | None = None,
        engine: Engine = "auto",
        script: Path | None = None,
        url: str | None = None,
        store: ModelStore | None = None,
        browser: str | Path | None = None,
        software_webgpu: bool = False,
        on_progress: OnProgress | None = None,
    ) -> AsyncIterator["Page"]:
        """A page with its model loaded, in a browser of its own; both end with the block.

        The model is pulled into `store` if it is not there. With `url` the page is
        that of a running server, whose settings say what is loaded. `browser` names
        an executable; `software_webgpu` allows WebGPU on the CPU. `on_progress` is
        called, on the event loop, with stage, done and total. Raises PagesideError.
        """
        settings = Settings(
            model=model, engine=engine, script=script, device=device, threads=threads
        )
        async with (
            served(settings, url, store, on_progress) as address,
            launch(browser, host=host_of(address), software_webgpu=software_webgpu) as running,
        ):
            page = cls(Tab(running.page), on_progress)
            try:
                await page._load(address, settings)
                yield page
            finally:
                page._release()

    def generate(
        self,
        prompt: str | Sequence[Message],
        *,
        max_tokens: int = 256,
        temperature: float = 0.0,
        top_p: float = 1.0,
        seed: int | None = None,
        system: str | None = None,
        top_k: int = 0,
        repetition_penalty: float = 1.0,
        stop: Sequence[str] = (),
    ) -> Answer:
        """The answer, as text that arrives while the model runs; `Request` has the options.

        Leaving the loop stops the model, and so does `stop`. A reader that is slow gets
        fewer, larger pieces; the model does not wait for it, and no character is lost.
        Raises RequestInvalid at once, and in the loop AlreadyGenerating or PageError.
        """
        return self.ask(
            Request(
                prompt,
                max_tokens,
                temperature,
                top_p,
                seed,
                system,
                top_k,
                repetition_penalty,
                stop,
            )
        )

    def ask(self, request: Request) -> Answer:
        """The answer to a request that was made before; otherwise as `generate`."""
        return Answer(lambda: self._begin(request))

    def stop(self) -> "asyncio.Future[None]":
        """Stops the model; the loop over the answer ends. Await it to know that it has.

        Text that was decoded before is still delivered.
        """
        if self._exchange is None:
            idle: asyncio.Future[None] = asyncio.get_running_loop().create_future()
            idle.set_result(None)
            return idle
        return asyncio.shield(self._exchange.stop())

    async def _load(self, address: str, settings: Settings) -> None:
        await self._tab.open(address, self._take)
        model = (await self._tab.evaluate(SETTINGS))["model"]
        gpu = await self._tab.evaluate(GPU)
        chosen = {"device": settings.device, "threads": settings.threads}
        untold = {"device": "auto", "threads": None}
        options = {name: chosen[name] for name in chosen if chosen[name] != untold[name]}
        loaded = await self._tab.call("load", options)
        self.info = page_info(loaded["ready"], model, gpu)

    def _begin(self, request: Request) -> Exchange:
        before = self._exchange
        if before is not None and not before.over and not before.stopping:
            raise AlreadyGenerating(
                "the page is still answering another prompt",
                hint="read that answer to its end, or call stop()",
            )

        async def ask() -> Figures:
            self._reading = exchange.handoff
            result = await self._tab.call("generate", request.to_page())
            return snake_case(result["figures"] or NEVER_BEGAN)

        exchange = Exchange(ask, lambda: self._tab.call("stop"), after=before)
        self._exchange = exchange
        return exchange

    async def _take(self, event: Event) -> None:
        """One event of web/headless.js; returning acknowledges it."""
        kind = event["type"]
        if kind == "text" and self._reading is not None:
            await self._reading.offer(event["text"])
        elif kind == "loading":
            self._report(event["stage"], event["doneBytes"], event["totalBytes"])
        elif kind == "prefill":
            self._report("prefill", event["done"], event["total"])

    def _report(self, stage: str, done: int, total: int) -> None:
        if self._on_progress is not None:
            self._on_progress(stage, done, total)

    def _release(self) -> None:
        """Lets go of what still waits for a reader, as the page is about to close."""
        if self._exchange is not None:
            self._exchange.handoff.flow()
