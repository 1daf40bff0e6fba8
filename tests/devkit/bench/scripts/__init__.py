"""Programs that a measurement starts on its own, some of them in an environment of a peer's."""
