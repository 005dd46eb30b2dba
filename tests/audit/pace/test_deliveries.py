"""What the log says: when each token was written, and who ended the answer."""

import asyncio
import json
import math
import socket
import threading
import time

import httpx
import pytest

from harness.scratch import eventually
from pageside.audit.pace import Faults, Pace, steady
from pageside.audit.pace.gate import GATE
from pageside.audit.pace.schedule import timeline
from pageside.audit.text import tokens, words_in
from pageside.server.script import Event

from .conftest import CHAT, DIALECTS, HOUR_MS, LOCAL, STREAMING, ended, post, texts, wire

PATHS = list(STREAMING)
FOREVER = {
    "prefill": [Event("prefill", ms=HOUR_MS), *texts("a")],
    "stall": [*texts("a", "b"), Event("stall", ms=HOUR_MS), *texts("c")],
    "gate": [*texts("a", "b"), GATE, *texts("c")],
    "between tokens": texts("a", "b", "c", ms=HOUR_MS),
}


def hung_up(pace, path, body, until):
    """Asks, waits until `until` holds, and hangs up without a word."""
    content = json.dumps(body).encode()
    host, port = pace.url.removeprefix("http://").split(":")
    with socket.create_connection((host, int(port))) as connection:
        head = f"POST {path} HTTP/1.1\r\nHost: {host}\r\nContent-Length: {len(content)}\r\n\r\n"
        connection.sendall(head.encode() + content)
        eventually(lambda: pace.deliveries and until(pace.deliveries[-1]))


@pytest.mark.parametrize("path", PATHS)
@pytest.mark.parametrize("script", FOREVER.values(), ids=FOREVER)
@pytest.mark.parametrize("streams", [True, False])
def test_a_client_that_leaves_is_noticed_while_nothing_is_due(pace, path, script, streams):
    pace.play(script)
    due = sum(event.kind == "text" and event.ms == 0 for event in script if streams)
    due = due if script[0].kind == "text" and due else 0
    written = min(due, 2)
    hung_up(pace, path, {**STREAMING[path], "stream": streams}, lambda d: d.tokens == written)
    delivery = ended(pace)
    assert (delivery.end, delivery.tokens, delivery.dialect) == ("left", written, DIALECTS[path])
    assert delivery.requested_at < delivery.left_at <= delivery.ended_at
    pace.play(texts("fine"))
    assert wire(pace, path).text() == "fine"


@pytest.mark.parametrize(
    "faults", [Faults(buffer_s=math.inf), Faults(buffer_s=0.01), Faults(split=True)]
)
def test_and_while_a_proxy_holds_back(pace, faults):
    pace.play(FOREVER["stall"], faults=faults)
    hung_up(pace, CHAT, STREAMING[CHAT], lambda delivery: True)
    assert ended(pace).end == "left"


def test_a_cancelled_httpx_stream_is_a_leaving(pace):
    pace.play([*texts(*["word "] * 100), GATE])

    async def take(count):
        async with (
            httpx.AsyncClient(**LOCAL) as client,
            client.stream("POST", pace.url + CHAT, json=STREAMING[CHAT]) as response,
        ):
            async for line in response.aiter_lines():
                count -= line.startswith("data: ")
                if not count:
                    return

    for count in (1, 2, 50):
        asyncio.run(take(count))
        delivery = ended(pace)
        assert delivery.end == "left" and delivery.left_at is not None
        assert count - 1 <= delivery.tokens <= 100
    assert len(pace.deliveries) == 3


def test_a_client_that_leaves_at_the_mark_of_the_end_has_had_it_all(pace):
    for _ in range(20):
        with httpx.stream("POST", pace.url + CHAT, json=STREAMING[CHAT], **LOCAL) as response:
            for line in response.iter_lines():
                if line == "data: [DONE]":
                    break
        assert (ended(pace).end, ended(pace).left_at) == ("done", None)


def test_times_are_never_early_and_in_order(pace):
    script = steady(tokens(200), 1000, jitter=0.8, burst=3, prefill_ms=30, seed=3)
    pace.play(script)
    before = time.monotonic()
    wire(pace, CHAT)
    delivery = ended(pace)
    assert before < delivery.requested_at < delivery.ended_at < time.monotonic()
    due = [step.due_s for step in timeline(script) if step.kind == "text"]
    place = 0
    for sent in delivery.sent:
        assert sent.first == place
        place += sent.count
        assert sent.written_at >= delivery.requested_at + due[place - 1]
    assert place == delivery.tokens == 200
    times = [sent.written_at for sent in delivery.sent]
    assert times == sorted(times)
    assert words_in(delivery.text) == list(range(200))


def test_what_is_due_at_once_is_written_together_in_bounded_writes(pace):
    pace.play(steady(tokens(5_000), math.inf))
    answer = wire(pace, CHAT)
    assert words_in(answer.text()) == list(range(5_000))
    assert len(ended(pace).sent) < 100
    assert max(answer.sizes) < 70_000
    assert len(answer.payloads()) == 5_000 + 3  # one event a token, for all that


def test_five_thousand_tokens_a_second_cost_a_part_of_a_second(pace):
    pace.play(steady(tokens(10_000), 5000))
    busy_s = time.process_time()
    with httpx.stream("POST", pace.url + CHAT, json=STREAMING[CHAT], **LOCAL) as response:
        size = sum(map(len, response.iter_raw()))
    busy_s = time.process_time() - busy_s
    assert size > 10_000 * 150 and ended(pace).tokens == 10_000
    assert busy_s < 1.5  # of the two seconds that it lasts; 0.3 seen, the client's part included


