"""Which page of a pair runs first is a fair coin, and the same again for the same seed."""

from itertools import islice, pairwise

from pageside.audit.compare import orders


def flips(seed, count):
    return [order == ("b", "a") for order in islice(orders(seed), count)]


def test_every_pair_has_both_pages():
    assert {frozenset(order) for order in islice(orders(1), 50)} == {frozenset("ab")}


def test_the_seed_decides():
    assert flips(7, 100) == flips(7, 100)
    assert flips(7, 100) != flips(8, 100)


def test_each_toss_is_fair_and_knows_nothing_of_the_last():
    tosses = flips(3, 10_000)
    repeats = sum(one == two for one, two in pairwise(tosses))
    assert 4_800 < sum(tosses) < 5_200
    assert 4_800 < repeats < 5_200  # blocks of AB BA would give 2,500
