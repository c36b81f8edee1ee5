"""Threads: who writes what to whom and when, who answers, what is quoted and what is attached."""

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import datetime, timedelta

from protocol.sources.madeup import business, people, topic
from protocol.sources.madeup.attachments import Attached, attached
from protocol.sources.madeup.draws import Draws
from protocol.sources.madeup.people import Person
from protocol.sources.madeup.speech import Speech
from protocol.sources.madeup.subject import Subject
from protocol.sources.madeup.writing import body, forwarded, quoted
from protocol.sources.mixture import Kind

_SIZES = (1, 1, 1, 1, 2, 2, 2, 3, 3, 4, 5)
_SIDES = (0, 0, 0, 0, 0, 1, 1, 1, 1, 2, 2, 2, 3, 3, 4)
_GUARDED = 12  # one in so many responsive threads never names its subject
_INNOCENT = 25  # one in so many other mails is as oblique as those, about something else
_FIRST_DAY = datetime(1999, 1, 4, 7, 30)  # the headers give its offset
_WEEKS = 150


@dataclass(frozen=True, slots=True, kw_only=True)
class Mail:
    """One mail, before it is written as a file."""

    kind: Kind
    id: str
    answers: str
    """The id of the mail that it answers, or an empty text."""
    sender: Person
    to: tuple[Person, ...]
    cc: tuple[Person, ...]
    sent: datetime
    subject: str
    body: str
    files: tuple[Attached, ...]
    kept_by: tuple[Person, ...]
    """The custodians who still have it, at least one."""


def thread(kind: Kind, most: int, name: str, draws: Draws, *, pdf: bool) -> Iterator[Mail]:
    """The mails of one thread, at most so many. All are of one kind."""
    is_guarded = kind is Kind.FAINT or (kind is Kind.RESPONSIVE and draws.one_in(_GUARDED))
    about, speech = _about(Kind.FAINT if is_guarded else kind, draws), Speech(draws)
    cast = _cast(about, draws)
    line = speech.among(about.subjects)
    if kind is Kind.RESPONSIVE and draws.one_in(5):  # not everybody says in the subject what it is about
        line = speech.among(draws.among(business.SUBJECTS).subjects)
    sent = _FIRST_DAY + timedelta(days=7 * draws.below(_WEEKS) + draws.below(5), minutes=draws.below(660))
    going = _Going(kind=kind, about=about, line=line, speech=speech, is_guarded=is_guarded, pdf=pdf)
    before: Mail | None = None
    for number in range(min(most, draws.among(_SIZES))):
        before = _mail(going, cast, sent, before, f"{name}-{number + 1}", draws)
        yield before
        sent = _later(sent, draws)
        place = 1 + (draws.below(len(cast) - 1) if draws.one_in(3) else 0)
        cast = [cast[place], cast[0], *(each for each in cast[1:] if each is not cast[place])]


def _later(sent: datetime, draws: Draws) -> datetime:
    """When the answer comes: not at night, and not on a weekend."""
    sent += timedelta(minutes=7 + draws.among((5, 30, 90, 240, 1440)) + draws.below(55))
    if sent.hour >= 20 or sent.hour < 7:
        sent += timedelta(hours=12)
    return sent + timedelta(days=(0, 0, 0, 0, 0, 2, 1)[sent.weekday()])


def _about(kind: Kind, draws: Draws) -> Subject:
    if kind in (Kind.RESPONSIVE, Kind.MISLABELLED):
        return topic.SIDES[draws.among(_SIDES)]
    return draws.among(topic.NEAR_MISSES if kind is Kind.NEAR_MISS else business.SUBJECTS)


def _cast(about: Subject, draws: Draws) -> list[Person]:
    """Those who write to each other, with a custodian among them."""
    circle = [person for name in dict.fromkeys(about.people) for person in people.department(name)]
    cast = draws.some(people.department(about.people[0]), 1)
    cast += draws.some([each for each in circle if each not in cast], 1 + draws.among((0, 0, 1, 1, 2, 3)))
    if not any(each.is_custodian for each in cast):
        near = [each for each in circle if each.is_custodian] or list(people.custodians())
        cast[1 if draws.below(2) else 0] = draws.among(near)
    return cast


@dataclass(frozen=True, slots=True, kw_only=True)
class _Going:
    """What stays the same in a thread."""

    kind: Kind
    about: Subject
    line: str
    speech: Speech
    pdf: bool
    is_guarded: bool
    """Whether only those who know see what it is about."""

    @property
    def is_telling(self) -> bool:
        """Whether it speaks openly of the topic."""
        return self.kind in (Kind.RESPONSIVE, Kind.MISLABELLED) and not self.is_guarded


def _mail(going: _Going, cast: list[Person], sent: datetime, before: Mail | None, name: str, draws: Draws) -> Mail:
    sender, *readers = cast
    to = tuple(readers[: 1 if draws.below(3) else 2])
    said = _said(going, draws, is_reply=before is not None)
    files: tuple[Attached, ...] = ()
    if going.about.files and draws.one_in(12 if before else 5):
        files = attached(going.about, going.speech, draws, pdf=going.pdf)
    prefix, below = "", ""
    if before is not None:
        prefix = "Re: "
        if draws.one_in(6):
            prefix, files = "Fwd: ", before.files
            below = forwarded(before.sender, before.sent, before.subject, before.body)
        elif draws.below(4):
            below = quoted(before.sender, before.sent, before.body)
    if files:
        said.append(going.speech.among(business.ATTACHED))
    keepers = [each for each in cast if each.is_custodian]
    first = draws.among(keepers)
    return Mail(
        kind=going.kind,
        id=name,
        answers=before.id if before else "",
        sender=sender,
        to=to,
        cc=tuple(each for each in readers if each not in to),
        sent=sent,
        subject=prefix + going.line,
        body=body(said, sender, to[0], below, draws),
        files=files,
        kept_by=(first, *(each for each in keepers if each is not first and draws.one_in(2))),
    )


def _said(going: _Going, draws: Draws, *, is_reply: bool) -> list[str]:
    """The sentences, in their order."""
    if is_reply and draws.one_in(3):
        return [going.speech.among(business.SHORT)]
    telling = draws.some(going.about.sentences, draws.among((1, 1, 2) if is_reply else (1, 2, 2, 3, 3, 4)))
    others = draws.some(business.ANYWHERE, draws.among((0, 1, 1, 2)))
    if draws.one_in(4):  # people write about several things
        others += draws.some(draws.among(business.SUBJECTS).sentences, 1 + draws.below(2))
    if draws.one_in(2) if going.is_guarded else going.kind is Kind.OTHER and draws.one_in(_INNOCENT):
        others.append(draws.among(topic.OBLIQUE))
    elif going.is_telling and draws.one_in(4):
        telling += draws.some(topic.SIDES[draws.among(_SIDES)].sentences, 1)
    return [going.speech.spoken(each) for each in (*telling, *others)]
