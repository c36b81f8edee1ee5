"""What the server answers and what it refuses, without a socket."""

import json
from hashlib import sha256
from pathlib import Path

import pytest

from ledger import records
from ledger.hashing import Digest
from ledger.roles import Role
from protocol.box import challenge, sealing
from protocol.box.challenge import Wanted
from protocol.box.filling import Clerk
from protocol.box.layout import MAX_ANSWER
from protocol.box.limits import Limits
from protocol.box.logbook import Logbook
from protocol.box.server import app
from tests.support.boxes import (
    ENTRY,
    KEYS,
    MATTER,
    NAME,
    OTHER_MATTER,
    PUBLIC,
    STRANGER,
    TRENT,
    Called,
    at,
    clerk,
    question,
)

LETTER = sealing.sealed(b"my labels", TRENT)
HASH = Digest(sha256(LETTER).digest())


class Desk:
    """A server of a mailbox with one matter, and its log."""

    def __init__(self, folder: Path, limits: Limits) -> None:
        self.clerk: Clerk = clerk(folder)
        self.log = list[str]()
        self.ask = Called(app(self.clerk.box, NAME, limits, Logbook(self.log.append)))

    def refused(self, *words: str) -> bool:
        """Whether the last line of the log has a refusal with these words."""
        return all(word in json.loads(self.log[-1])["refused"] for word in words)


@pytest.fixture
def desk(tmp_path: Path) -> Desk:
    return Desk(tmp_path, Limits(spare_disk=0))


def test_a_party_fetches_its_question_and_sends_its_answer(desk: Desk) -> None:
    name = question(desk.clerk, Role.ALICE, b"x" * 200_000)
    token = desk.ask.token()
    (listed,) = desk.ask("GET", at("questions"), token=token).json["questions"]
    said = desk.ask("GET", at(f"questions/{name}"), token=token)
    assert (listed["name"], listed["size"], listed["sha256"]) == (name, len(said.body), sha256(said.body).hexdigest())
    assert said.headers["content-length"] == str(len(said.body))
    assert sealing.unsealed(said.body, KEYS[Role.ALICE]) == b"x" * 200_000
    assert desk.ask("POST", at("answers"), LETTER, token=token).status == 201
    assert desk.ask("POST", at("answers"), LETTER, token=token).status == 200
    assert desk.ask("GET", at(f"receipts/{HASH.hex()}"), token=token).status == 202
    (arrived,) = desk.clerk.arrived()
    assert desk.clerk.read(arrived) == b"my labels"
    desk.clerk.accept(arrived, "labels", entry=3)
    assert desk.ask("GET", at(f"receipts/{HASH.hex()}"), token=token).json["receipt"]["outcome"] == "accepted"


def test_a_key_learns_where_it_is_in_force_and_a_stranger_nothing(desk: Desk) -> None:
    wanted = Wanted(matter=None, role=None)
    for key, found in ((KEYS[Role.BOB], [{"matter": MATTER.hex(), "role": "bob"}]), (STRANGER, [])):
        login = records.encode(challenge.signed(key, wanted, desk.ask.challenge(None, None), NAME))
        assert desk.ask("POST", "/matters", login).json == {"matters": found}
    assert desk.ask("POST", "/session", login).status == 400
    assert desk.ask("POST", "/matters", records.encode(desk.ask.login())).status == 400


def test_a_replayed_question_about_matters_is_refused(desk: Desk) -> None:
    wanted = Wanted(matter=None, role=None)
    login = records.encode(challenge.signed(KEYS[Role.BOB], wanted, desk.ask.challenge(None, None), NAME))
    assert desk.ask("POST", "/matters", login).status == 200
    assert desk.ask("POST", "/matters", login).status == 401


@pytest.mark.parametrize(("role", "matter"), [(Role.ALICE, MATTER), (Role.BOB, MATTER), (Role.ALICE, OTHER_MATTER)])
def test_a_key_that_is_not_enrolled_gets_no_token_and_does_not_learn_which_matters_there_are(
    desk: Desk, role: Role, matter: Digest
) -> None:
    said = desk.ask("POST", "/session", records.encode(desk.ask.login(role, matter, key=STRANGER)))
    assert said.status == 403
    assert "not the one in force for this role in this matter, or the mailbox does not have the matter" in said.error
    assert desk.refused("not the one in force")


def test_a_partys_key_is_not_that_of_another_role(desk: Desk) -> None:
    login = desk.ask.login(Role.ALICE, key=KEYS[Role.BOB])
    assert desk.ask("POST", "/session", records.encode(login)).status == 403


def test_a_replayed_login_is_refused(desk: Desk) -> None:
    login = records.encode(desk.ask.login())
    assert desk.ask("POST", "/session", login).status == 200
    said = desk.ask("POST", "/session", login)
    assert (said.status, said.error) == (401, "the challenge was used already; ask for a new one")


