"""Other words for a word, on the side of the search alone (R1)."""

import unicodedata

from lanekeeper.memory.aliases import aliases
from lanekeeper.memory.recall import parameters


def test_words_for_one_thing_stand_for_each_other_and_a_narrow_one_never_for_its_neighbour_r1() -> None:
    assert "mother" in aliases()["mum"]
    assert "mum" in aliases()["mother"]
    assert {"dog", "cat"} <= set(aliases()["pet"])
    assert "cat" not in aliases().get("dog", ())
    assert "brother" not in aliases().get("sister", ())


def test_a_word_is_known_whatever_stands_beside_it() -> None:
    assert "mother" in parameters("Where's MUM?", aliases=aliases())["aliases"]
    assert "anniversaire" not in parameters("l'anniversaire", aliases=aliases())["aliases"]
    assert "naissance" in parameters("c'est quand, l'anniversaire ?", aliases=aliases())["aliases"]
    assert parameters("nothing of the kind", aliases=aliases())["aliases"] == []


def test_every_word_is_written_as_the_search_folds_it() -> None:
    words = {*aliases(), *(other for others in aliases().values() for other in others)}
    assert all(word == unicodedata.normalize("NFC", word.casefold()) and word.isascii() for word in words)
