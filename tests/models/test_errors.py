"""The tree of errors: one line each, one code each, all of them drawn."""

import errno
import os
from pathlib import Path

import pytest

from pageside.models import errors
from pageside.models.disk import writing
from pageside.models.errors import DiskFull, PagesideError, StoreUnusable

TREE = [
    value
    for value in vars(errors).values()
    if isinstance(value, type) and issubclass(value, PagesideError)
]


def test_every_error_is_drawn_and_has_a_code_of_its_own() -> None:
    assert errors.__doc__ is not None
    assert all(error.__name__ in errors.__doc__ for error in TREE)
    assert len({error.code for error in TREE}) == len(TREE)


def test_the_text_is_message_and_hint() -> None:
    assert str(PagesideError("it broke")) == "it broke"
    error = PagesideError("it broke", hint="mend it")
    assert (str(error), error.message, error.hint) == ("it broke; mend it", "it broke", "mend it")


@pytest.mark.parametrize("number", [errno.ENOSPC, errno.EDQUOT, errno.EFBIG])
def test_a_full_disk_by_any_name(number: int) -> None:
    with pytest.raises(DiskFull, match="somewhere"), writing(Path("somewhere")):
        raise OSError(number, os.strerror(number))


@pytest.mark.parametrize("number", [errno.EACCES, errno.EROFS, errno.EIO, errno.ENOTDIR])
def test_any_other_trouble_with_the_disk_says_what(number: int) -> None:
    with pytest.raises(StoreUnusable, match=os.strerror(number)) as raised, writing(Path("x")):
        raise OSError(number, os.strerror(number))
    assert not isinstance(raised.value, DiskFull)
