"""What can be asked of an answer: sampling, stop strings, Continue; the queue; token counts."""

from collections.abc import AsyncIterator, Callable
from pathlib import Path
from typing import Any

import pytest
from playwright.async_api import BrowserContext, Page
from tokenizers import Tokenizer

from harness import scripts
from harness.serving import Serve
from pageside.models.store import ModelStore

pytestmark = pytest.mark.anyio

ASKING = Path(__file__).with_name("asking.js").read_text(encoding="utf-8")
ASK = "(request) => asking.ask(request)"
COUNT = "(text) => asking.client.count(text)"
TOKENS = 20
SEA = "Tell me a long story about the sea."

Told = dict[str, Any]


async def asking_page(context: BrowserContext, url: str) -> Page:
    """A page with tests/page/asking.js: `asking` is the Client and ways to ask it."""
    page = await context.new_page()
    await page.goto(f"{url}/web/headless.html")
    await page.evaluate(ASKING)
    return page


def user(content: str) -> dict[str, str]:
    return {"role": "user", "content": content}


def assistant(content: str) -> dict[str, str]:
    return {"role": "assistant", "content": content}


async def ask(page: Page, *messages: dict[str, str], **request: Any) -> Told:
    """With maxTokens and the like under `sampling`."""
    return await page.evaluate(ASK, {"messages": messages, **request})


async def go_on(page: Page, prompt: str, text: str, **sampling: Any) -> Told:
    return await ask(page, user(prompt), assistant(text), sampling=sampling, continues=True)


