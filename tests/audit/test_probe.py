"""The probe in a real page: every word that comes is noted, whatever brings it, and nothing else
is done."""

from collections.abc import Sequence
from itertools import accumulate

import pytest
from playwright.async_api import Page

from harness import scripts
from pageside.audit import probe
from pageside.audit.clock import PageClock, page_clock
from pageside.audit.probe import Evidence
from pageside.audit.text import tokens, words_in

pytestmark = pytest.mark.anyio

# Times as the page has them, in seconds.
PAGE_CLOCK = PageClock(0, 0)
WORDS = 70
TEXT = "".join(tokens(WORDS, "plain"))

# How a page may show the next piece. Each gets `root`, `piece`, and `text`, which is all so far.
WAYS = {
    "one text node": "root.firstChild ? root.firstChild.appendData(piece) : root.append(piece)",
    "textContent": "root.textContent = text",
    "innerHTML": "root.innerHTML = text.split('\\n\\n').map((t) => `<p>${t}</p>`).join('')",
    "whole element": "root.replaceChildren(Object.assign(document.createElement('p'), "
    "{ textContent: text }))",
    "insertAdjacentHTML": "root.insertAdjacentHTML('beforeend', piece)",
    "a text node each": "root.append(piece)",
    "a span each": "root.append(Object.assign(document.createElement('span'), "
    "{ textContent: piece }))",
}
# These bring a word cut in two in two nodes.
CUT_APART = {"insertAdjacentHTML", "a text node each", "a span each"}

# The probe's observer is called between two turns of the loop: it was asked for before.
STREAM = """async ([pieces, host]) => {
    const root = globalThis[host];
    let text = '';
    for (const piece of pieces) {
        text += piece;
        %s;
        await null;
    }
}"""


@pytest.fixture
async def page(tab: Page) -> Page:
    """With the probe, and an element `plain`; `shallow`, `shut` and `deep` are in shadow roots."""
    await tab.add_init_script(probe.SCRIPT)
    await tab.goto("data:text/html,<main></main>")
    await tab.evaluate(
        """() => {
            const inside = (root) => root.appendChild(document.createElement('div'));
            const shadow = (root, mode) => inside(inside(root).attachShadow({ mode }));
            const main = document.querySelector('main');
            globalThis.plain = inside(main);
            globalThis.shallow = shadow(main, 'open');
            globalThis.shut = shadow(main, 'closed');
            globalThis.deep = shadow(shadow(main, 'open'), 'open');
            globalThis.fresh = () => shadow(main, 'open');
        }"""
    )
    return tab


async def stream(page: Page, way: str, pieces: Sequence[str], host: str = "plain") -> None:
    await page.evaluate(STREAM % WAYS[way], [list(pieces), host])


async def streamed(page: Page, way: str, pieces: Sequence[str], host: str = "plain") -> Evidence:
    await probe.begin(page)
    await stream(page, way, pieces, host)
    return await probe.end(page, PAGE_CLOCK)


def highest(pieces: Sequence[str]) -> list[int]:
    """The highest word on the page after each piece that brought a higher one."""
    most = (max(words_in(text), default=-1) for text in accumulate(pieces))
    return [word for word in dict.fromkeys(accumulate(most, max)) if word >= 0]


def cuts(way: str) -> list[list[str]]:
    words = tokens(WORDS, "plain")
    if way in CUT_APART:
        return [words]
    return [words, scripts.per_character(TEXT), *(scripts.random_pieces(TEXT, s) for s in (1, 2))]


@pytest.mark.parametrize("way", WAYS)
async def test_every_word_is_noted_however_it_is_shown_and_cut(page: Page, way: str) -> None:
    for pieces in cuts(way):
        evidence = await streamed(page, way, pieces)
        assert [word for _, word in evidence.paints] == highest(pieces)
        times = [at for at, _ in evidence.paints]
        assert times == sorted(times)
        assert evidence.mutations >= len(highest(pieces))
        await page.evaluate("plain.replaceChildren()")


@pytest.mark.parametrize("way", sorted(CUT_APART))
async def test_words_cut_apart_into_nodes_are_put_together(page: Page, way: str) -> None:
    """As pages do that let each character appear by itself."""
    for pieces in (scripts.per_character(TEXT), scripts.random_pieces(TEXT, 1)):
        evidence = await streamed(page, way, pieces)
        assert [word for _, word in evidence.paints] == highest(pieces)
        await page.evaluate("plain.replaceChildren()")


@pytest.mark.parametrize("host", ["shallow", "shut", "deep"])
@pytest.mark.parametrize("way", ["one text node", "innerHTML"])
async def test_shadow_roots_are_seen_into(page: Page, way: str, host: str) -> None:
    pieces = scripts.per_character(TEXT)
    evidence = await streamed(page, way, pieces, host)
    assert [word for _, word in evidence.paints] == list(range(WORDS))


