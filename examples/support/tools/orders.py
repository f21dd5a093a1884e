"""The shop's orders. Here they stand in a file; in a real shop this would ask its database."""

import json
from pathlib import Path

ORDERS = Path(__file__).with_name("orders.json")


def order_status(order_id: str) -> dict:
    """Tells where an order is and when it arrives.

    Args:
        order_id: Order number such as A-1001
    """
    orders = json.loads(ORDERS.read_text(encoding="utf-8"))
    order = orders.get(order_id.upper())
    if order is None:
        raise LookupError(f"there is no order {order_id}")
    return {"order": order_id.upper(), **order}
