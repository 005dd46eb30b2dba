"""Faults by their names."""

import math

import pytest

from pageside.audit.errors import PaceInvalid
from pageside.audit.pace import Faults
from pageside.audit.pace.faults import LONG_LINE_BYTES, NAMES, parse_faults


def test_names_and_values():
    assert parse_faults([]) == Faults()
    assert parse_faults(["split", "crlf", "cut-after=0"], seed=7) == Faults(
        split=True, crlf=True, cut_after=0, seed=7
    )
    assert parse_faults(["long-line", "buffer", "status=429"]) == Faults(
        long_line=LONG_LINE_BYTES, buffer_s=math.inf, status=429
    )
    assert parse_faults(["long-line=9", "buffer=0.5"]) == Faults(long_line=9, buffer_s=0.5)


@pytest.mark.parametrize("name", NAMES)
def test_every_name_alone_is_one_fault(name):
    faults = parse_faults([name])
    changed = [
        field for field in vars(faults) if getattr(faults, field) != getattr(Faults(), field)
    ]
    assert [field.removesuffix("_s").replace("_", "-") for field in changed] == [name]


@pytest.mark.parametrize(
    ("text", "named"),
    [
        ("splits", "'splits'"),
        ("", "''"),
        ("seed=3", "'seed'"),
        ("no_space", "'no_space'"),
        ("split=1", "takes no value"),
        ("crlf=", "takes no value"),
        ("cut-after=", "wants a number"),
        ("cut-after=many", "wants a number"),
        ("cut-after=-1", "cut-after is -1"),
        ("buffer=0", "buffer is 0"),
        ("buffer=nan", "buffer is nan"),
        ("status=200", "status is 200"),
        ("status=600", "status is 600"),
        ("long-line=99999999999", "long-line"),
        ("x" * 1000, "xxx"),
    ],
)
def test_what_is_no_fault(text, named):
    with pytest.raises(PaceInvalid, match=named) as caught:
        parse_faults([text])
    assert len(str(caught.value)) < 400 and "\n" not in str(caught.value)


def test_borders_exclude_each_other():
    with pytest.raises(PaceInvalid, match="split and byte-by-byte"):
        parse_faults(["split", "byte-by-byte"])
