"""What Outlook says of contacts, appointments and tasks beside their texts, as lines that people can read."""

from collections.abc import Iterator

from protocol.sources.formats.mapi import TIME, Properties

NAMED = 0x10000
"""Added to the number of a named property, which has another number in every file."""

_CONTACT = {
    0x3001: "Name",
    0x3A4F: "Nickname",
    0x3A16: "Company",
    0x3A18: "Department",
    0x3A17: "Title",
    0x3A08: "Business phone",
    0x3A1B: "Business phone 2",
    0x3A09: "Home phone",
    0x3A1C: "Mobile phone",
    0x3A24: "Fax",
    NAMED + 0x8083: "E-mail",
    NAMED + 0x8093: "E-mail 2",
    NAMED + 0x80A3: "E-mail 3",
    NAMED + 0x8062: "Chat",
    NAMED + 0x801B: "Business address",
    NAMED + 0x801A: "Home address",
    0x3A15: "Address",
    0x3A51: "Web page",
    0x3A41: "Anniversary",
    0x3A42: "Birthday",
    0x3A48: "Spouse",
    0x3A4E: "Manager",
    0x3A30: "Assistant",
}
_APPOINTMENT = {
    NAMED + 0x8208: "Location",
    NAMED + 0x820D: "Start",
    NAMED + 0x820E: "End",
    NAMED + 0x8232: "Recurrence",
    NAMED + 0x8238: "Attendees",
}
_TASK = {NAMED + 0x8104: "Start", NAMED + 0x8105: "Due", NAMED + 0x810F: "Completed", NAMED + 0x811F: "Owner"}

_BY_CLASS = {
    "ipm.contact": _CONTACT,
    "ipm.distlist": _CONTACT,
    "ipm.appointment": _APPOINTMENT,
    "ipm.schedule": _APPOINTMENT,
    "ipm.task": _TASK,
}


def described(properties: Properties) -> Iterator[tuple[str, str]]:
    """Names and values; none for a mail."""
    told = properties.text(0x001A).lower()
    for start, table in _BY_CLASS.items():
        if told.startswith(start):
            for number, name in table.items():
                if value := _value(properties, number):
                    yield name, value


def _value(properties: Properties, number: int) -> str:
    if properties.values.get(number, (0, b""))[0] == TIME:
        moment = properties.moment(number)
        return moment.isoformat() if moment else ""
    return " ".join(properties.text(number).split())
