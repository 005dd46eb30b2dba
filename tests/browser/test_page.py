"""A page driven from Python: what is read is what was decoded, however it is read."""

import asyncio
import gc
import socket
from collections.abc import Callable
from contextlib import ExitStack
from pathlib import Path

import pytest

from harness import scripts
from harness.scratch import OpenPage, Scratch
from harness.serving import Serve
from pageside.browser import Page
from pageside.browser.errors import (
    AlreadyGenerating,
    BrowserLost,
    PageError,
    PageInvalid,
    RequestInvalid,
    ServerUnreachable,
)
from pageside.browser.launch import launch
from pageside.browser.request import Request
from pageside.models.errors import PagesideError
from pageside.models.store import ModelStore
from pageside.server.errors import ScriptInvalid

pytestmark = pytest.mark.anyio

ENDLESS = [*scripts.words(3), {"stall_ms": 3_600_000}, {"text": "never"}]
PLAIN = scripts.words(5)


async def read(page: Page, prompt: str = "hello") -> str:
    return "".join([piece async for piece in page.generate(prompt, max_tokens=10_000)])


async def test_an_answer_and_its_figures(open_page: OpenPage) -> None:
    async with open_page(scripts.words(200)) as page:
        assert page.figures is None
        assert await read(page) == scripts.words_text(200)
        assert page.figures is not None
        assert page.figures["reason"] == "eos"
        assert page.figures["tokens"] == 200
        assert page.figures["ttft_ms"] > 0
        assert page.info.device == "script"
        assert (page.info.model, page.info.revision, page.info.fallbacks) == (None, None, ())


@pytest.mark.parametrize("seed", range(3))
async def test_text_arrives_as_it_was_decoded(open_page: OpenPage, seed: int) -> None:
    text = "naïve 日本語\n👩‍👩‍👧 \u2028\u0000<b>&amp;</b>\r\n" * 20
    async with open_page(
        scripts.tokens(scripts.random_pieces(text, seed)),
        scripts.tokens(scripts.per_character(text)),
    ) as page:
        assert await read(page) == text
        assert await read(page) == text


async def test_max_tokens_end_an_answer(open_page: OpenPage) -> None:
    async with open_page(scripts.words(50)) as page:
        pieces = [piece async for piece in page.generate("hello", max_tokens=7)]
        assert "".join(pieces) == scripts.words_text(7)
        assert page.figures is not None
        assert page.figures["reason"] == "length"


async def test_a_stop_string_ends_an_answer_and_is_no_part_of_it(open_page: OpenPage) -> None:
    async with open_page(scripts.tokens(["one ", "tw", "o thr", "ee four"]), PLAIN) as page:
        pieces = [piece async for piece in page.generate("hello", stop=["two three", "never"])]
        assert "".join(pieces) == "one "
        assert page.figures is not None
        assert (page.figures["reason"], page.figures["tokens"]) == ("stop-string", 4)
        assert await read(page) == scripts.words_text(5)


async def test_a_reader_that_stalls_holds_up_nothing_but_its_own_text(open_page: OpenPage) -> None:
    """The model goes on; two texts wait here at most, the rest is merged in the worker."""
    ran_on = asyncio.Event()

    def on_progress(stage: str, done: int, total: int) -> None:
        if stage == "prefill":
            ran_on.set()

    chunk = [*scripts.words(100), {"stall_ms": 50}]
    answer = [*chunk * 8, {"prefill_ms": 0}, *scripts.words(3)]
    async with open_page(answer, on_progress=on_progress) as page:
        pieces: list[str] = []
        async for piece in page.generate("hello", max_tokens=10_000):
            pieces.append(piece)
            await ran_on.wait()
            assert page._exchange is not None
            assert len(page._exchange.handoff) <= 2
        assert "".join(pieces) == scripts.words_text(100) * 8 + scripts.words_text(3)
        assert len(pieces) < 8


