"""What the help desk can look up."""

import csv
from pathlib import Path

ORDERS = Path(__file__).parent / "data" / "orders.csv"


def order_status(order_id: str) -> dict[str, str]:
    """Where an order is and when it will arrive.

    Args:
        order_id: The order's number, such as B-2041.
    """
    with ORDERS.open(encoding="utf-8", newline="") as file:
        for order in csv.DictReader(file):
            if order["order"] == order_id.strip().upper():
                return order
    raise ValueError(f"there is no order {order_id}; ask the customer to check the number")
