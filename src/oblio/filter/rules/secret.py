"""Passwords, tokens, keys and codes: by their shape, by assignment, and in prose."""

import re
from collections.abc import Iterator
from typing import Final

from oblio.filter.reading import Reading, Tagged
from oblio.filter.rules.base import ALWAYS, LONG, SIGN, rule
from oblio.filter.rules.frame import near_tokens

# Published prefixes of the issuers. Each pattern has one bounded or possessive-like run, so search stays linear.
_SHAPES: Final = re.compile(
    r"(?<![0-9A-Za-z])(?:"
    r"(?:AKIA|ASIA|ABIA)[A-Z0-9]{16}(?![A-Z0-9])"
    r"|gh[pousr]_[0-9A-Za-z]{20,255}|github_pat_[0-9A-Za-z_]{20,255}|gl(?:pat|ptt|dt|rt)-[0-9A-Za-z_-]{16,255}"
    r"|xox[abeoprs]-[0-9A-Za-z-]{10,255}|sk-[0-9A-Za-z_-]{20,255}|[rsp]k_(?:live|test)_[0-9A-Za-z]{10,255}"
    r"|AIza[0-9A-Za-z_-]{30,60}|ya29\.[0-9A-Za-z_-]{20,255}|[0-9]{8,10}:[0-9A-Za-z_-]{32,40}(?![0-9A-Za-z_-])"
    r"|eyJ[0-9A-Za-z_-]{8,4000}\.[0-9A-Za-z_-]{8,4000}"
    r"|hooks\.slack\.com/(?:services|workflows)/[0-9A-Za-z/]{20,255}|npm_[0-9A-Za-z]{30,60}|pypi-[0-9A-Za-z_-]{30,255}"
    r"|hf_[0-9A-Za-z]{30,60}|ntn_[0-9A-Za-z]{40,60}|sgp_(?:local_)?[0-9A-Fa-f_]{40,80}|s\.[0-9A-Za-z]{24}(?![0-9A-Za-z])"
    r"|[hb]vs\.[0-9A-Za-z_-]{20,255}|SG\.[0-9A-Za-z_-]{16,40}\.[0-9A-Za-z_-]{20,80}|ABSK[0-9A-Za-z+/]{40,255}"
    r"|EAA[0-9A-Za-z]{30,255}|[0-9]{13,17}\|[0-9A-Za-z_-]{24,40}|dop_v1_[0-9a-f]{40,80}|age-secret-key-1[0-9a-z]{40,80}"
    r"|s-s4t2(?:ud|af)-[0-9a-f]{40,80}|AGE-SECRET-KEY-1[0-9A-Z]{40,80}"
    r")"
)
_AZURE: Final = re.compile(r"(?<![\w.~-])[\w.~-]{2,8}Q~[\w.~-]{28,40}")
_URL: Final = re.compile(r"://[^\s:/@?#]{1,120}:([^\s/@]{1,200})@")
_PEM: Final = re.compile(r"-----BEGIN [A-Z ]{0,40}PRIVATE KEY-----")
_HEADER: Final = re.compile(
    r"(?:authorization\s{0,3}[:=]\s{0,4}(?:(?:basic|bearer|token)\s{1,3})?|\bbearer\s{1,3}(?=\S{0,80}[0-9]))([^\s'\"]{8,400})",
    re.IGNORECASE,
)
_LOGIN: Final = re.compile(r"(?:--user|--proxy-user|-u)[ =]{1,4}['\"]?[^\s:'\"]{1,100}:([^\s'\"]{3,100})")
_ASSIGNED: Final = re.compile(
    r"(?:password|passwd|passphrase|passwort|lösenord|пароль|pwd|secret|token|api_?key|access_?key|auth_?key|private_?key)"
    r"['\"]?\s{0,3}[:=]\s{0,3}['\"]?([^\s'\",;]{4,400})",
    re.IGNORECASE,
)
_PLACEHOLDER: Final = re.compile(
    r"\$\{|\$[A-Z_]{3}|\{\{|<|%\(|your[-_ ]?|example$|xxx|\*\*\*|\.\.\.|changeme|placeholder|env\b|os\.|process\.|"
    r"(?:none|null|true|false|string|str|optional|required|bytes|redacted|secret|password|token)\W*$",
    re.IGNORECASE,
)
_RUN: Final = re.compile(r"(?<![\w/+.-])[0-9A-Za-z_+/=-]{24,400}(?![\w/+.-])")
_HEX: Final = re.compile(r"[0-9a-f-]+|[0-9A-F-]+")
_WORDISH: Final = re.compile(r"[A-Za-z]{12}")
_CODE: Final = re.compile(r"[0-9A-Za-zА-ЯЁа-яё]{3,10}")
_VALUE: Final = re.compile(r"\S{1,400}")
_CLAUSE_END: Final = re.compile(r"[.;!?](?:\s|$)|\n")
_PART_END: Final = re.compile(r"[.,;!?](?:\s|$)|\n")
_WORD_AND_NUMBER: Final = re.compile(r"[^\W\d_]{4,40}[-_][0-9]{2,8}")
_LONGEST_CLAUSE: Final = 600
_EMPTY: Final = (0, 0)
_RECIPE_WORDS: Final = 10
_GAP_WORDS: Final = 7
_BEFORE: Final = 60
_SET_WORDS: Final = 4
_CODE_WORDS: Final = 8
_COUNTED: Final = ("number.counted", "number.month", "number.unit")
_LOCK_WORDS: Final = 9
_LOCK_NUMBER: Final = re.compile(r"[0-9]{3,8}|[0-9]{1,3}(?:-[0-9]{1,3}){2,3}")
_LOCK_TIMES: Final = frozenset({"at", "kl", "om", "in", "в", "через", "version", "http", "port", "error", "status"})
_HIGH: Final = 9


