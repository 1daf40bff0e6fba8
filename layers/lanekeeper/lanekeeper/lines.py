"""What code says by itself, in fixed words: never written by a model, the same for everybody, in several languages."""

from dataclasses import dataclass

OTHERWISE = "en"


@dataclass(frozen=True, slots=True, kw_only=True)
class Line:
    """One fixed line, by language. Each names what happened and what can be done now, and nothing of our insides."""

    en: str
    de: str
    es: str
    fr: str
    it: str
    pt: str

    def in_language(self, language: str) -> str:
        """The line for a BCP 47 tag such as ``es-MX``; in English where there is no such line."""
        primary = language.replace("_", "-").partition("-")[0].lower()
        return str(getattr(self, primary if primary in self.__slots__ else OTHERWISE))

    @property
    def texts(self) -> frozenset[str]:
        """The line in every language there is."""
        return frozenset(getattr(self, language) for language in self.__slots__)


# A turn that could not be completed (T5).
HONEST_LINE = Line(
    en="Sorry, I could not finish that just now. Please send it once more, or ask me for a person.",
    de="Das hat gerade nicht geklappt, tut mir leid. Schick es bitte noch einmal, oder frag mich nach einem Menschen.",
    es="Lo siento, ahora mismo no he podido terminarlo. Envíalo otra vez, por favor, o pídeme hablar con una persona.",
    fr="Désolé, je n'ai pas pu terminer à l'instant. Renvoyez votre message, ou demandez-moi une personne.",
    it="Mi dispiace, adesso non sono riuscito a finire. Scrivilo di nuovo, oppure chiedimi di parlare con una persona.",
    pt="Desculpe, não consegui terminar agora. Envie outra vez, por favor, ou peça-me para falar com uma pessoa.",
)

# Work that takes its time (T3). A status on the screen, never a part of a reply.
HOLDING_LINE = Line(
    en="One moment, this is taking a little longer.",
    de="Einen Moment, das dauert etwas länger.",
    es="Un momento, esto tarda un poco más.",
    fr="Un instant, cela prend un peu plus de temps.",
    it="Un momento, ci vuole un po' di più.",
    pt="Um momento, isto está a demorar um pouco mais.",
)

# A conversation that is summed up before it can go on (C4). A status as well.
WAITING_LINE = Line(
    en="We have talked for long. I am going over it once, then I answer.",
    de="Wir haben schon viel besprochen. Ich fasse es kurz zusammen, dann antworte ich.",
    es="Ya hemos hablado mucho. Lo repaso un momento y te respondo.",
    fr="Nous avons déjà beaucoup parlé. Je reprends l'essentiel, puis je réponds.",
    it="Abbiamo già parlato molto. Riassumo un attimo, poi rispondo.",
    pt="Já falámos bastante. Faço um resumo rápido e depois respondo.",
)

# An answer that came to its length limit twice (E6).
TOO_LONG_LINE = Line(
    en="That is as much as fits in one answer. Tell me to go on if you want the rest.",
    de="Mehr passt nicht in eine Antwort. Sag mir, dass ich weitermachen soll, wenn du den Rest möchtest.",
    es="No cabe más en una respuesta. Dime que siga si quieres el resto.",
    fr="Une seule réponse ne peut en contenir plus. Dites-moi de continuer si vous voulez la suite.",
    it="In una sola risposta non ci sta altro. Dimmi di continuare se vuoi il resto.",
    pt="Não cabe mais numa só resposta. Diga-me para continuar se quiser o resto.",
)

# An answer that the model's provider held back (E6).
REFUSED_LINE = Line(
    en="I cannot help with that here. Ask me something else, or ask me for a person.",
    de="Dabei kann ich hier nicht helfen. Frag mich etwas anderes, oder frag mich nach einem Menschen.",
    es="Aquí no puedo ayudarte con eso. Pregúntame otra cosa, o pídeme hablar con una persona.",
    fr="Je ne peux pas vous aider pour cela ici. Posez-moi une autre question, ou demandez-moi une personne.",
    it="Qui non posso aiutarti in questo. Chiedimi altro, oppure chiedimi di parlare con una persona.",
    pt="Não posso ajudar com isso aqui. Pergunte-me outra coisa, ou peça-me para falar com uma pessoa.",
)

# An answer that broke the output contract twice (E5).
WITHHELD_LINE = Line(
    en="I could not put the rest of this into an answer that I may send. Please ask again in other words, "
    "or ask me for a person.",
    de="Den Rest konnte ich nicht so schreiben, dass ich ihn senden darf. Frag bitte noch einmal mit anderen Worten, "
    "oder frag mich nach einem Menschen.",
    es="No he podido escribir el resto de forma que pueda enviarlo. Pregúntamelo con otras palabras, por favor, "
    "o pídeme hablar con una persona.",
    fr="Je n'ai pas pu rédiger la suite sous une forme que je puisse envoyer. Reformulez votre question, "
    "ou demandez-moi une personne.",
    it="Non sono riuscito a scrivere il resto in una forma che posso inviare. Chiedimelo con altre parole, "
    "oppure chiedimi di parlare con una persona.",
    pt="Não consegui escrever o resto de uma forma que possa enviar. Pergunte por outras palavras, por favor, "
    "ou peça-me para falar com uma pessoa.",
)

# An agent that failed at one goal twice (A3).
PERSON_LINE = Line(
    en="This has not worked twice now. Shall I bring in a person? Just say so.",
    de="Das hat jetzt zweimal nicht geklappt. Soll ich einen Menschen dazuholen? Sag einfach Bescheid.",
    es="Ya son dos veces que no sale. ¿Aviso a una persona? Solo dímelo.",
    fr="Cela n'a pas fonctionné deux fois de suite. Voulez-vous que je fasse venir une personne ? Dites-le-moi.",
    it="Non ha funzionato per due volte. Vuoi che chiami una persona? Basta che me lo dica.",
    pt="Já não resultou duas vezes. Quer que chame uma pessoa? É só dizer.",
)
