"""A conversation at the terminal.

``command`` shows the prompt before anything heavy is loaded; ``talk`` leads from lines to turns; ``conversation`` holds
agent and session; ``screen`` (prompt_toolkit) and ``lines`` are the two faces. Terminal control comes from
prompt_toolkit and rich only: nothing here writes escape sequences of its own.
"""
