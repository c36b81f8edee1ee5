"""A mail as a file: headers, text and attachments, byte for byte the same everywhere."""

from base64 import b64encode

from protocol.sources.madeup.people import DOMAIN
from protocol.sources.madeup.threads import Mail
from protocol.sources.madeup.writing import day

_ENCODED = 76  # characters a line of base64


def written(mail: Mail) -> bytes:
    """The file (.eml)."""
    boundary = f"part-of-{mail.id}"
    headers = [
        f"From: {mail.sender.address}",
        f"To: {', '.join(each.address for each in mail.to)}",
        *([f"Cc: {', '.join(each.address for each in mail.cc)}"] if mail.cc else []),
        f"Date: {day(mail.sent)} {mail.sent:%H:%M:%S} -0600",
        f"Subject: {mail.subject}",
        f"Message-ID: <{mail.id}@{DOMAIN}>",
        *([f"In-Reply-To: <{mail.answers}@{DOMAIN}>"] if mail.answers else []),
        "MIME-Version: 1.0",
    ]
    plain = ["Content-Type: text/plain; charset=us-ascii", "", *mail.body.removesuffix("\n").split("\n")]
    if not mail.files:
        return _joined([*headers, *plain])
    lines = [*headers, f'Content-Type: multipart/mixed; boundary="{boundary}"', "", f"--{boundary}", *plain]
    for file in mail.files:
        encoded = b64encode(file.content).decode("ascii")
        lines += [
            f"--{boundary}",
            f'Content-Type: {file.type}; name="{file.name}"',
            f'Content-Disposition: attachment; filename="{file.name}"',
            "Content-Transfer-Encoding: base64",
            "",
            *(encoded[at : at + _ENCODED] for at in range(0, len(encoded), _ENCODED)),
        ]
    return _joined([*lines, f"--{boundary}--"])


def _joined(lines: list[str]) -> bytes:
    return "".join(f"{line}\r\n" for line in lines).encode("ascii")
