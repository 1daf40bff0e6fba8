"""A stand-in for Mainline on loopback: an OpenAI-compatible gateway that can be scripted, broken and asked what it saw.

``python -m tests.devkit.mainline --port N`` serves three families of routes in one process:

- ``/v1/...`` is the gateway: chat, decisions, embeddings, files and batches, and the Can use list;
- ``/search`` is a web search vendor over a small corpus of its own;
- ``/control/...`` is the way in for tests: scripted replies, faults, the clock, and every request received.

With nothing scripted, a demo model answers (``demo``). Nothing of this ships.
"""
