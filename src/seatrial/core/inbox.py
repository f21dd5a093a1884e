"""What a person says while a run goes on."""

from __future__ import annotations

from collections import deque

from seatrial.core.messages import UserMessage


class Inbox:
    """Steering messages go in before the next request, follow-ups only when the run would stop. Thread-safe."""

    def __init__(self) -> None:
        self._steering: deque[UserMessage] = deque()
        self._follow_ups: deque[UserMessage] = deque()

    def steer(self, message: UserMessage) -> None:
        """Leaves a message for the next request."""
        self._steering.append(message)

    def follow_up(self, message: UserMessage) -> None:
        """Leaves a message for the time when the run would stop."""
        self._follow_ups.append(message)

    def take_steering(self) -> list[UserMessage]:
        """All steering messages, in order; they are gone from here."""
        return [self._steering.popleft() for _ in range(len(self._steering))]

    def take_next(self) -> list[UserMessage]:
        """What keeps a run going that would stop: all steering messages, else the first follow-up."""
        steering = self.take_steering()
        if steering or not self._follow_ups:
            return steering
        return [self._follow_ups.popleft()]

    def waiting(self) -> tuple[UserMessage, ...]:
        """What is still here."""
        return (*self._steering, *self._follow_ups)
