"""Conversations outlast the page, however it ends, and where they cannot it says so and goes on."""

import asyncio
import re
from collections.abc import Awaitable, Callable
from pathlib import Path

import pytest
from playwright.async_api import BrowserContext, Page, Route

from harness.chatpage import PATIENCE_S, until
from harness.serving import Serve
from pageside.browser.launch import launch

pytestmark = pytest.mark.anyio

LIBRARY = Path(__file__).with_name("keeping.js")

OPEN = "async () => { Object.assign(globalThis, keeping, await keeping.open()); }"
STREAM = """async (text) => {
  keeper.putConversation(conversation("c", { changedAt: 100 }));
  keeper.putMessage(message("a", "c", { state: "streaming", text: text ?? "" }));
}"""
TEXTS = "async (id) => (await keeper.messages(id ?? 'c')).map(({ text }) => text)"
IDS = "async () => (await keeper.conversations()).map(({ id }) => id)"
TEN_KEPT = """async () => {
  for (let i = 0; i < 10; i++) {
    keeper.putConversation(conversation(`c${i}`, { changedAt: i }));
    keeper.putMessage(message(`m${i}`, `c${i}`));
  }
  await keeper.settled();
}"""

OpenTab = Callable[..., Awaitable[Page]]


@pytest.fixture
def url(serve: Serve) -> str:
    """An origin of its own: nothing is kept there yet."""
    return serve()


@pytest.fixture
def tab(context: BrowserContext, url: str) -> OpenTab:
    """Opens tabs of one browser on the origin, each with a Keeper."""

    async def open_tab(*, opened: bool = True) -> Page:
        page = await context.new_page()
        await page.add_init_script(path=LIBRARY)
        await page.goto(f"{url}/web/headless.html")
        if opened:
            await page.evaluate(OPEN)
        return page

    return open_tab


async def rows(page: Page) -> dict[str, int]:
    counts: dict[str, int] = await page.evaluate("() => keeping.rows()")
    return counts


async def troubles(page: Page) -> list[str]:
    said: list[str] = await page.evaluate("() => troubles")
    return said


async def crash(page: Page) -> None:
    """The renderer's process ends on the spot: nothing in it runs any more."""
    gone = asyncio.get_running_loop().create_future()
    page.once("crash", lambda _: gone.set_result(None))
    session = await page.context.new_cdp_session(page)
    crashing = asyncio.ensure_future(session.send("Page.crash"))
    async with asyncio.timeout(PATIENCE_S):
        await gone
    crashing.cancel()
    await asyncio.gather(crashing, return_exceptions=True)
    await page.close()


async def test_what_was_put_is_there_after_a_reload(tab: OpenTab) -> None:
    page = await tab()
    wanted = await page.evaluate("""async () => {
      const figures = { reason: "eos", promptTokens: 5, tokens: 9, ttftMs: 1, tokensPerS: 4 };
      const messages = [
        message("b", "c", { at: 2, parent: "a", figures, text: "你好 \\ud800 \\u0000 🌍" }),
        message("a", "c", { role: "user", at: 1 }),
        message("x", "d"),
      ];
      keeper.putConversation(conversation("c", { changedAt: 5, leaf: "b" }));
      keeper.putConversation(conversation("d", { changedAt: 7 }));
      keeper.putMessages(messages);
      await keeper.settled();
      return [messages[1], messages[0]];
    }""")
    await page.reload()
    await page.evaluate(OPEN)
    assert await page.evaluate("() => keeper.messages('c')") == wanted
    assert await page.evaluate("() => keeper.conversations()") == [
        {"id": "d", "title": "Title of d", "createdAt": 1, "changedAt": 7, "leaf": None},
        {"id": "c", "title": "Title of c", "createdAt": 1, "changedAt": 5, "leaf": "b"},
    ]
    assert await page.evaluate("() => keeper.isKeeping") is True
    assert await troubles(page) == []


async def test_the_list_is_bounded_and_newest_first(tab: OpenTab) -> None:
    page = await tab()
    await page.evaluate("async () => keeper.import(file(600, 1))")
    listed = await page.evaluate(
        "async () => (await keeper.conversations()).map((each) => each.changedAt)"
    )
    assert listed == list(range(599, 99, -1))


