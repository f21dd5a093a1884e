"""Tools of MCP servers.

`settings` says how a server is reached, `connection` is one live connection (only it and what it imports load the
``mcp`` package), `server` keeps a connection alive over a run and offers its tools. Imports `core` and `errors` alone.
"""
