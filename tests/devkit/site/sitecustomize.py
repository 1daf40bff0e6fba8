"""Python runs this at start-up in a fresh sandbox, whose path holds this folder: the dev kit's way in."""

import os

if os.environ.get("DEVKIT_CLOCK"):
    from tests.devkit import inside

    inside.prepare()
