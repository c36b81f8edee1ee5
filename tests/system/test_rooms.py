"""A whole matter in rooms, in a real browser."""

from collections.abc import Iterator

import pytest

from tests.support import room_story
from tests.support.browsing import chromium, needs_browser
from tests.support.room_story import Story

pytestmark = [pytest.mark.slow, needs_browser]


@pytest.fixture(scope="module")
def story(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Story]:
    with chromium() as browser, room_story.played(tmp_path_factory.mktemp("rooms") / "all", browser) as found:
        yield found


@pytest.mark.parametrize("audience", room_story.AUDIENCES)
def test_every_copy_is_verified(story: Story, audience: str) -> None:
    found = story.verdict(audience)
    assert (found["verdict"], found["findings"], found["blamed"]) == ("verified", [], [])
