"""The fields of load files: our names, the names that are usual for them, and what else they are called.

Names are compared without case, spaces and punctuation: `Beg Doc#`, `BEGDOC` and `beg_doc` are one.
"""

from collections.abc import Sequence
from dataclasses import dataclass

BEGIN, END = "begin", "end"
BEGIN_FAMILY, END_FAMILY = "begin_family", "end_family"
PARENT, ATTACHMENTS, FAMILY = "parent", "attachments", "family"
CUSTODIAN, ALL_CUSTODIANS = "custodian", "all_custodians"
NATIVE, TEXT_LINK, TEXT = "native_link", "text_link", "text"
HASH, WITHHELD, PAGES = "hash", "withheld", "pages"


@dataclass(frozen=True, slots=True, kw_only=True)
class Field:
    """A field that has a meaning for us."""

    name: str
    usual: str
    """What it is called in the load files that we write."""
    described: str
    others: tuple[str, ...] = ()
    """What else it is called. Of two that a load file has, the one that comes first here is taken."""


def _field(name: str, usual: str, described: str, others: str = "") -> Field:
    return Field(name=name, usual=usual, described=described, others=tuple(others.split()))


FIELDS = (
    _field(
        BEGIN,
        "BEGBATES",
        "the first number of the document, by which others refer to it",
        "BEGDOC BEGDOCNO BEGDOCNUM BEGINBATES BEGINNINGBATES BATESBEG BATESBEGIN BATESSTART STARTBATES FIRSTBATES "
        "PRODBEG PRODBEGBATES PRODUCTIONBEGBATES BEGPROD BEGNO BEGCONTROL BEGCONTROLNUMBER CONTROLNUMBER CONTROLNO "
        "DOCID DOCUMENTID DOCNO BATES BATESNUMBER ID",
    ),
    _field(
        END,
        "ENDBATES",
        "the last number of the document",
        "ENDDOC ENDDOCNO ENDDOCNUM ENDINGBATES BATESEND BATESSTOP STOPBATES LASTBATES PRODEND PRODENDBATES "
        "PRODUCTIONENDBATES ENDPROD ENDNO ENDCONTROL ENDCONTROLNUMBER",
    ),
    _field(
        BEGIN_FAMILY,
        "BEGATTACH",
        "the first number of the family",
        "BEGATT BEGATTACHMENT BEGINATTACH ATTACHBEG ATTACHSTART BEGATTACHBATES BEGFAMILY FAMILYBEG FAMILYSTART "
        "PRODBEGATTACH BEGRANGE PRODUCTIONBEGATTACH BEGBATESATTACH STARTATTACH",
    ),
    _field(
        END_FAMILY,
        "ENDATTACH",
        "the last number of the family",
        "ENDATT ENDATTACHMENT ATTACHEND ATTACHSTOP ENDATTACHBATES ENDFAMILY FAMILYEND FAMILYSTOP PRODENDATTACH "
        "ENDRANGE PRODUCTIONENDATTACH ENDBATESATTACH STOPATTACH",
    ),
    _field(
        PARENT,
        "PARENTID",
        "the number of the document that this one is attached to",
        "PARENT PARENTBATES PARENTBEGBATES PARENTDOC PARENTDOCID PARENTDOCUMENT PARENTDOCUMENTID PARENTCONTROLNUMBER "
        "BEGPARENT",
    ),
    _field(
        ATTACHMENTS,
        "ATTACHIDS",
        "the numbers of the documents that are attached to this one, separated by ;",
        "ATTACHID ATTACHMENTIDS ATTACHMENTID CHILDIDS CHILDID CHILDREN ATTACHBATES ATTACHMENTBATES ATTACHLIST",
    ),
    _field(
        FAMILY,
        "FAMILYID",
        "a text that all documents of a family have in common",
        "GROUPID GROUPIDENTIFIER FAMILYGROUP FAMILYNUMBER FAMILYNO FAMILY DOCUMENTGROUP ATTACHGROUP RANGE "
        "FAMILYGROUPID",
    ),
    _field(CUSTODIAN, "CUSTODIAN", "whom it was collected from", "CUSTODIANNAME CUST CUSTODIANFULLNAME"),
    _field(
        ALL_CUSTODIANS,
        "ALLCUSTODIANS",
        "whom copies of it were collected from, separated by ;",
        "ALLCUSTODIAN DUPCUSTODIAN DUPCUSTODIANS DUPLICATECUSTODIAN DUPLICATECUSTODIANS CUSTODIANALL CUSTODIANSALL "
        "ALLCUST DEDUPEDCUSTODIAN DEDUPEDCUSTODIANS OTHERCUSTODIANS DUPECUSTODIAN DUPECUSTODIANS CUSTODIANOTHER "
        "ADDITIONALCUSTODIANS",
    ),
    _field("from", "FROM", "the sender", "EMAILFROM SENDER MAILFROM FROMNAME FROMADDRESS EMAILSENDER"),
    _field("to", "TO", "the recipients", "EMAILTO RECIPIENT RECIPIENTS MAILTO TOADDRESS"),
    _field("cc", "CC", "who got a copy", "EMAILCC COPYEE COPIEDTO CCADDRESS"),
    _field("bcc", "BCC", "who got a copy without the others' knowledge", "EMAILBCC BLINDCOPYEE BCCADDRESS"),
    _field("author", "AUTHOR", "who wrote it", "DOCAUTHOR CREATOR CREATEDBY AUTHORS FILEAUTHOR"),
    _field("date_sent", "DATESENT", "when it was sent", "SENTDATE EMAILSENTDATE EMAILDATESENT SENTON DATETIMESENT "
           "SENTDATETIME SENT EMAILDATE"),
    _field("time_sent", "TIMESENT", "at what time of that day", "SENTTIME EMAILSENTTIME EMAILTIMESENT"),
    _field("date_received", "DATERECEIVED", "when it was received", "RECEIVEDDATE DATERCVD RCVDDATE DATERECD RECDDATE "
           "EMAILRECEIVEDDATE DATETIMERECEIVED RECEIVED"),
    _field("time_received", "TIMERECEIVED", "at what time of that day", "RECEIVEDTIME TIMERCVD RCVDTIME TIMERECD"),
    _field("date_modified", "DATEMODIFIED", "when it was last changed", "MODIFIEDDATE LASTMODIFIED DATELASTMOD "
           "DATELASTMODIFIED LASTMODDATE MODDATE DATEMOD LASTMODIFIEDDATE DATETIMEMODIFIED FILEMODDATE"),
    _field("time_modified", "TIMEMODIFIED", "at what time of that day", "MODIFIEDTIME TIMELASTMOD LASTMODTIME TIMEMOD"),
    _field("date_created", "DATECREATED", "when it was made", "CREATEDDATE CREATEDATE CREATIONDATE DATETIMECREATED "
           "FILECREATEDATE"),
    _field("time_created", "TIMECREATED", "at what time of that day", "CREATEDTIME CREATETIME CREATIONTIME"),
    _field("date", "DOCDATE", "its date, by whatever it was taken from", "DATE DOCUMENTDATE MASTERDATE SORTDATE "
           "FAMILYDATE PRIMARYDATE"),
    _field("subject", "SUBJECT", "the subject of a mail", "EMAILSUBJECT SUBJECTLINE MAILSUBJECT"),
    _field("title", "TITLE", "the title of a document", "DOCTITLE DOCUMENTTITLE FILETITLE"),
    _field("message_id", "MESSAGEID", "the id of a mail", "INTERNETMESSAGEID EMAILMESSAGEID MSGID MAILID"),
    _field("file_name", "FILENAME", "the name of the file", "ORIGINALFILENAME NATIVEFILENAME FILE DOCNAME "
           "ATTACHNAME ATTACHMENTNAME ORIGFILENAME"),
    _field("path", "FILEPATH", "where the file was", "ORIGINALPATH ORIGINALFILEPATH SOURCEPATH FOLDER FOLDERPATH "
           "EMAILFOLDER PATH FILELOCATION SOURCEFILEPATH ORIGINALFOLDERPATH INTFILEPATH RELATIVEPATH"),
    _field("all_paths", "ALLPATHS", "where copies of the file were, separated by ;", "ALLFILEPATHS DUPPATHS "
           "DUPLICATEPATHS DUPFILEPATHS ALLSOURCEPATHS DUPPATH"),
    _field("extension", "FILEEXT", "the ending of the file's name", "FILEEXTENSION EXTENSION DOCEXT DOCEXTENSION EXT "
           "NATIVEEXT"),
    _field("type", "FILETYPE", "what sort of file it is", "DOCTYPE DOCUMENTTYPE RECORDTYPE TYPE APPLICATION "
           "FILEDESCRIPTION MIMETYPE"),
    _field("size", "FILESIZE", "the size of the file in bytes", "SIZE NATIVESIZE NATIVEFILESIZE"),
    _field(PAGES, "PAGECOUNT", "the number of its pages", "PAGES PGCOUNT NUMPAGES PAGECNT NUMBEROFPAGES IMAGECOUNT"),
    _field("language", "LANGUAGE", "the language of its text", "PRIMARYLANGUAGE LANGUAGES"),
    _field(HASH, "HASH", "a hash of the file", "HASHVALUE FILEHASH DOCHASH"),
    _field("md5", "MD5HASH", "its MD5 hash", "MD5 MD5HASHVALUE HASHMD5"),
    _field("sha1", "SHA1HASH", "its SHA-1 hash", "SHA1 SHA SHAHASH SHA1HASHVALUE HASHSHA1"),
    _field("sha256", "SHA256HASH", "its SHA-256 hash", "SHA256 SHA256HASHVALUE HASHSHA256"),
    _field("confidentiality", "CONFIDENTIALITY", "how confidential it is", "CONFIDENTIAL CONFDESIGNATION DESIGNATION "
           "CONFIDENTIALDESIGNATION CONFIDENTIALITYDESIGNATION"),
    _field("redacted", "REDACTED", "whether something in it is covered", "REDACTION REDACTIONS HASREDACTIONS"),
    _field(WITHHELD, "WITHHELD", "why a slip sheet stands for it", "WITHHELDREASON PRIVWITHHELD"),
    _field(NATIVE, "NATIVELINK", "the path of the file itself, from the folder of the volume", "NATIVEPATH "
           "NATIVEFILE NATIVEFILEPATH FILELINK NATIVEFILELINK DOCLINK NATIVE LINK FILELINKPATH PRODNATIVEPATH"),
    _field(TEXT_LINK, "TEXTLINK", "the path of its text, from the folder of the volume", "TEXTPATH TEXTFILE "
           "TEXTFILEPATH OCRPATH OCRLINK OCRFILE TXTPATH TXTLINK EXTRACTEDTEXTPATH EXTRACTEDTEXTLINK FULLTEXTPATH "
           "PRODTEXTPATH FULLTEXTLINK TXTFILE"),
    _field(TEXT, "EXTRACTEDTEXT", "its text", "TEXT FULLTEXT BODY BODYTEXT DOCTEXT OCRTEXT OCR FULLTEXTCONTENT"),
)  # fmt: skip
"""Every field that has a meaning for us."""

BY_NAME = {field.name: field for field in FIELDS}


@dataclass(frozen=True, slots=True, kw_only=True)
class Recognised:
    """What the field names of a load file were recognised as."""

    fields: dict[str, str]
    """Their name of each of our fields."""
    second: dict[str, str]
    """Their other names of a field that has one already, with our name of it."""
    unknown: tuple[str, ...]


def plain(name: str) -> str:
    """A name as it is compared."""
    return "".join(each for each in name.casefold() if each.isalnum())


_RANKS = {plain(each): (field.name, rank) for field in FIELDS for rank, each in enumerate((field.usual, *field.others))}


def recognise(names: Sequence[str]) -> Recognised:
    """What fields with these names are."""
    fields: dict[str, str] = {}
    second: dict[str, str] = {}
    known = [(*_RANKS[plain(name)], name) for name in names if plain(name) in _RANKS]
    for ours, _, name in sorted(known, key=lambda each: each[1]):
        if ours in fields:
            second[name] = ours
        else:
            fields[ours] = name
    unknown = tuple(name for name in names if plain(name) not in _RANKS)
    return Recognised(
        fields={field.name: fields[field.name] for field in FIELDS if field.name in fields},
        second=second,
        unknown=unknown,
    )
