"""Fast decisions: what a message is, judged before the graph runs, and which of it code acts on (D1, D2, D5, D6)."""

from lanekeeper.decisions.rules import Act, Plan, Policy
from lanekeeper.decisions.verdicts import Source, Verdicts

__all__ = ["Act", "Plan", "Policy", "Source", "Verdicts"]