def test_a_challenge_for_trent_or_for_half_a_place_is_refused(desk: Desk) -> None:
    for wanted in (
        Wanted(matter=MATTER, role=Role.TRENT),
        Wanted(matter=MATTER, role=None),
        Wanted(matter=None, role=Role.BOB),
    ):
        assert desk.ask("POST", "/challenge", records.encode(wanted)).status == 400


PLACES = [
    ("GET", "parties"),
    ("GET", "questions"),
    ("GET", f"questions/1-report-for-alice-{ENTRY.hex()}"),
    ("POST", "answers"),
    ("GET", f"receipts/{HASH.hex()}"),
]


@pytest.mark.parametrize(("method", "place"), PLACES, ids=range(len(PLACES)))
def test_nothing_is_shown_or_taken_without_a_token(desk: Desk, method: str, place: str) -> None:
    question(desk.clerk, Role.ALICE)
    for headers in ({}, {"authorization": "Bearer x"}, {"authorization": "Basic x"}, {"authorization": "Bearer"}):
        said = desk.ask(method, at(place), LETTER, headers=headers)
        assert (said.status, "log in first" in said.error) == (401, True)
    assert desk.clerk.arrived() == []


@pytest.mark.parametrize(("method", "place"), PLACES, ids=range(len(PLACES)))
def test_nothing_of_another_party_or_matter_is_shown_or_taken(desk: Desk, method: str, place: str) -> None:
    question(desk.clerk, Role.ALICE)
    Desk(desk.clerk.box.root, Limits())
    other = Clerk(box=desk.clerk.box, key=KEYS[Role.TRENT], matter=OTHER_MATTER)
    other.enrol(PUBLIC, 1)
    token = desk.ask.token(Role.BOB)
    for path in (at(place), at(place, Role.BOB, OTHER_MATTER), at(place, Role.TRENT)):
        said = desk.ask(method, path, LETTER, token=token)
        assert (said.status, "another matter or role" in said.error) == (403, True)
    assert desk.clerk.arrived() == other.arrived() == []


def test_a_token_ends_when_its_key_is_replaced(desk: Desk) -> None:
    token = desk.ask.token(Role.BOB)
    desk.clerk.enrol(PUBLIC | {Role.BOB: STRANGER.public}, 5)
    assert desk.ask("GET", at("questions", Role.BOB), token=token).status == 403
    assert desk.ask("GET", at("questions", Role.BOB), token=desk.ask.token(Role.BOB, key=STRANGER)).status == 200


@pytest.mark.parametrize(
    "path",
    ["/", "/matters", "/matters/", at("questions") + "/", at("questions/../../../box.json"), at("questions/%2e%2e"),
     at("receipts/x"), at("receipts/" + "A" * 64), "/matters/x/alice/questions", at("nothing"), "/box.json"],
)  # fmt: skip
def test_an_address_that_leads_elsewhere_leads_nowhere(desk: Desk, path: str) -> None:
    assert desk.ask("GET", path, token=desk.ask.token()).status in (403, 404, 405)


@pytest.mark.parametrize("path", ["/challenge", "/session", "/matters"])
def test_a_large_login_is_refused_before_and_while_it_comes(desk: Desk, path: str) -> None:
    assert desk.ask("POST", path, b"x", headers={"content-length": "99999999"}).status == 413
    assert desk.ask("POST", path, pieces=[b"x" * 1000] * 10).status == 413
    assert desk.ask("POST", path, b"x", headers={"content-length": "-1"}).status == 413


