"""What can go wrong with an audit, each in one line.

PagesideError
└── AuditError
    ├── RecipeInvalid      a recipe that cannot be read or cannot be meant
    ├── BudgetInvalid      the same of a file of budgets
    ├── PromptNotFound     nowhere on the page to write a prompt
    ├── AnswerNotFound     the prompt was sent and no answer is seen on the page
    ├── StopNotPressed     no Stop button while an answer streams, or one that is not reached
    ├── PageUnreachable    nobody answers at the page's address
    ├── PageLost           the page or its browser ended while it was measured
    ├── TraceInvalid       the browser's trace lacks what it must have
    ├── PaceInvalid        a pace, a fault or a script that cannot be played
    ├── HistoryInvalid     a history file that cannot be read
    ├── ResultInvalid      a file of results that cannot be read  (report/errors.py)
    └── ReportUnwritable   a report that cannot be written        (report/errors.py)
"""

from pageside.models.errors import PagesideError


class AuditError(PagesideError):
    code = "audit_error"


class RecipeInvalid(AuditError):
    code = "recipe_invalid"


class BudgetInvalid(AuditError):
    code = "budget_invalid"


class PromptNotFound(AuditError):
    code = "prompt_not_found"


class AnswerNotFound(AuditError):
    code = "answer_not_found"


class StopNotPressed(AuditError):
    code = "stop_not_pressed"


class PageUnreachable(AuditError):
    code = "page_unreachable"


class PageLost(AuditError):
    code = "page_lost"


class TraceInvalid(AuditError):
    code = "trace_invalid"


class PaceInvalid(AuditError):
    code = "pace_invalid"


class HistoryInvalid(AuditError):
    code = "history_invalid"
