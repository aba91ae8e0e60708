"""One small module a service: which requests give the source's data, in which order, and where they end.

Each has `ask(client, source, now)`, which yields the answers as they come, and `made_at(document)`, the time that an
answer itself names, where the service does that.
"""
