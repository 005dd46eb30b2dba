"""Scripts are read strictly, and the line that is wrong is named."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pageside.server.api import DEMO_SCRIPT
from pageside.server.errors import ScriptInvalid
from pageside.server.script import Event, parse_script, read_script


def parse(text):
    return parse_script(text.encode(), name="s.jsonl")


def test_every_event():
    script = """{"prefill_ms": 400}
{"text": "Rain", "delay_ms": 30}
{"text": " falls"}

{"stall_ms": 0.5}\r
{"error": "lost"}
{"end": true}
{"crash": true}
"""
    assert parse(script) == [
        Event("prefill", ms=400),
        Event("text", "Rain", 30),
        Event("text", " falls", 0),
        Event("stall", ms=0.5),
        Event("error", "lost"),
        Event("end"),
        Event("crash"),
    ]


def test_the_last_line_feed_may_be_missing():
    assert parse('{"text": "a"}') == parse('{"text": "a"}\n') == [Event("text", "a")]


def test_only_a_line_feed_ends_a_line():
    separators = "a\u2028b\u2029c\x85d"
    assert parse(f'{{"text": "{separators}"}}\n') == [Event("text", separators)]


@pytest.mark.parametrize(
    ("line", "why"),
    [
        ("x", "not JSON at column 1"),
        ('{"text": "a"', "not JSON at column 13"),
        ('{"text": "a"} {"text": "b"}', "not JSON at column 15"),
        ('{"text": "a"}\r{"text": "b"}', "not JSON at column 15"),
        ("{'text': 'a'}", "not JSON at column 2"),
        ("[]", "a JSON object"),
        ('"text"', "a JSON object"),
        ("null", "a JSON object"),
        ("{}", "exactly one of"),
        ('{"delay_ms": 5}', "exactly one of"),
        ('{"Text": "a"}', "exactly one of"),
        ('{"text": "a", "end": true}', "exactly one of"),
        ('{"text": "a", "delay": 5}', "'delay' does not belong beside 'text'"),
        ('{"stall_ms": 5, "delay_ms": 5}', "'delay_ms' does not belong beside 'stall_ms'"),
        ('{"text": "a", "text": "b"}', "a field occurs twice"),
        ('{"text": 1}', "'text' is not a string"),
        ('{"text": null}', "'text' is not a string"),
        ('{"text": "\\ud83d"}', "half a surrogate pair"),
        ('{"text": "a", "delay_ms": -1}', "milliseconds"),
        ('{"text": "a", "delay_ms": "5"}', "milliseconds"),
        ('{"text": "a", "delay_ms": true}', "milliseconds"),
        ('{"text": "a", "delay_ms": null}', "milliseconds"),
        ('{"text": "a", "delay_ms": 1e400}', "milliseconds"),
        ('{"text": "a", "delay_ms": NaN}', "NaN is not a JSON number"),
        ('{"stall_ms": Infinity}', "Infinity is not a JSON number"),
        ('{"stall_ms": 86400001}', "milliseconds"),
        ('{"stall_ms": ' + "9" * 5000 + "}", ""),
        ('{"prefill_ms": []}', "milliseconds"),
        ('{"error": true}', "'error' is not a string"),
        ('{"crash": false}', "'crash' can only be true"),
        ('{"crash": 1}', "'crash' can only be true"),
        ('{"end": "yes"}', "'end' can only be true"),
        ("[" * 100_000, ""),
        ("\ufeff" + '{"end": true}', "BOM"),
    ],
)
def test_a_bad_line_is_named(line, why):
    with pytest.raises(ScriptInvalid) as caught:
        parse('{"text": "good"}\n\n' + line + '\n{"text": "good"}\n')
    assert caught.value.message.startswith("the script s.jsonl, line 3: ")
    assert why in caught.value.message
    assert "\n" not in str(caught.value)


def test_bytes_that_are_not_utf_8():
    with pytest.raises(ScriptInvalid, match="line 2: byte 11 is not UTF-8"):
        parse_script(b'{"end": true}\n{"text": "\xff"}\n', name="s.jsonl")


@pytest.mark.parametrize("content", [b"", b"\n", b" \r\n\n"])
def test_an_empty_script(content):
    with pytest.raises(ScriptInvalid, match=r"s\.jsonl is empty"):
        parse_script(content, name="s.jsonl")


def test_a_script_that_cannot_be_read(tmp_path):
    for path in (tmp_path, tmp_path / "none.jsonl"):
        with pytest.raises(ScriptInvalid, match="cannot be read"):
            read_script(path, name=path.name)


def test_the_demonstration_is_valid():
    content, events = read_script(DEMO_SCRIPT, name=DEMO_SCRIPT.name)
    assert content == DEMO_SCRIPT.read_bytes()
    assert any(event.kind == "text" for event in events)


texts = st.text(alphabet=st.characters(exclude_categories=["Cs"]))


@given(st.lists(st.tuples(texts, st.integers(0, 1000)), min_size=1))
def test_any_text_survives(tokens):
    lines = [json.dumps({"text": text, "delay_ms": ms}, ensure_ascii=False) for text, ms in tokens]
    assert parse("\n".join(lines)) == [Event("text", text, ms) for text, ms in tokens]
