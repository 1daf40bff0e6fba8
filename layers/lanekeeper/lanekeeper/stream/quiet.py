"""Comments for the silence between events: what lies in a buffer on the way is pushed on, and nobody hangs up."""

import asyncio
from collections.abc import AsyncGenerator, AsyncIterator

from lanekeeper.limits import Limits
from lanekeeper.stream.rules import FLUSH, KEEP_ALIVE


async def with_comments(blocks: AsyncIterator[bytes], limits: Limits) -> AsyncGenerator[bytes]:
    """The blocks, with a comment soon after a block that none follows, and then one as long as nothing comes.

    Small writes may be held back on their way until the next one; the first comment is that next one.
    """
    flushed = False
    coming = asyncio.ensure_future(anext(blocks, None))
    try:
        while True:
            silence_s = limits.keep_alive_s if flushed else limits.flush_comment_ms / 1000
            await asyncio.wait({coming}, timeout=silence_s)
            if not coming.done():
                yield KEEP_ALIVE if flushed else FLUSH
                flushed = True
            elif (block := coming.result()) is None:
                return
            else:
                coming = asyncio.ensure_future(anext(blocks, None))
                yield block
                flushed = False
    finally:
        coming.cancel()
        await asyncio.wait({coming})
