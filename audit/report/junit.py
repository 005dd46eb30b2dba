"""junit.xml: what Jenkins, GitLab and their like show beside the tests.

A suite a scenario, a case a finding with a budget. A fail is a failure; an inconclusive one is
skipped with its reason, for JUnit has no third answer, and named in the property "inconclusive".
Figures without a budget are properties, guards the suite's output. Where the verdict is one that
no case shows (a known fault without a budget, a guard alone), a suite "audit" has it.
"""

from xml.etree import ElementTree

from pageside.audit.report.figures import count, limit, middle, number, quantity
from pageside.audit.report.headline import headline, judged, scenarios
from pageside.audit.report.visible import visible
from pageside.audit.result import AuditResult, Diagnosis, Finding, Guard

_PREFIX = "pageside.audit"

Element = ElementTree.Element


def junit_xml(result: AuditResult) -> bytes:
    """The whole document, in UTF-8."""
    suites = [_suite(result, scenario) for scenario in scenarios(result)]
    if result.verdict not in {finding.verdict for finding in judged(result)}:
        suites.append(_verdict_suite(result))
    root = _element("testsuites", name=_PREFIX, time=f"{result.duration_s:.3f}", **_sums(suites))
    root.extend(suites)
    ElementTree.indent(root)
    document: bytes = ElementTree.tostring(root, encoding="utf-8", xml_declaration=True)
    return document + b"\n"


def _suite(result: AuditResult, scenario: str) -> Element:
    findings = [finding for finding in result.findings if finding.scenario == scenario]
    cases = [_case(finding) for finding in findings if finding.verdict is not None]
    suite = _counted(result, scenario, cases)
    properties = {f.metric.name: _value(f) for f in findings if f.verdict is None}
    unsure = [f.metric.name for f in findings if f.verdict == "inconclusive"]
    if unsure:
        properties["inconclusive"] = ", ".join(unsure)
    suite.append(_properties({"url": result.url, **properties}))
    suite.extend(cases)
    guards = [guard for guard in result.guards if guard.scenario == scenario]
    faults = [diagnosis for diagnosis in result.diagnoses if diagnosis.scenario == scenario]
    suite.append(_text("system-out", "\n".join([*map(_guard, guards), *map(_fault, faults)])))
    return suite


def _verdict_suite(result: AuditResult) -> Element:
    case = _element("testcase", classname=f"{_PREFIX}.audit", name="verdict", time="0")
    if result.verdict == "fail":
        case.append(_element("failure", message=headline(result), type="fault"))
    if result.verdict == "inconclusive":
        case.append(_element("skipped", message=headline(result)))
    suite = _counted(result, "audit", [case])
    suite.append(_properties({"url": result.url, "verdict": result.verdict}))
    suite.append(case)
    return suite


def _case(finding: Finding) -> Element:
    case = _element(
        "testcase",
        classname=f"{_PREFIX}.{finding.scenario}",
        name=finding.metric.name,
        time="0",
    )
    said = f"{_value(finding)}, budget {limit(finding)}"
    if finding.verdict == "fail":
        message = f"{finding.metric.name}: {said}"
        case.append(_text("failure", _explained(finding), message=message, type="budget"))
    if finding.verdict == "inconclusive":
        reason = finding.reason or "neither within the budget nor above it"
        case.append(_element("skipped", message=f"inconclusive: {reason} ({said})"))
    return case


def _explained(finding: Finding) -> str:
    runs = ", ".join(map(number, finding.values))
    return f"{finding.metric.definition}\nruns: {runs}\n{finding.reason}".rstrip()


def _value(finding: Finding) -> str:
    runs = count(len(finding.values), "run")
    return f"{quantity(middle(finding), finding.metric.unit)} (median of {runs})"


def _guard(guard: Guard) -> str:
    held = "holds" if guard.holds else f"DOES NOT HOLD, spoils {', '.join(sorted(guard.spoils))}"
    return f"guard {guard.name}, run {guard.run}: {held}: {guard.detail}"


def _fault(diagnosis: Diagnosis) -> str:
    places = "".join(f"\n  at {b.url}:{b.line}:{b.column} {b.function}" for b in diagnosis.blame)
    return f"fault {diagnosis.fault}: {diagnosis.title}: {' '.join(diagnosis.proof)}{places}"


def _counted(result: AuditResult, name: str, cases: list[Element]) -> Element:
    return _element(
        "testsuite",
        name=f"{_PREFIX}.{name}",
        tests=str(len(cases)),
        failures=str(_having(cases, "failure")),
        errors="0",
        skipped=str(_having(cases, "skipped")),
        time="0",
        timestamp=result.started_at,
    )


def _having(cases: list[Element], child: str) -> int:
    return sum(case.find(child) is not None for case in cases)


def _sums(suites: list[Element]) -> dict[str, str]:
    names = ("tests", "failures", "errors")  # Jenkins' schema knows no "skipped" here
    return {name: str(sum(int(suite.attrib[name]) for suite in suites)) for name in names}


def _properties(pairs: dict[str, str]) -> Element:
    properties = _element("properties")
    properties.extend(_element("property", name=k, value=v) for k, v in pairs.items())
    return properties


def _text(tag: str, text: str, **attributes: str) -> Element:
    element = _element(tag, **attributes)
    element.text = visible(text)
    return element


def _element(tag: str, **attributes: str) -> Element:
    return Element(tag, {name: visible(value) for name, value in attributes.items()})
