"""What makes a finding harmless reaches a few words within one sentence, and quotation marks alone do nothing."""

import pytest

from oblio.filter.gate import judge
from oblio.filter.normalise import normalise
from oblio.filter.reading import Reading
from oblio.filter.rules.exemption import Exemption, is_title
from oblio.model.screening import Action, Reason

MARKS = [
    '"{}"',
    "'{}'",
    "\u2018{}\u2019",
    "\u201c{}\u201d",
    "\u201e{}\u201c",
    "\u201d{}\u201d",
    "\u00ab{}\u00bb",
    "\u00bb{}\u00ab",
]


@pytest.mark.parametrize("marks", MARKS)
@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("I have diabetes", Reason.HEALTH),
        ("I'm HIV positive", Reason.HEALTH),
        ("Jag är katolik", Reason.ART9),
        ("my boss Petra Ekblom drinks", Reason.THIRD_PARTY),
        ("у меня астма", Reason.HEALTH),
        ("my daughter is six", Reason.CHILD),
    ],
)
def test_a_quoted_statement_is_judged_as_if_it_were_not_quoted(text: str, marks: str, reason: Reason) -> None:
    for frame in ("{}", "As I said, {}", "my note: {}", "{} stands in my book"):
        verdict = judge(frame.format(marks.format(text)))
        assert verdict.action is Action.REFUSE
        assert reason in verdict.reasons


@pytest.mark.parametrize(
    "text",
    [
        'Jag gillar filmen "Cancer"',
        'I read the novel "Mother Night" twice',
        "Читаю роман «Идиот»",
        'Spela låten "Mamma Mia"',
        "The movie 'Epilepsy' was too long",
    ],
)
def test_a_short_title_beside_a_word_for_a_work_is_let_through(text: str) -> None:
    assert judge(text).action is Action.STORE


@pytest.mark.parametrize(
    ("text", "title"),
    [
        ('the song "Blue Winter Road"', True),
        ('my shelf "Blue Winter Road"', False),
        ('the song "My Winter Road"', False),
        ('the song "Anna drinks alone"', False),
        ('the song "one two three four five six seven"', False),
        ('I like a song. Then "Blue Winter Road"', False),
        ('the song "!"', False),
    ],
)
def test_a_title_is_short_impersonal_and_beside_a_work(text: str, *, title: bool) -> None:
    reading = Reading(normalise(text))
    assert [is_title(reading, quote) for quote in reading.quotes] == [title]


@pytest.mark.parametrize(
    "text",
    [
        "I read a book. Petra Ekblom lives in Lund and owes me money",
        "I read a book and Petra Ekblom lives in Lund",
        "The song is nice, and Petra Ekblom owes me money",
        "I love my cat. Yesterday he hit me and she called the police",
        "Pronouns are hard. She is on a visa",
        "We wrote an app last year. Got epilepsy in spring",
        "I have asthma and love music",
        "I have asthma in meetings",
        "I am meeting Petra Ekblom on Monday",
        "they told me she is ill",
        "Он должен мне денег после концерта",
    ],
)
def test_a_harmless_word_elsewhere_does_not_silence_a_rule(text: str) -> None:
    assert judge(text).action is Action.REFUSE


@pytest.mark.parametrize(
    "text",
    [
        "My dog is old, he sleeps a lot",
        "I read poems by Anna Lind",
        "I like novels by Petra Ekblom",
        "We build an app for people with epilepsy",
        "I'm allergic to YAML",
        "Любимая песня, играю её на гитаре",
    ],
)
def test_a_harmless_word_close_by_exempts(text: str) -> None:
    assert judge(text).action is Action.STORE


@pytest.mark.parametrize(
    ("text", "covered"),
    [
        ("dog a b she", True),
        ("dog a b c she", False),
        ("she a dog", True),
        ("she a b dog", False),
        ("dog. she", False),
        ("dog owes she", False),
        ("dog she owes", False),
    ],
)
def test_an_exemption_reaches_so_many_words_and_ends_at_its_sentence_and_at_a_bar(text: str, *, covered: bool) -> None:
    reading = Reading(normalise(text))
    exemption = Exemption(tags=("pet",), before=3, after=2, barred=("person.private",))
    (place,) = reading.where("pronoun")
    assert exemption.covers(reading, place) is covered