async def test_removing_leaves_nothing(tab: OpenTab) -> None:
    page = await tab()
    await page.evaluate(STREAM)
    await page.evaluate("""async () => {
      keeper.append("a", "some ");
      await keeper.settled();
      keeper.append("a", "text");
      keeper.putMessages([message("b", "c"), message("e", "c"), message("x", "d")]);
      keeper.putConversation(conversation("d"));
      await keeper.settled();
    }""")
    assert await rows(page) == {
        "version": 1, "meta": 1, "conversations": 2, "messages": 4, "pieces": 2,
    }  # fmt: skip
    await page.evaluate("async () => (keeper.removeMessages('c', ['b', 'e']), keeper.settled())")
    assert await page.evaluate(TEXTS) == ["some text"]
    await page.evaluate("async () => (keeper.removeConversation('c'), keeper.settled())")
    assert await rows(page) == {
        "version": 1, "meta": 1, "conversations": 1, "messages": 1, "pieces": 0,
    }  # fmt: skip
    assert await page.evaluate(IDS) == ["d"]


async def test_an_append_posts_its_text_and_no_more(tab: OpenTab) -> None:
    page = await tab()
    await page.evaluate(STREAM)
    posted = await page.evaluate("""async () => {
      await keeper.settled();
      const before = crossed.posted.length;
      for (let i = 0; i < 5000; i++) keeper.append("a", `${i} `);
      const posted = crossed.posted.slice(before);
      await keeper.settled();
      return posted;
    }""")
    assert [each["text"] for each in posted] == [f"{i} " for i in range(5000)]
    assert max(len(str(each)) for each in posted) < 150, "nothing of it grows with the answer"
    received = await page.evaluate("() => crossed.received.filter((each) => each === 'stored')")
    assert len(received) < 20, "nor is the page told of every transaction"


async def test_pieces_give_way_to_the_whole(tab: OpenTab) -> None:
    page = await tab()
    await page.evaluate(STREAM, "begun: ")
    for i in range(20):
        await page.evaluate("async (i) => (keeper.append('a', `${i} `), keeper.settled())", i)
    text = "begun: " + "".join(f"{i} " for i in range(20))
    assert (await rows(page))["pieces"] == 20
    other = await tab()
    assert await other.evaluate(TEXTS) == [text]
    await page.evaluate(
        "async (text) => (keeper.putMessage(message('a', 'c', { text })), keeper.settled())", text
    )
    assert (await rows(page))["pieces"] == 0
    assert await other.evaluate(TEXTS) == [text]


@pytest.mark.parametrize("per_turn", ["() => 1", "(n) => 1 + (n % 13)", "() => 200"])
async def test_what_was_shown_is_there_when_the_renderer_is_killed(
    per_turn: str, tab: OpenTab
) -> None:
    for kill in range(3):
        page = await tab()
        await page.evaluate(STREAM)
        await page.evaluate("() => keeper.settled()")
        await page.evaluate(f"() => stream(keeper, 'a', {per_turn})")
        enough = 400 * (kill + 1)
        await until(
            lambda page=page: page.evaluate(
                "() => document.querySelector('pre').textContent.length"
            ),
            lambda length, enough=enough: length > enough,
        )
        shown = await page.evaluate("() => document.querySelector('pre').textContent")
        await crash(page)
        again = await tab()
        (message,) = await again.evaluate("() => keeper.messages('c')")
        assert message["text"].startswith(shown)
        words = message["text"].split(" ")
        assert words == [*(f"w{i}" for i in range(len(words) - 1)), ""]
        assert (message["state"], message["isInterrupted"]) == ("stopped", True)
        await again.close()


