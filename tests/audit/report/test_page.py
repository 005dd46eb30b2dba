"""report.html in a browser: it shows what was found, runs nothing foreign, and asks for nothing."""

import math
import re
from dataclasses import replace

import pytest

from pageside.audit.report import report_html
from pageside.audit.report.page import SIZE_BYTES_MOST
from pageside.audit.result import (
    AuditResult,
    Blame,
    Cost,
    Diagnosis,
    Finding,
    Guard,
    Metric,
    SavedTrace,
    Timeline,
)

from . import results
from .conftest import Open

pytestmark = pytest.mark.anyio

# Each would run, close what it stands in, or turn the line around, were it not escaped.
HOSTILE = (
    "<script>alert(1)</script>",
    '"><img src=x onerror=alert(1)>',
    "'-alert(1)-'",
    "</style></title></svg></script><script>alert(1)</script>",
    "<!--",
    "]]>&lt;&#60;",
    "\u202egnp.exe\u2066 שלום \x1b[31m\x00\ud800\r\n",
    "javascript:alert(1)",
    "data:text/html,<script>alert(1)</script>",
    "http://[::1",
    "x" * 9_000 + "<b>",
)


def hostile(text: str) -> AuditResult:
    """The failing result with `text` wherever a page under test could put it."""
    metric = Metric(text, text, "wall", text)
    finding = results.finding(metric, text, (2.0, 3.0), 1.0, "fail", text)
    timeline = replace(
        results.timeline("x", misses=20),
        scenario=text,
        events=((10.0, text), (20.0, "hide"), (9e9, text)),
    )
    return replace(
        results.failing(),
        url=text,
        title=text,
        recipe=text,
        started_at=text,
        findings=(finding,),
        guards=(Guard(text, text, 1, False, text, frozenset({"wall"})),),
        diagnoses=(Diagnosis("B", text, text, (text,), text, (Blame(text, 1, 1, text, 2.0),)),),
        timelines=(timeline,),
        costs=(Cost(text, 500, 0, 2.0, {text: 2.0}), Cost(text, 900, 0, 2.0, {"script": 2.0})),
        traces=(SavedTrace(text, text, 10),),
        machine={text: text},
        options={text: text},
        notes=(text,),
    )


class TestInABrowser:
    @pytest.mark.parametrize("name", ["passing", "failing", "undecided", "empty"])
    async def test_its_policy_lets_through_its_style_and_script_and_nothing_is_asked_for(
        self, open_report: Open, name: str
    ) -> None:
        opened = await open_report(getattr(results, name)())
        assert opened.complaints == []
        assert [url.split(":")[0] for url in opened.requests] == ["file"]
        margin = "getComputedStyle(document.querySelector('h1')).marginBottom"
        assert await opened.page.evaluate(margin) == "0px", "the style is not applied"

    async def test_what_a_page_under_test_says_is_text_and_never_runs(
        self, open_report: Open
    ) -> None:
        for text in HOSTILE:
            opened = await open_report(hostile(text))
            assert opened.complaints == [], text
            assert len(opened.requests) == 1, text
            scripts = "document.querySelectorAll('script, img, iframe, object, b').length"
            assert await opened.page.evaluate(scripts) == 1, text
            links = "[...document.links].map((link) => link.protocol)"
            assert set(await opened.page.evaluate(links)) <= {"http:", "file:"}, text

    async def test_a_script_that_was_not_escaped_would_be_stopped_by_the_policy(
        self, open_report: Open
    ) -> None:
        opened = await open_report(results.passing())
        before = len(opened.complaints)
        await opened.page.evaluate(
            "document.body.append(Object.assign(document.createElement('div'),"
            "{innerHTML: '<img src=x onerror=\"document.title=1\">'}))"
        )
        await opened.page.wait_for_function("document.images.length === 1")
        assert any("Content Security Policy" in said for said in opened.complaints[before:])

    async def test_on_a_phone_nothing_is_wider_than_the_page(self, open_report: Open) -> None:
        for result in (results.failing(), hostile("x" * 9_000)):
            opened = await open_report(result)
            await opened.page.set_viewport_size({"width": 390, "height": 800})
            assert await opened.page.evaluate("document.documentElement.scrollWidth") == 390

    async def test_the_pointer_over_a_timeline_tells_its_values(self, open_report: Open) -> None:
        opened = await open_report(results.failing())
        chart = opened.page.locator("svg[data-span]").first
        await chart.scroll_into_view_if_needed()
        box = await chart.bounding_box()
        assert box is not None
        await opened.page.mouse.move(box["x"] + box["width"] / 2, box["y"] + 60)
        said = await opened.page.locator(".readout").first.text_content()
        assert said is not None
        assert said.startswith("4.50 s · emitted 450"), said
        emitted, painted, lag = (int(number) for number in re.findall(r" (\d+)\b(?! s)", said))
        assert painted == pytest.approx(emitted / 2, rel=0.05)  # as results.failing() has it
        assert lag == pytest.approx(emitted / 2, rel=0.05)

    async def test_a_screen_reader_gets_the_charts_in_words_and_the_tables_with_scopes(
        self, open_report: Open
    ) -> None:
        opened = await open_report(results.failing())
        charts = opened.page.get_by_role("img", name="Timeline of firehose-1000")
        assert await charts.count() == 1
        name = await charts.get_attribute("aria-labelledby")
        assert name == "timeline-0-title timeline-0-about"
        unnamed = "[...document.querySelectorAll('svg[role=img]')].filter(chart =>"
        unnamed += " !chart.ariaLabel && !chart.querySelector('title')?.textContent).length"
        assert await opened.page.evaluate(unnamed) == 0
        assert await opened.page.locator("th:not([scope])").count() == 0
        ids = await opened.page.evaluate("[...document.querySelectorAll('[id]')].map(e => e.id)")
        assert len(ids) == len(set(ids))


