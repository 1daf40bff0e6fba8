"""Memory: what a person said, kept as notes of one fact each, and the search that brings the right ones back (W, R)."""