async def test_ten_thousand_pieces_are_read_back(tab: OpenTab) -> None:
    """50,000 tokens, five of them a piece, none of which was put together before the tab ended."""
    page = await tab()
    await page.evaluate(STREAM)
    await page.evaluate("""async () => {
      await keeper.settled();
      // What is posted while many transactions are open would be one piece.
      for (let i = 0; i < 10_000; i++) {
        keeper.append("a", `${i} two three four five `);
        if (i % 10 === 9) await keeper.settled();
      }
    }""")
    assert (await rows(page))["pieces"] == 10_000
    await page.close()
    again = await tab()
    text = "".join(f"{i} two three four five " for i in range(10_000))
    assert await again.evaluate(TEXTS) == [text]
    await again.evaluate(
        "async (text) => (keeper.putMessage(message('a', 'c', { text })), keeper.settled())", text
    )
    assert (await rows(again))["pieces"] == 0


async def test_a_tab_hears_what_others_do_and_not_what_it_does(tab: OpenTab) -> None:
    writing, other = await tab(), await tab()
    heard: list[str] = []

    async def hears(*expected: str) -> None:
        heard.extend(expected)
        await until(lambda: other.evaluate("() => others"), lambda said: len(said) >= len(heard))
        assert await other.evaluate("() => others") == heard

    await other.evaluate("() => keeper.settled()")
    await writing.evaluate("() => keeper.putConversation(conversation('c'))")
    await hears("conversation c")
    await writing.evaluate(
        "() => keeper.putMessages([message('a', 'c'), message('b', 'c'), message('x', 'd')])"
    )
    await hears("message c", "message d")
    await writing.evaluate("() => keeper.removeMessages('c', ['a'])")
    await hears("message c")
    await writing.evaluate("() => keeper.removeConversation('c')")
    await hears("deleted c")
    await writing.evaluate("() => keeper.import(file(1, 1))")
    await hears("all ")
    await writing.evaluate("() => keeper.settled()")
    assert await writing.evaluate("() => others") == []


async def test_an_answer_streams_as_long_as_its_tab_does(tab: OpenTab) -> None:
    writing, other = await tab(), await tab()
    states = "async () => (await keeper.messages('c')).map(({ state }) => state)"
    await writing.evaluate(STREAM)
    await writing.evaluate("async () => (keeper.append('a', 'some text'), keeper.settled())")
    assert await other.evaluate(states) == ["streaming"]
    assert await other.evaluate(TEXTS) == ["some text"]
    assert await writing.evaluate(states) == ["streaming"]
    held = "async () => (await navigator.locks.query()).held.map(({ name }) => name)"
    assert "pageside-answer-a" in await other.evaluate(held)
    await writing.evaluate("async () => (keeper.putMessage(message('a', 'c')), keeper.settled())")
    await until(lambda: other.evaluate(held), lambda names: "pageside-answer-a" not in names)
    assert await other.evaluate(states) == ["done"]
    await writing.evaluate(STREAM)
    await writing.evaluate("() => keeper.settled()")
    assert await other.evaluate(states) == ["streaming"]
    await writing.close()
    await until(lambda: other.evaluate(states), lambda said: said == ["stopped"])
    (message,) = await other.evaluate("() => keeper.messages('c')")
    assert message["isInterrupted"] is True
    # What was read so can be put so: the mark is not kept.
    await other.evaluate(
        "async () => (keeper.putMessages(await keeper.messages('c')), keeper.settled())"
    )
    (message,) = await other.evaluate("() => keeper.messages('c')")
    assert message["state"] == "stopped"
    assert "isInterrupted" not in message


async def test_two_tabs_change_one_conversation_and_neither_is_lost(tab: OpenTab) -> None:
    first, second = await tab(), await tab()
    await first.evaluate(
        "async () => (keeper.putConversation(conversation('c')), keeper.settled())"
    )
    for page in (first, second):
        assert await page.evaluate(IDS) == ["c"]
    await first.evaluate(
        """async () => {
          keeper.putConversation(conversation('c', { title: 'New', changedAt: 5 }));
          await keeper.settled();
        }"""
    )
    await second.evaluate(
        """async () => {
          keeper.putConversation(conversation('c', { leaf: 'x', changedAt: 6 }));
          await keeper.settled();
        }"""
    )
    for page in (first, second):
        (merged,) = await page.evaluate("() => keeper.conversations()")
        assert (merged["title"], merged["leaf"], merged["changedAt"]) == ("New", "x", 6)


