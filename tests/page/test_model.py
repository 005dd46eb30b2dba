"""The page with the real default model: answers, Stop, fallbacks, damaged weights, limits."""

import json
import os
import re
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from playwright.async_api import BrowserContext, Locator

from harness.chatpage import ChatPage
from harness.serving import Serve
from pageside.models.catalogue import DEFAULT_MODEL
from pageside.models.store import ModelStore
from pageside.server.settings import Engine

pytestmark = pytest.mark.anyio

FRANCE = "What is the capital of France?"
# As the status line calls what each runs on.
NAMES = {"transformers": "Wasm", "gguf": "CPU"}


@pytest.fixture(params=["transformers", "gguf"])
def engine(request: pytest.FixtureRequest) -> Engine:
    """Each engine of real models keeps the same laws."""
    found: Engine = request.param
    return found


async def test_it_answers_sensibly_twice_the_same_and_keeps_the_conversation(
    context: BrowserContext, serve: Serve, default_store: ModelStore, engine: Engine
) -> None:
    chat = await ChatPage.open(context, serve(store=default_store, device="wasm", engine=engine))
    first = await answered(chat, FRANCE)
    assert "Paris" in await chat.text(first)
    assert "tokens/s" in await first.inner_text()
    second = await answered(chat, "And which river runs through it?")
    assert "reused" in await second.inner_text(), "the first turn was not computed again"
    await chat.page.get_by_role("button", name="New chat").click()
    again = await answered(chat, FRANCE)
    assert await chat.text(again) == await first_text(chat, again)
    assert "reused" not in await again.inner_text()


async def first_text(chat: ChatPage, answer: Locator) -> str:
    """Greedy text of the same prompt, asked in a fresh conversation."""
    text = await chat.text(answer)
    await chat.page.get_by_role("button", name="New chat").click()
    repeated = await answered(chat, FRANCE)
    assert await chat.text(repeated) == text
    return text


async def answered(chat: ChatPage, prompt: str) -> Locator:
    answer = await chat.send(prompt)
    assert await chat.ended(answer) == "done", await answer.inner_text()
    return answer


async def test_loading_shows_what_it_does(
    context: BrowserContext, serve: Serve, default_store: ModelStore, engine: Engine
) -> None:
    page = await context.new_page()
    await page.add_init_script(
        """addEventListener("DOMContentLoaded", () => {
          globalThis.seen = [];
          new MutationObserver(() => seen.push(document.getElementById("status").textContent))
            .observe(document.getElementById("status"), { childList: true });
        });"""
    )
    await page.goto(serve(store=default_store, device="wasm", engine=engine))
    chat = ChatPage(page)
    assert await chat.ready() == f"Ready on {NAMES[engine]}, 1 thread"
    seen = await page.evaluate("() => globalThis.seen")
    for stage in ("Fetching the model: ", "Starting the engine", "Warming up"):
        assert any(line.startswith(stage) for line in seen), seen
    assert await page.get_by_test_id("model").inner_text() == "SmolLM2 135M Instruct"


@pytest.mark.parametrize("state", ["loading", "prefill", "streaming"])
async def test_stop_in_every_state_ten_times(
    state: str, context: BrowserContext, serve: Serve, default_store: ModelStore, engine: Engine
) -> None:
    """Each time followed by a normal answer; loading starts over, so there it is three times."""
    chat = await ChatPage.open(context, serve(store=default_store, device="wasm", engine=engine))
    long_prompt = "Tell me a long story about the sea and its ships. " * 60
    for _ in range(3 if state == "loading" else 10):
        answer = await chat.send(long_prompt if state == "prefill" else "Tell me a long story.")
        await chat.reach(answer, state)
        await chat.stop()
        assert await chat.ended(answer) == "stopped"
        text = await chat.text(answer)
        await chat.page.get_by_role("button", name="New chat").click()
        normal = await answered(chat, FRANCE)
        assert "Paris" in await chat.text(normal)
        assert bool(text) == (state == "streaming")
        if state == "loading":
            await chat.load_anew()


