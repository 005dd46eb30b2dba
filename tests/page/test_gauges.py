"""The gauges: true figures, a true verdict, and no trace of them while they are closed."""

import json
import re
from pathlib import Path
from typing import Any

import pytest
from playwright.async_api import BrowserContext, Locator, Page

from harness import scripts
from harness.chatpage import ChatPage, until
from harness.serving import Serve
from harness.tracing import Event, dirty_objects, traced

pytestmark = pytest.mark.anyio

# Sums up the text messages, and counts what the page keeps running.
COUNTS = """
globalThis.sent = { texts: 0, tokens: 0, characters: 0 };
globalThis.running = { observers: new Set(), intervals: new Set(), timeouts: new Set(), frames: 0 };
{
  const { sent, running } = globalThis;
  const NativeWorker = Worker;
  globalThis.Worker = class extends NativeWorker {
    constructor(...args) {
      super(...args);
      this.addEventListener("message", ({ data }) => {
        if (data?.type !== "text") return;
        sent.texts += 1;
        sent.tokens += data.tokens;
        sent.characters += data.text.length;
      });
    }
  };
  const { observe, disconnect } = PerformanceObserver.prototype;
  PerformanceObserver.prototype.observe = function (options) {
    running.observers.add(this);
    return observe.call(this, options);
  };
  PerformanceObserver.prototype.disconnect = function () {
    running.observers.delete(this);
    return disconnect.call(this);
  };
  for (const [kind, set, clear] of [
    ["intervals", "setInterval", "clearInterval"],
    ["timeouts", "setTimeout", "clearTimeout"],
  ]) {
    const [nativeSet, nativeClear] = [globalThis[set], globalThis[clear]];
    globalThis[set] = (callback, ms, ...rest) => {
      const id = nativeSet((...args) => {
        if (kind === "timeouts") running.timeouts.delete(id);
        callback(...args);
      }, ms, ...rest);
      running[kind].add(id);
      return id;
    };
    globalThis[clear] = (id) => {
      running[kind].delete(id);
      nativeClear(id);
    };
  }
  globalThis.nativeFrame = globalThis.requestAnimationFrame.bind(globalThis);
  globalThis.requestAnimationFrame = (callback) => {
    running.frames += 1;
    return nativeFrame(callback);
  };
}
"""

RUNNING = """() => {
  const { observers, intervals, timeouts } = running;
  return { observers: observers.size, intervals: intervals.size, timeouts: timeouts.size };
}"""

# Frames that something on the page asked for in 60 that we ask for.
FRAMES_ASKED = """async () => {
  const before = running.frames;
  for (let i = 0; i < 60; i++) await new Promise((resolve) => nativeFrame(resolve));
  return running.frames - before;
}"""

TAPS = """async () => {
  const { taps } = await import("/web/gauges/taps.js");
  return Object.values(taps).map((tap) => typeof tap);
}"""


async def opened(context: BrowserContext, url: str, *, counts: bool = True) -> ChatPage:
    """A page that is ready, its gauges open."""
    page = await context.new_page()
    if counts:
        await page.add_init_script(COUNTS)
    await page.goto(f"{url}/")
    chat = ChatPage(page)
    await chat.ready()
    await page.keyboard.press("F2")
    await gauges(page).wait_for()
    return chat


def gauges(page: Page) -> Locator:
    return page.get_by_role("region", name="Gauges")


async def verdict(page: Page) -> str:
    return await gauges(page).locator(".verdict").inner_text()


async def limits(page: Page) -> list[str]:
    """The stages on which "the limit" can be read."""
    return await gauges(page).evaluate(
        """panel => [...panel.querySelectorAll("li")]
          .filter((box) => getComputedStyle(box.querySelector("strong")).visibility === "visible")
          .map((box) => box.dataset.stage)"""
    )


async def saved(page: Page, folder: Path) -> dict[str, Any]:
    async with page.expect_download() as saving:
        await gauges(page).get_by_role("button", name="Save as JSON").click()
    download = await saving.value
    assert re.fullmatch(
        r"pageside-gauges-\d{4}-\d\d-\d\dT\d\d-\d\d-\d\d\.json", download.suggested_filename
    )
    path = folder / "gauges.json"
    await download.save_as(path)
    return json.loads(path.read_text(encoding="utf-8"))


