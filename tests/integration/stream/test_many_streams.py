"""A hundred streams at once lose nothing."""

import os

import pytest

from tests.devkit import bench_relay


@pytest.mark.slow
@pytest.mark.parametrize("way", ["notify", "poll"])
def test_a_hundred_streams_lose_nothing(way: str, database_url: str) -> None:
    figures = bench_relay.run(database_url, os.getpid(), way, streams=100, seconds=3)
    assert figures["complete_streams"] == 100
    assert (figures["lost_chunks"], figures["lost_tokens"]) == (0, 0)