async def test_a_conversation_removed_in_another_tab_is_not_written_again(tab: OpenTab) -> None:
    writing, removing = await tab(), await tab()
    await writing.evaluate(STREAM)
    await writing.evaluate("async () => (stream(keeper, 'a', () => 3), keeper.settled())")
    assert await removing.evaluate(IDS) == ["c"]
    await removing.evaluate("async () => (keeper.removeConversation('c'), keeper.settled())")
    await until(lambda: writing.evaluate("() => others"), lambda said: said == ["deleted c"])
    await writing.evaluate(
        """async () => {
          keeper.putMessage(message("a", "c"));
          keeper.putConversation(conversation("c", { changedAt: 9 }));
          await keeper.settled();
        }"""
    )
    counts = await rows(removing)
    assert (counts["conversations"], counts["messages"], counts["pieces"]) == (0, 0, 0)
    await removing.evaluate(
        "async () => (keeper.putConversation(conversation('c')), keeper.settled())"
    )
    await until(lambda: writing.evaluate("() => others"), lambda said: len(said) == 2)
    await writing.evaluate("async () => (keeper.putMessage(message('a', 'c')), keeper.settled())")
    assert await removing.evaluate(TEXTS) == ["text of a"]


# Enough for a few messages and what the database itself takes. Chromium asks for what is left of it
# only now and then, so it must hold from the beginning.
ROOM_BYTES = 4_000_000


async def set_quota(page: Page, url: str, size_bytes: int | None) -> None:
    session = await page.context.new_cdp_session(page)
    size = {} if size_bytes is None else {"quotaSize": size_bytes}
    await session.send("Storage.overrideQuotaForOrigin", {"origin": url, **size})


async def test_a_full_store_keeps_what_it_has_and_the_page_goes_on(tab: OpenTab, url: str) -> None:
    page = await tab(opened=False)
    await set_quota(page, url, ROOM_BYTES)
    await page.evaluate(OPEN)
    await page.evaluate(TEN_KEPT)
    await page.evaluate(STREAM)
    await page.evaluate("async () => (keeper.append('a', 'kept '), keeper.settled())")
    await page.evaluate(
        """async () => {
          globalThis.much = noise(8_000_000);
          keeper.append("a", much);
          await keeper.settled();
          keeper.append("a", " and more");
          keeper.putConversation(conversation("new", { changedAt: 99 }));
          keeper.putMessage(message("n", "new"));
          await keeper.settled();
        }"""
    )
    assert await troubles(page) == ["storage_full"]
    assert await page.evaluate("() => keeper.isKeeping") is False
    ids = ["c", "new", *(f"c{i}" for i in range(9, -1, -1))]
    assert await page.evaluate(IDS) == ids
    shown = "async () => (await keeper.messages('c')).map(({ text }) => text.replace(much, '…'))"
    assert await page.evaluate(shown) == ["kept … and more"]
    assert await page.evaluate(TEXTS, "new") == ["text of n"]
    found = "async (query) => (await keeper.search(query)).map((each) => each.conversation.id)"
    assert await page.evaluate(found, "text of n") == ["new"]
    assert await page.evaluate(found, "TEXT OF m3") == ["c3"]
    size = await page.evaluate("async () => (await keeper.exportAll()).size")
    assert size > 8_000_000
    await page.evaluate("async () => (keeper.removeConversation('c9'), keeper.settled())")
    await set_quota(page, url, None)
    await page.reload()
    await page.evaluate(OPEN)
    assert await page.evaluate(IDS) == [id for id in ids if id not in ("new", "c9")]
    assert await page.evaluate(TEXTS) == ["kept "]
    assert await troubles(page) == []
    await page.evaluate("async () => (keeper.putMessage(message('a', 'c')), keeper.settled())")
    await page.reload()
    await page.evaluate(OPEN)
    assert await page.evaluate(TEXTS) == ["text of a"]


