"""The fingerprint is the same for the same machine, and our own work is not others' business."""

import subprocess
import sys
import time

import pytest

from pageside.audit import machine
from pageside.audit.machine import (
    Business,
    business,
    differing,
    fingerprint,
    fingerprint_hash,
)

XEON = "processor\t: 0\nmodel name\t: Intel(R)  Xeon(R) CPU\nprocessor\t: 1\nmodel name\t: Other\n"
ARM = "processor\t: 0\nBogoMIPS\t: 48.00\nCPU implementer\t: 0x41\nCPU part\t: 0xd0c\n"


def test_everything_has_a_name_and_twice_the_same():
    found = fingerprint("156.0.7000.1")
    assert all(value and value == value.strip() for value in found.values())
    assert found["Chromium"] == "156.0.7000.1"
    assert int(found["cores"]) >= 1
    assert fingerprint("156.0.7000.1") == found


def test_every_key_changes_the_hash_and_others_do_not():
    found = dict(fingerprint("156"))
    original = fingerprint_hash(found)
    for key in found:
        assert fingerprint_hash(found | {key: "x"}) != original
        assert differing(found, found | {key: "x"}) == [key]
    assert fingerprint_hash(found | {"load": "3.2"}) == original
    assert fingerprint_hash(dict(reversed(found.items()))) == original
    assert differing(found, found | {"load": "3.2"}) == []


def test_the_hash_is_the_same_on_another_day():
    """It is written in history files."""
    assert fingerprint_hash({"CPU": "Intel", "cores": "2"}) == "7355de849a5e"


@pytest.mark.parametrize(
    ("text", "name"), [(XEON, "Intel(R) Xeon(R) CPU"), (ARM, "0x41 0xd0c"), ("", "")]
)
def test_the_processor_has_a_name_or_numbers(text, name):
    assert machine._from_cpuinfo(text).endswith(name)
    assert machine._from_cpuinfo(text)


def share(busy_s, own_s, look_s=1.0, before_s=1000.0):
    cores = machine.psutil.cpu_count()
    before = machine._Times(before_s, 50.0, 7.0)
    after = machine._Times(before_s + cores * busy_s, 50.0 + cores * own_s, 7.0 + look_s)
    return machine._others_share(before, after)


def test_what_we_do_ourselves_is_not_others():
    assert share(0.75, 0.25) == pytest.approx(0.5)
    assert share(0.75, 0.0) == pytest.approx(0.75)
    assert share(1.0, 0.5, look_s=2.0) == pytest.approx(0.25)
    assert share(0.1, 0.11) == 0.0  # clocks that tick in hundredths
    assert share(1.2, 0.0) == 1.0


def burn(cpu_s):
    until = time.process_time() + cpu_s
    while time.process_time() < until:
        pass


def test_our_own_time_has_our_childrens_also_when_they_have_ended():
    before = machine._own_s()
    burn(0.3)
    own = machine._own_s()
    assert own - before >= 0.25
    loop = "import time\nwhile time.process_time() < 0.5: pass"
    subprocess.run([sys.executable, "-c", loop], check=True)
    assert machine._own_s() - own >= 0.45


def test_a_childs_time_counts_while_it_runs():
    before = machine._own_s()
    loop = "import time\nwhile time.process_time() < 0.5: pass\nprint()\ninput()"
    with subprocess.Popen(
        [sys.executable, "-c", loop], stdin=subprocess.PIPE, stdout=subprocess.PIPE
    ) as child:
        assert child.stdout is not None
        child.stdout.read(1)
        assert machine._own_s() - before >= 0.45
        child.communicate(b"\n")


def test_a_look():
    found = business(0.1)
    assert isinstance(found, Business)
    assert 0 <= found.others_share <= 1
    assert found.look_s >= 0.1
    assert found.load_average is None or found.load_average >= 0
