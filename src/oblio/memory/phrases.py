"""How people begin a statement about themselves in Swedish, Russian and English: data of `oblio.memory.extract`.

Each pattern is tried at the beginning of a clause. Order is precedence: the first kind that fits a clause wins.
Patterns are matched on lower-case text with straight apostrophes.
"""
# ruff: noqa: RUF001 -- text in Cyrillic script

import re
from collections.abc import Mapping
from types import MappingProxyType
from typing import Final

_GOALS: Final = (
    r"i(?:'m| am) (?:learning|training|trying|saving|aiming|planning|hoping|preparing|studying for|working towards)\b",
    r"i (?:want|plan|hope|intend|aim|have decided|decided) to (?!(?:know|ask|see|hear|understand|check|say)\b)",
    r"my (?:goal|aim|plan|dream|ambition|resolution)\b.* (?:is|are) ",
    r"jag (?:vill|tänker|planerar att|hoppas|siktar på att|har bestämt mig för att) (?!(?:veta|fråga|att du|ha|se)\b)",
    r"jag (?:lär mig|tränar inför|tränar för|sparar till|siktar på|förbereder mig|försöker|håller på att lära)\b",
    r"(?:mitt mål|min plan|min dröm|min ambition) .*(?:är|att) ",
    (
        r"я (?:хочу|планирую|собираюсь|надеюсь|намерена?|решила?|мечтаю|стараюсь|пытаюсь) "
        r"(?!знать|узнать|спросить|понять)\w+(?:ть|ти|чь|ться|тись|чься)\b"
    ),
    r"я (?:учу|изучаю|учусь|готовлюсь|коплю|тренируюсь)\b",
    r"(?:моя цель|мой план|моя мечта)\b",
)
_DIFFICULTIES: Final = (
    r"i (?:struggle|keep (?:forgetting|mixing|failing|getting|losing|putting))\b",
    r"i (?:(?:always|often|usually|still) )?(?:forget|mix up|get stuck|get confused|lose track|procrastinate)\b",
    r"i(?:'m| am) (?:struggling|bad at|terrible at|having (?:trouble|a hard time))\b",
    r"i (?:find it|have) (?:really |very |so |quite )?(?:hard|difficult|trouble|problems|difficulty|difficulties)\b",
    r"jag (?:kämpar med|fastnar|blandar ihop|tappar|glömmer)\b",
    r"jag (?:har|tycker att det är|tycker det är) (?:(?:alltid|ofta|väldigt|ganska) )?(?:svårt|problem|besvärligt)\b",
    r"мне (?:очень |всегда |часто |бывает )?(?:трудно|сложно|тяжело|непросто|плохо да[её]тся)\b",
    r"у меня (?:(?:всегда|часто|никак|плохо) )?(?:не получается|плохо получается|проблемы|сложности|трудности)\b",
    r"я (?:(?:всегда|часто|вс[её] время|постоянно) )?(?:путаю|путаюсь|забываю|отвлекаюсь|откладываю)\b",
)
_PREFERENCES: Final = (
    r"i(?:'d| would) rather\b",
    (
        r"i (?:really |much |always |usually |still |absolutely |generally |also )*"
        r"(?:prefer|like|love|enjoy|hate|dislike|detest|adore|can't stand|cannot stand)\b"
    ),
    r"i (?:always|usually|normally|mostly|tend to) \w+",
    r"my (?:favou?rite|preferred)\b.* (?:is|are) ",
    r"jag (?:verkligen |alltid |mest )?(?:föredrar|gillar|älskar|hatar|avskyr|ogillar|trivs|tycker (?:illa )?om)\b",
    r"jag \w+ (?:helst|alltid|oftast|vanligtvis|hellre)\b",
    r"(?:min|mitt|mina) (?:favorit\w*|älsklings\w*) .*är ",
    r"(?:я )?(?:очень |больше |всегда |просто )*(?:предпочитаю|люблю|обожаю|ненавижу|терпеть не могу)\b",
    r"мне (?:очень |больше |всегда |вс[её] же )*(?:нрав[ия]тся|по душе)\b",
    r"я (?:всегда|обычно|как правило) \w+",
    r"(?:мой любимый|моя любимая|мо[её] любимое|мои любимые)\b",
)
_FACTS: Final = (
    r"i(?:'m| am) (?:moving|relocating|from|based in|allergic|vegetarian|vegan|left-handed|married|retired|divorced)\b",
    r"i(?:'m| am) (?:currently |still |now )?(?:living|working|studying) (?:in|at|as|for|on|with)\b",
    r"i(?:'m| am) (?:an? (?!bit\b|little\b|fan of (?:this|that|it)\b)\w+|\d+ years old\b)",
    (
        r"i (?:still |now |also |currently )?"
        r"(?:live|work|study|teach|own|speak|play|drive|commute|run|cycle|come from|grew up|was born|volunteer)\b"
    ),
    r"i (?:take|have) (?!to\b|a look\b|a question\b|a problem\b|an idea\b|no\b|it\b|this\b|that\b|been\b|never\b)\w+",
    r"my (?!question\b|guess\b|point\b|idea\b|bad\b|turn\b|mistake\b|problem\b)[\w'-]+(?: [\w'-]+){0,5} (?:is|are) ",
    (
        r"jag (?:bor|jobbar|arbetar|studerar|pluggar|flyttar|kommer från|är från|är uppvuxen|är född|kör|spelar|talar|"
        r"äger|heter)\b"
    ),
    r"jag ska (?:flytta|börja|sluta|gifta)\b",
    r"jag (?:tar|har|äter) (?!en fråga\b|ett problem\b|en idé\b|inget\b|ingen\b|aldrig\b|det\b|att\b|hört\b|sett\b)\w+",
    r"jag är (?:en |ett |allergisk|vegetarian|vegan|vänsterhänt|gift|pensionär|singel|\w+(?:are|ist|ör|log|ska)\b)",
    r"(?:min|mitt|mina) (?!fråga\b|poäng\b|gissning\b|tanke\b)[\w-]+(?: [\w-]+){0,5} (?:är|heter) ",
    (
        r"я (?:сейчас |теперь |по-прежнему )?"
        r"(?:живу|работаю|учусь|переезжаю|родился|родилась|вырос|выросла|говорю|играю|преподаю|бегаю|езжу|вожу|принимаю)\b"
    ),
    r"я (?:вегетариан\w+|веган\w*|левша|родом из|женат|замужем|пенсионер\w*|\w+(?:ист|истка|ер|ог|ель)\b)",
    r"у меня (?:есть |сейчас )?+(?!вопрос\b|проблема\b|идея\b|нет\b|к тебе\b|не\b)\w+",
    (
        r"(?:мой|моя|мо[её]|мои) (?!вопрос\b|ошибка\b|идея\b)[\w-]+(?: [\w-]+){0,3}"
        r"(?: [-—–]|:| зовут| это| \w+(?:ет|ит|ют|ят)\b)"
    ),
    r"меня зовут\b",
)
_INVERTED: Final = (
    ("difficulty", r"\b(?:har jag (?:alltid |ofta )?svårt|fastnar jag|glömmer jag|tappar jag)\b"),
    ("preference", r"\b(?:föredrar|gillar|älskar|hatar) jag\b|\b\w+r jag (?:helst|alltid|oftast|hellre)\b"),
    ("goal", r"\b(?:vill|tänker|planerar|hoppas) jag (?!veta\b|fråga\b|att du\b|ha\b)|\blär jag mig\b"),
    ("fact", r"\b(?:bor|jobbar|arbetar|studerar|pluggar|flyttar|spelar) jag\b|\bska jag (?:flytta|börja)\b"),
)

