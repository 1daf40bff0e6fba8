"""Estimates of tokens: never far too low, and corrected by what providers count (B070)."""

import base64

import pytest
from langchain_core.messages import HumanMessage

from lanekeeper.mainline.body import chat_body
from lanekeeper.mainline.messages import to_wire
from lanekeeper.mainline.text import dumps
from lanekeeper.mainline.tokens import IMAGE_TOKENS, Corrections, estimate

# What o200k_base and cl100k_base make of each: the larger count of the two.
COUNTED = [
    ("The quick brown fox jumps over the lazy dog, and nobody in the village knows why.", 18),
    ("她周末常去北京西边散步，顺便买点新鲜水果回家。", 31),  # noqa: RUF001 - a Chinese comma
    ("新しい靴を買いましたが、サイズが少し小さいです。", 22),
    ("여행을 좋아해서 매년 새로운 나라에 갑니다.", 24),
    ("Она часто гуляет в парке по выходным.", 18),
    ("เธอชอบเดินเล่นในสวนสาธารณะทุกวันหยุด", 35),
    ("वह अक्सर सप्ताहांत में पार्क में टहलती है।", 40),
    ("هي تمشي كثيرا في الحديقة في عطلة نهاية الأسبوع.", 32),
    ("🎉🎂🥳👍", 12),
    ('{"type":"function","function":{"name":"web_search","description":"Looks on the web."}}', 20),
]


@pytest.mark.parametrize(("text", "counted"), COUNTED)
def test_no_script_is_undercounted_b070(text: str, counted: int) -> None:
    assert counted <= estimate(text) <= counted * 1.7


def test_b070_a_chinese_text_counts_more_than_five_times_an_english_one_of_that_length() -> None:
    assert estimate("a" * 1000) == 250
    assert estimate("京" * 1000) == 1400


def test_an_image_costs_the_same_whatever_its_file_weighs() -> None:
    def request(size: int, count: int = 1) -> str:
        image = {"type": "image", "base64": base64.b64encode(bytes(size)).decode(), "mime_type": "image/png"}
        return dumps(chat_body(to_wire([HumanMessage([{"type": "text", "text": "Look"}, *[image] * count])])))

    small, large = estimate(request(100)), estimate(request(3_000_000))
    assert small == large
    assert IMAGE_TOKENS < small < IMAGE_TOKENS + 100
    assert estimate(request(100, 3)) - small == pytest.approx(2 * IMAGE_TOKENS, abs=60)


def test_an_image_by_its_address_costs_the_same_too() -> None:
    linked = dumps(to_wire([HumanMessage([{"type": "image", "url": "https://example.org/owl.png"}])]))
    assert IMAGE_TOKENS < estimate(linked) < IMAGE_TOKENS + 50


def test_who_writes_about_images_is_not_charged_for_any() -> None:
    talk = dumps(to_wire([HumanMessage('In JSON it is "image_url":{"url":"data:image/png;base64,AA=="}')]))
    assert estimate(talk) < 40


def test_tool_definitions_are_counted_with_the_request() -> None:
    tool = {"type": "function", "function": {"name": "web_search", "description": "Looks on the web. " * 20}}
    with_tool, without = (dumps(chat_body([], tools=tools)) for tools in ([tool], []))
    assert estimate(with_tool) - estimate(without) >= len(dumps(tool)) // 4


def test_a_providers_count_corrects_the_next_estimate_of_that_model_b070() -> None:
    corrections = Corrections()
    assert corrections.corrected("small", 1000) == 1000
    corrections.learn("small", 1000, 1500)
    assert corrections.corrected("small", 1000) == 1500
    assert corrections.corrected("large", 1000) == 1000
    for _ in range(20):
        corrections.learn("small", corrections.corrected("small", 1000), 1200)
    assert corrections.corrected("small", 1000) == pytest.approx(1200, abs=5)


@pytest.mark.parametrize(("reported", "factor"), [(0, 1.0), (1, 0.5), (10**9, 3.0)])
def test_a_count_that_cannot_be_is_believed_within_bounds(reported: int, factor: float) -> None:
    corrections = Corrections()
    corrections.learn("small", 1000, reported)
    assert corrections.corrected("small", 1000) == 1000 * factor
    corrections.learn("large", 0, 10)
    assert corrections.corrected("large", 10) == 10