async def test_a_key_and_a_button_open_and_close_them(
    context: BrowserContext, serve: Serve
) -> None:
    chat = await ChatPage.open(context, serve(), probe=False)
    await chat.ready()
    page = chat.page
    opener = page.locator("#open-gauges")
    fetched = "() => performance.getEntriesByType('resource').map(({ name }) => name)"
    assert not [name for name in await page.evaluate(fetched) if "gauges/panel.js" in name]
    await page.get_by_test_id("prompt").press("F2")
    await gauges(page).wait_for()
    assert await opener.get_attribute("aria-pressed") == "true"
    assert await page.evaluate("() => document.activeElement.id") == "prompt"
    await page.keyboard.press("F2")
    await gauges(page).wait_for(state="detached")
    assert await opener.get_attribute("aria-pressed") == "false"
    await opener.click()
    await gauges(page).get_by_role("button", name="Close").click()
    await gauges(page).wait_for(state="detached")
    assert await page.evaluate("() => document.activeElement.id") == "open-gauges"
    await page.keyboard.press("Shift+F2")
    assert await gauges(page).count() == 0


async def test_escape_in_the_gauges_closes_them_and_stops_nothing(
    context: BrowserContext, serve: Serve, tmp_path: Path
) -> None:
    script = scripts.write(tmp_path, scripts.words(2000, delay_ms=10))
    chat = await opened(context, serve(script=script), counts=False)
    answer = await chat.send("go")
    await chat.reach(answer, "streaming")
    await gauges(chat.page).get_by_role("button", name="Close").focus()
    await chat.page.keyboard.press("Escape")
    await gauges(chat.page).wait_for(state="detached")
    assert await chat.state(answer) == "streaming"
    assert await chat.page.evaluate("() => document.activeElement.id") == "prompt"
    await chat.page.keyboard.press("F2")
    await gauges(chat.page).wait_for()
    await chat.page.keyboard.press("Escape")
    assert await chat.ended(answer) == "stopped"
    assert await gauges(chat.page).count() == 1


async def test_the_counts_are_those_of_the_messages(
    context: BrowserContext, serve: Serve, tmp_path: Path
) -> None:
    script = scripts.write(tmp_path, scripts.words(600, delay_ms=4), scripts.words(30, delay_ms=20))
    chat = await opened(context, serve(script=script))
    for _ in range(2):
        assert await chat.ended(await chat.send("go")) == "done"
    sent = await chat.page.evaluate("() => sent")
    assert sent["texts"] > 30
    data = await saved(chat.page, tmp_path)
    counts = data["counts"]
    assert counts["batches"] == sent["texts"]
    assert counts["tokens"] == sent["tokens"]
    assert counts["characters"] == sent["characters"]
    assert counts["painted"] == sent["texts"]
    # At most one a batch, and one for the last text of each answer.
    assert 2 <= counts["commits"] <= counts["batches"] + 2
    assert data["figures"]["unpaintedBatches"] == data["figures"]["waitingLength"] == 0
    assert 1 <= data["figures"]["mostUnpaintedBatches"] <= 2
    assert len(data["samples"]["lagMs"]) == sent["texts"]
    assert len(data["samples"]["commitMs"]) == counts["commits"]
    assert len(data["samples"]["stepMs"]) == sent["texts"] - 2, "an answer's first has none"


async def test_what_is_saved(context: BrowserContext, serve: Serve, tmp_path: Path) -> None:
    script = scripts.write(tmp_path, scripts.words(60, delay_ms=20))
    chat = await opened(context, serve(script=script))
    assert await chat.ended(await chat.send("go")) == "done"
    # What streams is over, and its figures stay.
    await until(lambda: verdict(chat.page), lambda words: words == "Nothing streams.")
    data = await saved(chat.page, tmp_path)
    assert (data["format"], data["version"]) == ("pageside-gauges", 1)
    assert re.fullmatch(r"\d{4}-\d\d-\d\dT[\d:.]+Z", data["savedAt"])
    assert data["openMs"] > 0
    assert "Chrome" in data["userAgent"]
    assert data["verdict"] == {"limit": "idle", "stage": None, "words": "Nothing streams."}
    assert set(data["samples"]) == {
        *("stepMs", "deliveryMs", "commitMs", "lagMs", "missedSlots", "frameWorkMs", "longTaskMs")
    }
    figures = data["figures"]
    strings = {"longestTaskIn", "memoryBy"}
    assert all(isinstance(figures[name], str) for name in strings)
    assert isinstance(figures["isRefreshMeasured"], bool)
    numbers = set(figures) - strings - {"isRefreshMeasured"}
    assert len(numbers) == 23
    assert all(figures[name] is None or figures[name] >= 0 for name in numbers)
    assert figures["stepMs"] > 10
    assert len(data["definitions"]) == 14
    assert all(entry["definition"].endswith(".") for entry in data["definitions"])


