"""The engine: one message of one person, from the inbox to the reply, and everything that keeps it safe."""
