"""The words of RTF that matter for its text: which groups hold text, which hold other things, and special signs."""

from enum import Enum


class Kind(Enum):
    """What the text of a group is."""

    BODY = "body"
    SKIPPED = "skipped"
    FONTS = "fonts"
    INSTRUCTION = "instruction"
    FIELD = "field"
    OBJECT_DATA = "object data"
    OBJECT_NAME = "object name"
    INFO = "info"
    ASIDE = "aside"
    """Text that stands apart from the body: a note, a header, a comment."""
    BOX = "box"
    """Text that follows after the paragraph."""
    COMMENTATOR = "commentator"
    SHAPE_NAME = "name of a shape's property"
    SHAPE_VALUE = "value of a shape's property"
    TIME = "time"


ASIDES = {
    "footnote": "Footnotes",
    "annotation": "Comments",
    **dict.fromkeys(("header", "headerl", "headerr", "headerf"), "Header"),  # codespell:ignore headerr
    **dict.fromkeys(("footer", "footerl", "footerr", "footerf"), "Footer"),
}
"""The groups that stand apart, by the heading of their section."""

FIELDS = ("title", "author", "subject")
"""The groups of \\info that are fields."""
PROPERTIES = {"doccomm": "Comments", "keywords": "Keywords", "category": "Category"}
"""Those that are said in the text, as Office shows them."""
SHAPES = {"wzDescription": "alt text: ", "gtextUNICODE": ""}
"""The properties of shapes that people wrote: what describes a picture, and ornamental text."""

_SKIPPED = """
aftncn aftnsep aftnsepc annotationref atndate atnicn atnid atnparent atnref atntime atrfend atrfstart background
bkmkend bkmkstart blipuid buptim colorschememapping colortbl comment company datafield datastore defchp defpap
docvar factoidname fchars ffdeftext ffentrymcr ffexitmcr ffformat ffhelptext ffl ffname ffstattext file filetbl
fldtype fontemb fontfile formfield ftncn ftnsep ftnsepc generator gridtbl hl hlfr hlinkbase hlloc hlsrc htmltag
keycode latentstyles lchars levelnumbers leveltext lfolevel list listlevel listname listoverride listoverridetable
listpicture liststylename listtable lsdlockedexcept mailmerge manager mhtmltag mmathPict mmathPr nesttableprops
nextfile nonesttables nonshppict objalias objclass objsect objtime oldcprops oldpprops oldsprops oldtprops oleclsid
operator panose password passwordhash pgp pgptbl picprop pict pn pnseclvl pntxta pntxtb printim private propname
protend protstart protusertbl pxe revtbl rsidtbl rxe shprslt staticval stylesheet svb tc template themedata txe upr
userprops wgrffmtfilter windowcaption writereservation writereservhash xe xform xmlattrname xmlattrvalue xmlclose
xmlname xmlnstbl xmlopen
"""

DESTINATIONS = {
    **dict.fromkeys(ASIDES, Kind.ASIDE),
    **dict.fromkeys(("info", *FIELDS, *PROPERTIES), Kind.INFO),
    **dict.fromkeys(("revtim", "creatim"), Kind.TIME),
    "sn": Kind.SHAPE_NAME,
    "sv": Kind.SHAPE_VALUE,
    **dict.fromkeys(("shptxt", "dptxbxtext"), Kind.BOX),
    "fonttbl": Kind.FONTS,
    "fldinst": Kind.INSTRUCTION,
    "field": Kind.FIELD,
    "objdata": Kind.OBJECT_DATA,
    "objname": Kind.OBJECT_NAME,
    "atnauthor": Kind.COMMENTATOR,
    **dict.fromkeys(("ud", "shpinst", "shp", "shppict", "sp", "do", "moMath", "result", "mmath"), Kind.BODY),
    **dict.fromkeys(_SKIPPED.split(), Kind.SKIPPED),
}
"""The groups that are no part of the running text, by the word that begins them."""

SPECIAL = {
    **dict.fromkeys(("par", "line", "sect", "page", "row", "nestrow", "column", "softline", "softpage"), "\n"),
    **dict.fromkeys(("tab", "cell", "nestcell"), "\t"),
    "emdash": "\u2014",
    "endash": "\u2013",
    "bullet": "\u2022",
    "emspace": "\u2003",
    "enspace": "\u2002",
    "lquote": "\u2018",
    "rquote": "\u2019",
    "ldblquote": "\u201c",
    "rdblquote": "\u201d",
    "qmspace": "\u2005",
    "zwj": "\u200d",
    "zwnj": "\u200c",
    "ltrmark": "\u200e",
    "rtlmark": "\u200f",
}
"""Words that stand for a sign."""

SYMBOLS = {"~": "\u00a0", "_": "\u2011", "{": "{", "}": "}", "\\": "\\", "\n": "\n", "\r": "\n", "\t": "\t"}
"""Symbols that stand for a sign; the optional hyphen (\\-) stands for nothing, so that it cuts no word."""
