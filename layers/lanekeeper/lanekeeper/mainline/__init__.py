"""Mainline: the one way to a model. Nothing else holds its key or names a provider.

The core (``client``, ``catalogue``, ``errors``) needs httpx alone. ``langchain`` and ``messages`` put LangChain's
chat model on top of it, for the graph.
"""
