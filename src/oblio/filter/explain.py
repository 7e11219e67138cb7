"""A verdict in words for the person: which sort of thing stayed out, and how to go on, in the language of her choice.

The sentences never repeat the text. English stands in for a language without sentences of its own.
"""

from collections.abc import Mapping
from typing import Final, NamedTuple

from oblio.filter.rules.catalogue import ALL
from oblio.model.screening import Action, Reason, Verdict


class _Words(NamedTuple):
    cut: str
    refused: str
    kept: str
    things: Mapping[Reason, str]
    advice: Mapping[Reason, str]


_REPHRASE_EN: Final = "Say it again without that part."
_REPHRASE_SV: Final = "Säg det igen utan den delen."
_REPHRASE_RU: Final = "Скажите ещё раз без этой части."

_EN: Final = _Words(
    cut="Kept without {things}.",
    refused="Not kept: it holds {things}.",
    kept="Kept.",
    things={
        Reason.NATIONAL_ID: "a personal identity number or date of birth",
        Reason.EMAIL: "an e-mail address",
        Reason.PHONE: "a telephone number",
        Reason.ADDRESS: "an address",
        Reason.PAYMENT: "card or bank details",
        Reason.SECRET: "a password, key or code",
        Reason.HEALTH: "something about your health",
        Reason.ART9: "something about faith, politics, union, origin, sex life, biometrics or convictions",
        Reason.THIRD_PARTY: "something about another person",
        Reason.CHILD: "something about a child",
        Reason.KIND_NOT_PERMITTED: "a kind of memory that is not allowed here",
        Reason.CONSENT_MISSING: "something you have not agreed to keep",
        Reason.TOO_LONG: "more text than can be kept at once",
        Reason.UNREADABLE: "text that could not be checked",
    },
    advice={
        Reason.SECRET: "Use a password manager for it, and change it if others may have seen it.",
        Reason.HEALTH: "If you want it remembered, agree to sensitive memories first; you can take that back.",
        Reason.ART9: "Some of it can be remembered if you agree to sensitive memories; convictions never are.",
        Reason.THIRD_PARTY: "That person has not agreed. Say only what is about yourself.",
        Reason.CHILD: "Nothing about children is remembered.",
        Reason.KIND_NOT_PERMITTED: "Choose another kind of memory.",
        Reason.CONSENT_MISSING: "Agree to it first, then say it again.",
        Reason.TOO_LONG: "Say it in fewer words.",
        Reason.UNREADABLE: "Send it again as plain text.",
    },
)
_SV: Final = _Words(
    cut="Sparat utan {things}.",
    refused="Inte sparat: det innehåller {things}.",
    kept="Sparat.",
    things={
        Reason.NATIONAL_ID: "ett personnummer eller födelsedatum",
        Reason.EMAIL: "en e-postadress",
        Reason.PHONE: "ett telefonnummer",
        Reason.ADDRESS: "en adress",
        Reason.PAYMENT: "kort- eller kontouppgifter",
        Reason.SECRET: "ett lösenord, en nyckel eller en kod",
        Reason.HEALTH: "något om din hälsa",
        Reason.ART9: "något om tro, politik, fackförening, ursprung, sexliv, biometri eller domar",
        Reason.THIRD_PARTY: "något om en annan person",
        Reason.CHILD: "något om ett barn",
        Reason.KIND_NOT_PERMITTED: "en sorts minne som inte är tillåten här",
        Reason.CONSENT_MISSING: "något som du inte har samtyckt till",
        Reason.TOO_LONG: "mer text än vad som kan sparas på en gång",
        Reason.UNREADABLE: "text som inte gick att granska",
    },
    advice={
        Reason.SECRET: "Använd en lösenordshanterare, och byt det om andra kan ha sett det.",
        Reason.HEALTH: "Vill du att det sparas, samtyck först till känsliga minnen; det går att ta tillbaka.",
        Reason.ART9: "En del kan sparas om du samtycker till känsliga minnen; domar sparas aldrig.",
        Reason.THIRD_PARTY: "Den personen har inte samtyckt. Berätta bara om dig själv.",
        Reason.CHILD: "Inget om barn sparas.",
        Reason.KIND_NOT_PERMITTED: "Välj en annan sorts minne.",
        Reason.CONSENT_MISSING: "Samtyck först och säg det sedan igen.",
        Reason.TOO_LONG: "Säg det med färre ord.",
        Reason.UNREADABLE: "Skicka det igen som vanlig text.",
    },
)
_RU: Final = _Words(
    cut="Сохранено без следующего: {things}.",
    refused="Не сохранено, потому что в тексте есть: {things}.",
    kept="Сохранено.",
    things={
        Reason.NATIONAL_ID: "личный номер, документ или дата рождения",
        Reason.EMAIL: "адрес электронной почты",
        Reason.PHONE: "номер телефона",
        Reason.ADDRESS: "адрес",
        Reason.PAYMENT: "данные карты или счёта",
        Reason.SECRET: "пароль, ключ или код",
        Reason.HEALTH: "сведения о вашем здоровье",
        Reason.ART9: "сведения о вере, политике, профсоюзе, происхождении, личной жизни, биометрии или судимости",
        Reason.THIRD_PARTY: "сведения о другом человеке",
        Reason.CHILD: "сведения о ребёнке",
        Reason.KIND_NOT_PERMITTED: "вид памяти, который здесь не разрешён",
        Reason.CONSENT_MISSING: "то, на что вы не давали согласия",
        Reason.TOO_LONG: "больше текста, чем можно сохранить за раз",
        Reason.UNREADABLE: "текст, который не удалось проверить",
    },
    advice={
        Reason.SECRET: "Храните его в менеджере паролей и смените, если его могли увидеть.",
        Reason.HEALTH: "Чтобы это запомнить, сначала дайте согласие на особые сведения; его можно отозвать.",
        Reason.ART9: "Часть этого можно запомнить с согласием на особые сведения; судимость не запоминается никогда.",
        Reason.THIRD_PARTY: "Этот человек не давал согласия. Говорите только о себе.",
        Reason.CHILD: "Сведения о детях не запоминаются.",
        Reason.KIND_NOT_PERMITTED: "Выберите другой вид памяти.",
        Reason.CONSENT_MISSING: "Сначала дайте согласие, затем повторите.",
        Reason.TOO_LONG: "Скажите короче.",
        Reason.UNREADABLE: "Отправьте ещё раз обычным текстом.",
    },
)
_LANGUAGES: Final = {"en": (_EN, _REPHRASE_EN), "sv": (_SV, _REPHRASE_SV), "ru": (_RU, _REPHRASE_RU)}
_WHY: Final = {rule.id: rule.why for rule in ALL}


def explain(verdict: Verdict, /, *, language: str = "en") -> str:
    """Tell the person in one to a few sentences the outcome and a way on.

    Args:
        verdict: the decision.
        language: `sv`, `ru` or `en`, also with a region such as `sv-SE`; anything else reads English.
    """
    words, rephrase = _LANGUAGES.get(language[:2].lower(), _LANGUAGES["en"])
    if verdict.action is Action.STORE or not verdict.reasons:
        return words.kept
    head = words.refused if verdict.action is Action.REFUSE else words.cut
    sentences = [head.format(things=", ".join(words.things[reason] for reason in verdict.reasons))]
    advice = dict.fromkeys(words.advice.get(reason, rephrase) for reason in verdict.reasons)
    if verdict.action is Action.REFUSE:
        sentences += advice
    return " ".join(sentences)


def why(rule_id: str, /) -> str:
    """Return the reason line of a rule, for an operator; empty for an id that no rule has."""
    return _WHY.get(rule_id, "")