STARTS: Final[Mapping[str, re.Pattern[str]]] = MappingProxyType(
    {
        kind: re.compile("|".join(f"(?:{pattern})" for pattern in patterns))
        for kind, patterns in (
            ("difficulty", _DIFFICULTIES),
            ("preference", _PREFERENCES),
            ("goal", _GOALS),
            ("fact", _FACTS),
        )
    }
)
"""Kind to what a clause of that kind begins with."""

INVERTED: Final[Mapping[str, re.Pattern[str]]] = MappingProxyType(
    {kind: re.compile(pattern) for kind, pattern in _INVERTED}
)
"""Kind to Swedish clauses with the verb before `jag`, which other words come before."""

LEAD_IN: Final = re.compile(
    r"(?:(?:and|but|so|also|oh|well|ok|okay|hi|hello|hey|thanks|yes|no|actually|honestly|anyway|since|because|as|"
    r"by the way|btw|just so you know|fyi|remember(?: that)?|note that|for context|these days|at the moment|"
    r"in general|personally|unfortunately|usually|"
    r"och|men|så|hej|hejsan|tack|ja|nej|jo|alltså|förresten|för övrigt|eftersom|kom ihåg att|notera att|personligen|"
    r"tyvärr|faktiskt|"
    r"и|но|а|так что|привет|спасибо|да|нет|кстати|вообще|запомни(?: что|, что)?|просто|потому что|так как|"
    r"к сожалению|честно говоря|на самом деле)\b[\s,:!-]*)*"
)
"""Words that may stand before a statement."""

