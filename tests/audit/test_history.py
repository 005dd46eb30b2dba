"""A history is only added to, and survives what cuts a line."""

import json
import math
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pageside.audit.errors import HistoryInvalid
from pageside.audit.history import (
    History,
    Record,
    append,
    check_writable,
    read_history,
    record_of,
)
from pageside.audit.result import AuditResult, Finding, Guard, Metric

MACHINE = {"CPU": "Xeon", "cores": "2", "kernel": "6.1"}
RECORD = Record(
    time="2026-11-29T17:40:10+00:00",
    url="http://127.0.0.1:3000/",
    verdict="pass",
    medians={"steady-33": {"cpu_ms_per_update": 2.1, "lag_p95_ms": 41.0}, "stop": {"nodes": 0}},
    machine=MACHINE,
    commit="2bb11c2",
)
CPU = Metric("cpu_ms_per_update", "ms", "cpu", "…")
LAG = Metric("lag_p95_ms", "ms", "wall", "…")


@pytest.fixture
def path(tmp_path):
    return tmp_path / "history.jsonl"


def test_what_is_appended_reads_the_same_in_order(path):
    records = [replace(RECORD, commit=f"c{number} ✓\n") for number in range(3)]
    for record in records:
        append(path, record)
    assert read_history(path) == History(tuple(records))
    lines = path.read_text(encoding="utf-8").splitlines()
    assert [json.loads(line)["pageside_audit"] for line in lines] == [1, 1, 1]


def test_no_file_is_an_error_unless_it_may_be_missing(path):
    with pytest.raises(HistoryInvalid, match="cannot be read"):
        read_history(path)
    assert read_history(path, missing_is_empty=True) == History(())


def test_a_line_cut_anywhere_loses_that_line_alone(path):
    append(path, RECORD)
    whole = path.read_bytes()
    second = replace(RECORD, commit="ünï")
    append(path, second)
    both = path.read_bytes()
    for cut in range(len(whole), len(both)):
        path.write_bytes(both[:cut])
        is_whole = cut >= len(both) - 1  # only the line feed is missing
        notes = read_history(path).notes
        assert notes == (
            ()
            if is_whole or cut == len(whole)
            else (f"Line 2 of {path} was only half written, and is left out.",)
        )
        append(path, RECORD)
        kept = (RECORD, second, RECORD) if is_whole else (RECORD, RECORD)
        assert read_history(path) == History(kept, notes)
        assert path.read_bytes().startswith(both[:cut])


WRITER = """
import sys
from pathlib import Path
from pageside.audit.history import Record, append
path, start = sys.argv[1:]
for number in range(20):
    append(Path(path), Record("t", "u", "pass", {}, {}, f"{start}-{number}" + "x" * 3000))
"""


def test_audits_that_end_together_do_not_mix(path):
    writers = [
        subprocess.Popen([sys.executable, "-c", WRITER, str(path), str(start)])
        for start in range(3)
    ]
    assert [writer.wait() for writer in writers] == [0, 0, 0]
    history = read_history(path)
    assert history.notes == ()
    commits = [record.commit.rstrip("x") for record in history.records]
    assert sorted(commits) == sorted(f"{s}-{n}" for s in range(3) for n in range(20))
    for start in range(3):
        mine = [commit for commit in commits if commit.startswith(f"{start}-")]
        assert mine == [f"{start}-{number}" for number in range(20)]


FOREIGN = [
    b"hello\n",
    b"\x89PNG\r\n\x1a\n\0\0",
    b"[]\n",
    b'{"url": "x"}\n',
    b'{"pageside_audit": 2, "time": ""}\n',
    b'{"pageside_audit": 1, "time": "t"}\n',
]
for field, wrong in {
    "time": 5,
    "url": None,
    "verdict": "maybe",
    "medians": [],
    "machine": {"CPU": 2},
    "commit": None,
}.items():
    FOREIGN.append(
        (json.dumps({"pageside_audit": 1, **vars(RECORD), field: wrong}) + "\n").encode()
    )
for value in ("NaN", "true", '"2"', "1" + "0" * 400, "[]"):
    text = json.dumps({"pageside_audit": 1, **vars(RECORD)}).replace("2.1", value)
    FOREIGN.append((text + "\n").encode())


@pytest.mark.parametrize("line", FOREIGN)
def test_a_file_that_is_not_ours_is_named_and_not_touched(path, line):
    append(path, RECORD)
    content = path.read_bytes() + line + path.read_bytes()
    path.write_bytes(content)
    for use in (lambda: read_history(path), lambda: append(path, RECORD)):
        with pytest.raises(HistoryInvalid, match="line 2, is not of an audit's history") as caught:
            use()
        assert str(path) in caught.value.message
        assert "\n" not in str(caught.value)
    assert path.read_bytes() == content


def test_a_record_made_by_hand_is_ours():
    """The check of the lines above: what they change is what is wrong with them."""
    text = json.dumps({"pageside_audit": 1, **vars(RECORD)})
    assert text.startswith('{"pageside_audit": 1, ')


def test_a_place_that_cannot_be_used(tmp_path):
    for place in (tmp_path, tmp_path / "none" / "history.jsonl"):
        with pytest.raises(HistoryInvalid, match="cannot be"):
            append(place, RECORD)


texts = st.text(alphabet=st.characters(exclude_categories=["Cs"]), max_size=20)


@settings(deadline=None)
@given(
    st.builds(
        Record,
        time=texts,
        url=texts,
        verdict=st.sampled_from(["pass", "fail", "inconclusive"]),
        medians=st.dictionaries(
            texts, st.dictionaries(texts, st.floats(allow_nan=False, allow_infinity=False))
        ),
        machine=st.dictionaries(texts, texts),
        commit=texts,
    )
)
def test_any_record_survives(tmp_path_factory, record):
    path = tmp_path_factory.mktemp("history") / "h.jsonl"
    append(path, record)
    assert read_history(path) == History((record,))


def test_what_is_kept_of_a_result():
    findings = (
        Finding(CPU, "steady-33", (3.0, 1.0, 2.0)),
        Finding(LAG, "steady-33", (40.0,)),
        Finding(LAG, "stop", (50.0,)),
        Finding(CPU, "stop", (math.nan,)),
        Finding(CPU, "burst", ()),
    )
    late = Guard("machine", "steady-33", 0, False, "…", frozenset({"wall"}))
    held = replace(late, scenario="stop", holds=True)
    result = AuditResult(
        "http://x/", "X", "auto", "2026", 9.0, "pass", findings, (late, held), (), machine=MACHINE
    )
    assert record_of(result, "abc") == Record(
        time="2026",
        url="http://x/",
        verdict="pass",
        medians={"steady-33": {"cpu_ms_per_update": 2.0}, "stop": {"lag_p95_ms": 50.0}},
        machine=MACHINE,
        commit="abc",
    )


def test_a_folder_that_is_not_there_is_named_before_anything_is_measured(tmp_path: Path) -> None:
    with pytest.raises(HistoryInvalid, match=r"no folder .*missing"):
        check_writable(tmp_path / "missing" / "history.jsonl")
    check_writable(tmp_path / "history.jsonl")
    assert list(tmp_path.iterdir()) == []