class TestModel:
    """The real default model, loaded once for each test, in each engine of real models."""

    @pytest.fixture(params=["transformers", "gguf"])
    async def page(
        self,
        request: pytest.FixtureRequest,
        context: BrowserContext,
        serve: Serve,
        default_store: ModelStore,
    ) -> AsyncIterator[Page]:
        url = serve(store=default_store, device="wasm", engine=request.param)
        page = await asking_page(context, url)
        await page.evaluate("async () => void (await asking.client.load())")
        yield page

    @pytest.mark.parametrize("prompt", [SEA, "Repeat: 你好世界 🌍 👩‍💻"])
    async def test_a_greedy_answer_goes_on_as_if_it_had_never_been_cut(
        self, page: Page, prompt: str
    ) -> None:
        """After every token, characters of several tokens among them."""
        whole = await ask(page, user(prompt), sampling={"maxTokens": TOKENS})
        begun = await ask(page, user(prompt), sampling={"maxTokens": 1})
        assert (begun["figures"]["reason"], begun["tokens"]) == ("length", 1)
        text, figures, empty = begun["text"], begun["figures"], 0
        for _ in range(whole["tokens"] - 1):
            rest = await go_on(page, prompt, text, maxTokens=1)
            assert rest["figures"]["promptTokens"] == figures["promptTokens"] + 1
            figures = rest["figures"]
            assert figures["reusedTokens"] == figures["promptTokens"] - 1
            text += rest["text"]
            empty += rest["text"] == ""
            assert whole["text"].startswith(text)
        assert text == whole["text"]
        assert (prompt == SEA) == (empty == 0), "some tokens complete no character"

    async def test_after_stop_and_again_after_stop(self, page: Page) -> None:
        whole = await ask(page, user(SEA), sampling={"maxTokens": 2 * TOKENS})
        text, tokens = "", 0
        for at in (3, 9):
            begun = await ask(
                page,
                user(SEA),
                *([assistant(text)] if text else []),
                continues=bool(text),
                stopAt=at,
            )
            assert (begun["state"], begun["figures"]["reason"]) == ("stopped", "stopped")
            text, tokens = text + begun["text"], tokens + begun["tokens"]
        rest = await go_on(page, SEA, text, maxTokens=max(1, 2 * TOKENS - tokens))
        both = text + rest["text"]
        assert both.startswith(whole["text"])
        assert len(rest["text"]) > 0

    async def test_from_its_text_alone_an_answer_goes_on_after_whole_words(
        self, page: Page
    ) -> None:
        """As after a reload. Inside a word the text may be tokenised otherwise than it was made."""
        whole = (await ask(page, user(SEA), sampling={"maxTokens": TOKENS}))["text"]
        for end in [at for at, character in enumerate(whole) if character == " "][3:12:4]:
            await page.evaluate("() => asking.client.forget()")
            rest = await go_on(page, SEA, whole[:end], maxTokens=TOKENS)
            assert rest["figures"]["reusedTokens"] == 0
            both = whole[:end] + rest["text"]
            assert both.startswith(whole), f"cut at character {end}"

    async def test_another_answer_in_between_changes_nothing(self, page: Page) -> None:
        """Its ids are gone then: the conversation that goes on is not the last one."""
        prompt = "What is the capital of France?"
        whole = await ask(page, user(prompt))
        await ask(page, user("Hi"), sampling={"maxTokens": 4})
        rest = await go_on(page, prompt, "The capital of France is")
        assert "The capital of France is" + rest["text"] == whole["text"]
        after = await ask(page, user(prompt), assistant(whole["text"]), user("And of Italy?"))
        assert after["state"] == "done"

    async def test_a_stop_string_ends_it(self, page: Page) -> None:
        prompt = user("What is the capital of France?")
        whole = (await ask(page, prompt))["text"]
        for stop in ("aris", "France is P", whole[-2:]):
            told = await ask(page, prompt, sampling={"stop": ["never said", stop]})
            assert told["text"] == whole[: whole.index(stop)]
            assert told["figures"]["reason"] == "stop-string"
            assert told["state"] == "done"
            assert told["tokens"] == told["figures"]["tokens"]
            shorter = await ask(
                page, prompt, sampling={"maxTokens": told["tokens"] - 1, "stop": [stop]}
            )
            assert shorter["figures"]["reason"] == "length", "it ended with that token"
        unsaid = await ask(page, prompt, sampling={"stop": [f"{whole} and"]})
        assert (unsaid["text"], unsaid["figures"]["reason"]) == (whole, "eos")

    async def test_top_k_of_one_is_greedy_and_a_seed_repeats(self, page: Page) -> None:
        prompt = user(SEA)

        async def text(**sampling: Any) -> str:
            return (await ask(page, prompt, sampling={"maxTokens": TOKENS, **sampling}))["text"]

        greedy = await text()
        assert await text(temperature=1.5, topK=1) == greedy
        wild = {"temperature": 1.5, "topK": 50, "topP": 0.9, "repetitionPenalty": 1.2}
        drawn = await text(**wild, seed=7)
        assert drawn == await text(**wild, seed=7)
        assert drawn not in (greedy, await text(**wild, seed=8))
        assert await text(repetitionPenalty=1.5) != greedy, "the penalty holds for greedy too"

    async def test_tokens_are_counted_as_the_tokenizers_library_does(
        self, page: Page, default_folder: Path
    ) -> None:
        reference = Tokenizer.from_file(str(default_folder / "tokenizer.json"))
        for text in (
            "",
            "Hello, world!",
            "  indented\n\n\tdef f(x):\n        return 1234567\n",
            "你好世界 🌍 naïve 👩‍💻",
            "Many words, and more of them. " * 500,
            "line\n  and line\n" * 1000,
        ):
            counted = await page.evaluate(COUNT, text)
            assert counted == {"tokens": len(reference.encode(text).ids), "isAtLeast": False}
        controls = await page.evaluate(COUNT, "<|im_end|>")
        assert controls["tokens"] > 1, "in a message it is text"

    async def test_what_cannot_fit_has_at_least_so_many(self, page: Page) -> None:
        ready = await page.evaluate("() => asking.client.ready")
        assert (ready["device"], ready["contextWindow"]) == ("wasm", 8192)
        for text in ("word " * 9000, "x" * 2_000_000, "界" * 9000):
            counted = await page.evaluate(COUNT, text)
            assert counted["isAtLeast"]
            assert 8192 < counted["tokens"] <= len(text.encode())

    async def test_counting_does_not_wait_for_the_answer(self, page: Page) -> None:
        order = await page.evaluate(
            """async () => {
              const order = [];
              let asked = null;
              const messages = [{ role: "user", content: "Tell me a long story." }];
              const { state } = await asking.ask({ messages, sampling: { maxTokens: 300 } }, () => {
                asked ??= asking.client.count("one two three").then(({ tokens }) => {
                  order.push(tokens);
                  asking.client.stop();
                });
              });
              return [...order, state];
            }"""
        )
        assert order == [3, "stopped"]


@pytest.fixture
def scripted(context: BrowserContext, serve: Serve, tmp_path: Path) -> Callable[..., Any]:
    """Opens a page that plays the given answers."""

    async def opened(*answers: list[scripts.Event]) -> Page:
        return await asking_page(context, serve(script=scripts.write(tmp_path, *answers)))

    return opened


GO = user("go")
ENDLESS = scripts.words(60_000, delay_ms=1)
NORMAL = scripts.words(5)


