"""Timers: what is to happen later without anyone asking for it, one row a thing and kind (C3, W3, P4)."""