async def test_an_import_without_room_imports_nothing_and_keeping_goes_on(
    tab: OpenTab, url: str
) -> None:
    page = await tab(opened=False)
    await set_quota(page, url, ROOM_BYTES)
    await page.evaluate(OPEN)
    await page.evaluate(TEN_KEPT)
    before = await rows(page)
    failure = await page.evaluate("() => fails(keeper.import(file(100, 20, noise(5000))))")
    assert failure["code"] == "import_too_large"
    assert await rows(page) == before
    assert await page.evaluate("() => keeper.isKeeping") is True
    assert await troubles(page) == []
    await set_quota(page, url, None)  # what was written and taken back may fill it
    await page.evaluate("async () => (keeper.putMessage(message('n', 'c1')), keeper.settled())")
    assert (await rows(page))["messages"] == 11


@pytest.mark.parametrize(("version", "schema"), [(2, 2), (1, 2)])
async def test_a_newer_store_is_left_as_it_is(tab: OpenTab, version: int, schema: int) -> None:
    page = await tab(opened=False)
    await page.evaluate("([v, s]) => keeping.makeDatabase(v, s)", [version, schema])
    before = await rows(page)
    assert before["conversations"] == 1
    await page.evaluate(OPEN)
    await assert_remembers(page, "storage_newer")
    assert await rows(page) == before
    assert await page.evaluate("() => keeping.persisted()") == 0


async def assert_remembers(page: Page, trouble: str) -> None:
    """The page has said what is wrong, once, and all works for as long as it is open."""
    await page.evaluate(TEN_KEPT)
    await page.evaluate(STREAM)
    await page.evaluate(
        """async () => {
          for (const each of "abc") keeper.append("a", each);
          await keeper.settled();
        }"""
    )
    assert await troubles(page) == [trouble]
    assert await page.evaluate("() => keeper.isKeeping") is False
    assert await page.evaluate(IDS) == ["c", *(f"c{i}" for i in range(9, -1, -1))]
    assert await page.evaluate(TEXTS) == ["abc"]
    imported = await page.evaluate("async () => keeper.import(await keeper.exportAll())")
    assert imported == {"conversations": 11, "messages": 11}
    assert len(await page.evaluate("() => keeper.search('text of m3')")) == 2


async def test_a_newer_page_in_another_tab_takes_the_store_over(tab: OpenTab) -> None:
    older, newer = await tab(), await tab(opened=False)
    await older.evaluate(TEN_KEPT)
    await newer.evaluate("() => keeping.makeDatabase(2, 2)")
    await until(lambda: troubles(older), lambda said: said == ["storage_newer"])
    before = await rows(newer)
    await older.evaluate("async () => (keeper.putMessage(message('n', 'c1')), keeper.settled())")
    assert await older.evaluate(TEXTS, "c1") == ["text of n"], "what is kept is out of reach"
    assert await rows(newer) == before


async def test_a_store_that_is_removed_meanwhile_is_said_to_be(tab: OpenTab) -> None:
    page, other = await tab(), await tab(opened=False)
    await page.evaluate(TEN_KEPT)
    await other.evaluate(
        """() => new Promise((resolve, reject) => {
          const request = indexedDB.deleteDatabase("pageside-conversations");
          request.onsuccess = resolve;
          request.onerror = request.onblocked = reject;
        })"""
    )
    await assert_remembers(page, "storage_lost")


async def test_where_the_browser_cannot_store_the_page_remembers(serve: Serve) -> None:
    """The folder in which it would is a file."""
    url = serve()
    async with launch() as browser:
        blocked = Path(browser.profile.user_data) / "Default" / "IndexedDB"
        blocked.parent.mkdir(exist_ok=True)
        blocked.write_text("no folder")
        page = await browser.context.new_page()
        await page.add_init_script(path=LIBRARY)
        await page.goto(f"{url}/web/headless.html")
        await page.evaluate(OPEN)
        await assert_remembers(page, "storage_refused")


