"""The study's measurements."""

import csv
from pathlib import Path

MEASUREMENTS = Path(__file__).parent / "data" / "measurements.csv"


def measurement(month: str) -> dict[str, str]:
    """What was measured in a month: the mean of all stations.

    Args:
        month: The month's English name, such as July.
    """
    with MEASUREMENTS.open(encoding="utf-8", newline="") as file:
        rows = list(csv.DictReader(file))
    for row in rows:
        if row["month"].lower() == month.strip().lower():
            return row
    raise ValueError(f"nothing was measured in {month}; there are values for {', '.join(row['month'] for row in rows)}")
