"""The accept function: every JSON route and the page's files. It answers at once; the work is done elsewhere."""

from lanekeeper.accept.app import Services, build_app
from lanekeeper.accept.gateway import Gateway

__all__ = ["Gateway", "Services", "build_app"]
