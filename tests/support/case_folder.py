"""What a firm hands over: folders of two custodians with mail, a mailbox, an archive, attachments, copies, and a file
that nobody can read. The mails are made up, so that it is known which are responsive.
"""

import mailbox
import zipfile
from datetime import UTC, datetime, timedelta
from email.message import EmailMessage
from email.policy import SMTP
from email.utils import format_datetime
from pathlib import Path

from protocol.sources import synthetic
from tests.support.officefiles import docx, paragraph

_START = datetime(2001, 5, 14, 8, 0, tzinfo=UTC)
ATTACHED = "The figures of this letter are those of the table that was sent before."


def write(folder: Path, *, documents: int, responsive: int, seed: str = "tests") -> dict[str, bool]:
    """Fill the folder; for each document by its name in the corpus, whether it is responsive."""
    ann, carl = folder / "ann", folder / "carl"
    for each in (ann, carl):
        each.mkdir(parents=True)
    truth: dict[str, bool] = {}
    boxed: list[bytes] = []
    zipped: dict[str, bytes] = {}
    for number, source in enumerate(synthetic.documents(documents=documents, responsive=responsive, seed=seed)):
        name, is_responsive = f"{number:04}.eml", "responsive" in source.labels
        raw = _mail(number, source.parts[0].text)
        match number % 5:
            case 0:
                boxed.append(raw)
                truth[f"ann/inbox.mbox/message {len(boxed)}"] = is_responsive
            case 1:
                zipped[name] = raw
                truth[f"carl/laptop.zip/{name}"] = is_responsive
            case _:
                (ann / name).write_bytes(raw)
                truth[f"ann/{name}"] = is_responsive
                if number % 5 == 2:  # Carl's copy came another way
                    (carl / name).write_bytes(b"Received: by mail.carl.example\r\n" + raw)
    box = mailbox.mbox(ann / "inbox.mbox")
    for raw in boxed:
        box.add(raw)
    box.close()
    with zipfile.ZipFile(carl / "laptop.zip", "w") as archive:
        for name, raw in zipped.items():
            archive.writestr(zipfile.ZipInfo(name), raw)
    (carl / "broken.pdf").write_bytes(b"%PDF-1.7\nnothing that a reader knows")
    return truth


def _mail(number: int, text: str) -> bytes:
    mail = EmailMessage(policy=SMTP)
    mail["From"], mail["To"] = "ann@firm.example", "carl@firm.example"
    mail["Subject"], mail["Date"] = f"Mail {number}", format_datetime(_START + timedelta(hours=number))
    mail.set_content(text, cte="quoted-printable")
    if number % 8 == 0:
        letter = docx(paragraph(f"{ATTACHED} Number {number}."))
        kind = "vnd.openxmlformats-officedocument.wordprocessingml.document"
        mail.add_attachment(letter, maintype="application", subtype=kind, filename=f"letter {number}.docx")
        mail.set_boundary(f"boundary-{number}")
    return mail.as_bytes()