def test_a_large_answer_is_refused_before_and_while_it_comes(desk: Desk) -> None:
    token = desk.ask.token()
    said = desk.ask("POST", at("answers"), b"x", token=token, headers={"content-length": str(MAX_ANSWER + 1)})
    assert said.status == 413
    pieces = [bytes(2**20)] * (MAX_ANSWER // 2**20 + 1)
    assert desk.ask("POST", at("answers"), token=token, pieces=pieces).status == 413
    assert desk.clerk.arrived() == []
    assert not [path for path in desk.clerk.box.root.rglob("*") if path.name.startswith(".")]
    assert desk.ask("POST", at("answers"), token=token, pieces=[bytes(MAX_ANSWER)]).status == 201


def test_an_empty_answer_is_refused(desk: Desk) -> None:
    assert desk.ask("POST", at("answers"), b"", token=desk.ask.token()).status == 400


def test_a_party_that_sends_too_many_answers_waits_for_trent(tmp_path: Path) -> None:
    desk = Desk(tmp_path, Limits(answers=3, spare_disk=0))
    token = desk.ask.token()
    assert [desk.ask("POST", at("answers"), bytes([n]), token=token).status for n in range(4)] == [201, 201, 201, 429]
    desk.clerk.refuse(desk.clerk.arrived()[0], "no")
    assert desk.ask("POST", at("answers"), b"more", token=token).status == 201


def test_a_full_disk_is_told_and_nothing_is_lost(tmp_path: Path) -> None:
    desk = Desk(tmp_path, Limits(spare_disk=2**62))
    said = desk.ask("POST", at("answers"), LETTER, token=desk.ask.token())
    assert (said.status, "disk is full" in said.error, said.headers["retry-after"]) == (507, True, "300")
    assert desk.ask("GET", "/ready").status == 503
    assert desk.ask("GET", "/health").status == 200


def test_a_damaged_list_of_keys_is_told_to_the_operator_alone(desk: Desk) -> None:
    token = desk.ask.token()
    (desk.clerk.box.root / MATTER.hex() / "parties.json").write_bytes(b"{")
    said = desk.ask("GET", at("questions"), token=token)
    assert said.status == 503
    assert str(desk.clerk.box.root) not in said.error
    assert str(desk.clerk.box.root) in json.loads(desk.log[-1])["cause"]


def test_readiness_ends_with_the_mailbox(desk: Desk) -> None:
    assert desk.ask("GET", "/ready").status == 200
    (desk.clerk.box.root / "box.json").unlink()
    assert desk.ask("GET", "/ready").status == 503
    assert desk.ask("GET", "/health").status == 200


def test_an_address_that_asks_too_often_is_refused_and_others_are_not(tmp_path: Path) -> None:
    desk = Desk(tmp_path, Limits(address_rate=0.01, address_burst=3, spare_disk=0))
    for behind in ({}, {"x-forwarded-for": "198.51.100.9"}):
        desk.ask.peer = "127.0.0.1" if behind else "192.0.2.1"
        desk.ask.headers = behind
        found = [desk.ask("GET", "/health") for _ in range(5)]
        assert [each.status for each in found] == [200, 200, 200, 429, 429]
        assert int(found[-1].headers["retry-after"]) > 1
        assert desk.refused("too many requests come from this address")
    desk.ask.headers = {"x-forwarded-for": "198.51.100.10"}
    assert desk.ask("GET", "/health").status == 200


def test_all_that_is_behind_a_proxy_does_not_share_one_limit(tmp_path: Path) -> None:
    desk = Desk(tmp_path, Limits(address_rate=0.01, address_burst=3, spare_disk=0))
    assert {desk.ask("GET", "/health").status for _ in range(20)} == {200}


def test_a_party_that_asks_too_often_is_refused_and_the_other_is_not(tmp_path: Path) -> None:
    desk = Desk(tmp_path, Limits(party_rate=0.01, party_burst=3, spare_disk=0))
    alice, bob = desk.ask.token(), desk.ask.token(Role.BOB)
    assert [desk.ask("GET", at("questions"), token=alice).status for _ in range(5)] == [200, 200, 200, 429, 429]
    again = desk.ask.token()
    assert desk.ask("GET", at("questions"), token=again).status == 429, "a new token is no new party"
    assert desk.ask("GET", at("questions", Role.BOB), token=bob).status == 200


def test_strangers_cannot_use_up_a_partys_limit(tmp_path: Path) -> None:
    desk = Desk(tmp_path, Limits(party_rate=0.01, party_burst=3, spare_disk=0))
    for _ in range(20):
        desk.ask("POST", "/session", records.encode(desk.ask.login(key=STRANGER)))
        desk.ask("GET", at("questions"), token="wrong")
    assert desk.ask("GET", at("questions"), token=desk.ask.token()).status == 200


def test_every_request_is_in_the_log_and_no_content(desk: Desk) -> None:
    name = question(desk.clerk, Role.ALICE, b"the question's words")
    login = desk.ask.login()
    token = str(desk.ask("POST", "/session", records.encode(login)).json["token"])
    said = desk.ask("GET", at(f"questions/{name}"), token=token)
    desk.ask("POST", at("answers"), LETTER, token=token)
    desk.ask("GET", "/nowhere", token=token)
    lines = [json.loads(line) for line in desk.log]
    assert [(line["method"], line["status"]) for line in lines] == [
        ("POST", 200), ("POST", 200), ("GET", 200), ("POST", 201), ("GET", 404)
    ]  # fmt: skip
    assert [line.get("role") for line in lines] == [None, "alice", "alice", "alice", None]
    assert (lines[2]["sent"], lines[3]["got"]) == (len(said.body), len(LETTER))
    log = "\n".join(desk.log)
    for secret in (token, login.signature.hex(), login.login.nonce.hex(), "words", LETTER.hex()):
        assert secret not in log


def test_answers_are_never_kept_by_a_browser_or_proxy(desk: Desk) -> None:
    for said in (desk.ask("GET", "/health"), desk.ask("GET", "/nowhere")):
        assert said.headers["cache-control"] == "no-store"
        assert said.headers["x-content-type-options"] == "nosniff"


def test_a_failure_of_the_program_is_told_without_a_traceback(desk: Desk, monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(*_: object) -> None:
        raise ZeroDivisionError("a secret")

    token = desk.ask.token()
    monkeypatch.setattr(type(desk.clerk.box), "questions", fail)
    said = desk.ask("GET", at("questions"), token=token)
    assert said.status == 500
    assert "secret" not in said.error
    assert "ZeroDivisionError" in json.loads(desk.log[-1])["cause"]
