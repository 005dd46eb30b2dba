"""Pageside's own page, audited as any page is: the budgets of "smooth at 4×" on CPU time and
counts. Time on the clock decides no test here; `pageside audit` by hand judges that too."""

import pytest

from pageside.audit.budgets import default_budgets
from pageside.audit.metrics import METRICS
from pageside.audit.result import Budget
from pageside.audit.scenarios import choose
from pageside.audit.session import Options, audit
from pageside.audit.subject import subjects

pytestmark = pytest.mark.anyio


async def test_it_keeps_every_budget() -> None:
    budgets = [b for b in default_budgets() if METRICS[b.metric].kind != "wall"]
    # 0.9 to 1.2 here; with the whole answer parsed again in each frame a fault as well.
    budgets.append(Budget("cost_growth", 2, "length-10000"))
    with subjects([None], recipe=None) as (page,):
        options = Options(
            url=page.url,
            recipe=page.recipe,
            scenarios=choose("quick", ["length-500", "length-10000", "steady-200", "stop"]),
            budgets=budgets,
        )
        result = (await audit(options)).result
    judged = [(f.metric.name, f.scenario, f.verdict, f.reason) for f in result.findings]
    assert result.verdict == "pass", [line for line in judged if line[2] not in (None, "pass")]
    assert result.diagnoses == ()
    seen = {finding.metric.name for finding in result.findings if finding.verdict}
    assert {"cost_growth", "longest_task_cpu_4x_ms", "tbt_4x_ms", "words_missing"} <= seen
    shown = {finding.metric.name for finding in result.findings if finding.values}
    assert {"lag_p95_ms", "stop_to_last_mutation_ms"} <= shown
