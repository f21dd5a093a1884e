"""The pytest plugin: the cases of an agent file as test items.

``hooks`` is loaded by every pytest in whose environment seatrial is; ``items``, and with it all else, only for
``--seatrial``. May import everything below the command line. pytest is there whenever this is loaded.
"""
