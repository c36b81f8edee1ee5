"""Mail: the headers that matter and the text of the mail itself, with each attachment as a file of its own.

What a mail offers twice, as plain text and as HTML, is taken once, as plain text; unless the HTML says more, then
both are taken. A signed mail is opened. Of an encrypted one only the headers can be read, and that is noted. Pictures
that the HTML shows in its text are counted and not kept as attachments.

No mail raises an error, however broken, no byte is read more than MAX_DEPTH times, and what could not be read
properly is noted. The text of a mail is its shown headers, an empty line, and its body.
"""

import re
from dataclasses import dataclass, field
from email.message import Message
from urllib.parse import unquote

from protocol.sources.formats import mime, rtf, smime
from protocol.sources.formats.mailfields import SHOWN_HEADERS, child_name, fields, looks_like_mail
from protocol.sources.formats.markup import html_text
from protocol.sources.parts import Extracted, Extractor, File, Unextractable
from protocol.sources.problems import Cause
from protocol.sources.text import decode_text, replace_surrogates

MAX_DEPTH = 20
TOO_MANY = "too many parts, or parts nested too deeply; the last or innermost are taken as plain text"
SAME = 4
"""HTML says more than the plain text beside it if one in SAME of its words is not in the plain text."""

ENCRYPTED = "the mail is encrypted, and only its headers can be read; decrypt it with its owner's key and build again"

UNREAD = "X-Tallystick-Unread"
PICTURES = "X-Tallystick-Pictures"
"""In mail that we wrote from Outlook's properties: what could not be read of them, and the pictures in the RTF."""

_REPORTS = ("message/delivery-status", "message/disposition-notification", "message/global-delivery-status")
_WORD = re.compile("[0-9A-Za-z\x80-\U0010ffff]+")
_CID = re.compile(r"""\bcid:([^"'\s<>)]{1,500})""", re.IGNORECASE)
_PGP = re.compile(r"^-----BEGIN PGP MESSAGE-----", re.MULTILINE)
_EMLX = re.compile(rb"([0-9]{1,10})[ \t]*\r?\n")


@dataclass(frozen=True, slots=True, kw_only=True)
class _Leaf:
    """A text of the mail's body, decoded; markup is stripped only when it is known to be wanted."""

    text: str
    is_html: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class _Attached:
    """A file of the mail, and the name by which its HTML may show it as a picture."""

    file: File
    cid: str = ""


def extract(file: File) -> Extracted:
    """The text, fields and attachments of whatever these bytes are; all as text, if no mail can be seen in them."""
    walk = _Walk()
    try:
        message = mime.message(_without_emlx(file))
        if not message.headers:
            raise ValueError("it begins without a header")
        body = "\n".join(_plain(leaf) for leaf in walk.leaves(message, 0))
        shown = [f"{name}: {value}" for name in SHOWN_HEADERS if (value := walk.decoder.header(message, name))]
        text = "\n".join([*shown, "", body])
        told = fields(message, walk.decoder)
        walk.decoder.note(Cause.UNREAD_PART, walk.decoder.header(message, UNREAD))
        walk.cids.update(walk.decoder.header(message, PICTURES).split())
    except Exception as error:  # the library's readers of parameters and markup raise all kinds of errors
        walk.decoder.note(Cause.BROKEN_MAIL, f"{error or type(error).__name__}; all its bytes are taken as text")
        text, told, walk.attached = "\n" + decode_text(file.content)[0], {}, []
    children = walk.children()
    return Extracted(
        kind="mail",
        text=replace_surrogates(text.replace("\r\n", "\n"))[0],
        tool="tallystick",
        fields=told,
        children=children,
        notes=tuple(walk.decoder.notes),
    )


