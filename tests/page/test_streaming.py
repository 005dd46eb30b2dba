"""The laws of the token path: bounds, order, one commit a frame, nothing rewritten."""

from pathlib import Path
from typing import Any

import pytest
from playwright.async_api import BrowserContext, Locator

from harness import scripts
from harness.chatpage import ChatPage, until
from harness.serving import Serve

pytestmark = pytest.mark.anyio

TEXTS = {
    "words": scripts.words_text(200),
    "chinese": "你好世界 🌍 " * 60,
    "joined": "👩‍💻👨‍👩‍👧‍👦 cafe\u0301 ½ ∑ שלום नमस्ते " * 30,
    "breaks": "a\n\n  b\tc \n" * 100,
    "unbroken": "世🌍" * 6000,
    "markup": '<img src=x onerror="document.title=1"><b>&amp;</b>' * 20,
}


def splits(text: str) -> dict[str, list[str]]:
    cuts = {f"random {seed}": scripts.random_pieces(text, seed) for seed in (1, 2)}
    if len(text) < 5000:
        cuts["per character"] = scripts.per_character(text)
    return cuts


@pytest.mark.parametrize("name", TEXTS)
async def test_text_arrives_whole_over_every_split(
    name: str, context: BrowserContext, serve: Serve, tmp_path: Path
) -> None:
    text = TEXTS[name]
    cuts = splits(text)
    url = serve(script=scripts.write(tmp_path, *(scripts.tokens(cut) for cut in cuts.values())))
    chat = await ChatPage.open(context, url)
    for cut in cuts:
        answer = await chat.send("go")
        assert await chat.ended(answer) == "done"
        assert await markup(answer) == await chat.page.evaluate(WHOLE, text), cut
        assert await nodes_are_sound(answer), cut


# What the page makes of a text that has come at once.
WHOLE = """async (text) => {
  const { MarkdownView } = await import("/web/markdown/view.js");
  const element = document.createElement("div");
  const view = new MarkdownView(element);
  view.write(text);
  view.end();
  view.commit();
  return element.innerHTML;
}"""


async def markup(answer: Locator) -> str:
    return await answer.locator(".body > .markdown").evaluate("shown => shown.innerHTML")


async def nodes_are_sound(answer: Any) -> bool:
    """Text nodes are capped, and none begins or ends inside a character."""
    body = answer.get_by_test_id("message-body")
    return await body.evaluate(
        """body => {
          const texts = document.createTreeWalker(body, NodeFilter.SHOW_TEXT);
          while (texts.nextNode()) {
            const { data } = texts.currentNode;
            if (data.length > 2048 || !data.isWellFormed()) return false;
          }
          return true;
        }"""
    )


async def test_a_firehose_keeps_every_bound(
    context: BrowserContext, serve: Serve, tmp_path: Path
) -> None:
    count = 20_000
    url = serve(script=scripts.write(tmp_path, scripts.words(count, delay_ms=0.2)))
    chat = await ChatPage.open(context, url)
    answer = await chat.send("go")
    assert await chat.ended(answer) == "done"
    assert await chat.text(answer) == scripts.words_shown(count)
    probe = await chat.probe()
    assert probe["mostUnpainted"] <= 2
    assert probe["rewrites"] == 0
    assert commits_per_frame(probe) <= 1
    # Four seconds: far fewer batches than tokens, and yet a live page.
    assert 20 < probe["texts"] < count / 20


def commits_per_frame(probe: dict[str, Any]) -> float:
    """The most commits of one frame. A commit that fills a text node appends to two."""
    commits = probe["commits"]
    frames = {frame: commits.count(frame) for frame in set(commits)}
    spill = [frame for frame, appended in frames.items() if appended > 1]
    # A node fills every kilobyte, so only as often may a frame append twice.
    return 1 if len(spill) <= 160 and max(frames.values(), default=0) <= 3 else len(spill)


