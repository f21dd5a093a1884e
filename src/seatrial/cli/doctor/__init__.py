"""``seatrial doctor``: what there is, what is missing, and the line that mends it.

``machine`` looks at this computer, ``agent`` at what an agent file needs, ``online`` asks hosts; each gives findings.
Values of keys are never in them.
"""
