"""What operators change without a deploy: models, prices, each agent's prompt, thresholds (B10, Q3)."""

from collections.abc import Mapping
from dataclasses import dataclass, replace

from lanekeeper.context import versions
from lanekeeper.decisions import Policy
from lanekeeper.decisions import rules as decisions
from lanekeeper.ledger.prices import stored_prices
from lanekeeper.ledger.rules import Prices
from lanekeeper.limits import Limits
from lanekeeper.mainline.catalogue import DEFAULT, SETTING, Catalogue, parse_catalogue
from lanekeeper.postgres import Database
from lanekeeper.postgres.stored_setting import StoredSetting
from lanekeeper.tools import Agent
from lanekeeper.turn.intake import Turn


@dataclass(frozen=True, slots=True)
class ForAll:
    """What is the same for all agents."""

    catalogue: Catalogue
    prices: Prices
    policy: Policy


@dataclass(frozen=True, slots=True)
class InForce(ForAll):
    """What one turn runs by, from its beginning to its end."""

    agent: Agent


class OperatorSettings:
    """The settings, each believed for a few seconds.

    Args:
        agents: the agents there are, by id.
        limits: for how long a setting is believed.
    """

    def __init__(self, agents: Mapping[str, Agent], limits: Limits) -> None:
        self._agents = agents
        self._catalogue = StoredSetting(SETTING, parse_catalogue, DEFAULT, limits.setting_cache_s)
        self._prices = stored_prices(limits)
        self._policy = StoredSetting(decisions.SETTING, decisions.parse_policy, Policy(), limits.setting_cache_s)
        self._versions = StoredSetting(
            versions.SETTING, versions.parse_versions, versions.NEWEST, limits.setting_cache_s
        )

    async def read(self, database: Database, turn: Turn) -> InForce:
        """What is in force for a turn that begins now."""
        all_ = await self.for_all(database, turn.hold.user_id)
        # An agent that was taken off the list never strands a conversation.
        agent = self._agents.get(turn.agent_id) or next(iter(self._agents.values()))
        prompt = versions.in_force(self._versions.last, agent.id, agent.prompt, agent.find_prompt)
        if prompt is not agent.prompt:
            agent = replace(agent, prompt=prompt)
        return InForce(all_.catalogue, all_.prices, all_.policy, agent)

    async def for_all(self, database: Database, user_id: str) -> ForAll:
        """What is in force for work that no agent does."""
        stored = (self._catalogue, self._prices, self._policy, self._versions)
        if not all(setting.fresh for setting in stored):
            async with database.transaction(user_id=user_id) as transaction:
                for setting in stored:
                    await setting.read(transaction)
        return ForAll(self._catalogue.last, self._prices.last, self._policy.last)
