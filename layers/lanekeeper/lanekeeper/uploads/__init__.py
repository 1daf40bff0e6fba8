"""Uploads: pictures and files that people hand over, in quarantine until a worker has looked at them."""

from lanekeeper.uploads.rules import Attachment, Given
from lanekeeper.uploads.store import Uploads

__all__ = ["Attachment", "Given", "Uploads"]