def _placeholder(value: str) -> bool:
    return _PLACEHOLDER.search(value) is not None


@rule(
    "secret.shape",
    "A token or key in the form that its issuer gives it.",
    needs=(LONG,),
    fires=("use gh" + "p_" + "Ab3dEf6h" * 4, "key AK" + "IA" + "Q7RS" * 4),
    quiet=("AK" + "IA" + "Q7RSQ7RSQEXAMPLE is the placeholder", "commit 0f3c9a1be47d52880c6e9b1a2f7d4c5e6a8b9c0d"),
)
def shape(reading: Reading) -> Iterator[tuple[int, int]]:
    """Find published shapes; the examples of documentation are let through."""
    for pattern in (_SHAPES, _AZURE):
        for found in pattern.finditer(reading.text):
            if not found.group().endswith("EXAMPLE"):
                yield found.span()


@rule(
    "secret.private_key",
    "The head of a private key in PEM form.",
    needs=(ALWAYS,),
    fires=("-----BEGIN RSA PRIVATE" + " KEY----- MIIE", "-----BEGIN PRIVATE" + " KEY-----"),
    quiet=("the key header is too long", "-----BEGIN CERTIFICATE-----"),
)
def private_key(reading: Reading) -> Iterator[tuple[int, int]]:
    """Take everything from the head on: the body has no end that can be trusted."""
    found = _PEM.search(reading.text)
    if found is not None:
        yield found.start(), len(reading.text)


@rule(
    "secret.url_credentials",
    "A name and password inside an address.",
    needs=(SIGN,),
    fires=("postgres://app:hunter2@db/prod", "https://kim:s3cr3t@example.org/x"),
    quiet=("https://example.org:8080/x", "postgres://app:${DB_PASSWORD}@db/prod"),
)
def url_credentials(reading: Reading) -> Iterator[tuple[int, int]]:
    """Find user:password@ after a scheme."""
    for found in _URL.finditer(reading.text):
        if not _placeholder(found.group(1)):
            yield found.start() + 3, found.end() - 1


@rule(
    "secret.command",
    "A login on a command line or in an authorization header.",
    needs=(ALWAYS,),
    fires=("curl --user kim:tulip77 https://example.org", "Authorization: Basic YnJvd3NlcjpzZXNhbQ"),
    quiet=("curl --user $USER https://example.org", "the Authorization header is missing"),
)
def command(reading: Reading) -> Iterator[tuple[int, int]]:
    """Find credentials given to a program."""
    for pattern in (_HEADER, _LOGIN):
        for found in pattern.finditer(reading.text):
            if not _placeholder(found.group(1)):
                yield found.span(1)


