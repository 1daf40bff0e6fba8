"""The ledger: what every model call cost, which limits were hit, and the exact requests of a sample of turns."""