async def test_a_slow_model_is_the_limit(
    context: BrowserContext, serve: Serve, tmp_path: Path
) -> None:
    script = scripts.write(tmp_path, [{"prefill_ms": 1500}, *scripts.words(300, delay_ms=100)])
    chat = await opened(context, serve(script=script))
    page = chat.page
    assert await until(lambda: verdict(page), bool) == "Nothing streams."
    assert await limits(page) == []
    answer = await chat.send("go")
    await until(lambda: verdict(page), lambda words: "no text comes from it" in words)
    assert await limits(page) == ["model"]
    await until(lambda: verdict(page), lambda words: words.endswith("Nothing to fix here."))
    assert await limits(page) == ["model"]
    assert await chat.state(answer) == "streaming"
    await chat.stop()
    await until(lambda: verdict(page), lambda words: words == "Nothing streams.")
    assert await limits(page) == []


SLOW_FRAMES = """() => {
  globalThis.isSlow = true;
  const busy = () => {
    for (const until = performance.now() + 60; performance.now() < until; );
    if (globalThis.isSlow) requestAnimationFrame(busy);
  };
  requestAnimationFrame(busy);
}"""


async def test_a_slow_page_is_the_limit(
    context: BrowserContext, serve: Serve, tmp_path: Path
) -> None:
    script = scripts.write(tmp_path, scripts.words(20_000, delay_ms=5))
    chat = await opened(context, serve(script=script))
    page = chat.page
    await page.evaluate(SLOW_FRAMES)
    answer = await chat.send("go")
    await until(lambda: verdict(page), lambda words: words.startswith("The page is the limit"))
    assert await limits(page) == ["paint"]
    data = await saved(page, tmp_path)
    figures = data["figures"]
    assert data["verdict"]["limit"] == "page"
    assert figures["frameWorkP50Ms"] >= 60
    assert figures["longestTaskMs"] >= 50
    assert figures["longestTaskIn"] != ""
    assert figures["framesMissed"] >= 2 * figures["framesShown"] > 0
    assert figures["mostUnpaintedBatches"] == 2
    # The model's own pace is not the page's.
    assert figures["tokensPerS"] > 100
    await page.evaluate("() => (isSlow = false)")
    await until(lambda: verdict(page), lambda words: words.startswith("The model is the limit"))
    assert await limits(page) == ["model"]
    assert await chat.state(answer) == "streaming"


async def test_slow_commits_are_told_from_other_work(
    context: BrowserContext, serve: Serve, tmp_path: Path
) -> None:
    script = scripts.write(tmp_path, scripts.words(20_000, delay_ms=5))
    chat = await opened(context, serve(script=script))
    await chat.page.evaluate(
        """() => {
          const { appendData } = CharacterData.prototype;
          CharacterData.prototype.appendData = function (text) {
            for (const until = performance.now() + 70; performance.now() < until; );
            return appendData.call(this, text);
          };
        }"""
    )
    await chat.send("go")
    await until(lambda: verdict(chat.page), lambda words: words.startswith("The page is the limit"))
    assert "bringing the document up to the text" in await verdict(chat.page)
    assert await limits(chat.page) == ["dom"]