@rule(
    "secret.assigned",
    "A value set for a password, token or key.",
    needs=(SIGN,),
    fires=("DB_PASSWORD=tulip77!x", "lösen: tulpan-77x"),
    quiet=("MAIL_PASSWORD=${MAIL_PASSWORD}", "API_KEY=your_key"),
)
def assigned(reading: Reading) -> Iterator[tuple[int, int]]:
    """Find name=value and name: value, placeholders aside."""
    for found in _ASSIGNED.finditer(reading.text):
        if not _placeholder(found.group(1)) and not _described(found.group(1), found.group()):
            yield found.span(1)
    for place in reading.where("label.secret"):
        end = reading.tokens[place.last].end
        gap = reading.text[end : end + 4]
        if gap.lstrip()[:1] in (":", "=") and gap.strip():
            value = _VALUE.search(reading.text, end + len(gap) - len(gap.lstrip()) + 1)
            if value is not None and not _placeholder(value.group()) and not _described(value.group(), ": "):
                yield value.span()


def _described(value: str, whole: str) -> bool:
    """Whether the value after a colon is an ordinary lower-case word (`password: required`), not an assignment."""
    return "=" not in whole and value.strip(".,").isalpha() and value.islower() and len(value) > _HIGH - 1


@rule(
    "secret.entropy",
    "A long run that mixes capitals, small letters and digits as generated keys do.",
    needs=(LONG,),
    fires=("value Zq3Lk8Rw2Xv9Tn4Yb7Hd1Mc6Pf0Gs5Ja", "kod 9aC4E1b7D2f8A3c6E5d0B9a8F7c6D5e4"),
    quiet=("sha 7b1e0c9d8f6a5b4c3d2e1f0a9b8c7d6e5f4a3b2c", "class AbstractSingletonProxyFactoryBean2023Config"),
)
def entropy(reading: Reading) -> Iterator[tuple[int, int]]:
    """Find runs of 24 and more; plain hex (hashes, UUIDs) and camel-case names are let through."""
    for found in _RUN.finditer(reading.text):
        value = found.group()
        digits = sum(map(str.isdigit, value))
        mixed = any(map(str.isupper, value)) and any(map(str.islower, value))
        if mixed and digits * 8 >= len(value) and not _HEX.fullmatch(value) and not _WORDISH.search(value):
            yield found.span()


def _value_after(reading: Reading, place: Tagged) -> tuple[int, int] | None:
    """Span of the value in "password [for the wifi] is VALUE", empty when the sentence says something else.

    None when there is no copula: then a word nearby may still look like a value. A colon is one where nothing but what
    the password is for stands before it.
    """
    for index in range(place.last, min(place.last + 1 + _GAP_WORDS, len(reading.tokens))):
        whole = index == place.last or reading.tagged(place.last + 1, "secret.for")
        colon = whole and reading.text[reading.tokens[index].end :][:1] == ":"
        if not colon and (index == place.last or not reading.tagged(index, "secret.copula")):
            continue
        found = _VALUE.search(reading.text, _value_start(reading.text, reading.tokens[index].end))
        told = any(reading.tagged(at, "secret.recipe") for at in range(index + 1, index + 1 + _RECIPE_WORDS))
        if found is None or (reading.tagged(index + 1, "secret.state") and not told):
            return _EMPTY
        if told or reading.tagged(place.first, "secret.phrase"):
            return found.start(), _until(_CLAUSE_END, reading.text, found.start())
        return found.start(), _until(_PART_END, reading.text, found.start()) if colon else found.end()
    return None


def _value_start(text: str, at: int) -> int:
    while at < len(text) and text[at] in " :=\"'«":
        at += 1
    return at


def _until(end: re.Pattern[str], text: str, start: int) -> int:
    found = end.search(text, start, start + _LONGEST_CLAUSE)
    return found.start() if found else min(len(text), start + _LONGEST_CLAUSE)


def _looks_secret(value: str) -> bool:
    """Whether one written word looks chosen or generated: digits, signs or odd capitals among its letters."""
    body = value.rstrip(".,!?:;\"')").lstrip("\"'(")
    if len(body) < 5 or body.isdigit():  # noqa: PLR2004 -- shorter words say nothing
        return False
    signs = any(not char.isalnum() and char not in "-'/._" for char in body)
    digits = any(map(str.isdigit, body))
    letters = any(map(str.isalpha, body))
    capitals = any(map(str.isupper, body[1:])) and any(map(str.islower, body))
    return letters and (digits + signs + capitals > 1 or (digits and "-" not in body) or (signs and capitals))