async def test_a_page_blocked_for_two_seconds_gets_larger_batches(
    context: BrowserContext, serve: Serve, tmp_path: Path
) -> None:
    count = 3000
    url = serve(script=scripts.write(tmp_path, scripts.words(count, delay_ms=1)))
    chat = await ChatPage.open(context, url)
    answer = await chat.send("go")
    await chat.reach(answer, "streaming")
    texts_before, texts_after = await chat.page.evaluate(BLOCK, 2000)
    assert await chat.ended(answer) == "done"
    assert await chat.text(answer) == scripts.words_shown(count)
    probe = await chat.probe()
    assert texts_after - texts_before <= 2, "no more than two batches waited for the page"
    assert probe["mostUnpainted"] <= 2
    assert probe["rewrites"] == 0


# The messages that had piled up are delivered in the turn after the block.
BLOCK = """async (ms) => {
  const before = probe.texts;
  for (const until = performance.now() + ms; performance.now() < until; );
  const frame = probe.frames;
  await new Promise((resolve) => setTimeout(resolve, 0));
  return [before, probe.frames === frame ? probe.texts : before];
}"""


async def test_the_model_does_not_wait_for_a_blocked_page(
    context: BrowserContext, serve: Serve, tmp_path: Path
) -> None:
    """The answer's last token is decoded while the page is blocked."""
    first, *rest = scripts.words(500, delay_ms=1)
    script = scripts.write(tmp_path, [first, {"stall_ms": 1500}, *rest])
    chat = await ChatPage.open(context, serve(script=script))
    answer = await chat.send("go")
    await chat.reach(answer, "streaming")
    received = await chat.page.evaluate(
        """async () => {
          for (const until = performance.now() + 4000; performance.now() < until; );
          await new Promise((resolve) => setTimeout(resolve, 0));
          return probe.received;
        }"""
    )
    assert "done" in received
    assert await chat.ended(answer) == "done"
    assert await chat.text(answer) == scripts.words_shown(500)


async def test_what_is_acknowledged_was_painted(
    context: BrowserContext, serve: Serve, tmp_path: Path
) -> None:
    """A page that is alive but gets no frames takes two batches and no more."""
    url = serve(script=scripts.write(tmp_path, scripts.words(600, delay_ms=1)))
    chat = await ChatPage.open(context, url)
    await chat.ready()
    await chat.page.evaluate(
        """() => {
          const native = globalThis.requestAnimationFrame;
          const held = [];
          globalThis.requestAnimationFrame = (callback) => held.push(callback);
          globalThis.release = () => {
            globalThis.requestAnimationFrame = native;
            held.forEach((callback) => native(callback));
          };
        }"""
    )
    answer = await chat.send("go")
    assert await chat.ended(answer) == "done", "the last text needs no frame"
    assert (await chat.probe())["texts"] == 2
    assert await chat.text(answer) == scripts.words_shown(600)
    await chat.page.evaluate("() => release()")
    assert await chat.text(answer) == scripts.words_shown(600)


async def test_a_hidden_page_keeps_taking_text_and_nothing_piles_up(
    context: BrowserContext, serve: Serve, tmp_path: Path
) -> None:
    count = 2000
    url = serve(script=scripts.write(tmp_path, scripts.words(count, delay_ms=1)))
    chat = await ChatPage.open(context, url)
    await chat.page.evaluate(NO_FRAMES_WHEN_HIDDEN)
    answer = await chat.send("go")
    await chat.reach(answer, "streaming")
    await chat.page.evaluate("() => hide(true)")
    before = len(await chat.text(answer))
    texts = (await chat.probe())["texts"]
    await until(chat.probe, lambda probe: probe["texts"] > texts + 10)
    assert await chat.state(answer) == "streaming"
    assert len(await chat.text(answer)) > before
    assert await chat.ended(answer) == "done"
    hidden_text = await chat.text(answer)
    await chat.page.evaluate("() => hide(false)")
    assert hidden_text == scripts.words_shown(count)
    assert (await chat.probe())["mostUnpainted"] <= 2


