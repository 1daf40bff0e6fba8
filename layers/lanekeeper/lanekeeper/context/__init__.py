"""The context: what the model is sent, in an order that never changes."""

from lanekeeper.context.prompt import model_input, turn_block

__all__ = ["model_input", "turn_block"]
