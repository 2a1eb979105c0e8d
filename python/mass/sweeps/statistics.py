"""Statistics of runs that differ in their seeds only."""

from __future__ import annotations

import functools
import math
from collections.abc import Sequence

import numpy

QUANTILES = (0.05, 0.25, 0.5, 0.75, 0.95)
#: Columns of a summary.
NAMES = ("n", "mean", "deviation", "low95", "high95", *(f"q{round(100 * q):02}" for q in QUANTILES))


def mean(values: Sequence[float]) -> float:
    """Returns the mean; NaN if there are no values."""
    if not values:
        return math.nan
    try:
        return math.fsum(values) / len(values)
    except (OverflowError, ValueError):  # a sum beyond the largest number, or infinities of both signs
        return sum(value / len(values) for value in values)


@functools.lru_cache(maxsize=1024)
def student_t(freedom: int) -> float:
    """Returns the 0.975 quantile of Student's t distribution.

    Abramowitz & Stegun 1964: the distribution is the finite sum 26.7.3 or 26.7.4, which bisection inverts; for many
    degrees of freedom, the quantile is the expansion 26.7.5, with an error below 1e-11.
    """
    if freedom > 200:
        return _expanded(freedom)
    low, high = 0.0, math.pi / 2
    for _ in range(60):
        angle = (low + high) / 2
        low, high = (angle, high) if _within(angle, freedom) < 0.95 else (low, angle)
    return math.sqrt(freedom) * math.tan((low + high) / 2)


def _within(angle: float, freedom: int) -> float:
    """Returns the probability that |t| is below sqrt(freedom) * tan(angle)."""
    cosine = math.cos(angle)
    odd = freedom % 2
    term = cosine if odd else 1.0
    total = 0.0
    for power in range(odd, freedom - 1, 2):
        total += term
        term *= (power + 1) / (power + 2) * cosine * cosine
    return 2 / math.pi * (angle + math.sin(angle) * total) if odd else math.sin(angle) * total


def _expanded(freedom: int) -> float:
    x = 1.959963984540054  # that quantile of the normal distribution
    terms = (x,
             (x**3 + x) / 4,
             (5 * x**5 + 16 * x**3 + 3 * x) / 96,
             (3 * x**7 + 19 * x**5 + 17 * x**3 - 15 * x) / 384,
             (79 * x**9 + 776 * x**7 + 1482 * x**5 - 1920 * x**3 - 945 * x) / 92160)
    return math.fsum(term / float(freedom) ** power for power, term in enumerate(terms))


def summary(values: Sequence[float]) -> list[float | None]:
    """Returns the values of NAMES: None where too few values define none.

    The deviation is that of a sample, the interval that of the mean, the quantiles are interpolated linearly.
    """
    count = len(values)
    if count == 0:
        return [0, *[None] * (len(NAMES) - 1)]
    center = mean(values)
    spread: list[float | None] = [None, None, None]
    if count > 1:
        deviation = math.sqrt(mean([(value - center) ** 2 for value in values]) * count / (count - 1))
        half = student_t(count - 1) * deviation / math.sqrt(count)
        spread = [deviation, center - half, center + half]
    with numpy.errstate(invalid="ignore"):
        return [count, center, *spread, *numpy.quantile(values, QUANTILES).tolist()]