async def test_shadow_roots_made_while_it_streams_are_seen_into(page: Page) -> None:
    await probe.begin(page)
    await page.evaluate("globalThis.late = fresh()")
    await stream(page, "one text node", ["w0 ", "w1 "], "late")
    evidence = await probe.end(page, PAGE_CLOCK)
    assert [word for _, word in evidence.paints] == [0, 1]


async def test_shadow_roots_stay_what_the_page_asked_for(page: Page) -> None:
    made = await page.evaluate(
        """() => {
            const host = document.createElement('div');
            const root = host.attachShadow({ mode: 'closed', delegatesFocus: true });
            let again = '';
            try { host.attachShadow({ mode: 'open' }); } catch (error) { again = error.name; }
            return [root.mode, root.delegatesFocus, host.shadowRoot, again];
        }"""
    )
    assert made == ["closed", True, None, "NotSupportedError"]


async def test_words_of_blocks_that_touch_are_told_apart(page: Page) -> None:
    await probe.begin(page)
    await page.evaluate("plain.innerHTML = '<h2>w8</h2><p>w9</p><p><b>w10</b><i>w11</i></p>'")
    evidence = await probe.end(page, PAGE_CLOCK)
    assert [word for _, word in evidence.paints] == [11]


async def test_of_much_text_at_once_the_end_is_read(page: Page) -> None:
    for way in ("one text node", "innerHTML"):
        evidence = await streamed(page, way, ["".join(tokens(20_000))])
        assert [word for _, word in evidence.paints] == [19_999]


async def test_nothing_is_noted_while_it_is_asleep(page: Page) -> None:
    await stream(page, "a text node each", ["w0 ", "w1 "])
    evidence = await streamed(page, "a text node each", ["no word"])
    assert (evidence.paints, evidence.last_change_s, evidence.mutations) == ((), 0.0, 1)
    await stream(page, "a text node each", ["w2 ", "w3 "])
    evidence = await streamed(page, "a text node each", ["w4 "])
    assert [word for _, word in evidence.paints] == [4]
    assert evidence.mutations == 1


async def test_the_last_change_is_of_words_and_also_one_that_rewrites_them(page: Page) -> None:
    await probe.begin(page)
    await stream(page, "textContent", ["w0 w1 "])
    await page.evaluate("globalThis.rewriteAt = performance.now()")
    await stream(page, "textContent", ["w0 w1 "])
    await page.evaluate("globalThis.rewrittenAt = performance.now()")
    await page.wait_for_timeout(5)  # the page's clock is coarse
    await page.evaluate("document.querySelector('main').append('…', document.createElement('hr'))")
    await page.evaluate("document.body.classList.add('thinking')")
    evidence = await probe.end(page, PAGE_CLOCK)
    first, last = await page.evaluate("[rewriteAt / 1000, rewrittenAt / 1000]")
    ((shown, word),) = evidence.paints
    assert word == 1
    assert shown <= first <= evidence.last_change_s <= last


async def test_it_asks_for_no_frames_and_sets_no_timers(tab: Page) -> None:
    await tab.add_init_script(
        """globalThis.asked = [];
        for (const name of ['requestAnimationFrame', 'requestIdleCallback', 'setTimeout',
                            'setInterval', 'queueMicrotask', 'fetch', 'postMessage']) {
            globalThis[name] = () => void asked.push(name);
        }"""
    )
    await tab.add_init_script(probe.SCRIPT)
    await tab.goto("data:text/html,<main></main>")
    await tab.evaluate("globalThis.plain = document.querySelector('main')")
    evidence = await streamed(tab, "innerHTML", scripts.per_character(TEXT))
    assert evidence.paints
    assert await tab.evaluate("asked") == []
    assert await tab.evaluate("document.documentElement.outerHTML.includes('probe')") is False


async def test_the_browsers_own_observers_are_noted(page: Page) -> None:
    await page.evaluate(
        """() => {
            const box = document.body.appendChild(document.createElement('textarea'));
            box.focus();
            globalThis.told = new Promise((resolve) => {
                new PerformanceObserver((list) => {
                    if (list.getEntries().some((entry) => entry.name === 'keydown')) resolve();
                }).observe({ type: 'event', durationThreshold: 16 });
            });
            box.addEventListener('keydown', () => {
                const until = performance.now() + 90;
                while (performance.now() < until);
            });
        }"""
    )
    clock = await page_clock(page)
    await probe.begin(page)
    await page.keyboard.press("a")
    await page.evaluate("told")
    evidence = await probe.end(page, clock)
    ((at, ms),) = [(at, ms) for name, at, ms in evidence.inputs if name == "keydown"]
    assert ms >= 88  # in steps of 8
    assert any(duration >= 90 for _, duration in evidence.long_tasks)
    assert all(abs(started - at) < 60 for started, _ in evidence.long_tasks)
    frame = max(evidence.long_frames, key=lambda frame: frame["duration"])
    assert {"duration", "blocking", "scripts"} <= frame.keys()
