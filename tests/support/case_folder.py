"""What a firm hands over: folders of two custodians with mail, a mailbox, an archive, attachments, copies, and a file
that nobody can read. The mail is made up, so that it is known which is responsive.
"""

import mailbox
import zipfile
from pathlib import Path

from protocol.sources.madeup import recipe

QUERY = recipe.QUERY


def write(folder: Path, *, documents: int, responsive: int, seed: str = "tests") -> dict[str, bool]:
    """Fill the folder; for each document by its name in the corpus, whether it is responsive."""
    ann, carl = folder / "ann", folder / "carl"
    for each in (ann, carl):
        each.mkdir(parents=True)
    truth: dict[str, bool] = {}
    boxed: list[bytes] = []
    zipped: dict[str, bytes] = {}
    for number, letter in enumerate(recipe.letters(documents=documents, responsive=responsive, seed=seed)):
        name, is_responsive = f"{number:04}.eml", recipe.LABEL in letter.labels
        raw = letter.content
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
