"""WebGPU computes what Wasm computes. On a software adapter: right, and very slow."""

from collections.abc import AsyncIterator, Callable
from pathlib import Path
from typing import Any

import pytest
from playwright.async_api import Page

from harness.serving import Serve
from pageside.browser.launch import launch
from pageside.models.catalogue import DEFAULT_MODEL
from pageside.models.store import ModelStore

pytestmark = [pytest.mark.anyio, pytest.mark.timeout(900)]

# Short: each token of a prompt takes half a second. A system message of its own
# replaces the template's, which is longer than both.
SYSTEM = {"role": "system", "content": "Be brief."}
PROMPTS = [[SYSTEM, {"role": "user", "content": content}] for content in ("Hi", "2+2?")]
GREEDY_TOKENS = 4
MOST_LOGIT_ERROR = 1e-2
SCRIPT = Path(__file__).with_name("devices.js")

RUN = """(request) => new Promise((resolve, reject) => {
  globalThis.policy ??= trustedTypes.createPolicy("pageside", { createScriptURL: (url) => url });
  const worker = new Worker(policy.createScriptURL("/worker/devices.js"), { type: "module" });
  worker.onerror = (event) => reject(new Error(event.message));
  worker.onmessage = ({ data }) => {
    worker.terminate();
    if (data.error) reject(new Error(data.error));
    else resolve(data);
  };
  worker.postMessage(request);
})"""


class WithDevices:
    """An application that serves devices.js beside the worker's own files, as one of them."""

    def __init__(self, app: Callable[..., Any]) -> None:
        self.app = app

    async def __call__(self, scope: Any, receive: Any, send: Any) -> None:
        if scope["type"] != "http" or scope["path"] != "/worker/devices.js":
            return await self.app(scope, receive, send)
        script = SCRIPT.read_bytes()

        async def replaced(message: Any) -> None:
            if message["type"] == "http.response.start":
                kept = [h for h in message["headers"] if h[0].lower() != b"content-length"]
                length = (b"content-length", str(len(script)).encode())
                await send({**message, "headers": [*kept, length]})
            elif not message.get("more_body"):
                await send({"type": "http.response.body", "body": script})

        # The headers are those of a real script of the worker.
        await self.app({**scope, "path": "/worker/worker.js"}, receive, replaced)
        return None


@pytest.fixture
async def page(serve: Serve, default_store: ModelStore) -> AsyncIterator[Page]:
    url = serve.app(WithDevices(serve.create(store=default_store)))
    async with launch(software_webgpu=True) as browser:
        page = await browser.context.new_page()
        # headless.html starts no worker of its own; its policy's name is free until it does.
        await page.route("**/web/headless.js", lambda route: route.fulfill(status=204))
        await page.goto(f"{url}/web/headless.html")
        yield page


async def test_webgpu_agrees_with_wasm(page: Page, default_store: ModelStore) -> None:
    manifest = default_store.find(DEFAULT_MODEL)
    request = {
        "model": {"id": manifest.id, "revision": manifest.revision},
        "prompts": PROMPTS,
        "tokens": GREEDY_TOKENS,
    }
    wasm = await page.evaluate(RUN, {**request, "device": "wasm"})
    webgpu = await page.evaluate(RUN, {**request, "device": "webgpu"})
    assert "swiftshader" in webgpu["adapter"].lower(), (
        "the device is known, and watched for its loss"
    )
    for on_wasm, on_webgpu in zip(wasm["answers"], webgpu["answers"], strict=True):
        pairs = zip(on_wasm["logits"], on_webgpu["logits"], strict=True)
        assert max(abs(a - b) for a, b in pairs) <= MOST_LOGIT_ERROR
        assert on_wasm["greedy"] == on_webgpu["greedy"] != []
