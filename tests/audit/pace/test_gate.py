"""A pause that the audit ends: what follows is due from then."""

import threading
import time

import pytest

from harness.scratch import eventually
from pageside.audit.pace import Faults, steady
from pageside.audit.pace.gate import GATE
from pageside.audit.text import tokens, words_in
from pageside.server.script import Event

from .conftest import CHAT, STREAMING, ended, texts, wire


def asked(pace, path, body=None):
    """Asks in a thread: the delivery, and what waits for the answer."""
    answers = []
    thread = threading.Thread(target=lambda: answers.append(wire(pace, path, body)))
    thread.start()
    eventually(lambda: pace.deliveries)

    def answer():
        thread.join()
        return answers[0]

    return pace.deliveries[-1], answer


@pytest.mark.parametrize("path", STREAMING)
@pytest.mark.parametrize("faults", [Faults(), Faults(split_codepoints=True)])
def test_nothing_passes_before_it_is_opened(pace, path, faults):
    pace.play([*texts("a", "b"), GATE, *texts("c"), GATE, *texts("d")], faults=faults)
    delivery, answer = asked(pace, path)
    for written in (2, 3):
        eventually(lambda written=written: delivery.tokens == written)
        assert delivery.end is None
        delivery.gate.open()
    assert answer().text() == "abcd"
    assert ended(pace).end == "done"


def test_opened_before_it_is_reached_it_holds_nothing_up(pace):
    # Long enough that both calls come before the gate is reached, on a busy machine too.
    pace.play([GATE, *texts("a"), Event("stall", ms=2000), GATE, *texts("b"), GATE, *texts("c")])
    delivery, answer = asked(pace, CHAT)
    delivery.gate.open()
    eventually(lambda: delivery.tokens == 1)
    delivery.gate.open()
    delivery.gate.open()  # twice is once
    eventually(lambda: delivery.tokens == 2)
    assert delivery.end is None
    delivery.gate.open()
    assert answer().text() == "abc"


def test_what_follows_is_due_from_the_opening(pace):
    pace.play([*texts("x"), GATE, *steady(tokens(30), 500)])
    delivery, answer = asked(pace, CHAT)
    eventually(lambda: delivery.tokens == 1)
    opened_at = time.monotonic()
    delivery.gate.open()
    assert words_in(answer().text()) == list(range(30))
    after = [sent for sent in delivery.sent if sent.first > 0]
    due_s = [(sent.first + sent.count - 2) / 500 for sent in after]
    assert all(sent.written_at > opened_at + s for sent, s in zip(after, due_s, strict=True))


def test_not_streamed(pace):
    pace.play([*texts("a"), GATE, *texts("b")])
    delivery, answer = asked(pace, CHAT, {**STREAMING[CHAT], "stream": False})
    assert delivery.end is None
    delivery.gate.open()
    assert answer().complete and delivery.text == "ab"


def test_a_buffering_proxy_holds_back_what_was_before_it(pace):
    pace.play([*texts("a"), GATE, *texts("b")], faults=Faults(buffer_s=float("inf")))
    delivery, answer = asked(pace, CHAT)
    eventually(lambda: delivery.gate._loop is not None)  # it is waited for
    assert delivery.tokens == 0
    delivery.gate.open()
    assert len(answer().chunks) == 1
    assert [(sent.text, sent.first, sent.count) for sent in delivery.sent] == [("ab", 0, 2)]
