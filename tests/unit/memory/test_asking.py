"""Who asks for something to be kept, and who only speaks of remembering (W5)."""

import pytest

from lanekeeper.memory.asking import asks_to_keep


@pytest.mark.parametrize(
    "said",
    [
        "Remember that I am allergic to nuts",
        "I am allergic to nuts, please remember that",
        "note down: I take insulin at eight",
        "Don't forget I'm diabetic!",
        "Could you keep in mind that I have asthma?",
        "I want you to know that I am pregnant",
        "Merk dir bitte, dass ich Diabetes habe",
        "Ich bin schwanger. Kannst du dir das merken?",
        "Bitte vergiss nicht, dass ich Asthma habe",
        "Recuerda que soy diabético",
        "¿Puedes anotar que tengo asma?",
        "Souviens-toi que je suis enceinte",
        "Je suis diabétique, n'oublie pas",
        "Ricordati che sono celiaco",
        "Puoi segnarti che ho l'asma?",
        "Lembra-te que sou diabético",
        "Podes anotar que tenho asma?",
        "Onthoud dat ik astma heb",
        "Kun je onthouden dat ik zwanger ben?",
        "糖尿病だと覚えておいてください",
        "アレルギーがあります。メモしておいて",
        "请记住我有糖尿病",
        "我怀孕了。帮我记一下",
    ],
)
def test_a_wish_to_be_remembered_is_told_in_nine_languages(said: str) -> None:
    assert asks_to_keep(said)


@pytest.mark.parametrize(
    "said",
    [
        "I can't remember the name of my medication",
        "Do you remember what my doctor said?",
        "I remember that the therapy was hard",
        "My therapist wrote me a note",
        "I was diagnosed with diabetes last week",
        "Remember when we talked about my surgery?",
        "Ich erinnere mich nicht an mein Medikament",
        "Mein Arzt hat mir Insulin verschrieben",
        "No recuerdo el nombre de mi medicación",
        "Je ne me souviens plus de mon traitement",
        "Non ricordo il nome della medicina",
        "Não me lembro do nome do remédio",
        "Ik weet niet meer hoe mijn medicijn heet",
        "薬の名前を覚えていません",
        "我不记得药的名字",
        "",
    ],
)
def test_speaking_of_memory_is_no_wish(said: str) -> None:
    assert not asks_to_keep(said)
