"""``python -m seatrial`` and the console script."""

from __future__ import annotations

from seatrial.cli.main import main

if __name__ == "__main__":
    main()
