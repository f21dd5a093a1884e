"""What the agent can call."""

import json
from pathlib import Path

SHOPS = Path(__file__).parent / "data" / "shops.json"


def opening_hours(city: str) -> dict[str, str]:
    """Opening hours of the shop in a city.

    Args:
        city: Name of the city, such as Lisbon.
    """
    shops: dict[str, dict[str, str]] = json.loads(SHOPS.read_text(encoding="utf-8"))
    for name, hours in shops.items():
        if name.lower() == city.lower():
            return {"city": name, **hours}
    raise ValueError(f"there is no shop in {city}; there are shops in {', '.join(shops)}")