class TestLeaving:
    """Each way out of the loop stops the model, and the next prompt works."""

    @pytest.fixture
    async def page(self, open_page: OpenPage) -> Page:  # type: ignore[misc]
        async with open_page(ENDLESS, PLAIN, PLAIN) as page:
            yield page
            assert await read(page) == scripts.words_text(5)

    async def stopped(self, page: Page) -> None:
        await page.stop()
        assert page.figures is not None
        assert page.figures["reason"] == "stopped"

    async def test_break(self, page: Page) -> None:
        async for piece in page.generate("hello"):
            assert piece
            break
        await self.stopped(page)

    async def test_break_and_ask_again_at_once(self, page: Page) -> None:
        async for _ in page.generate("hello"):
            break
        assert await read(page) == scripts.words_text(5)

    async def test_an_exception_in_the_loop(self, page: Page) -> None:
        with pytest.raises(LookupError, match="of the reader"):
            async for _ in page.generate("hello"):
                raise LookupError("of the reader")
        await self.stopped(page)

    async def test_cancelled_while_waiting_for_text(self, page: Page) -> None:
        with pytest.raises(TimeoutError) as late:
            async with asyncio.timeout(None) as patience:
                async for _ in page.generate("hello"):
                    patience.reschedule(asyncio.get_running_loop().time() + 0.1)
        assert await read(page) == scripts.words_text(5)  # while the traceback lives
        assert late.value.__traceback__

    async def test_stop(self, page: Page) -> None:
        pieces = []
        async for piece in page.generate("hello"):
            pieces.append(piece)
            page.stop()
        assert scripts.words_text(3).startswith("".join(pieces))
        assert page.figures is not None
        assert page.figures["reason"] == "stopped"

    async def test_stop_while_idle_does_nothing(self, page: Page) -> None:
        await page.stop()
        async for piece in page.generate("hello"):
            assert piece
            break

    async def test_closing_waits_until_the_model_is_idle(self, page: Page) -> None:
        answer = page.generate("hello")
        assert await answer.take()
        await answer.aclose()
        assert page.figures is not None
        assert await answer.take() is None


async def test_two_prompts_at_once(open_page: OpenPage) -> None:
    async with open_page(ENDLESS, PLAIN) as page:
        answer = page.generate("first")
        assert await answer.take()
        with pytest.raises(AlreadyGenerating, match="still answering another prompt; read"):
            await read(page, "second")
        await answer.aclose()
        assert await read(page, "second") == scripts.words_text(5)


async def test_stop_before_the_page_was_asked(open_page: OpenPage) -> None:
    async with open_page(PLAIN) as page:
        answer = page.generate("hello")
        first = asyncio.create_task(answer.take())
        await asyncio.sleep(0)
        await page.stop()
        assert await first is None
        assert page.figures is not None
        assert (page.figures["reason"], page.figures["tokens"]) == ("stopped", 0)
        assert await read(page) == scripts.words_text(5)


async def test_an_answer_nobody_began_costs_nothing(open_page: OpenPage) -> None:
    async with open_page(PLAIN) as page:
        page.generate("never read")
        assert await read(page) == scripts.words_text(5)


