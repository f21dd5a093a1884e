"""The rubrics: what each judge looks at, and what each level means."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal

PartName = Literal["question", "answer", "context", "ground_truth", "conversation", "instructions", "tools"]


@dataclass(frozen=True)
class Rubric:
    """What is judged and how. ``levels`` says in words what deserves each score; ``rules`` settles the hard cases."""

    name: str
    subject: str
    parts: tuple[PartName, ...]
    levels: Mapping[int, str]
    rules: str = ""

    @property
    def scale(self) -> tuple[int, int]:
        """The lowest and the highest score."""
        return min(self.levels), max(self.levels)


GROUNDEDNESS = Rubric(
    "groundedness",
    "whether everything that the ANSWER states can be found in the CONTEXT",
    ("question", "context", "answer"),
    {
        1: "The answer has nothing to do with the question or with the context.",
        2: "The answer tries to reply, but at least one of its statements is missing from the context or contradicts "
        "it.",
        3: "There is nothing to check: a courtesy, a question back, or an honest note that the context does not say.",
        4: "Every statement is in the context, but the answer leaves out details that the context has and the "
        "question asks for.",
        5: "Every statement is in the context and the answer gives all of it that the question asks for.",
    },
    "Compare with the context alone, not with what you know of the world: a statement that the context makes counts "
    "as supported even if it is wrong in reality, and a true one that the context does not make counts as "
    "unsupported. One added or altered fact, number or name is enough for 2.",
)

RELEVANCE = Rubric(
    "relevance",
    "how well the ANSWER addresses what the QUESTION asks",
    ("question", "answer"),
    {
        1: "The answer is about something else.",
        2: "The answer is on the subject but says nothing usable: vague talk, an error message, an evasion.",
        3: "The answer covers a part of what was asked and leaves an essential part open.",
        4: "The answer covers everything essential that was asked.",
        5: "The answer covers everything that was asked and adds what makes it useful, such as why it matters or what"
        " follows.",
    },
    "Judge the fit to the question, not whether the facts are true. Write a reason of 15 to 60 words.",
)

COHERENCE = Rubric(
    "coherence",
    "how well the sentences of the ANSWER hang together as a reply to the QUESTION",
    ("question", "answer"),
    {
        1: "The words make no sense together.",
        2: "Fragments that are hard to connect.",
        3: "The right pieces, joined abruptly or in an order that the reader has to repair.",
        4: "A clear order with fitting transitions; the thread is easy to follow.",
        5: "One seamless line of thought from the first sentence to the last.",
    },
    "Judge order and connection only, neither facts nor style. A single complete sentence that answers a simple "
    "question is coherent.",
)

FLUENCY = Rubric(
    "fluency",
    "the language of the ANSWER: grammar, choice of words, readability",
    ("answer",),
    {
        1: "Hardly readable.",
        2: "Frequent errors that make reading hard.",
        3: "Clear and plain, with few errors.",
        4: "Correct and varied, well phrased.",
        5: "Faultless and elegant, the work of a skilled writer.",
    },
    "Judge the language only, whatever language it is in, and not what is said.",
)

SIMILARITY = Rubric(
    "similarity",
    "how far the ANSWER says the same as the GROUND TRUTH in reply to the QUESTION",
    ("question", "answer", "ground_truth"),
    {
        1: "It says something different.",
        2: "It shares the subject, but little of what is said.",
        3: "About half of what is said agrees; something important is missing, added or wrong.",
        4: "It says nearly the same; only minor points differ.",
        5: "It says the same.",
    },
    "Wording, order and length do not matter, what is said does. Examples for the ground truth 'The parcel leaves on "
    "3 May and takes two days': 'It ships on 3 May and arrives after two days' is 5; 'It ships on 3 May, delivery "
    "takes a short while' is 4; 'It ships on 3 May' is 3; 'Parcels usually ship within a week' is 2; 'You can return "
    "it for free' is 1.",
)

RESPONSE_COMPLETENESS = Rubric(
    "response_completeness",
    "how much of what the GROUND TRUTH states is also, and rightly, stated by the ANSWER",
    ("answer", "ground_truth"),
    {
        1: "None of its statements is there and right.",
        2: "A few are.",
        3: "About half are.",
        4: "Most are; only minor ones are missing.",
        5: "All are.",
    },
    "First split the ground truth into single statements, then look for each in the answer. What the answer says "
    "beyond them is not punished.",
)

INTENT_RESOLUTION = Rubric(
    "intent_resolution",
    "whether the agent's last reply in the CONVERSATION settles what the user wants",
    ("conversation", "tools"),
    {
        1: "The user's wish is ignored.",
        2: "The reply is wrong, or unlikely to satisfy the user.",
        3: "The core of the wish is met, with notable gaps.",
        4: "The wish is met but for small gaps.",
        5: "The wish is met fully.",
    },
    "Take the wish as it is plainly meant. Style decides only between two levels that are otherwise equal. A question"
    " back that is truly needed to go on can settle the wish for now.",
)

TOOL_CALL_ACCURACY = Rubric(
    "tool_call_accuracy",
    "the tool calls in the CONVERSATION, all taken together: whether they were the right ones with the right arguments",
    ("conversation", "tools"),
    {
        1: "The calls have nothing to do with what the user wants.",
        2: "The calls are on the subject, but arguments are wrong or invented, needed calls are missing, or an error "
        "was never recovered from.",
        3: "The right calls with the right arguments, some of them repeated without need.",
        4: "The right calls with the right arguments, after an error that was tried again.",
        5: "Exactly the calls that were needed, with the right arguments and without an error.",
    },
    "An argument that neither the user nor an earlier result supplies is invented, and any invented argument means 2."
    " Judge the calls against the definitions in TOOLS.",
)

TASK_ADHERENCE = Rubric(
    "task_adherence",
    "whether the agent in the CONVERSATION kept to its task and its INSTRUCTIONS",
    ("instructions", "conversation", "tools"),
    {
        0: "A material failure: of the goal (outside its scope, what was to be delivered is missing, claims that no "
        "tool result supports), of the rules (safety, privacy, a strict format such as 'exactly three'), or of the"
        " procedure (wrong order, a tool that was not approved, the same call again and again, errors hidden from "
        "the user).",
        1: "No material failure.",
    },
    "Small flaws are no material failure. When in doubt, give 1.",
)

RUBRICS: Mapping[str, Rubric] = {
    rubric.name: rubric
    for rubric in (
        GROUNDEDNESS,
        RELEVANCE,
        COHERENCE,
        FLUENCY,
        SIMILARITY,
        RESPONSE_COMPLETENESS,
        INTENT_RESOLUTION,
        TOOL_CALL_ACCURACY,
        TASK_ADHERENCE,
    )
}
