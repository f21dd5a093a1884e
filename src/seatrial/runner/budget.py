"""What a run may spend, counted over all its trials, earlier parts included."""

from __future__ import annotations

from dataclasses import dataclass

from seatrial.errors import ConfigError
from seatrial.runs.records import Tally, TrialRecord

MAX_COST = "max_cost"
MAX_TOKENS = "max_tokens"
UNKNOWN_COST = "unknown_cost"


@dataclass(frozen=True, slots=True)
class Budget:
    """The bounds of one run; None is no bound. Tokens are input and output together."""

    max_cost_usd: float | None = None
    max_tokens: int | None = None

    def refuse_unknown_prices(self, models: dict[str, bool]) -> None:
        """Raises `ConfigError` when money cannot be counted: ``models`` says of each whether its price is known."""
        unknown = [name for name, is_known in models.items() if not is_known]
        if self.max_cost_usd is not None and unknown:
            raise ConfigError(
                f"--max-cost cannot be kept: the price of {', '.join(unknown)} is unknown",
                hint="add the model's prices to the catalogue of models, or use --max-tokens",
            )


NO_BUDGET = Budget()


class Spending:
    """Counts what finished trials have cost, and says when to stop.

    A trial begins only while what is spent, and what those under way will probably cost, leaves room for another.
    """

    def __init__(self, budget: Budget, before: Tally) -> None:
        self._budget = budget
        self._cost_usd = before.cost_usd
        self._tokens = before.input_tokens + before.output_tokens
        self._counted = before.checked + before.unchecked
        self._under_way = 0

    def reason_to_stop(self) -> str | None:
        """Why no further trial may begin, None while one may. The one that begins is counted as under way."""
        if self._is_used_up(self._cost_usd, self._budget.max_cost_usd):
            return MAX_COST
        if self._is_used_up(self._tokens, self._budget.max_tokens):
            return MAX_TOKENS
        self._under_way += 1
        return None

    def count(self, trial: TrialRecord) -> str | None:
        """Adds a finished trial; why the run must end now, None while it may go on."""
        self._under_way -= 1
        self._counted += 1
        usage, cost_usd = trial.total
        self._tokens += usage.input_tokens + usage.output_tokens
        self._cost_usd += cost_usd or 0.0
        if self._budget.max_cost_usd is None or cost_usd is not None:
            return None
        is_unpaid = usage.requests == 0 or (trial.error is not None and trial.error.kind == "provider")
        return None if is_unpaid else UNKNOWN_COST

    def _is_used_up(self, spent: float, limit: float | None) -> bool:
        if limit is None:
            return False
        each = spent / self._counted if self._counted else 0.0
        return spent + each * self._under_way >= limit
