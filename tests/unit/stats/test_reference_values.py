"""The statistics give published and independently computed values."""

from __future__ import annotations

import pytest

from seatrial.stats.agreement import Level, cohen_kappa, krippendorff_alpha
from seatrial.stats.distributions import incomplete_beta, normal_quantile, t_quantile, t_two_sided
from seatrial.stats.intervals import clustered_standard_error, standard_error, wilson
from seatrial.stats.paired import mcnemar_exact, paired_t
from seatrial.stats.repeats import pass_at_k, pass_hat_k


@pytest.mark.parametrize(
    ("n", "passed", "k", "at_least_one", "all_of_them"),
    [(5, 3, 2, 0.9, 0.3), (5, 3, 3, 1.0, 0.1), (10, 9, 4, 1.0, 0.6), (4, 0, 2, 0.0, 0.0)],
)
def test_pass_at_k_and_pass_hat_k(n: int, passed: int, k: int, at_least_one: float, all_of_them: float) -> None:
    assert pass_at_k(n, passed, k) == pytest.approx(at_least_one, abs=1e-12)
    assert pass_hat_k(n, passed, k) == pytest.approx(all_of_them, abs=1e-12)


@pytest.mark.parametrize(
    ("successes", "n", "low", "high"),
    [
        (17, 20, 0.639581, 0.947631),
        (5, 5, 0.565518, 1.0),
        (0, 5, 0.0, 0.434482),
        (1, 2, 0.094531, 0.905469),
        (460, 500, 0.892894, 0.940702),
        (900, 1000, 0.879848, 0.917091),
    ],
)
def test_wilson_interval(successes: int, n: int, low: float, high: float) -> None:
    assert wilson(successes, n) == pytest.approx((low, high), abs=1e-6)


def test_standard_errors() -> None:
    assert standard_error([1.0] * 900 + [0.0] * 100) == pytest.approx(0.00949157995752499, abs=1e-15)
    values = [1, 1, 0, 1, 0, 0, 1, 1]
    assert standard_error(values) == pytest.approx(0.182981264, abs=1e-9)
    assert clustered_standard_error(values, "aaabbccd") == pytest.approx(0.076546554, abs=1e-9)


@pytest.mark.parametrize(
    ("only_first", "only_second", "p"),
    [(2, 0, 0.5), (8, 1, 0.0390625), (12, 3, 0.03515625), (6, 0, 0.03125), (5, 5, 1.0), (0, 0, 1.0)],
)
def test_mcnemar_exact(only_first: int, only_second: int, p: float) -> None:
    assert mcnemar_exact(only_first, only_second) == p
    assert mcnemar_exact(only_second, only_first) == p


def test_cohen_kappa_plain_and_quadratic() -> None:
    first, second = [1, 2, 3, 4, 5, 5, 3, 2, 1, 4], [1, 2, 4, 4, 5, 4, 3, 2, 2, 4]
    assert cohen_kappa(first, second) == pytest.approx(0.625, abs=1e-6)
    assert cohen_kappa(first, second, is_quadratic=True) == pytest.approx(0.914286, abs=1e-6)


@pytest.mark.parametrize(("level", "alpha"), [("nominal", 0.596491), ("ordinal", 0.920320), ("interval", 0.919861)])
def test_krippendorff_alpha(level: Level, alpha: float) -> None:
    items = [[int(digit) for digit in item] for item in ["111", "223", "333", "334", "444", "554", "121", "555"]]
    assert krippendorff_alpha(items, level) == pytest.approx(alpha, abs=1e-6)


def test_krippendorff_alpha_with_gaps_as_in_his_own_example() -> None:
    """Krippendorff 2011, section C: four observers, twelve units; alpha 0.743, 0.815, 0.849."""
    rows = [
        [1, 2, 3, 3, 2, 1, 4, 1, 2, None, None, None],
        [1, 2, 3, 3, 2, 2, 4, 1, 2, 5, None, 3],
        [None, 3, 3, 3, 2, 3, 4, 2, 2, 5, 1, None],
        [1, 2, 3, 3, 2, 4, 4, 1, 2, 5, 1, None],
    ]
    items = [list(unit) for unit in zip(*rows, strict=True)]
    assert krippendorff_alpha(items, "nominal") == pytest.approx(0.743, abs=5e-4)
    assert krippendorff_alpha(items, "ordinal") == pytest.approx(0.815, abs=5e-4)
    assert krippendorff_alpha(items, "interval") == pytest.approx(0.849, abs=5e-4)


@pytest.mark.parametrize(
    ("df", "t"),
    [(1, 12.706204736), (2, 4.302652730), (5, 2.570581836), (10, 2.228138852), (30, 2.042272456), (100, 1.983971519)],
)
def test_quantiles_of_student_t(df: int, t: float) -> None:
    assert t_quantile(0.975, df) == pytest.approx(t, abs=1e-8)
    assert t_two_sided(t, df) == pytest.approx(0.05, abs=1e-9)


def test_student_t_nears_the_normal_distribution() -> None:
    assert t_quantile(0.975, 1e7) == pytest.approx(normal_quantile(0.975), abs=1e-6)
    assert normal_quantile(0.975) == pytest.approx(1.959963985, abs=1e-9)


def test_incomplete_beta_of_whole_numbers_is_a_binomial_tail() -> None:
    assert incomplete_beta(2, 3, 0.4) == pytest.approx(0.5248, abs=1e-12)


def test_paired_t_of_the_sleep_data_of_student_1908() -> None:
    differences = [1.2, 2.4, 1.3, 1.3, 0.0, 1.0, 1.8, 0.8, 4.6, 1.4]
    assert paired_t(differences) == pytest.approx(0.00283289, abs=1e-8)
