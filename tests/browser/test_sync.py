"""The synchronous twin says and does what `Page` does."""

import inspect
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from harness import scripts
from pageside.browser import Page, SyncPage
from pageside.browser.errors import AlreadyGenerating, BrowserNotFound, PageError, RequestInvalid

ENDLESS = [*scripts.words(3), {"stall_ms": 3_600_000}, {"text": "never"}]
PLAIN = scripts.words(5)

Open = Callable[..., "contextmanager[SyncPage]"]


@pytest.fixture
def open_page(script: Callable[..., Path]) -> Open:
    """Opens a synchronous page that plays the given answers."""

    @contextmanager
    def open_page(*answers: list[scripts.Event]) -> Iterator[SyncPage]:
        before = set(threading.enumerate())
        with SyncPage.open(engine="scripted", script=script(*answers)) as page:
            yield page
        assert {thread for thread in threading.enumerate() if not thread.daemon} <= before

    return open_page


def test_the_same_calls_as_the_asynchronous_page() -> None:
    def options(call: Callable[..., object]) -> list[str]:
        return [name for name in inspect.signature(call).parameters if name not in ("self", "page")]

    public = {name for name in vars(Page) if not name.startswith("_")} - {"ask"}
    assert public <= {name for name in vars(SyncPage) if not name.startswith("_")}
    assert options(SyncPage.open) == options(Page.open)
    assert options(SyncPage.generate) == options(Page.generate)
    assert not inspect.iscoroutinefunction(SyncPage.stop)


def test_an_answer_and_its_figures(open_page: Open) -> None:
    with open_page(scripts.words(200)) as page:
        assert "".join(page.generate("hello")) == scripts.words_text(200)
        assert page.figures is not None
        assert page.figures["tokens"] == 200
        assert page.info.device == "script"


def test_leaving_the_loop_stops_the_model(open_page: Open) -> None:
    with open_page(ENDLESS, ENDLESS, PLAIN) as page:
        for _ in page.generate("hello"):
            break
        with pytest.raises(LookupError):
            for _ in page.generate("hello"):
                raise LookupError("of the reader")
        assert "".join(page.generate("hello")) == scripts.words_text(5)


def test_stop_from_another_thread(open_page: Open) -> None:
    with open_page(ENDLESS, PLAIN) as page:
        pieces = []
        for piece in page.generate("hello"):
            pieces.append(piece)
            stopping = threading.Thread(target=page.stop)
            stopping.start()
        stopping.join()
        assert scripts.words_text(3).startswith("".join(pieces))
        assert page.figures is not None
        assert page.figures["reason"] == "stopped"
        assert "".join(page.generate("hello")) == scripts.words_text(5)


def test_two_prompts_at_once(open_page: Open) -> None:
    with open_page(ENDLESS, PLAIN) as page:
        first = page.generate("first")
        assert next(first)
        with pytest.raises(AlreadyGenerating):
            next(page.generate("second"))
        page.stop()
        assert "".join(page.generate("second")) == scripts.words_text(5)


def test_errors_are_the_same(open_page: Open) -> None:
    with open_page([*PLAIN, {"error": "out of ideas"}]) as page:
        with pytest.raises(RequestInvalid, match="the prompt is empty"):
            page.generate("")
        with pytest.raises(PageError, match="out of ideas") as failure:
            list(page.generate("hello"))
        assert failure.value.code == "script_error"


def test_a_page_that_cannot_be_opened(tmp_path: Path) -> None:
    with (
        pytest.raises(BrowserNotFound),
        SyncPage.open(engine="scripted", browser=tmp_path / "absent"),
    ):
        pytest.fail("there is no browser")


def test_a_reader_that_outlives_the_page(open_page: Open) -> None:
    with open_page(ENDLESS) as page:
        answer = page.generate("hello")
        assert next(answer)
    del answer


def test_an_exception_in_the_block_ends_everything(open_page: Open) -> None:
    with pytest.raises(LookupError), open_page(ENDLESS) as page:
        for _ in page.generate("hello"):
            raise LookupError("of the caller")