async def test_closed_they_leave_nothing_behind(
    context: BrowserContext, serve: Serve, tmp_path: Path
) -> None:
    script = scripts.write(tmp_path, scripts.words(100, delay_ms=5))
    page = await context.new_page()
    await page.add_init_script(COUNTS)
    await page.goto(f"{serve(script=script)}/")
    chat = ChatPage(page)
    await chat.ready()
    await page.get_by_test_id("prompt").focus()
    before = await page.evaluate(RUNNING)
    assert await page.evaluate(FRAMES_ASKED) == 0
    assert await page.evaluate(TAPS) == ["object"] * 3
    for moment in ("idle", "streaming", "after an answer"):
        await page.keyboard.press("F2")
        await gauges(page).wait_for()
        assert await page.evaluate(TAPS) == ["function"] * 3
        during = await page.evaluate(RUNNING)
        assert during["observers"] == before["observers"] + 2, moment
        assert during["intervals"] == before["intervals"] + 1, moment
        if moment == "streaming":
            await chat.reach(await chat.send("go"), "streaming")
        await page.keyboard.press("F2")
        await gauges(page).wait_for(state="detached")
        assert await page.evaluate(TAPS) == ["object"] * 3
        if moment == "streaming":
            await chat.ended(chat.messages().last)
        # A notice of the page's own may still have a timer.
        left = await until(
            lambda: page.evaluate(RUNNING), lambda left: left["timeouts"] <= before["timeouts"]
        )
        assert left["observers"] == before["observers"], moment
        assert left["intervals"] == before["intervals"], moment
        assert await page.evaluate(FRAMES_ASKED) == 0, moment


async def test_open_they_ask_for_no_frames_of_their_own(
    context: BrowserContext, serve: Serve, tmp_path: Path
) -> None:
    script = scripts.write(tmp_path, scripts.words(100, delay_ms=200))
    chat = await opened(context, serve(script=script))
    await chat.page.evaluate(FRAMES_ASKED)  # the refresh interval is known after these
    idle = await chat.page.evaluate(FRAMES_ASKED)
    assert idle == 0
    await chat.reach(await chat.send("go"), "streaming")
    before = await chat.page.evaluate("() => sent.texts")
    streaming = await chat.page.evaluate(FRAMES_ASKED)
    assert 1 <= streaming <= await chat.page.evaluate("() => sent.texts") - before + 1


async def test_the_refresh_interval_is_measured_in_a_page_at_rest(
    context: BrowserContext, serve: Serve, tmp_path: Path
) -> None:
    chat = await opened(context, serve())
    figures = await until(
        lambda: figures_of(chat.page, tmp_path), lambda figures: figures["isRefreshMeasured"]
    )
    assert 16 < figures["refreshMs"] < 17.4, "headless Chromium draws at 60 Hz"


async def figures_of(page: Page, folder: Path) -> dict[str, Any]:
    return (await saved(page, folder))["figures"]


async def test_the_refresh_interval_of_a_busy_page_is_assumed(
    context: BrowserContext, serve: Serve, tmp_path: Path
) -> None:
    chat = await opened(context, serve())
    page = chat.page
    await page.keyboard.press("F2")
    await page.evaluate(SLOW_FRAMES)
    await page.keyboard.press("F2")
    await gauges(page).wait_for()
    await page.evaluate(FRAMES_ASKED)
    figures = await figures_of(page, tmp_path)
    assert figures["isRefreshMeasured"] is False
    assert figures["refreshMs"] == pytest.approx(1000 / 60)
    assert "≈" in await gauges(page).locator(".rest").inner_text()


# The sizes of everything in the panel that is seen.
BOXES = """panel => [...panel.querySelectorAll("li, dt, dd, h3, .verdict, .bar")]
  .map((element) => element.getBoundingClientRect())
  .map(({ x, y, width, height }) => [x, y, width, height].map(Math.round).join(" "))"""


async def test_figures_move_nothing(context: BrowserContext, serve: Serve, tmp_path: Path) -> None:
    script = scripts.write(tmp_path, scripts.words(400, delay_ms=5))
    chat = await opened(context, serve(script=script))
    await until(lambda: verdict(chat.page), bool)
    panel = gauges(chat.page)
    outside = "() => ['scroller', 'gauges'].map((id) => document.getElementById(id).clientHeight)"
    before = await panel.evaluate(BOXES), await chat.page.evaluate(outside)
    shown = await panel.inner_text()
    assert await chat.ended(await chat.send("go")) == "done"
    await until(lambda: verdict(chat.page), lambda words: words == "Nothing streams.")
    assert await panel.inner_text() != shown
    assert (await panel.evaluate(BOXES), await chat.page.evaluate(outside)) == before