# Playwright's pages are never hidden: what a hidden page lacks is taken from it.
NO_FRAMES_WHEN_HIDDEN = """() => {
  let hidden = false;
  const { requestAnimationFrame: native } = globalThis;
  globalThis.requestAnimationFrame = (callback) => (hidden ? 0 : native(callback));
  Object.defineProperty(document, "hidden", { get: () => hidden });
  globalThis.hide = (value) => {
    hidden = value;
    document.dispatchEvent(new Event("visibilitychange"));
  };
}"""


async def test_output_is_text_never_markup(
    context: BrowserContext, serve: Serve, tmp_path: Path
) -> None:
    hostile = (
        '<img src="/api/health?stolen" onerror="document.title=\'run\'">'
        "<script>document.title='run'</script><iframe srcdoc='<p>'></iframe>"
        "[x](javascript:alert(1)) ![x](http://elsewhere.invalid/?q=secret)"
        "<svg onload=\"document.title='run'\"></svg>"
    )
    cuts = [scripts.per_character(hostile), scripts.random_pieces(hostile, 3), [hostile]]
    url = serve(script=scripts.write(tmp_path, *map(scripts.tokens, cuts)))
    requests: list[str] = []
    context.on("request", lambda request: requests.append(request.url))
    chat = await ChatPage.open(context, url)
    await chat.ready()
    before = len(requests)
    for _ in cuts:
        answer = await chat.send(hostile)
        assert await chat.ended(answer) == "done"
        assert await markup(answer) == await chat.page.evaluate(WHOLE, hostile)
        shown = await chat.text(answer)
        assert all(part in shown for part in ("<img src=", "<script>", "<iframe", "<svg onload="))
        body = answer.get_by_test_id("message-body")
        assert await body.locator(":not(div, p, span, a)").count() == 0
        assert await body.locator("a").evaluate_all("all => all.map((a) => a.href)") == [
            "http://elsewhere.invalid/?q=secret"
        ]
    assert await chat.page.title() != "run"
    assert requests[before:] == []


async def test_markup_cannot_be_parsed_even_on_purpose(
    context: BrowserContext, serve: Serve
) -> None:
    """Trusted Types are enforced, with no policy that passes markup or foreign scripts."""
    chat = await ChatPage.open(context, serve())
    await chat.ready()
    refused = await chat.page.evaluate(
        """() => {
          const tries = [
            () => (document.body.innerHTML = "<b>x</b>"),
            () => document.body.insertAdjacentHTML("beforeend", "<b>x</b>"),
            () => new Worker("/worker/worker.js"),
            () => trustedTypes.createPolicy("another", { createHTML: (x) => x }),
            () => trustedTypes.createPolicy("pageside", { createHTML: (x) => x }),
          ];
          return tries.map((attempt) => {
            try { attempt(); return "done"; } catch { return "refused"; }
          });
        }"""
    )
    assert refused == ["refused"] * 5


async def test_the_marks_of_an_answer(
    context: BrowserContext, serve: Serve, tmp_path: Path
) -> None:
    script = scripts.write(tmp_path, [{"prefill_ms": 20}, *scripts.words(50, delay_ms=2)])
    chat = await ChatPage.open(context, serve(script=script))
    await chat.ready()
    answer = await chat.send("go")
    assert await chat.ended(answer) == "done"
    marks = await chat.page.evaluate(
        """async () => {
          await new Promise((resolve) => requestAnimationFrame(() => setTimeout(resolve, 50)));
          return performance.getEntriesByType("mark").map((mark) => mark.name);
        }"""
    )
    names = [
        "load-start",
        "load-end",
        "send",
        "prefill-start",
        "first-token",
        "first-paint",
        "last-paint",
    ]
    assert marks == [f"pageside:{name}" for name in names]
