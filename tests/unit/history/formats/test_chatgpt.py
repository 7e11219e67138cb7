"""ChatGPT exports."""

import io
import json
from typing import Any

import pytest

from oblio.errors.ingest import SourceBroken
from oblio.history.formats.chatgpt import read
from oblio.history.formats.limits import Limits
from oblio.history.formats.message import Found
from oblio.model.conversation import ReadMessage, Skip, Skipped


def node(text: Any, *, parent: str | None, children: tuple[str, ...] = (), role: str = "user") -> dict[str, Any]:
    message = {
        "author": {"role": role, "name": None},
        "create_time": 1_767_225_600.5,
        "content": {"content_type": "text", "parts": [text]},
    }
    return {"message": message, "parent": parent, "children": list(children)}


def read_all(value: Any, *, limits: Limits | None = None) -> list[Found]:
    data = value if isinstance(value, bytes) else json.dumps(value).encode()
    return list(read(io.BytesIO(data), name="export", limits=limits or Limits()))


def chat(mapping: dict[str, Any], **fields: Any) -> dict[str, Any]:
    return {"conversation_id": "c", "title": "Trip", "mapping": mapping, **fields}


def tree(found: list[Found]) -> list[tuple[str, str | None]]:
    return [(item.message, item.parent) for _, item, _ in found if isinstance(item, ReadMessage)]


def reasons(found: list[Found]) -> list[Skip]:
    return [item.reason for _, item, _ in found if isinstance(item, Skipped)]


BRANCHED = {
    "root": {"message": None, "parent": None, "children": ["sys"]},
    "sys": node("", parent="root", children=("q",), role="system"),
    "q": node("question", parent="sys", children=("a1", "a2")),
    "a1": node("first answer", parent="q", children=("thanks",), role="assistant"),
    "a2": node("second answer", parent="q", role="assistant"),
    "thanks": node("thanks", parent="a1"),
}


def test_all_branches_are_kept_with_parents_before_replies() -> None:
    found = read_all([chat(BRANCHED, current_node="a2")])
    assert tree(found) == [("q", None), ("a1", "q"), ("thanks", "a1"), ("a2", "q")]
    assert reasons(found) == [Skip.EMPTY]
    assert {title for _, _, title in found} == {"Trip"}


def test_the_order_does_not_depend_on_the_order_of_the_mapping() -> None:
    backwards = dict(reversed(BRANCHED.items()))
    assert tree(read_all([chat(backwards)])) == tree(read_all([chat(BRANCHED)]))


def test_parent_links_are_enough() -> None:
    mapping = {"a": node("a", parent=None), "b": node("b", parent="a"), "c": node("c", parent="b")}
    assert tree(read_all([chat(mapping)])) == [("a", None), ("b", "a"), ("c", "b")]


def test_a_circle_ends_and_hides_nothing() -> None:
    mapping = {
        "a": node("a", parent="c", children=("b",)),
        "b": node("b", parent="a", children=("c",)),
        "c": node("c", parent="b", children=("a",)),
    }
    found = read_all([chat(mapping)])
    assert tree(found) == [("a", None), ("b", "a"), ("c", "b")]
    assert reasons(found) == [Skip.CYCLE]


def test_a_node_that_is_its_own_child_is_read_once() -> None:
    found = read_all([chat({"a": node("a", parent="a", children=("a", "gone"))})])
    assert tree(found) == [("a", None)]
    assert reasons(found) == [Skip.CYCLE]


def test_a_long_thread_needs_no_recursion() -> None:
    mapping = {str(n): node("x", parent=str(n - 1) if n else None) for n in range(5_000)}
    assert len(tree(read_all([chat(mapping)]))) == 5_000


def test_a_second_message_with_the_same_id_is_counted() -> None:
    first, second = node("a", parent=None, children=("b",)), node("b", parent="a")
    first["message"]["id"] = second["message"]["id"] = "same"
    found = read_all([chat({"a": first, "b": second})])
    assert tree(found) == [("same", None)]
    assert reasons(found) == [Skip.DUPLICATE]


def test_voice_is_read_as_text_and_pictures_are_counted() -> None:
    spoken = node("", parent=None)
    spoken["message"]["content"] = {
        "content_type": "multimodal_text",
        "parts": [{"content_type": "audio_transcription", "text": "said"}, {"content_type": "image_asset_pointer"}],
    }
    code = node("", parent=None, role="assistant")
    code["message"]["content"] = {"content_type": "code", "text": "print(1)"}
    found = read_all([chat({"a": spoken, "b": code})])
    assert [item.text for _, item, _ in found if isinstance(item, ReadMessage)] == ["said", "print(1)"]
    assert reasons(found) == [Skip.PART]


@pytest.mark.parametrize(
    ("broken", "reason"),
    [
        (b'{"mapping": 3}', Skip.UNREADABLE),
        (b'{"title": "\xff", "mapping": {}}', Skip.UNREADABLE),
        (b'{"mapping": {"a": 3}}', Skip.UNREADABLE),
        (b'{"mapping": {"a": {"message": 3}}}', Skip.UNREADABLE),
        (b'{"mapping": {"a": {"message": {"author": {"role": "ghost"}}}}}', Skip.UNREADABLE),
        (b'{"mapping": {"a": {"message": {"author": {"role": "user"}}}}}', Skip.EMPTY),
        (b'{"mapping": nonsense}', Skip.UNREADABLE),
        (b'{"a":' * 5_000 + b"1" + b"}" * 5_000, Skip.TOO_DEEP),
        (b'{"a": "' + b"x" * 400_000 + b'"}', Skip.TOO_LARGE),
    ],
)
def test_a_bad_conversation_is_counted_and_the_next_one_read(broken: bytes, reason: Skip) -> None:
    good = json.dumps(chat({"a": node("a", parent=None)})).encode()
    found = read_all(b"[" + broken + b",\n" + good + b"]", limits=Limits(record_bytes=300_000))
    assert reasons(found) == [reason]
    assert tree(found) == [("a", None)]


@pytest.mark.parametrize("cut", [1, 10, 200, 2_000])
def test_a_document_that_breaks_off_is_an_error_after_what_was_whole(cut: int) -> None:
    data = json.dumps([chat({"a": node("a" * 3_000, parent=None)}) for _ in range(2)]).encode()
    found = read(io.BytesIO(data[:-cut]), name="n", limits=Limits())
    assert isinstance(next(found).item, ReadMessage)
    with pytest.raises(SourceBroken):
        list(found)


@pytest.mark.parametrize("data", [b"[]]", b"}", b'[{"mapping": {}}', b'"open'])
def test_brackets_that_do_not_match_are_an_error(data: bytes) -> None:
    with pytest.raises(SourceBroken):
        read_all(data)


def test_one_conversation_without_a_list_is_read() -> None:
    assert tree(read_all(json.dumps(chat(BRANCHED), indent=1).encode()))[0] == ("q", None)


def test_half_a_surrogate_pair_costs_one_character() -> None:
    data = json.dumps([chat({"a": node("x\udc00y", parent=None)}, title="\ud800t")]).encode()
    found = read_all(data)
    assert isinstance(found[0].item, ReadMessage)
    assert found[0].item.text == "x\ufffdy"
    assert found[0].title == "\ufffdt"
