"""The web: searching it. Pages are never opened."""

from lanekeeper.limits import Limits
from lanekeeper.settings import Settings
from lanekeeper.tools import AnyTool

__all__ = ["tools"]


def tools(settings: Settings, limits: Limits) -> list[AnyTool]:
    """The area's tools.

    Raises:
        SettingsError: no search vendor is set.
    """
    from toolsets.web.search import web_search
    from toolsets.web.vendor import SearchVendor

    settings.require("search_base_url")
    return [web_search(SearchVendor(settings.search_base_url, settings.search_key, limits), limits)]