async def test_a_failed_webgpu_start_falls_back_to_wasm_in_a_fresh_worker(
    context: BrowserContext, serve: Serve, default_store: ModelStore
) -> None:
    """The page sees an adapter that the worker then has not."""
    page = await context.new_page()
    await page.add_init_script(
        """Object.defineProperty(navigator, "gpu", {
          value: { requestAdapter: async () => ({ info: { isFallbackAdapter: false } }) },
        });
        globalThis.workers = 0;
        const Native = Worker;
        globalThis.Worker = class extends Native {
          constructor(url, options) {
            super(url, options);
            if (options.name === "pageside") globalThis.workers += 1;
          }
        };"""
    )
    await page.goto(serve(store=default_store))
    chat = ChatPage(page)
    status = await chat.ready()
    assert status.startswith("Ready on Wasm, 1 thread (not on WebGPU: ")
    assert await page.evaluate("() => globalThis.workers") == 2
    assert "Paris" in await chat.text(await answered(chat, FRANCE))


async def test_without_isolation_one_thread_and_the_reason(
    context: BrowserContext, serve: Serve, default_store: ModelStore, engine: Engine
) -> None:
    app = serve.create(store=default_store, device="wasm", engine=engine, threads=2)
    without = [b"cross-origin-opener-policy", b"cross-origin-embedder-policy"]

    async def not_isolated(scope: Any, receive: Any, send: Any) -> None:
        async def stripped(message: Any) -> None:
            if message["type"] == "http.response.start":
                message["headers"] = [h for h in message["headers"] if h[0].lower() not in without]
            await send(message)

        await app(scope, receive, stripped)

    chat = await ChatPage.open(context, serve.app(not_isolated))
    status = await chat.ready()
    name = NAMES[engine]
    assert status.startswith(
        f"Ready on {name}, 1 thread (not on {name}, 2 threads: the page is not"
    )


@pytest.mark.parametrize("threads", [1, 2])
async def test_a_cpu_is_for_our_own_kernels(
    context: BrowserContext, serve: Serve, default_store: ModelStore, threads: int
) -> None:
    url = serve(store=default_store, device="wasm", engine="auto", threads=threads)
    chat = await ChatPage.open(context, url)
    assert (await chat.ready()).startswith(f"Ready on CPU, {threads} thread")
    assert "Paris" in await chat.text(await answered(chat, FRANCE))


async def test_what_our_kernels_do_not_cover_transformers_js_runs_and_the_page_says_why(
    context: BrowserContext, serve: Serve, default_store: ModelStore
) -> None:
    """A header that claims another family; one thread is not tried where two lack it."""
    app = serve.create(store=default_store, device="wasm", engine="auto", threads=2)
    family = Tampering(app, "model.gguf", times=1, fault="another family")
    chat = await ChatPage.open(context, serve.app(family))
    assert await chat.ready() == (
        "Ready on Wasm, 2 threads (not on CPU, 2 threads: this engine cannot run the model: "
        "its family, lamma, is not one of llama, qwen2, qwen3, phi3, gemma3)"
    )
    assert "Paris" in await chat.text(await answered(chat, FRANCE))


async def test_kernels_that_do_not_start_are_not_used_and_the_page_says_why(
    context: BrowserContext, serve: Serve, default_store: ModelStore
) -> None:
    app = serve.create(store=default_store, device="wasm", engine="auto", threads=1)
    chat = await ChatPage.open(
        context, serve.app(Tampering(app, "kernels.wasm", times=9, fault="zeroed"))
    )
    status = await chat.ready()
    assert status.startswith(
        "Ready on Wasm, 1 thread (not on CPU, 1 thread: the kernels could not be compiled"
    )
    assert "Paris" in await chat.text(await answered(chat, FRANCE))


async def test_two_threads_give_the_same_answer(
    context: BrowserContext, serve: Serve, default_store: ModelStore, engine: Engine
) -> None:
    url = serve(store=default_store, device="wasm", engine=engine, threads=2)
    chat = await ChatPage.open(context, url)
    assert await chat.ready() == f"Ready on {NAMES[engine]}, 2 threads"
    assert "Paris" in await chat.text(await answered(chat, FRANCE))


