"""The slash commands by name, with what they do; light, because they are proposed before anything else is loaded."""

from __future__ import annotations

SUMMARIES = {
    "help": "what can be entered here",
    "tools": "the agent's tools",
    "model": "which model answers; /model PROVIDER:NAME changes it, the conversation stays",
    "usage": "tokens and cost until now",
    "reset": "begin anew",
    "save": "/save NAME makes the conversation a test case of the agent file; --answer adds the last answer",
    "load": "/load NAME asks what a test case asks; without a name it lists the cases",
    "files": "/files PATH... goes with the next message, as @PATH in it does; /files clear",
    "trace": "the last turn in full; /trace on and /trace off: every turn, with reasoning",
    "quit": "leave (or Ctrl-D)",
}

KEYS = (
    "Enter sends; Alt-Enter or a backslash at the end of a line goes on in a new one.\n"
    "Up and Ctrl-R find what was entered before; Tab completes commands, and files behind @.\n"
    "Ctrl-C stops the answer, a second one leaves. What you enter meanwhile is told the agent before its next step."
)
