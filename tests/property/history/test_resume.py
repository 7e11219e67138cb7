"""Reading can stop behind any record and go on there; how the bytes arrive makes no difference."""

import io
import json
import zipfile
from itertools import pairwise
from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from oblio.errors.ingest import ArchiveBroken, SourceBroken
from oblio.history.formats.detect import Format, open_source
from oblio.history.formats.document import _Cutter, records
from oblio.history.formats.limits import Limits
from oblio.model.conversation import Skip

TEXTS = st.text(max_size=12)
ROLES = st.sampled_from(["user", "assistant", "nobody"])
CONTENTS = st.one_of(TEXTS, st.lists(st.one_of(TEXTS, st.just({"type": "image_url"})), max_size=3))
MESSAGES = st.fixed_dictionaries({"role": ROLES, "content": CONTENTS}, optional={"id": st.sampled_from("abc")})
LINES = st.one_of(
    MESSAGES.map(json.dumps),
    st.fixed_dictionaries({"messages": st.lists(MESSAGES, max_size=4)}).map(json.dumps),
    st.sampled_from(["", "noise", "[", '{"role": "us']),
)
JSONL = st.lists(LINES, max_size=6).map(lambda lines: "\n".join(lines).encode())


@st.composite
def chats(draw: st.DrawFn) -> bytes:
    """A list of conversations whose nodes point at each other at random, in circles too."""
    keys = st.sampled_from("abcdef")

    def node(_: str) -> dict[str, Any]:
        message = {"author": {"role": draw(ROLES)}, "content": {"parts": [draw(TEXTS)]}}
        return {"message": message, "parent": draw(keys), "children": draw(st.lists(keys, max_size=2))}

    size = draw(st.integers(0, 3))
    return json.dumps([{"mapping": {key: node(key) for key in draw(st.sets(keys))}} for _ in range(size)]).encode()


@st.composite
def sources(draw: st.DrawFn) -> tuple[bytes, Format | None]:
    if draw(st.booleans()):
        return draw(JSONL), Format.JSONL
    if draw(st.booleans()):
        return draw(chats()), Format.CHATGPT
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w") as archive:
        for number in range(draw(st.integers(1, 3))):
            archive.writestr(f"{number}.jsonl", draw(JSONL))
    return buffer.getvalue(), Format.JSONL


@given(sources(), st.data())
def test_reading_goes_on_behind_any_record(source: tuple[bytes, Format | None], data: st.DataObject) -> None:
    content, form = source
    whole = list(open_source(io.BytesIO(content), format=form))
    assert len({record.position for record in whole}) == len(whole)
    if whole:
        cut = data.draw(st.integers(0, len(whole) - 1))
        rest = list(open_source(io.BytesIO(content), format=form, after=whole[cut].position))
        assert rest == whole[cut + 1 :]


JSON = st.recursive(
    st.one_of(st.none(), st.booleans(), st.integers(), st.text(), st.sampled_from(['"', "\\", '\\"]}', "[{"])),
    lambda inner: st.one_of(st.lists(inner, max_size=3), st.dictionaries(st.text(max_size=3), inner, max_size=3)),
    max_leaves=12,
)


@given(st.lists(st.dictionaries(st.text(max_size=3), JSON, max_size=3), max_size=4), st.data())
def test_a_document_is_cut_the_same_however_it_arrives(values: list[dict[str, Any]], data: st.DataObject) -> None:
    content = json.dumps(values, ensure_ascii=data.draw(st.booleans())).encode("utf-8", "surrogatepass")
    assert [
        json.loads(one) for one in records(io.BytesIO(content), limits=Limits()) if not isinstance(one, Skip)
    ] == values
    cutter = _Cutter(listed=True, limits=Limits())
    cuts = sorted(data.draw(st.sets(st.integers(0, len(content)), max_size=8)) | {0, len(content)})
    pieces = [content[start:end] for start, end in pairwise(cuts)]
    assert [json.loads(one) for piece in pieces for one in cutter.feed(piece) if not isinstance(one, Skip)] == values
    cutter.end()


@given(st.binary(max_size=200), st.sampled_from(Format))
def test_any_bytes_are_read_or_refused(content: bytes, form: Format) -> None:
    try:
        found = list(open_source(io.BytesIO(b"[" + content), format=form))
    except (SourceBroken, ArchiveBroken):
        return
    assert all(record.position.startswith("1:1:") for record in found)


@given(st.text(alphabet='[]{}",\\ a', max_size=40))
def test_the_cutter_ends_on_any_brackets(content: str) -> None:
    try:
        list(records(io.BytesIO(content.encode()), limits=Limits()))
    except SourceBroken:
        assert content