async def test_a_database_that_does_not_answer_is_done_without(serve: Serve) -> None:
    async def silenced(route: Route) -> None:
        response = await route.fetch()
        silence = "indexedDB.open = () => new EventTarget();\n"
        await route.fulfill(response=response, body=silence + await response.text())

    url = serve()
    async with launch() as browser:
        await browser.context.route("**/keeping/worker/database.js", silenced)
        page = await browser.context.new_page()
        await page.add_init_script(path=LIBRARY)
        await page.goto(f"{url}/web/headless.html")
        await page.evaluate(OPEN)
        await assert_remembers(page, "storage_refused")


async def test_a_worker_that_dies_is_replaced_and_nothing_is_lost(tab: OpenTab) -> None:
    page = await tab()
    await page.evaluate(TEN_KEPT)
    await page.evaluate(STREAM)
    text = await page.evaluate("""async () => {
      let text = "";
      const add = (from) => {
        for (let i = from; i < from + 300; i++) {
          keeper.append("a", `${i} `);
          text += `${i} `;
        }
      };
      add(0);
      workers.at(-1).terminate();
      add(300);
      const pending = keeper.search("text of m3");
      await keeper.settled();
      if ((await pending).length !== 1) throw new Error("the search has found nothing");
      return text;
    }""")
    assert await page.evaluate("() => workers.length") == 2
    assert await page.evaluate(TEXTS) == [text]
    assert await troubles(page) == []
    await page.reload()
    await page.evaluate(OPEN)
    assert await page.evaluate(TEXTS) == [text]
    assert len(await page.evaluate(IDS)) == 11


async def test_a_worker_that_dies_again_leaves_a_memory(tab: OpenTab) -> None:
    page = await tab()
    for _ in range(2):
        await page.evaluate("() => keeper.settled()")
        await page.evaluate("() => workers.at(-1).terminate()")
        await page.evaluate("() => keeper.conversations()")
    await assert_remembers(page, "storage_lost")


async def test_an_import_that_the_worker_did_not_outlive_is_said_to_be_unsure(tab: OpenTab) -> None:
    page = await tab()
    await page.evaluate("() => keeper.settled()")
    failure = await page.evaluate("""async () => {
      const importing = fails(keeper.import(file(500, 20)));
      workers.at(-1).terminate();
      return importing;
    }""")
    assert failure["code"] == "storage_lost"
    assert (await rows(page))["conversations"] in (0, 500), "all or nothing"
    assert await troubles(page) == []


async def test_without_its_worker_the_page_remembers(context: BrowserContext, url: str) -> None:
    page = await context.new_page()
    await page.add_init_script(path=LIBRARY)
    await page.route("**/keeper.worker.js", lambda route: route.abort())
    await page.goto(f"{url}/web/headless.html")
    await page.evaluate(OPEN)
    await assert_remembers(page, "storage_lost")
    assert await page.evaluate("() => workers.length") == 2


async def test_no_other_worker_can_be_started(tab: OpenTab) -> None:
    page = await tab()
    said = await page.evaluate(
        """async () => {
          const { startEngine, startKeeper } = await import("/web/trusted.js");
          for (const start of [startEngine, startKeeper]) start().terminate();
          const attempts = [
            () => new Worker("/web/keeping/worker/keeper.worker.js", { type: "module" }),
            () => new Worker("/web/keeping/archive.js", { type: "module" }),
            () => new Worker(URL.createObjectURL(new Blob(["1"]))),
            () => trustedTypes.createPolicy("pageside", { createScriptURL: (url) => url }),
            () => trustedTypes.createPolicy("other", { createScriptURL: (url) => url }),
          ];
          return attempts.map((attempt) => {
            try {
              return String(attempt());
            } catch (error) {
              return error.name;
            }
          });
        }"""
    )
    assert said == ["TypeError"] * 5


