"""The floor: the same agent answered straight from the request, without a queue, a lane or rows to stream through.

What it leaves out is what Lanekeeper is for: a crash loses the message and the reply, and two messages of one
person run at once. Paths are the Agent Protocol's, as Aegra's.
"""

import json
import os
import uuid
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

from agent_graph import build
from fastapi import FastAPI, Request
from fastapi.responses import StreamingResponse
from langgraph.checkpoint.postgres.aio import AsyncPostgresSaver
from psycopg.rows import dict_row
from psycopg_pool import AsyncConnectionPool

served: dict[str, Any] = {}


@asynccontextmanager
async def lifespan(_: FastAPI) -> AsyncIterator[None]:
    settings = {"autocommit": True, "prepare_threshold": 0, "row_factory": dict_row}
    async with AsyncConnectionPool(os.environ["FLOOR_DATABASE_URL"], min_size=4, max_size=20, kwargs=settings) as pool:
        saver = AsyncPostgresSaver(pool)
        await saver.setup()
        served["graph"] = build(saver)
        yield


app = FastAPI(lifespan=lifespan)


@app.post("/threads")
async def create_thread() -> dict[str, str]:
    return {"thread_id": str(uuid.uuid4())}


@app.post("/threads/{thread_id}/runs/stream")
async def stream_run(thread_id: str, request: Request) -> StreamingResponse:
    body = await request.json()

    async def events() -> AsyncIterator[str]:
        yield 'event: metadata\ndata: {"run_id": "run"}\n\n'
        config = {"configurable": {"thread_id": thread_id}}
        async for chunk, _ in served["graph"].astream(body["input"], config, stream_mode="messages"):
            if chunk.content:
                yield f"event: messages\ndata: {json.dumps([{'content': chunk.content}])}\n\n"

    return StreamingResponse(events(), media_type="text/event-stream")