CLAUSES: Final = re.compile(
    r"[,;:]\s+|\s[-—–]\s+|\s(?:and|but|because|since|so|och|men|eftersom|för|и|но|а|потому что|так как)\s+"
)
"""Where a new clause can begin within a sentence."""

UNCERTAIN: Final = re.compile(
    r"\b(?:if|unless|would|could|might|maybe|perhaps|suppose|imagine|wish|pretend|"
    r"om jag|ifall|skulle|kanske|tänk om|anta att|låtsas|"
    r"если|может быть|наверное|возможно|представь|допустим|бы|б)\b"
)
"""Not stated, only supposed. `would rather` is taken out before."""

NEGATED: Final = re.compile(
    r"\b(?:not|never|no longer|don't|doesn't|didn't|isn't|aren't|wasn't|haven't|won't|can't|cannot|nothing|nobody|"
    r"inte|aldrig|inga|inget|ingen|knappast|"
    r"не|никогда|нет|ничего|никак)\b"
)
"""A negated statement says what is not so; taking it for its opposite would be worse than leaving it."""

IDIOMS: Final = re.compile(
    r"\b(?:can't stand|cannot stand|would rather|i'd rather|not only|even if|inte bara|även om jag|"
    r"терпеть не могу|не получается|не только|непросто|даже если)\b"
)
"""Negations and conditionals in form only."""

PASSING: Final = re.compile(
    r"\b(?:today|tonight|right now|just now|this (?:morning|afternoon|evening)|for now|"
    r"idag|i dag|ikväll|i kväll|just nu|nu genast|"
    r"сегодня|прямо сейчас|сейчас же|вечером сегодня)\b"
)
"""True for a moment only."""

ASKING: Final = re.compile(
    r"^(?:please|can you|could you|would you|will you|help|tell|give|show|write|explain|translate|suggest|find|make|"
    r"what|how|why|which|who|where|when|"
    r"snälla|kan du|kunde du|skulle du|hjälp|berätta|ge mig|visa|skriv|förklara|översätt|föreslå|vad|hur|varför|vilken|"
    r"пожалуйста|можешь|помоги|расскажи|дай|покажи|напиши|объясни|переведи|предложи|найди|сделай|"
    r"что|как|почему|какой|какая|какие|кто|где|когда)\b"
)
"""A request or question to the assistant."""

POINTING: Final = re.compile(
    r"\b(?:like|love|enjoy|hate|prefer|gillar|älskar|hatar|föredrar|tycker om|люблю|нрав[ия]тся|предпочитаю)"
    r"(?: the| den| det| этот| эта)? "
    r"(?:it|this|that|these|those|them|you|your|one|first|second|last|idea|den|det|dem|detta|dig|din|ditt|"
    r"это|этот|эта|эти|тебя|твой|твоя|первый|второй)\b(?! here)"
)
"""Points at something said before: means nothing on its own."""
