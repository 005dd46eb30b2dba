"""What can go wrong with a report.

AuditError
├── ResultInvalid      a result file that is none, or is not whole
└── ReportUnwritable   a folder in which the report cannot be written
"""

from pageside.audit.errors import AuditError


class ResultInvalid(AuditError):
    code = "result_invalid"


class ReportUnwritable(AuditError):
    code = "report_unwritable"
