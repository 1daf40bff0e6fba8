"""What a message asks to be looked up, without the asking."""

import re

from tests.devkit.mainline.demo.vocabulary import word_set
from tests.devkit.mainline.words import words

_VAGUE = word_set("vague")
_NEWSY = _VAGUE | word_set("newsy")


def _beginning(*patterns: str) -> re.Pattern[str]:
    return re.compile(f"^(?:{'|'.join(patterns)})", re.IGNORECASE)


_POLITE = _beginning(
    r"(?:hi|hey|hello|hola|hallo|ok|okay|so|and|please|por favor|bitte|y|und)\b[\s,!.]*",
    r"(?:can|could|would|will) you (?:please )?(?:also )?",
    r"i(?: want|'d like| would like| need) (?:you )?to (?:know |learn )?",
    r"do you know ",
    r"(?:puedes|podrías) ",
    r"quiero saber ",
    r"(?:kannst|könntest) du (?:mir )?(?:bitte )?",
    r"ich möchte wissen,? ?",
)
_COMMAND = _beginning(
    r"(?:do|make|run) an? (?:quick )?(?:web |online |internet |google )?search (?:on|for|about) ",
    r"(?:search|look|check)(?: (?:on|in))?(?: (?:the )?(?:web|internet|net)| online| google)?"
    r"(?: for| about| up| on)?(?: it)?\b:? ?",
    r"google (?:for )?",
    r"find(?: out)?(?: something| information| info| anything)?(?: on the (?:web|internet)| online)?(?: about| on)? ",
    r"(?:tell me|explain)(?: to me)?(?: something| a bit| a little)?(?: more)?(?: everything)?(?: about)? ",
    r"define (?:the word )?",
    r"(?:more|learn|know|hear) (?:more )?(?:about|on) ",
    r"(?:busca|buscar|averigua|encuentra)(?: información)?(?: en (?:la web|internet|línea))?"
    r"(?: información)?(?: sobre)? ",
    r"(?:háblame|cuéntame|dime)(?: algo)?(?: más)?(?: de| sobre) ",
    r"explícame ",
    r"(?:suche?n?|google|finde)(?: mal)?(?: (?:im|in dem) (?:internet|web|netz))?"
    r"(?: informationen)?(?: nach| über| zu)? ",
    r"(?:erzähle?|erkläre?|sag)(?: mir)?(?: bitte)?(?: etwas| mehr)?(?: über| von)? ",
    r"nach ",
)
_QUESTION = _beginning(
    r"(?:what|who|where)(?:'s| is| are| was| were) (?:the meaning of )?(?:an? |the )?",
    r"¿? ?(?:qué|quién|quiénes|cuál) (?:es|son|fue|fueron|era) (?:una? |el |la |los |las )?",
    r"(?:was|wer) (?:ist|sind|war|waren) (?:eine? |der |die |das )?",
)
_MEANS = re.compile(r"^(?:what (?:does|do) |¿?qué significa (?:la |el )?|was bedeutet )(.+?)(?: mean)?$", re.IGNORECASE)
_LATER = re.compile(
    r" (?:suchen|finden|online|(?:on|in) the (?:web|internet)|im (?:internet|web|netz)|for me)$", re.IGNORECASE
)
_LAST = re.compile(r"[\s,]+(?:please|por favor|bitte|thanks|gracias|danke)$", re.IGNORECASE)
_LAST_NEWS = re.compile(r" (?:news|headlines|updates|noticias|nachrichten)$", re.IGNORECASE)
_HEADLINES = _beginning(
    r"(?:show me |give me |read me |tell me |any |dame |hay |¿?qué |gibt es |what(?:'s| is| are) |are there (?:any )?"
    r"|is there (?:any )?|¿?cuáles son |was gibt(?:'s| es) )?"
    r"(?:the )?(?:(?:latest|recent|breaking|today's|top|las|los|últimas|neuesten?|aktuellen?|neues|neue) )*"
    r"(?:(?:news|headlines?|articles?|updates?|developments?|stories|latest|new|noticias|titulares|novedades|nachrichten"
    r"|neuigkeiten|meldungen) )?(?:hay )?"
    r"(?:(?:about|on|of|in|from|regarding|sobre|de|en|über|zu|zum|zur|aus) )?(?:(?:the|la|el|den|das|die|dem|der) )?"
)


def topic(text: str) -> str:
    """What a message asks to be looked up; empty when it names nothing.

    ``Could you search the web for solar panels?`` gives ``solar panels``.
    """
    rest = _bare(text)
    rest = _LATER.sub("", _COMMAND.sub("", rest, count=1))
    means = _MEANS.match(rest)
    rest = means.group(1) if means else _QUESTION.sub("", rest, count=1)
    return _named(rest, _VAGUE)


def news_topic(text: str) -> str:
    """What a message wants the news of; empty for all the news there are."""
    return _named(_LAST_NEWS.sub("", _HEADLINES.sub("", f"{_bare(text)} ", count=1).strip()), _NEWSY)


def _bare(text: str) -> str:
    rest = _LAST.sub("", text.strip("¿¡?!. \n"))
    for _ in range(3):
        rest = _POLITE.sub("", rest, count=1).strip()
    return rest


def _named(rest: str, nothing: frozenset[str]) -> str:
    return "" if set(words(rest)) <= nothing else rest.strip("¿¡?!.,:;\"' \n")