def test_a_slow_reader_holds_the_writer_and_the_log_tells(pace):
    pace.play(texts(*["x" * 4000] * 6000))
    content = json.dumps(STREAMING[CHAT]).encode()
    host, port = pace.url.removeprefix("http://").split(":")
    with socket.socket() as connection:
        connection.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 1 << 16)
        connection.connect((host, int(port)))
        head = f"POST {CHAT} HTTP/1.1\r\nHost: {host}\r\nContent-Length: {len(content)}\r\n\r\n"
        connection.sendall(head.encode() + content)
        eventually(lambda: pace.deliveries and pace.deliveries[-1].sent)
        delivery = pace.deliveries[-1]
        eventually(lambda: stands_still(delivery))
        held = delivery.tokens
        assert 0 < held < 6000 and delivery.end is None
        read_from = time.monotonic()
        size = 0
        while size < 8_000_000:
            size += len(connection.recv(1 << 20))
        eventually(lambda: delivery.tokens > held)
        later = [sent for sent in delivery.sent if sent.first >= held]
        assert all(sent.written_at > read_from for sent in later)
        eventually(lambda: stands_still(delivery))
    assert ended(pace).end == "left"
    assert delivery.tokens < 6000


def stands_still(delivery):
    """Nothing is written for a while, however busy the machine is."""
    before = delivery.tokens
    for _ in range(4):
        time.sleep(0.1)
        if delivery.tokens != before:
            return False
    return True


def test_deliveries_can_be_read_while_they_run(pace):
    pace.play([*texts("a"), GATE, *texts("b"), GATE])
    asking = threading.Thread(target=wire, args=(pace, CHAT))
    asking.start()
    eventually(lambda: pace.deliveries and pace.deliveries[-1].tokens == 1)
    delivery = pace.deliveries[-1]
    assert (delivery.text, delivery.rate) == ("a", None)
    assert json.loads(json.dumps(delivery.record()))["sent"][0]["text"] == "a"
    delivery.gate.open()
    eventually(lambda: delivery.tokens == 2)
    assert (delivery.text, delivery.end) == ("ab", None)
    assert delivery.rate == pytest.approx(
        1 / (delivery.sent[1].written_at - delivery.sent[0].written_at)
    )
    delivery.gate.open()
    asking.join()


def test_two_answers_at_once_do_not_hold_each_other_up(pace):
    """The firehose's 20,000 tokens are due at once; the other's are not."""
    pace.play([*steady(tokens(5_000), math.inf), Event("end"), *texts(*"abcdef", ms=5)])
    threads = [threading.Thread(target=wire, args=(pace, CHAT)) for _ in range(2)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert sorted(delivery.tokens for delivery in pace.deliveries) == [6, 5_000]
    assert {delivery.end for delivery in pace.deliveries} == {"done"}


def test_only_matching_prompts_are_meant(pace):
    pace.play(texts("the answer", ms=1), faults=Faults(cut_after=0), match="Say")
    other = [{"role": "user", "content": "Say it."}, {"role": "user", "content": "A title?"}]
    for path in (CHAT, "/api/chat"):
        answer = wire(pace, path, {**STREAMING[path], "messages": other})
        assert (answer.complete, answer.text()) == (True, "OK")
    answer = post(pace, CHAT, json={"messages": other}).json()
    assert answer["choices"][0]["message"]["content"] == "OK"
    assert pace.deliveries == []
    assert not wire(pace, CHAT).complete
    assert [delivery.prompt for delivery in pace.deliveries] == ["Say it."]


def test_answers_come_in_turn_and_start_over(pace):
    pace.play([*texts("one"), Event("end"), *texts("two"), Event("end")])
    assert [wire(pace, path).text() for path in PATHS] == ["one", "two", "one", "two", "one"]
    pace.play(texts("other"))
    assert wire(pace, CHAT).text() == "other"


def test_a_new_play_leaves_what_runs_alone(pace):
    pace.play([*texts("a"), GATE, *texts("b")])
    answers = []
    asking = threading.Thread(target=lambda: answers.append(wire(pace, CHAT)))
    asking.start()
    eventually(lambda: pace.deliveries and pace.deliveries[-1].tokens == 1)
    running = pace.deliveries[-1]
    pace.play(texts("c"), faults=Faults(status=500))
    running.gate.open()
    asking.join()
    assert answers[0].text() == "ab"
    assert wire(pace, CHAT).status == 500


def test_the_server_s_own_faults_hold_until_others_are_named():
    with Pace(events=texts("a"), faults=Faults(status=503)) as pace:
        assert wire(pace, CHAT).status == 503
        pace.play(texts("b"))
        assert wire(pace, CHAT).status == 503
        pace.play(texts("b"), faults=Faults())
        assert wire(pace, CHAT).text() == "b"


def test_leaving_cuts_what_is_under_way():
    told = []
    answers = []
    with Pace(events=FOREVER["stall"], ended=told.append) as pace:
        asking = threading.Thread(target=lambda: answers.append(wire(pace, CHAT)))
        asking.start()
        eventually(lambda: pace.deliveries and pace.deliveries[-1].tokens == 2)
        assert told == []
    asking.join()
    assert not answers[0].complete and answers[0].text() == "ab"
    assert told == pace.deliveries and [delivery.end for delivery in told] == ["cut"]
    with pytest.raises(OSError):
        socket.create_connection(("127.0.0.1", int(pace.url.rsplit(":", 1)[1])))


def test_nobody_asked():
    with Pace() as pace:
        assert pace.model == "pace" and pace.deliveries == []
        assert wire(pace, CHAT).text() == ""
    assert ended(pace).end == "done"
