"""Pictures and files in the web chat (D3, D4): chosen, checked, sent, seen again, and turned away in plain words."""

import json

import pytest
from playwright.async_api import FilePayload, expect

from tests.browser.conftest import Visit
from tests.devkit import samples

pytestmark = pytest.mark.browser

CAT: FilePayload = {"name": "cat.png", "mimeType": "image/png", "buffer": samples.png(40, 40)}
SONG: FilePayload = {"name": "song.mp3", "mimeType": "audio/mpeg", "buffer": b"ID3\x04\0\0"}
PLAN: FilePayload = {"name": "plan.pdf", "mimeType": "application/pdf", "buffer": samples.pdf("Meet at noon.")}


async def test_a_picture_and_a_file_go_along_with_a_message_and_are_there_after_a_reload(visit: Visit) -> None:
    visitor = await visit()
    await visitor.model({"text": "A cat, and noon."})
    chooser = visitor.page.get_by_label("Files to attach")
    await chooser.set_input_files([CAT, PLAN])
    chips = visitor.page.locator(".attachment")
    await expect(chips).to_have_count(2)
    await expect(chips.get_by_text("Ready")).to_have_count(2, timeout=20_000)
    await visitor.write("What is this?")
    await expect(chips).to_have_count(0)
    await expect(visitor.replies).to_contain_text("A cat, and noon.", timeout=20_000)
    await visitor.settled()
    for _ in range(2):
        picture = visitor.page.get_by_alt_text("cat.png")
        await expect(picture).to_be_visible()
        assert await picture.evaluate("image => image.naturalWidth") == 40
        await expect(visitor.page.get_by_role("button", name="plan.pdf")).to_be_visible()
        await visitor.page.reload()
    async with visitor.page.expect_download() as saved:
        await visitor.page.get_by_role("button", name="plan.pdf").click()
    assert (await (await saved.value).path()).read_bytes() == samples.pdf("Meet at noon.")
    request = (await visitor.system.requests(visitor.sub))[-1]
    written = json.dumps(request["body"]["messages"])
    assert "data:image/png;base64," in written
    assert "Meet at noon." in written


async def test_a_refused_file_stays_in_sight_when_the_words_are_sent(visit: Visit) -> None:
    visitor = await visit()
    visitor.expected = "415"
    await visitor.model({"text": "Go on."})
    await visitor.page.get_by_label("Files to attach").set_input_files([CAT, SONG])
    chips = visitor.page.locator(".attachment")
    await expect(chips.filter(has_text="cat.png")).to_contain_text("Ready", timeout=20_000)
    await expect(chips.filter(has_text="song.mp3")).to_contain_text("cannot be read here")
    await visitor.write("Look and listen")
    await expect(visitor.replies).to_contain_text("Go on.", timeout=20_000)
    await expect(chips).to_have_count(1)
    await expect(chips).to_contain_text("song.mp3")
    await expect(chips).to_contain_text("Not sent with your message. This kind of file cannot be read here.")
    await expect(visitor.page.get_by_alt_text("cat.png")).to_be_visible()
    await expect(visitor.page.get_by_role("button", name="Send")).to_be_disabled()
    await visitor.page.get_by_role("button", name="Remove song.mp3").click()
    await expect(chips).to_have_count(0)


async def test_a_picture_alone_stands_at_the_edge_of_ones_own_messages_and_at_the_end(visit: Visit) -> None:
    visitor = await visit()
    await visitor.model({"text": "\n\n".join(f"Line {n}" for n in range(60))}, {"text": "A wall.", "delay_s": 3})
    await visitor.write("hello")
    await expect(visitor.replies).to_contain_text("Line 59")
    await visitor.settled()
    wall: FilePayload = {"name": "wall.png", "mimeType": "image/png", "buffer": samples.png(900, 700)}
    await visitor.page.get_by_label("Files to attach").set_input_files(wall)
    await expect(visitor.page.locator(".attachment")).to_contain_text("Ready", timeout=20_000)
    await visitor.page.get_by_role("button", name="Send").click()
    picture = visitor.page.get_by_alt_text("wall.png")
    await expect(picture).to_be_in_viewport(ratio=1)
    await expect(visitor.page.get_by_role("button", name="Go to the latest message")).to_have_count(0)
    ends = [await each.evaluate("box => box.getBoundingClientRect().right") for each in (picture, visitor.mine.first)]
    assert abs(ends[0] - ends[1]) < 1
    shape = await picture.evaluate("image => image.clientWidth / image.clientHeight")
    assert abs(shape - 900 / 700) < 0.02
    await expect(visitor.replies.last).to_contain_text("A wall.", timeout=20_000)
    await expect(visitor.replies.last).to_be_in_viewport()


@pytest.mark.parametrize("height", [844, 480])
async def test_many_refused_files_leave_room_for_the_conversation(visit: Visit, height: int) -> None:
    visitor = await visit(signed_in=False, viewport={"width": 390, "height": height})
    visitor.expected = "415"
    await visitor.page.get_by_label("Your name").fill(visitor.sub)
    await visitor.page.get_by_role("button", name="Start chatting").click()
    songs: list[FilePayload] = [{**SONG, "name": f"song {n}.mp3"} for n in range(8)]
    await visitor.page.get_by_label("Files to attach").set_input_files([CAT, *songs])
    await expect(visitor.page.get_by_text("This kind of file cannot be read here.")).to_have_count(8)
    files = visitor.page.get_by_role("list", name="Files to send")
    assert await files.evaluate("list => list.scrollHeight > list.clientHeight && list.clientHeight < innerHeight / 4")
    assert await visitor.page.evaluate("document.scrollingElement.scrollHeight - innerHeight") == 0
    await expect(visitor.page.locator(".attachment").first).to_contain_text("song 0.mp3")
    last = visitor.page.get_by_role("button", name="Remove song 7.mp3")
    await last.click()
    await expect(last).to_have_count(0)


async def test_sending_waits_for_the_check_and_a_refusal_says_why(visit: Visit) -> None:
    visitor = await visit()
    answers = {"image_sensitive": 0.95}
    await visitor.system.dev("decisions", {"sub": visitor.sub, "answers": answers, "delay_s": 1})
    await visitor.page.get_by_role("textbox", name="Message").fill("Look")
    await visitor.page.get_by_label("Files to attach").set_input_files(CAT)
    send = visitor.page.get_by_role("button", name="Send")
    await expect(send).to_be_disabled()
    chip = visitor.page.locator(".attachment")
    await expect(chip).to_contain_text("Please do not share it here", timeout=20_000)
    await expect(send).to_be_enabled()
    await visitor.page.get_by_role("button", name="Remove cat.png").click()
    await expect(chip).to_have_count(0)
    await visitor.page.get_by_label("Files to attach").set_input_files(SONG)
    visitor.expected = "415"
    await expect(chip).to_contain_text("This kind of file cannot be read here.")
    assert await visitor.read() == []
