"""A tab that says it is hidden gets what hidden tabs get, and all that was held afterwards."""

from typing import Any

import pytest

from pageside.audit.target import Target, hidden_init_script

from .conftest import Open

pytestmark = pytest.mark.anyio


async def seen(target: Target) -> dict[str, Any]:
    found: dict[str, Any] = await target.page.evaluate("seen")
    return found


async def settled(target: Target) -> dict[str, Any]:
    """What was on its way when the tab was hidden has come."""
    await target.page.wait_for_timeout(100)
    return await seen(target)


async def test_a_hidden_tab_says_so(open_page: Open) -> None:
    target = await open_page("frames")
    say = "[document.hidden, document.visibilityState, document.hasFocus()]"
    assert await target.page.evaluate(say) == [False, "visible", True]
    await target.hide()
    assert await target.page.evaluate(say) == [True, "hidden", False]
    await target.hide()
    await target.show()
    assert await target.page.evaluate(say) == [False, "visible", True]
    assert (await seen(target))["events"] == [
        ["visibilitychange", "hidden", True],
        ["visibilitychange", "visible", False],
    ]


@pytest.mark.parametrize("early", [False, True])
async def test_frames_are_held_and_come_after(early: bool, open_page: Open) -> None:
    target = await open_page("frames", init_script=hidden_init_script() if early else None)
    await target.page.wait_for_function("seen.frames > 3")
    await target.hide()
    before = await settled(target)
    await target.page.wait_for_timeout(300)
    after = await seen(target)
    assert after["frames"] == before["frames"]
    assert (after["kept"] == before["kept"]) is early, "a kept reference needs the init script"
    assert after["timers"] - before["timers"] <= 1, "timers come once a second"
    if early:
        assert after["intervals"] - before["intervals"] <= 1
    await target.show()
    await target.page.wait_for_function(f"seen.frames > {after['frames'] + 3}")
    await target.page.wait_for_function(f"seen.kept > {after['kept'] + 3}")
    times = (await seen(target))["times"]
    assert times == sorted(times), "the held frame has the time of the frame that it came with"
    assert times[after["frames"]] - times[after["frames"] - 1] > 250


async def test_a_held_frame_can_be_cancelled_also_after(open_page: Open) -> None:
    target = await open_page("frames")
    await target.hide()
    got = """() => {
      globalThis.got = [];
      globalThis.ids = [1, 2, 3].map((n) => requestAnimationFrame(() => got.push(n)));
      cancelAnimationFrame(ids[0]);
    }"""
    await target.page.evaluate(got)
    await target.show()
    # In one task with show() there is no frame between; here there may be, so ask which came.
    await target.page.wait_for_function("got.length === 2")
    assert await target.page.evaluate("got") == [2, 3]
    # What the page schedules now is the browser's own again.
    assert await target.page.evaluate("requestAnimationFrame(() => {}) < 2 ** 29")


async def test_a_page_that_was_never_hidden_keeps_its_own(open_page: Open) -> None:
    target = await open_page("frames")
    native = "[requestAnimationFrame, setTimeout].every((f) => /native code/.test(String(f)))"
    assert await target.page.evaluate(native)
    await target.hide()
    assert not await target.page.evaluate(native)
    await target.show()
    assert await target.page.evaluate(native)