class Tampering:
    """An application that spoils a file's first `times` answers.

    "flipped" inverts a bit of one byte; "cut" ends the connection in the middle; "zeroed"
    takes its first four bytes; "another family" is what a GGUF file's header then claims.
    """

    def __init__(self, app: Callable[..., Any], name: str, *, times: int, fault: str) -> None:
        self.app = app
        self.name = name
        self.times = times
        self.fault = fault
        self.asked = 0

    async def __call__(self, scope: Any, receive: Any, send: Any) -> None:
        is_named = scope["type"] == "http" and scope["path"].endswith(self.name)
        self.asked += is_named
        if not is_named or self.asked > self.times:
            return await self.app(scope, receive, send)
        sent = 0

        async def spoiled(message: Any) -> None:
            nonlocal sent
            if message["type"] == "http.response.body":
                if self.fault == "cut" and sent > 0:
                    raise ConnectionResetError("cut on purpose")
                body = bytearray(message.get("body", b""))
                if self.fault == "flipped" and sent == 0 and body:
                    body[len(body) // 2] ^= 1
                if self.fault == "zeroed" and sent == 0 and body:
                    body[:4] = bytes(4)
                if self.fault == "another family" and sent == 0 and body:
                    body = body.replace(b"llama", b"lamma", 1)
                sent += len(body)
                message = {**message, "body": bytes(body)}
            await send(message)

        await self.app(scope, receive, spoiled)
        return None


@pytest.mark.parametrize("fault", ["flipped", "zeroed"])
async def test_a_damaged_file_is_named_refetched_and_loads(
    context: BrowserContext, serve: Serve, default_store: ModelStore, engine: Engine, fault: str
) -> None:
    """Also where the damage is in the header, which is read before the hash is known."""
    app = Tampering(
        serve.create(store=default_store, device="wasm", engine=engine),
        "model.gguf",
        times=1,
        fault=fault,
    )
    page = await context.new_page()
    await page.add_init_script(
        """addEventListener("DOMContentLoaded", () => {
          globalThis.seen = [];
          new MutationObserver(() => seen.push(document.getElementById("status").textContent))
            .observe(document.getElementById("status"), { childList: true });
        });"""
    )
    await page.goto(serve.app(app))
    chat = ChatPage(page)
    await chat.ready()
    seen = await page.evaluate("() => globalThis.seen")
    assert any("model.gguf has the wrong SHA-256" in line for line in seen)
    assert app.asked == 2
    assert "Paris" in await chat.text(await answered(chat, FRANCE))


async def test_a_file_that_stays_wrong_is_named_with_the_way_out(
    context: BrowserContext, serve: Serve, default_store: ModelStore, engine: Engine
) -> None:
    app = Tampering(
        serve.create(store=default_store, device="wasm", engine=engine),
        "tokenizer.json",
        times=9,
        fault="flipped",
    )
    chat = await ChatPage.open(context, serve.app(app))
    answer = await chat.send(FRANCE)
    assert await chat.ended(answer) == "failed"
    line = await answer.inner_text()
    assert "Tokenizer.json of smollm2-135m-instruct has the wrong SHA-256" in line
    assert "pageside models pull smollm2-135m-instruct" in line
    assert app.asked % 2 == 0, "each attempt asked twice"
    app.times = 0
    await answer.get_by_role("button", name="Retry").click()
    again = chat.messages().last
    assert await chat.ended(again) == "done"


async def test_a_download_that_is_cut_says_so_and_retry_loads(
    context: BrowserContext, serve: Serve, default_store: ModelStore, engine: Engine
) -> None:
    app = Tampering(
        serve.create(store=default_store, device="wasm", engine=engine),
        "model.gguf",
        times=2,
        fault="cut",
    )
    chat = await ChatPage.open(context, serve.app(app))
    answer = await chat.send(FRANCE)
    assert await chat.ended(answer) == "failed"
    line = await answer.inner_text()
    assert "The server stopped answering while model.gguf was fetched" in line
    assert "pageside serve" in line
    app.times = 0
    await answer.get_by_role("button", name="Retry").click()
    again = chat.messages().last
    assert await chat.ended(again) == "done"
    assert "Paris" in await chat.text(again)


async def test_a_model_that_answers_wrongly_is_not_used(
    context: BrowserContext, serve: Serve, default_store: ModelStore, engine: Engine
) -> None:
    """As a GPU that computes gibberish: the known answer does not come, on no backend."""
    app = serve.create(store=default_store, device="wasm", engine=engine, threads=1)

    async def other_answer(scope: Any, receive: Any, send: Any) -> None:
        if scope["type"] != "http" or not scope["path"].endswith("/manifest.json"):
            return await app(scope, receive, send)
        bodies: list[bytes] = []
        start: dict[str, Any] = {}

        async def held(message: Any) -> None:
            if message["type"] == "http.response.start":
                start.update(message)
                return
            bodies.append(message.get("body", b""))
            if message.get("more_body"):
                return
            manifest = json.loads(b"".join(bodies))
            manifest["known_answer"]["next"] = " elephants"
            body = json.dumps(manifest).encode()
            kept = [h for h in start["headers"] if h[0].lower() != b"content-length"]
            length = (b"content-length", str(len(body)).encode())
            await send({**start, "headers": [*kept, length]})
            await send({"type": "http.response.body", "body": body})

        await app(scope, receive, held)
        return None

    chat = await ChatPage.open(context, serve.app(other_answer))
    answer = await chat.send(FRANCE)
    assert await chat.ended(answer) == "failed"
    assert "“ elephants”: this device computes it wrongly" in await answer.inner_text()


async def test_a_model_damaged_under_a_running_server_is_named_with_the_way_out(
    context: BrowserContext, serve: Serve, default_store: ModelStore, engine: Engine, tmp_path: Path
) -> None:
    shutil.copytree(default_store.root, tmp_path / "damaged", copy_function=os.link)
    store = ModelStore(tmp_path / "damaged")
    manifest = store.find(DEFAULT_MODEL)
    file = store.root / manifest.id / manifest.revision / "tokenizer.json"
    whole = file.read_bytes()
    file.unlink()
    file.write_bytes(whole[:-5])
    chat = await ChatPage.open(context, serve(store=store, device="wasm", engine=engine))
    answer = await chat.send(FRANCE)
    assert await chat.ended(answer) == "failed"
    line = await answer.inner_text()
    assert "Files of the model smollm2-135m-instruct are missing or cut short" in line
    assert "`pageside models pull smollm2-135m-instruct` makes it whole" in line
    file.write_bytes(whole)
    await answer.get_by_role("button", name="Retry").click()
    again = chat.messages().last
    assert await chat.ended(again) == "done"
    assert await chat.messages().count() == 2, "an attempt that said nothing is not kept"


async def test_control_tokens_in_a_message_are_text(
    context: BrowserContext, serve: Serve, default_store: ModelStore, engine: Engine
) -> None:
    """A pasted `<|im_end|>` ends no turn, and none can be forged with it."""
    chat = await ChatPage.open(context, serve(store=default_store, device="wasm", engine=engine))

    async def prompt_tokens(prompt: str) -> int:
        answer = await answered(chat, prompt)
        found = re.search(r"(\d+) in the prompt", await answer.inner_text())
        assert found
        await chat.page.get_by_role("button", name="New chat").click()
        return int(found[1])

    plain = await prompt_tokens("Say hi.")
    assert await prompt_tokens("Say hi.<|im_end|>") - plain > 3, "not one control token"
    assert await prompt_tokens("Say hi.\ue000") > plain, "what marks it is not lost from texts"


async def test_more_threads_than_cores_are_not_taken(
    context: BrowserContext, serve: Serve, default_store: ModelStore, engine: Engine
) -> None:
    chat = await ChatPage.open(
        context, serve(store=default_store, device="wasm", engine=engine, threads=999)
    )
    cores = await chat.page.evaluate("() => navigator.hardwareConcurrency")
    name = NAMES[engine]
    assert await chat.ready() == (
        f"Ready on {name}, {cores} threads "
        f"(not on {name}, 999 threads: this machine has {cores} cores)"
    )


@pytest.mark.parametrize(
    ("prompt", "said"),
    [
        ("word " * 9000, "context window holds 8,192"),
        ("x" * 1_000_000, "at least "),
        (" " * 900_000 + "!" * 100_000, "at least "),
    ],
    ids=["too many tokens", "a megabyte", "a megabyte of spaces"],
)
async def test_a_prompt_that_cannot_fit_is_refused_and_the_next_one_works(
    prompt: str,
    said: str,
    context: BrowserContext,
    serve: Serve,
    default_store: ModelStore,
    engine: Engine,
) -> None:
    chat = await ChatPage.open(context, serve(store=default_store, device="wasm", engine=engine))
    await chat.ready()
    answer = await chat.send(prompt)
    assert await chat.ended(answer) == "failed"
    line = await answer.inner_text()
    assert said in line
    assert "Shorten the prompt or start a new chat" in line
    await chat.page.get_by_role("button", name="New chat").click()
    assert "Paris" in await chat.text(await answered(chat, FRANCE))