class TestWhatItSays:
    def test_the_verdict_its_reason_and_the_line_to_blame(self) -> None:
        page = report_html(results.failing()).decode()
        assert "4 budgets of 8 exceeded; the worst is dirty_objects_per_token" in page
        assert "</bdi>:1:48211" in page
        assert "renderMarkdown" in page
        assert "wall clock" in page  # what the broken guard spoils

    def test_without_findings_guards_or_timelines_it_still_is_a_page(self) -> None:
        for verdict in ("pass", "fail", "inconclusive"):
            page = report_html(results.empty(verdict)).decode()
            assert f"banner {verdict}" in page

    def test_figures_that_no_chart_can_place_are_left_out_of_it(self) -> None:
        nan, inf = math.nan, math.inf
        result = replace(
            results.passing(),
            findings=(
                results.finding(results.COST, "no runs", (), 4.0, "inconclusive"),
                results.finding(results.LAG, "no end", (inf, nan), 0.0, "fail"),
            ),
            timelines=(
                Timeline("nothing", 0.0),
                Timeline("odd", 10.0, ((nan, 1),), ((inf, 2),), (nan, 3.0), ((1.0, inf),)),
                Timeline("tasks", 10.0, tasks=((nan, nan), (1.0, inf)), events=((nan, "stop"),)),
            ),
            costs=(
                Cost("zero", 0, 0, 0.0, {}),
                Cost("odd", 500, 0, nan, {"script": inf}),
                Cost("good", 500, 0, 2.0, {"script": 2.0, "wasm": 0.5}),
            ),
        )
        page = report_html(result).decode()
        drawn = page[page.index("<h2") :]
        assert "nan" not in drawn.replace("nanoseconds", "")
        assert "inf " not in drawn


class TestHuge:
    def test_sixty_scenarios_one_of_50_000_points_stay_below_the_bound(self) -> None:
        def long(points: int) -> Timeline:
            steps = tuple((float(i), i) for i in range(points))
            lags = tuple((float(i), float(i * 7919 % 400)) for i in range(points))
            tasks = tuple((float(i * 10), 60.0) for i in range(points // 10))
            missed = tuple(map(float, range(points)))
            return Timeline("x", float(points), steps, steps, missed, lags, tasks)

        one, others = long(50_000), long(8_000)
        names = [f"scenario-{i}" for i in range(60)]
        result = replace(
            results.failing(),
            timelines=(one, *(replace(others, scenario=name) for name in names[1:])),
            findings=tuple(
                results.finding(metric, name, (1.0, 2.0, 3.0), 4.0, "pass", "because " * 20)
                for metric in results.METRICS
                for name in names
            ),
            guards=tuple(replace(g, scenario=n) for n in names for g in results.guards()),
        )
        page = report_html(result)
        assert SIZE_BYTES_MOST / 4 < len(page) <= SIZE_BYTES_MOST
        assert b"more timelines in result.json" in page

    def test_nor_do_endless_strings_pass_it(self) -> None:
        result = hostile("<&\u202e" * 5_000)
        finding: Finding = result.findings[0]
        many = tuple(replace(finding, scenario=f"{i}{finding.scenario}") for i in range(350))
        diagnoses = result.diagnoses * 40
        assert len(report_html(replace(result, findings=many, diagnoses=diagnoses))) <= (
            SIZE_BYTES_MOST
        )