@dataclass(slots=True)
class _Walk:
    """Goes through one mail, and collects its texts and files."""

    decoder: mime.Decoder = field(default_factory=mime.Decoder)
    attached: list[_Attached] = field(default_factory=list)
    cids: set[str] = field(default_factory=set)
    parts: int = 0

    def leaves(self, part: mime.Part, depth: int, default: str = "text/plain") -> list[_Leaf]:
        """The texts at and below `part`, in the order of the mail; its files are collected."""
        about = mime.about(part, default)
        main, kind = about.get_content_maintype(), about.get_content_type()
        self.parts += 1
        if main == "multipart" and (depth == MAX_DEPTH or self.parts > mime.MAX_PARTS):
            self.decoder.note(Cause.BROKEN_MAIL, TOO_MANY)
            return [_Leaf(text=self.decoder.charset_text(part.body, ""))]
        if kind == "multipart/encrypted":
            self.decoder.note(Cause.ENCRYPTED, ENCRYPTED)
            return []
        if main == "multipart":
            return self.multipart(part, about, depth)
        content = self.decoder.transferred(part)
        if kind in smime.TYPES:
            return self.enveloped(content, part, about, depth)
        if _is_body(about, is_whole_mail=depth == 0):
            return [self.leaf(content, about)]
        self.attach(content, part, about)
        return []

    def leaf(self, content: bytes, about: Message) -> _Leaf:
        """A text of the body."""
        kind = about.get_content_type()
        if kind == "text/rtf":
            return _Leaf(text=self.rtf_text(content))
        text = self.decoder.charset_text(content, about.get_content_charset() or "")
        if _PGP.search(text):
            self.decoder.note(Cause.ENCRYPTED, ENCRYPTED)
        is_html = kind in ("text/html", "text/enriched", "text/richtext")
        if is_html:
            self.cids.update(unquote(cid) for cid in _CID.findall(text))
        else:
            text, files = self.decoder.uuencoded(text)
            self.attached += [_Attached(file=File(name=name, content=content)) for name, content in files]
        return _Leaf(text=text, is_html=is_html)

    def rtf_text(self, content: bytes) -> str:
        """The text of a body in RTF."""
        try:
            read = rtf.EXTRACTOR.extract(File(name="body.rtf", content=content))
        except Unextractable as error:
            self.decoder.note(Cause.UNREAD_PART, f"the body in RTF: {error.detail}")
            return ""
        for cause, detail in read.notes:
            self.decoder.note(cause, detail)
        return read.text

    def multipart(self, part: mime.Part, about: Message, depth: int) -> list[_Leaf]:
        """The texts below a multipart; where it offers the same in several forms, HTML only if it says more."""
        kind = about.get_content_type()
        parts, is_closed = mime.split(part.body, (about.get_boundary() or "").encode("utf-8", "surrogatepass"))
        if not parts:
            self.decoder.note(Cause.BROKEN_MAIL, f"{kind} without its parts; taken as one text")
            parts = [mime.Part(headers={}, body=part.body)]
        elif not is_closed and len(parts) < mime.MAX_PARTS:
            detail = f"{kind} ends before the line that closes it; it may have been cut short"
            self.decoder.note(Cause.BROKEN_MAIL, detail)
        if len(parts) == mime.MAX_PARTS:  # the last one holds all the others
            self.decoder.note(Cause.BROKEN_MAIL, TOO_MANY)
            parts[-1] = mime.Part(headers={}, body=parts[-1].body)
        if kind == "multipart/signed":
            parts = self.without_signature(parts)
        default = "message/rfc822" if kind == "multipart/digest" else "text/plain"
        found = [leaf for inner in parts for leaf in self.leaves(inner, depth + 1, default)]
        return _choice(found) if kind == "multipart/alternative" else found

    def without_signature(self, parts: list[mime.Part]) -> list[mime.Part]:
        """The parts that were signed; the signature itself says nothing to a reader."""
        kinds = [mime.about(part, "text/plain").get_content_type() for part in parts]
        for kind in kinds:
            if kind in smime.SIGNATURES:
                self.decoder.note(Cause.UNREAD_PART, f"the signature ({kind}) is not read and not checked")
        return [part for part, kind in zip(parts, kinds, strict=True) if kind not in smime.SIGNATURES]

    def enveloped(self, content: bytes, part: mime.Part, about: Message, depth: int) -> list[_Leaf]:
        """What is inside a part of S/MIME: a signed mail, or an encrypted one, or nothing that can be told."""
        envelope = smime.opened(content)
        if envelope.is_encrypted:
            self.decoder.note(Cause.ENCRYPTED, ENCRYPTED)
            return []
        if envelope.content is None or depth == MAX_DEPTH:
            self.attach(content, part, about)
            return []
        self.decoder.note(Cause.UNREAD_PART, "the signature (S/MIME) is not read and not checked")
        return self.leaves(mime.part(envelope.content), depth + 1)

    def attach(self, content: bytes, part: mime.Part, about: Message) -> None:
        """Keep a part as a file of its own."""
        kind, main = about.get_content_type(), about.get_content_maintype()
        told = replace_surrogates(self.decoder.encoded_words(_file_name(about)))[0]
        name = child_name(told, kind, len(self.attached) + 1)
        declared = replace_surrogates(" ".join(str(about["Content-Type"]).split()))[0]
        cid = self.decoder.header(part, "Content-ID").strip("<> ") if main == "image" else ""
        self.attached.append(_Attached(file=File(name=name, content=content, declared=declared), cid=cid))

    def children(self) -> tuple[File, ...]:
        """The files, without the pictures that belong to the text."""
        pictures = [each for each in self.attached if each.cid and each.cid in self.cids]
        if pictures:
            self.decoder.note(Cause.UNREAD_PART, f"pictures in the text that are not read: {len(pictures)}")
        return tuple(each.file for each in self.attached if not each.cid or each.cid not in self.cids)


def _is_body(about: Message, *, is_whole_mail: bool) -> bool:
    """Whether a part is text of the mail itself; a mail that is one text is, even if that has a name."""
    kind, is_attachment = about.get_content_type(), about.get_content_disposition() == "attachment"
    if kind in _REPORTS or kind == "text/rfc822-headers":
        return True
    if about.get_content_maintype() != "text" or is_attachment:
        return False
    return is_whole_mail or not _file_name(about)


def _choice(found: list[_Leaf]) -> list[_Leaf]:
    """Of the same text in several forms, all but the HTML, unless that says more."""
    plain = [leaf for leaf in found if not leaf.is_html]
    known = {word for leaf in plain for word in _words(leaf.text)}
    marked = {word for leaf in found if leaf.is_html for word in _words(html_text(leaf.text))}
    return found if len(marked - known) * SAME > len(marked) else plain


def _words(text: str) -> list[str]:
    return _WORD.findall(text.casefold())


def _plain(leaf: _Leaf) -> str:
    return html_text(leaf.text) if leaf.is_html else leaf.text


def _file_name(about: Message) -> str:
    """The name of an attachment, if it can be read."""
    try:
        return about.get_filename("")
    except Exception:  # the library's reader of parameters raises all kinds of errors
        return ""


def _without_emlx(file: File) -> bytes:
    """The mail in a file of Apple Mail, which writes its length before it and a property list after it."""
    length = _EMLX.match(file.content)
    if not length or not file.name.lower().endswith(".emlx"):
        return file.content
    return file.content[length.end() : length.end() + int(length[1])]


EXTRACTOR = Extractor(
    name="mail",
    described="a mail as it was sent (.eml)",
    recognises=looks_like_mail,
    extract=extract,
)
