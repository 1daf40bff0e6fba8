"""What a person may choose from: the agents of this release, and the models of the moment."""

from collections.abc import Mapping

from lanekeeper.errors import Problem
from lanekeeper.limits import Limits
from lanekeeper.mainline.catalogue import DEFAULT, SETTING, Catalogue, parse_catalogue
from lanekeeper.postgres import Database
from lanekeeper.postgres.stored_setting import StoredSetting


class Choices:
    """The public catalogue: ids and names, nothing of what stands behind them.

    Args:
        agents: names by id. The first one answers when nobody else was asked for.
        database: where the models are set.
        limits: how long that setting is believed.
    """

    def __init__(self, agents: Mapping[str, str], database: Database, limits: Limits) -> None:
        self.agents = dict(agents)
        self._database = database
        self._models = StoredSetting(SETTING, parse_catalogue, DEFAULT, limits.setting_cache_s)

    @property
    def first_agent_id(self) -> str:
        """Who answers by default."""
        return next(iter(self.agents))

    async def models(self) -> Catalogue:
        """The models of the moment."""
        if self._models.fresh:
            return self._models.last
        async with self._database.transaction() as transaction:
            return await self._models.read(transaction)

    async def check(self, agent_id: str | None, model_id: str | None) -> None:
        """Refuse what is not there to be chosen.

        Raises:
            Problem: 422.
        """
        if agent_id is not None and agent_id not in self.agents:
            raise Problem(422, "unknown_agent", "There is no such agent.", "Choose one of GET /agents.")
        if model_id is not None and (await self.models()).find(model_id) is None:
            raise Problem(422, "unknown_model", "There is no such model.", "Choose one of GET /models.")