async def test_on_a_phone_the_stages_are_below_each_other(
    context: BrowserContext, serve: Serve
) -> None:
    page = await context.new_page()
    await page.set_viewport_size({"width": 360, "height": 700})
    await page.goto(f"{serve()}/")
    await ChatPage(page).ready()
    await page.get_by_test_id("prompt").press("F2")
    await gauges(page).wait_for()
    boxes = await gauges(page).evaluate(
        """panel => [...panel.querySelectorAll("li")].map((box) => box.getBoundingClientRect())
          .map(({ x, y }) => [x, y])"""
    )
    assert len(boxes) == 5
    assert len({x for x, _ in boxes}) == 1
    assert [y for _, y in boxes] == sorted({y for _, y in boxes})
    assert await page.evaluate("() => document.documentElement.scrollWidth") <= 360
    assert await gauges(page).evaluate("panel => panel.scrollWidth <= panel.clientWidth")
    # The prompt is still there to write in.
    box = await page.get_by_test_id("prompt").bounding_box()
    assert box is not None
    assert box["y"] + box["height"] <= 700


NAMES = {"GPU", "Hz", "JSON", "MB", "Worker", "ms"}

SHOWN = """panel => {
  const texts = document.createTreeWalker(panel, NodeFilter.SHOW_TEXT);
  const shown = [panel.getAttribute("aria-label")];
  while (texts.nextNode()) shown.push(texts.currentNode.data);
  for (const { title } of panel.querySelectorAll("[title]")) shown.push(title);
  return shown;
}"""


async def test_they_speak_chinese(context: BrowserContext, serve: Serve, tmp_path: Path) -> None:
    script = scripts.write(tmp_path, scripts.words(300, delay_ms=20))
    page = await context.new_page()
    await page.add_init_script(
        "Object.defineProperty(navigator, 'language', { get: () => 'zh-CN' });"
    )
    await page.goto(f"{serve(script=script)}/")
    await page.wait_for_selector("#status:has-text('就绪')")
    await page.get_by_test_id("prompt").press("F2")
    panel = page.get_by_role("region", name="仪表")
    await panel.wait_for()
    await ChatPage(page).send("你好")
    await panel.locator(".verdict", has_text="瓶颈是模型").wait_for()
    shown = await panel.evaluate(SHOWN)
    assert len(shown) > 50
    said = [text for text in shown if not text.endswith(".js")]  # the longest task's script
    assert [text for text in said if set(re.findall(r"[A-Za-z]{2,}", text)) - NAMES] == []


async def test_a_figure_lays_out_nothing_outside_the_panel(
    context: BrowserContext, serve: Serve
) -> None:
    chat = await opened(context, serve())
    await until(lambda: verdict(chat.page), bool)
    async with traced(chat.page) as events:
        await chat.page.evaluate(
            """async () => {
              for (const cell of document.querySelectorAll("#gauges li dd")) {
                cell.firstChild.data = "12345678";
                await new Promise((resolve) => nativeFrame(() => nativeFrame(resolve)));
              }
            }"""
        )
    begun = [
        event["args"]["beginData"]
        for event in events
        if event["name"] == "Layout" and "beginData" in event["args"]
    ]
    assert len(begun) >= 9
    assert all(layout["partialLayout"] for layout in begun)


async def test_they_cost_little_and_make_no_layouts_of_their_own(
    context: BrowserContext, serve: Serve, tmp_path: Path
) -> None:
    script = scripts.write(tmp_path, scripts.words(200, delay_ms=25))
    chat = await opened(context, serve(script=script))
    async with traced(chat.page) as idle:
        for _ in range(4):
            await chat.page.evaluate(FRAMES_ASKED)
    assert 0 < own_cpu_share(idle) < 0.01
    async with traced(chat.page) as streaming:
        assert await chat.ended(await chat.send("go")) == "done"
    assert own_cpu_share(streaming) < 0.01
    layouts = dirty_objects(streaming)
    texts = await chat.page.evaluate("() => sent.texts")
    assert texts > 20
    # Their cells are laid out with the text, not beside it; sending and ending take some more.
    assert len(layouts) <= texts + 30
    assert max(layouts) <= 80
    data = await saved(chat.page, tmp_path)
    assert data["figures"]["ownShare"] > 0


def own_cpu_share(events: list[Event]) -> float:
    """CPU time of the gauges' own calls, as a share of the time of the trace."""
    own = [
        event
        for event in events
        if event["name"] == "FunctionCall" and "/gauges/" in event["args"]["data"].get("url", "")
    ]
    times = [event["ts"] for event in events if event.get("ts")]
    return sum(event["tdur"] for event in own) / (max(times) - min(times))