class TestFailures:
    async def test_an_error_of_the_engine_keeps_the_text(self, open_page: OpenPage) -> None:
        async with open_page([*PLAIN, {"error": "out of ideas"}], PLAIN) as page:
            pieces = []
            with pytest.raises(PageError, match="out of ideas") as failure:
                async for piece in page.generate("hello"):
                    pieces.append(piece)
            assert failure.value.code == "script_error"
            assert "".join(pieces) == scripts.words_text(5)
            assert page.figures is None
            assert await read(page) == scripts.words_text(5)

    async def test_a_worker_that_crashes_is_replaced(self, open_page: OpenPage) -> None:
        async with open_page([*PLAIN, {"stall_ms": 50}, {"crash": True}]) as page:
            for _ in range(2):
                pieces = []
                with pytest.raises(PageError) as failure:
                    async for piece in page.generate("hello"):
                        pieces.append(piece)
                assert failure.value.code == "worker_lost"
                assert "".join(pieces) == scripts.words_text(5)

    async def test_the_page_crashes(self, open_page: OpenPage, scratch: Scratch) -> None:
        async with open_page(ENDLESS) as page:
            with pytest.raises(BrowserLost, match="the page crashed"):
                async for _ in page.generate("hello"):
                    for renderer in scratch.named("--type=renderer"):
                        renderer.kill()
            with pytest.raises(BrowserLost, match="the page crashed"):
                await read(page)

    async def test_the_browser_is_killed(self, open_page: OpenPage, scratch: Scratch) -> None:
        async with open_page(ENDLESS) as page:
            browser = scratch.browser()
            with pytest.raises(BrowserLost, match="the browser ended"):
                async for _ in page.generate("hello"):
                    browser.kill()

    async def test_the_driver_is_killed(self, open_page: OpenPage, scratch: Scratch) -> None:
        async with open_page(ENDLESS) as page:
            (driver,) = scratch.named("run-driver")
            with pytest.raises(BrowserLost, match="the browser ended"):
                async for _ in page.generate("hello"):
                    driver.kill()

    async def test_a_killed_driver_is_not_heard_of_again(
        self, scratch: Scratch, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        """Else asyncio prints Playwright's unread exception, whenever garbage is collected."""
        printed: list[object] = []
        monkeypatch.setattr(asyncio.get_running_loop(), "call_exception_handler", printed.append)

        async def lose_it() -> None:
            async with launch():
                scratch.named("run-driver")[0].kill()
                await asyncio.sleep(0.2)

        await lose_it()
        gc.collect()
        assert printed == []

    async def test_after_its_end(self, open_page: OpenPage) -> None:
        async with open_page(PLAIN) as page:
            pass
        with pytest.raises(BrowserLost):
            await read(page)

    async def test_an_exception_of_on_progress_is_the_callers(self, open_page: OpenPage) -> None:
        def on_progress(stage: str, done: int, total: int) -> None:
            raise LookupError("of the caller")

        async with open_page([{"prefill_ms": 1}, *PLAIN], on_progress=on_progress) as page:
            with pytest.raises(LookupError, match="of the caller"):
                await read(page)

    async def test_a_script_that_cannot_be_played(self, tmp_path: Path, scratch: Scratch) -> None:
        script = tmp_path / "script.jsonl"
        script.write_text('{"text": "a"}\n{"txet": "b"}\n')
        with pytest.raises(ScriptInvalid, match="line 2"):
            async with Page.open(engine="scripted", script=script):
                pytest.fail("it cannot be played")

    async def test_no_such_model(self, tmp_path: Path) -> None:
        with pytest.raises(PagesideError, match="there is no model nonsense"):
            async with Page.open("nonsense", store=ModelStore(tmp_path)):
                pytest.fail("there is none")


class TestUrl:
    @pytest.fixture
    def serve(self, tmp_path: Path) -> "ExitStack":
        with ExitStack() as running:
            yield Serve(running, tmp_path)

    async def test_a_running_server(self, serve: Serve, script: Callable[..., Path]) -> None:
        async with Page.open(url=serve(script=script(PLAIN))) as page:
            assert await read(page) == scripts.words_text(5)

    async def test_nobody_there(self) -> None:
        with socket.create_server(("127.0.0.1", 0)) as free:
            url = f"http://127.0.0.1:{free.getsockname()[1]}"
        with pytest.raises(ServerUnreachable, match="nobody answers at http"):
            async with Page.open(url=url):
                pytest.fail("nobody is there")

    async def test_somebody_else_there(self, serve: Serve) -> None:
        with pytest.raises(PageInvalid, match="answers with status 404"):
            async with Page.open(url=f"{serve()}/api"):
                pytest.fail("that is not Pageside")

    async def test_what_the_server_decides_cannot_be_asked_for(self) -> None:
        with pytest.raises(RequestInvalid, match="decides the model and engine"):
            async with Page.open("another", engine="scripted", url="http://127.0.0.1:1"):
                pytest.fail("the server decides")

    async def test_a_server_that_ends_ends_no_loaded_model(
        self, tmp_path: Path, script: Callable[..., Path]
    ) -> None:
        with ExitStack() as running:
            url = Serve(running, tmp_path)(script=script(PLAIN))
            async with Page.open(url=url) as page:
                running.close()
                assert await read(page) == scripts.words_text(5)


class TestRequest:
    @pytest.mark.parametrize(
        ("options", "message"),
        [
            ({"prompt": ""}, "the prompt is empty"),
            ({"prompt": " \n"}, "the prompt is empty"),
            ({"prompt": []}, "the prompt is empty"),
            ({"prompt": [], "system": "be kind"}, "the prompt is empty"),
            ({"prompt": [{"role": "assistant", "content": "a"}]}, "the prompt is empty"),
            ({"prompt": [{"role": "robot", "content": "a"}]}, "a message must have a role"),
            ({"prompt": [{"role": "user"}]}, "a message must have a role"),
            ({"max_tokens": 0}, "max_tokens is 0"),
            ({"max_tokens": -5}, "max_tokens is -5"),
            ({"max_tokens": 1.5}, "max_tokens is 1.5"),
            ({"temperature": -0.1}, "temperature is -0.1"),
            ({"temperature": float("nan")}, "temperature is nan"),
            ({"top_p": 0.0}, "top_p is 0"),
            ({"top_p": 1.1}, "top_p is 1.1"),
            ({"seed": -1}, "seed is -1"),
            ({"seed": 2**32}, "seed is 4294967296"),
            ({"top_k": -1}, "top_k is -1"),
            ({"top_k": 1.5}, "top_k is 1.5"),
            ({"repetition_penalty": 0.0}, "repetition_penalty is 0"),
            ({"repetition_penalty": float("inf")}, "repetition_penalty is inf"),
            ({"stop": "END"}, "stop is 'END'; give a list"),
            ({"stop": [""]}, "stop is"),
            ({"stop": [5]}, "stop is"),
            ({"stop": ["x" * 257]}, "stop is"),
            ({"stop": ["\ud83c"]}, "stop is"),
            ({"stop": ["x"] * 17}, "stop is"),
        ],
    )
    async def test_what_cannot_be_meant(self, options: dict[str, object], message: str) -> None:
        with pytest.raises(RequestInvalid, match=message):
            Request(**{"prompt": "hello", **options})  # type: ignore[arg-type]

    async def test_the_system_message_goes_first(self) -> None:
        request = Request("hello", system="be kind", seed=7, top_k=40, stop=("END",))
        assert request.to_page() == {
            "messages": [
                {"role": "system", "content": "be kind"},
                {"role": "user", "content": "hello"},
            ],
            "maxTokens": 256,
            "temperature": 0.0,
            "topP": 1.0,
            "topK": 40,
            "repetitionPenalty": 1.0,
            "seed": 7,
            "stop": ["END"],
        }

    async def test_a_prompt_of_a_megabyte_arrives(self, open_page: OpenPage) -> None:
        async with open_page(PLAIN) as page:
            assert await read(page, "word " * 200_000) == scripts.words_text(5)


class TestRealModel:
    """The default model, from the store that the tests were given."""

    async def test_the_same_greedy_text_twice(self, default_store: ModelStore) -> None:
        stages = []
        async with Page.open(
            device="wasm",
            threads=1,
            store=default_store,
            on_progress=lambda stage, done, total: stages.append(stage),
        ) as page:
            answers = [
                [
                    piece
                    async for piece in page.generate(
                        "What is the capital of France?", max_tokens=12
                    )
                ]
                for _ in range(2)
            ]
            assert "".join(answers[0]) == "".join(answers[1])
            assert "Paris" in "".join(answers[0])
            assert (page.info.device, page.info.threads) == ("wasm", 1)
            assert page.info.model == "smollm2-135m-instruct"
            with pytest.raises(PageError) as failure:
                await read(page, "word " * page.info.context_window)
            assert failure.value.code == "prompt_too_long"
            assert {"fetch", "verify"} <= set(stages)
