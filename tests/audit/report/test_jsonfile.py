"""result.json: equal after reading, stable, and clear about what it cannot read."""

import json
import math
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from pageside.audit.report import ResultInvalid, read_result, result_json, write_report
from pageside.audit.result import AuditResult

from . import results

MADE = [results.passing, results.failing, results.undecided, results.empty]


def read(path: Path, text: str) -> AuditResult:
    path.write_text(text, encoding="utf-8")
    return read_result(path)


@pytest.mark.parametrize("make", MADE)
def test_what_is_read_equals_what_was_written(make: Callable[[], Any], tmp_path: Path) -> None:
    assert read_result(write_report(make(), tmp_path).json) == make()


def test_odd_values_come_back_too(tmp_path: Path) -> None:
    finding = replace(results.failing().findings[0], values=(math.inf, -math.inf, 0.1))
    result = replace(
        results.failing(),
        title='\ud800 "\u2028\x00',
        findings=(finding,),
        machine={"": "\n", "ü": "😀"},
    )
    again = read(tmp_path / "result.json", result_json(result))
    assert again == result
    assert again.guards[0].spoils == result.guards[0].spoils

    nan = replace(result, findings=(replace(finding, values=(math.nan,)),))
    assert math.isnan(read(tmp_path / "nan.json", result_json(nan)).findings[0].values[0])


def test_it_is_plain_json_with_a_version_and_the_same_for_the_same_result() -> None:
    text = result_json(results.failing())
    content = json.loads(text)
    assert list(content)[:3] == ["schema", "version", "url"]
    assert (content["schema"], content["version"]) == ("pageside.audit.result", 1)
    assert content["guards"][0]["spoils"] == ["count", "cpu", "wall"]
    assert text == result_json(results.failing())


def test_a_later_field_is_ignored_and_one_with_a_default_may_be_missing(tmp_path: Path) -> None:
    content = json.loads(result_json(results.passing()))
    content["later"] = {"a": 1}
    content["findings"][0]["later"] = 1
    del content["notes"]
    assert read(tmp_path / "result.json", json.dumps(content)) == results.passing()


def edited(change: Callable[[dict[str, Any]], object]) -> str:
    content = json.loads(result_json(results.failing()))
    change(content)
    return json.dumps(content)


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("", "is no JSON"),
        ("[" * 100_000, "is no JSON"),
        ("[1]", '"schema" is not'),
        ('{"schema": "lighthouse"}', '"schema" is not'),
        (edited(lambda c: c.update(version=2)), '"version" is 2'),
        (edited(lambda c: c.pop("verdict")), "verdict is missing"),
        (edited(lambda c: c.update(verdict="maybe")), "verdict is none of pass, fail"),
        (edited(lambda c: c["findings"][1]["values"].append("x")), "findings[1].values[3] is no"),
        (edited(lambda c: c["findings"][0].update(metric=[])), "findings[0].metric is no object"),
        (edited(lambda c: c["guards"][0].update(holds=1)), "guards[0].holds is no true or false"),
        (edited(lambda c: c["guards"][0].update(run=True)), "guards[0].run is no number"),
        (edited(lambda c: c["timelines"][0]["emitted"].append([1])), "has 1 values, not 2"),
        (edited(lambda c: c["machine"].update(a=1)), "machine.a is no text"),
    ],
)
def test_another_file_is_refused_with_the_place_that_is_wrong(
    tmp_path: Path, text: str, said: str
) -> None:
    with pytest.raises(ResultInvalid) as caught:
        read(tmp_path / "other.json", text)
    assert said in caught.value.message
    assert "other.json" in caught.value.message
    assert caught.value.hint


def test_a_file_that_is_not_there_is_named(tmp_path: Path) -> None:
    with pytest.raises(ResultInvalid, match=r"absent\.json"):
        read_result(tmp_path / "absent.json")
    with pytest.raises(ResultInvalid):
        read_result(tmp_path)
