"""The page in an exhibit's folder. It tells no story: that is the verifier's to tell, from what it has checked."""

from protocol.exhibit.gathering import Gathered

_SIMULATION = """\
THIS IS A SIMULATION. One program played all parties, and anyone can derive their keys. It is
evidence of nothing.

"""

_UNDISCLOSED = """\
NOT DISCLOSED. By the record, Bob has {what}. Whoever gets this folder
gets the document. Hand it on only to those who may see it.

"""

_PAGE = """\
An exhibit about one document of a review that was run with Tallystick.

  exhibit.json        the part of the signed record that proves the document's story
  document/{file}
                      the document, byte for byte as it was committed to
  document/text.txt   the text that was taken from it for the ranking
  certification.txt   a draft certification for counsel to complete

To check it, install Tallystick's verifier and type, in the folder that holds this one,

  tallystick-verify exhibit THIS_FOLDER

and with fingerprints of the parties' keys that you got from them, in a file,

  tallystick-verify exhibit THIS_FOLDER --trust FILE

It needs nothing else: no network, no matter, no corpus. It tells the document's story in plain
words, says what was checked and what an exhibit cannot show, and who is at fault where a rule is
broken. A changed byte in the record or the document is found.

What else is in here. The entries of the document's round are there as they were signed. They speak
of the other documents of its batch by position only: Alice's labels, on which this document's
chance of being drawn rests, and the labels and rulings that stand in one signed entry together
with this document's, out of which nothing can be taken. Names, numbers and contents of other
documents are not in this folder.
"""


def text(gathered: Gathered, file: str) -> str:
    """README.txt; `file` is the name of the document's content."""
    page = _PAGE.format(file=file)
    if not gathered.shown:
        what = (
            "been refused it: it is withheld as privileged" if gathered.withheld else "never been shown this document"
        )
        page = _UNDISCLOSED.format(what=what) + page
    return (_SIMULATION if gathered.opening.simulation else "") + page
