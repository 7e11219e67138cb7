"""What is taken for a lasting statement, and what is not."""

import pytest

from oblio.memory.extract import SENTENCE_CHARS, Statement, statements


def kinds(text: str) -> list[str]:
    return [statement.kind for statement in statements(text)]


@pytest.mark.parametrize(
    ("text", "kind"),
    [
        ("I prefer tea to coffee.", "preference"),
        ("I can't stand coriander.", "preference"),
        ("I’d rather take the train.", "preference"),
        ("I always cook on Sundays.", "preference"),
        ("My favourite season is autumn.", "preference"),
        ("I like quiet streets, even if the way is longer.", "preference"),
        ("I like tea, not coffee.", "preference"),
        ("I want to learn Spanish this year.", "goal"),
        ("My goal is to run ten kilometres.", "goal"),
        ("I'm saving for a bicycle.", "goal"),
        ("I struggle with irregular verbs.", "difficulty"),
        ("I find it hard to get up early.", "difficulty"),
        ("I always forget names.", "difficulty"),
        ("I live in Malmö and work nights.", "fact"),
        ("I'm moving to Oslo in June.", "fact"),
        ("I'm a gardener.", "fact"),
        ("My move to Oslo is set for June.", "fact"),
        ("By the way, I have two cats.", "fact"),
        ("Thanks, and remember that I work from home.", "fact"),
        ("Jag föredrar tåg framför flyg.", "preference"),
        ("På morgonen dricker jag helst te.", "preference"),
        ("Min favoriträtt är ärtsoppa.", "preference"),
        ("Jag vill lära mig spanska.", "goal"),
        ("Mitt mål är att springa milen.", "goal"),
        ("Jag har svårt för tyska artiklar.", "difficulty"),
        ("Numera bor jag i Lund.", "fact"),
        ("Jag ska flytta till Oslo i juni.", "fact"),
        ("Min hund heter Kanel.", "fact"),
        ("Jag är lärare.", "fact"),
        ("Я предпочитаю чай.", "preference"),
        ("Терпеть не могу кинзу.", "preference"),
        ("Мой любимый суп — борщ.", "preference"),
        ("Мне нравится тишина.", "preference"),
        ("Я хочу выучить испанский.", "goal"),
        ("Моя цель — пробежать десять километров.", "goal"),
        ("Мне трудно вставать рано.", "difficulty"),
        ("У меня не получается рано ложиться.", "difficulty"),
        ("Я живу в Лондоне.", "fact"),
        ("Кстати, я переезжаю в Осло.", "fact"),
        ("У меня две кошки.", "fact"),
        ("Я программист.", "fact"),
    ],
)
def test_a_lasting_statement_is_found_in_the_persons_own_words(text: str, kind: str) -> None:
    assert statements(f"  {text}\n") == (Statement(text=text, kind=kind),)


@pytest.mark.parametrize(
    "text",
    [
        "",
        "Do I like tea?",
        "Can you tell me which train I like best?",
        "I prefer tea, what do you prefer?",
        "Write that I live in Lund.",
        "I don't like coffee.",
        "I never eat breakfast.",
        "I am no longer working in Lund.",
        "If I lived in Rome I would be happy.",
        "Maybe I like jazz.",
        "I might move to Oslo.",
        "I would like a recipe.",
        "I like it.",
        "Thanks! I love the second one.",
        "I want you to write shorter.",
        "I want to know more about trains.",
        "I have a question.",
        "I have to go.",
        "I'm a bit tired.",
        "I'm working from home today.",
        "She said I like cats.",
        'He wrote "I live in Rome".',
        "> I live in Rome.",
        "```\nI live in Rome.\n```",
        "The weather is nice.",
        "Bor jag i Lund?",
        "Skriv att jag bor i Lund.",
        "Jag gillar inte flyg.",
        "Jag vill inte flytta.",
        "Om jag flyttar till Oslo blir det dyrt.",
        "Kanske vill jag flytta.",
        "Jag skulle vilja ha ett recept.",
        "Jag vill veta hur det fungerar.",
        "Jag har en fråga.",
        "Jag gillar den.",
        "Jag jobbar hemifrån idag.",
        "Где я живу?",
        "Напиши, что я живу в Лондоне.",
        "Я не люблю кофе.",
        "Если бы я жил в Риме, я был бы счастлив.",
        "Возможно, я перееду.",
        "Я хочу, чтобы ты писал короче.",
        "Я хочу узнать, как это работает.",
        "Мне нравится это.",
        "У меня есть вопрос.",
        "Сегодня я работаю из дома.",
    ],
)
def test_questions_requests_negations_and_suppositions_are_passed_over(text: str) -> None:
    assert statements(text) == ()


def test_several_sentences_give_several_statements_in_order() -> None:
    text = "Hej! Jag bor i Lund. Can you help me? I prefer short answers.\n- Я учу шведский.\nJag bor i Lund."
    assert [(found.text, found.kind) for found in statements(text)] == [
        ("Jag bor i Lund.", "fact"),
        ("I prefer short answers.", "preference"),
        ("Я учу шведский.", "goal"),
    ]


def test_an_abbreviation_does_not_end_a_sentence() -> None:
    assert [found.text for found in statements("Jag gillar frukt, t.ex. äpplen. Okej.")] == [
        "Jag gillar frukt, t.ex. äpplen."
    ]


@pytest.mark.parametrize(
    "text",
    [
        "My password is Plum-Kettle-9.",
        "My daughter is six years old.",
        "Jag har diabetes.",
        "Мой пароль: груша-12.",
        "I work with Petra Nyholm, who is always late.",
    ],
)
def test_what_the_filter_refuses_is_offered_to_it_like_any_other(text: str) -> None:
    assert kinds(text) == ["fact"]


@pytest.mark.parametrize(
    "text",
    [
        "my " * 60_000 + "is ",
        "I like " + "and I " * 50_000,
        '"' * 100_000,
        "`" * 100_000,
        "hej, " * 50_000,
        "I. " * 40_000,
    ],
)
@pytest.mark.timeout(10)
def test_long_noise_takes_little_time(text: str) -> None:
    assert statements(text) == ()


def test_a_sentence_that_is_too_long_is_not_one_statement() -> None:
    assert statements("I like " + "tea and " * SENTENCE_CHARS) == ()


def test_the_words_stay_out_of_repr() -> None:
    assert "tea" not in repr(statements("I prefer tea."))
