"""Who asks for something to be forgotten, and who only speaks of forgetting (W4)."""

import pytest

from lanekeeper.memory.wishes import asks_to_forget

WISHES = [
    "forget my sister's name",
    "Please forget that I like tea.",
    "can you forget what I told you about my job?",
    "Thanks. Now forget my address!",
    "I want you to forget my birthday",
    "don't remember that anymore",
    "stop remembering where I live",
    "delete what you know about my sister",
    "could you remove the note about my dog",
    "Vergiss bitte den Namen meiner Schwester",
    "kannst du meine Adresse vergessen?",
    "Lösche die Notiz über meinen Hund",
    "Merk dir das nicht mehr",
    "olvida el nombre de mi hermana",
    "¿puedes olvidar mi dirección?",
    "quiero que olvides mi cumpleaños",
    "borra la nota sobre mi perro",
    "oublie le prénom de ma sœur",
    "s'il te plaît, oublie mon adresse",
    "peux-tu oublier mon adresse ?",
    "efface ce que tu sais de ma sœur",
    "dimentica il nome di mia sorella",
    "puoi dimenticare il mio indirizzo?",
    "esqueça o nome da minha irmã",
    "podes esquecer a minha morada?",
    "vergeet de naam van mijn zus",
    "kun je mijn adres vergeten?",
    "妹の名前は忘れてください",
    "妹の名前を忘れて。",
    "请忘掉我妹妹的名字",
    "把我的地址忘了",
    "删除关于我妹妹的记忆",
]

NO_WISHES = [
    "what is my sister called?",
    "don't forget that I am vegetarian",
    "never forget my sister's name",
    "I forget my sister's name, what was it?",
    "I always forget my keys",
    "sorry, I forgot what you said",
    "did you forget me?",
    "how do I delete a note in my calendar",
    "remember that I like tea",
    "I don't remember what I told you about my sister",
    "remove the crusts from the bread",
    "vergiss nicht, dass ich Vegetarier bin",
    "ich vergesse immer den Namen meiner Schwester, wie hieß sie?",
    "no olvides que soy vegetariano",
    "olvidé el nombre de mi hermana",
    "n'oublie pas que je suis végétarien",
    "j'oublie toujours le nom de ma sœur",
    "non dimenticare che sono vegetariano",
    "esqueci o nome da minha irmã",
    "não esqueças que sou vegetariano",
    "vergeet niet dat ik vegetariër ben",
    "ik vergeet altijd de naam van mijn zus",
    "妹の名前を忘れてしまった",
    "私がベジタリアンだと忘れないで",
    "我忘了我妹妹叫什么",
    "别忘了我吃素",
    "不要忘记我对花生过敏",
    "",
]


@pytest.mark.parametrize("text", WISHES)
def test_a_wish_to_have_something_forgotten_is_known_in_nine_languages_w4(text: str) -> None:
    assert asks_to_forget(text)
    assert asks_to_forget(text.upper())


@pytest.mark.parametrize("text", NO_WISHES)
def test_who_only_speaks_of_forgetting_keeps_what_memory_holds(text: str) -> None:
    assert not asks_to_forget(text)


def test_a_wish_is_found_at_either_end_of_a_long_text() -> None:
    page = "The quick brown fox jumps over the lazy dog. " * 2_000
    assert asks_to_forget(f"Forget my address. {page}")
    assert asks_to_forget(f"{page} And please forget my address.")
    assert not asks_to_forget(page)
