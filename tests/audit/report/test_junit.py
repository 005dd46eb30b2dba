"""junit.xml: what it counts, and that no text of a page can break it."""

from dataclasses import replace
from xml.etree import ElementTree

from hypothesis import given, settings
from hypothesis import strategies as st

from pageside.audit.report import junit_xml
from pageside.audit.result import AuditResult

from . import results


def parsed(result: AuditResult) -> ElementTree.Element:
    return ElementTree.fromstring(junit_xml(result))


def test_a_suite_a_scenario_and_a_case_a_budget() -> None:
    root = parsed(results.failing())
    suites = {suite.attrib["name"]: suite for suite in root.findall("testsuite")}
    assert set(suites) == {f"pageside.audit.{name}" for name in (*results.SCENARIOS, "hidden-tab")}
    totals = {name: root.attrib[name] for name in ("tests", "failures", "errors")}
    assert totals == {"tests": "8", "failures": "4", "errors": "0"}
    assert [suite.attrib["skipped"] for suite in suites.values()].count("1") == 1
    assert len(root.findall(".//testcase")) == 8
    long_answer = suites["pageside.audit.long-answer-10k"]
    assert long_answer.attrib["failures"] == "3"
    failure = long_answer.find("testcase[@name='cost_growth']/failure")
    assert failure is not None
    assert failure.attrib["message"] == "cost_growth: 7.04× (median of 3 runs), budget ≤ 2×"
    assert "runs: 7.04, 6.62, 7.31" in (failure.text or "")


def test_inconclusive_is_skipped_with_its_reason_and_named_in_a_property() -> None:
    root = parsed(results.failing())
    suite = root.find("testsuite[@name='pageside.audit.stop-1000']")
    assert suite is not None
    skipped = suite.find("testcase/skipped")
    assert skipped is not None
    assert skipped.attrib["message"].startswith("inconclusive: median within the slack")
    named = suite.find("properties/property[@name='inconclusive']")
    assert named is not None
    assert named.attrib["value"] == "stop_to_last_mutation_ms"


def test_figures_without_a_budget_are_properties_and_guards_are_output() -> None:
    suite = parsed(results.failing()).find("testsuite[@name='pageside.audit.firehose-1000']")
    assert suite is not None
    missed = suite.find("properties/property[@name='missed_slots']")
    assert missed is not None
    assert missed.attrib["value"].startswith("214")
    output = suite.findtext("system-out") or ""
    assert "DOES NOT HOLD, spoils wall: the control itself missed 7.1 %" in output
    assert "at http://127.0.0.1:3000/src/stream.ts:88:14 onChunk" in output


def test_a_verdict_that_no_case_has_is_a_case_of_its_own() -> None:
    for verdict, child in (("fail", "failure"), ("inconclusive", "skipped"), ("pass", None)):
        root = parsed(replace(results.empty(), verdict=verdict))
        case = root.find("testsuite[@name='pageside.audit.audit']/testcase[@name='verdict']")
        assert case is not None
        assert [element.tag for element in case] == ([child] if child else [])
    assert parsed(results.passing()).find(".//testcase[@name='verdict']") is None


@settings(deadline=None, max_examples=40)
@given(st.text(st.characters(), max_size=100))
def test_any_text_is_well_formed(text: str) -> None:
    metric = replace(results.COST, name=text, definition=text)
    finding = replace(results.failing().findings[0], metric=metric, scenario=text, reason=text)
    guards = (replace(results.failing().guards[-1], scenario=text, detail=text),)
    result = replace(results.empty("fail"), url=text, findings=(finding,), guards=guards)
    assert parsed(result).find("testsuite/testcase/failure") is not None
