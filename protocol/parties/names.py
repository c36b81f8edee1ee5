"""What people are called: by their role, and by the name that the caption gives them."""

from ledger.roles import Role
from protocol.matter.values import Opened


def called(opening: Opened, role: Role | str) -> str:
    """A party by its role and its name, as in "Bob (Meridian Energy)"."""
    caption, role = opening.caption, Role(role)
    name = caption.names.get(role, "") if caption else ""
    return f"{role.called} ({name})" if name else role.called