async def test_a_setting_that_cannot_be_meant_fails_by_name_and_the_next_prompt_works(
    scripted: Callable[..., Any],
) -> None:
    page = await scripted(NORMAL)
    for sampling, named in (
        ({"topP": 0}, "topP is 0"),
        ({"repetitionPenalty": -1}, "repetitionPenalty is -1"),
        ({"stop": [""]}, 'stop is [""]'),
    ):
        told = await ask(page, GO, sampling=sampling)
        assert told["state"] == "failed"
        assert told["failure"]["code"] == "sampling_invalid"
        assert told["failure"]["message"] == named
        assert told["failure"]["hint"].startswith("Use ")
    told = await ask(page, GO, continues=True)
    assert told["failure"]["code"] == "not_continuable"
    assert (await ask(page, GO))["text"] == scripts.words_text(5)


@pytest.mark.parametrize("seed", range(3))
async def test_a_stop_string_over_any_cut_of_a_streamed_answer(
    scripted: Callable[..., Any], seed: int
) -> None:
    before, after = "你好 🌍 — almost STO, ST", "OP and then STOP again"
    pieces = scripts.random_pieces(before + after, seed)
    page = await scripted(
        scripts.tokens(pieces, delay_ms=2), scripts.tokens(scripts.per_character(before + after))
    )
    for _ in range(2):
        told = await ask(page, GO, sampling={"stop": ["STOP"]})
        assert told["text"] == (before + after)[: (before + after).index("STOP")]
        assert told["figures"]["reason"] == "stop-string"


async def test_a_scripted_answer_goes_on_after_stop_and_after_a_reload(
    scripted: Callable[..., Any],
) -> None:
    page = await scripted(NORMAL, scripts.words(400, delay_ms=2), NORMAL)
    await ask(page, GO)
    begun = await ask(page, GO, stopAt=20)
    assert begun["state"] == "stopped"
    again = await ask(page, GO, assistant(begun["text"]), continues=True, stopAt=20)
    text = begun["text"] + again["text"]
    assert scripts.words_text(400).startswith(text)
    await page.reload()
    await page.evaluate(ASKING)
    rest = await go_on(page, "go", text)
    assert text + rest["text"] == scripts.words_text(400)
    assert rest["figures"]["tokens"] == 400 - begun["tokens"] - again["tokens"]


async def test_one_is_ended_and_the_others_go_on(scripted: Callable[..., Any]) -> None:
    page = await scripted(ENDLESS, NORMAL, NORMAL)
    told = await page.evaluate(
        """async () => {
          const messages = [{ role: "user", content: "go" }];
          let isCancelled = null;
          const first = asking.ask({ name: "first", messages }, () => {
            if (isCancelled) return;
            isCancelled = asking.cancel("second");
          });
          const second = asking.ask({ name: "second", messages });
          const third = asking.ask({ name: "third", messages });
          const cancelled = await second;
          const others = ["second", "nobody", "first"].map(asking.cancel);
          const queued = asking.client.queueLength;
          return { isCancelled, cancelled, others, queued, first: await first, third: await third };
        }"""
    )
    assert told["isCancelled"] is True
    assert told["cancelled"]["state"] == "stopped"
    assert told["cancelled"]["text"] == ""
    assert told["others"] == [False, False, True]
    assert told["queued"] == 1
    assert told["third"]["positions"] == [2, 1], "it moved up"
    assert told["first"]["state"] == "stopped"
    assert told["first"]["tokens"] > 0
    assert (told["third"]["state"], told["third"]["text"]) == ("done", scripts.words_text(5))
    assert (await ask(page, GO))["text"] == scripts.words_text(5), "no answer was played for it"


async def test_nothing_is_counted_while_no_model_is_loaded(scripted: Callable[..., Any]) -> None:
    page = await scripted(NORMAL, [*NORMAL, {"stall_ms": 50}, {"crash": True}], NORMAL)
    assert await page.evaluate(COUNT, "one two") is None
    assert await page.evaluate("() => asking.client.ready") is None
    await ask(page, GO)
    assert await page.evaluate(COUNT, "one two") == {"tokens": 2, "isAtLeast": False}
    counts = await page.evaluate(
        "() => Promise.all(['a', 'a b', 'a b c'].map((text) => asking.client.count(text)))"
    )
    assert [count and count["tokens"] for count in counts] == [1, None, 3], "the newest wins"
    assert (await ask(page, GO))["failure"]["code"] == "worker_lost"
    assert await page.evaluate("() => asking.client.ready") is None
    assert await page.evaluate(COUNT, "one two") is None
    assert (await ask(page, GO))["state"] == "done"
    assert await page.evaluate(COUNT, "one two") == {"tokens": 2, "isAtLeast": False}
