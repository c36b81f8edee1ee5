"""Proofs of documents with parts: open or withheld they lead to one leaf, and what has another shape is refused."""

from collections.abc import Callable
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.support.literal_corpus import tagged
from tests.verifier.hand_made import DOCUMENTS, canonical, leaf, log, part, part_salt, proof
from verifier.record.hashing import log_node
from verifier.record.parts import MOST_PARTS, read_path, read_proof, read_proofs
from verifier.record.shapes import Malformed

words = st.text(st.characters(exclude_categories=["Cs"]), max_size=12)
any_documents = st.lists(st.tuples(words, words, st.binary(max_size=9), words), min_size=1, max_size=5).map(
    lambda found: [
        part(name, text, content, parent=None if place == 0 else place // 2, log={"author": author})
        for place, (name, text, content, author) in enumerate(found)
    ]
)


@pytest.mark.parametrize("number", range(len(DOCUMENTS)))
def test_an_open_proof_leads_to_the_leaf_of_the_definition(number: int) -> None:
    found = read_proof(proof(DOCUMENTS, number))
    assert found.leaf(number) == leaf(DOCUMENTS, number)
    assert found.name == DOCUMENTS[number][0]["rest"]["name"]
    assert not any(each.withheld for each in found.parts)


@pytest.mark.parametrize("withheld", [(0,), (1,), (3,), (1, 2), (0, 1, 2, 3)])
def test_whatever_is_withheld_the_leaf_is_the_same(withheld: tuple[int, ...]) -> None:
    found = read_proof(proof(DOCUMENTS, 3, *withheld))
    assert found.leaf(3) == leaf(DOCUMENTS, 3)
    assert [place for place, each in enumerate(found.parts) if each.withheld] == list(withheld)
    assert (found.name is None) == (0 in withheld)
    for place in withheld:
        assert found.parts[place].log.recipients == "bob, cy"
        assert (found.parts[place].content, found.parts[place].text, found.parts[place].rest) == (b"", b"", None)


@given(any_documents, st.data())
def test_any_document_leads_to_its_leaf_with_any_parts_withheld(document: Any, data: st.DataObject) -> None:
    hidden = data.draw(st.sets(st.integers(0, len(document) - 1)))
    assert read_proof(proof([document], 0, *hidden)).leaf(0) == leaf([document], 0)


def test_a_log_node_can_be_opened_without_the_rest() -> None:
    own = tagged("log-salt", part_salt(3, 1))
    shown = proof(DOCUMENTS, 3, 1)["parts"][1]
    assert shown.keys() == {"body", "log", "rest", "salt"}
    assert shown["salt"] == own.hex() != part_salt(3, 1).hex()
    assert log_node(own, canonical(shown["log"])) == log_node(own, canonical(DOCUMENTS[3][1]["log"]))


CHANGES: dict[str, Callable[[dict[str, Any]], Any]] = {
    "another content": lambda found: found["parts"][0].update(content="11" * 32),
    "another text": lambda found: found["parts"][1].update(text="11" * 32),
    "another salt": lambda found: found["parts"][2].update(salt="11" * 32),
    "another row": lambda found: found.update(row="11" * 32),
    "another author": lambda found: found["parts"][0]["log"].update(author="eve"),
    "another recipient": lambda found: found["parts"][3]["log"].pop("recipients"),
    "another date": lambda found: found["parts"][3]["log"].update(date="2001-05-16"),
    "another type": lambda found: found["parts"][3]["log"].update(type="note"),
    "another parent": lambda found: found["parts"][3]["log"].update(parent=1),
    "another name": lambda found: found["parts"][0]["rest"].update(name="other"),
    "another custodian": lambda found: found["parts"][0]["rest"].update(custodians=["Bo"]),
    "one custodian more": lambda found: found["parts"][0]["rest"].update(custodians=["Ann", "Bo"]),
    "another path": lambda found: found["parts"][0]["rest"].pop("paths"),
    "another subject": lambda found: found["parts"][0]["rest"]["fields"].update(subject="oil"),
    "another field": lambda found: found["parts"][0]["rest"]["fields"].update(cc=""),
    "another tool": lambda found: found["parts"][0]["rest"]["extraction"].update(tool="foot"),
    "pages": lambda found: found["parts"][0]["rest"].update(pages=0),
    "a part less": lambda found: found["parts"].pop(),
    "a part twice": lambda found: found["parts"].append(found["parts"][3]),
    "two parts swapped": lambda found: found["parts"].insert(2, found["parts"].pop()),
}


@pytest.mark.parametrize("change", CHANGES.values(), ids=CHANGES)
def test_whatever_is_changed_in_a_proof_leads_to_another_leaf(change: Callable[[dict[str, Any]], Any]) -> None:
    found = deep(proof(DOCUMENTS, 3))
    change(found)
    assert read_proof(found).leaf(3) != leaf(DOCUMENTS, 3)


@pytest.mark.parametrize("name", ["body", "rest", "salt"])
def test_whatever_is_changed_in_a_withheld_part_leads_to_another_leaf(name: str) -> None:
    found = deep(proof(DOCUMENTS, 3, 1))
    found["parts"][1][name] = "11" * 32
    assert read_proof(found).leaf(3) != leaf(DOCUMENTS, 3)


def test_a_proof_for_another_number_leads_to_another_leaf() -> None:
    assert read_proof(proof(DOCUMENTS, 3)).leaf(2) != leaf(DOCUMENTS, 3)


def deep(value: Any) -> Any:
    """A copy of its own."""
    if isinstance(value, dict):
        return {key: deep(item) for key, item in value.items()}
    return [deep(item) for item in value] if isinstance(value, list) else value


def first(found: Any) -> Any:
    return found["parts"][0]


MALFORMED: dict[str, Callable[[Any], Any]] = {
    "no parts": lambda found: found.update(parts=[]),
    "parts that are no array": lambda found: found.update(parts={}),
    "a part that is no object": lambda found: found.update(parts=["x"]),
    "no row": lambda found: found.pop("row"),
    "a row that is no hash": lambda found: found.update(row="11" * 31),
    "a row in capitals": lambda found: found.update(row="AA" * 32),
    "a path of its own": lambda found: found.update(path=""),
    "a field too many in a part": lambda found: first(found).update(body="11" * 32),
    "a field too few in a part": lambda found: first(found).pop("salt"),
    "a withheld part with content": lambda found: found["parts"][1].update(content="11" * 32),
    "a withheld part with its rest open": lambda found: found["parts"][1].update(rest=first(found)["rest"]),
    "a withheld part without its body": lambda found: found["parts"][1].pop("body"),
    "an open part with its rest hidden": lambda found: first(found).update(rest="11" * 32),
    "a text that is no hash": lambda found: first(found).update(text="gas"),
    "a content that is no hash": lambda found: first(found).update(content=7),
    "a log that is no object": lambda found: first(found).update(log=[]),
    "a log with a field too many": lambda found: first(found)["log"].update(cc=""),
    "a log with nothing in it": lambda found: found["parts"][0].update(log={}),
    "a date that is empty": lambda found: first(found)["log"].update(date=""),
    "an author that is null": lambda found: first(found)["log"].update(author=None),
    "recipients as an array": lambda found: first(found)["log"].update(recipients=["bob"]),
    "a date that is a number": lambda found: first(found)["log"].update(date=2001),
    "a parent of part 0": lambda found: first(found)["log"].update(parent=0),
    "no parent of part 1": lambda found: found["parts"][1]["log"].update(parent=None),
    "a part as its own parent": lambda found: found["parts"][2]["log"].update(parent=2),
    "a later part as parent": lambda found: found["parts"][2]["log"].update(parent=3),
    "a parent below 0": lambda found: found["parts"][2]["log"].update(parent=-1),
    "a parent that is true": lambda found: found["parts"][2]["log"].update(parent=True),
    "a rest with a field too many": lambda found: first(found)["rest"].update(cc=""),
    "no rest": lambda found: first(found).pop("rest"),
    "a name that is empty": lambda found: first(found)["rest"].update(name=""),
    "pages that are null": lambda found: first(found)["rest"].update(pages=None),
    "custodians that are none": lambda found: first(found)["rest"].update(custodians=[]),
    "paths that are none": lambda found: first(found)["rest"].update(paths=[]),
    "fields that are none": lambda found: first(found)["rest"].update(fields={}),
    "an extraction with nothing in it": lambda found: first(found)["rest"].update(extraction={}),
    "options that are empty": lambda found: first(found)["rest"]["extraction"].update(options=""),
    "a text that is the content": lambda found: first(found).update(text=first(found)["content"]),
    "a text that is null": lambda found: first(found).update(text=None),
    "a name that is null": lambda found: first(found)["rest"].update(name=None),
    "pages below 0": lambda found: first(found)["rest"].update(pages=-1),
    "pages as text": lambda found: first(found)["rest"].update(pages="3"),
    "custodians as text": lambda found: first(found)["rest"].update(custodians="Ann"),
    "a custodian that is null": lambda found: first(found)["rest"].update(custodians=[None]),
    "fields as an array": lambda found: first(found)["rest"].update(fields=[]),
    "a field that is no text": lambda found: first(found)["rest"]["fields"].update(subject=3),
    "a field without a name": lambda found: first(found)["rest"]["fields"].update({"": "x"}),
    "a field whose name is no name": lambda found: first(found)["rest"]["fields"].update({"Date Sent": "x"}),
    "an extraction as text": lambda found: first(found)["rest"].update(extraction="hand"),
    "an extraction with a field too many": lambda found: first(found)["rest"]["extraction"].update(version=""),
    "paths as text": lambda found: first(found)["rest"].update(paths="box"),
}


@pytest.mark.parametrize("change", MALFORMED.values(), ids=MALFORMED)
def test_what_does_not_have_the_shape_of_a_proof_is_refused(change: Callable[[Any], Any]) -> None:
    found = deep(proof(DOCUMENTS, 3, 1))
    read_proof(found)
    change(found)
    with pytest.raises(Malformed):
        read_proof(found)
    with pytest.raises(Malformed):
        read_proofs([proof(DOCUMENTS, 0), found])


def test_many_proofs_are_read_as_each_alone() -> None:
    values = [proof(DOCUMENTS, number) for number in range(len(DOCUMENTS))]
    assert read_proofs(values) == list(map(read_proof, values))
    values[3] = proof(DOCUMENTS, 3, 1)
    assert read_proofs(values) == list(map(read_proof, values))


@pytest.mark.parametrize("rest", [[], "", None, 7, {"pages": None}])
def test_what_is_no_rest_in_any_of_many_open_parts_is_refused(rest: Any) -> None:
    found = deep(proof(DOCUMENTS, 3))
    found["parts"] = [part | {"rest": rest} for part in found["parts"]]
    with pytest.raises(Malformed, match="rest: "):
        read_proofs([found])


@pytest.mark.parametrize("value", [None, [], {}, "", 7, True, "11" * 32])
def test_what_is_no_proof_at_all_is_refused(value: Any) -> None:
    with pytest.raises(Malformed):
        read_proof(value)


@pytest.mark.slow
def test_there_are_at_most_2_to_the_16_parts() -> None:
    one = {"body": "11" * 32, "rest": "11" * 32, "salt": "11" * 32}
    parts = [{"log": log(None if place == 0 else 0), **one} for place in range(MOST_PARTS + 1)]
    assert len(read_proof({"parts": parts[:-1], "row": "11" * 32}).parts) == 2**16
    with pytest.raises(Malformed, match="1 to 65536 parts"):
        read_proof({"parts": parts, "row": "11" * 32})


def test_a_path_is_hashes_in_hex() -> None:
    assert read_path("") == b""
    assert read_path("ab" * 64) == b"\xab" * 64


@pytest.mark.parametrize(
    "value", [None, 7, [], {}, ["ab" * 32], "ab", "ab" * 33, "AB" * 32, "zz" * 32, f"{'ab' * 31} a", "é"]
)
def test_what_is_no_path_is_refused(value: Any) -> None:
    with pytest.raises(Malformed):
        read_path(value)
