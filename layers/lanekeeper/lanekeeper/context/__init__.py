"""The context: what the model is sent, in an order that never changes."""

from lanekeeper.context.fill import Fill
from lanekeeper.context.profile import Profile
from lanekeeper.context.prompt import ModelInput, model_input
from lanekeeper.context.turn_only import turn_block, turn_only

__all__ = ["Fill", "ModelInput", "Profile", "model_input", "turn_block", "turn_only"]