async def test_search_and_export_of_a_thousand_conversations_are_one_message_each(
    tab: OpenTab,
) -> None:
    page = await tab()
    imported = await page.evaluate("() => keeper.import(file(1000, 20))")
    assert imported == {"conversations": 1000, "messages": 20_000}
    counts = await rows(page)
    assert (counts["conversations"], counts["messages"]) == (1000, 20_000)
    seen = await page.evaluate("""async () => {
      await keeper.settled();
      const before = [crossed.posted.length, crossed.received.length, crossed.read];
      const found = await keeper.search("the NEEDLE of", 1000);
      const few = await keeper.search("needle", 7);
      globalThis.exported = await keeper.exportAll();
      return {
        posted: crossed.posted.slice(before[0]).map(({ question }) => question.of),
        received: crossed.received.slice(before[1]),
        read: crossed.read - before[2],
        found: found.map(({ conversation, excerpt }) => [conversation.title, excerpt]),
        few: few.length,
      };
    }""")
    assert seen["posted"] == ["search", "search", "export"]
    assert seen["received"] == ["answer"] * 3
    assert seen["read"] == 0
    assert seen["few"] == 7
    assert seen["found"] == [
        [f"Conversation {i}", f"Some hay with the Needle of {i} in it"] for i in range(990, -1, -10)
    ]
    shape = await page.evaluate("""async () => {
      const { format, version, conversations } = JSON.parse(await exported.text());
      const titles = conversations.map(({ title }) => title);
      const texts = conversations.flatMap(({ messages }) => messages.map(({ text }) => text));
      return [format, version, titles.length, new Set(texts).size, texts.length, titles[0]];
    }""")
    assert shape == ["pageside-conversations", 1, 1000, 20_000, 20_000, "Conversation 999"]
    again = await page.evaluate("() => keeper.import(exported)")
    assert again == imported
    assert (await rows(page))["conversations"] == 2000, "an import replaces nothing"


async def test_a_newer_search_ends_an_older_one(tab: OpenTab) -> None:
    page = await tab()
    await page.evaluate("() => keeper.import(file(200, 5))")
    older, newer = await page.evaluate(
        "() => Promise.all([keeper.search('needle'), keeper.search('of 190')])"
    )
    assert older == []
    assert [each["conversation"]["title"] for each in newer] == ["Conversation 190"]


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ('{"format":"pageside-conversations","version":1,"conversations":[{"id":"c"', "whole JSON"),
        ("<!doctype html>", "whole JSON"),
        ('{"format":"pageside-conversations","version":9}', "of version 9"),
        ('{"format":"pageside-conversations","version":1,"conversations":[7]}', r"s\[0\] is not"),
        ('[{"role":"user","content":"x"},{"role":"root","content":"x"}]', r"\[1\]\.role is none"),
    ],
)
async def test_a_hostile_file_is_refused_in_one_line_and_nothing_changes(
    tab: OpenTab, text: str, said: str
) -> None:
    page = await tab()
    await page.evaluate(TEN_KEPT)
    before = await rows(page)
    failure = await page.evaluate("(text) => fails(keeper.import(new Blob([text])))", text)
    assert failure["code"] == "import_invalid"
    assert re.search(said, failure["message"])
    assert "\n" not in failure["message"]
    assert await rows(page) == before
    assert await page.evaluate("() => workers.length") == 1, "the worker has lived through it"


async def test_a_large_file_is_read_in_the_worker(tab: OpenTab) -> None:
    page = await tab()
    read = await page.evaluate("""async () => {
      const large = file(640, 10, "x".repeat(10_000));
      const before = crossed.read;
      const imported = await keeper.import(large);
      return { ...imported, read: crossed.read - before, isLarge: large.size > 64_000_000 };
    }""")
    assert read == {"conversations": 640, "messages": 6400, "read": 0, "isLarge": True}
    refused = await page.evaluate(
        "() => fails(keeper.import(new Blob(Array(257).fill(new Uint8Array(1024 * 1024)))))"
    )
    assert refused["code"] == "import_too_large"
    assert "257 MB" in refused["message"]


async def test_the_browser_is_asked_once_to_keep_it(tab: OpenTab) -> None:
    page = await tab()
    await page.evaluate("() => keeper.settled()")
    assert await page.evaluate("() => keeping.persisted()") == 0
    await page.evaluate(TEN_KEPT)
    await until(lambda: page.evaluate("() => keeping.persisted()"), lambda count: count > 0)
    await page.evaluate(TEN_KEPT)
    assert await page.evaluate("() => keeping.persisted()") == 1