@rule(
    "secret.prose",
    "A password, key or phrase told in a sentence.",
    needs=("label.secret",),
    fires=("Mitt lösenord för skrivaren är Tulpan!77", "the password is tulip"),
    quiet=("The password field is too narrow", "Lösenordet är krypterat"),
)
def prose(reading: Reading) -> Iterator[tuple[int, int]]:
    """After a label: a copula and a value, or a word nearby that looks like one."""
    for place in reading.where("label.secret"):
        if reading.tagged(place.last + 1, "secret.thing"):
            continue
        after = _value_after(reading, place)
        if after is not None:
            if after != _EMPTY:
                yield after
            continue
        end = reading.tokens[place.last].end
        for count, value in enumerate(list(_VALUE.finditer(reading.text, end, end + 120))[:_GAP_WORDS]):
            chosen = _looks_secret(value.group()) or (count == 0 and _WORD_AND_NUMBER.fullmatch(value.group()))
            if chosen and not _placeholder(value.group()):
                yield value.span()
                break


@rule(
    "secret.asked",
    "What to type when a password is asked for, or an account that is open without one.",
    needs=("label.secret", "label.login"),
    fires=("use Tulip!Garden22 when it asks for a password", "log in as user root with no password"),
    quiet=("use Bitwarden when it asks for a password", "the login page needs a password"),
)
def asked(reading: Reading) -> Iterator[tuple[int, int]]:
    """Find a value before "password", an open account, and a login that is told by description."""
    for place in reading.where("label.secret"):
        start = reading.tokens[place.first].start
        for value in _VALUE.finditer(reading.text, max(start - _BEFORE, 0), start):
            if _looks_secret(value.group()) and not _placeholder(value.group()):
                yield value.span()
    for place in reading.where("secret.open"):
        yield reading.span(*place)
    for place in reading.where("label.login"):
        last = min(place.last + _RECIPE_WORDS, len(reading.tokens) - 1)
        told = [index for index in range(place.last + 1, last + 1) if reading.tagged(index, "secret.recipe")]
        if told and any(reading.tagged(index, "secret.copula", "secret.set") for index in _around(place, told[0])):
            yield reading.span(place.first, last)


def _around(place: Tagged, until: int) -> range:
    return range(max(place.first - _SET_WORDS, 0), until)


@rule(
    "secret.code",
    "A PIN, door or login code with its digits.",
    needs=("label.pin",),
    fires=("Min portkod: 7730", "the door code is 1199#"),
    quiet=("Pin the note in room 7730", "Status code 77301 means retry"),
)
def code(reading: Reading) -> Iterator[tuple[int, int]]:
    """After a label: three to ten letters and digits, at least three digits among them."""
    for place in reading.where("label.pin"):
        verb = reading.word(place.last) == "pin" and reading.word(place.last + 1) in ("the", "this", "that", "it")
        if verb or reading.tagged(place.first - 1, "code.kind"):
            continue
        for index in range(place.last + 1, min(place.last + 1 + _CODE_WORDS, len(reading.tokens))):
            token = reading.tokens[index]
            if reading.tagged(index + 1, *_COUNTED):
                continue
            if sum(map(str.isdigit, token.word)) >= 3 and _CODE.fullmatch(token.word):  # noqa: PLR2004 -- a short code
                yield token.start, token.end
                break


@rule(
    "secret.lock",
    "The number that opens a lock or switches off an alarm, told in a sentence.",
    needs=("lock.thing",),
    fires=("The garage opens with 8814", "Skåpet på gymmet låses upp med 3391"),
    quiet=("The gate opens at 0800 hours", "Garaget öppnas om 120 minuter"),
)
def lock(reading: Reading) -> Iterator[tuple[int, int]]:
    """Find a thing that locks, a word for opening it and three to eight digits in one sentence."""
    for place in reading.where("lock.thing"):
        if not near_tokens(reading, place, "lock.act", before=_LOCK_WORDS, after=_LOCK_WORDS):
            continue
        for index in reading.beside(place, before=0, after=_LOCK_WORDS):
            token = reading.tokens[index]
            counted = reading.tagged(index + 1, *_COUNTED)
            if _LOCK_NUMBER.fullmatch(token.word) and not counted and reading.word(index - 1) not in _LOCK_TIMES:
                yield token.start, token.end
                break


RULES: Final = (shape, private_key, url_credentials, command, assigned, entropy, prose, asked, code, lock)
