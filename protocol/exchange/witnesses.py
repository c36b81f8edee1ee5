"""Whether those whom a party trusts have seen the operator's log: its own policy, in a file beside its key.

    bob.key.policy    C2SP tlog-policy

The rules of a record ask for the log's own signature, and a Trent could sign a log that nobody else ever sees. With a
policy, the party answers nothing before the witnesses that it names have cosigned the last proof on record.
"""

from pathlib import Path

from ledger import reading
from ledger.errors import LedgerError, Refused
from ledger.tlog import policy as policies
from ledger.tlog import proofs
from ledger.tlog.policy import NotWitnessed, Policy
from protocol.matter import terms
from protocol.matter.state import Matter


def policy_file(key_file: Path) -> Path:
    """Where a party's policy is, if it has one."""
    return key_file.with_name(f"{key_file.name}.policy")


def own_policy(key_file: Path) -> Policy | None:
    """The policy beside a key, if there is one."""
    path = policy_file(key_file)
    if not path.exists():
        return None
    try:
        return policies.decode(reading.whole(path, policies.MAX_SIZE, "a policy"))
    except LedgerError as error:
        raise Refused(f"{path}: {error}") from None
    except OSError as error:
        raise Refused(f"{path} cannot be read: {error.strerror or error}") from None


def check(state: Matter, policy: Policy | None) -> None:
    """Refuse to answer if a log is agreed on, and the last proof of it lacks the witnesses that the party asks for."""
    asked = state.terms.witnesses
    if policy is None or asked is None or asked.log is None or not state.proof:
        return
    try:
        policy.check(proofs.parse(state.proof).note, terms.log_key(asked.log))
    except NotWitnessed as error:
        raise Refused(
            f"the last proof of the operator's log on record does not satisfy the policy beside your key: {error}. Ask "
            "Trent for a proof with these witnesses, or take the policy away if you do not ask for them any more"
        ) from None
