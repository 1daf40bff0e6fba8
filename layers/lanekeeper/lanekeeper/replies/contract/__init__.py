"""The output contract: what may leave, decided while the text is still being written (E5, E2).

Nothing here changes a text or cuts one in two. What is proven harmless goes out at once, what could still become
a link, a secret, an image and the like waits for the word that decides it, and from a fault on nothing goes out.
"""

from lanekeeper.replies.contract.breaks import BREAK, MARK, Breaks, joined
from lanekeeper.replies.contract.contract import REASONS, Contract
from lanekeeper.replies.contract.facts import Known
from lanekeeper.replies.contract.language import Script
from lanekeeper.replies.contract.message import Rules

__all__ = ["BREAK", "MARK", "REASONS", "Breaks", "Contract", "Known", "Rules", "Script", "joined"]
